#include <transom/graph/statistics.h>

#include <cstring>
#include <string_view>
#include <vector>

#include "graph/fold.h"
#include "graph/pointer_map.h"
#include "graph/statistics_counter.h"

namespace transom {
namespace {

using namespace graph;  // NOLINT: this file is that namespace's front

// Memory of a heap object of a built-in type, by the layouts of the C contract.
uint64_t BuiltinBytes(const TVMFFIAny& v, ValueClass cls) {
  constexpr size_t kMapSlotsOffset = 40;
  uint64_t slots;
  switch (cls) {
    case ValueClass::kString:
    case ValueClass::kBytes:
      return TextBytes(TextOf(v).size());
    case ValueClass::kShape:
      return ShapeBytes(ShapeOf(v).size);
    case ValueClass::kTensor:
      return TensorBytes(static_cast<uint64_t>(TensorOf(v).ndim), TensorRefOf(v).NumBytes());
    case ValueClass::kBigInt:
      return BigIntBytes(TVMFFIBigIntGetContentByteArray(&v).size);
    case ValueClass::kSequence:
      return SequenceBytes(static_cast<uint64_t>(SequenceOf(v).capacity));
    case ValueClass::kMap:
      std::memcpy(&slots, reinterpret_cast<const char*>(v.v_obj) + kMapSlotsOffset, sizeof(slots));
      return MapBytes(slots);
    default:
      return sizeof(TVMFFIObject);
  }
}

class Counter {
 public:
  using Result = StatisticsCounter::Result;
  static constexpr bool kKeysFirst = false;

  Result Leaf(const TVMFFIAny& value, ValueClass cls) {
    const std::string_view key = TypeOf(value.type_index).key;
    if (cls == ValueClass::kScalar || cls == ValueClass::kString || cls == ValueClass::kBytes) {
      const bool is_new = IsObject(value) && leaves_.Insert(value.v_obj).second;
      return counter_.Place(key, value.type_index == kTVMFFINone, is_new ? BuiltinBytes(value, cls) : 0);
    }
    if (!IsObject(value)) return counter_.Place(key, false);
    auto [result, is_new] = leaves_.Insert(value.v_obj);
    if (is_new) {
      const uint64_t bytes = BuiltinBytes(value, cls);
      *result = cls == ValueClass::kTensor ? counter_.Tensor(key, bytes, TensorRefOf(value).NumBytes()) : counter_.Object(key, bytes);
    }
    return *result;
  }

  Result Custom(const TVMFFIAny& value, const TypePlan& plan, std::string_view json) {
    return counter_.Object(plan.key, InstanceBytes(value.v_obj, plan) + json.size());
  }

  void Enter(FoldFrame& frame) { frame.Visit(frame.plan->all); }

  Result Leave(FoldFrame& frame, Result* children) {
    if (frame.cls == ValueClass::kObject) {
      return counter_.Parent(frame.plan->key, InstanceBytes(frame.value.v_obj, *frame.plan), children, frame.count);
    }
    return counter_.Parent(TypeOf(frame.value.type_index).key, BuiltinBytes(frame.value, frame.cls), children,
                           frame.count);
  }

  GraphStatistics Finish(const Result& root) { return counter_.Finish(root); }

 private:
  struct RegisteredType {
    std::string_view key;
    uint64_t bytes = 0;
  };

  // The registry is asked once per type.
  const RegisteredType& TypeOf(int32_t type_index) {
    const auto i = static_cast<size_t>(type_index);
    if (i >= types_.size()) types_.resize(i + 1);
    RegisteredType& type = types_[i];
    if (type.key.empty()) {
      TVMFFIAny value = NoneValue();
      value.type_index = type_index;
      type = {TypeKeyOf(value), RegisteredBytes(type_index, sizeof(TVMFFIObject))};
    }
    return type;
  }
  uint64_t InstanceBytes(const TVMFFIObject* obj, const TypePlan& plan) {
    return plan.type_index < 0 ? plan.descriptor->instance_size : TypeOf(obj->type_index).bytes;
  }

  StatisticsCounter counter_;
  std::vector<RegisteredType> types_;  // by type index, as they are met
  PointerMap<Result> leaves_;
};

}  // namespace

GraphStatistics Statistics(AnyView value) {
  PlanTable plans;
  Counter counter;
  Fold<Counter> fold(plans, counter);
  return counter.Finish(fold.Run(*value.raw()));
}

}  // namespace transom
