#include "runtime/module_context.h"

#include <transom/runtime/c_env_api.h>
#include <transom/runtime/error.h>

#include <map>
#include <mutex>
#include <string>

namespace transom::runtime {
namespace {

/* Never destroyed: libraries are loaded and modules die while the process ends. */
struct ContextTables {
  std::mutex mutex;
  std::map<std::string, void*> symbols;

  static ContextTables* Global() {
    static ContextTables* const tables = new ContextTables();
    return tables;
  }
};

void Store(void** variable, void* value) { __atomic_store_n(variable, value, __ATOMIC_RELEASE); }

}  // namespace

void SetContextSymbols(const Library& library) {
  ContextTables* tables = ContextTables::Global();
  std::lock_guard lock(tables->mutex);
  for (const auto& [name, value] : tables->symbols) {
    if (void* variable = library.Find("", name)) Store(static_cast<void**>(variable), value);
  }
}

ContextSlot::ContextSlot(const Library& library, ModuleObj* module)
    : slot_(static_cast<void**>(library.Find(kFunctionAffix, kContextName))), module_(module) {
  if (slot_ != nullptr) Store(slot_, module);
}

ContextSlot::~ContextSlot() {
  void* expected = module_;
  if (slot_ == nullptr) return;
  // A module that was made meanwhile stays.
  __atomic_compare_exchange_n(slot_, &expected, nullptr, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

}  // namespace transom::runtime

int TVMFFIEnvModRegisterContextSymbol(const char* name, void* symbol) {
  TRANSOM_SAFE_CALL_BEGIN();
  TRANSOM_CHECK(name != nullptr && name[0] != '\0', ValueError) << "Expected the name of a variable";
  auto* tables = transom::runtime::ContextTables::Global();
  std::lock_guard lock(tables->mutex);
  tables->symbols[name] = symbol;
  TRANSOM_SAFE_CALL_END();
}
