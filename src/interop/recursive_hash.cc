// ffi.RecursiveHash: hash by content of what ffi.RecursiveEq calls equal.
#include <transom/reflection/registry.h>
#include <transom/runtime/any_hash.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "graph/fold.h"
#include "graph/hook.h"
#include "interop/field_lists.h"
#include "structural/rules/hook_lease.h"

namespace transom::interop {
namespace {

using graph::FoldFrame;
using graph::ValueClass;
using transom::detail::HashCombine;

uint64_t TypeHash(const TVMFFIAny& value) { return TVMFFIGetTypeInfo(value.type_index)->type_key_hash; }

// Equal numbers have equal bits: one zero, one NaN.
uint64_t FloatBits(double value) {
  TVMFFIAny bits = graph::NoneValue();
  bits.v_float64 = std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value == 0 ? 0.0 : value;
  return bits.v_uint64;
}

uint64_t Chain(uint64_t hash, std::initializer_list<int64_t> parts) {
  for (const int64_t part : parts) hash = HashCombine(hash, static_cast<uint64_t>(part));
  return hash;
}

uint64_t ScalarHash(const TVMFFIAny& value) {
  switch (value.type_index) {
    case kTVMFFIBool:
      return HashCombine(kTVMFFIBool, value.v_int64 != 0 ? 1 : 0);
    case kTVMFFIFloat:
      return HashCombine(kTVMFFIFloat, FloatBits(value.v_float64));
    case kTVMFFIDataType:
      return Chain(kTVMFFIDataType, {value.v_dtype.code, value.v_dtype.bits, value.v_dtype.lanes});
    case kTVMFFIDevice:
      return Chain(kTVMFFIDevice, {value.v_device.device_type, value.v_device.device_id});
    default:
      return HashCombine(static_cast<uint64_t>(value.type_index), value.v_uint64);
  }
}

uint64_t ShapeHash(const TVMFFIAny& value) {
  const TVMFFIShapeCell& shape = graph::ShapeOf(value);
  uint64_t hash = HashCombine(TypeHash(value), shape.size);
  for (size_t i = 0; i < shape.size; ++i) hash = HashCombine(hash, static_cast<uint64_t>(shape.data[i]));
  return hash;
}

class Hasher {
 public:
  using Result = uint64_t;
  static constexpr bool kKeysFirst = false;
  static constexpr bool kRunsForeignCode = true;  // hooks of types
  static constexpr bool kFieldsOnly = true;

  Hasher() : fields_(kTVMFFIFieldFlagBitMaskHashOff | kTVMFFIFieldFlagBitMaskCompareOff), fold_(plans_, *this) {}
  uint64_t Run(const TVMFFIAny& root) { return fold_.Run(root); }

  // For the walk.
  uint64_t Leaf(const TVMFFIAny& value, ValueClass cls);
  uint64_t Custom(const TVMFFIAny& value, const graph::TypePlan&, std::string_view) { return TypeHash(value); }
  bool Whole(FoldFrame& frame, uint64_t* result);
  void Enter(FoldFrame& frame) { frame.Visit(fields_.Of(*frame.plan)); }
  uint64_t Leave(FoldFrame& frame, uint64_t* children);
  uint64_t Again(const TVMFFIAny& value) { return TypeHash(value); }
  bool RememberAll() { return true; }

 private:
  uint64_t OpaqueObject(const TVMFFIAny& value);
  int64_t HashForHook(const Any& value) { return static_cast<int64_t>(fold_.Run(fold_.keeper().Keep(value))); }

  FieldLists fields_;
  graph::PlanTable plans_;
  graph::Fold<Hasher> fold_;
};

uint64_t Hasher::Leaf(const TVMFFIAny& value, ValueClass cls) {
  switch (cls) {
    case ValueClass::kScalar:
      return ScalarHash(value);
    case ValueClass::kString:
    case ValueClass::kBytes:
      return AnyHash()(&value);
    case ValueClass::kShape:
      return ShapeHash(value);
    case ValueClass::kBigInt: {
      const TVMFFIByteArray words = TVMFFIBigIntGetContentByteArray(&value);
      return transom::detail::HashBytes(words.data, words.size);
    }
    default:
      return graph::IsObject(value) ? OpaqueObject(value) : ScalarHash(value);
  }
}

// Objects that walks do not look into may still describe fields, as modules do.
uint64_t Hasher::OpaqueObject(const TVMFFIAny& value) {
  uint64_t hash = TypeHash(value);
  const Object* object = transom::detail::ObjectAccess::FromHeader(value.v_obj);
  reflection::ForEachField(TVMFFIGetTypeInfo(value.type_index), [&](const TVMFFIFieldInfo* field) {
    constexpr int64_t kOff = kTVMFFIFieldFlagBitMaskHashOff | kTVMFFIFieldFlagBitMaskCompareOff;
    if ((field->flags & kOff) != 0) return;
    hash = HashCombine(hash, fold_.Run(fold_.keeper().Keep(reflection::GetField(object, field))));
  });
  return hash;
}

bool Hasher::Whole(FoldFrame& frame, uint64_t* result) {
  const int32_t type_index = frame.plan->type_index;
  if (type_index < 0) return false;
  const std::optional<Function> hook = graph::FunctionHookOf(type_index, "__ffi_hash__");
  if (!hook.has_value()) {
    TRANSOM_CHECK(
        graph::AttrOf(type_index, "__ffi_eq__") == nullptr && graph::AttrOf(type_index, "__ffi_compare__") == nullptr,
        ValueError)
        << "RecursiveHash: type '" << frame.plan->key
        << "' defines __ffi_eq__ or __ffi_compare__ but not __ffi_hash__; add a `__ffi_hash__` hook that gives equal "
           "objects equal hashes";
    return false;
  }
  const structural::HookLease<Hasher> lease(this, "__ffi_hash__");
  const Function hash = Function::FromTyped(
      [hasher = lease.get()](const Any& value) { return (*hasher).HashForHook(value); }, "__ffi_hash__ callback");
  *result = static_cast<uint64_t>((*hook)(AnyView::FromRaw(frame.value), hash).cast<int64_t>());
  return true;
}

uint64_t Hasher::Leave(FoldFrame& frame, uint64_t* children) {
  if (frame.cls == ValueClass::kObject) {
    uint64_t hash = frame.plan->type_index < 0 ? frame.plan->seed : TypeHash(frame.value);
    for (uint64_t i = 0; i < frame.count; ++i) hash = HashCombine(hash, children[i]);
    return hash;
  }
  const bool is_map = frame.cls == ValueClass::kMap;
  const uint64_t count = is_map ? frame.count / 2 : frame.count;
  uint64_t hash = HashCombine(TypeHash(frame.value), count);
  if (is_map) {
    // Entries in the order of their hashes: that of the map does not matter.
    for (uint64_t i = 0; i < count; ++i) children[i] = HashCombine(children[2 * i], children[2 * i + 1]);
    std::sort(children, children + count);
    for (uint64_t i = 0; i < count; ++i) hash = HashCombine(hash, children[i]);
  } else {
    for (uint64_t i = 0; i < count; ++i) hash = HashCombine(hash, HashCombine(children[i], i));
  }
  return hash;
}

int64_t RecursiveHash(const Any& value) { return static_cast<int64_t>(Hasher().Run(*value.raw())); }

TRANSOM_STATIC_INIT_BLOCK() {
  reflection::GlobalDef().def("ffi.RecursiveHash", &RecursiveHash, "Hash of a value by everything in it.");
}

}  // namespace
}  // namespace transom::interop
