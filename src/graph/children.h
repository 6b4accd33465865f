/*
 * The children of one value, without a walk.
 */
#ifndef TRANSOM_SRC_GRAPH_CHILDREN_H_
#define TRANSOM_SRC_GRAPH_CHILDREN_H_

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

}  // namespace transom::graph
#endif  // TRANSOM_SRC_GRAPH_CHILDREN_H_
