#include "runtime/core_functions.h"

#include <transom/containers/array.h>
#include <transom/containers/string.h>
#include <transom/runtime/error.h>

#include <utility>

#include "runtime/type_table.h"

namespace transom::runtime {
namespace {

Array<String> RegisteredTypeKeys() {
  Array<String> keys;
  for (const std::string& key : TypeTable::Global()->Keys()) keys = std::move(keys).push_back(String(key));
  return keys;
}

Function GlobalNames() {
  return Function::FromTyped([names = FunctionTable::Global()->Names()](int64_t index) -> Any {
    if (index == -1) return Any(static_cast<int64_t>(names.size()));
    TRANSOM_CHECK(index >= 0 && index < static_cast<int64_t>(names.size()), IndexError)
        << "Expected -1 or an index below " << names.size() << " but got " << index;
    return Any(String(names[static_cast<size_t>(index)]));
  });
}

String GlobalMetadata(const String& name) {
  const std::optional<GlobalFunction> function = FunctionTable::Global()->Find(name);
  TRANSOM_CHECK(function.has_value(), RuntimeError) << "There is no global function `" << name << "`";
  return String(function->metadata);
}

template <class F>
void Add(FunctionTable* table, const char* name, F function) {
  GlobalFunction entry;
  entry.function = Function::FromTyped(std::move(function), name);
  table->Set(name, std::move(entry), false);
}

}  // namespace

void RegisterCoreFunctions(FunctionTable* table) {
  Add(table, "ffi.GetRegisteredTypeKeys", &RegisteredTypeKeys);
  Add(table, "ffi.FunctionRemoveGlobal", [](const String& name) { return FunctionTable::Global()->Remove(name); });
  Add(table, "ffi.FunctionListGlobalNamesFunctor", &GlobalNames);
  Add(table, "ffi.GetGlobalFuncMetadata", &GlobalMetadata);
}

}  // namespace transom::runtime
