#include "structural/diff/identity_conflicts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "graph/fold.h"
#include "structural/rules/bound_variables.h"
#include "structural/rules/comparable.h"
#include "structural/rules/fixed_objects.h"

namespace transom::structural {
namespace {

using graph::FoldFrame;
using graph::ValueClass;

// Notes the objects that are of a set, or hold one that is.
struct HolderFinder {
  using Result = bool;
  static constexpr bool kKeysFirst = false;
  static constexpr bool kFieldsOnly = true;

  bool Leaf(const TVMFFIAny&, ValueClass) { return false; }
  bool Custom(const TVMFFIAny&, const graph::TypePlan&, std::string_view) { return false; }
  void Enter(FoldFrame& frame) { frame.Visit(CountedFields(*frame.plan, frame.value.v_obj, keeper)); }
  bool Leave(FoldFrame& frame, const bool* children) {
    const bool holds = holders.Find(frame.value.v_obj) != nullptr ||
                       std::any_of(children, children + frame.count, [](bool child) { return child; });
    if (holds) holders.Insert(frame.value.v_obj);
    return holds;
  }

  graph::PointerMap<uint8_t>& holders;
  graph::Keeper keeper;
};

}  // namespace

void IdentityConflicts::Find(graph::PlanTable& plans, const StructuralOptions& options, const TVMFFIAny& old_root,
                             const TVMFFIAny& new_root, const Correspondence& found) {
  if (options.as_files || options.map_free_vars) return;
  std::vector<TVMFFIAny> variables, keys;
  const std::vector<Any> unbound = UnboundObjects(plans, new_root);
  for (const Any& object : unbound) {
    const bool is_variable = plans.Of(object.raw()->v_obj).kind == StructuralKind::kFreeVar;
    (is_variable ? variables : keys).push_back(*object.raw());
  }
  if (!variables.empty()) {
    // A map binds keys of some types, wherever they are met.
    const BoundVariables bound_there(plans, new_root, options), bound_here(plans, old_root, options);
    for (const TVMFFIAny& variable : variables) {
      if (PairsByFields(plans.Of(variable.v_obj)) && bound_there.Contains(variable.v_obj)) continue;
      unbound_.Insert(variable.v_obj);
      if (bound_here.Contains(variable.v_obj)) holders_.Insert(variable.v_obj);
    }
    for (const PairRecord& pair : found.pairs) {
      if (pair.lhs != pair.rhs && StaysItself(pair.rhs)) holders_.Insert(pair.lhs);
    }
  }
  if (!keys.empty()) {
    graph::Keeper keeper;
    graph::PointerMap<uint8_t> own;  // of the new graph, what its keys are and lead to
    GoDownCounted(std::move(keys), plans, keeper,
                  [&](const TVMFFIAny& value) { return own.Insert(value.v_obj).second; });
    for (const PairRecord& pair : found.pairs) {
      const bool is_key = own.Find(pair.rhs) != nullptr || own.Find(pair.lhs) != nullptr;
      if (pair.lhs != pair.rhs && is_key) holders_.Insert(pair.lhs);
    }
  }
  if (holders_.size() == 0) return;
  HolderFinder finder{holders_, {}};
  graph::Fold<HolderFinder>(plans, finder).Run(old_root);
}

}  // namespace transom::structural
