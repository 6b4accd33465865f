/*
 * The nodes of a graph, collected by type on one walk: what a .tsm file is written from.
 */
#ifndef TRANSOM_SRC_FORMATS_TSM_TSM_NODES_H_
#define TRANSOM_SRC_FORMATS_TSM_TSM_NODES_H_

#include <transom/runtime/any.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/nodes/value_tables.h"
#include "graph/fold.h"

namespace transom::tsm {
enum class Form : uint8_t;
}

namespace transom::formats {

/*! \brief The nodes of one type, row by row. Which members are used depends on the form. */
struct TsmNodeGroup {
  tsm::Form form;
  uint16_t number = 0;
  const graph::TypePlan* plan = nullptr;               // Object, Custom
  const schema::TypeDescriptor* descriptor = nullptr;  // the same, when it is known
  std::vector<uint16_t> references;                    // Object: fields that are references; the others are inline
  std::vector<uint16_t> inlines;
  uint32_t count = 0;
  graph::Stack<uint32_t> refs;  // Object: a row of references per node; containers: all elements
  graph::Stack<uint64_t>
      words;  // Object: a row of inline values per node; numbers, bits of floats, extents, words of integers
  graph::Stack<uint32_t> ends;  // containers, texts, shapes, tensors, large integers
  std::string text;             // texts
  std::vector<uint32_t> blobs;  // texts, tensors: 0, or 1 + number of the blob
  std::vector<DLDataType> dtypes;
  std::vector<DLDevice> devices;
};

/*! \brief Bytes of the blob section, each content once. */
class TsmBlobTable {
 public:
  struct Blob {
    std::string_view bytes;
    uint64_t checksum;
  };
  /*! \brief Number of the blob with these bytes, which must stay where they are. */
  uint32_t Add(std::string_view bytes);
  /*! \brief The same for bytes that the table keeps. */
  uint32_t AddOwned(std::string bytes);
  const std::vector<Blob>& blobs() const { return blobs_; }

 private:
  std::vector<Blob> blobs_;
  std::unordered_multimap<uint64_t, uint32_t> by_checksum_;
  std::deque<std::string> owned_;
};

/*! \brief Visitor of the walk; the result is a node's number. */
class TsmNodes {
 public:
  using Result = uint32_t;
  static constexpr bool kKeysFirst = false;
  static constexpr bool kTextsByAddress = true;

  TsmNodes();
  TsmNodes(const TsmNodes&) = delete;
  TsmNodes& operator=(const TsmNodes&) = delete;

  /*! \brief Walks the graph. ValueError: a cycle, or something that cannot be saved. */
  void Run(const TVMFFIAny& root);

  /*! \brief Group of each node. */
  const graph::Stack<uint16_t>& node_groups() const { return node_groups_; }
  /*! \brief In the order of their first nodes. */
  const std::vector<TsmNodeGroup*>& groups() const { return in_order_; }
  const TsmBlobTable& blobs() const { return blobs_; }

  uint32_t Leaf(const TVMFFIAny& value, graph::ValueClass cls);
  uint32_t Custom(const TVMFFIAny& value, const graph::TypePlan& plan, std::string_view json);
  void Enter(graph::FoldFrame& frame) {
    TsmNodeGroup& group = GroupOf(*frame.plan, frame.value);
    frame.note = &group;
    frame.Visit(group.references);
  }
  uint32_t Leave(graph::FoldFrame& frame, const uint32_t* children) {
    if (frame.cls != graph::ValueClass::kObject) return LeaveContainer(frame, children);
    TsmNodeGroup& group = *static_cast<TsmNodeGroup*>(frame.note);
    // A few at a time: a loop beats a call.
    uint32_t* row = group.refs.Extend(frame.count);
    for (uint64_t i = 0; i < frame.count; ++i) row[i] = children[i];
    if (!group.inlines.empty()) AppendInline(group, *frame.plan, frame.value.v_obj);
    return Append(group);
  }

 private:
  struct PlanGroup {
    const graph::TypePlan* plan;
    TsmNodeGroup* group;
  };

  TsmNodeGroup& GroupOf(const graph::TypePlan& plan, const TVMFFIAny& value) {
    PlanGroup& near = near_groups_[reinterpret_cast<uintptr_t>(&plan) * 0x9E3779B97F4A7C15u >> kNearShift];
    if (near.plan != &plan) {
      TsmNodeGroup* const* known = plan_groups_.Find(&plan);
      near = {&plan, known != nullptr ? *known : &NewPlan(plan, value)};
    }
    return *near.group;
  }
  TsmNodeGroup& NewPlan(const graph::TypePlan& plan, const TVMFFIAny& value);
  TsmNodeGroup& Builtin(tsm::Form form) {
    TsmNodeGroup* group = builtin_[static_cast<size_t>(form)];
    return group != nullptr ? *group : NewBuiltin(form);
  }
  TsmNodeGroup& NewBuiltin(tsm::Form form);
  TsmNodeGroup& AddGroup(std::unique_ptr<TsmNodeGroup> group);
  // Gives the row that was added to the group its number.
  uint32_t Append(TsmNodeGroup& group) {
    const size_t number = node_groups_.size();
    if (number >= UINT32_MAX) ThrowTooManyNodes();
    if (group.count++ == 0) Number(group);
    node_groups_.push_back(group.number);
    return static_cast<uint32_t>(number);
  }
  void Number(TsmNodeGroup& group);
  [[noreturn]] static void ThrowTooManyNodes();
  uint32_t AppendScalar(const TVMFFIAny& value);
  uint32_t AppendText(TsmNodeGroup& group, std::string_view text);
  uint32_t AppendTensor(const TVMFFIAny& value);
  uint32_t LeaveContainer(const graph::FoldFrame& frame, const uint32_t* children);
  uint32_t SharedLeaf(const TVMFFIAny& value, graph::ValueClass cls);
  void AppendInline(TsmNodeGroup& group, const graph::TypePlan& plan, const TVMFFIObject* obj);
  [[noreturn]] void ThrowWrongGetter(const graph::TypePlan& plan, const graph::FieldPlan& field,
                                     const TVMFFIAny& value);
  const schema::TypeDescriptor& Describe(TsmNodeGroup& group);

  graph::PlanTable plans_;
  graph::Fold<TsmNodes> fold_;
  graph::Stack<uint16_t> node_groups_;
  std::vector<std::unique_ptr<TsmNodeGroup>> groups_;
  std::vector<TsmNodeGroup*> in_order_;
  TsmNodeGroup* builtin_[16] = {};  // by form
  graph::PointerMap<TsmNodeGroup*> plan_groups_;
  std::multimap<std::string_view, TsmNodeGroup*> type_groups_;  // by type key
  static constexpr int kNearShift = 64 - 8;
  PlanGroup near_groups_[size_t{1} << (64 - kNearShift)] = {};       // of plan_groups_, by address: what is asked for each object
  std::vector<schema::SchemaRef> registered_;  // descriptions of native types
  TsmBlobTable blobs_;
  ScalarTable scalars_;
  TextTable strings_;
  TextTable bytes_;
  graph::PointerMap<uint32_t> leaves_;
};

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_TSM_TSM_NODES_H_
