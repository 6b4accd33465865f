/*
 * The keys of two values that are compared.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_EQUALITY_SIDE_KEYS_H_
#define TRANSOM_SRC_STRUCTURAL_EQUALITY_SIDE_KEYS_H_

#include "structural/hash/digest_visitor.h"

namespace transom::structural {

/*! \brief Digests of the parts of both sides, without what surrounds them. */
struct SideKeys {
  SideKeys(graph::PlanTable& plans, const StructuralOptions& options)
      : lhs(plans, options, DigestVisitor::Mode::kWeak), rhs(plans, options, DigestVisitor::Mode::kWeak) {}
  DigestVisitor lhs;
  DigestVisitor rhs;
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_EQUALITY_SIDE_KEYS_H_
