/*
 * What comparison asks of a type, and which fields it looks at: the same for digests, equality and diff.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_RULES_COMPARABLE_H_
#define TRANSOM_SRC_STRUCTURAL_RULES_COMPARABLE_H_

#include <transom/runtime/error.h>
#include <transom/structural/options.h>

#include <utility>
#include <vector>

#include "graph/children.h"
#include "graph/path.h"
#include "graph/type_plan.h"

namespace transom::structural {

using graph::StructuralKind;

/*! \brief Fields of an object that count, in the order of comparison: `compare`, or what `compare_if` says instead. */
inline const std::vector<uint16_t>& CountedFields(const graph::TypePlan& plan, const TVMFFIObject* obj,
                                                  graph::Keeper& keeper) {
  if (plan.compare_if_field < 0) return plan.compare;
  const TVMFFIAny v = graph::ReadField(obj, plan.fields[static_cast<size_t>(plan.compare_if_field)], keeper);
  return graph::IsInstanceOf(v, plan.compare_if_type) ? plan.compare_then : plan.compare;
}

/*! \brief Calls `fn(child, field)` for each child that comparison looks at; as graph::ForEachChild otherwise. */
template <class Fn>
void ForEachCountedChild(const TVMFFIAny& value, graph::PlanTable& plans, graph::Keeper& keeper, Fn&& fn) {
  if (graph::Classify(value.type_index) != graph::ValueClass::kObject)
    return graph::ForEachChild(value, plans, keeper, fn);
  const graph::TypePlan& plan = plans.Of(value.v_obj);
  if (plan.custom_data) return;
  for (const uint16_t i : CountedFields(plan, value.v_obj, keeper)) {
    fn(graph::ReadField(value.v_obj, plan.fields[i], keeper), &plan.fields[i]);
  }
}

/*! \brief graph::GoDown by the children that comparison looks at. */
template <class Enter>
void GoDownCounted(std::vector<TVMFFIAny> stack, graph::PlanTable& plans, graph::Keeper& keeper, Enter&& enter) {
  graph::GoDown(std::move(stack), enter,
                [&](const TVMFFIAny& value, const auto& fn) { ForEachCountedChild(value, plans, keeper, fn); });
}

/*! \brief What becomes of types that compare by code of their own. */
enum class Hooks : uint8_t { kRefuse, kRun };

/*! \brief Whether objects of the type compare by code of its own: native ones of a type with a hook that no "compare"
 * describes. */
inline bool ComparesByHook(const graph::TypePlan& plan) { return plan.hook && plan.type_index >= 0; }

/*! \brief Throws the TypeError of CheckComparable about a type that compares by a hook or has no structural kind. */
[[noreturn, gnu::noinline]] inline void RefuseToCompare(const graph::TypePlan& plan, bool by_hook,
                                                        const graph::Path& path) {
  if (by_hook) {
    TRANSOM_THROW(TypeError) << graph::PathText(path, true) << ": type " << plan.key
                             << " compares by code of its own; give a schema whose \"compare\" says which fields count";
  }
  TRANSOM_THROW(TypeError) << graph::PathText(path, true) << ": type " << plan.key
                           << " has no structural kind; declare one where the type is registered, or in its schema";
}

/*! \brief Throws TypeError unless objects of the type can be compared under the options. `path` makes the place's path.
 */
template <class MakePath>
void CheckComparable(const graph::TypePlan& plan, const StructuralOptions& options, Hooks hooks, MakePath&& path) {
  const bool refused_hook = hooks == Hooks::kRefuse && ComparesByHook(plan);
  if (refused_hook || (plan.kind == StructuralKind::kNone && !options.as_files))
    RefuseToCompare(plan, refused_hook, path());
}

/*! \brief What becomes of values that are nothing but an address or code. The C contract compares pointers by their
 * bits and has a TypeError for functions and the like. */
enum class Opaque : uint8_t { kRefuse, kPointersCompare };

/*! \brief CheckLeaf of what may not be comparable: kOpaque, kTensor. */
template <class MakePath>
[[gnu::noinline]] void CheckRareLeaf(const TVMFFIAny& value, graph::ValueClass cls, const StructuralOptions& options,
                                     Opaque opaque, MakePath&& path) {
  if (cls == graph::ValueClass::kOpaque && opaque == Opaque::kPointersCompare) {
    TRANSOM_CHECK(!graph::IsObject(value), TypeError)
        << graph::PathText(path(), true) << ": type " << graph::TypeKeyOf(value)
        << " has no structural kind, so its values cannot be compared";
    return;
  }
  if (cls == graph::ValueClass::kOpaque) {
    TRANSOM_THROW(ValueError) << graph::PathText(path(), true) << ": values of type " << graph::TypeKeyOf(value)
                              << " have no structure to compare; ignore the field that holds it";
  }
  if (cls == graph::ValueClass::kTensor && !options.skip_tensor_content && !graph::TensorRefOf(value).IsOnHost()) {
    TRANSOM_THROW(ValueError)
        << graph::PathText(path(), true)
        << ": a tensor that is not on the CPU; copy it there first, or skip the content of tensors";
  }
}

/*! \brief Throws ValueError for a value without children that cannot be compared. `path` makes the place's path. */
template <class MakePath>
void CheckLeaf(const TVMFFIAny& value, graph::ValueClass cls, const StructuralOptions& options, Opaque opaque,
               MakePath&& path) {
  if (cls == graph::ValueClass::kOpaque || cls == graph::ValueClass::kTensor)
    CheckRareLeaf(value, cls, options, opaque, path);
}

/*! \brief Kinds as comparison takes them: in files, types without a kind are trees and unique instances pair like dag
 * nodes. */
inline StructuralKind EffectiveKind(const graph::TypePlan& plan, const StructuralOptions& options) {
  if (!options.as_files) return plan.kind;
  if (plan.kind == StructuralKind::kNone) return StructuralKind::kTree;
  return plan.kind == StructuralKind::kUnique ? StructuralKind::kDag : plan.kind;
}

/*! \brief Whether objects of the kind are told apart although they are equal in content. */
inline bool HasIdentity(StructuralKind kind) {
  return kind == StructuralKind::kFreeVar || kind == StructuralKind::kDag || kind == StructuralKind::kUnique;
}

/*! \brief Whether a map key of this free-variable type pairs by its fields (a global symbol by its name). */
inline bool PairsByFields(const graph::TypePlan& plan) {
  return plan.kind == StructuralKind::kFreeVar && plan.descriptor != nullptr && plan.descriptor->has_compare;
}

/*! \brief Region of a key of a map in `region`: a map binds the variables among its keys that pair by their fields. */
inline graph::DefRegion KeyRegion(graph::PlanTable& plans, graph::DefRegion region, const TVMFFIAny& key) {
  if (region != graph::DefRegion::kNone || graph::Classify(key.type_index) != graph::ValueClass::kObject) return region;
  return PairsByFields(plans.Of(key.v_obj)) ? graph::DefRegion::kSimple : region;
}

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_RULES_COMPARABLE_H_
