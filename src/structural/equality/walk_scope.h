/*
 * What a walk over two sides keeps while options leave out parts of them, or take them otherwise.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_EQUALITY_WALK_SCOPE_H_
#define TRANSOM_SRC_STRUCTURAL_EQUALITY_WALK_SCOPE_H_

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "structural/equality/union_find.h"
#include "structural/hash/digest_visitor.h"
#include "structural/hash/float_sketch.h"
#include "structural/rules/diff_scope.h"
#include "structural/rules/key_scope.h"

namespace transom::structural {

/*!
 * \brief That two parts are equal does not say, here, that they are equal everywhere: something may have been ignored
 * inside because of the way that led there, or floats were nearly equal, which is not transitive. Such pairs join no
 * set of objects that are equal everywhere. Where patterns hold for all parts alike they join one for the state that
 * they were met in; else, and where floats were near, the verdict is kept for the pair in that state.
 */
class WalkScope {
 public:
  using State = PathScope::State;

  /*! \brief Of a pair on the walk's stack. */
  struct Level {
    State state = PathScope::kOpen;
    bool approximate = false;  // equal so far, but not everywhere
    bool near = false;         // because of floats, too: then what it is equal to may be unequal to each other
  };

  /*! \brief How two sets of equal objects compared, met in a state. */
  enum class Verdict : uint8_t { kUnknown, kEqual, kDifferent };

  WalkScope(DiffScope& scope, const StructuralOptions& options, const TVMFFIAny& lhs_root, const TVMFFIAny& rhs_root);

  DiffScope& scope() { return scope_; }
  PathScope& paths() { return scope_.paths(); }

  std::vector<Level> levels;
  State child = PathScope::kOpen;   // of the part that is being compared
  bool enters_approximate = false;  // the pair that comes onto the stack is equal here at best

  /*! \brief Whether the root is to be compared. */
  bool BeginAtRoot() {
    child = paths().Root();
    return !paths().Ignored(child);
  }
  /*! \brief The pair on top of the stack, or the root, has something inside that is not equal everywhere. */
  void NoteApproximate(bool near) {
    if (levels.empty()) return;
    levels.back().approximate = true;
    levels.back().near |= near;
  }

  /*! \brief The verdict on two objects in a state, by the numbers of their sets, and whether it is about near floats.
   */
  Verdict Of(uint32_t lhs_set, uint32_t rhs_set, State state, bool* near);
  /*! \brief Keeps it for the pair that was met as `level` says. */
  void Remember(uint32_t lhs_set, uint32_t rhs_set, const Level& level, Verdict verdict);
  /*! \brief Whether the part of the two holders is reported for the first time. */
  bool IsNew(const TVMFFIObject* lhs_holder, const TVMFFIObject* rhs_holder, uint64_t part, EditKind kind) {
    return reported_.insert({lhs_holder, rhs_holder, part * kNumEditKinds + static_cast<uint64_t>(kind)}).second;
  }
  /*! \brief Whether a value that stands outside of what is asked for has a place inside it. Linear over
   * all calls that say no. */
  bool Leads(const TVMFFIAny& value, State state);

  const TVMFFIAny& root(bool is_lhs) const { return is_lhs ? lhs_root_ : rhs_root_; }
  KeyScope& keys(bool is_lhs) { return is_lhs ? lhs_ : rhs_; }
  /*! \brief With a tolerance: keys of parts with their floats, and summaries of these. */
  DigestVisitor& exact_keys(bool is_lhs) { return is_lhs ? lhs_exact_ : rhs_exact_; }
  FloatSketches& floats(bool is_lhs) { return is_lhs ? lhs_floats_ : rhs_floats_; }

 private:
  template <class A, class B, class C>
  struct Triple {
    A a;
    B b;
    C c;
    bool operator==(const Triple& o) const { return a == o.a && b == o.b && c == o.c; }
    struct Hash {
      size_t operator()(const Triple& t) const {
        uint64_t h = Word(t.a) * 0x9E3779B97F4A7C15u;
        h = (h ^ h >> 29 ^ Word(t.b)) * 0xBF58476D1CE4E5B9u;
        h = (h ^ h >> 32 ^ Word(t.c)) * 0x94D049BB133111EBu;
        return h ^ h >> 31;
      }
      static uint64_t Word(uint64_t i) { return i; }
      static uint64_t Word(const void* p) { return reinterpret_cast<uintptr_t>(p); }
    };
  };
  using Pair = Triple<uint32_t, uint32_t, State>;
  using Part = Triple<const TVMFFIObject*, const TVMFFIObject*, uint64_t>;
  using Place = Triple<const TVMFFIObject*, State, uint64_t>;

  DiffScope& scope_;
  const TVMFFIAny lhs_root_;
  const TVMFFIAny rhs_root_;
  KeyScope lhs_;
  KeyScope rhs_;
  DigestVisitor lhs_exact_;
  DigestVisitor rhs_exact_;
  FloatSketches lhs_floats_;
  FloatSketches rhs_floats_;
  /*! \brief In the union-find of those that are equal in a state. */
  uint32_t SetIn(State state, uint32_t set);

  graph::Keeper keeper_;
  std::unordered_map<Pair, Verdict, Pair::Hash> verdicts_;
  UnionFind sets_;
  std::unordered_map<uint64_t, uint32_t> sets_by_state_;
  std::unordered_set<Part, Part::Hash> reported_;
  std::unordered_set<Place, Place::Hash> leads_nowhere_;
};

/*! \brief Key of a whole side, without what the scope leaves out. */
Digest KeyIn(DiffScope* scope, const TVMFFIAny& root, const StructuralOptions& options);

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_EQUALITY_WALK_SCOPE_H_
