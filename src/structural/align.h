/*
 * Alignment of two sequences by the content of their elements.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_ALIGN_H_
#define TRANSOM_SRC_STRUCTURAL_ALIGN_H_

#include <vector>

#include "graph/type_plan.h"
#include "structural/digest_visitor.h"
#include "structural/pairing.h"

namespace transom::structural {

/*! \brief What is known of the variables in two sequences. */
struct AlignContext {
  const StructuralOptions& options;
  const Bindings& bindings;
};

/*!
 * \brief Pairs the elements of two sequences, in order. Equal keys pair first: common ends, then keys that are unique on both
 * sides (patience), then a bounded edit script inside the gaps; what is left of a gap pairs by kind and likeness. Unpaired elements are absent on
 * one side. Two sequences of equal keys are paired by position. With a `context`, elements of other sequences
 * that are alike but for bound variables pair by these.
 * O(n log n), plus per gap the product of a bounded number of edits and its length.
 */
TRANSOM_API std::vector<Pair> AlignSequences(const TVMFFISeqCell& lhs, const TVMFFISeqCell& rhs, graph::PlanTable& plans,
                                             DigestVisitor& lhs_keys, DigestVisitor& rhs_keys,
                                             const AlignContext* context = nullptr);

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_ALIGN_H_
