#include "structural/path_counts.h"

#include <limits>
#include <vector>

#include "graph/fold.h"
#include "structural/comparable.h"

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

}  // namespace

PathCounts::PathCounts(graph::PlanTable& plans, const TVMFFIAny& root) {
  OrderVisitor visitor;
  graph::Fold<OrderVisitor>(plans, visitor).Run(root);
  if (visitor.order.empty()) return;
  graph::Keeper keeper;
  *counts_.Insert(root.v_obj).first = 1;
  for (size_t i = visitor.order.size(); i-- > 0;) {
    const TVMFFIAny& value = visitor.order[i];
    const uint64_t count = Of(value.v_obj);
    ForEachCountedChild(value, plans, keeper, [&](const TVMFFIAny& child, const graph::FieldPlan*) {
      if (!graph::HasChildren(graph::Classify(child.type_index))) return;
      uint64_t& paths = *counts_.Insert(child.v_obj).first;
      if (__builtin_add_overflow(paths, count, &paths)) paths = std::numeric_limits<uint64_t>::max();
    });
  }
}

uint64_t PathCounts::Of(const TVMFFIObject* obj) const {
  const uint64_t* count = obj != nullptr ? counts_.Find(obj) : nullptr;
  return count != nullptr ? *count : 1;
}

}  // namespace transom::structural
