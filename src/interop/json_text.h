/*
 * JSON text as the functions `ffi.json.Parse` and `ffi.json.Stringify` of the C contract read and write it. Other front
 * ends rely on their leniency (NaN, doubled keys) and on their error texts, so they are not the library's own JSON
 * reader.
 */
#ifndef TRANSOM_SRC_INTEROP_JSON_TEXT_H_
#define TRANSOM_SRC_INTEROP_JSON_TEXT_H_

#include <transom/containers/string.h>
#include <transom/export.h>
#include <transom/runtime/any.h>

#include <string_view>

namespace transom::interop {

/*!
 * \brief Parses one JSON value into None, bool, int, float, String, Array and Map; the last of equal keys wins.
 * Integers that do not fit into 64 bits are floats. ValueError: `REASON: line L column C (char N)`, where C and N count
 * bytes. No recursion.
 */
TRANSOM_API Any ParseJson(std::string_view text);

/*!
 * \brief Text of a value of None, bool, int, float, String, Array, List and Map with string keys. `indent` 0 is
 * compact; otherwise each item has its line, `indent` spaces deeper per level (none when negative). ValueError: another
 * value or key, or a List in itself. No recursion; a value that occurs several times is written as often.
 */
TRANSOM_API String StringifyJson(const AnyView& value, int64_t indent);

}  // namespace transom::interop
#endif  // TRANSOM_SRC_INTEROP_JSON_TEXT_H_
