/*
 * Deduplication: equal parts of a graph become one object.
 */
#ifndef TRANSOM_STRUCTURAL_DEDUPLICATE_H_
#define TRANSOM_STRUCTURAL_DEDUPLICATE_H_

#include <transom/export.h>
#include <transom/graph/statistics.h>
#include <transom/runtime/any.h>
#include <transom/schema/schema.h>

#include <cstdint>

namespace transom {

struct DeduplicateOptions {
  /*!
   * \brief Also merge closed functions that are equal but for the identity and the ignored fields (names) of their
   * variables: parts with variables, all of which are bound and used inside only. Two uses of what was merged share its
   * variables, so the result is no longer structurally equal to the input as a whole; every unfolding of it is.
   */
  bool merge_functions = false;
  /*! \brief Also merge objects that differ in ignored fields (source locations); what the first has there stays. */
  bool merge_ignored = false;
  /*! \brief Tensors count by shape, dtype and device only, as in StructuralOptions: the content of the first one stays,
   * the others' is lost. */
  bool skip_tensor_content = false;
  /*!
   * \brief The graph comes from a file, as in StructuralOptions: types without a declared structural kind are trees,
   * and no variable or unique instance is known outside. Without this, types without a kind are not merged, and unbound
   * variables and unique instances, which equal only themselves, stay the objects that they are, with all that they
   * hold.
   */
  bool as_files = false;
  /*! \brief Rules that also hold for registered types of the same key, as in StructuralOptions; may be empty. */
  schema::SchemaRef rules;
};

struct DeduplicateResult {
  /*! \brief The graph without repetition; the input itself when nothing repeats. Parts without repetition are shared
   * with the input. */
  Any value;
  /*! \brief What was given; keeps it alive for what is counted. */
  Any input;

  // What was saved is counted when it is asked for, by a walk over each of the graphs, which must not have been
  // changed. Linear; no recursion.
  GraphStatistics before() const { return Statistics(input); }
  GraphStatistics after() const { return Statistics(value); }
  /*! \brief Objects that are gone; strings and plain values are not counted. */
  uint64_t objects_saved() const { return before().objects - after().objects; }
  /*! \brief Memory of the distinct objects before less that after, contents included. */
  int64_t bytes_saved() const { return static_cast<int64_t>(before().bytes()) - static_cast<int64_t>(after().bytes()); }
};

/*!
 * \brief A graph that is structurally equal to `root`, in which equal closed parts are one object, the first in
 * post-order.
 *
 * What is merged: arrays, maps, shapes, big integers, tensors (by the bits of their elements) and objects of tree
 * kinds, records or native, that are equal in all fields, ignored ones too (but see the options); objects of one type
 * merge within one representation, native or record of one descriptor. Closed means: nothing below is a variable, a dag
 * node, a unique instance, a List or Dict, or an object of a type with comparison code of its own. Strings are values,
 * not objects. Functions, modules and pointers equal themselves only. A map two of whose keys are equal objects tells
 * them apart by identity, and keeps doing so.
 *
 * The input is not changed. What holds something merged is made anew: records, containers, and native objects by their
 * `__ffi_shallow_copy__`, else creator and setters. So a List or Dict of the result may be a copy; its sharing within
 * the graph is kept. Equal hashes never decide: every merged pair is compared.
 *
 * ValueError: a cycle, or an object that cannot be made anew; hooks of types (getters, setters, `__data_to_json__`)
 * throw their own. Messages have the path. Linear in objects plus edges, functions too. No recursion. Thread-safe while
 * nobody changes the value.
 */
TRANSOM_API DeduplicateResult Deduplicate(AnyView root, const DeduplicateOptions& options = {});

}  // namespace transom
#endif  // TRANSOM_STRUCTURAL_DEDUPLICATE_H_
