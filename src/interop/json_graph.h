/*
 * The JSON object graph as values (maps, arrays, strings and numbers), for the functions `ffi.ToJSONGraph` and
 * `ffi.FromJSONGraph` of the C contract. They keep its leniency: unknown fields are skipped, the metadata is not looked
 * at. Files are read and written by the stricter, streaming code of formats.
 */
#ifndef TRANSOM_SRC_INTEROP_JSON_GRAPH_H_
#define TRANSOM_SRC_INTEROP_JSON_GRAPH_H_

#include <transom/export.h>
#include <transom/runtime/any.h>

namespace transom::interop {

/*!
 * \brief Map with `root_index`, `nodes` and, unless it is None, `metadata`. Nodes are in depth-first post-order; equal
 * plain values and one object are one node. TypeError: an object that cannot be created again (no creator, no
 * `__ffi_new__`), such as a function or tensor. RuntimeError: a pointer. ValueError: a value that contains itself. No
 * recursion. Throws what getters and hooks throw.
 */
TRANSOM_API Any ToJsonGraph(const AnyView& value, const Any& metadata);

/*!
 * \brief The value of such a graph. Only nodes that the root leads to are read, each once, so sharing is kept.
 * ValueError: no graph, an index without a node, a node that leads to itself, malformed data of a built-in type, an
 * enum member that is not there. KeyError: a node without type or data. TypeError: data of another kind, or a field
 * that is required and missing. InternalError: an unknown type key. RuntimeError: a type that cannot be created. No
 * recursion. Throws what setters and hooks throw.
 */
TRANSOM_API Any FromJsonGraph(const Any& graph);

}  // namespace transom::interop
#endif  // TRANSOM_SRC_INTEROP_JSON_GRAPH_H_
