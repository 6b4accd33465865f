/*
 * The one form of messages about a JSON graph: source, byte, node, type, what was expected and what was found.
 */
#ifndef TRANSOM_SRC_FORMATS_JSON_JSON_ERROR_H_
#define TRANSOM_SRC_FORMATS_JSON_JSON_ERROR_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/io/file_error.h"

namespace transom::formats {

/*! \brief Throws "source: byte N: what". */
[[noreturn]] inline void ThrowAt(std::string_view source, size_t byte, const std::string& what,
                                 Unreadable why = Unreadable::kDamaged) {
  const std::string place = (source.empty() ? "" : std::string(source) + ": ") + "byte " + std::to_string(byte);
  ThrowUnreadable(why, place + ": " + what);
}

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_JSON_JSON_ERROR_H_
