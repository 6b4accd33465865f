/*
 * Pieces of error messages of the description layer.
 */
#ifndef TRANSOM_SRC_SCHEMA_MESSAGE_H_
#define TRANSOM_SRC_SCHEMA_MESSAGE_H_

#include <string>
#include <string_view>
#include <utility>

namespace transom::schema {

// The first `head` and the last `tail` bytes of a longer text, a few less where a character of UTF-8 would be cut.
std::pair<std::string_view, std::string_view> EndsOf(std::string_view text, size_t head, size_t tail);

// Text from a file in double quotes: control characters escaped, the middle of a long text left out.
std::string Quote(std::string_view text);

// "N bytes" and the like: the plural but for 1.
std::string Count(size_t n, std::string_view noun);

// Where a message comes from: the name of the text and, for parts of it, the byte offset.
struct TextOrigin {
  std::string_view source;
  const char* begin = nullptr;  // the text that views point into; null when there is none
  size_t size = 0;

  // "SOURCE: byte N: " for the inside of a quoted string of the text (N is the opening quote), else "SOURCE: "; empty
  // when the source has no name.
  std::string Prefix(std::string_view where = {}) const;
  std::string PrefixAt(size_t offset) const;
};

}  // namespace transom::schema

#endif  // TRANSOM_SRC_SCHEMA_MESSAGE_H_
