/*
 * JSON text as values: for the small pieces of a file that are a type's own data.
 */
#ifndef TRANSOM_SRC_FORMATS_NODES_JSON_VALUE_H_
#define TRANSOM_SRC_FORMATS_NODES_JSON_VALUE_H_

#include <transom/export.h>
#include <transom/runtime/any.h>

#include <string_view>

namespace transom::formats {

/*! \brief Parses JSON into None, bool, int, float, String, Array and Map (string keys, in the order of the text).
 *  ValueError: malformed text, a duplicate key, an integer beyond 64 bits. No recursion. */
TRANSOM_API Any ParseJsonValue(std::string_view json);

/*! \brief Throws ValueError for metadata that is no JSON text; empty is none. */
void CheckMetadata(std::string_view metadata);

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_NODES_JSON_VALUE_H_
