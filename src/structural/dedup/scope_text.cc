#include "structural/dedup/scope_text.h"

#include <xxhash.h>

#include <algorithm>
#include <cmath>

namespace transom::structural {
namespace {

using graph::FoldFrame;
using graph::ValueClass;

// Kinds of words beside the type indices of plain values.
enum WordKind : uint64_t {
  kStandIn = uint64_t{1} << 40,
  kNode = uint64_t{2} << 40,
  kNativeType = uint64_t{3} << 40,
  kIdentity = uint64_t{4} << 40
};

}  // namespace

const FieldOrders::Order& FieldOrders::Of(const graph::TypePlan& plan, const TVMFFIObject* object,
                                          graph::Keeper& keeper) {
  const std::vector<uint16_t>& counted = CountedFields(plan, object, keeper);
  auto [entry, is_new] = orders_.try_emplace(&counted);
  Order& order = entry->second;
  if (is_new) {
    order.fields = counted;
    order.num_counted = counted.size();
    for (const uint16_t i : plan.all) {
      if (std::find(counted.begin(), counted.end(), i) == counted.end()) order.fields.push_back(i);
    }
  }
  return order;
}

std::vector<uint64_t> ScopeText::Write(const TVMFFIAny& root) {
  words_.clear();
  nodes_ = {};  // not clear(), which costs as much as the largest part so far
  num_nodes_ = num_identities_ = 0;
  fold_.Run(root);
  return words_;
}

bool ScopeText::Known(const TVMFFIAny& value, Result* result) const {
  if (context_.IsOpen(value.v_obj)) return false;
  *result = {kStandIn, reinterpret_cast<uintptr_t>(context_.StandIn(value.v_obj))};
  return true;
}

ScopeText::Result ScopeText::Leaf(const TVMFFIAny& value, ValueClass cls) {
  switch (cls) {
    case ValueClass::kString:
      return {kTVMFFIStr, NumberOfText(graph::TextOf(value))};
    case ValueClass::kBytes:
      return {kTVMFFIBytes, NumberOfText(graph::TextOf(value))};
    case ValueClass::kScalar: {
      const bool nan = value.type_index == kTVMFFIFloat && std::isnan(value.v_float64);
      return {static_cast<uint64_t>(value.type_index), nan ? 0x7ff8000000000000u : value.v_uint64};
    }
    default:
      if (!graph::IsObject(value)) return {static_cast<uint64_t>(value.type_index), value.v_uint64};
      return {kStandIn, reinterpret_cast<uintptr_t>(context_.StandIn(value.v_obj))};
  }
}

ScopeText::Result ScopeText::Custom(const TVMFFIAny& value, const graph::TypePlan&, std::string_view) {
  return {kStandIn, reinterpret_cast<uintptr_t>(context_.StandIn(value.v_obj))};
}

uint64_t ScopeText::NumberOfText(std::string_view text) {
  return texts_.try_emplace(std::string(text), texts_.size()).first->second;
}

void ScopeText::Enter(FoldFrame& frame) {
  const FieldOrders::Order& order = orders_.Of(*frame.plan, frame.value.v_obj, fold_.keeper());
  frame.Visit(order.fields);
  // Names of variables make no difference.
  if (skip_ignored_ || frame.plan->kind == StructuralKind::kFreeVar) frame.count = order.num_counted;
}

void ScopeText::PushType(const FoldFrame& frame) {
  if (frame.plan != nullptr && frame.plan->type_index < 0) {
    words_.push_back(frame.plan->descriptor->digest[0]);
    words_.push_back(frame.plan->descriptor->digest[1]);
  } else {
    words_.push_back(kNativeType);
    words_.push_back(static_cast<uint64_t>(frame.value.type_index));
  }
}

ScopeText::Result ScopeText::Leave(FoldFrame& frame, const Result* children) {
  const size_t begin = words_.size();
  PushType(frame);
  const StructuralKind kind = frame.plan != nullptr ? frame.plan->kind : StructuralKind::kTree;
  if (kind == StructuralKind::kFreeVar || kind == StructuralKind::kDag) {
    words_.push_back(kIdentity);
    words_.push_back(num_identities_++);
  }
  words_.push_back(frame.count);
  for (uint64_t i = 0; i < frame.count; ++i) {
    words_.push_back(children[i].kind);
    words_.push_back(children[i].payload);
  }
  const size_t size = words_.size() - begin;
  const uint64_t hash = XXH3_64bits(&words_[begin], size * sizeof(uint64_t));
  const auto [first, last] = nodes_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    if (it->second.size != size || !std::equal(&words_[begin], &words_[begin] + size, &words_[it->second.begin]))
      continue;
    words_.resize(begin);
    return {kNode, it->second.number};
  }
  nodes_.emplace(hash, Node{begin, size, num_nodes_});
  return {kNode, num_nodes_++};
}

}  // namespace transom::structural
