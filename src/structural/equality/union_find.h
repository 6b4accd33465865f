/*
 * Disjoint sets.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_EQUALITY_UNION_FIND_H_
#define TRANSOM_SRC_STRUCTURAL_EQUALITY_UNION_FIND_H_

#include <cstdint>
#include <utility>
#include <vector>

namespace transom::structural {

/*! \brief Sets of elements 1, 2, 3, ...; 0 stands for none. Union by size, paths halved: operations take constant time
 * but for the inverse Ackermann function. */
class UnionFind {
 public:
  /*! \brief A new element, in a set of its own. */
  uint32_t Add() {
    nodes_.push_back({static_cast<uint32_t>(nodes_.size()), 1});
    return nodes_.back().parent;
  }
  /*! \brief The element that stands for the set. */
  uint32_t Find(uint32_t element) {
    while (nodes_[element].parent != element) {
      nodes_[element].parent = nodes_[nodes_[element].parent].parent;
      element = nodes_[element].parent;
    }
    return element;
  }
  bool Same(uint32_t a, uint32_t b) { return Find(a) == Find(b); }
  void Join(uint32_t a, uint32_t b) {
    a = Find(a);
    b = Find(b);
    if (a == b) return;
    if (nodes_[a].size < nodes_[b].size) std::swap(a, b);
    nodes_[b].parent = a;
    nodes_[a].size += nodes_[b].size;
  }

 private:
  struct Node {
    uint32_t parent = 0;
    uint32_t size = 0;  // of the set, where this stands for it
  };
  std::vector<Node> nodes_{{}};
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_EQUALITY_UNION_FIND_H_
