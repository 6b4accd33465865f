#include "runtime/module_imports.h"

#include <transom/runtime/c_env_api.h>
#include <transom/runtime/error.h>

namespace transom::runtime {

std::recursive_mutex& ImportsMutex() {
  static auto* const mutex = new std::recursive_mutex();
  return *mutex;
}

Array<Any> ImportsOf(const Module& module) {
  std::lock_guard lock(ImportsMutex());
  return detail::ModuleAccess::Imports(const_cast<ModuleObj*>(module.get()));
}

Optional<Function> FindFunction(const Module& module, const String& name, bool query_imports) {
  return Search(
      module, query_imports, [&](ModuleObj* target) { return target->GetFunction(name); },
      [](const Optional<Function>& function) { return function.has_value(); });
}

namespace {

/* The function that was found under that name before, borrowed from the module, or NULL. Call it under the lock. */
TVMFFIObject* FindCached(ModuleObj* module, const String& name) {
  const Map<String, Function>& cache = detail::ModuleAccess::LookupCache(module);
  const Any* function = cache.defined() ? cache.get()->Find(AnyView(name)) : nullptr;
  return function == nullptr ? nullptr : function->raw()->v_obj;
}

/* The same after adding a function, unless another thread did so first. */
TVMFFIObject* AddToCache(ModuleObj* module, const String& name, const Function& function) {
  std::lock_guard lock(ImportsMutex());
  if (TVMFFIObject* cached = FindCached(module, name)) return cached;
  Map<String, Function>& cache = detail::ModuleAccess::LookupCache(module);
  cache = cache.insert(name, function);
  return FindCached(module, name);
}

/* The function of that name of an import, else the global one. */
Function FindInImports(const Module& module, const String& name) {
  for (Any import : ImportsOf(module)) {
    if (Optional<Function> found = FindFunction(import.cast<Module>(), name, true)) return *found;
  }
  std::optional<Function> global = Function::GetGlobal(name);
  TRANSOM_CHECK(global.has_value(), RuntimeError)
      << "Neither an import of the module nor the table of global functions has a function `" << name << "`";
  return *std::move(global);
}

}  // namespace
}  // namespace transom::runtime

int TVMFFIEnvModLookupFromImports(TVMFFIObjectHandle library_ctx, const char* name, TVMFFIObjectHandle* out) {
  using namespace transom;
  TRANSOM_SAFE_CALL_BEGIN();
  TRANSOM_CHECK(library_ctx != nullptr, RuntimeError)
      << "Expected the module of the calling library but got NULL; its variable __tvm_ffi__library_ctx is set while a "
         "module of the library lives";
  TRANSOM_CHECK(name != nullptr, RuntimeError) << "Expected the name of a function but got NULL";
  auto* module = static_cast<ModuleObj*>(library_ctx);
  const String key(name);
  {
    std::lock_guard lock(runtime::ImportsMutex());
    *out = runtime::FindCached(module, key);
  }
  if (*out == nullptr) {
    const Module owner(GetObjectPtr<ModuleObj>(module));
    *out = runtime::AddToCache(module, key, runtime::FindInImports(owner, key));
  }
  TRANSOM_SAFE_CALL_END();
}
