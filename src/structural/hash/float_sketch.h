/*
 * A summary of the floats in a part, which tells parts apart that cannot be nearly equal.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_HASH_FLOAT_SKETCH_H_
#define TRANSOM_SRC_STRUCTURAL_HASH_FLOAT_SKETCH_H_

#include <cmath>
#include <vector>

#include "structural/rules/key_scope.h"

namespace transom::structural {

/*! \brief A weighted sum of the floats, and by how much that of a nearly equal part may be off, half of it. */
struct FloatSketch {
  double sum = 0;
  double slack = 0;

  /*! \brief False: two parts of equal keys have floats that are not nearly equal. True says little. */
  bool MayBeNear(const FloatSketch& other) const {
    return !(std::fabs(sum - other.sum) > slack + other.slack);  // so that NaN, of sums beyond all limits, is near
  }
};

/*! \brief Computes sketches of a side's parts, once per object. */
class FloatSketches {
 public:
  using Result = FloatSketch;
  static constexpr bool kKeysFirst = true;

  FloatSketches(graph::PlanTable& plans, const StructuralOptions& options, KeyScope& scope)
      : options_(options), scope_(scope), fold_(plans, *this) {}
  FloatSketch Of(const TVMFFIAny& value) { return fold_.Run(value); }
  std::vector<FloatSketch> OfElements(const TVMFFISeqCell& cell);

  // For the walk.
  bool RememberAll() const { return true; }
  Result Leaf(const TVMFFIAny& value, graph::ValueClass cls);
  Result Custom(const TVMFFIAny&, const graph::TypePlan&, std::string_view) { return {}; }
  void Enter(graph::FoldFrame& frame);
  void MapChildren(graph::FoldFrame& frame, std::vector<TVMFFIAny>* children);
  graph::DefRegion KeyRegion(const graph::FoldFrame& frame, const TVMFFIAny&) const { return frame.region; }
  void KeysDone(graph::FoldFrame&, TVMFFIAny*, Result*) {}
  Result Leave(graph::FoldFrame& frame, Result* children);

 private:
  void Add(double value, Result* to) const;

  const StructuralOptions& options_;
  KeyScope& scope_;
  graph::Fold<FloatSketches> fold_;
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_HASH_FLOAT_SKETCH_H_
