/*
 * Dump: a graph as text that reads like IR, and a value on one line.
 */
#ifndef TRANSOM_RENDER_DUMP_H_
#define TRANSOM_RENDER_DUMP_H_

#include <transom/export.h>
#include <transom/runtime/any.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace transom {

struct DumpOptions {
  /*! \brief Levels of nesting that are written in place; deeper objects are listed flat as `%n = ...`. */
  int64_t depth = 64;
  /*! \brief Items of one sequence and entries of one map that are shown; the rest is counted. 0: all. */
  int64_t max_items = 0;
  /*! \brief Bytes of one string that are shown; the rest is counted. 0: all. */
  int64_t max_string = 0;
  /*! \brief Fields that are None and fields that take no part in structural comparison (source locations) too. */
  bool all_fields = false;
  /*! \brief List only what is one object. Else parts that read the same and whose identity means nothing are listed
   * once too. */
  bool exact_sharing = false;
  /*! \brief Colour by terminal codes. */
  bool color = false;
};

/*!
 * \brief A value as text that ends in a newline.
 *
 * An object is `type.Key(field=value, ...)`, on one line where it fits. A variable is `%label`, with its type and
 * fields where it is met first; repeated labels get `_1`, `_2`, variables without a label `%0`, `%1`. A part that
 * several places share is `%n` there, and `%n = ...` on a line of its own before the first of them, unless it is short
 * and its identity means nothing. Tensors are shown by dtype, shape, structural hash and first elements; functions and
 * pointers by their type alone.
 *
 * Deterministic: no addresses. Time and output linear in the graph; memory too; no recursion. Thread-safe while nobody
 * changes the value. ValueError: a cycle (names the path). Errors of field getters pass through.
 */
TRANSOM_API std::string DumpText(AnyView value, const DumpOptions& options = {});

/*!
 * \brief One line for a value: plain values as they are, variables as `%label`, objects with the fields that fit and
 * what lies deeper as `Type(...)`. About `max_length` bytes at most; what does not fit is `...`. Constant time but for
 * long maps and the content hash of tensors. Thread-safe while nobody changes the value.
 */
TRANSOM_API std::string Summary(AnyView value, size_t max_length = 80);

}  // namespace transom
#endif  // TRANSOM_RENDER_DUMP_H_
