/*
 * From a path as people write it to the value that lies there.
 */
#ifndef TRANSOM_GRAPH_RESOLVE_PATH_H_
#define TRANSOM_GRAPH_RESOLVE_PATH_H_

#include <transom/export.h>
#include <transom/runtime/any.h>

#include <string_view>

namespace transom {

/*!
 * \brief The value at a path.
 * \param path Text of a path as reports and AccessPath::ToString print it:
 *        `<root>.functions[ir.GlobalVar("main")].params[0]`. `<root>` may be
 *        left out; for a map key that is an object its label in quotes or `#k`, its place, will do. A string that is a
 *        key itself comes before an object that has it as its label.
 * \return The value, owned. ValueError: text that is no path, a place that the value does not have (names the last
 *         place that exists and what can follow it), or a text that several keys of a map have (gives their places).
 *         Linear in the path and in the entries of the maps on it. Thread-safe.
 */
TRANSOM_API Any ResolvePath(const Any& root, std::string_view path);

}  // namespace transom
#endif  // TRANSOM_GRAPH_RESOLVE_PATH_H_
