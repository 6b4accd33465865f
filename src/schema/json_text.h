/*
 * Pieces of JSON text, as every writer of the library puts them down. The spelling is that of TVM-FFI's own writer
 * (`\/`, lower-case hex, 17 digits), so that a file of TVM that is loaded and saved stays the same bytes.
 */
#ifndef TRANSOM_SRC_SCHEMA_JSON_TEXT_H_
#define TRANSOM_SRC_SCHEMA_JSON_TEXT_H_

#include <transom/export.h>
#include <transom/runtime/c_api.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace transom::schema {

/*! \brief Appends the text in quotes, escaped. Bytes from 0x80 on pass as they are. */
TRANSOM_API void AppendJsonString(std::string_view text, std::string* out);

TRANSOM_API void AppendJsonInt(int64_t value, std::string* out);

/*! \brief Appends a double that reads back to the same bits: NaN, Infinity, -Infinity, one decimal for integral values below
 *  2^53, else 17 significant digits. */
TRANSOM_API void AppendJsonFloat(double value, std::string* out);

/*! \brief Appends None, a bool, an int or a float. False, and nothing is appended, for other values. */
TRANSOM_API bool AppendJsonPlain(const TVMFFIAny& value, std::string* out);

/*! \brief Appends a value made of None, bool, int, float, strings, arrays and maps with string keys as compact JSON.
 *  Map members in order of their keys. Throws ValueError for other values, and beyond 1000 levels. */
TRANSOM_API void AppendCanonicalJson(const TVMFFIAny& value, std::string* out);

/*! \brief Appends the default of a field as schemas state it: canonical, a data type by its text. */
TRANSOM_API void AppendJsonDefault(const TVMFFIAny& value, std::string* out);

/*! \brief Value of a hexadecimal digit of either case; -1: it is none. */
inline int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/*! \brief Whether the bytes are well-formed UTF-8. */
TRANSOM_API bool IsValidUtf8(std::string_view text);

}  // namespace transom::schema
#endif  // TRANSOM_SRC_SCHEMA_JSON_TEXT_H_
