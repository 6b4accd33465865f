#include <transom/runtime/c_api.h>
#include <transom/runtime/error.h>
#include <transom/runtime/object.h>

#include <cstring>

#include "runtime/arguments.h"

namespace transom::runtime {
namespace {

/* An integer beyond int64: two's complement words follow, least significant first, without redundant sign words. */
class BigIntObj : public Object {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_STATIC("ffi.BigInt", kTVMFFIBigInt, BigIntObj, Object);
  uint64_t num_words;
  int64_t* words() { return reinterpret_cast<int64_t*>(this + 1); }
};
static_assert(sizeof(BigIntObj) == 32, "layout of the C contract");

int64_t WordAt(const TVMFFIByteArray& bytes, size_t index) {
  int64_t word;
  std::memcpy(&word, bytes.data + index * sizeof(word), sizeof(word));
  return word;
}

/* Number of words without those that only repeat the sign; 0 for the value 0 only when there are none. */
size_t CountNeededWords(const TVMFFIByteArray& bytes) {
  size_t count = bytes.size / sizeof(int64_t);
  while (count > 1) {
    int64_t sign = WordAt(bytes, count - 2) < 0 ? -1 : 0;
    if (WordAt(bytes, count - 1) != sign) break;
    --count;
  }
  return count;
}

}  // namespace
}  // namespace transom::runtime

using transom::runtime::BigIntObj;

int TVMFFIBigIntFromByteArray(const TVMFFIByteArray* in, TVMFFIAny* out) {
  TRANSOM_SAFE_CALL_BEGIN();
  static_cast<void>(transom::runtime::TextArgument(in, "the bytes of an integer"));
  TRANSOM_CHECK(in->size % sizeof(int64_t) == 0, ValueError)
      << "Expected the bytes of an integer in whole 64-bit words but got " << in->size << " bytes";
  size_t count = transom::runtime::CountNeededWords(*in);
  out->zero_padding = 0;
  if (count <= 1) {
    out->type_index = kTVMFFIInt;
    out->v_int64 = count == 0 ? 0 : transom::runtime::WordAt(*in, 0);
    return 0;
  }
  auto obj = transom::make_inplace_array_object<BigIntObj, int64_t>(count);
  obj->num_words = count;
  std::memcpy(obj->words(), in->data, count * sizeof(int64_t));
  out->type_index = kTVMFFIBigInt;
  out->v_obj = transom::detail::ObjectAccess::Release(&obj);
  TRANSOM_SAFE_CALL_END();
}

TVMFFIByteArray TVMFFIBigIntGetContentByteArray(const TVMFFIAny* value) {
  if (value == nullptr) return {nullptr, 0};
  if (value->type_index == kTVMFFIInt) return {value->v_bytes, sizeof(int64_t)};
  if (value->type_index != kTVMFFIBigInt) return {nullptr, 0};
  auto* obj = static_cast<BigIntObj*>(transom::detail::ObjectAccess::FromHeader(value->v_obj));
  return {reinterpret_cast<const char*>(obj->words()), obj->num_words * sizeof(int64_t)};
}
