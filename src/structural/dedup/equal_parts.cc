#include "structural/dedup/equal_parts.h"

#include <transom/containers/tensor.h>

#include "schema/builder.h"
#include "structural/hash/digest_visitor.h"
#include "structural/rules/leaf_equal.h"

namespace transom::structural {

using graph::Classify;
using graph::ValueClass;

bool Interchangeable(const graph::TypePlan& plan, const graph::TypePlan* other) {
  if (&plan == other) return true;
  if (other == nullptr || plan.type_index >= 0 || other->type_index >= 0) return false;
  return schema::SameDescription(*plan.descriptor, *other->descriptor);
}

bool SameValue(const TVMFFIAny& a, const TVMFFIAny& b) {
  const ValueClass cls = Classify(a.type_index);
  if (cls != Classify(b.type_index)) return false;
  if (cls == ValueClass::kOpaque) return a.type_index == b.type_index && a.v_uint64 == b.v_uint64;
  return LeafEqual(a, b, cls, false);
}

uint64_t ValueHash(const TVMFFIAny& value, ValueClass cls, bool skip_tensor_content) {
  const Digest digest = LeafDigest(value, cls, skip_tensor_content);
  return digest.low + digest.high * 0x9E3779B97F4A7C15u;
}

bool SameLeafPart(const TVMFFIAny& part, ValueClass cls, const TVMFFIAny& other, bool skip_tensor_content) {
  if (part.type_index != other.type_index || !LeafEqual(part, other, cls, skip_tensor_content)) return false;
  if (cls != ValueClass::kTensor) return true;
  const DLDevice& a = graph::TensorOf(part).device;
  const DLDevice& b = graph::TensorOf(other).device;
  return a.device_type == b.device_type && a.device_id == b.device_id;
}

bool IsReadable(const TVMFFIAny& part, ValueClass cls, bool skip_tensor_content) {
  return cls != ValueClass::kTensor || skip_tensor_content || graph::TensorRefOf(part).IsOnHost();
}

}  // namespace transom::structural
