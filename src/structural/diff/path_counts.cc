#include "structural/diff/path_counts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "graph/fold.h"
#include "graph/saturating.h"
#include "structural/rules/comparable.h"
#include "structural/rules/diff_scope.h"

namespace transom::structural {
namespace {

using graph::FoldFrame;
using graph::ValueClass;

// Notes the objects in post-order; every object after all it leads to.
struct OrderVisitor {
  struct Result {};
  static constexpr bool kKeysFirst = false;

  Result Leaf(const TVMFFIAny&, ValueClass) { return {}; }
  Result Custom(const TVMFFIAny&, const graph::TypePlan&, std::string_view) { return {}; }
  void Enter(FoldFrame& frame) { frame.Visit(CountedFields(*frame.plan, frame.value.v_obj, keeper)); }
  Result Leave(FoldFrame& frame, const Result*) {
    order.push_back(frame.value);
    return {};
  }

  graph::Keeper keeper;
  std::vector<TVMFFIAny> order;
};

std::vector<TVMFFIAny> ParentsFirst(graph::PlanTable& plans, const TVMFFIAny& root) {
  OrderVisitor visitor;
  graph::Fold<OrderVisitor>(plans, visitor).Run(root);
  std::reverse(visitor.order.begin(), visitor.order.end());
  return std::move(visitor.order);
}

// Notes which objects lead to which, by their places in post-order, plus 1.
struct PlaceVisitor {
  using Result = uint32_t;  // 0: nothing that has parts
  static constexpr bool kKeysFirst = false;

  Result Leaf(const TVMFFIAny&, ValueClass) { return 0; }
  Result Custom(const TVMFFIAny& value, const graph::TypePlan&, std::string_view) { return Add(value.v_obj); }
  void Enter(FoldFrame& frame) { frame.Visit(CountedFields(*frame.plan, frame.value.v_obj, keeper)); }
  Result Leave(FoldFrame& frame, const Result* children) {
    for (uint64_t i = 0; i < frame.count; ++i) {
      if (children[i] != 0) parts.push_back(children[i]);
    }
    return Add(frame.value.v_obj);
  }
  Result Add(const TVMFFIObject* object) {
    ends.push_back(parts.size());
    const auto place = static_cast<uint32_t>(ends.size());
    if (uint32_t* found = asked.Find(object)) *found = place;
    return place;
  }

  // Of all places. Every object comes after all it leads to, the root is last.
  std::vector<uint64_t> Counts() const {
    std::vector<uint64_t> counts(ends.size());
    if (!counts.empty()) counts.back() = 1;
    for (size_t i = ends.size(); i-- > 0;) {
      for (size_t k = i != 0 ? ends[i - 1] : 0; k < ends[i]; ++k) {
        uint64_t& of_part = counts[parts[k] - 1];
        of_part = graph::SaturatingAdd(of_part, counts[i]);
      }
    }
    return counts;
  }

  graph::Keeper keeper;
  graph::PointerMap<uint32_t> asked;
  std::vector<uint32_t> parts;  // of all objects, one after the other
  std::vector<size_t> ends;     // where the parts of each end
};

}  // namespace

PathCounts::PathCounts(graph::PlanTable& plans, const TVMFFIAny& root, const std::vector<const TVMFFIObject*>& asked) {
  PlaceVisitor visitor;
  for (const TVMFFIObject* object : asked) {
    if (object != nullptr) visitor.asked.Insert(object);
  }
  if (visitor.asked.size() == 0) return;
  graph::Fold<PlaceVisitor>(plans, visitor).Run(root);
  const std::vector<uint64_t> counts = visitor.Counts();
  for (const TVMFFIObject* object : asked) {
    const uint32_t* place = object != nullptr ? visitor.asked.Find(object) : nullptr;
    if (place != nullptr && *place != 0) *counts_.Insert(object).first = counts[*place - 1];
  }
}

uint64_t PathCounts::Of(const TVMFFIObject* obj) const {
  const uint64_t* count = obj != nullptr ? counts_.Find(obj) : nullptr;
  return count != nullptr ? *count : 1;
}

PathCountsInScope::PathCountsInScope(graph::PlanTable& plans, PathScope& paths, const TVMFFIAny& root) : paths_(paths) {
  const std::vector<TVMFFIAny> order = ParentsFirst(plans, root);
  if (order.empty()) return;
  graph::Keeper keeper;
  (*counts_.Insert(root.v_obj).first)[paths.Root()] = 1;
  for (const TVMFFIAny& value : order) {
    const Counts here = *counts_.Insert(value.v_obj).first;
    for (const auto& [state, count] : here) {
      ForEachChildInScope(value, state, paths, plans, keeper,
                          [&, n = count](const TVMFFIAny& child, PathScope::State at, const graph::FieldPlan*, bool) {
                            if (!graph::HasChildren(graph::Classify(child.type_index))) return;
                            uint64_t& of_child = (*counts_.Insert(child.v_obj).first)[at];
                            of_child = graph::SaturatingAdd(of_child, n);
                          });
    }
  }
}

PathScope::State PathCountsInScope::After(PathScope::State state, const graph::Step& step) {
  switch (step.kind) {
    case graph::StepKind::kAttr:
    case graph::StepKind::kAttrMissing:
      return paths_.Field(state, step.name);
    case graph::StepKind::kItem:
    case graph::StepKind::kItemMissing:
      return paths_.Item(state, step.index, step.index);
    default: {
      const SideStep entry{std::max<int64_t>(step.index, 0), step.key.raw()};
      return paths_.Entry(state, entry, entry);
    }
  }
}

uint64_t PathCountsInScope::Of(const TVMFFIObject* holder, const graph::Step& part) {
  const Counts* here = holder != nullptr ? counts_.Find(holder) : nullptr;
  uint64_t asked = 0, others = 0;  // others: of what went with something above a place that is asked for
  for (const auto& [state, count] : here != nullptr ? *here : Counts()) {
    const PathScope::State at = After(state, part);
    uint64_t& sum = paths_.Outside(at) ? others : asked;
    if (!paths_.Ignored(at)) sum = graph::SaturatingAdd(sum, count);
  }
  return std::max<uint64_t>(asked != 0 ? asked : others, 1);
}

}  // namespace transom::structural
