#include "structural/diff/identity_conflicts.h"

#include <algorithm>
#include <vector>

#include "graph/fold.h"
#include "structural/rules/bound_variables.h"
#include "structural/rules/comparable.h"

namespace transom::structural {
namespace {

using graph::Classify;
using graph::FoldFrame;
using graph::ValueClass;

// What equals only itself in a graph: variables that are met before a place that binds them, dag nodes that are keys.
struct IdentityFinder {
  struct Result {};
  static constexpr bool kKeysFirst = false;
  static constexpr bool kFieldsOnly = true;

  Result Leaf(const TVMFFIAny&, ValueClass) { return {}; }
  Result Custom(const TVMFFIAny&, const graph::TypePlan&, std::string_view) { return {}; }
  void Enter(FoldFrame& frame) { frame.Visit(CountedFields(*frame.plan, frame.value.v_obj, keeper)); }
  Result Leave(FoldFrame& frame, const Result*) {
    if (frame.cls == ValueClass::kMap) {
      const MapBaseObj& map = graph::MapOf(frame.value);
      for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos)) AddKey(*map.KeyAt(pos).raw());
    } else if (frame.plan != nullptr && frame.plan->kind == StructuralKind::kFreeVar &&
               frame.region == graph::DefRegion::kNone) {
      variables.push_back(frame.value.v_obj);
    }
    return {};
  }
  void AddKey(const TVMFFIAny& key) {
    if (Classify(key.type_index) == ValueClass::kObject && plans.Of(key.v_obj).kind == StructuralKind::kDag)
      keys.push_back(key);
  }

  graph::PlanTable& plans;
  graph::Keeper keeper;
  std::vector<const TVMFFIObject*> variables;
  std::vector<TVMFFIAny> keys;
};

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

// Calls `fn` for the objects with children that a value leads to, itself included.
template <class Fn>
void ForEachBelow(graph::PlanTable& plans, const std::vector<TVMFFIAny>& roots, Fn fn) {
  graph::Keeper keeper;
  graph::PointerMap<uint8_t> seen;
  std::vector<TVMFFIAny> stack = roots;
  while (!stack.empty()) {
    const TVMFFIAny value = stack.back();
    stack.pop_back();
    if (!graph::HasChildren(Classify(value.type_index)) || !seen.Insert(value.v_obj).second) continue;
    fn(value.v_obj);
    ForEachCountedChild(value, plans, keeper,
                        [&](const TVMFFIAny& child, const graph::FieldPlan*) { stack.push_back(child); });
  }
}

}  // namespace

IdentityConflicts::IdentityConflicts(graph::PlanTable& plans, const StructuralOptions& options,
                                     const TVMFFIAny& old_root, const TVMFFIAny& new_root,
                                     const Correspondence& found) {
  if (options.as_files || options.map_free_vars) return;
  IdentityFinder identities{plans, {}, {}, {}};
  graph::Fold<IdentityFinder>(plans, identities).Run(new_root);
  if (!identities.variables.empty()) {
    // A map binds keys of some types, wherever they are met.
    const BoundVariables bound_there(plans, new_root, options), bound_here(plans, old_root, options);
    for (const TVMFFIObject* variable : identities.variables) {
      if (PairsByFields(plans.Of(variable)) && bound_there.Contains(variable)) continue;
      unbound_.Insert(variable);
      if (bound_here.Contains(variable)) holders_.Insert(variable);
    }
    for (const PairRecord& pair : found.pairs) {
      if (pair.lhs != pair.rhs && StaysItself(pair.rhs)) holders_.Insert(pair.lhs);
    }
  }
  if (!identities.keys.empty()) {
    graph::PointerMap<uint8_t> own;  // of the new graph, what its keys are and lead to
    ForEachBelow(plans, identities.keys, [&](const TVMFFIObject* object) { own.Insert(object); });
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
