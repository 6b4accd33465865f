/*
 * Terminal colours of the text output: what a piece of text is decides its colour, in one table.
 */
#ifndef TRANSOM_SRC_RENDER_STYLE_H_
#define TRANSOM_SRC_RENDER_STYLE_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace transom::render {

enum class Style : uint8_t { kPlain, kName, kType, kText, kRemoved, kAdded, kPlace, kFaint };

inline std::string_view StyleCode(Style style) {
  switch (style) {
    case Style::kPlain:
      return "";
    case Style::kName:
      return "\x1b[36m";  // cyan: %x, %12
    case Style::kType:
      return "\x1b[34m";  // blue
    case Style::kText:
      return "\x1b[33m";  // yellow: strings
    case Style::kRemoved:
      return "\x1b[31m";  // red, as in every diff
    case Style::kAdded:
      return "\x1b[32m";  // green
    case Style::kPlace:
      return "\x1b[1m";  // bold: paths
    case Style::kFaint:
      return "\x1b[2m";
  }
  return "";
}

/*! \brief Appends text in a style; without `color` the text alone. */
inline void AppendStyled(Style style, std::string_view text, bool color, std::string* out) {
  if (!color || style == Style::kPlain || text.empty()) {
    out->append(text);
    return;
  }
  out->append(StyleCode(style)).append(text).append("\x1b[0m");
}

}  // namespace transom::render
#endif  // TRANSOM_SRC_RENDER_STYLE_H_
