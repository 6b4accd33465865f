/*
 * JSON graph from a text that the caller keeps: LoadJSON without its copy.
 */
#ifndef TRANSOM_SRC_FORMATS_JSON_READER_H_
#define TRANSOM_SRC_FORMATS_JSON_READER_H_

#include <transom/formats/load.h>

#include <string>

namespace transom::formats {

/*! \brief As LoadJSON. A std::string, since the parser needs the NUL behind the text. */
LoadResult LoadJsonText(const std::string& text, const LoadOptions& options);

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_JSON_READER_H_
