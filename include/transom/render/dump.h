/*
 * Dump: a graph as text that reads like IR, or as the JSON table.
 */
#ifndef TRANSOM_RENDER_DUMP_H_
#define TRANSOM_RENDER_DUMP_H_

#include <transom/export.h>
#include <transom/runtime/any.h>

#include <cstdint>
#include <string>

namespace transom {

struct DumpOptions {
  /*! \brief Levels of nesting that are written in place; deeper objects are listed flat as `%n = ...`. */
  int64_t depth = 64;
  /*! \brief Elements of one sequence or map that are shown; the rest is counted. 0: all. */
  int64_t max_items = 0;
  /*! \brief Bytes of one string that are shown; the rest is counted. 0: all. */
  int64_t max_string = 0;
  /*! \brief Colour by terminal codes. */
  bool color = false;
};

/*!
 * \brief A value as text: types with their fields, variables as `%label`, shared and deep objects listed flat. Deterministic; no
 * addresses. Output and time linear in the graph, except for what `max_*` leave out.
 * ValueError: a cycle (names the path).
 */
TRANSOM_API std::string DumpText(AnyView value, const DumpOptions& options = {});

/*! \brief One line for a value: scalars as they are, objects as `Type(label)` with a few fields, at most `max_length` bytes. */
TRANSOM_API std::string Summary(AnyView value, size_t max_length = 80);

}  // namespace transom
#endif  // TRANSOM_RENDER_DUMP_H_
