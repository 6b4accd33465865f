// Attributes of ffi.BigInt for callers that work by attributes; this library's own code knows the type.
#include <transom/containers/bigint.h>
#include <transom/reflection/registry.h>
#include <transom/runtime/any_hash.h>

namespace transom::interop {
namespace {

int64_t Hash(const BigInt& value, const Function&) {
  const Any owned(value);
  const TVMFFIByteArray words = TVMFFIBigIntGetContentByteArray(owned.raw());
  return static_cast<int64_t>(transom::detail::HashBytes(words.data, words.size));
}
bool Equal(const BigInt& lhs, const BigInt& rhs, const Function&) { return BigInt::Compare(lhs, rhs) == 0; }
int64_t Compare(const BigInt& lhs, const BigInt& rhs, const Function&) { return BigInt::Compare(lhs, rhs); }
String ToJson(const BigInt& value) { return String(BigInt::ToDecimal(value)); }
Any FromJson(const String& text) { return BigInt::FromDecimal({text.data(), text.size()}); }

TRANSOM_STATIC_INIT_BLOCK() {
  TVMFFITypeMetadata metadata{};
  metadata.total_size = sizeof(BigIntObj);  // without the words
  CheckCall(TVMFFITypeRegisterMetadata(kTVMFFIBigInt, &metadata));
  reflection::TypeAttrDef<BigIntObj>()
      .def("__ffi_hash__", &Hash)
      .def("__ffi_eq__", &Equal)
      .def("__ffi_compare__", &Compare)
      .def("__data_to_json__", &ToJson)
      .def("__data_from_json__", &FromJson);
}

}  // namespace
}  // namespace transom::interop
