/*
 * JSON graph: a table of nodes, children first, as TVM-FFI writes and reads it.
 */
#ifndef TRANSOM_FORMATS_JSON_GRAPH_H_
#define TRANSOM_FORMATS_JSON_GRAPH_H_

#include <transom/containers/string.h>
#include <transom/export.h>
#include <transom/formats/deserialized.h>
#include <transom/formats/load.h>
#include <transom/runtime/any.h>

#include <string>
#include <string_view>

namespace transom {

/*!
 * \brief Reads a JSON graph. Strict: the whole text is one JSON object with `root_index` and `nodes`; wrong kinds,
 * duplicate, unknown or missing members, declared types that are not kept, bad references and cycles are ValueErrors
 * with source, byte offset, node, type and field. SchemaError: a type that nobody describes; VersionError: a schema of
 * a newer form; such a file may be whole. Node order is free; unreachable nodes are checked for grammar only.
 *
 * \param text UTF-8 JSON; not kept.
 * \return The value and what came with it. Linear in the text; memory a small multiple of it. No recursion on the
 * data's depth. Thread-safe.
 */
TRANSOM_API LoadResult LoadJSON(std::string_view text, const LoadOptions& options = {});

/*!
 * \brief Writes a JSON graph: nodes in depth-first post-order, equal plain values and strings once, objects once. The
 * text is a function of value and options. Not kept: the payload of a NaN. ValueError: a cycle, or a value that no file
 * can hold (function, module, pointer, tensor not on the CPU); TypeError: a type without fields that can be read.
 * Messages have the path. Linear.
 */
TRANSOM_API std::string SaveJSON(AnyView value, const SaveOptions& options = {});

/*! \brief SaveJSON and LoadJSON with default options. The result converts to the type it is assigned to. */
TRANSOM_API String SerializeToJSON(AnyView value);
TRANSOM_API Deserialized DeserializeFromJSON(const String& text);

}  // namespace transom
#endif  // TRANSOM_FORMATS_JSON_GRAPH_H_
