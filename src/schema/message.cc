#include "schema/message.h"

#include <functional>

namespace transom::schema {
namespace {

constexpr size_t kMaxQuoted = 160;

void AppendEscaped(std::string_view text, std::string* out) {
  constexpr char kHex[] = "0123456789abcdef";
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      *out += "\\x";
      *out += kHex[byte >> 4];
      *out += kHex[byte & 15];
    } else {
      if (c == '"' || c == '\\') *out += '\\';
      *out += c;
    }
  }
}

bool IsContinuationByte(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

std::pair<std::string_view, std::string_view> EndsOf(std::string_view text, size_t head, size_t tail) {
  size_t begin = text.size() - tail;
  while (head > 0 && IsContinuationByte(text[head])) --head;
  while (begin < text.size() && IsContinuationByte(text[begin])) ++begin;
  return {text.substr(0, head), text.substr(begin)};
}

std::string Quote(std::string_view text) {
  std::string out = "\"";
  if (text.size() <= kMaxQuoted) {
    AppendEscaped(text, &out);
  } else {
    const auto [head, tail] = EndsOf(text, kMaxQuoted / 2, kMaxQuoted / 2);
    AppendEscaped(head, &out);
    out += "...";
    AppendEscaped(tail, &out);
  }
  return out += '"';
}

std::string Count(size_t n, std::string_view noun) {
  std::string out = std::to_string(n);
  out += ' ';
  out += noun;
  if (n != 1) out += 's';
  return out;
}

std::string TextOrigin::Prefix(std::string_view where) const {
  std::less_equal<const char*> not_after;
  bool inside = begin != nullptr && where.data() != begin && not_after(begin, where.data()) &&
                not_after(where.data(), begin + size);
  if (inside) {
    return PrefixAt(static_cast<size_t>(where.data() - begin) - 1);
  }
  return source.empty() ? std::string() : std::string(source) + ": ";
}

std::string TextOrigin::PrefixAt(size_t offset) const {
  std::string out(source);
  if (!out.empty()) out += ": ";
  return out + "byte " + std::to_string(offset) + ": ";
}

}  // namespace transom::schema
