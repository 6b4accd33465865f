/*
 * The keys of two values that are compared.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_EQUALITY_SIDE_KEYS_H_
#define TRANSOM_SRC_STRUCTURAL_EQUALITY_SIDE_KEYS_H_

#include "structural/hash/digest_visitor.h"

namespace transom::structural {

/*! \brief Digests of the parts of both sides, without what surrounds them. */
struct SideKeys {
  /*! \param hooks What becomes of objects that compare by code of their own, as in DigestVisitor. */
  SideKeys(graph::PlanTable& plans, const StructuralOptions& options, Hooks hooks = Hooks::kRefuse)
      : lhs(plans, options, DigestVisitor::Mode::kWeak, hooks), rhs(plans, options, DigestVisitor::Mode::kWeak, hooks) {}
  DigestVisitor lhs;
  DigestVisitor rhs;
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_EQUALITY_SIDE_KEYS_H_
