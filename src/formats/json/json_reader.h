/*
 * JSON graph from a text that the caller keeps: LoadJSON without its copy.
 */
#ifndef TRANSOM_SRC_FORMATS_JSON_JSON_READER_H_
#define TRANSOM_SRC_FORMATS_JSON_JSON_READER_H_

#include <transom/formats/load.h>

#include <string>
#include <string_view>

#include "formats/nodes/references.h"

namespace transom::formats {

/*! \brief As LoadJSON. A std::string, since the parser needs the NUL behind the text. `references`: what the references
 * of a patch lead to; null: the text is to be a graph, and a patch is an error. */
LoadResult LoadJsonText(const std::string& text, const LoadOptions& options, References* references = nullptr);

/*! \brief What makes the text a patch: the JSON text of its first member; empty: it is none. ValueError: the JSON text
 * of this is malformed. */
std::string_view PatchHeader(const std::string& text, std::string_view source);

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_JSON_JSON_READER_H_
