/*
 * Alignment of two sequences by the content of their elements.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_EQUALITY_ALIGN_H_
#define TRANSOM_SRC_STRUCTURAL_EQUALITY_ALIGN_H_

#include <vector>

#include "graph/type_plan.h"
#include "structural/equality/pairing.h"
#include "structural/hash/digest_visitor.h"
#include "structural/hash/float_sketch.h"

namespace transom::structural {

/*! \brief What is known of the variables in two sequences. */
struct AlignContext {
  const StructuralOptions& options;
  const Bindings& bindings;
};

/*! \brief With a tolerance for floats, which are then left out of keys: what else is known of each element. */
struct Nearness {
  std::vector<Digest> lhs_exact;  // keys with floats
  std::vector<Digest> rhs_exact;
  std::vector<FloatSketch> lhs;
  std::vector<FloatSketch> rhs;
};

/*! \brief Keys of the elements of a sequence. */
std::vector<Digest> KeysOf(const TVMFFISeqCell& cell, DigestVisitor& keys);

/*!
 * \brief Pairs the elements of two sequences, in order. Equal keys pair first: common ends, then keys that are unique
 * on both sides (patience), then a bounded edit script inside the gaps; what is left of a gap pairs by kind and
 * likeness. Unpaired elements are absent on one side. Two sequences of equal keys are paired by position, and two of
 * one length where that leaves fewer elements that differ. \param nearness Elements of equal keys whose floats cannot
 * be near are unequal; null: keys say all. \param context In sequences whose keys differ, elements that are alike but
 * for bound variables pair by these; null: by their keys. O(n log n), plus per gap the product of a bounded number of
 * edits and its length.
 */
TRANSOM_API std::vector<Pair> AlignSequences(const TVMFFISeqCell& lhs, const TVMFFISeqCell& rhs,
                                             graph::PlanTable& plans, DigestVisitor& lhs_keys, DigestVisitor& rhs_keys,
                                             const Nearness* nearness = nullptr, const AlignContext* context = nullptr);

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_EQUALITY_ALIGN_H_
