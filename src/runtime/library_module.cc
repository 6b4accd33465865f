#include <transom/runtime/error.h>
#include <transom/runtime/function.h>

#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "runtime/embedded_modules.h"
#include "runtime/library.h"
#include "runtime/loaded_libraries.h"
#include "runtime/module_context.h"

namespace transom::runtime {
namespace {

/* An exported function of a library. Its module stays alive, as the function may look up others through it. */
class LibraryFunctionObj : public FunctionObj {
 public:
  LibraryFunctionObj(Module module, TVMFFISafeCallType symbol) : module_(std::move(module)), symbol_(symbol) {
    safe_call = &Call;
    cpp_call = nullptr;
  }

 private:
  static int Call(void* self, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
    auto* function = static_cast<LibraryFunctionObj*>(detail::ObjectAccess::FromHeader(self));
    return function->symbol_(nullptr, args, num_args, result);
  }

  Module module_;
  TVMFFISafeCallType symbol_;
};

class LibraryModuleObj final : public ModuleObj {
 public:
  explicit LibraryModuleObj(std::unique_ptr<Library> library)
      : library_(std::move(library)), context_(*library_, this) {}

  const char* kind() const override { return "library"; }
  int GetPropertyMask() const override { return kModuleBinarySerializable | kModuleRunnable; }
  Optional<Function> GetFunction(const String& name) override {
    TVMFFISafeCallType symbol = FindCode(kFunctionAffix, name);
    if (symbol == nullptr) return std::nullopt;
    return Function(make_object<LibraryFunctionObj>(Module(GetObjectPtr<ModuleObj>(this)), symbol));
  }
  bool ImplementsFunction(const String& name) override { return FindCode(kFunctionAffix, name) != nullptr; }
  Optional<String> GetFunctionDoc(const String& name) override { return TextOf(kDocAffix, name); }
  Optional<String> GetFunctionMetadata(const String& name) override { return TextOf(kMetadataAffix, name); }

 private:
  TVMFFISafeCallType FindCode(std::string_view affix, std::string_view name) const {
    if (name == kContextName || name == kEmbeddedName) return nullptr;
    void* symbol = library_->Find(affix, name);
    return symbol == nullptr || IsData(symbol) ? nullptr : reinterpret_cast<TVMFFISafeCallType>(symbol);
  }
  /* Result of the function that gives a text about another one. */
  Optional<String> TextOf(std::string_view affix, std::string_view name) const {
    TVMFFISafeCallType symbol = FindCode(affix, name);
    if (symbol == nullptr) return std::nullopt;
    TVMFFIAny result;
    detail::SetNone(&result);
    CheckCall(symbol(nullptr, nullptr, 0, &result));
    return Any::FromOwned(result).cast<String>();
  }

  std::unique_ptr<Library> library_;
  ContextSlot context_;
};

/* What the library embeds, after its size. */
std::string_view EmbeddedData(const void* symbol, std::string_view source) {
  uint64_t size = 0;
  const size_t readable = BytesAt(symbol);
  if (readable >= sizeof(size)) std::memcpy(&size, symbol, sizeof(size));
  TRANSOM_CHECK(readable >= sizeof(size) && size <= readable - sizeof(size), RuntimeError)
      << "The modules embedded in " << source << " are damaged: their size is stated as " << size << " bytes, but "
      << readable << " bytes are there, those of the size included";
  return {static_cast<const char*>(symbol) + sizeof(size), size};
}

/* Loads what the library embeds; the root of that, or the library's own module. */
Module LoadRoot(const Module& own, const Library& library) {
  const void* embedded = library.Find(kFunctionAffix, kEmbeddedName);
  const std::string source = library.Name();
  return embedded == nullptr ? own : LoadEmbeddedModules(EmbeddedData(embedded, source), own, source);
}

/* The modules of a shared library: it has one variable for the address of a module, so it has one module at a time. */
struct LoadedLibrary {
  WeakObjectPtr<ModuleObj> own;
  WeakObjectPtr<ModuleObj> root;
};

}  // namespace

Module MakeLibraryModule(std::unique_ptr<Library> library) {
  const Library& symbols = *library;
  auto make_own = [&]() -> ObjectPtr<ModuleObj> {
    SetContextSymbols(symbols);
    return make_object<LibraryModuleObj>(std::move(library));
  };
  const void* identity = symbols.Identity();
  if (identity == nullptr) return LoadRoot(Module(make_own()), symbols);
  // Recursive, as loaders of embedded modules may load others.
  static auto* const mutex = new std::recursive_mutex();
  static auto* const loaded = new std::map<const void*, LoadedLibrary>();
  std::lock_guard lock(*mutex);
  LoadedLibrary& entry = (*loaded)[identity];
  if (ObjectPtr<ModuleObj> root = entry.root.lock()) return Module(std::move(root));
  ObjectPtr<ModuleObj> own = entry.own.lock();
  if (own == nullptr) own = make_own();
  entry.own = WeakObjectPtr<ModuleObj>(own);
  Module root = LoadRoot(Module(own), symbols);
  entry.root = WeakObjectPtr<ModuleObj>(GetObjectPtr(const_cast<ModuleObj*>(root.get())));
  return root;
}

}  // namespace transom::runtime
