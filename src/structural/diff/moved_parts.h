/*
 * Parts that stand elsewhere: what one side has new, in pairs with equal parts of the other.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_DIFF_MOVED_PARTS_H_
#define TRANSOM_SRC_STRUCTURAL_DIFF_MOVED_PARTS_H_

#include "structural/equality/correspondence.h"
#include "structural/equality/lock_step.h"

namespace transom::structural {

/*!
 * \brief Looks among the arrivals of `found` for parts of at least 4 values that look like parts of the left side,
 * those that have no partner first, and lets the walk compare them; `found`, which the walk records to, gets these
 * pairs too. Linear.
 */
void PairMovedParts(graph::PlanTable& plans, const StructuralOptions& options, const TVMFFIAny& lhs_root,
                    LockStep* walk, Correspondence* found);

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_DIFF_MOVED_PARTS_H_
