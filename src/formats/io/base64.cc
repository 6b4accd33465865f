#include "formats/io/base64.h"

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

// Decodes groups of four digits up to the first that holds anything else; returns the length of what was decoded.
size_t DecodeWholeGroups(std::string_view text, std::string* out) {
  const size_t begin = out->size(), groups = text.size() / 4;
  out->resize(begin + groups * 3);
  const auto* in = reinterpret_cast<const unsigned char*>(text.data());
  char* to = out->data() + begin;
  size_t n = 0;
  for (; n < groups; ++n, in += 4, to += 3) {
    const uint8_t a = kValues[in[0]], b = kValues[in[1]], c = kValues[in[2]], d = kValues[in[3]];
    if ((a | b | c | d) >= kSpace) break;
    to[0] = static_cast<char>(a << 2 | b >> 4);
    to[1] = static_cast<char>(b << 4 | c >> 2);
    to[2] = static_cast<char>(c << 6 | d);
  }
  out->resize(begin + n * 3);
  return n * 4;
}

}  // namespace

std::string EncodeBase64(std::string_view bytes) {
  std::string out((bytes.size() + 2) / 3 * 4, '=');
  const auto* in = reinterpret_cast<const unsigned char*>(bytes.data());
  char* to = out.data();
  size_t left = bytes.size();
  for (; left >= 3; left -= 3, in += 3) {
    const uint32_t group = static_cast<uint32_t>(in[0]) << 16 | static_cast<uint32_t>(in[1]) << 8 | in[2];
    for (const int shift : {18, 12, 6, 0}) *to++ = kAlphabet[group >> shift & 63];
  }
  if (left != 0) {
    const uint32_t group = static_cast<uint32_t>(in[0]) << 16 | (left == 2 ? static_cast<uint32_t>(in[1]) << 8 : 0u);
    *to++ = kAlphabet[group >> 18];
    *to++ = kAlphabet[group >> 12 & 63];
    if (left == 2) *to = kAlphabet[group >> 6 & 63];
  }
  return out;
}

const char* DecodeBase64(std::string_view text, std::string* out, size_t* wrong_at) {
  out->reserve(out->size() + text.size() / 4 * 3);
  size_t ignored;
  size_t& at = wrong_at != nullptr ? *wrong_at : ignored;
  size_t last_digit = 0;
  uint32_t group = 0;
  int digits = 0, pads = 0;
  for (at = DecodeWholeGroups(text, out); at < text.size(); ++at) {
    const uint8_t v = kValues[static_cast<unsigned char>(text[at])];
    if (v == kSpace) continue;
    if (v == kBad) return "a character outside the base64 alphabet";
    if (v == kPad) {
      if (++pads > 2 || digits < 2) return "misplaced base64 padding";
      continue;
    }
    if (pads != 0) return "base64 text after its padding";
    group = group << 6 | v;
    last_digit = at;
    if (++digits == 4) {
      for (const int shift : {16, 8, 0}) out->push_back(static_cast<char>(group >> shift & 255));
      group = 0;
      digits = 0;
    }
  }
  if (digits + pads != 0 && digits + pads != 4) return "base64 text whose length is no multiple of 4 characters";
  at = last_digit;
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
