#include "structural/equality/walk_scope.h"

namespace transom::structural {

WalkScope::WalkScope(DiffScope& scope, const StructuralOptions& options, const TVMFFIAny& lhs_root,
                     const TVMFFIAny& rhs_root)
    : scope_(scope),
      lhs_root_(lhs_root),
      rhs_root_(rhs_root),
      lhs_(scope, lhs_root),
      rhs_(scope, rhs_root),
      lhs_exact_(scope.plans(), options, DigestVisitor::Mode::kWeak),
      rhs_exact_(scope.plans(), options, DigestVisitor::Mode::kWeak),
      lhs_floats_(scope.plans(), options, lhs_),
      rhs_floats_(scope.plans(), options, rhs_) {
  lhs_exact_.Restrict(&lhs_, false);
  rhs_exact_.Restrict(&rhs_, false);
}

WalkScope::Verdict WalkScope::Of(uint32_t lhs_set, uint32_t rhs_set, State state, bool* near) {
  *near = false;
  if (paths().Uniform(state) && sets_.Same(SetIn(state, lhs_set), SetIn(state, rhs_set))) return Verdict::kEqual;
  const auto found = verdicts_.find({lhs_set, rhs_set, state});
  if (found == verdicts_.end()) return Verdict::kUnknown;
  *near = !scope_.tolerance().exact();
  return found->second;
}

void WalkScope::Remember(uint32_t lhs_set, uint32_t rhs_set, const Level& level, Verdict verdict) {
  if (verdict == Verdict::kEqual && !level.near && paths().Uniform(level.state)) {
    sets_.Join(SetIn(level.state, lhs_set), SetIn(level.state, rhs_set));
  } else {
    verdicts_[{lhs_set, rhs_set, level.state}] = verdict;
  }
}

uint32_t WalkScope::SetIn(State state, uint32_t set) {
  uint32_t& in_state = sets_by_state_[uint64_t{set} << 32 | state];
  if (in_state == 0) in_state = sets_.Add();
  return in_state;
}

Digest KeyIn(DiffScope* scope, const TVMFFIAny& root, const StructuralOptions& options) {
  KeyScope keys(*scope, root);
  DigestVisitor visitor(scope->plans(), options, DigestVisitor::Mode::kWeak);
  visitor.Restrict(&keys, false);
  return visitor.KeyOf(root);
}

bool WalkScope::Leads(const TVMFFIAny& value, State state) {
  std::vector<std::pair<TVMFFIAny, State>> stack{{value, state}};
  std::vector<Place> visited;
  while (!stack.empty()) {
    const auto [part, at] = stack.back();
    stack.pop_back();
    if (!paths().Outside(at)) {
      // What was visited on the way may lead there.
      for (const Place& place : visited) leads_nowhere_.erase(place);
      return true;
    }
    if (!graph::HasChildren(graph::Classify(part.type_index)) || !paths().MayChange(at)) continue;
    const Place place{part.v_obj, at, 0};
    if (!leads_nowhere_.insert(place).second) continue;
    visited.push_back(place);
    ForEachChildInScope(part, at, paths(), scope_.plans(), keeper_,
                        [&](const TVMFFIAny& inner, State inner_state, const graph::FieldPlan*, bool is_key) {
                          if (!is_key) stack.push_back({inner, inner_state});
                        });
  }
  return false;
}

}  // namespace transom::structural
