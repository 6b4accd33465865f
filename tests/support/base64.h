/*
 * Base64 for tests.
 */
#ifndef TRANSOM_SUPPORT_BASE64_H_
#define TRANSOM_SUPPORT_BASE64_H_

#include <string>
#include <string_view>

namespace transom::testing {

/*! \brief Standard alphabet, padded. */
inline std::string EncodeBase64(std::string_view bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    for (size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    for (size_t k = 0; k < 4; ++k) out.push_back(i + k > bytes.size() ? '=' : kDigits[group >> (18 - 6 * k) & 63]);
  }
  return out;
}

/*! \brief The bytes of well-formed base64; white space is skipped. */
inline std::string DecodeBase64(std::string_view text) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned group = 0;
  int bits = 0;
  for (char c : text) {
    size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) continue;
    group = group << 6 | static_cast<unsigned>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out.push_back(static_cast<char>(group >> bits & 0xFF));
  }
  return out;
}

}  // namespace transom::testing
#endif  // TRANSOM_SUPPORT_BASE64_H_
