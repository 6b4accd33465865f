#include <transom/structural/unmatched.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "graph/children.h"
#include "graph/pointer_map.h"
#include "structural/rules/diff_scope.h"

namespace transom {
namespace {

using structural::DiffScope;
using structural::PathScope;

// Goes to all places that patterns may still say something about.
void FollowPatterns(DiffScope* scope, const TVMFFIAny& root) {
  graph::Keeper keeper;
  std::set<std::pair<const TVMFFIObject*, PathScope::State>> visited;
  std::vector<std::pair<TVMFFIAny, PathScope::State>> stack{{root, scope->paths().Root()}};
  while (!stack.empty()) {
    const auto [value, state] = stack.back();
    stack.pop_back();
    if (!graph::HasChildren(graph::Classify(value.type_index)) || !scope->paths().MayChange(state)) continue;
    if (!visited.insert({value.v_obj, state}).second) continue;
    structural::ForEachChildInScope(value, state, scope->paths(), scope->plans(), keeper,
                                    [&](const TVMFFIAny& child, PathScope::State at, const graph::FieldPlan*, bool) {
                                      stack.push_back({child, at});
                                    });
  }
}

// An object of each type.
using Types = std::map<const graph::TypePlan*, TVMFFIAny>;

void CollectTypes(graph::PlanTable& plans, const TVMFFIAny& root, Types* types) {
  graph::Keeper keeper;
  graph::PointerMap<char> visited;
  const auto enter = [&](const TVMFFIAny& value) {
    if (!visited.Insert(value.v_obj).second) return false;
    if (graph::Classify(value.type_index) == graph::ValueClass::kObject) types->emplace(&plans.Of(value.v_obj), value);
    return true;
  };
  graph::GoDown({root}, enter,
                [&](const TVMFFIAny& value, const auto& fn) { graph::ForEachChild(value, plans, keeper, fn); });
}

// The options of a list that `matched` says no to.
template <class Option, class Matched>
std::vector<Option> Unmatched(const std::vector<Option>& options, Matched&& matched) {
  std::vector<Option> result;
  for (size_t i = 0; i < options.size(); ++i) {
    if (!matched(i)) result.push_back(options[i]);
  }
  return result;
}

void FindUnmatchedTypes(AnyView lhs, AnyView rhs, const DiffOptions& options, DiffOptions* result) {
  if (options.ignore_fields.empty() && options.ignore_types.empty()) return;
  graph::PlanTable plans(options.rules);
  Types types;
  CollectTypes(plans, *lhs.raw(), &types);
  CollectTypes(plans, *rhs.raw(), &types);
  const graph::LeftOut left_out = structural::LeftOutBy(options);
  result->ignore_fields = Unmatched(options.ignore_fields, [&](size_t i) {
    const graph::LeftOut::Field& field = left_out.fields[i];
    return std::any_of(types.begin(), types.end(), [&](const auto& type) {
      const auto& [plan, object] = type;
      return (field.type == "*" || graph::IsInstanceOf(object, field.type)) && plan->FindField(field.name) >= 0;
    });
  });
  result->ignore_types = Unmatched(options.ignore_types, [&](size_t i) {
    return std::any_of(types.begin(), types.end(),
                       [&](const auto& type) { return graph::IsInstanceOf(type.second, options.ignore_types[i]); });
  });
}

}  // namespace

DiffOptions UnmatchedOptions(AnyView lhs, AnyView rhs, const DiffOptions& options) {
  DiffScope scope(options);
  DiffOptions result;
  if (scope.has_paths()) {
    FollowPatterns(&scope, *lhs.raw());
    FollowPatterns(&scope, *rhs.raw());
    size_t first = 0;  // of the patterns of a list, as the scope has them
    const auto unmatched = [&](const auto& list) {
      const auto found = Unmatched(list, [&](size_t i) { return scope.paths().Matched(first + i); });
      first += list.size();
      return found;
    };
    result.ignore = unmatched(options.ignore);
    result.only = unmatched(options.only);
    result.unordered = unmatched(options.unordered);
    result.keys = unmatched(options.keys);
  }
  FindUnmatchedTypes(lhs, rhs, options, &result);
  return result;
}

}  // namespace transom
