/*
 * One side of a comparison as a table: its values with children, and where each of them stands.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_EQUALITY_FLAT_SIDE_H_
#define TRANSOM_SRC_STRUCTURAL_EQUALITY_FLAT_SIDE_H_

#include <vector>

#include "graph/pointer_map.h"
#include "structural/hash/digest_visitor.h"
#include "structural/rules/diff_scope.h"
#include "structural/rules/key_scope.h"

namespace transom::structural {

/*! \brief Two numbers as one. */
inline uint64_t MixTwo(uint64_t a, uint64_t b) {
  uint64_t h = (a + 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u;
  h = (h ^ h >> 29 ^ b) * 0x94D049BB133111EBu;
  h = (h ^ h >> 32) * 0xBF58476D1CE4E5B9u;
  return h ^ h >> 31;
}

/*! \brief Values are borrowed from the side. What the scope leaves out is not in the table. */
class FlatSide {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  /*! \brief A place of a node. */
  struct Edge {
    uint32_t child = kNone;
    uint32_t beside = kNone;  // of a map entry whose key and value both have children: the other one
    uint64_t slot = 0;        // which part it is; the same for all where order does not count
  };

  struct Node {
    uint64_t seed = 0;    // of the type
    uint64_t leaves = 0;  // of the children that have no children
    uint64_t start = 0;   // with identity: what tells it apart without its places
    const TVMFFIObject* object = nullptr;
    uint32_t first_edge = 0;
    uint32_t num_edges = 0;
    bool identity = false;   // a variable, a shared node or a unique instance
    bool container = false;  // a sequence or a map
    bool entered = false;
  };

  /*! \brief What there is to know of a side. All must outlive the table. */
  struct Input {
    DiffScope& scope;
    const StructuralOptions& options;
    KeyScope& side;
    DigestVisitor& keys;  // of its parts
    TVMFFIAny root;
  };

  /*! \brief Linear in the side. */
  explicit FlatSide(const Input& input);

  /*! \brief Number of a value with children; kNone: it is not in the table. */
  uint32_t NumberOf(const TVMFFIAny& value) const {
    if (!graph::HasChildren(graph::Classify(value.type_index))) return kNone;
    const uint32_t* number = numbers_.Find(value.v_obj);
    return number != nullptr ? *number : kNone;
  }
  size_t size() const { return nodes_.size(); }
  size_t num_edges() const { return edges_.size(); }
  const Node& node(uint32_t number) const { return nodes_[number]; }
  const Edge* edges(const Node& node) const { return edges_.data() + node.first_edge; }
  /*! \brief All nodes, children before what holds them; the root is the last. */
  const std::vector<uint32_t>& order() const { return order_; }

 private:
  struct Visit {
    TVMFFIAny value;
    uint32_t number;
    bool leaves;  // all that it holds has been visited
  };

  void Enter(const Visit& at);
  void EnterMap(const Visit& at, PathScope::State state);
  void AddPart(const TVMFFIAny& part, uint64_t slot, uint32_t holder);
  void AddEdge(const TVMFFIAny& child, uint32_t number, uint32_t beside, uint64_t slot);
  uint32_t Number(const TVMFFIAny& value);
  void SetStarts(const TVMFFIAny& root);

  DiffScope& scope_;
  const StructuralOptions& options_;
  KeyScope& side_;
  DigestVisitor& keys_;
  graph::Keeper keeper_;
  graph::PointerMap<uint32_t> numbers_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<uint32_t> order_;
  std::vector<Visit> stack_;
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_EQUALITY_FLAT_SIDE_H_
