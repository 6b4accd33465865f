#include "support/json_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace transom::testing {

JsonValue JsonValue::Bool(bool v) {
  JsonValue out;
  out.kind = Kind::kBool;
  out.boolean = v;
  return out;
}

JsonValue JsonValue::Int(int64_t v) {
  JsonValue out;
  out.kind = Kind::kInt;
  out.integer = v;
  return out;
}

JsonValue JsonValue::Float(double v) {
  JsonValue out;
  out.kind = Kind::kFloat;
  out.number = v;
  return out;
}

JsonValue JsonValue::String(std::string v) {
  JsonValue out;
  out.kind = Kind::kString;
  out.text = std::move(v);
  return out;
}

JsonValue JsonValue::Array(std::vector<JsonValue> v) {
  JsonValue out;
  out.kind = Kind::kArray;
  out.items = std::move(v);
  return out;
}

JsonValue JsonValue::Ints(const std::vector<int64_t>& v) {
  JsonValue out = Array();
  for (int64_t i : v) out.items.push_back(Int(i));
  return out;
}

const JsonValue* JsonValue::Find(std::string_view name) const {
  for (const auto& [key, value] : members) {
    if (key == name) return &value;
  }
  return nullptr;
}

JsonValue* JsonValue::Find(std::string_view name) {
  return const_cast<JsonValue*>(static_cast<const JsonValue*>(this)->Find(name));
}

void WriteJsonString(std::string_view text, std::string* out) {
  out->push_back('"');
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out->push_back('\\');
      out->push_back(c);
    } else if (byte < 0x20 || byte == 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", byte);
      *out += escape;
    } else {
      out->push_back(c);
    }
  }
  out->push_back('"');
}

namespace {

void WriteFloat(double v, std::string* out) {
  if (std::isnan(v)) {
    *out += "NaN";
  } else if (std::isinf(v)) {
    *out += v < 0 ? "-Infinity" : "Infinity";
  } else {
    char text[40];
    std::snprintf(text, sizeof(text), "%.17g", v);
    *out += text;
    if (std::string_view(text).find_first_of(".e") == std::string_view::npos) *out += ".0";
  }
}

}  // namespace

void JsonValue::Write(std::string* out) const {
  switch (kind) {
    case Kind::kNull:
      *out += "null";
      break;
    case Kind::kBool:
      *out += boolean ? "true" : "false";
      break;
    case Kind::kInt:
      *out += std::to_string(integer);
      break;
    case Kind::kFloat:
      WriteFloat(number, out);
      break;
    case Kind::kString:
      WriteJsonString(text, out);
      break;
    case Kind::kArray:
      out->push_back('[');
      for (size_t i = 0; i < items.size(); ++i) {
        if (i != 0) out->push_back(',');
        items[i].Write(out);
      }
      out->push_back(']');
      break;
    case Kind::kObject:
      out->push_back('{');
      for (size_t i = 0; i < members.size(); ++i) {
        if (i != 0) out->push_back(',');
        WriteJsonString(members[i].first, out);
        out->push_back(':');
        members[i].second.Write(out);
      }
      out->push_back('}');
      break;
  }
}

std::string JsonValue::ToText() const {
  std::string out;
  Write(&out);
  return out;
}

std::string JsonValue::Canonical() const {
  auto sort = [](auto&& self, JsonValue* v) -> void {
    for (JsonValue& item : v->items) self(self, &item);
    for (auto& member : v->members) self(self, &member.second);
    std::sort(v->members.begin(), v->members.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  };
  JsonValue copy = *this;
  sort(sort, &copy);
  return copy.ToText();
}

namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  JsonValue Document() {
    JsonValue v = Value();
    Space();
    if (pos_ != text_.size()) Fail("the end");
    return v;
  }

 private:
  [[noreturn]] void Fail(const char* expected) const {
    throw std::runtime_error("JSON byte " + std::to_string(pos_) + ": expected " + expected);
  }
  void Space() {
    while (pos_ < text_.size() && std::string_view(" \t\r\n").find(text_[pos_]) != std::string_view::npos) ++pos_;
  }
  bool Take(std::string_view word) {
    if (text_.substr(pos_, word.size()) != word) return false;
    pos_ += word.size();
    return true;
  }
  bool TakeToken(std::string_view word) {
    Space();
    return Take(word);
  }

  JsonValue Value() {
    Space();
    if (pos_ == text_.size()) Fail("a value");
    switch (text_[pos_]) {
      case '{':
        return ObjectValue();
      case '[':
        return ArrayValue();
      case '"':
        return JsonValue::String(Text());
      default:
        return Word();
    }
  }

  JsonValue Word() {
    if (Take("null")) return JsonValue();
    if (Take("true")) return JsonValue::Bool(true);
    if (Take("false")) return JsonValue::Bool(false);
    if (Take("NaN")) return JsonValue::Float(std::nan(""));
    if (Take("Infinity")) return JsonValue::Float(INFINITY);
    if (Take("-Infinity")) return JsonValue::Float(-INFINITY);
    size_t end = std::min(text_.find_first_not_of("+-.0123456789eE", pos_), text_.size());
    std::string word(text_.substr(pos_, end - pos_));
    if (word.empty()) Fail("a value");
    pos_ = end;
    int64_t integer = 0;
    auto parsed = std::from_chars(word.data(), word.data() + word.size(), integer);
    if (parsed.ec == std::errc() && parsed.ptr == word.data() + word.size()) return JsonValue::Int(integer);
    return JsonValue::Float(std::strtod(word.c_str(), nullptr));
  }

  JsonValue ArrayValue() {
    ++pos_;
    JsonValue out = JsonValue::Array();
    if (TakeToken("]")) return out;
    do {
      out.items.push_back(Value());
    } while (TakeToken(","));
    if (!TakeToken("]")) Fail("] or ,");
    return out;
  }

  JsonValue ObjectValue() {
    ++pos_;
    JsonValue out = JsonValue::Object();
    if (TakeToken("}")) return out;
    do {
      Space();
      std::string name = Text();
      if (!TakeToken(":")) Fail(":");
      out.Add(std::move(name), Value());
    } while (TakeToken(","));
    if (!TakeToken("}")) Fail("} or ,");
    return out;
  }

  uint32_t Hex4() {
    uint32_t code = 0;
    auto parsed = std::from_chars(text_.data() + pos_, text_.data() + std::min(pos_ + 4, text_.size()), code, 16);
    if (parsed.ptr != text_.data() + pos_ + 4) Fail("four hexadecimal digits");
    pos_ += 4;
    return code;
  }

  void Escape(std::string* out) {
    static constexpr std::string_view kFrom = "\"\\/bfnrt";
    static constexpr std::string_view kTo = "\"\\/\b\f\n\r\t";
    char c = text_[pos_++];
    size_t simple = kFrom.find(c);
    if (simple != std::string_view::npos) {
      out->push_back(kTo[simple]);
      return;
    }
    if (c != 'u') Fail("an escape");
    uint32_t code = Hex4();
    if (code >= 0xD800 && code < 0xDC00 && Take("\\u")) code = 0x10000 + ((code - 0xD800) << 10) + (Hex4() - 0xDC00);
    AppendUtf8(code, out);
  }

  static void AppendUtf8(uint32_t code, std::string* out) {
    auto push = [&](uint32_t byte) { out->push_back(static_cast<char>(byte)); };
    if (code < 0x80) return push(code);
    if (code < 0x800) {
      push(0xC0 | code >> 6);
    } else if (code < 0x10000) {
      push(0xE0 | code >> 12);
      push(0x80 | (code >> 6 & 0x3F));
    } else {
      push(0xF0 | code >> 18);
      push(0x80 | (code >> 12 & 0x3F));
      push(0x80 | (code >> 6 & 0x3F));
    }
    push(0x80 | (code & 0x3F));
  }

  std::string Text() {
    if (!Take("\"")) Fail("a string");
    std::string out;
    while (pos_ < text_.size() && text_[pos_] != '"') {
      if (text_[pos_] != '\\') {
        out.push_back(text_[pos_++]);
      } else if (++pos_ < text_.size()) {
        Escape(&out);
      }
    }
    if (!Take("\"")) Fail("\"");
    return out;
  }

  std::string_view text_;
  size_t pos_ = 0;
};

}  // namespace

JsonValue ParseJson(std::string_view text) { return Reader(text).Document(); }

}  // namespace transom::testing
