/*
 * The walk that finds equal closed parts of a graph and makes the graph without them.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_DEDUP_DEDUPLICATE_PARTS_H_
#define TRANSOM_SRC_STRUCTURAL_DEDUP_DEDUPLICATE_PARTS_H_

#include <transom/structural/deduplicate.h>
#include <transom/structural/options.h>

#include <vector>

#include "graph/fold.h"
#include "graph/rebuild.h"
#include "structural/dedup/equal_parts.h"

namespace transom::structural {

/*! \brief The options of comparison that a deduplication stands for. */
StructuralOptions ComparisonOf(const DeduplicateOptions& options);

/*! \brief Parts by hash. Equal hashes lead to candidates; the caller compares. */
class PartTable {
 public:
  struct Entry : KnownPart {
    uint32_t next = 0;  // entry of the same hash, plus 1
  };

  /*! \param hash_mask Bits of hashes that are used: fewer, more candidates, the same answers. */
  explicit PartTable(uint64_t hash_mask) : hash_mask_(hash_mask) {}

  /*! \brief The entry with that hash for which `same(entry)`, or null. */
  template <class Same>
  const Entry* Find(uint64_t hash, Same&& same) const {
    const uint32_t* head = heads_.Find(Key(hash));
    for (uint32_t i = head != nullptr ? *head : 0; i != 0; i = entries_[i - 1].next) {
      if (same(entries_[i - 1])) return &entries_[i - 1];
    }
    return nullptr;
  }
  void Add(uint64_t hash, const KnownPart& part) {
    uint32_t& head = *heads_.Insert(Key(hash)).first;
    entries_.push_back({part, head});
    head = static_cast<uint32_t>(entries_.size());
  }

 private:
  // The map takes any word but 0 as an address.
  const void* Key(uint64_t hash) const { return reinterpret_cast<const void*>((hash & hash_mask_) | 1); }

  uint64_t hash_mask_;
  graph::PointerMap<uint32_t> heads_;
  std::vector<Entry> entries_;
};

/*!
 * \brief Visitor that gives every value the one that stands in its place. Values with parts that changed are made
 * again; all others stay. Owns what it makes: take the result before it ends.
 */
class TRANSOM_API PartMerger {
 public:
  /*! \brief What becomes of a value. */
  struct Result {
    TVMFFIAny value;                     // what stands in its place
    const TVMFFIObject* part = nullptr;  // closed objects but strings: the one that stands for all that are equal
    bool closed = false;
    bool changed = false;  // `value` is another object
  };
  static constexpr bool kKeysFirst = false;

  PartMerger(graph::PlanTable& plans, const DeduplicateOptions& options, uint64_t hash_mask);

  /*! \brief Keeps the object and all below it as they are; others may become them. Before Run. */
  void Fix(const TVMFFIAny& object);
  Any Run(const TVMFFIAny& root);
  /*! \brief Run, as long as it is certain that FixedObjects finds nothing. False: use neither `*result` nor this any
   * more.
   */
  bool RunUnfixed(const TVMFFIAny& root, Any* result);
  /*! \brief What stands for the part below a fixed object; null for other objects and for what is open. */
  const TVMFFIObject* FixedPart(const TVMFFIObject* object) const;
  bool IsFixed(const TVMFFIObject* object) const { return FindFixed(object) != nullptr; }

  // For the walk.
  Result Leaf(const TVMFFIAny& value, graph::ValueClass cls);
  Result Custom(const TVMFFIAny& value, const graph::TypePlan& plan, std::string_view json);
  void Enter(graph::FoldFrame& frame);
  Result Leave(graph::FoldFrame& frame, Result* children);

 private:
  using Entry = PartTable::Entry;
  struct Fixed {
    const TVMFFIObject* part = nullptr;
    bool closed = false;
  };

  struct SomethingIsFixed {};  // thrown

  const Fixed* FindFixed(const TVMFFIObject* object) const {
    return fixed_.size() != 0 ? fixed_.Find(object) : nullptr;
  }
  bool MayFixSomething(const graph::FoldFrame& frame, const Result* children);
  bool ComparesInOrder(const graph::TypePlan& plan, const TVMFFIObject* object);
  TVMFFIAny LeafPart(const TVMFFIAny& leaf, graph::ValueClass cls);
  Result Place(const TVMFFIAny& value, const TVMFFIObject* part, const TVMFFIAny& stand_in, bool closed);
  bool Closed(const graph::FoldFrame& frame, const std::vector<uint16_t>* fields, const Result* children) const;
  bool SeparateKeys(const graph::FoldFrame& frame, Result* children);
  TVMFFIAny OwnKey(const TVMFFIAny& original, const TVMFFIAny& merged);
  uint64_t HashOf(const graph::FoldFrame& frame, const std::vector<uint16_t>* fields, const Result* children);
  bool Same(const graph::FoldFrame& frame, const std::vector<uint16_t>* fields, const Result* children,
            const Entry& entry);
  bool SameChild(const Result& child, const TVMFFIAny& other) const;
  TVMFFIAny Remake(const graph::FoldFrame& frame, const Result* children);

  graph::PlanTable& plans_;
  const bool merge_ignored_;
  const StructuralOptions compare_;
  graph::Rebuilder rebuilder_;
  PartTable table_;
  graph::PointerMap<TVMFFIAny> leaf_parts_;  // tensors, shapes, big integers: what stands for each
  graph::PointerMap<TVMFFIAny> own_keys_;    // keys that must stay apart from an equal one: what stands for each
  graph::PointerMap<Fixed> fixed_;
  bool fixing_ = false;
  bool unfixed_ = false;  // RunUnfixed
  std::vector<uint64_t> words_;
  graph::Fold<PartMerger> fold_;
};

/*! \brief Deduplicate with weakened hashes, for tests. */
TRANSOM_API DeduplicateResult DeduplicateByHash(AnyView root, const DeduplicateOptions& options, uint64_t hash_mask);

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_DEDUP_DEDUPLICATE_PARTS_H_
