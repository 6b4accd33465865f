#include <transom/structural/equal.h>

#include "structural/equality/equal_walk.h"
#include "structural/equality/lock_step.h"

namespace transom {

using structural::Difference;
using structural::EqualWalk;
using structural::LockStep;

bool StructuralEqual::Equal(AnyView lhs, AnyView rhs, const StructuralOptions& options) {
  graph::PlanTable plans(options.rules);
  const EqualWalk::Verdict verdict = EqualWalk(plans, options, structural::Hooks::kRefuse).Run(*lhs.raw(), *rhs.raw());
  if (verdict != EqualWalk::Verdict::kUnknown) return verdict == EqualWalk::Verdict::kEqual;
  return LockStep(plans, options, LockStep::Goal::kFirst, LockStep::Rules::kTransomHooks).Run(*lhs.raw(), *rhs.raw(), 0, nullptr);
}

std::optional<Mismatch> StructuralEqual::GetFirstMismatch(AnyView lhs, AnyView rhs, const StructuralOptions& options) {
  graph::PlanTable plans(options.rules);
  if (EqualWalk(plans, options, structural::Hooks::kRefuse).Run(*lhs.raw(), *rhs.raw()) == EqualWalk::Verdict::kEqual)
    return std::nullopt;
  std::vector<Difference> found;
  if (LockStep(plans, options, LockStep::Goal::kFirst, LockStep::Rules::kTransomHooks).Run(*lhs.raw(), *rhs.raw(), 1, &found)) return std::nullopt;
  return Mismatch{graph::ToAccessPath(found[0].lhs_path), graph::ToAccessPath(found[0].rhs_path)};
}

}  // namespace transom
