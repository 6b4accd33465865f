/*
 * Closed parts that bind variables, and which of them are equal.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_DEDUP_FUNCTION_FINDER_H_
#define TRANSOM_SRC_STRUCTURAL_DEDUP_FUNCTION_FINDER_H_

#include <string>
#include <unordered_map>
#include <vector>

#include "graph/fold.h"
#include "structural/dedup/deduplicate_parts.h"
#include "structural/dedup/scope_text.h"

namespace transom::structural {

/*!
 * \brief A part is open when what it holds depends on what is around it: a variable, a dag node, and all above them up
 * to where the part is closed. Open objects that touch form a scope. At an object that is the only way into its scope,
 * as all references to the others have been met below it, the scope ends: the object is closed, provided that no
 * definition region reaches it from above, and that everything in the scope can be compared and every variable in it
 * was met in a definition region. Scopes are sets of a union-find that count the references which are still to come.
 *
 * A visitor in the order of comparison, so that variables are met as comparison meets them.
 */
class FunctionFinder : public ScopeText::Context {
 public:
  struct Result {
    uint32_t scope = 0;  // of an open object; 0: closed
    bool flat = true;    // what PartMerger merges
    bool has_variable = false;
  };
  static constexpr bool kKeysFirst = true;
  static constexpr uint32_t kNoClass = ~uint32_t{0};

  FunctionFinder(graph::PlanTable& plans, const DeduplicateOptions& options, const PartMerger& parts,
                 uint64_t hash_mask);

  void Run(const TVMFFIAny& root);
  /*! \brief Number of the set of equal functions that the object is in; kNoClass: it is none. */
  uint32_t ClassOf(const TVMFFIObject* object) const;
  size_t num_classes() const { return classes_.size(); }

  bool IsOpen(const TVMFFIObject* object) const override;
  const TVMFFIObject* StandIn(const TVMFFIObject* closed) const override;

  // For the walk.
  Result Leaf(const TVMFFIAny&, graph::ValueClass) { return {}; }
  Result Custom(const TVMFFIAny& value, const graph::TypePlan& plan, std::string_view json);
  void Enter(graph::FoldFrame& frame);
  void MapChildren(graph::FoldFrame& frame, std::vector<TVMFFIAny>* children) {
    graph::PushKeysThenValues(graph::MapOf(frame.value), children);
  }
  graph::DefRegion KeyRegion(const graph::FoldFrame& frame, const TVMFFIAny& key) {
    return structural::KeyRegion(plans_, frame.region, key);
  }
  void KeysDone(graph::FoldFrame&, TVMFFIAny*, Result*) {}
  Result Leave(graph::FoldFrame& frame, const Result* children);

 private:
  struct Scope {
    uint32_t parent = 0;
    int64_t to_come = 0;  // references to its objects that have not been met
  };
  struct Class {
    std::vector<uint64_t> words;
    const TVMFFIObject* first = nullptr;
  };
  static constexpr uint32_t kNeverClosed = 1;  // the scope of all that cannot be merged

  void KeepKeys(const MapBaseObj& map);
  Result Gather(const graph::FoldFrame& frame, const Result* children);
  bool CannotMerge(const graph::FoldFrame& frame) const;
  bool IsFlat(const graph::FoldFrame& frame, const Result& parts) const;
  Result Open(const graph::FoldFrame& frame, Result parts);
  void Close(const graph::FoldFrame& frame, bool has_variable);
  uint32_t Root(uint32_t scope);
  uint32_t Join(uint32_t a, uint32_t b);

  graph::PlanTable& plans_;
  const bool merge_ignored_;
  const StructuralOptions compare_;
  const PartMerger& parts_;
  const uint64_t hash_mask_;
  FieldOrders orders_;
  ScopeText text_;
  graph::PointerMap<int64_t> references_;  // to each object, counted by a walk before
  std::vector<Scope> scopes_{{}, {kNeverClosed, 0}};
  graph::PointerMap<uint8_t> open_;
  graph::PointerMap<const TVMFFIObject*> stand_ins_;  // closed objects for which another stands
  std::unordered_map<std::string, const TVMFFIObject*> customs_;
  std::vector<Class> classes_;
  std::unordered_multimap<uint64_t, uint32_t> by_hash_;
  graph::PointerMap<uint32_t> class_of_;
  graph::Fold<FunctionFinder> fold_;
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_DEDUP_FUNCTION_FINDER_H_
