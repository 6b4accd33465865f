// Global functions for modules, and the reflection of their type.
#include <transom/containers/array.h>
#include <transom/reflection/registry.h>
#include <transom/runtime/function.h>
#include <transom/runtime/module.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/library.h"
#include "runtime/module_imports.h"

namespace transom::runtime {
namespace {

ModuleObj* Mutable(const Module& module) { return const_cast<ModuleObj*>(module.get()); }

/* Suffix of a file's name without the dot; that of other systems' libraries is `so`. */
std::string FileFormat(const String& path) {
  const std::string_view text = path;
  const std::string_view name = text.substr(text.rfind('/') + 1);  // All of it where there is no slash.
  const size_t dot = name.rfind('.');
  TRANSOM_CHECK(dot != std::string_view::npos && dot + 1 < name.size(), RuntimeError)
      << "Expected the path of a module, with a suffix such as .so that tells its format, but got `" << path << "`";
  const std::string_view suffix = name.substr(dot + 1);
  return suffix == "dll" || suffix == "dylib" || suffix == "dso" ? "so" : std::string(suffix);
}

Module LoadFromFile(const String& path) {
  const std::string format = FileFormat(path);
  const std::string loader = "ffi.Module.load_from_file." + format;
  const std::optional<Function> load = Function::GetGlobal(loader);
  TRANSOM_CHECK(load.has_value(), RuntimeError)
      << "Cannot load the module `" << path << "`: no function is registered under the name `" << loader
      << "`; load the library that registers it first";
  return (*load)(path, format).cast<Module>();
}

bool Implements(const Module& module, const String& name, bool query_imports) {
  return Search(
      module, query_imports, [&](ModuleObj* target) { return target->ImplementsFunction(name); },
      [](bool found) { return found; });
}

Optional<String> FindText(const Module& module, const String& name, bool query_imports,
                          Optional<String> (ModuleObj::*get)(const String&)) {
  return Search(
      module, query_imports, [&](ModuleObj* target) { return (target->*get)(name); },
      [](const Optional<String>& text) { return text.has_value(); });
}

Optional<String> FunctionDoc(const Module& module, const String& name, bool query_imports) {
  return FindText(module, name, query_imports, &ModuleObj::GetFunctionDoc);
}

Optional<String> FunctionMetadata(const Module& module, const String& name, bool query_imports) {
  return FindText(module, name, query_imports, &ModuleObj::GetFunctionMetadata);
}

void Import(const Module& module, const Module& other) {
  std::lock_guard lock(ImportsMutex());
  Mutable(module)->ImportModule(other);
}

void ClearImports(const Module& module) {
  // What was imported dies without the lock.
  const Array<Any> imports = ImportsOf(module);
  std::lock_guard lock(ImportsMutex());
  Mutable(module)->ClearImports();
}

/* Modules that live as long as the process, or until they are removed. Never destroyed. */
class GlobalModules {
 public:
  static GlobalModules* Global() {
    static GlobalModules* const modules = new GlobalModules();
    return modules;
  }
  void Add(const Module& module) {
    std::lock_guard lock(mutex_);
    if (!Contains(module)) modules_.push_back(module);
  }
  void Remove(const Module& module) {
    std::lock_guard lock(mutex_);
    modules_.erase(std::remove(modules_.begin(), modules_.end(), module), modules_.end());
  }

 private:
  bool Contains(const Module& module) const {
    return std::find(modules_.begin(), modules_.end(), module) != modules_.end();
  }
  std::mutex mutex_;
  std::vector<Module> modules_;
};

/* The field `imports_` is read under the lock that guards it. */
int GetImports(void* field, TVMFFIAny* result) {
  TRANSOM_SAFE_CALL_BEGIN();
  std::lock_guard lock(ImportsMutex());
  *result = Any(*static_cast<const Array<Any>*>(field)).Release();
  TRANSOM_SAFE_CALL_END();
}
int SetImports(void*, const TVMFFIAny*) {
  TRANSOM_SAFE_CALL_BEGIN();
  TRANSOM_THROW(TypeError) << "Imports of a module are added with ffi.ModuleImportModule, which refuses cycles";
  TRANSOM_SAFE_CALL_END();
}

void DescribeModuleType() {
  TVMFFITypeMetadata type{};
  type.doc = transom::detail::ToByteArray("A set of functions found by name");
  type.total_size = sizeof(ModuleObj);
  CheckCall(TVMFFITypeRegisterMetadata(kTVMFFIModule, &type));
  TVMFFIFieldInfo imports{};
  imports.size = sizeof(Array<Any>);
  imports.alignment = alignof(Array<Any>);
  imports.offset = sizeof(TVMFFIObject);  // The first field, although the object starts before its header.
  imports.getter = &GetImports;
  imports.setter = reinterpret_cast<void*>(&SetImports);
  imports.field_static_type_index = kTVMFFIArray;
  reflection::detail::Options options;
  options.doc = "Modules in which functions are looked up too";
  reflection::detail::RegisterField(kTVMFFIModule, "imports_", options, TypeTraits<Array<Any>>::Schema(), imports);
}

TRANSOM_STATIC_INIT_BLOCK() {
  DescribeModuleType();
  reflection::GlobalDef()
      .def("ffi.ModuleLoadFromFile", &LoadFromFile,
           "Loads a module with the function ffi.Module.load_from_file.<suffix of the path>")
      .def(
          "ffi.Module.load_from_file.so",
          [](const String& path, const String&) { return MakeLibraryModule(OpenSharedLibrary(path)); },
          "Loads a shared library as a module. InternalError: the system cannot load it")
      .def("ffi.ModuleGetFunction", &FindFunction, "The function of that name, or None; of imports too where asked")
      .def("ffi.ModuleImplementsFunction", &Implements, "Whether there is a function of that name")
      .def("ffi.ModuleGetFunctionDoc", &FunctionDoc, "What a user reads about a function, or None")
      .def("ffi.ModuleGetFunctionMetadata", &FunctionMetadata, "JSON text about a function, or None")
      .def(
          "ffi.ModuleGetPropertyMask", [](const Module& module) { return module->GetPropertyMask(); },
          "What the module can do: 1 to be saved to bytes, 2 run, 4 be written to a file")
      .def(
          "ffi.ModuleGetKind", [](const Module& module) { return String(module->kind()); }, "Kind of module")
      .def(
          "ffi.ModuleGetWriteFormats", [](const Module& module) { return module->GetWriteFormats(); },
          "Formats of files that the module can be written to")
      .def(
          "ffi.ModuleInspectSource",
          [](const Module& module, const String& format) { return module->InspectSource(format); },
          "Source text in a format, empty where there is none")
      .def(
          "ffi.ModuleWriteToFile",
          [](const Module& module, const String& path, const String& format) { module->WriteToFile(path, format); },
          "Writes the module to a file. RuntimeError: it cannot be written in that format")
      .def("ffi.ModuleImportModule", &Import,
           "Functions of the second module can be looked up in the first too. RuntimeError: imports would form a cycle")
      .def("ffi.ModuleClearImports", &ClearImports, "Drops all imports of a module")
      .def(
          "ffi.ModuleGlobalsAdd", [](const Module& module) { GlobalModules::Global()->Add(module); },
          "Keeps a module alive until it is removed")
      .def(
          "ffi.ModuleGlobalsRemove", [](const Module& module) { GlobalModules::Global()->Remove(module); },
          "Ends what ffi.ModuleGlobalsAdd began");
}

}  // namespace
}  // namespace transom::runtime
