#include "structural/diff/rename_edits.h"

#include "structural/rules/places.h"

namespace transom::structural {

std::vector<std::pair<Any, Any>> Renamed(graph::PlanTable& plans, const Bindings& bindings, bool swap) {
  std::vector<std::pair<Any, Any>> renamed;
  for (auto [lhs, rhs] : bindings.pairs()) {
    if (PairsByFields(plans.Of(lhs))) continue;
    if (swap) std::swap(lhs, rhs);
    const TVMFFIAny l = graph::ObjectValue(const_cast<TVMFFIObject*>(lhs)),
                    r = graph::ObjectValue(const_cast<TVMFFIObject*>(rhs));
    if (graph::LabelOf(plans, l) != graph::LabelOf(plans, r))
      renamed.emplace_back(AnyView::FromRaw(l), AnyView::FromRaw(r));
  }
  return renamed;
}

void AddRenames(graph::PlanTable& plans, uint64_t max_listed, DiffResult* result, std::vector<Difference>* found) {
  constexpr uint64_t kMaxSteps = 1'000'000;
  if (result->renamed.empty()) return;
  const Places lhs_places(plans, *result->old_value.raw()), rhs_places(plans, *result->new_value.raw());
  uint64_t steps = 0;
  for (const auto& [lhs, rhs] : result->renamed) {
    const TVMFFIObject *l = lhs.raw()->v_obj, *r = rhs.raw()->v_obj;
    if (plans.Of(l).kind != StructuralKind::kFreeVar) continue;
    if (++result->counts[static_cast<size_t>(EditKind::kRename)] > max_listed || steps > kMaxSteps) continue;
    Difference rename;
    rename.kind = EditKind::kRename;
    rename.lhs = *lhs.raw();
    rename.rhs = *rhs.raw();
    rename.lhs_path = lhs_places.PathTo(l);
    rename.rhs_path = rhs_places.PathTo(r);
    // All places of the variable count, not only those of what holds it.
    rename.lhs_holder = l;
    rename.rhs_holder = r;
    steps += rename.lhs_path.size();
    found->push_back(std::move(rename));
  }
}

}  // namespace transom::structural
