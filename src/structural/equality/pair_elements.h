/*
 * Pairs of elements of two sequences whose order does not count.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_EQUALITY_PAIR_ELEMENTS_H_
#define TRANSOM_SRC_STRUCTURAL_EQUALITY_PAIR_ELEMENTS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "structural/equality/color_refinement.h"
#include "structural/equality/late_pairing.h"
#include "structural/equality/pairing.h"
#include "structural/equality/walk_scope.h"

namespace transom::structural {

/*!
 * \brief Pairs elements in any order: those of equal keys first, among these by what their variables are bound to, by
 * colours of those that are not bound, and with a tolerance by the size of their floats; the rest by likeness, the most
 * alike first, up to a number; then by type. What is left over is absent on the other side. Pairs are in the order of
 * the left side; insertions follow. O(n log n); once more the size of elements of equal keys, when variables were bound
 * since they were last told apart, and the two sides for their colours.
 */
class ElementPairing {
 public:
  /*! \brief All must outlive this. */
  ElementPairing(WalkScope& scope, const StructuralOptions& options, const Bindings& bindings, DigestVisitor& lhs_keys,
                 DigestVisitor& rhs_keys);

  std::vector<Pair> InAnyOrder(const TVMFFISeqCell& lhs, const TVMFFISeqCell& rhs);
  /*! \brief Elements pair by the value of a field, as in any order where several have the same; those that lack it pair
   * in any order. Nothing: there are elements, and none has the field. */
  std::optional<std::vector<Pair>> ByField(const TVMFFISeqCell& lhs, const TVMFFISeqCell& rhs,
                                           const std::string& field);
  /*! \brief Of the last sequences: what chooses the partners of elements that nothing tells apart; null: no choice. */
  std::unique_ptr<LatePairing> TakeChoices();
  /*! \brief Elements were compared that were chosen to be partners: what is bound in them tells others apart. */
  void NoteChoice() { chose_ = true; }

 private:
  using Free = AlikeElements;  // those that have no partner yet

  void Begin(const TVMFFISeqCell& lhs, const TVMFFISeqCell& rhs);
  void PairRest(Free rest);
  Free PairEqual(const Free& free);
  void PairEqualInContext(const Free& alike, Free* rest);
  void SetContext();
  Digest KeyInContext(const TVMFFIAny& element, int64_t place, bool is_lhs);
  void PairAlike(Free group, Free* rest);
  void PairByColors(Free group, Free* rest);
  void PrepareColors();
  Free PairInOrder(const Free& group);
  const std::vector<int64_t>& Aligned();
  void PairGroup(Free group, Free* rest);
  Free PairLike(const Free& free);
  void PairByType(const Free& free);
  /*! \brief Plain values exactly, whatever the tolerance. */
  Digest KeyOfField(const TVMFFIAny& value, DigestVisitor& keys, int64_t place) const;
  std::optional<TVMFFIAny> FieldOf(const TVMFFIAny& element, const std::string& field);
  void Join(int64_t i, int64_t j) {
    right_of_[static_cast<size_t>(i)] = j;
    taken_[static_cast<size_t>(j)] = 1;
  }
  void JoinInOrder(const Free& group) {
    for (size_t k = 0; k < group.lhs.size() && k < group.rhs.size(); ++k) Join(group.lhs[k], group.rhs[k]);
  }
  std::vector<Pair> Result() const;

  WalkScope& scope_;
  graph::PlanTable& plans_;
  const StructuralOptions& options_;
  const Bindings& bindings_;
  DigestVisitor& lhs_keys_;
  DigestVisitor& rhs_keys_;
  const bool near_;  // with a tolerance
  graph::Keeper keeper_;
  // Keys in which variables that are bound count by their pair; of when so many pairs were bound.
  std::unique_ptr<DigestVisitor> lhs_context_;
  std::unique_ptr<DigestVisitor> rhs_context_;
  size_t num_bound_ = 0;
  size_t num_contexts_ = 0;  // that were made
  std::unique_ptr<ColorRefinement> colors_;
  bool chose_ = false;      // a pair that colours do not know of
  size_t num_colored_ = 0;  // pairs that colours know of
  const TVMFFISeqCell* lhs_cell_ = nullptr;
  const TVMFFISeqCell* rhs_cell_ = nullptr;
  std::vector<int64_t> aligned_;    // by left element: its partner if order counted; empty until asked for
  const TVMFFIAny* lhs_ = nullptr;  // elements
  const TVMFFIAny* rhs_ = nullptr;
  std::vector<int64_t> right_of_;  // by left element
  std::vector<uint8_t> taken_;     // by right element
  std::vector<AlikeElements> choices_;
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_EQUALITY_PAIR_ELEMENTS_H_
