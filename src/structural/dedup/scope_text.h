/*
 * Closed parts of a graph that bind variables, as words: the same words, the same part but for the identity of its
 * variables.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_DEDUP_SCOPE_TEXT_H_
#define TRANSOM_SRC_STRUCTURAL_DEDUP_SCOPE_TEXT_H_

#include <string>
#include <unordered_map>
#include <vector>

#include "graph/fold.h"
#include "structural/rules/comparable.h"

namespace transom::structural {

/*! \brief Lists of all fields of objects, those that count first, in the order of comparison. */
class FieldOrders {
 public:
  struct Order {
    std::vector<uint16_t> fields;
    size_t num_counted = 0;
  };
  const Order& Of(const graph::TypePlan& plan, const TVMFFIObject* object, graph::Keeper& keeper);

 private:
  std::unordered_map<const std::vector<uint16_t>*, Order> orders_;  // by the list of those that count
};

/*!
 * \brief Writes closed parts as words. Variables and dag nodes are numbered as they are met; other nodes are written
 * once per content, so that sharing makes no difference and a part whose unfolding is exponential has words of linear
 * size. What is closed within the part is one word: the object that stands for all that are equal.
 */
class ScopeText {
 public:
  struct Result {
    uint64_t kind = 0;
    uint64_t payload = 0;
  };
  static constexpr bool kKeysFirst = true;

  /*! \brief Knows which objects are open, and what stands for closed ones. */
  class Context {
   public:
    virtual ~Context() = default;
    virtual bool IsOpen(const TVMFFIObject* object) const = 0;
    virtual const TVMFFIObject* StandIn(const TVMFFIObject* closed) const = 0;
  };

  ScopeText(graph::PlanTable& plans, FieldOrders& orders, const Context& context, bool skip_ignored)
      : orders_(orders), context_(context), skip_ignored_(skip_ignored), fold_(plans, *this) {}

  /*! \brief Words of the part below `root`, which is open now. Every open object is written in one call only. */
  std::vector<uint64_t> Write(const TVMFFIAny& root);

  // For the walk.
  bool Known(const TVMFFIAny& value, Result* result) const;
  Result Leaf(const TVMFFIAny& value, graph::ValueClass cls);
  Result Custom(const TVMFFIAny& value, const graph::TypePlan& plan, std::string_view json);
  void Enter(graph::FoldFrame& frame);
  void MapChildren(graph::FoldFrame& frame, std::vector<TVMFFIAny>* children) {
    graph::PushKeysThenValues(graph::MapOf(frame.value), children);
  }
  graph::DefRegion KeyRegion(const graph::FoldFrame& frame, const TVMFFIAny&) const { return frame.region; }
  void KeysDone(graph::FoldFrame&, TVMFFIAny*, Result*) {}
  Result Leave(graph::FoldFrame& frame, const Result* children);

 private:
  struct Node {
    size_t begin = 0;
    size_t size = 0;
    uint64_t number = 0;
  };
  uint64_t NumberOfText(std::string_view text);
  void PushType(const graph::FoldFrame& frame);

  FieldOrders& orders_;
  const Context& context_;
  const bool skip_ignored_;
  std::unordered_map<std::string, uint64_t> texts_;
  std::vector<uint64_t> words_;
  std::unordered_multimap<uint64_t, Node> nodes_;  // of this part, by hash
  uint64_t num_nodes_ = 0;
  uint64_t num_identities_ = 0;
  graph::Fold<ScopeText> fold_;
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_DEDUP_SCOPE_TEXT_H_
