/*
 * Structural diff: the differences between two values as edits, each with its place on both sides.
 */
#ifndef TRANSOM_STRUCTURAL_DIFF_H_
#define TRANSOM_STRUCTURAL_DIFF_H_

#include <transom/export.h>
#include <transom/reflection/access_path.h>
#include <transom/runtime/any.h>
#include <transom/structural/options.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace transom {

/*! \brief What happened at a place. */
enum class EditKind : uint8_t {
  kUpdate,   // a plain value has another value
  kInsert,   // an element or entry is new
  kDelete,   // an element or entry is gone
  kReplace,  // a value of another type stands there
  kMove,     // a part of at least 4 nodes stands elsewhere, unchanged
  kRewire,   // the same variable or shared node is expected there, but another stands there
  kRename,   // a bound variable has another name
  kSharing,  // the same content, but one variable or dag node became several or several one; trees may be shared or not
};
constexpr int kNumEditKinds = 8;

/*! \brief "update", "insert", ... */
TRANSOM_API std::string_view EditKindName(EditKind kind);

/*! \brief A step of a path: kinds and keys as in AccessStep, and the key's place in iteration order. */
struct DiffStep {
  int kind = 0;
  Any key;            // the field name, the index, or the map key
  int64_t place = 0;  // map keys: place in iteration order, -1 where the key is missing
};

/*! \brief One difference. Values are owned; an absent side is None with `has_lhs`/`has_rhs` false, and its path ends in
 * a missing step: the place where the value would be. Where an object was put around another one (an insertion) or
 * taken away from around it (a deletion), that path leads to the other one, and `around` from the object to it. */
struct Edit {
  EditKind kind = EditKind::kUpdate;
  std::vector<DiffStep> lhs_path;
  std::vector<DiffStep> rhs_path;
  Any lhs;
  Any rhs;
  bool has_lhs = true;
  bool has_rhs = true;
  uint64_t places = 1;  // distinct paths from the root that lead to it, saturating
  std::vector<DiffStep> around;
  bool splits = false;  // kSharing: one object of the left side became several; else several became one

  TRANSOM_API reflection::AccessPath LhsAccessPath() const;
  TRANSOM_API reflection::AccessPath RhsAccessPath() const;
};

/*! \brief A sequence whose elements pair by a field. */
struct DiffKey {
  std::string path;   // pattern
  std::string field;  // of elements that are objects; the key of an entry of elements that are maps
};

/*!
 * \brief How a diff is made. Patterns of paths are written as paths are printed, with `.*` for any field, `[*]` for any
 * item or entry, `*` for any step and `**` for any number of steps: `<root>.functions["main"].body[*].span`, `**.span`.
 * What every option means is in docs/diff.md. A place matches on either side.
 */
struct DiffOptions : StructuralOptions {
  /*! \brief At most this many edits are listed, fewer where their paths have over 1 million steps together; the counts
   * stay exact. */
  uint64_t max_edits = 1000;
  /*! \brief Stop at the first difference: its paths are those of StructuralEqual::GetFirstMismatch. */
  bool first_only = false;
  /*! \brief Report what stands elsewhere as a move, and an object that was put around another one as an insertion; else
   * all that is seen of them are insertions, deletions and replacements, and changes inside. */
  bool find_moves = true;
  /*! \brief Report bound variables whose names differ, as edits of kind kRename. They do not make values unequal.
   * Without effect beside first_only. */
  bool names = false;

  /*! \brief Patterns of places that are not looked at, nor what lies below them. */
  std::vector<std::string> ignore;
  /*! \brief Fields that do not count, as TYPE.FIELD, of the type and its descendants; *.FIELD of all types. */
  std::vector<std::string> ignore_fields;
  /*! \brief Keys of types whose objects, and those of their descendants, are equal to each other. */
  std::vector<std::string> ignore_types;
  /*! \brief Patterns of places: only differences there or below are reported. A place that one side alone has because
   * something above it came, went or was replaced is such a difference: then that one is reported. Empty: everywhere.
   */
  std::vector<std::string> only;
  /*! \brief Floats a and b, also as elements of tensors of float16, bfloat16, float32 and float64, are equal if
   * |a - b| <= atol + rtol * max(|a|, |b|). */
  double rtol = 0;
  double atol = 0;
  /*! \brief Patterns of sequences whose order does not count. */
  std::vector<std::string> unordered;
  /*! \brief Sequences whose elements pair by a field; their order does not count. */
  std::vector<DiffKey> keys;
};

struct DiffResult {
  std::vector<Edit> edits;                       // in the order of the left side
  std::array<uint64_t, kNumEditKinds> counts{};  // by EditKind, listed or not
  bool truncated = false;  // more edits exist than are listed; with first_only, others were not looked for
  /*! \brief Types that their library compares with code of its own; their records were compared by declared fields. */
  std::vector<std::string> hook_types;

  /*! \brief Bound variables that were paired although their names differ, as (left, right). No difference; a report
   * shows the right one by the left one's name, so that what did not change reads the same. `names` makes edits of
   * them; without it, equal values have none here. */
  std::vector<std::pair<Any, Any>> renamed;

  /*! \brief What was compared, and how: what ApplyDiff works from. Keeps both values alive. */
  Any old_value;
  Any new_value;
  DiffOptions options;

  /*! \brief Whether no difference was found. Under structural options exactly when StructuralEqual says equal; under
   * all options exactly when EqualForDiff does. Renamed variables are none. */
  bool equal() const { return total() == counts[static_cast<size_t>(EditKind::kRename)]; }

  /*! \brief Number of edits, listed or not. */
  uint64_t total() const {
    uint64_t sum = 0;
    for (uint64_t n : counts) sum += n;
    return sum;
  }
};

/*!
 * \brief The differences between two values: fields and map entries paired by name and key, sequences aligned by their
 * elements' subtree keys (an insertion is one edit), bound variables compared through their binders, shared parts
 * reported once, parts that stand elsewhere found by their keys and compared. Errors as StructuralEqual; TypeError: a
 * native object that compares by code of its own, since that says no more than whether there is a difference (give a
 * schema whose "compare" says which fields count); ValueError: an
 * option that makes no sense, such as a pattern that cannot be read, or a sequence none of whose elements has the field
 * that they are to pair by. About linear in the size of both values plus, per pair of sequences, the
 * length of what differs times a bounded number of edits.
 */
TRANSOM_API DiffResult StructuralDiff(AnyView lhs, AnyView rhs, const DiffOptions& options = {});

/*! \brief Whether StructuralDiff finds no difference under the same options; it stops at the first one that it meets.
 * Errors and costs as StructuralDiff; under structural options alone, hooks of types decide as in StructuralEqual. */
TRANSOM_API bool EqualForDiff(AnyView lhs, AnyView rhs, const DiffOptions& options = {});

/*!
 * \brief A value that is equal to the new one of the diff, under its options, and shares with `old_value` what did not
 * change.
 *
 * Neither value is changed: what holds a difference is made anew up to the root, as graph rewriting does (records,
 * containers, and native objects by their `__ffi_shallow_copy__`, else creator and setters). Parts that are new are the
 * new value's own objects, where they use nothing that the old value has; else copies that use the old value's: its
 * variables, shared nodes and parts that moved. Fields that do not count stay as they are in objects that both values
 * have. Outside of files, unbound variables, unique instances and dag nodes that are keys of maps stay themselves;
 * where the old value binds such a variable, or has another object in the place of such a key, what holds that is the
 * new value's.
 *
 * What a diff leaves out stays as in the old value: fields and objects of types that are ignored, and floats that are
 * equal within the tolerance. A diff under options that speak of paths (ignore, only, unordered, keys) is not applied.
 *
 * \param old_value The left value of the diff, or one that is equal to it.
 * \return The value. ValueError: a diff under options that speak of paths. PatchError: `old_value` is another one (says
 * where), or a diff that was made with first_only or has more differences than its max_edits (says what to do).
 * ValueError: an object that cannot be made again, with its path; errors of setters. Costs as StructuralDiff. No
 * recursion. Thread-safe while nobody changes the values.
 */
TRANSOM_API Any ApplyDiff(AnyView old_value, const DiffResult& diff);

}  // namespace transom
#endif  // TRANSOM_STRUCTURAL_DIFF_H_
