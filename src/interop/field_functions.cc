// Getters and setters of fields that a front end lays out by itself, by the static type of the field.
#include <transom/reflection/registry.h>

#include <type_traits>

namespace transom::interop {
namespace {

// Converts a value as the front end declares its field: 0 and an owned value, or -1 and an error in the thread's slot.
using Converter = int (*)(void* converter, const TVMFFIAny* value, TVMFFIAny* result);

// Calls `visit` with a null pointer to the C++ type that has the memory of such a field.
template <class Visit>
auto WithFieldType(int64_t static_type_index, Visit visit) {
  switch (static_type_index) {
    case kTVMFFIInt:
      return visit(static_cast<int64_t*>(nullptr));
    case kTVMFFIFloat:
      return visit(static_cast<double*>(nullptr));
    case kTVMFFIBool:
      return visit(static_cast<bool*>(nullptr));
    case kTVMFFIOpaquePtr:
      return visit(static_cast<void**>(nullptr));
    case kTVMFFIDataType:
      return visit(static_cast<DLDataType*>(nullptr));
    case kTVMFFIDevice:
      return visit(static_cast<DLDevice*>(nullptr));
    case kTVMFFIAny:
    case kTVMFFINone:
      return visit(static_cast<Any*>(nullptr));
    default:
      TRANSOM_CHECK(static_type_index >= kTVMFFIStaticObjectBegin, ValueError)
          << "Expected -1 or the index of a type that a field can have (int, float, bool, void*, DataType, Device or "
             "an "
             "object) but got "
          << static_type_index;
      return visit(static_cast<ObjectRef*>(nullptr));
  }
}

int64_t MakeFieldGetter(int64_t static_type_index) {
  return WithFieldType(static_type_index, [](auto* field) {
    using Field = std::remove_pointer_t<decltype(field)>;
    return reinterpret_cast<int64_t>(&reflection::detail::GetFieldValue<Field>);
  });
}

Function MakeFieldSetter(int64_t static_type_index, int64_t converter, int64_t convert) {
  return WithFieldType(static_type_index, [&](auto* field) {
    using Field = std::remove_pointer_t<decltype(field)>;
    auto* self = reinterpret_cast<void*>(converter);
    auto function = reinterpret_cast<Converter>(convert);
    return Function::FromTyped(
        [self, function](void* address, const AnyView& value) {
          TVMFFIAny converted;
          transom::detail::SetNone(&converted);
          CheckCall(function(self, value.raw(), &converted));
          *static_cast<Field*>(address) = Any::FromOwned(converted).template cast<Field>();
        },
        "field setter");
  });
}

TRANSOM_STATIC_INIT_BLOCK() {
  reflection::GlobalDef()
      .def("ffi.MakeFieldGetter", &MakeFieldGetter, "Address of the C getter of fields of a static type.")
      .def("ffi.MakeFieldSetter", &MakeFieldSetter,
           "Setter of fields of a static type: converts by a C function that gets its first argument.");
}

}  // namespace
}  // namespace transom::interop
