/*
 * Colours of variables and shared nodes of two sides: what tells apart those that are alike in content.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_EQUALITY_COLOR_REFINEMENT_H_
#define TRANSOM_SRC_STRUCTURAL_EQUALITY_COLOR_REFINEMENT_H_

#include <array>
#include <vector>

#include "structural/equality/flat_side.h"
#include "structural/equality/pairing.h"

namespace transom::structural {

/*!
 * \brief Colour refinement (Weisfeiler and Leman, one-dimensional): objects of one colour get different ones when they
 * stand in different places, and so on in rounds. Those that have a partner have its colour from the start. Colours are
 * guesses about what belongs together; only a comparison tells.
 *
 * There are several depths. The deepest goes on until no colour splits any more and looks at all places up to the root,
 * so colours agree where the two sides are equal but for what does not count, and hardly where they are not. The others
 * look at what directly holds an object: until no colour splits, or a few times, so that a difference elsewhere does
 * not matter.
 */
class ColorRefinement {
 public:
  static constexpr int kNumDepths = 5;  // 0 is the deepest

  /*! \brief Flattens the two sides; Refresh comes before anything else. */
  ColorRefinement(const FlatSide::Input& lhs, const FlatSide::Input& rhs, const Bindings& bindings);

  /*! \brief Colours with what is bound now. Linear in the two sides per round; all rounds of all calls together are
   * bounded: false, and all stays as it was, when it would take more. */
  bool Refresh();
  /*! \brief Of a part, by the colours in it. */
  uint64_t Of(const TVMFFIAny& part, bool is_lhs, int depth) const;
  /*! \brief Whether the deepest colours of the two roots agreed so far: then a new difference of colours means
   * something. If not, the deepest colours are those of the next depth. */
  bool agrees() const { return agrees_; }
  /*! \brief Whether a part is or holds a variable or shared node that had no partner at the last Refresh. */
  bool HoldsOpen(const TVMFFIAny& part, bool is_lhs) const;

 private:
  struct Side {
    Side(const FlatSide::Input& input, bool left);
    void Start(const Bindings& bindings);
    /*! \brief From colours to digests of all nodes. */
    void Down();
    /*! \brief From digests to places, as sums over all ways from the root, and from these to colours. */
    void RefineByWays();
    /*! \brief From digests to colours, by the objects that directly hold each one. */
    void RefineByHolders();
    size_t NumColors() const;
    uint64_t SlotOf(const FlatSide::Edge& edge) const {
      return edge.beside == FlatSide::kNone ? edge.slot : MixTwo(edge.slot, digests[edge.beside]);
    }

    FlatSide flat;
    bool is_lhs;
    std::vector<uint32_t> identities;  // nodes with identity that have no partner
    std::vector<uint64_t> colors;      // by node; of those with identity
    std::vector<uint64_t> digests;     // by node
    std::vector<uint64_t> places;      // by node
    std::vector<uint8_t> open;         // by node
    // Edges by their child: first_in[n] to first_in[n + 1] of `in`, holder and edge each.
    std::vector<uint32_t> first_in;
    std::vector<std::pair<uint32_t, uint32_t>> in;
    std::array<std::vector<uint64_t>, kNumDepths> by_depth;
  };

  uint64_t RoundSize() const {
    return lhs_.flat.size() + lhs_.flat.num_edges() + rhs_.flat.size() + rhs_.flat.num_edges();
  }
  template <class Fn>
  void Both(Fn&& fn);
  void Restart();
  void GoDeepest();
  bool SplitMore(size_t* known) const;
  void Keep(int depth);

  const Bindings& bindings_;
  Side lhs_;
  Side rhs_;
  uint64_t work_left_;
  bool agrees_ = true;
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_EQUALITY_COLOR_REFINEMENT_H_
