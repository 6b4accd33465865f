#include <transom/containers/array.h>
#include <transom/containers/map.h>
#include <transom/runtime/error.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <vector>

#include "interop/json_text.h"
#include "schema/json_text.h"

namespace transom::interop {
namespace {

constexpr const char* kValue = "Expecting value";
constexpr const char* kName = "Expecting property name enclosed in double quotes";
constexpr const char* kSurrogate = "Invalid surrogate pair of \\uXXXX escapes";
constexpr const char* kHex = "Invalid \\uXXXX escape";

bool IsNumberByte(char c) { return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'; }

void AppendUtf8(uint32_t code, std::string* out) {
  const auto put = [&](uint32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      put(0xE0 | code >> 12);
    } else {
      put(0xF0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3F));
    }
    put(0x80 | (code >> 6 & 0x3F));
  }
  put(0x80 | (code & 0x3F));
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Any Run() {
    for (;;) {
      SkipSpace();
      if (!ParseValue()) continue;  // a container was opened: its first item is next
      while (CloseContainers()) {
      }
      if (open_.empty()) break;
      NextItem();
    }
    if (pos_ < text_.size()) Fail("Extra data", pos_);
    return std::move(values_.back());
  }

 private:
  // A container that has not ended: where its items begin on the stack of values; of an object, keys and values in
  // turns.
  struct Open {
    bool is_object;
    size_t first;
  };

  [[noreturn]] void Fail(const char* reason, size_t at) const {
    const std::string_view before = text_.substr(0, at);
    const size_t line = static_cast<size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
    const size_t newline = before.rfind('\n');
    const size_t column = newline == std::string_view::npos ? at + 1 : at - newline;
    TRANSOM_THROW(ValueError) << reason << ": line " << line << " column " << column << " (char " << at << ")";
  }

  bool At(char c) const { return pos_ < text_.size() && text_[pos_] == c; }
  bool Take(char c) {
    const bool taken = At(c);
    pos_ += taken ? 1 : 0;
    return taken;
  }
  bool TakeWord(std::string_view word) {
    const bool taken = text_.substr(pos_, word.size()) == word;
    pos_ += taken ? word.size() : 0;
    return taken;
  }
  void SkipSpace() {
    while (pos_ < text_.size() &&
           (text_[pos_] == ' ' || text_[pos_] == '\t' || text_[pos_] == '\n' || text_[pos_] == '\r'))
      ++pos_;
  }

  // False when what began here is a container that has items.
  bool ParseValue() {
    if (pos_ >= text_.size()) Fail(kValue, pos_);
    switch (text_[pos_]) {
      case '[':
        return OpenArray();
      case '{':
        return OpenObject();
      case '"':
        values_.emplace_back(ParseString());
        return true;
      default:
        values_.push_back(ParseScalar());
        return true;
    }
  }

  bool OpenArray() {
    ++pos_;
    open_.push_back({false, values_.size()});
    SkipSpace();
    return At(']');
  }
  bool OpenObject() {
    ++pos_;
    open_.push_back({true, values_.size()});
    SkipSpace();
    if (At('}')) return true;
    ParseKey();
    return false;
  }
  void ParseKey() {
    if (!At('"')) Fail(kName, pos_);
    values_.emplace_back(ParseString());
    SkipSpace();
    if (!Take(':')) Fail("Expecting ':' delimiter", pos_);
  }

  // Whether the innermost container ends here. What follows the last one is looked at too.
  bool CloseContainers() {
    SkipSpace();
    if (open_.empty() || !Take(open_.back().is_object ? '}' : ']')) return false;
    const Open open = open_.back();
    open_.pop_back();
    Any* items = values_.data() + open.first;
    const size_t n = values_.size() - open.first;
    Any container;
    if (open.is_object) {
      container = MapObj::CreateFromPairs(items, n / 2);
    } else {
      ObjectPtr<ArrayObj> array = ArrayObj::Create(static_cast<int64_t>(n));
      for (size_t i = 0; i < n; ++i) array->PushOwned(std::move(items[i]));
      container = Any(std::move(array));
    }
    values_.resize(open.first);
    values_.push_back(std::move(container));
    return true;
  }

  void NextItem() {
    if (!Take(',')) Fail("Expecting ',' delimiter", pos_);
    SkipSpace();
    if (pos_ >= text_.size()) Fail("Syntax error near", pos_);
    if (open_.back().is_object) ParseKey();
  }

  Any ParseScalar() {
    if (TakeWord("null")) return Any();
    if (TakeWord("true")) return Any(true);
    if (TakeWord("false")) return Any(false);
    if (TakeWord("NaN")) return Any(std::numeric_limits<double>::quiet_NaN());
    if (TakeWord("Infinity")) return Any(std::numeric_limits<double>::infinity());
    if (TakeWord("-Infinity")) return Any(-std::numeric_limits<double>::infinity());
    return ParseNumber();
  }

  Any ParseNumber() {
    const size_t begin = pos_;
    while (pos_ < text_.size() && IsNumberByte(text_[pos_])) ++pos_;
    std::string_view number = text_.substr(begin, pos_ - begin);
    const bool signs = number.size() > 1 && number[0] == '+' && number[1] != '-';
    if (signs) number.remove_prefix(1);  // std::from_chars takes no plus
    const char* end = number.data() + number.size();
    if (number.find_first_of(".eE") == std::string_view::npos) {
      int64_t integer = 0;
      const auto result = std::from_chars(number.data(), end, integer);
      if (result.ec == std::errc() && result.ptr == end) return Any(integer);
    }
    double real = 0;
    const auto result = std::from_chars(number.data(), end, real);
    if (result.ec != std::errc() || result.ptr != end) Fail(kValue, begin);
    return Any(real);
  }

  String ParseString() {
    const size_t begin = pos_++;
    std::string out;
    for (;;) {
      const size_t plain = pos_;
      while (pos_ < text_.size() && text_[pos_] != '"' && text_[pos_] != '\\' &&
             static_cast<unsigned char>(text_[pos_]) >= 0x20)
        ++pos_;
      out.append(text_, plain, pos_ - plain);
      if (pos_ >= text_.size()) Fail("Unterminated string starting at", begin);
      if (Take('"')) return String(out);
      if (text_[pos_] != '\\') Fail("Invalid control character at", pos_);
      ++pos_;
      ParseEscape(&out);
    }
  }

  void ParseEscape(std::string* out) {
    static constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    const size_t at = pos_;
    if (Take('u')) return AppendUtf8(ParseCodePoint(at), out);
    const size_t letter = at < text_.size() ? kLetters.find(text_[at]) : std::string_view::npos;
    if (letter == std::string_view::npos) Fail("Invalid \\escape", at);
    ++pos_;
    out->push_back(kMeanings[letter]);
  }

  // `at` is the place of the u.
  uint32_t ParseCodePoint(size_t at) {
    const uint32_t high = ParseHex(at);
    if (high < 0xD800 || high > 0xDFFF) return high;
    if (high >= 0xDC00 || text_.substr(pos_, 2) != "\\u") Fail(kSurrogate, at);
    pos_ += 2;
    const size_t second = pos_;
    const uint32_t low = ParseHex(second);
    if (low < 0xDC00 || low > 0xDFFF) Fail(kSurrogate, second);
    return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
  }

  uint32_t ParseHex(size_t at) {
    uint32_t code = 0;
    for (int i = 0; i < 4; ++i, ++pos_) {
      const int digit = pos_ < text_.size() ? schema::HexDigit(text_[pos_]) : -1;
      if (digit < 0) Fail(kHex, at);
      code = code << 4 | static_cast<uint32_t>(digit);
    }
    return code;
  }

  std::string_view text_;
  size_t pos_ = 0;
  std::vector<Open> open_;
  std::vector<Any> values_;
};

}  // namespace

Any ParseJson(std::string_view text) { return Parser(text).Run(); }

}  // namespace transom::interop
