/*
 * Bound variables that belong together and have other names.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_DIFF_RENAME_EDITS_H_
#define TRANSOM_SRC_STRUCTURAL_DIFF_RENAME_EDITS_H_

#include <transom/structural/diff.h>

#include <utility>
#include <vector>

#include "structural/equality/lock_step.h"

namespace transom::structural {

/*! \brief Paired objects whose labels differ and do not count, as (left, right), in the order in which they were
 * paired. `swap`: the walk's left side is the right one. */
std::vector<std::pair<Any, Any>> Renamed(graph::PlanTable& plans, const Bindings& bindings, bool swap);

/*! \brief Adds an edit for each variable among them, with the shortest paths to it, to `*found`, and counts it; at most
 * `max_listed`, and fewer where their paths are long. Linear in the graphs. */
void AddRenames(graph::PlanTable& plans, uint64_t max_listed, DiffResult* result, std::vector<Difference>* found);

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_DIFF_RENAME_EDITS_H_
