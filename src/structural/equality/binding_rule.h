/*
 * Which variables may be paired: the rule for those that no binder has introduced.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_EQUALITY_BINDING_RULE_H_
#define TRANSOM_SRC_STRUCTURAL_EQUALITY_BINDING_RULE_H_

#include <memory>

#include "structural/rules/bound_variables.h"
#include "structural/rules/diff_scope.h"

namespace transom::structural {

/*! \brief Two variables pair in a definition region; outside of one, when they are the same object; in files, also when
 * both or neither are bound somewhere on their own side. */
class BindingRule {
 public:
  /*! \param options Must outlive this. */
  BindingRule(graph::PlanTable& plans, const StructuralOptions& options) : plans_(plans), options_(options) {}

  /*! \brief The values that are compared; borrowed. */
  void SetRoots(const TVMFFIAny& lhs, const TVMFFIAny& rhs) {
    lhs_.root = lhs;
    rhs_.root = rhs;
  }
  /*! \brief What the scope leaves out binds nothing. Outside of files, what is bound there alone pairs at its first
   * use, since its binder is never met. */
  void Restrict(DiffScope* scope) { scope_ = scope; }
  /*! \brief Whether two variables that are met in a region, and agree in their fields, may become a pair. The first
   * question about an unbound one in files costs a walk over both sides. */
  bool MayBind(const TVMFFIObject* lhs, const TVMFFIObject* rhs, graph::DefRegion region) {
    if (region != graph::DefRegion::kNone || lhs == rhs) return true;
    if (!options_.as_files) return scope_ != nullptr && lhs_.LostBinder(*this, lhs) && rhs_.LostBinder(*this, rhs);
    return lhs_.IsBound(*this, lhs) == rhs_.IsBound(*this, rhs);
  }

 private:
  class Side {
   public:
    Side() : root(graph::NoneValue()) {}
    TVMFFIAny root;

    bool IsBound(const BindingRule& rule, const TVMFFIObject* variable) {
      if (bound_ == nullptr) {
        const bool ignores = rule.scope_ != nullptr && rule.scope_->has_blind_spots();
        bound_ = ignores ? std::make_unique<BoundVariables>(rule.plans_, root, rule.options_, rule.scope_->paths())
                         : std::make_unique<BoundVariables>(rule.plans_, root, rule.options_, Hooks::kRun);
      }
      return bound_->Contains(variable);
    }
    bool LostBinder(const BindingRule& rule, const TVMFFIObject* variable) {
      if (IsBound(rule, variable)) return false;
      if (everywhere_ == nullptr) {
        graph::PlanTable plans(rule.options_.rules);
        everywhere_ = std::make_unique<BoundVariables>(plans, root, rule.options_);
      }
      return everywhere_->Contains(variable);
    }

   private:
    std::unique_ptr<BoundVariables> bound_;
    std::unique_ptr<BoundVariables> everywhere_;  // also in what the scope leaves out
  };

  graph::PlanTable& plans_;
  const StructuralOptions& options_;
  DiffScope* scope_ = nullptr;
  Side lhs_;
  Side rhs_;
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_EQUALITY_BINDING_RULE_H_
