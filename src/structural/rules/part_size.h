/*
 * Which parts are large enough to be found again elsewhere, and which small enough to be looked at often.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_RULES_PART_SIZE_H_
#define TRANSOM_SRC_STRUCTURAL_RULES_PART_SIZE_H_

#include <vector>

#include "structural/rules/comparable.h"

namespace transom::structural {

/*!
 * \brief Whether a value is an object or container of at least 4 nodes, itself included: what a JSON graph has as
 * nodes, so plain values in fields do not count. Constants and variables do not move; they are written anew.
 */
inline bool IsWorthMoving(const TVMFFIAny& value, graph::PlanTable& plans, graph::Keeper& keeper) {
  constexpr size_t kMinNodes = 4;
  const graph::ValueClass cls = graph::Classify(value.type_index);
  if (!graph::HasChildren(cls)) return false;
  if (cls == graph::ValueClass::kObject && plans.Of(value.v_obj).kind == StructuralKind::kFreeVar) return false;
  std::vector<TVMFFIAny> nodes{value};
  for (size_t i = 0; i < nodes.size() && nodes.size() < kMinNodes; ++i) {
    const TVMFFIAny parent = nodes[i];
    ForEachCountedChild(parent, plans, keeper, [&](const TVMFFIAny& child, const graph::FieldPlan* field) {
      const bool in_place = field != nullptr && graph::Classify(child.type_index) == graph::ValueClass::kScalar;
      if (!in_place && nodes.size() < kMinNodes) nodes.push_back(child);
    });
  }
  return nodes.size() >= kMinNodes;
}

/*! \brief Whether a value has children, and few enough values below it to be looked at again and again. */
inline bool IsSmall(const TVMFFIAny& value, graph::PlanTable& plans, graph::Keeper& keeper) {
  constexpr size_t kMaxValues = 256;
  if (!graph::HasChildren(graph::Classify(value.type_index))) return false;
  std::vector<TVMFFIAny> values{value};
  for (size_t i = 0; i < values.size() && values.size() <= kMaxValues; ++i) {
    const TVMFFIAny holder = values[i];
    ForEachCountedChild(holder, plans, keeper, [&](const TVMFFIAny& child, const graph::FieldPlan*) {
      if (values.size() <= kMaxValues) values.push_back(child);
    });
  }
  return values.size() <= kMaxValues;
}

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_RULES_PART_SIZE_H_
