/*
 * Outline: what a dump must know about a graph before the first line is written: which parts are met more than once,
 * what the variables are called, and what surely does not fit on one line.
 */
#ifndef TRANSOM_SRC_RENDER_OUTLINE_H_
#define TRANSOM_SRC_RENDER_OUTLINE_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/pointer_map.h"
#include "graph/type_plan.h"
#include "render/children.h"

namespace transom::render {

/*! \brief An object with children, or one whose text is long; several objects when they read the same (see Outline). */
struct Node {
  uint32_t uses = 0;    // places that show it
  uint32_t name = 0;    // variables: 1 + place in the table of names, 0: no label
  int64_t number = -1;  // `%n` of a listed object or a variable without a label
  uint64_t type = 0;    // what equal nodes share beside their parts: address of the plan, or type index
  uint64_t first_part = 0;
  uint32_t num_parts = 0;
  uint32_t own_width = 0;  // columns of what stands around the parts
  uint32_t width = 0;      // least columns of the whole on one line
  bool plain = true;  // its identity means nothing: no dag node, unique instance, mutable container or tensor in it
  bool variable = false;
  bool open = false;     // being read
  bool written = false;  // its text is out or on its way; for the writer
};

/*!
 * \brief Reads a graph once and answers for each object what its node is.
 *
 * Objects of equal shown content whose identity means nothing (trees without mutable containers and tensors) are one
 * node unless `exact_sharing`: compilers make the same type over and over, and a reader wants to see it once. They are
 * found by comparing parts bottom-up, where a part is a plain value or a node, so the comparison is exact and takes
 * linear time.
 */
class Outline {
 public:
  /*! \brief Nodes with more than one use and a text up to this many columns are written out at each use. */
  static constexpr uint32_t kSmall = 54;

  Outline(graph::PlanTable& plans, graph::Keeper& keeper, const ShowOptions& show, int64_t max_string,
          bool exact_sharing)
      : plans_(plans), keeper_(keeper), show_(show), max_string_(max_string), exact_sharing_(exact_sharing) {}

  /*! \brief Reads the graph; once. ValueError: a cycle. Linear, no recursion. */
  void Read(const TVMFFIAny& root);

  /*! \brief The node of an object, or null when the outline keeps none for it. */
  Node* Find(const TVMFFIAny& value) {
    if (!graph::IsObject(value)) return nullptr;
    const uint32_t* index = index_.Find(value.v_obj);
    return index != nullptr ? &nodes_[*index] : nullptr;
  }
  std::string_view NameOf(const Node& node) const { return names_[node.name - 1]; }
  int64_t next_number() const { return next_number_; }

 private:
  struct Part {
    uint64_t tag;      // kNodeTag, or type index and length of a plain value
    uint64_t payload;  // index of a node, or the bits of a plain value
    uint64_t field;    // address of the field's plan, 0 for items
    uint64_t width;    // columns of a plain value
    bool operator==(const Part& other) const = default;
  };
  struct Frame {
    Children children;
    const void* object = nullptr;
    uint32_t node = 0;
    uint64_t first_part = 0;
    uint32_t own_width = 2;
    bool plain = true;
  };

  void Visit(const TVMFFIAny& value, const graph::FieldPlan* field);
  void VisitLeaf(const TVMFFIAny& value, graph::ValueClass cls, uint64_t field);
  void Open(const TVMFFIAny& value, graph::ValueClass cls);
  void OpenObject(const TVMFFIAny& value, Frame* frame);
  void AddPart(uint64_t field, uint32_t node);
  void Close();
  void Keep(const Frame& frame);
  bool Merge(const Frame& frame);
  uint64_t HashOf(const Frame& frame) const;
  bool SameContent(const Frame& frame, const Node& node) const;
  uint32_t NewNode(const TVMFFIAny& value);
  uint32_t NewName(const std::string& label);
  uint64_t Intern(std::string text);
  void VisitLongLeaf(const TVMFFIAny& value, graph::ValueClass cls, std::string text, uint64_t field);
  void Number();
  uint32_t WidthOf(const Part& part) const;
  [[noreturn]] void ThrowCycle() const;

  graph::PlanTable& plans_;
  graph::Keeper& keeper_;
  const ShowOptions show_;
  const int64_t max_string_;
  const bool exact_sharing_;
  graph::PointerMap<uint32_t> index_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> finished_;  // nodes, children first
  std::vector<Frame> frames_;
  std::vector<Part> open_parts_;                            // of the frames, one after the other
  std::vector<Part> parts_;                                 // of finished nodes
  std::unordered_multimap<uint64_t, uint32_t> by_content_;  // hash to node
  std::unordered_map<std::string, uint64_t> texts_;
  std::unordered_map<std::string, uint32_t> long_leaves_;  // by type and content
  std::vector<std::string> names_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, uint64_t> repeats_;  // by label: the suffix to try next
  int64_t next_number_ = 0;
};

}  // namespace transom::render
#endif  // TRANSOM_SRC_RENDER_OUTLINE_H_
