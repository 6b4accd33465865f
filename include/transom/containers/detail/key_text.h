/* Text of values that stand as keys in paths. */
#ifndef TRANSOM_CONTAINERS_DETAIL_KEY_TEXT_H_
#define TRANSOM_CONTAINERS_DETAIL_KEY_TEXT_H_

#include <transom/containers/bigint.h>
#include <transom/containers/string.h>
#include <transom/runtime/device.h>
#include <transom/runtime/dtype.h>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

namespace transom {
namespace detail {

/* Length of the UTF-8 character at the start of `text`; 0 where none is well-formed there. */
inline size_t Utf8Length(std::string_view text) {
  auto byte = [text](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  auto follows = [&](size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  unsigned lead = byte(0);
  if (lead < 0x80) return text.empty() ? 0 : 1;
  if (lead >= 0xC2 && lead <= 0xDF) return follows(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    bool overlong = lead == 0xE0 && byte(1) < 0xA0;
    bool surrogate = lead == 0xED && byte(1) >= 0xA0;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    bool overlong = lead == 0xF0 && byte(1) < 0x90;
    bool beyond = lead == 0xF4 && byte(1) >= 0x90;
    return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

/* The bytes in double quotes. Quotes, backslashes and control characters are escaped; so are bytes of broken UTF-8. */
inline std::string QuotedText(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  while (!text.empty()) {
    size_t length = Utf8Length(text);
    auto c = static_cast<unsigned char>(text[0]);
    if (c == '"' || c == '\\') {
      (out += '\\') += text[0];
    } else if (c == '\n' || c == '\r' || c == '\t') {
      (out += '\\') += c == '\n' ? 'n' : c == '\r' ? 'r' : 't';
    } else if (length == 0 || c < 0x20 || c == 0x7F) {
      ((out += "\\x") += kHex[c >> 4]) += kHex[c & 15];
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out + "\"";
}

/* Shortest text that reads back as the same number; it always shows that it is none of an integer. */
inline std::string FloatText(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[32];
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

/* Text of a plain value, text or integer; empty for values of other types. */
inline std::string PlainKeyText(const TVMFFIAny& key) {
  switch (key.type_index) {
    case kTVMFFINone:
      return "None";
    case kTVMFFIBool:
      return key.v_int64 != 0 ? "True" : "False";
    case kTVMFFIInt:
      return std::to_string(key.v_int64);
    case kTVMFFIFloat:
      return FloatText(key.v_float64);
    case kTVMFFIDataType:
      return DataType(key.v_dtype).ToString();
    case kTVMFFIDevice:
      return Device(key.v_device).ToString();
    case kTVMFFISmallStr:
    case kTVMFFIStr:
      return QuotedText(ToStringView(TextOf(&key)));
    case kTVMFFISmallBytes:
    case kTVMFFIBytes:
      return "b" + QuotedText(ToStringView(TextOf(&key)));
    case kTVMFFIBigInt:
      return BigInt::ToDecimal(AnyView::FromRaw(key));
    default:
      return "";
  }
}

}  // namespace detail
}  // namespace transom

#endif  // TRANSOM_CONTAINERS_DETAIL_KEY_TEXT_H_
