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

}  // namespace

PathCounts::PathCounts(graph::PlanTable& plans, const TVMFFIAny& root) {
  const std::vector<TVMFFIAny> order = ParentsFirst(plans, root);
  if (order.empty()) return;
  graph::Keeper keeper;
  *counts_.Insert(root.v_obj).first = 1;
  for (const TVMFFIAny& value : order) {
    const uint64_t count = Of(value.v_obj);
    ForEachCountedChild(value, plans, keeper, [&](const TVMFFIAny& child, const graph::FieldPlan*) {
      if (!graph::HasChildren(graph::Classify(child.type_index))) return;
      uint64_t& of_child = *counts_.Insert(child.v_obj).first;
      of_child = graph::SaturatingAdd(of_child, count);
    });
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
