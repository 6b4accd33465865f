#include "graph/path_pattern.h"

#include <transom/runtime/error.h>

#include <charconv>

#include "graph/path.h"
#include "schema/json_text.h"

namespace transom::graph {
namespace {

using Kind = PatternStep::Kind;

constexpr std::string_view kMissingBegin = "<missing:";

class PatternParser {
 public:
  PatternParser(std::string_view text, std::string_view what) : text_(text), what_(what) {}

  PathPattern Run() {
    pattern_.text = std::string(text_);
    if (!Skip("<root>") && text_.empty()) Fail("is empty; expected a path such as `<root>.body[*].span` or `**.span`");
    while (at_ < text_.size()) ParseStep();
    return std::move(pattern_);
  }

 private:
  [[noreturn]] void Fail(const std::string& why) const {
    TRANSOM_THROW(ValueError) << what_ << " " << Quoted(text_) << ": "
                              << (text_.empty() ? "" : "character " + std::to_string(at_ + 1) + ": ") << why;
  }

  bool Skip(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  void Add(Kind kind, std::string text = "", int64_t index = 0) {
    // `**` twice is `**`.
    if (kind == Kind::kAnyNumber && !pattern_.steps.empty() && pattern_.steps.back().kind == kind) return;
    pattern_.steps.push_back({kind, std::move(text), index});
  }

  void ParseStep() {
    if (Skip("...(")) return ParseLeftOut();
    if (Skip("**") || Skip(".**")) return Add(Kind::kAnyNumber);
    if (Skip(".*")) {
      CheckWholeStep();
      return Add(Kind::kAnyField);
    }
    if (Skip("*")) {
      CheckWholeStep();
      return Add(Kind::kAny);
    }
    if (Skip(".")) return ParseField();
    if (Skip("[")) return ParseBracket();
    Fail(at_ == 0
             ? "a path begins with `<root>`, `.field`, `[`, `*` or `**`; to leave out a field of a type wherever it "
               "stands, use --ignore-field TYPE.FIELD"
             : "expected `.field`, `[`, `*` or `**`");
  }

  // `...(12 steps)...`, as long paths are printed.
  void ParseLeftOut() {
    const size_t end = text_.find(" steps)...", at_);
    if (end == std::string_view::npos) Fail("expected the number of steps left out, as in `...(12 steps)...`");
    at_ = end + std::string_view(" steps)...").size();
    Add(Kind::kAnyNumber);
  }

  void CheckWholeStep() const {
    if (at_ < text_.size() && std::string_view(".[*").find(text_[at_]) == std::string_view::npos)
      Fail("`*` stands for a whole step, not for a part of a name");
  }

  void ParseField() {
    const size_t end = std::min(text_.find_first_of(".[*]", at_), text_.size());
    if (end == at_) Fail("expected the name of a field, `*` or `**` after `.`");
    const std::string name(text_.substr(at_, end - at_));
    at_ = end;
    if (at_ < text_.size() && text_[at_] == '*' && text_.substr(at_, 2) != "**")
      Fail("`*` stands for a whole step, not for a part of a name");
    if (at_ < text_.size() && text_[at_] == ']') Fail("`]` without `[` before it");
    Add(Kind::kField, name);
  }

  void ParseBracket() {
    const size_t begin = at_;
    if (Skip("*]")) return Add(Kind::kPart);
    const bool missing = Skip(kMissingBegin);
    if (at_ < text_.size() && text_[at_] == '"') {
      std::string name = ParseQuoted();
      Close(missing);
      return Add(missing ? Kind::kMissing : Kind::kText, std::move(name));
    }
    const std::string_view inside = Inside(missing);
    if (inside.empty()) {
      at_ = begin;
      Fail("expected an index, a key in quotes or `*` between `[` and `]`");
    }
    ParseKey(inside);
    Close(missing);
  }

  void ParseKey(std::string_view inside) {
    int64_t number = 0;
    const bool place = inside.front() == '#';
    const std::string_view digits = inside.substr(place);
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool is_number = result.ec == std::errc() && result.ptr == digits.data() + digits.size() && !digits.empty();
    if (place && !is_number) Fail("expected a number after `#`");
    Add(is_number ? (place ? Kind::kPlace : Kind::kIndex) : Kind::kKey, is_number ? "" : NormalKeyText(inside), number);
    at_ += inside.size();
  }

  // What stands between the brackets; quoted parts may hold brackets.
  std::string_view Inside(bool missing) const {
    const size_t end = FindClosing(text_, at_);
    if (end == std::string_view::npos) FailUnclosed();
    const bool marked = missing && end > at_ && text_[end - 1] == '>';
    return text_.substr(at_, end - at_ - (marked ? 1 : 0));
  }

  void Close(bool missing) {
    if (missing && !Skip(">")) Fail("expected `>` after what is missing");
    if (!Skip("]")) {
      if (at_ == text_.size()) FailUnclosed();
      Fail("expected `]`");
    }
  }
  [[noreturn]] void FailUnclosed() const { Fail("a `[` is not closed by `]`"); }

  // The string that is printed like this: the inverse of Quoted.
  std::string ParseQuoted() {
    std::string out;
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return out;
      }
      out += c == '\\' ? ParseEscape() : c;
    }
    Fail("a string in quotes is not closed by `\"`");
  }

  char ParseEscape() {
    const char c = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    const int high = at_ + 3 < text_.size() ? schema::HexDigit(text_[at_ + 2]) : -1;
    const int low = at_ + 3 < text_.size() ? schema::HexDigit(text_[at_ + 3]) : -1;
    if (c == 'x' && high >= 0 && low >= 0) {
      at_ += 3;
      return static_cast<char>(high * 16 + low);
    }
    const size_t known = std::string_view("\"\\nrt").find(c);
    if (c == '\0' || known == std::string_view::npos) Fail("no escape that paths have: \\\" \\\\ \\n \\r \\t \\x1f");
    ++at_;
    return "\"\\\n\r\t"[known];
  }

  std::string_view text_;
  std::string_view what_;
  size_t at_ = 0;
  PathPattern pattern_;
};

}  // namespace

PathPattern ParsePathPattern(std::string_view text, std::string_view what) { return PatternParser(text, what).Run(); }

bool MatchesField(const PatternStep& step, std::string_view name) {
  switch (step.kind) {
    case Kind::kAny:
    case Kind::kAnyField:
      return true;
    case Kind::kField:
    case Kind::kMissing:
      return step.text == name;
    default:
      return false;
  }
}

bool MatchesItem(const PatternStep& step, int64_t index) {
  return step.kind == Kind::kAny || step.kind == Kind::kPart || (step.kind == Kind::kIndex && step.index == index);
}

bool MatchesEntry(const PatternStep& step, PlanTable& plans, const TVMFFIAny& key, int64_t place) {
  switch (step.kind) {
    case Kind::kAny:
    case Kind::kPart:
      return true;
    case Kind::kIndex:
      return key.type_index == kTVMFFIInt && key.v_int64 == step.index;
    case Kind::kPlace:
      return place == step.index;
    case Kind::kText:
    case Kind::kMissing:
      if (Classify(key.type_index) == ValueClass::kString) return TextOf(key) == step.text;
      return Classify(key.type_index) == ValueClass::kObject && !step.text.empty() && LabelOf(plans, key) == step.text;
    case Kind::kKey:
      return MatchKey(plans, key, place, step.text) == KeyMatch::kText;
    default:
      return false;
  }
}

}  // namespace transom::graph
