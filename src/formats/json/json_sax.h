/*
 * RapidJSON as the readers use it: iterative, strict, from a slice of text that ends with a NUL.
 */
#ifndef TRANSOM_SRC_FORMATS_JSON_JSON_SAX_H_
#define TRANSOM_SRC_FORMATS_JSON_JSON_SAX_H_

// Skips white space and plain text 16 bytes at a time. Its aligned loads go to the end of the last 16 bytes of a text, never
// into another page, which address sanitizers take for an overflow.
#if defined(__has_feature)
#define TRANSOM_HAS_FEATURE(x) __has_feature(x)
#else
#define TRANSOM_HAS_FEATURE(x) 0
#endif
#if defined(__SSE2__) && !defined(__SANITIZE_ADDRESS__) && !TRANSOM_HAS_FEATURE(address_sanitizer)
#define RAPIDJSON_SSE2
#endif
#undef TRANSOM_HAS_FEATURE
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "formats/json/json_error.h"

namespace transom::formats {

using JsonStream = rapidjson::StringStream;
using JsonInPlaceStream = rapidjson::InsituStringStream;

/*
 * Iterative: depth costs memory, not stack. RapidJSON's doubles are not used (SaxNumber reads the text again), so its exact and slow
 * number path stays off. Values that are not JSON (NaN, Infinity) are what TVM writes.
 */
constexpr unsigned kSaxFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseNanAndInfFlag;

/*! \brief A number as the grammar of this library understands it. */
struct SaxNumber {
  enum Kind { kInt, kFloat, kOutOfRange, kBadWord } kind = kInt;
  int64_t i = 0;
  double f = 0;

  /*! \brief Reads the number that starts at `p` (a valid JSON number, NaN or Infinity, followed by another character). */
  static SaxNumber Read(const char* p) {
    SaxNumber n;
    const char* q = p + (*p == '-' ? 1 : 0);
    if (*q == 'N' || *q == 'I') {
      // RapidJSON takes "Inf" and "-NaN" too. The comparison stops at the end of the text.
      const bool is_nan = std::strncmp(p, "NaN", 3) == 0;
      n.kind = is_nan || std::strncmp(q, "Infinity", 8) == 0 ? kFloat : kBadWord;
      n.f = is_nan ? std::nan("") : q == p ? HUGE_VAL : -HUGE_VAL;
      return n;
    }
    bool integer = true;
    const char* end = q;
    for (; (*end >= '0' && *end <= '9') || *end == '.' || *end == 'e' || *end == 'E' || *end == '+' || *end == '-'; ++end) {
      integer &= *end >= '0' && *end <= '9';
    }
    if (integer) {
      if (std::from_chars(p, end, n.i).ec != std::errc()) n.kind = kOutOfRange;
    } else {
      n.kind = kFloat;
      // Underflow to zero is no error: the text denotes a number that small.
      if (std::from_chars(p, end, n.f).ec == std::errc::result_out_of_range && !(std::fabs(n.f) < 1)) n.kind = kOutOfRange;
    }
    return n;
  }
};

/*! \brief What is wrong with a number at `p` that does not fit its type. */
inline std::string OutOfRange(const char* p) {
  for (p += *p == '-' ? 1 : 0; *p >= '0' && *p <= '9'; ++p) {
  }
  if (*p == '.' || *p == 'e' || *p == 'E') return "a number beyond the range of a double";
  return "an integer beyond 64 bits; larger ones are `ffi.BigInt` nodes";
}

/*! \brief Throws the syntax error that a reader met, as a ValueError with source and byte; returns when there is none. */
inline void CheckSyntax(const rapidjson::Reader& reader, std::string_view text, size_t offset, std::string_view source) {
  if (!reader.HasParseError()) return;
  const size_t at = offset + reader.GetErrorOffset();
  if (at >= text.size()) ThrowAt(source, text.size(), "the JSON text ends too early; the file is truncated");
  if (reader.GetParseErrorCode() == rapidjson::kParseErrorNumberTooBig) {
    ThrowAt(source, at, OutOfRange(text.data() + at));
  }
  const auto c = static_cast<unsigned char>(text[at]);
  if (reader.GetParseErrorCode() == rapidjson::kParseErrorStringEscapeInvalid && c < 0x20) {
    ThrowAt(source, at, "malformed JSON: a control character (byte " + std::to_string(c) + ") in a string; it must be escaped");
  }
  ThrowAt(source, at, std::string("malformed JSON: ") + rapidjson::GetParseError_En(reader.GetParseErrorCode()));
}

/*! \brief Parses one JSON value at `offset` of the text and returns the offset behind it. The handler's exceptions pass through. */
template <unsigned kExtraFlags, class Handler>
size_t ParseValue(std::string_view text, size_t offset, std::string_view source, JsonStream& stream, Handler& handler) {
  stream = JsonStream(text.data() + offset);
  rapidjson::Reader reader;
  reader.Parse<kSaxFlags | kExtraFlags>(stream, handler);
  CheckSyntax(reader, text, offset, source);
  return offset + stream.Tell();
}

/*! \brief Parses a whole text and returns the offset of its end. `scratch` is a copy of it, in which strings are decoded in place: that
 *  saves copying each of them. */
template <class Handler>
size_t ParseInPlace(std::string_view text, std::string_view source, JsonInPlaceStream& scratch, Handler& handler) {
  rapidjson::Reader reader;
  reader.Parse<kSaxFlags | rapidjson::kParseInsituFlag>(scratch, handler);
  CheckSyntax(reader, text, 0, source);
  return scratch.Tell();
}

/*! \brief Offset behind the JSON value at `offset`. */
inline size_t SkipValue(std::string_view text, size_t offset, std::string_view source) {
  rapidjson::BaseReaderHandler<> nothing;
  JsonStream stream(text.data());
  return ParseValue<rapidjson::kParseStopWhenDoneFlag>(text, offset, source, stream, nothing);
}

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_JSON_JSON_SAX_H_
