/*
 * The one form of messages about a JSON graph: source, byte, node, type, what was expected and what was found.
 */
#ifndef TRANSOM_SRC_FORMATS_JSON_ERROR_H_
#define TRANSOM_SRC_FORMATS_JSON_ERROR_H_

#include <transom/runtime/error.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace transom::formats {

/*! \brief Throws ValueError "source: byte N: what". */
[[noreturn]] inline void ThrowAt(std::string_view source, size_t byte, const std::string& what) {
  TRANSOM_THROW(ValueError) << source << (source.empty() ? "" : ": ") << "byte " << byte << ": " << what;
}

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_JSON_ERROR_H_
