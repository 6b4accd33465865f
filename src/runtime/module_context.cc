#include "runtime/module_context.h"

#include <transom/runtime/c_env_api.h>
#include <transom/runtime/error.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace transom::runtime {
namespace {

/* Never destroyed: libraries are loaded and modules die while the process ends. */
struct ContextTables {
  std::mutex mutex;
  std::map<std::string, void*> symbols;
  std::map<void**, std::vector<ModuleObj*>> modules_of_slot; /* in the order in which they were made */

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
  if (slot_ == nullptr) return;
  ContextTables* tables = ContextTables::Global();
  std::lock_guard lock(tables->mutex);
  tables->modules_of_slot[slot_].push_back(module);
  Store(slot_, module);
}

ContextSlot::~ContextSlot() {
  if (slot_ == nullptr) return;
  ContextTables* tables = ContextTables::Global();
  std::lock_guard lock(tables->mutex);
  auto it = tables->modules_of_slot.find(slot_);
  std::vector<ModuleObj*>& modules = it->second;
  modules.erase(std::find(modules.begin(), modules.end(), module_));
  Store(slot_, modules.empty() ? nullptr : modules.back());
  if (modules.empty()) tables->modules_of_slot.erase(it);
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
