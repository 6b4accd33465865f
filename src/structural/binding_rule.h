/*
 * Which variables may be paired: the rule for those that no binder has introduced.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_BINDING_RULE_H_
#define TRANSOM_SRC_STRUCTURAL_BINDING_RULE_H_

#include <memory>

#include "structural/bound_variables.h"

namespace transom::structural {

/*! \brief Two variables pair in a definition region; outside of one, when they are the same object; in files, also when
 * both or neither are bound somewhere on their own side. */
class BindingRule {
 public:
  /*! \param options Must outlive this. */
  BindingRule(graph::PlanTable& plans, const StructuralOptions& options)
      : plans_(plans), options_(options), lhs_root_(graph::NoneValue()), rhs_root_(graph::NoneValue()) {}

  /*! \brief The values that are compared; borrowed. */
  void SetRoots(const TVMFFIAny& lhs, const TVMFFIAny& rhs) {
    lhs_root_ = lhs;
    rhs_root_ = rhs;
  }
  /*! \brief Whether two variables that are met in a region, and agree in their fields, may become a pair. The first
   * question about an unbound one in files costs a walk over both sides. */
  bool MayBind(const TVMFFIObject* lhs, const TVMFFIObject* rhs, graph::DefRegion region) {
    if (region != graph::DefRegion::kNone || lhs == rhs) return true;
    return options_.as_files && IsBound(lhs, lhs_root_, &lhs_bound_) == IsBound(rhs, rhs_root_, &rhs_bound_);
  }

 private:
  bool IsBound(const TVMFFIObject* variable, const TVMFFIAny& root, std::unique_ptr<BoundVariables>* bound) {
    if (*bound == nullptr) *bound = std::make_unique<BoundVariables>(plans_, root, options_);
    return (*bound)->Contains(variable);
  }

  graph::PlanTable& plans_;
  const StructuralOptions& options_;
  TVMFFIAny lhs_root_;
  TVMFFIAny rhs_root_;
  std::unique_ptr<BoundVariables> lhs_bound_;
  std::unique_ptr<BoundVariables> rhs_bound_;
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_BINDING_RULE_H_
