/*
 * Digests of a graph's nodes (docs/digest.md), as a visitor of the one walk.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_HASH_DIGEST_VISITOR_H_
#define TRANSOM_SRC_STRUCTURAL_HASH_DIGEST_VISITOR_H_

#include <transom/structural/hash.h>

#include <functional>
#include <memory>
#include <vector>

#include "graph/fold.h"
#include "structural/rules/bound_variables.h"
#include "structural/rules/comparable.h"

namespace transom::structural {

class KeyScope;

/*! \brief For tables by digest. */
struct DigestHash {
  size_t operator()(const Digest& digest) const { return digest.low; }
};

/*! \brief Digest of a value without children. */
Digest LeafDigest(const TVMFFIAny& value, graph::ValueClass cls, bool skip_tensor_content);

/*!
 * \brief Computes digests. In weak mode variables and shared nodes have no numbers, so that a digest does not depend on
 * what surrounds a value: the order of map entries and the alignment of sequences use these.
 */
class TRANSOM_API DigestVisitor {
 public:
  using Result = Digest;
  static constexpr bool kKeysFirst = true;
  static constexpr bool kTextsByAddress = true;
  enum class Mode : uint8_t { kExact, kWeak };
  /*! \brief Number of a variable or shared node in the caller's context, -1 for none. */
  using NumberOf = std::function<int64_t(const TVMFFIObject*)>;

  /*! \param hooks kRun: an object that compares by code of its own counts by what its `__s_hash__` tells of. */
  DigestVisitor(graph::PlanTable& plans, const StructuralOptions& options, Mode mode, Hooks hooks = Hooks::kRefuse);
  /*! \brief Weak mode, but what has a number counts by it. The numbers must not change while this lives. */
  DigestVisitor(graph::PlanTable& plans, const StructuralOptions& options, NumberOf number_of,
                Hooks hooks = Hooks::kRefuse);
  ~DigestVisitor();

  /*! \brief Digest of a root, before the last mixing. Numbers and memo go on from earlier calls. */
  Digest Run(const TVMFFIAny& root);

  /*! \brief Path of a part whose key was asked for, by its place in what holds it. */
  using PathOf = std::function<graph::Path(const TVMFFIAny& part, int64_t place)>;
  /*! \brief Weak mode: where the parts lie that KeyOf is asked for; for messages. */
  void SetPathOf(PathOf path_of) { path_of_ = std::move(path_of); }

  /*! \brief Weak mode: the digest of any part of the value, computed once per object. A key, which never decides
   * whether two values are equal. */
  Digest KeyOf(const TVMFFIAny& value, int64_t place = -1) {
    const Digest digest = DigestOfPart(value, place);
    return {digest.low & key_mask, digest.high & key_mask};
  }

  /*! \brief For tests: the bits of keys that are used, all others are 0. Not while another thread compares. */
  inline static uint64_t key_mask = ~uint64_t{0};

  /*! \brief Weak mode: keys without what the scope takes out of them, also floats if `without_floats`. What cannot be
   * compared is no error then: it may be ignored where it stands. */
  void Restrict(KeyScope* scope, bool without_floats) {
    scope_ = scope;
    without_floats_ = without_floats;
  }

  Hooks hooks() const { return hooks_; }

  // For the walk.
  graph::Path Origin() const { return path_of_ ? path_of_(part_, place_) : graph::Path(); }
  bool OnlyLeaves(const graph::TypePlan& plan) const { return plan.only_numbers && scope_ == nullptr; }
  bool RememberAll() const { return mode_ == Mode::kWeak; }
  Digest Leaf(const TVMFFIAny& value, graph::ValueClass cls);
  Digest Custom(const TVMFFIAny& value, const graph::TypePlan& plan, std::string_view json);
  void Enter(graph::FoldFrame& frame);
  void MapChildren(graph::FoldFrame& frame, std::vector<TVMFFIAny>* children);
  graph::DefRegion KeyRegion(const graph::FoldFrame& frame, const TVMFFIAny& key) {
    return structural::KeyRegion(plans_, frame.region, key);
  }
  void KeysDone(graph::FoldFrame& frame, TVMFFIAny* children, Digest* keys);
  Digest Leave(graph::FoldFrame& frame, Digest* children);

 private:
  // Of a map, with the digest of its key.
  struct Entry {
    Digest digest;
    TVMFFIAny key;
    TVMFFIAny value;
  };
  static void SortByDigest(std::vector<Entry>* entries);
  static void SortEntries(size_t begin, size_t end, size_t n, TVMFFIAny* children, Digest* keys);
  void EnterHooked(graph::FoldFrame& frame);
  void MapChildrenInScope(graph::FoldFrame& frame, std::vector<TVMFFIAny>* children);
  Digest Fields(const graph::FoldFrame& frame, Digest* children);
  Digest FieldsWithDefaults(const graph::FoldFrame& frame, Digest* children);
  Digest Entries(const graph::FoldFrame& frame, Digest* children);
  static void SortValuesOfTies(Digest* children, size_t n);
  Digest Numbered(const graph::FoldFrame& frame, const Digest& content);
  Digest Variable(const graph::FoldFrame& frame, const Digest& content);
  Digest Weak(const graph::FoldFrame& frame, const Digest& content, uint64_t seed) const;
  const Digest& DefaultDigest(const graph::FieldPlan& field);
  Digest WeakDigest(const TVMFFIAny& value, int64_t place = -1);
  Digest DigestOfPart(const TVMFFIAny& value, int64_t place) {
    part_ = value;
    place_ = place;
    return WeakDigest(value);
  }
  Digest KeyOfLeaf(const TVMFFIAny& value, graph::ValueClass cls) const;

  graph::PlanTable& plans_;
  const StructuralOptions& options_;
  Mode mode_;
  const Hooks hooks_;
  NumberOf number_of_;
  PathOf path_of_;
  KeyScope* scope_ = nullptr;
  bool without_floats_ = false;
  TVMFFIAny part_;  // what KeyOf was asked for last, and its place
  int64_t place_ = -1;
  TVMFFIAny root_;
  graph::Fold<DigestVisitor> fold_;
  uint64_t num_variables_ = 0;
  uint64_t num_shared_ = 0;
  std::vector<Entry> entries_;          // of the map that is being opened
  std::vector<Digest> pairs_;           // of a map's entries
  graph::PointerMap<Digest> defaults_;  // by field
  std::unique_ptr<DigestVisitor> weak_;
  std::unique_ptr<BoundVariables> bound_;  // of the root, when an unbound variable is met
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_HASH_DIGEST_VISITOR_H_
