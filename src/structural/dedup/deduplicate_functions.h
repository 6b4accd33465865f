/*
 * Merging of closed functions that are equal but for the identity of their variables.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_DEDUP_DEDUPLICATE_FUNCTIONS_H_
#define TRANSOM_SRC_STRUCTURAL_DEDUP_DEDUPLICATE_FUNCTIONS_H_

#include <transom/structural/deduplicate.h>

#include "graph/type_plan.h"
#include "structural/dedup/deduplicate_parts.h"

namespace transom::structural {

/*!
 * \brief The graph with equal closed functions as one object, the first in post-order. `value` is the result of
 * `parts`, which must live. Two functions are equal when their words are (scope_text.h). Entries of maps that hold
 * variables are taken in iteration order. Linear, but for the inverse Ackermann function. Errors as PartMerger.
 */
Any MergeFunctions(graph::PlanTable& plans, const DeduplicateOptions& options, const PartMerger& parts,
                   uint64_t hash_mask, const Any& value);

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_DEDUP_DEDUPLICATE_FUNCTIONS_H_
