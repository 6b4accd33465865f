#include "structural/rules/bound_variables.h"

#include <set>
#include <tuple>
#include <vector>

#include "graph/fold.h"
#include "graph/value.h"
#include "structural/rules/comparable.h"
#include "structural/rules/diff_scope.h"
#include "structural/rules/hook_parts.h"

namespace transom::structural {

using graph::Classify;
using graph::DefRegion;
using graph::ValueClass;

BoundVariables::BoundVariables(graph::PlanTable& plans, const TVMFFIAny& root, const StructuralOptions& options,
                               Hooks hooks) {
  struct Place {
    TVMFFIAny value;
    DefRegion region;
  };
  graph::Keeper keeper;
  graph::PointerMap<uint8_t> seen;  // bit per region
  std::vector<Place> stack{{root, options.map_free_vars ? DefRegion::kRecursive : DefRegion::kNone}};
  while (!stack.empty()) {
    const Place place = stack.back();
    stack.pop_back();
    const ValueClass cls = Classify(place.value.type_index);
    if (!graph::HasChildren(cls)) continue;
    uint8_t& mask = *seen.Insert(place.value.v_obj).first;
    const auto bit = static_cast<uint8_t>(1u << static_cast<unsigned>(place.region));
    if ((mask & bit) != 0) continue;
    mask |= bit;
    const StructuralKind kind = Visit(plans, place.value, place.region);
    if (hooks == Hooks::kRun && cls == ValueClass::kObject && ComparesByHook(plans.Of(place.value.v_obj))) {
      const auto parts = HookPartsOf(plans.Of(place.value.v_obj), place.value);
      for (const HookPart& part : parts.value_or(std::vector<HookPart>()))
        stack.push_back({keeper.Keep(part.value), graph::FieldRegion(place.region, kind, part.region)});
      continue;
    }
    ForEachCountedChild(place.value, plans, keeper, [&](const TVMFFIAny& child, const graph::FieldPlan* field) {
      const DefRegion region = field == nullptr ? place.region : graph::FieldRegion(place.region, kind, field->def);
      stack.push_back({child, region});
    });
  }
}

BoundVariables::BoundVariables(graph::PlanTable& plans, const TVMFFIAny& root, const StructuralOptions& options,
                               PathScope& paths) {
  struct Place {
    TVMFFIAny value;
    DefRegion region;
    PathScope::State state;
  };
  graph::Keeper keeper;
  std::set<std::tuple<const TVMFFIObject*, DefRegion, PathScope::State>> seen;
  std::vector<Place> stack{{root, options.map_free_vars ? DefRegion::kRecursive : DefRegion::kNone, paths.Root()}};
  while (!stack.empty()) {
    const Place place = stack.back();
    stack.pop_back();
    if (!graph::HasChildren(Classify(place.value.type_index))) continue;
    if (!seen.emplace(place.value.v_obj, place.region, place.state).second) continue;
    const StructuralKind kind = Visit(plans, place.value, place.region);
    ForEachChildInScope(place.value, place.state, paths, plans, keeper,
                        [&](const TVMFFIAny& child, PathScope::State state, const graph::FieldPlan* field, bool) {
                          const DefRegion region =
                              field == nullptr ? place.region : graph::FieldRegion(place.region, kind, field->def);
                          stack.push_back({child, region, state});
                        });
  }
}

StructuralKind BoundVariables::Visit(graph::PlanTable& plans, const TVMFFIAny& value, DefRegion region) {
  if (Classify(value.type_index) == ValueClass::kMap) BindKeys(plans, graph::MapOf(value));
  if (Classify(value.type_index) != ValueClass::kObject) return StructuralKind::kNone;
  const StructuralKind kind = plans.Of(value.v_obj).kind;
  if (kind == StructuralKind::kFreeVar && region != DefRegion::kNone) Bind(value.v_obj, region);
  return kind;
}

void BoundVariables::Bind(const TVMFFIObject* variable, DefRegion region) {
  auto [known, is_new] = bound_.Insert(variable);
  if (is_new || region == DefRegion::kRecursive) *known = region;
}

void BoundVariables::BindKeys(graph::PlanTable& plans, const MapBaseObj& map) {
  for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos)) {
    const TVMFFIAny& key = *map.KeyAt(pos).raw();
    if (Classify(key.type_index) != ValueClass::kObject) continue;
    if (PairsByFields(plans.Of(key.v_obj))) Bind(key.v_obj, DefRegion::kSimple);
  }
}

}  // namespace transom::structural
