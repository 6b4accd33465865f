/*
 * The children of one value, without a walk.
 */
#ifndef TRANSOM_SRC_GRAPH_CHILDREN_H_
#define TRANSOM_SRC_GRAPH_CHILDREN_H_

#include <vector>

#include "graph/type_plan.h"
#include "graph/value.h"

namespace transom::graph {

/*! \brief Calls `fn(child, field)` for each child: elements; keys and values; all fields (then `field` is its plan, else null). */
template <class Fn>
void ForEachChild(const TVMFFIAny& value, PlanTable& plans, Keeper& keeper, Fn&& fn) {
  const FieldPlan* no_field = nullptr;
  switch (Classify(value.type_index)) {
    case ValueClass::kSequence: {
      const TVMFFISeqCell& cell = SequenceOf(value);
      for (int64_t i = 0; i < cell.size; ++i) fn(ItemsOf(cell)[i], no_field);
      return;
    }
    case ValueClass::kMap: {
      const MapBaseObj& map = MapOf(value);
      for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos)) {
        fn(*map.KeyAt(pos).raw(), no_field);
        fn(*map.ValueAt(pos).raw(), no_field);
      }
      return;
    }
    case ValueClass::kObject: {
      const TypePlan& plan = plans.Of(value.v_obj);
      if (plan.custom_data) return;
      for (const FieldPlan& field : plan.fields) fn(ReadField(value.v_obj, field, keeper), &field);
      return;
    }
    default:
      return;
  }
}

/*!
 * \brief Goes down from `stack` without an order: `enter(value)` says of each value with children that is met whether to
 * look into it, which is once per object, or the way has no end where there are cycles. `children(value, fn)` calls `fn`
 * as ForEachChild does.
 */
template <class Enter, class Children>
void GoDown(std::vector<TVMFFIAny> stack, Enter&& enter, Children&& children) {
  while (!stack.empty()) {
    const TVMFFIAny value = stack.back();
    stack.pop_back();
    if (!HasChildren(Classify(value.type_index)) || !enter(value)) continue;
    children(value, [&](const TVMFFIAny& child, const FieldPlan*) { stack.push_back(child); });
  }
}

}  // namespace transom::graph
#endif  // TRANSOM_SRC_GRAPH_CHILDREN_H_
