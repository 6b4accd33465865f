#include "graph/path.h"

#include <transom/runtime/error.h>

#include <charconv>

#include "schema/message.h"

namespace transom::graph {
namespace {

constexpr size_t kMaxTextSteps = 32;

void AppendStep(PlanTable& plans, const Step& step, bool elide, std::string* out) {
  const auto key_text = [&] {
    return elide ? ShortKeyText(plans, *step.key.raw(), step.index) : KeyText(plans, *step.key.raw(), step.index);
  };
  switch (step.kind) {
    case StepKind::kAttr:
      *out += "." + step.name;
      return;
    case StepKind::kItem:
      *out += "[" + std::to_string(step.index) + "]";
      return;
    case StepKind::kKey:
      *out += "[" + key_text() + "]";
      return;
    case StepKind::kAttrMissing:
      *out += "[<missing:" + Quoted(step.name) + ">]";
      return;
    case StepKind::kItemMissing:
      *out += "[<missing:" + std::to_string(step.index) + ">]";
      return;
    case StepKind::kKeyMissing:
      *out += "[<missing:" + key_text() + ">]";
      return;
  }
}

// Text of a key that needs no plan; empty for others, and for a data type that has no text.
std::string PlainText(const TVMFFIAny& key) {
  try {
    return transom::detail::PlainKeyText(key);
  } catch (const Error&) {
    return "";
  }
}

bool StartsWith(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

// Reads a path text step by step against a value.
class Resolver {
 public:
  Resolver(const Any& root, std::string_view text) : text_(text), value_(root) {}

  Any Run() {
    constexpr std::string_view kRoot = "<root>";
    if (text_.substr(0, kRoot.size()) == kRoot) at_ = done_ = kRoot.size();
    while (at_ < text_.size()) {
      if (text_[at_] == '.') {
        ++at_;
        Attr();
      } else if (text_[at_] == '[') {
        Bracket();
      } else {
        Fail("expected `.field`, `[index]` or `[key]`");
      }
      done_ = at_;
    }
    return value_;
  }

 private:
  [[noreturn]] void Fail(const std::string& why) {
    TRANSOM_THROW(ValueError) << "path " << Quoted(text_) << ": at character " << done_ << ", after `"
                              << (done_ == 0 ? std::string_view("<root>") : text_.substr(0, done_)) << "`: " << why;
  }

  void Attr() {
    size_t end = at_;
    while (end < text_.size() && text_[end] != '.' && text_[end] != '[') ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    const TVMFFIAny& v = *value_.raw();
    if (Classify(v.type_index) != ValueClass::kObject) {
      Fail("a value of type " + std::string(TypeKeyOf(v)) + " has no fields");
    }
    const TypePlan& plan = plans_.Of(v.v_obj);
    const int32_t i = plan.FindField(name);
    if (i < 0) {
      std::string fields;
      for (const FieldPlan& field : plan.fields) fields += (fields.empty() ? "" : ", ") + std::string(field.name);
      Fail("type " + std::string(plan.key) + " has no field " + Quoted(name) + "; it has: " + (fields.empty() ? "none" : fields));
    }
    Keeper keeper;
    Any next(AnyView::FromRaw(ReadField(v.v_obj, plan.fields[i], keeper)));
    value_ = std::move(next);
    at_ = end;
  }

  // The text up to the bracket that closes this one; quoted parts may hold brackets.
  std::string_view Inside() {
    const size_t end = FindClosing(text_, at_ + 1);
    if (end == std::string_view::npos) Fail("a bracket is not closed");
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return inside;
  }

  void Bracket() {
    const std::string_view inside = Inside();
    const TVMFFIAny& v = *value_.raw();
    switch (Classify(v.type_index)) {
      case ValueClass::kSequence:
        return Item(inside, SequenceOf(v));
      case ValueClass::kMap:
        return Key(inside, MapOf(v));
      default:
        Fail("a value of type " + std::string(TypeKeyOf(v)) + " has no items");
    }
  }

  void Item(std::string_view inside, const TVMFFISeqCell& cell) {
    int64_t i = -1;
    const auto result = std::from_chars(inside.data(), inside.data() + inside.size(), i);
    if (result.ec != std::errc() || result.ptr != inside.data() + inside.size() || i < 0 || i >= cell.size) {
      Fail("`[" + std::string(inside) + "]` is no item of a sequence of " + std::to_string(cell.size));
    }
    value_ = Any(AnyView::FromRaw(ItemsOf(cell)[i]));
  }

  void Key(std::string_view inside, const MapBaseObj& map) {
    const std::string text = NormalKeyText(inside);
    KeyMatch best = KeyMatch::kNone;
    std::vector<int64_t> places;
    uint64_t found = MapBaseObj::kEnd;
    int64_t place = 0;
    for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos), ++place) {
      const KeyMatch match = MatchKey(plans_, *map.KeyAt(pos).raw(), place, text);
      if (match == KeyMatch::kNone || match < best) continue;
      if (match > best) places.clear();
      if (places.empty()) found = pos;
      best = match;
      places.push_back(place);
    }
    if (places.empty()) FailNoKey(inside, map);
    if (places.size() > 1) FailManyKeys(inside, places);
    value_ = Any(AnyView::FromRaw(*map.ValueAt(found).raw()));
  }

  [[noreturn]] void FailManyKeys(std::string_view inside, const std::vector<int64_t>& places) {
    constexpr size_t kMost = 8;
    std::string list;
    for (size_t i = 0; i < places.size() && i < kMost; ++i)
      list += (i == 0 ? "#" : ", #") + std::to_string(places[i]);
    if (places.size() > kMost) list += ", ...";
    Fail("`" + std::string(inside) + "` are " + std::to_string(places.size()) +
         " keys of the map; write the place of one: " + list);
  }

  [[noreturn]] void FailNoKey(std::string_view inside, const MapBaseObj& map) {
    std::string keys;
    int64_t place = 0;
    for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd && place < 8; pos = map.Next(pos), ++place) {
      keys += (place == 0 ? "" : ", ") + KeyText(plans_, *map.KeyAt(pos).raw(), place);
    }
    if (map.size() > 8) keys += ", ... (" + std::to_string(map.size()) + " in all)";
    Fail("the map has no key `" + std::string(inside) + "`; it has: " + (keys.empty() ? "none" : keys));
  }

  PlanTable plans_;
  std::string_view text_;
  Any value_;
  size_t at_ = 0;
  size_t done_ = 0;
};

}  // namespace

Step Step::Missing() const {
  Step missing = *this;
  missing.kind = static_cast<StepKind>(static_cast<uint8_t>(kind) + 3);
  return missing;
}

size_t FindClosing(std::string_view text, size_t from) {
  bool quoted = false;
  int depth = 0;
  for (size_t i = from; i < text.size(); ++i) {
    if (quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && text[i] == '[') {
      ++depth;
    } else if (!quoted && text[i] == ']' && depth-- == 0) {
      return i;
    }
  }
  return std::string_view::npos;
}

std::string Quoted(std::string_view text) { return transom::detail::QuotedText(text); }

std::string KeyText(PlanTable& plans, const TVMFFIAny& key, int64_t place) {
  std::string text = PlainText(key);
  if (!text.empty()) return text;
  const std::string label = LabelOf(plans, key);
  if (!label.empty()) return std::string(TypeKeyOf(key)) + "(" + Quoted(label) + ")";
  return place >= 0 ? "#" + std::to_string(place) : std::string(TypeKeyOf(key));
}

KeyMatch MatchKey(PlanTable& plans, const TVMFFIAny& key, int64_t place, std::string_view text) {
  if (text == "#" + std::to_string(place)) return KeyMatch::kText;
  const std::string plain = PlainText(key);
  if (!plain.empty()) return text == plain ? KeyMatch::kText : KeyMatch::kNone;
  if (!text.empty() && text.front() == '"') {
    const std::string label = LabelOf(plans, key);
    return !label.empty() && Quoted(label) == text ? KeyMatch::kLabel : KeyMatch::kNone;
  }
  if (!StartsWith(text, TypeKeyOf(key))) return KeyMatch::kNone;
  if (text == KeyText(plans, key, -1)) return KeyMatch::kText;
  // An AccessStep does not know of labels that a schema or data of the type's own state.
  const bool same = IsObject(key) && text == reflection::detail::KeyText(Any(AnyView::FromRaw(key)));
  return same ? KeyMatch::kText : KeyMatch::kNone;
}

std::string NormalKeyText(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_float = error == std::errc() && end == text.data() + text.size() &&
                        text.find_first_of(".eEnN") != std::string_view::npos;
  return is_float ? transom::detail::FloatText(value) : std::string(text);
}

std::string ShortKeyText(PlanTable& plans, const TVMFFIAny& key, int64_t place) {
  constexpr size_t kMost = 160, kHead = 100, kTail = 40;
  std::string text = KeyText(plans, key, place);
  if (text.size() <= kMost) return text;
  const auto [head, tail] = schema::EndsOf(text, kHead, kTail);
  return std::string(head) + "..." + std::string(tail);
}

std::string PathText(const Path& path, bool elide) {
  PlanTable plans;
  std::string text = "<root>";
  const bool cut = elide && path.size() > kMaxTextSteps;
  for (size_t i = 0; i < path.size(); ++i) {
    if (cut && i == kMaxTextSteps / 2) {
      const size_t skipped = path.size() - kMaxTextSteps;
      text += "...(" + std::to_string(skipped) + " steps)...";
      i += skipped;
    }
    AppendStep(plans, path[i], elide, &text);
  }
  return text;
}

reflection::AccessPath ToAccessPath(const Path& path) {
  reflection::AccessPath result = reflection::AccessPath::Root();
  for (const Step& step : path) {
    switch (step.kind) {
      case StepKind::kAttr:
        result = result->Attr(String(step.name));
        break;
      case StepKind::kItem:
        result = result->ArrayItem(step.index);
        break;
      case StepKind::kKey:
        result = result->MapItem(step.key);
        break;
      case StepKind::kAttrMissing:
        result = result->AttrMissing(String(step.name));
        break;
      case StepKind::kItemMissing:
        result = result->ArrayItemMissing(step.index);
        break;
      case StepKind::kKeyMissing:
        result = result->MapItemMissing(step.key);
        break;
    }
  }
  return result;
}

Any ResolvePath(const Any& root, std::string_view text) { return Resolver(root, text).Run(); }

}  // namespace transom::graph
