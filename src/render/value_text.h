/*
 * Text of values without children, as dumps, summaries and diffs show them.
 */
#ifndef TRANSOM_SRC_RENDER_VALUE_TEXT_H_
#define TRANSOM_SRC_RENDER_VALUE_TEXT_H_

#include <string>
#include <string_view>

#include "graph/value.h"
#include "render/style.h"

namespace transom::render {

/*!
 * \brief One line for a value without children: `None`, `True`, `1.5`, `float32`, `"text"`, `b"bytes"`, `ffi.Shape(1, 3)`,
 * `ffi.Tensor(float32[2, 3], 1e40d1c2a4efb7b1, [0.0, 1.0, ...])` with the content's hash, `<ffi.Function>`. Never an
 * address. Invalid UTF-8 is escaped.
 * \param max_string Bytes of a string that are shown, cut between characters, and items of a shape; 0: all.
 */
std::string LeafText(const TVMFFIAny& value, graph::ValueClass cls, int64_t max_string);

/*! \brief Text of an object with custom data: `ir.Op("relax.add")`. */
std::string CustomText(std::string_view type_key, std::string_view json, int64_t max_string);

Style LeafStyle(graph::ValueClass cls);

/*! \brief `%label`, in quotes where the label is no word or could be taken for a number: `%"0"`. */
std::string VariableText(std::string_view label);

/*! \brief `text` in quotes and escaped; over `max_string` bytes: its beginning and the number of all bytes. 0: all. */
std::string QuotedText(std::string_view text, int64_t max_string);

}  // namespace transom::render
#endif  // TRANSOM_SRC_RENDER_VALUE_TEXT_H_
