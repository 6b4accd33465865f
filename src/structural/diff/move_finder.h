/*
 * Parts that a comparison found on one side only, and that stand elsewhere on the other.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_DIFF_MOVE_FINDER_H_
#define TRANSOM_SRC_STRUCTURAL_DIFF_MOVE_FINDER_H_

#include <array>
#include <vector>

#include "structural/equality/lock_step.h"

namespace transom::structural {

/*!
 * \brief Makes moves of loose ends: of what was deleted or replaced at one place and was inserted, or replaces
 * something, at another, and of what was deleted or inserted as a whole and stands inside of something new or gone.
 * Parts of one content must be alone on their side, or have gone and come in one container; then they are compared. A
 * move is only made where it takes the place of another difference.
 *
 * `*counts` and `*listed` are changed accordingly; a move is listed where both of its ends are. About linear in the
 * loose ends and their values.
 */
void FindMoves(graph::PlanTable& plans, const std::vector<LooseEnd>& loose, LockStep* walk,
               std::array<uint64_t, kNumEditKinds>* counts, std::vector<Difference>* listed);

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_DIFF_MOVE_FINDER_H_
