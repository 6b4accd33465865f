/*
 * The walk over two graphs at once: equality, first mismatch and diff.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_EQUALITY_LOCK_STEP_H_
#define TRANSOM_SRC_STRUCTURAL_EQUALITY_LOCK_STEP_H_

#include <transom/structural/diff.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "graph/path.h"
#include "graph/pointer_map.h"
#include "graph/stack.h"
#include "graph/type_plan.h"
#include "structural/equality/binding_rule.h"
#include "structural/equality/context_check.h"
#include "structural/equality/correspondence.h"
#include "structural/equality/different_pairs.h"
#include "structural/equality/pair_elements.h"
#include "structural/equality/pairing.h"
#include "structural/equality/side_keys.h"
#include "structural/equality/union_find.h"
#include "structural/equality/walk_scope.h"
#include "structural/hash/digest_visitor.h"
#include "structural/rules/comparable.h"

namespace transom::structural {

/*! \brief A difference as the walk meets it. Values are borrowed from the two graphs. */
struct Difference {
  EditKind kind = EditKind::kUpdate;
  graph::Path lhs_path;
  graph::Path rhs_path;
  TVMFFIAny lhs;
  TVMFFIAny rhs;
  bool has_lhs = true;
  bool has_rhs = true;
  const TVMFFIObject* lhs_holder = nullptr;  // the object that the path's last step starts from; null at the root
  const TVMFFIObject* rhs_holder = nullptr;
  graph::Path
      around;  // kInsert, kDelete: the way from the object to the one that it was put around, or taken away from
  bool splits = false;  // kSharing: one object of the left side became several
  std::vector<std::pair<const TVMFFIObject*, const TVMFFIObject*>> more_holders;  // kSharing: of the other places
};

/*! \brief Something with parts that stands on one side only, or that something else replaced: part of a move, perhaps.
 */
struct LooseEnd {
  static constexpr size_t kNotListed = SIZE_MAX;
  EditKind kind = EditKind::kInsert;  // or kDelete, kReplace
  TVMFFIAny lhs;
  TVMFFIAny rhs;
  const TVMFFIObject* lhs_holder = nullptr;
  const TVMFFIObject* rhs_holder = nullptr;
  size_t listed = kNotListed;  // where in the list of differences
};

/*!
 * \brief Compares two graphs pair by pair, depth first, in the left side's order, with a stack of its own. A pair of
 * shared objects is entered once: pairs that were proved equal are joined in a union-find over both sides. That is
 * sound although variables are paired on the way, because pairings are one to one and never taken back.
 */
class LockStep {
 public:
  enum class Goal : uint8_t {
    kFirst,  // stop at the first difference; sequences by position
    kAll,    // go on after differences; sequences aligned by content
  };

  enum class Rules : uint8_t {
    kTransom,
    /*! \brief The same, but types with a hook, which that refuses, compare by it. Goal kFirst only. */
    kTransomHooks,
    /*! \brief Those of the C contract to the letter, for the functions that other front ends call: map keys that are
     * objects pair by what they are bound to or by identity, types with a hook compare by it, custom data does not
     * count. Goal kFirst only. */
    kContract,
  };

  LockStep(graph::PlanTable& plans, const StructuralOptions& options, Goal goal, Rules rules = Rules::kTransom);
  /*! \brief Goes on with keys of which some are known. They must outlive the walk.
   *  \param swapped The walk's left side is the keys' right one. */
  LockStep(graph::PlanTable& plans, const StructuralOptions& options, Goal goal, SideKeys& keys, bool swapped);
  LockStep(const LockStep&) = delete;
  LockStep& operator=(const LockStep&) = delete;

  /*! \brief Walks; returns whether the two are equal. `*sink` gets the differences that are listed: at most
   * `max_listed`. */
  bool Run(const TVMFFIAny& lhs, const TVMFFIAny& rhs, uint64_t max_listed, std::vector<Difference>* sink);

  /*! \brief From now on, notes what belongs together. Goal kAll only. */
  void Record(Correspondence* record) { record_ = record; }
  /*! \brief Before Run: what the options of a diff leave out makes no difference. Goal kAll where they speak of paths.
   * `scope`, whose plans are the walk's, must outlive the walk. */
  void Restrict(DiffScope* scope);
  /*! \brief Before Run: the first difference that is found ends the walk, whichever it is. */
  void StopAtAny() { stop_at_any_ = true; }
  /*! \brief After Run: compares two more parts, as if they stood at one place; what was bound stays bound. */
  void RunMore(const TVMFFIAny& lhs, const TVMFFIAny& rhs);

  /*! \brief From now on, looks for parts that stand elsewhere: elements of a sequence that moved in it, and what an
   * object was put around or taken away from. Other loose ends with parts are added to `*loose`. Goal kAll only. */
  void FindMoves(std::vector<LooseEnd>* loose) { loose_ = loose; }
  /*! \brief After Run: whether two parts are equal, given what is bound. Then what they bind stays bound; no difference
   * is noted. */
  bool SameElsewhere(const TVMFFIAny& lhs, const TVMFFIAny& rhs);
  /*! \brief Whether SameElsewhere is worth asking of two parts with equal keys. */
  bool SameInContext(const TVMFFIAny& lhs, const TVMFFIAny& rhs);
  /*! \brief The keys of the parts of a side. */
  DigestVisitor& lhs_keys() { return lhs_keys_; }
  DigestVisitor& rhs_keys() { return rhs_keys_; }
  /*! \brief Whether an object that stands in several places of a side was met. */
  bool Met(const TVMFFIObject* object, bool is_lhs) const {
    return (is_lhs ? lhs_known_ : rhs_known_).Find(object) != nullptr;
  }

  const std::array<uint64_t, kNumEditKinds>& counts() const { return counts_; }
  const std::set<std::string>& hook_types() const { return hook_types_; }
  const Bindings& bindings() const { return bindings_; }

 private:
  struct Frame {
    TVMFFIAny lhs;
    TVMFFIAny rhs;
    const graph::TypePlan* lhs_plan = nullptr;
    const graph::TypePlan* rhs_plan = nullptr;
    const uint16_t* list = nullptr;  // both sides of one plan: the fields that count
    size_t first_pair = 0;           // else: where its pairs begin on the stack of pairs
    size_t first_entry = 0;          // maps: where its entries begin
    size_t lhs_known = 0;            // shared: where the two are known
    size_t rhs_known = 0;
    size_t first_state = 0;  // recording: where the states of its children begin
    uint64_t num_lhs_entries = 0;
    uint64_t count = 0;
    uint64_t next = 0;
    graph::ValueClass cls = graph::ValueClass::kScalar;
    graph::DefRegion region = graph::DefRegion::kNone;
    StructuralKind kind = StructuralKind::kTree;
    bool shared = false;  // either side is
    bool paired = false;  // children are on the stack of pairs
    bool differs = false;
    bool in_keys = false;        // maps: keys are compared before values
    bool hooked = false;         // children are what the type's hook asks for
    std::string_view hook_name;  // hooked: the field that it asked for last, if it named one
    uint32_t way_in = 0;         // inside of an object that the other side lacks: number of the way in; 0: no
  };

  /*! \brief What is remembered of a shared object of one side. */
  struct Known {
    uint32_t set = 0;   // in the union-find; 0: none yet
    bool open = false;  // on the stack
  };

  /*! \brief What had been found at some moment. */
  struct Found {
    std::array<uint64_t, kNumEditKinds> counts{};
    size_t listed = 0;
    size_t loose = 0;
    uint64_t known = 0;
  };
  Found FoundSoFar() const {
    return {counts_, sink_ != nullptr ? sink_->size() : 0, loose_ != nullptr ? loose_->size() : 0,
            num_known_differences_};
  }

  /*! \brief An element of a sequence that stands in another order: the entry of the stack of pairs that it is compared
   * at, and the pairs that it would be if it had not moved. */
  struct MovedItem {
    size_t at = 0;
    Pair deleted;
    Pair inserted;
  };

  /*! \brief What chooses partners of elements of a sequence on the stack, as they are compared. */
  struct LateChoices {
    size_t first_pair = 0;  // of the sequence
    std::unique_ptr<LatePairing> choices;
  };

  /*! \brief The way into an object that one side has around what the other has. */
  struct WayIn {
    graph::Path steps;
    bool in_lhs = false;
  };

  /*! \brief What was found of an object that stands where another one was expected. */
  struct Copy {
    const TVMFFIObject* of = nullptr;  // the object that was bound; null: not the same content
  };

  /*! \brief The difference that an object became several, or several became one. */
  struct Sharing {
    bool counted = false;
    size_t listed = LooseEnd::kNotListed;
  };

  /*! \brief What a walk shares with those on trial that it starts. */
  struct Shared {
    Shared(graph::PlanTable& plans, const StructuralOptions& options, Hooks hooks)
        : Shared(plans, options, std::make_unique<SideKeys>(plans, options, hooks)) {}
    Shared(graph::PlanTable& plans, const StructuralOptions& options, std::unique_ptr<SideKeys> own)
        : Shared(plans, options, *own, false) {
      own_keys = std::move(own);
    }
    Shared(graph::PlanTable& plans, const StructuralOptions& options, SideKeys& keys, bool swapped)
        : binding_rule(plans, options),
          lhs_keys(swapped ? keys.rhs : keys.lhs),
          rhs_keys(swapped ? keys.lhs : keys.rhs) {}
    BindingRule binding_rule;
    std::unique_ptr<SideKeys> own_keys;
    DigestVisitor& lhs_keys;
    DigestVisitor& rhs_keys;
    // Of walks on trial:
    int depth = 0;
    uint64_t steps = 0;
  };

  LockStep(graph::PlanTable& plans, const StructuralOptions& options, Goal goal, Rules rules,
           std::shared_ptr<Shared> shared);
  void TellPathsOfKeys();
  bool AreAlike(const TVMFFIAny& lhs, const TVMFFIAny& rhs) const;
  bool SameIdentity(const Frame& frame) const;
  const Bindings& KnownBindings() const { return outer_bindings_ != nullptr ? *outer_bindings_ : bindings_; }

  void Visit(const TVMFFIAny& lhs, const TVMFFIAny& rhs, graph::DefRegion region);
  void VisitLeaf(const TVMFFIAny& lhs, const TVMFFIAny& rhs, graph::ValueClass cls);
  void VisitObject(Frame& frame);
  void CheckTypes(const Frame& frame);
  bool CustomDataDiffers(const Frame& frame);
  bool EnterShared(Frame& frame);
  void Push(Frame& frame);
  void EnterSequence(Frame& frame);
  void EnterMap(Frame& frame);
  void EnterFields(Frame& frame);
  void EnterMapByIdentity(Frame& frame);
  void VisitEntryByIdentity(Frame& frame, uint64_t entry);
  void VisitExtraEntry(Frame& frame);
  Hooks hooks() const { return rules_ == Rules::kTransom ? Hooks::kRefuse : Hooks::kRun; }
  void RunHook();
  bool AskHook(size_t hook);
  void HoldForHook();
  bool CompareForHook(size_t hook, const AnyView& lhs, const AnyView& rhs, graph::DefRegion region,
                      const AnyView& name);
  void WalkAbove(size_t base);
  void TakeStep();
  void CloseAbove(size_t base);
  void ForgetDifferences(const Found& before);
  void VisitChild();
  void VisitItem(Frame& frame, uint64_t i);
  void VisitEntry(Frame& frame, uint64_t i);
  void VisitField(Frame& frame, uint64_t i);
  void LoneField(const TVMFFIAny& value, const graph::FieldPlan& field, bool is_lhs);
  void Close(const Frame& frame);
  void Finish();
  void Remember(const Frame& frame, bool differs);

  // lock_step_moves.cc
  /*! \brief Whether what counts depends on places. */
  bool PlacesCount() const { return scope_ != nullptr && diff_scope_->has_paths(); }
  void PairMovedItems(Frame& frame);
  bool VisitMovedItem(const Frame& frame, const TVMFFIAny& lhs, const TVMFFIAny& rhs);
  bool VisitWrapped(const TVMFFIAny& lhs, const TVMFFIAny& rhs, graph::DefRegion region);
  bool MayBeWrapped(const TVMFFIAny& lhs, const TVMFFIAny& rhs);
  bool FindPartAlike(const TVMFFIAny& outer, const TVMFFIAny& inner, bool in_lhs, graph::DefRegion* region,
                     TVMFFIAny* part, graph::Path* way);
  bool EqualHere(const TVMFFIAny& lhs, const TVMFFIAny& rhs, graph::DefRegion region);
  void MeetKnownDifference();
  void AppendWayIn(uint32_t way_in, graph::Path* lhs, graph::Path* rhs) const;

  // lock_step_sharing.cc
  void MeetAnother(const Frame& frame);
  bool IsCopy(const TVMFFIObject* copy, const TVMFFIObject* of, bool is_lhs);
  void ReportSharing(const Frame& frame, const TVMFFIObject* one, bool splits);

  void Differ(EditKind kind, const TVMFFIAny* lhs, const TVMFFIAny* rhs);
  size_t Report(EditKind kind, const TVMFFIAny* lhs, const TVMFFIAny* rhs);
  size_t List(EditKind kind, const TVMFFIAny* lhs, const TVMFFIAny* rhs);
  void NoteLooseEnd(EditKind kind, const TVMFFIAny* lhs, const TVMFFIAny* rhs, size_t listed);
  void KeysDiffer();
  void RecordPair(const Frame& frame);
  bool HasOtherKeyOrder(const Frame& frame) const;
  void MarkSlot(Slot::State state);
  TVMFFIAny PartnerKey(const TVMFFIAny& key, bool is_lhs) const;
  graph::Path PathOfPart(const TVMFFIAny& part, int64_t place, bool is_lhs) const;
  void PathTo(graph::Path* lhs, graph::Path* rhs) const;
  void AppendSteps(const Frame& frame, graph::Path* lhs, graph::Path* rhs) const;
  Pair PairOf(const Frame& frame, uint64_t i) const;
  [[noreturn]] void ThrowCycle(bool is_lhs);

  // Options of a diff: lock_step_scope.cc.
  void BeginScope(const TVMFFIAny& lhs, const TVMFFIAny& rhs);
  void WalkInScope(size_t base);
  bool StepInScope();
  void ChoosePartner(const Frame& frame);
  PathScope::State StateOfPart(const Frame& frame, PathScope::State state, uint64_t i) const;
  bool CountsInScope(EditKind kind, const TVMFFIAny* lhs, const TVMFFIAny* rhs);
  WalkScope::Verdict VerdictInScope(uint32_t lhs_set, uint32_t rhs_set);
  bool RememberInScope(uint32_t lhs_set, uint32_t rhs_set, bool differs);
  bool NearInScope(const TVMFFIAny& lhs, const TVMFFIAny& rhs, graph::ValueClass cls);
  std::vector<Pair> PairInScope(const TVMFFISeqCell& lhs, const TVMFFISeqCell& rhs);
  std::vector<Pair> PairAsAsked(const TVMFFISeqCell& lhs, const TVMFFISeqCell& rhs);

  /*! \brief What is known of the shared objects of a pair that was entered. */
  Known& LhsKnown(const Frame& frame) { return *lhs_known_.FindAt(frame.lhs_known, frame.lhs.v_obj); }
  Known& RhsKnown(const Frame& frame) { return *rhs_known_.FindAt(frame.rhs_known, frame.rhs.v_obj); }
  void NoteDifferent(uint32_t lhs_set, uint32_t rhs_set);
  uint32_t SetOf(Known& known);

  graph::PlanTable& plans_;
  const StructuralOptions& options_;
  const Goal goal_;
  const Rules rules_;
  graph::Keeper keeper_;
  std::shared_ptr<Shared> shared_;
  BindingRule& binding_rule_;
  graph::Stack<Frame> frames_;
  // What the stacks refer to, while hooks run, which may drop it: both sides of the first frames, keys and values of the
  // first entries.
  std::vector<Any> held_frames_;
  std::vector<Any> held_entries_;
  size_t num_held_frames_ = 0;
  size_t num_held_entries_ = 0;
  std::vector<Pair> pairs_;
  std::vector<MapEntry> entries_;
  Bindings bindings_;
  graph::PointerMap<Known> lhs_known_;
  graph::PointerMap<Known> rhs_known_;
  UnionFind sets_;                          // of objects that are equal
  DifferentPairs different_;                // kAll: pairs of shared objects that differ
  DigestVisitor& lhs_keys_;
  DigestVisitor& rhs_keys_;
  const Bindings* outer_bindings_ = nullptr;  // on trial: of the walk that asks; nothing is bound then
  DiffScope* diff_scope_ = nullptr;
  std::unique_ptr<WalkScope> scope_;  // when options have something to say on the way
  std::unique_ptr<ElementPairing> element_pairing_;
  std::vector<LateChoices> late_pairings_;  // of the sequences on the stack
  bool stop_at_any_ = false;
  uint64_t num_in_keys_ = 0;  // maps on the stack, above the last hook, whose keys are being compared
  size_t hook_base_ = 0;      // pairs on the stack that a hook runs for, and those below
  bool stop_ = false;
  uint64_t max_listed_ = 0;
  uint64_t listed_steps_ = 0;  // of the paths of what is listed
  std::vector<Difference>* sink_ = nullptr;
  Correspondence* record_ = nullptr;
  std::vector<Slot::State> states_;  // recording: of the children of the pairs on the stack
  std::array<uint64_t, kNumEditKinds> counts_{};
  std::set<std::string> hook_types_;

  uint64_t num_known_differences_ = 0;  // places that lead to differences reported before

  // Moves.
  static constexpr uint64_t kMaxWrapperValues = 1'000'000;
  std::vector<LooseEnd>* loose_ = nullptr;
  uint64_t wrappers_looked_at_ = 0;     // values that were searched for what an object may be around
  std::vector<MovedItem> moved_items_;  // of the sequences on the stack; the next one of the innermost is last
  std::vector<WayIn> ways_in_{{}};
  uint32_t way_in_ = 0;                           // into the object that is being compared now
  std::vector<std::pair<uint32_t, uint32_t>>* tried_pairs_ = nullptr;  // while a pair is tried: what it adds to different_
  ContextCheck context_;

  // Sharing, by side: [0] the left one's objects, [1] the right one's.
  graph::PointerMap<Copy> copies_[2];
  graph::PointerMap<Sharing> sharing_[2];  // by the one object
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_EQUALITY_LOCK_STEP_H_
