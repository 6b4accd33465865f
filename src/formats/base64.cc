#include "formats/base64.h"

#include <array>
#include <cstdint>

namespace transom::formats {
namespace {

constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t kSpace = 64, kPad = 65, kBad = 66;

constexpr std::array<uint8_t, 256> MakeValues() {
  std::array<uint8_t, 256> values{};
  for (auto& v : values) v = kBad;
  for (uint8_t i = 0; i < 64; ++i) values[static_cast<unsigned char>(kAlphabet[i])] = i;
  for (const char c : {' ', '\t', '\n', '\r', '\f', '\v'}) values[static_cast<unsigned char>(c)] = kSpace;
  values['='] = kPad;
  return values;
}
constexpr std::array<uint8_t, 256> kValues = MakeValues();

}  // namespace

std::string EncodeBase64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t n = bytes.size() - i < 3 ? bytes.size() - i : 3;
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) group = group << 8 | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (size_t k = 0; k < 4; ++k) out.push_back(k <= n ? kAlphabet[group >> (18 - 6 * k) & 63] : '=');
  }
  return out;
}

const char* DecodeBase64(std::string_view text, std::string* out) {
  out->reserve(out->size() + text.size() / 4 * 3);
  uint32_t group = 0;
  int digits = 0, pads = 0;
  for (const char c : text) {
    const uint8_t v = kValues[static_cast<unsigned char>(c)];
    if (v == kSpace) continue;
    if (v == kBad) return "a character outside the base64 alphabet";
    if (v == kPad) {
      if (++pads > 2 || digits < 2) return "misplaced base64 padding";
      continue;
    }
    if (pads != 0) return "base64 text after its padding";
    group = group << 6 | v;
    if (++digits == 4) {
      for (const int shift : {16, 8, 0}) out->push_back(static_cast<char>(group >> shift & 255));
      group = 0;
      digits = 0;
    }
  }
  if (digits + pads != 0 && digits + pads != 4) return "base64 text whose length is no multiple of 4 characters";
  if (digits == 2) {
    if ((group & 15) != 0) return "base64 text with nonzero bits after its end";
    out->push_back(static_cast<char>(group >> 4));
  } else if (digits == 3) {
    if ((group & 3) != 0) return "base64 text with nonzero bits after its end";
    out->push_back(static_cast<char>(group >> 10 & 255));
    out->push_back(static_cast<char>(group >> 2 & 255));
  }
  return nullptr;
}

}  // namespace transom::formats
