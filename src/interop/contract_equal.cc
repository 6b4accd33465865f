#include "interop/contract_equal.h"

#include "structural/lock_step.h"

namespace transom::interop {

bool ContractEqual(const AnyView& lhs, const AnyView& rhs, const StructuralOptions& options) {
  using structural::LockStep;
  graph::PlanTable plans;
  return LockStep(plans, options, LockStep::Goal::kFirst, LockStep::Rules::kContract)
      .Run(*lhs.raw(), *rhs.raw(), 0, nullptr);
}

}  // namespace transom::interop
