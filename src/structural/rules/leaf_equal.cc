#include "structural/rules/leaf_equal.h"

#include <cmath>
#include <cstring>
#include <string>

namespace transom::structural {
namespace {

using graph::ValueClass;

bool BytesEqual(const void* a, const void* b, size_t size) { return size == 0 || std::memcmp(a, b, size) == 0; }

bool ScalarEqual(const TVMFFIAny& lhs, const TVMFFIAny& rhs) {
  if (lhs.type_index != rhs.type_index) return false;
  if (lhs.type_index == kTVMFFIFloat && std::isnan(lhs.v_float64)) return std::isnan(rhs.v_float64);
  return lhs.v_uint64 == rhs.v_uint64;
}

bool TensorEqual(const TVMFFIAny& lhs, const TVMFFIAny& rhs, bool skip_content) {
  const Tensor a = graph::TensorRefOf(lhs), b = graph::TensorRefOf(rhs);
  const DLTensor& s = *a.get();
  const DLTensor& t = *b.get();
  if (s.ndim != t.ndim || std::memcmp(&s.dtype, &t.dtype, sizeof(DLDataType)) != 0) return false;
  if (!BytesEqual(s.shape, t.shape, static_cast<size_t>(s.ndim) * sizeof(int64_t))) return false;
  if (skip_content) return true;
  const size_t size = static_cast<size_t>(a.NumBytes());
  if (graph::FillsItsBytes(a) && a.IsContiguous() && b.IsContiguous()) {
    return BytesEqual(a.data_ptr(), b.data_ptr(), size);
  }
  std::string x(size, '\0'), y(size, '\0');
  a.CopyToCompact(x.data());
  b.CopyToCompact(y.data());
  return x == y;
}

}  // namespace

bool LeafEqual(const TVMFFIAny& lhs, const TVMFFIAny& rhs, ValueClass cls, bool skip_tensor_content) {
  if (cls == ValueClass::kScalar) return ScalarEqual(lhs, rhs);
  if (graph::IsObject(lhs) && graph::IsObject(rhs) && lhs.v_obj == rhs.v_obj) return true;
  switch (cls) {
    case ValueClass::kString:
    case ValueClass::kBytes:
      return graph::TextOf(lhs) == graph::TextOf(rhs);
    case ValueClass::kShape: {
      const TVMFFIShapeCell& s = graph::ShapeOf(lhs);
      const TVMFFIShapeCell& t = graph::ShapeOf(rhs);
      return s.size == t.size && BytesEqual(s.data, t.data, s.size * sizeof(int64_t));
    }
    case ValueClass::kBigInt: {
      const TVMFFIByteArray s = TVMFFIBigIntGetContentByteArray(&lhs);
      const TVMFFIByteArray t = TVMFFIBigIntGetContentByteArray(&rhs);
      return s.size == t.size && BytesEqual(s.data, t.data, s.size);
    }
    default:
      return TensorEqual(lhs, rhs, skip_tensor_content);
  }
}

}  // namespace transom::structural
