/*
 * Modules: sets of functions found by name, such as those of a loaded library.
 *
 *   ffi::Module model = ffi::Module::LoadFromFile("model.so");
 *   if (std::optional<ffi::Function> forward = model.GetFunction("forward")) (*forward)(input);
 *
 * A library exports functions as <transom/reflection/export_function.h> says. Other kinds of modules derive from
 * ModuleObj.
 */
#ifndef TRANSOM_RUNTIME_MODULE_H_
#define TRANSOM_RUNTIME_MODULE_H_

#include <transom/containers/array.h>
#include <transom/containers/map.h>
#include <transom/containers/optional.h>
#include <transom/containers/string.h>
#include <transom/runtime/error.h>
#include <transom/runtime/function.h>
#include <transom/runtime/object.h>

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

namespace transom {

class Module;
class ModuleObj;

/* What a module can do: bits of ModuleObj::GetPropertyMask. */
enum ModuleProperty : int {
  kModuleBinarySerializable = 1,   /* SaveToBytes works, and a loader of its kind reads the result */
  kModuleRunnable = 2,             /* its functions can be called in this process */
  kModuleCompilationExportable = 4 /* WriteToFile gives what a compiler or linker takes */
};

namespace detail {
/* What the runtime needs of a module beyond its virtual functions. */
struct ModuleAccess {
  static Array<Any>& Imports(ModuleObj* module) noexcept;
  static Map<String, Function>& LookupCache(ModuleObj* module) noexcept;
};
}  // namespace detail

/*
 * Base of all modules. A class of modules overrides the virtual functions and is made with make_object; all have the
 * type index of `ffi.Module`. Users call through Module, which searches imports too.
 *
 * Functions may be asked for from any thread, so overrides must be safe for that. What an override throws reaches the
 * caller as an Error.
 */
class ModuleObj : public Object {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_STATIC("ffi.Module", kTVMFFIModule, ModuleObj, Object);

  // The order of the virtual functions, and what they take and return, is part of the C contract.

  /* Kind of module, such as "library". Lives as long as the process. */
  virtual const char* kind() const = 0;
  /* Set of ModuleProperty. */
  virtual int GetPropertyMask() const { return 0; }
  /* The module's own function of that name, or nothing. The function keeps alive what it needs. */
  virtual Optional<Function> GetFunction(const String& name) = 0;
  /* Whether GetFunction gives one. */
  virtual bool ImplementsFunction(const String& name) { return GetFunction(name).has_value(); }
  /* What a user reads about a function. */
  virtual Optional<String> GetFunctionDoc(const String&) { return std::nullopt; }
  /* JSON text about a function, with at least "type_schema". */
  virtual Optional<String> GetFunctionMetadata(const String&) { return std::nullopt; }
  /* Writes the module to a file of one of the formats of GetWriteFormats. RuntimeError: it cannot be written so. */
  virtual void WriteToFile(const String&, const String& format) const {
    TRANSOM_THROW(RuntimeError) << "A module of kind `" << kind() << "` cannot be written to a file of format `"
                                << format << "`";
  }
  virtual Array<String> GetWriteFormats() const { return Array<String>(); }
  /* Bytes that the global function `ffi.Module.load_from_bytes.<kind>` reads. RuntimeError: there is no such form. */
  virtual Bytes SaveToBytes() const {
    TRANSOM_THROW(RuntimeError) << "A module of kind `" << kind() << "` cannot be saved to bytes";
  }
  /* Source text, for people; empty where there is none. */
  virtual String InspectSource(const String&) const { return String(); }
  /* Adds a module in which functions are looked up too. RuntimeError: that would close a cycle of imports. */
  virtual void ImportModule(const Module& other);
  /* Drops all imports, and the functions found in them so far. */
  virtual void ClearImports() {
    imports_ = Array<Any>();
    import_lookup_cache_ = Map<String, Function>();
  }

 protected:
  ModuleObj() = default;
  /* Not virtual, as the layout is fixed; the deleter of the object knows its class. */
  ~ModuleObj() = default;

 private:
  friend struct detail::ModuleAccess;

  Array<Any> imports_;
  Map<String, Function> import_lookup_cache_;
};
static_assert(sizeof(ModuleObj) == 48, "layout of the C contract");

/*
 * Reference to a module; one pointer, NULL when default-constructed. All members may be called from any thread. Errors
 * that they do not list are those of the module's own code.
 */
class Module : public ObjectRef {
 public:
  using ContainerType = ModuleObj;
  static constexpr bool _type_is_nullable = false;

  Module() noexcept = default;
  explicit Module(ObjectPtr<ModuleObj> module) noexcept : ObjectRef(std::move(module)) {}

  const ModuleObj* get() const noexcept { return detail::Downcast<ModuleObj>(data_.get()); }
  const ModuleObj* operator->() const noexcept { return get(); }

  /*
   * Loads a module from a file with the function `ffi.Module.load_from_file.<suffix>`; .so, .dll, .dylib and .dso are
   * libraries. A library stays in the process until its end, as what its functions returned may need its code. It has
   * one module at a time: loading it again gives the module that lives. RuntimeError: no such function, or modules that
   * the library embeds are damaged. InternalError: the library cannot be loaded; the system's reason follows.
   */
  static Module LoadFromFile(const String& path) { return CallGlobal<Module>("ffi.ModuleLoadFromFile", path); }
  /* The functions that are linked into the process and were registered with TVMFFIEnvModRegisterSystemLibSymbol, as one
   * module per prefix of their names. */
  static Module SystemLib(const String& prefix = String()) { return CallGlobal<Module>("ffi.SystemLib", prefix); }

  const char* kind() const { return CheckedGet()->kind(); }
  int GetPropertyMask() const { return CallGlobal<int>("ffi.ModuleGetPropertyMask", *this); }
  /* The function of that name, or nothing. With `query_imports` also of the imports, depth-first in their order. */
  std::optional<Function> GetFunction(const String& name, bool query_imports = true) const {
    return CallGlobal<std::optional<Function>>("ffi.ModuleGetFunction", *this, name, query_imports);
  }
  bool ImplementsFunction(const String& name, bool query_imports = true) const {
    return CallGlobal<bool>("ffi.ModuleImplementsFunction", *this, name, query_imports);
  }
  std::optional<String> GetFunctionDoc(const String& name, bool query_imports = true) const {
    return CallGlobal<std::optional<String>>("ffi.ModuleGetFunctionDoc", *this, name, query_imports);
  }
  std::optional<String> GetFunctionMetadata(const String& name, bool query_imports = true) const {
    return CallGlobal<std::optional<String>>("ffi.ModuleGetFunctionMetadata", *this, name, query_imports);
  }
  /* As those of ModuleObj. */
  void WriteToFile(const String& path, const String& format) const {
    CallGlobal<Any>("ffi.ModuleWriteToFile", *this, path, format);
  }
  Array<String> GetWriteFormats() const { return CallGlobal<Array<String>>("ffi.ModuleGetWriteFormats", *this); }
  Bytes SaveToBytes() const { return CheckedGet()->SaveToBytes(); }
  String InspectSource(const String& format) const {
    return CallGlobal<String>("ffi.ModuleInspectSource", *this, format);
  }

  /* The modules imported by this one, in order. */
  Array<Module> imports() const {
    TVMFFIAny imports;
    const TVMFFIFieldInfo& field = ImportsField();
    CheckCall(field.getter(reinterpret_cast<char*>(detail::ObjectAccess::Header(*this)) + field.offset, &imports));
    return Any::FromOwned(imports).cast<Array<Module>>();
  }
  /* Functions of `other` can be looked up in this module too. RuntimeError: that would close a cycle of imports. */
  void ImportModule(const Module& other) const { CallGlobal<Any>("ffi.ModuleImportModule", *this, other); }
  /* Drops all imports. Code of this module that still uses a function of one must have come to its end. */
  void ClearImports() const { CallGlobal<Any>("ffi.ModuleClearImports", *this); }

 private:
  template <class R, class... Args>
  static R CallGlobal(const char* name, const Args&... args) {
    return Function::GetGlobalRequired(name)(args...).template cast<R>();
  }
  const ModuleObj* CheckedGet() const {
    if (!defined()) detail::ThrowNullReference(ModuleObj::_type_key);
    return get();
  }
  /* Record of the field `imports_`, whose getter belongs to the library that guards the field. */
  static const TVMFFIFieldInfo& ImportsField() {
    const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(kTVMFFIModule);
    TRANSOM_CHECK(info->num_fields > 0, InternalError) << "The type `ffi.Module` has no field `imports_`";
    return info->fields[0];
  }
};

inline Array<Any>& detail::ModuleAccess::Imports(ModuleObj* module) noexcept { return module->imports_; }
inline Map<String, Function>& detail::ModuleAccess::LookupCache(ModuleObj* module) noexcept {
  return module->import_lookup_cache_;
}

inline void ModuleObj::ImportModule(const Module& other) {
  if (!other.defined()) detail::ThrowNullReference(_type_key);
  // Whether this module can be reached from the other one. No cycle exists yet, but modules may be shared.
  std::vector<const ModuleObj*> to_visit{other.get()};
  std::unordered_set<const ModuleObj*> visited;
  while (!to_visit.empty()) {
    const ModuleObj* module = to_visit.back();
    to_visit.pop_back();
    TRANSOM_CHECK(module != this, RuntimeError)
        << "The import of a module of kind `" << other->kind() << "` into one of kind `" << kind()
        << "` would close a cycle of imports";
    if (!visited.insert(module).second) continue;
    for (const Any& import : module->imports_) to_visit.push_back(import.cast<Module>().get());
  }
  imports_ = Array<Any>(imports_).push_back(other);
}

}  // namespace transom

#endif  // TRANSOM_RUNTIME_MODULE_H_
