/*
 * The pairs that were found to differ.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_EQUALITY_DIFFERENT_PAIRS_H_
#define TRANSOM_SRC_STRUCTURAL_EQUALITY_DIFFERENT_PAIRS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "graph/pointer_map.h"

namespace transom::structural {

/*! \brief Pairs of elements of a UnionFind, which are small numbers from 1. Most elements differ from one other only,
 * which takes a place in a row; a table has the rest. */
class DifferentPairs {
 public:
  /*! \brief Whether the pair is new here; it is among these now. */
  bool Insert(uint32_t lhs, uint32_t rhs) {
    if (first_.size() <= lhs) first_.resize(size_t{lhs} + 1);
    uint32_t& first = first_[lhs];
    if (first == rhs) return false;
    if (first != 0) return !std::exchange(*more_.Insert(AsKey(lhs, rhs)).first, true);
    if (Contains(lhs, rhs)) return false;
    first = rhs;
    return true;
  }
  bool Contains(uint32_t lhs, uint32_t rhs) const {
    if (lhs < first_.size() && first_[lhs] == rhs) return true;
    if (more_.size() == 0) return false;
    const bool* known = more_.Find(AsKey(lhs, rhs));
    return known != nullptr && *known;
  }
  void Erase(uint32_t lhs, uint32_t rhs) {
    if (lhs < first_.size() && first_[lhs] == rhs) {
      first_[lhs] = 0;
    } else if (bool* known = more_.Find(AsKey(lhs, rhs))) {
      *known = false;
    }
  }

 private:
  // The map takes any word but 0 as an address.
  static const void* AsKey(uint32_t lhs, uint32_t rhs) {
    return reinterpret_cast<const void*>(uint64_t{lhs} << 32 | rhs);
  }

  std::vector<uint32_t> first_;   // by the left element; 0: none
  graph::PointerMap<bool> more_;  // false: it was taken back
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_EQUALITY_DIFFERENT_PAIRS_H_
