// Global functions about functions, types and plain values, which front ends of all languages expect to find.
#include <transom/containers/array.h>
#include <transom/containers/shape.h>
#include <transom/containers/string.h>
#include <transom/reflection/registry.h>
#include <transom/runtime/error.h>
#include <transom/runtime/function.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/function_table.h"
#include "runtime/sentinels.h"
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

Function FromExternC(void* self, void* safe_call, void* deleter) {
  TVMFFIObjectHandle handle = nullptr;
  CheckCall(TVMFFIFunctionCreate(self, reinterpret_cast<TVMFFISafeCallType>(safe_call),
                                 reinterpret_cast<void (*)(void*)>(deleter), &handle));
  return Function(transom::detail::ObjectAccess::Adopt<FunctionObj>(handle));
}

void MakeShape(PackedArgs args, Any* result) {
  std::vector<int64_t> extents;
  for (int32_t i = 0; i < args.size(); ++i) {
    const std::optional<int64_t> extent = args[i].try_cast<int64_t>();
    TRANSOM_CHECK(extent.has_value(), ValueError)
        << "Expected the extents of a shape as integers but argument #" << i << " is a `" << args[i].GetTypeKey() << "`";
    extents.push_back(*extent);
  }
  *result = Shape(extents);
}

TRANSOM_STATIC_INIT_BLOCK() {
  reflection::GlobalDef()
      .def("ffi.GetRegisteredTypeKeys", &RegisteredTypeKeys, "Keys of all types, by ascending index")
      .def("ffi.FunctionRemoveGlobal", [](const String& name) { return FunctionTable::Global()->Remove(name); },
           "Removes a global function; whether there was one of that name")
      .def("ffi.FunctionListGlobalNamesFunctor", &GlobalNames,
           "A snapshot f of the names of global functions: f(-1) is their number, f(i) the i-th")
      .def("ffi.GetGlobalFuncMetadata", &GlobalMetadata,
           "JSON metadata of a global function, empty where it has none. RuntimeError: no such function")
      .def("ffi.FunctionFromExternC", &FromExternC,
           "The function of a C callback with its state and the deleter of that, as TVMFFIFunctionCreate makes it")
      .def("ffi.String", [](String text) { return text; }, "The text, owned")
      .def("ffi.Bytes", [](Bytes bytes) { return bytes; }, "The bytes, owned")
      .def_packed("ffi.Shape", &MakeShape, "A shape of the given integers. ValueError: an argument is none")
      .def("ffi.GetInvalidObject", &InvalidObject, "The object that stands for a missing value; compare by identity")
      .def("ffi.GetKwargsObject", &KwargsObject,
           "The object after which arguments of a constructor are names and values; compare by identity");
}

}  // namespace
}  // namespace transom::runtime
