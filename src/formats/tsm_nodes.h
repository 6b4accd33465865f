/*
 * The nodes of a graph, collected by type on one walk: what a .tsm file is written from.
 */
#ifndef TRANSOM_SRC_FORMATS_TSM_NODES_H_
#define TRANSOM_SRC_FORMATS_TSM_NODES_H_

#include <transom/runtime/any.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/value_tables.h"
#include "graph/fold.h"

namespace transom::tsm {
enum class Form : uint8_t;
}

namespace transom::formats {

/*! \brief The nodes of one type, row by row. Which members are used depends on the form. */
struct TsmNodeGroup {
  tsm::Form form;
  const graph::TypePlan* plan = nullptr;   // Object, Custom
  const schema::TypeDescriptor* descriptor = nullptr;  // the same, when it is known
  std::vector<uint16_t> references;        // Object: fields that are references; the others are inline
  std::vector<uint16_t> inlines;
  uint32_t count = 0;
  std::vector<uint32_t> refs;     // Object: a row of references per node; containers: all elements
  std::vector<uint64_t> words;    // Object: a row of inline values per node; numbers, bits of floats, extents, words of integers
  std::vector<uint32_t> ends;     // containers, texts, shapes, tensors, large integers
  std::string text;               // texts
  std::vector<uint32_t> blobs;    // texts, tensors: 0, or 1 + number of the blob
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

  TsmNodes();
  TsmNodes(const TsmNodes&) = delete;
  TsmNodes& operator=(const TsmNodes&) = delete;

  /*! \brief Walks the graph. ValueError: a cycle, or something that cannot be saved. */
  void Run(const TVMFFIAny& root);

  /*! \brief Group of each node. */
  const std::vector<uint16_t>& node_groups() const { return node_groups_; }
  std::deque<TsmNodeGroup>& groups() { return groups_; }
  const TsmBlobTable& blobs() const { return blobs_; }

  uint32_t Leaf(const TVMFFIAny& value, graph::ValueClass cls);
  uint32_t Custom(const TVMFFIAny& value, const graph::TypePlan& plan, std::string_view json);
  void Enter(graph::FoldFrame& frame) {
    const TsmNodeGroup& group = groups_[GroupOf(*frame.plan, frame.value)];
    frame.list = group.references.data();
    frame.count = group.references.size();
  }
  uint32_t Leave(graph::FoldFrame& frame, const uint32_t* children);

 private:
  static constexpr uint32_t kNoGroup = UINT32_MAX;

  uint32_t GroupOf(const graph::TypePlan& plan, const TVMFFIAny& value) {
    if (last_plan_ == &plan) return last_group_;
    const uint32_t* known = plan_groups_.Find(&plan);
    last_plan_ = &plan;
    return last_group_ = known != nullptr ? *known : NewPlan(plan, value);
  }
  uint32_t NewPlan(const graph::TypePlan& plan, const TVMFFIAny& value);
  uint32_t Builtin(tsm::Form form);
  uint32_t NewGroup(tsm::Form form);
  uint32_t Append(uint32_t group);
  uint32_t AppendScalar(const TVMFFIAny& value);
  uint32_t AppendText(uint32_t group, std::string_view text);
  uint32_t AppendTensor(const TVMFFIAny& value);
  uint32_t SharedLeaf(const TVMFFIAny& value, graph::ValueClass cls);
  void AppendList(TsmNodeGroup& group, const uint32_t* items, uint64_t n);
  void AppendInline(TsmNodeGroup& group, const graph::TypePlan& plan, const TVMFFIObject* obj);
  const schema::TypeDescriptor& Describe(TsmNodeGroup& group);

  graph::PlanTable plans_;
  graph::Fold<TsmNodes> fold_;
  std::vector<uint16_t> node_groups_;
  std::deque<TsmNodeGroup> groups_;
  uint32_t builtin_[16];
  graph::PointerMap<uint32_t> plan_groups_;
  std::multimap<std::string_view, uint32_t> type_groups_;  // by type key
  const graph::TypePlan* last_plan_ = nullptr;
  uint32_t last_group_ = 0;
  std::vector<schema::SchemaRef> registered_;  // descriptions of native types
  TsmBlobTable blobs_;
  ScalarTable scalars_;
  TextTable strings_;
  TextTable bytes_;
  graph::PointerMap<uint32_t> leaves_;
};

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_TSM_NODES_H_
