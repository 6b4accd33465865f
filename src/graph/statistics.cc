#include <transom/graph/statistics.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/fold.h"
#include "graph/pointer_map.h"

namespace transom {
namespace {

using namespace graph;  // NOLINT: this file is that namespace's front

uint64_t SaturatingAdd(uint64_t a, uint64_t b) {
  return a > std::numeric_limits<uint64_t>::max() - b ? std::numeric_limits<uint64_t>::max() : a + b;
}

// Small maps are an array of pairs; from the bit on that says otherwise, blocks of 16 slots.
uint64_t MapBytes(const TVMFFIAny& v) {
  constexpr size_t kSlotsOffset = 40, kHeader = 56, kPair = 32, kDenseHeader = 80, kSlotsPerBlock = 16, kBlock = 784;
  constexpr uint64_t kSmall = uint64_t{1} << 63;
  uint64_t slots;
  std::memcpy(&slots, reinterpret_cast<const char*>(v.v_obj) + kSlotsOffset, sizeof(slots));
  if ((slots & kSmall) != 0) return kHeader + (slots & ~kSmall) * kPair;
  return kDenseHeader + (slots + kSlotsPerBlock - 1) / kSlotsPerBlock * kBlock;
}

// Memory of a heap object of a built-in type, by the layouts of the C contract.
uint64_t BuiltinBytes(const TVMFFIAny& v, ValueClass cls) {
  switch (cls) {
    case ValueClass::kString:
    case ValueClass::kBytes:
      return sizeof(TVMFFIObject) + sizeof(TVMFFIByteArray) + TextOf(v).size() + 1;
    case ValueClass::kShape:
      return sizeof(ShapeObj) + ShapeOf(v).size * sizeof(int64_t);
    case ValueClass::kTensor: {
      const Tensor tensor = TensorRefOf(v);
      return sizeof(TensorObj) + 2 * static_cast<uint64_t>(tensor->ndim) * sizeof(int64_t) + tensor.NumBytes();
    }
    case ValueClass::kBigInt: {
      const TVMFFIByteArray words = TVMFFIBigIntGetContentByteArray(&v);
      return sizeof(BigIntObj) + words.size;
    }
    case ValueClass::kSequence:
      return sizeof(TVMFFIObject) + sizeof(TVMFFISeqCell) +
             static_cast<uint64_t>(SequenceOf(v).capacity) * sizeof(TVMFFIAny);
    case ValueClass::kMap:
      return MapBytes(v);
    default:
      return sizeof(TVMFFIObject);
  }
}

uint64_t InstanceBytes(const TVMFFIObject* obj, const TypePlan& plan) {
  if (plan.type_index < 0) return plan.descriptor->instance_size;
  const TVMFFITypeMetadata* metadata = TVMFFIGetTypeInfo(obj->type_index)->metadata;
  return metadata != nullptr && metadata->total_size > 0 ? static_cast<uint64_t>(metadata->total_size)
                                                         : sizeof(TVMFFIObject);
}

class Counter {
 public:
  struct Result {
    int64_t object = -1;  // number of an object, -1: a plain value or string
    uint64_t depth = 0;   // longest path below
    uint64_t size = 0;    // values in the unfolded tree; None has none
  };
  static constexpr bool kKeysFirst = false;

  Result Leaf(const TVMFFIAny& value, ValueClass cls) {
    if (cls == ValueClass::kScalar || cls == ValueClass::kString || cls == ValueClass::kBytes)
      return LeafValue(value, cls);
    if (!IsObject(value)) {
      ++Of(TypeKeyOf(value)).count;
      return {-1, 0, 1};
    }
    auto [number, is_new] = leaf_numbers_.Insert(value.v_obj);
    if (is_new) {
      *number = NewObject(TypeKeyOf(value), BuiltinBytes(value, cls));
      if (cls == ValueClass::kTensor) {
        ++stats_.tensors;
        stats_.tensor_bytes += TensorRefOf(value).NumBytes();
      }
    }
    return {*number, 0, 1};
  }

  Result Custom(const TVMFFIAny& value, const TypePlan& plan, std::string_view json) {
    return {NewObject(plan.key, InstanceBytes(value.v_obj, plan) + json.size()), 0, 1};
  }

  void Enter(FoldFrame& frame) {
    frame.list = frame.plan->all.data();
    frame.count = frame.plan->all.size();
  }

  Result Leave(FoldFrame& frame, Result* children) {
    Result result{0, 0, 1};
    for (uint64_t i = 0; i < frame.count; ++i) {
      const Result& child = children[i];
      if (child.size == 0) continue;
      ++stats_.edges;
      result.size = SaturatingAdd(result.size, child.size);
      result.depth = std::max(result.depth, child.depth + 1);
      if (child.object < 0) continue;
      uint8_t& uses = uses_[static_cast<size_t>(child.object)];
      if (uses == 1) ++stats_.shared;
      if (uses < 2) ++uses;
    }
    const bool object = frame.cls == ValueClass::kObject;
    result.object = object ? NewObject(frame.plan->key, InstanceBytes(frame.value.v_obj, *frame.plan))
                           : NewObject(TypeKeyOf(frame.value), BuiltinBytes(frame.value, frame.cls));
    return result;
  }

  GraphStatistics Finish(const Result& root) {
    stats_.max_depth = root.depth;
    stats_.tree_size = root.size;
    std::sort(stats_.types.begin(), stats_.types.end(), [](const TypeCount& a, const TypeCount& b) {
      if (a.bytes != b.bytes) return a.bytes > b.bytes;
      if (a.count != b.count) return a.count > b.count;
      return a.type_key < b.type_key;
    });
    return std::move(stats_);
  }

 private:
  Result LeafValue(const TVMFFIAny& value, ValueClass cls) {
    TypeCount& type = Of(TypeKeyOf(value));
    ++type.count;
    if (value.type_index == kTVMFFINone) return {};
    if (IsObject(value) && leaf_numbers_.Insert(value.v_obj).second) type.bytes += BuiltinBytes(value, cls);
    return {-1, 0, 1};
  }

  TypeCount& Of(std::string_view key) {
    const auto [it, is_new] = index_.emplace(key, stats_.types.size());
    if (is_new) stats_.types.emplace_back().type_key = std::string(key);
    return stats_.types[it->second];
  }

  int64_t NewObject(std::string_view key, uint64_t bytes) {
    TypeCount& type = Of(key);
    ++type.count;
    type.bytes += bytes;
    ++stats_.objects;
    uses_.push_back(0);
    return static_cast<int64_t>(uses_.size()) - 1;
  }

  GraphStatistics stats_;
  std::unordered_map<std::string_view, size_t> index_;  // of stats_.types; keys live as long as the types
  PointerMap<int64_t> leaf_numbers_;
  std::vector<uint8_t> uses_;  // by object: 0, 1, or 2 for more
};

}  // namespace

GraphStatistics Statistics(AnyView value) {
  PlanTable plans;
  Counter counter;
  Fold<Counter> fold(plans, counter);
  return counter.Finish(fold.Run(*value.raw()));
}

}  // namespace transom
