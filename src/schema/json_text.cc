#include "schema/json_text.h"

#include <transom/containers/map.h>
#include <transom/runtime/dtype.h>
#include <transom/runtime/error.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

namespace transom::schema {
namespace {

// What stands for a byte inside quotes: 0 itself, 'u' a \u00xx escape, else the letter after a backslash.
constexpr std::array<char, 256> MakeEscapes() {
  std::array<char, 256> table{};
  for (int c = 0; c < 0x20; ++c) table[c] = 'u';
  table[0x7f] = 'u';
  table['"'] = '"';
  table['\\'] = '\\';
  table['/'] = '/';
  table['\b'] = 'b';
  table['\f'] = 'f';
  table['\n'] = 'n';
  table['\r'] = 'r';
  table['\t'] = 't';
  return table;
}
constexpr std::array<char, 256> kEscapes = MakeEscapes();

std::string_view StringText(const TVMFFIAny& v) {
  if (v.type_index == kTVMFFISmallStr) return {v.v_bytes, v.small_str_len};
  const auto* cell = reinterpret_cast<const TVMFFIByteArray*>(reinterpret_cast<const char*>(v.v_obj) + sizeof(TVMFFIObject));
  return {cell->data, cell->size};
}

bool IsString(const TVMFFIAny& v) { return v.type_index == kTVMFFISmallStr || v.type_index == kTVMFFIStr; }

constexpr int kMaxCanonicalDepth = 1000;

void AppendCanonical(const TVMFFIAny& value, int depth, std::string* out);

void AppendCanonicalArray(const TVMFFIAny& value, int depth, std::string* out) {
  const auto* cell = reinterpret_cast<const TVMFFISeqCell*>(reinterpret_cast<const char*>(value.v_obj) + sizeof(TVMFFIObject));
  out->push_back('[');
  for (int64_t i = 0; i < cell->size; ++i) {
    if (i != 0) out->push_back(',');
    AppendCanonical(static_cast<const TVMFFIAny*>(cell->data)[i], depth + 1, out);
  }
  out->push_back(']');
}

void AppendCanonicalMap(const TVMFFIAny& value, int depth, std::string* out) {
  const auto& map = *reinterpret_cast<const MapBaseObj*>(value.v_obj);
  std::vector<std::pair<std::string_view, const TVMFFIAny*>> members;
  for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos)) {
    const TVMFFIAny& key = *map.KeyAt(pos).raw();
    if (!IsString(key)) TRANSOM_THROW(ValueError) << "a JSON object has string keys, found a key of type index " << key.type_index;
    members.emplace_back(StringText(key), map.ValueAt(pos).raw());
  }
  std::sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  out->push_back('{');
  for (size_t i = 0; i < members.size(); ++i) {
    if (i != 0) out->push_back(',');
    AppendJsonString(members[i].first, out);
    out->push_back(':');
    AppendCanonical(*members[i].second, depth + 1, out);
  }
  out->push_back('}');
}

void AppendCanonical(const TVMFFIAny& value, int depth, std::string* out) {
  if (depth > kMaxCanonicalDepth) TRANSOM_THROW(ValueError) << "JSON data nested deeper than " << kMaxCanonicalDepth << " levels";
  if (AppendJsonPlain(value, out)) return;
  switch (value.type_index) {
    case kTVMFFISmallStr:
    case kTVMFFIStr:
      return AppendJsonString(StringText(value), out);
    case kTVMFFIArray:
    case kTVMFFIList:
      return AppendCanonicalArray(value, depth, out);
    case kTVMFFIMap:
    case kTVMFFIDict:
      return AppendCanonicalMap(value, depth, out);
    default:
      TRANSOM_THROW(ValueError) << "a value of type index " << value.type_index << " has no JSON form; "
                                << "expected None, bool, int, float, string, array or map";
  }
}

}  // namespace

void AppendJsonString(std::string_view text, std::string* out) {
  out->push_back('"');
  size_t plain = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    const char escape = kEscapes[c];
    if (escape == 0) continue;
    out->append(text, plain, i - plain);
    plain = i + 1;
    out->push_back('\\');
    out->push_back(escape);
    if (escape == 'u') {
      constexpr char kHex[] = "0123456789abcdef";
      out->append("00");
      out->push_back(kHex[c >> 4]);
      out->push_back(kHex[c & 15]);
    }
  }
  out->append(text, plain, text.size() - plain);
  out->push_back('"');
}

void AppendJsonInt(int64_t value, std::string* out) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  out->append(buffer, end - buffer);
}

void AppendJsonFloat(double value, std::string* out) {
  if (std::isnan(value)) {
    out->append("NaN");
  } else if (std::isinf(value)) {
    out->append(value < 0 ? "-Infinity" : "Infinity");
  } else {
    char buffer[40];
    const bool integral = std::fabs(value) < 9007199254740992.0 && std::floor(value) == value;
    const auto result = integral ? std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::fixed, 1)
                                 : std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::general, 17);
    out->append(buffer, result.ptr - buffer);
  }
}

bool AppendJsonPlain(const TVMFFIAny& value, std::string* out) {
  switch (value.type_index) {
    case kTVMFFINone:
      out->append("null");
      return true;
    case kTVMFFIBool:
      out->append(value.v_int64 != 0 ? "true" : "false");
      return true;
    case kTVMFFIInt:
      AppendJsonInt(value.v_int64, out);
      return true;
    case kTVMFFIFloat:
      AppendJsonFloat(value.v_float64, out);
      return true;
    default:
      return false;
  }
}

void AppendCanonicalJson(const TVMFFIAny& value, std::string* out) { AppendCanonical(value, 0, out); }

void AppendJsonDefault(const TVMFFIAny& value, std::string* out) {
  if (value.type_index == kTVMFFIDataType) return AppendJsonString(DataType(value.v_dtype).ToString(), out);
  AppendCanonicalJson(value, out);
}

bool IsValidUtf8(std::string_view text) {
  const auto* p = reinterpret_cast<const unsigned char*>(text.data());
  const auto* end = p + text.size();
  while (p < end) {
    if (end - p >= 8) {
      uint64_t word;
      std::memcpy(&word, p, 8);
      if ((word & 0x8080808080808080u) == 0) {
        p += 8;
        continue;
      }
    }
    const unsigned char c = *p;
    const int length = c < 0x80 ? 1 : c >= 0xC2 && c < 0xE0 ? 2 : (c & 0xF0) == 0xE0 ? 3 : c >= 0xF0 && c < 0xF5 ? 4 : 0;
    if (length == 0 || end - p < length) return false;
    for (int i = 1; i < length; ++i) {
      if ((p[i] & 0xC0) != 0x80) return false;
    }
    // The shortest form only, no surrogates, nothing beyond U+10FFFF.
    if ((c == 0xE0 && p[1] < 0xA0) || (c == 0xED && p[1] >= 0xA0) || (c == 0xF0 && p[1] < 0x90) || (c == 0xF4 && p[1] >= 0x90)) {
      return false;
    }
    p += length;
  }
  return true;
}

}  // namespace transom::schema
