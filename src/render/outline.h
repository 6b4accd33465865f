/*
 * Outline: what a dump must know about a graph before the first line is written: which objects are met more than once, what
 * the variables are called, and what surely does not fit on one line.
 */
#ifndef TRANSOM_SRC_RENDER_OUTLINE_H_
#define TRANSOM_SRC_RENDER_OUTLINE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/pointer_map.h"
#include "graph/type_plan.h"
#include "render/children.h"

namespace transom::render {

/*! \brief An object with children, or one whose text is long. */
struct Node {
  uint32_t uses = 0;      // places that show it
  uint32_t name = 0;      // variables: 1 + place in the table of names, 0: no label
  int64_t number = -1;    // `%n` of a listed object or a variable without a label
  uint8_t width = 0;      // least columns of its text on one line; 255: that or more
  bool plain = true;      // writing it out twice says nothing wrong: no dag node, unique instance, mutable container or tensor
  bool variable = false;
  bool open = false;      // being read
  bool written = false;   // its text is out or on its way; for the writer
};

class Outline {
 public:
  /*! \brief Objects with more than one use and a text up to this many columns are written out at each use. */
  static constexpr uint8_t kSmall = 60;
  static constexpr uint8_t kWidest = 255;

  Outline(graph::PlanTable& plans, graph::Keeper& keeper, const ShowOptions& show, int64_t max_string)
      : plans_(plans), keeper_(keeper), show_(show), max_string_(max_string) {}

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
  struct Frame {
    Children children;
    uint32_t node = 0;
    uint32_t width = 0;
    uint32_t count = 0;
    bool plain = true;
  };
  struct Extent {
    uint32_t width;
    bool plain;
  };

  // True: `*extent` is that of the value; false: a frame was opened for it.
  bool Visit(const TVMFFIAny& value, Extent* extent);
  bool VisitLeaf(const TVMFFIAny& value, graph::ValueClass cls, Extent* extent);
  void Open(const TVMFFIAny& value, graph::ValueClass cls);
  void Add(const Extent& extent);
  Extent Close();
  Node& NewNode(const TVMFFIAny& value);
  uint32_t NewName(const std::string& label);
  void Number();
  [[noreturn]] void ThrowCycle() const;

  graph::PlanTable& plans_;
  graph::Keeper& keeper_;
  const ShowOptions show_;
  const int64_t max_string_;
  graph::PointerMap<uint32_t> index_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> finished_;  // nodes, children first
  std::vector<Frame> frames_;
  std::vector<std::string> names_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, uint64_t> repeats_;  // by label: the suffix to try next
  int64_t next_number_ = 0;
};

}  // namespace transom::render
#endif  // TRANSOM_SRC_RENDER_OUTLINE_H_
