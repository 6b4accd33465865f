#include "interop/contract_equal.h"

#include "structural/equality/equal_walk.h"
#include "structural/equality/lock_step.h"

namespace transom::interop {

bool ContractEqual(const AnyView& lhs, const AnyView& rhs, const StructuralOptions& options) {
  using structural::EqualWalk, structural::LockStep;
  graph::PlanTable plans;
  const EqualWalk::Verdict verdict = EqualWalk(plans, options, structural::Hooks::kRun).Run(*lhs.raw(), *rhs.raw());
  if (verdict != EqualWalk::Verdict::kUnknown) return verdict == EqualWalk::Verdict::kEqual;
  return LockStep(plans, options, LockStep::Goal::kFirst, LockStep::Rules::kContract)
      .Run(*lhs.raw(), *rhs.raw(), 0, nullptr);
}

}  // namespace transom::interop
