/* Imports of modules, safe under threads, and lookups through them. */
#ifndef TRANSOM_SRC_RUNTIME_MODULE_IMPORTS_H_
#define TRANSOM_SRC_RUNTIME_MODULE_IMPORTS_H_

#include <transom/runtime/module.h>

#include <mutex>
#include <unordered_set>
#include <vector>

namespace transom::runtime {

/* Guards the imports and lookup caches of all modules. Recursive, as a module's own ImportModule may import into others. */
std::recursive_mutex& ImportsMutex();

/* The imports of a module at this moment. */
Array<Any> ImportsOf(const Module& module);

/* First result of `query(ModuleObj*)` that says that something was found: of the module itself, else, with `query_imports`, of
 * its imports, depth-first in their order. Each module is asked once, without a lock. */
template <class Query, class Found>
auto Search(const Module& module, bool query_imports, Query query, Found found) {
  auto ask = [&](const Module& target) { return query(const_cast<ModuleObj*>(target.get())); };
  auto result = ask(module);
  if (!query_imports || found(result)) return result;
  std::vector<Module> to_visit;
  std::unordered_set<const ModuleObj*> visited{module.get()};
  auto push_imports = [&](const Module& target) {
    const Array<Any> imports = ImportsOf(target);
    for (int64_t i = imports.size(); i > 0; --i) to_visit.push_back(imports[i - 1].template cast<Module>());
  };
  push_imports(module);
  while (!to_visit.empty()) {
    const Module next = std::move(to_visit.back());
    to_visit.pop_back();
    if (!visited.insert(next.get()).second) continue;
    result = ask(next);
    if (found(result)) return result;
    push_imports(next);
  }
  return result;
}

/* The function of that name of the module, or of its imports where they are queried; or nothing. */
Optional<Function> FindFunction(const Module& module, const String& name, bool query_imports);

}  // namespace transom::runtime

#endif  // TRANSOM_SRC_RUNTIME_MODULE_IMPORTS_H_
