#include <transom/schema/type_expr.h>

#include <transom/runtime/error.h>

#include <algorithm>
#include <array>
#include <utility>

#include "schema/json_tree.h"
#include "schema/message.h"
#include "schema/type_parser.h"

namespace transom::schema {
namespace {

constexpr int kMaxLevels = 64;

// What may stand between the angle brackets after the head of a type.
enum class Arguments : uint8_t {
  kNone,
  kOne,        // Optional<T>
  kElement,    // without brackets: elements of any type
  kKeyValue,   // without brackets: keys and values of any type
  kElements,   // one each; without brackets: an array of any length
  kChoices,    // at least one; without brackets: anything
  kSignature,  // of no interest here
};

struct Head {
  std::string_view text;
  TypeKind kind;
  Arguments arguments = Arguments::kNone;
};

constexpr std::array kHeads = {
    Head{"Any", TypeKind::kAny},
    Head{"None", TypeKind::kNone},
    Head{"bool", TypeKind::kBool},
    Head{"int", TypeKind::kInt},
    Head{"float", TypeKind::kFloat},
    Head{"void*", TypeKind::kOpaquePtr},
    Head{"DataType", TypeKind::kDataType},
    Head{"Device", TypeKind::kDevice},
    Head{"DLTensor*", TypeKind::kAny},
    Head{"const char*", TypeKind::kString},
    Head{"std::string", TypeKind::kString},
    Head{"ffi.String", TypeKind::kString},
    Head{"ffi.SmallStr", TypeKind::kString},
    Head{"TVMFFIByteArray*", TypeKind::kBytes},
    Head{"ffi.Bytes", TypeKind::kBytes},
    Head{"ffi.SmallBytes", TypeKind::kBytes},
    Head{"ffi.Object", TypeKind::kAny},
    Head{"ffi.Shape", TypeKind::kShape},
    Head{"ffi.Tensor", TypeKind::kTensor},
    Head{"ffi.BigInt", TypeKind::kBigInt},
    Head{"ffi.Function", TypeKind::kFunction, Arguments::kSignature},
    Head{"ffi.Array", TypeKind::kArray, Arguments::kElement},
    Head{"ffi.List", TypeKind::kList, Arguments::kElement},
    Head{"ffi.Map", TypeKind::kMap, Arguments::kKeyValue},
    Head{"ffi.Dict", TypeKind::kDict, Arguments::kKeyValue},
    Head{"Optional", TypeKind::kOptional, Arguments::kOne},
    Head{"Tuple", TypeKind::kTuple, Arguments::kElements},
    Head{"Union", TypeKind::kUnion, Arguments::kChoices},
    Head{"Variant", TypeKind::kUnion, Arguments::kChoices},
};
// Modules are registered as other types are, so a schema may describe them.
constexpr Head kModuleHead{"ffi.Module", TypeKind::kModule};

const Head* FindHead(std::string_view text) {
  auto it = std::find_if(kHeads.begin(), kHeads.end(), [&](const Head& head) { return head.text == text; });
  if (it != kHeads.end()) return &*it;
  return text == kModuleHead.text ? &kModuleHead : nullptr;
}

// Parser of one text. Recursion is bounded by kMaxLevels.
class TypeParser {
 public:
  TypeParser(std::string_view text, TypeNumbers* numbers) : text_(text), numbers_(numbers) {}

  TypeExpr Parse() {
    TypeExpr type = ParseOne(1);
    if (pos_ != text_.size()) Fail("expected the end");
    return type;
  }

 private:
  [[noreturn]] void Fail(const std::string& expected) const {
    std::string found = pos_ < text_.size() ? Quote(text_.substr(pos_, 1)) : "the end";
    TRANSOM_THROW(ValueError) << "type " << Quote(text_) << ", byte " << pos_ << ": " << expected << ", found "
                              << found;
  }
  [[noreturn]] void FailArguments(std::string_view head, const std::string& expected, size_t found) const {
    TRANSOM_THROW(ValueError) << "type " << Quote(text_) << ", byte " << pos_ << ": " << Quote(head) << " takes "
                              << expected << ", found " << found;
  }

  void SkipSpaces() {
    while (pos_ < text_.size() && text_[pos_] == ' ') ++pos_;
  }

  std::string_view ParseHead() {
    size_t begin = pos_;
    size_t end = pos_;
    for (; pos_ < text_.size(); ++pos_) {
      char c = text_[pos_];
      if (c == '<' || c == '>' || c == ',') break;
      if (static_cast<unsigned char>(c) < 0x20) Fail("expected a printable character");
      if (c != ' ') end = pos_ + 1;
    }
    if (end == begin) Fail("expected a type");
    return text_.substr(begin, end - begin);
  }

  std::vector<TypeExpr> ParseArguments(int level) {
    std::vector<TypeExpr> args;
    ++pos_;  // '<'
    SkipSpaces();
    if (pos_ < text_.size() && text_[pos_] == '>') {
      ++pos_;
      return args;
    }
    while (true) {
      args.push_back(ParseOne(level + 1));
      if (pos_ == text_.size() || text_[pos_] == '<') Fail("expected \",\" or \">\"");
      if (text_[pos_++] == '>') return args;
    }
  }

  // One type and the spaces around it.
  TypeExpr ParseOne(int level) {
    if (level > kMaxLevels) Fail("expected at most " + std::to_string(kMaxLevels) + " levels of types");
    SkipSpaces();
    size_t begin = pos_;
    std::string_view head = ParseHead();
    bool bracketed = pos_ < text_.size() && text_[pos_] == '<';
    std::vector<TypeExpr> args;
    size_t end = begin + head.size();
    if (bracketed) {
      args = ParseArguments(level);
      end = pos_;
      SkipSpaces();
    }
    TypeExpr type = Make(head, bracketed, std::move(args));
    if (numbers_ != nullptr) {
      auto id = static_cast<uint32_t>(numbers_->size());
      type.id = numbers_->try_emplace(text_.substr(begin, end - begin), id).first->second;
    }
    return type;
  }

  TypeExpr Make(std::string_view head_text, bool bracketed, std::vector<TypeExpr> args) const {
    TypeExpr type;
    const Head* head = FindHead(head_text);
    if (head == nullptr) {
      // A type key, or a generic type that says nothing about the value.
      if (!bracketed) {
        type.kind = TypeKind::kNamed;
        type.name = std::string(head_text);
      }
      return type;
    }
    type.kind = head->kind;
    if (head->arguments == Arguments::kSignature) return type;
    if (bracketed) {
      CheckCount(*head, args.size());
      type.args = std::move(args);
    } else {
      SetDefaultArguments(*head, &type);
    }
    return type;
  }

  void CheckCount(const Head& head, size_t count) const {
    switch (head.arguments) {
      case Arguments::kNone:
        FailArguments(head.text, "no arguments", count);
      case Arguments::kOne:
      case Arguments::kElement:
        if (count != 1) FailArguments(head.text, "1 argument", count);
        break;
      case Arguments::kKeyValue:
        if (count != 2) FailArguments(head.text, "2 arguments", count);
        break;
      case Arguments::kChoices:
        if (count == 0) FailArguments(head.text, "at least 1 argument", count);
        break;
      case Arguments::kElements:
      case Arguments::kSignature:
        break;
    }
  }

  void SetDefaultArguments(const Head& head, TypeExpr* type) const {
    TypeExpr any;
    if (numbers_ != nullptr) {
      any.id = numbers_->try_emplace("Any", static_cast<uint32_t>(numbers_->size())).first->second;
    }
    switch (head.arguments) {
      case Arguments::kOne:
        FailArguments(head.text, "1 argument", 0);
      case Arguments::kElement:
        type->args.assign(1, any);
        break;
      case Arguments::kKeyValue:
        type->args.assign(2, any);
        break;
      case Arguments::kElements:
        type->kind = TypeKind::kArray;
        type->args.assign(1, any);
        break;
      case Arguments::kChoices:
        type->kind = TypeKind::kAny;
        break;
      case Arguments::kNone:
      case Arguments::kSignature:
        break;
    }
  }

  std::string_view text_;
  TypeNumbers* numbers_;
  size_t pos_ = 0;
};

void AppendTypeSchema(const JsonTree& tree, uint32_t node, int level, std::string* out) {
  const JsonTree::Node* name = tree.Member(node, "type");
  if (level > kMaxLevels) {
    TRANSOM_THROW(ValueError) << "type schema: expected at most " << kMaxLevels << " levels of types";
  }
  if (name == nullptr || name->kind != JsonTree::Kind::kString) {
    TRANSOM_THROW(ValueError) << "type schema: expected {\"type\": TEXT} or {\"type\": TEXT, \"args\": [...]}";
  }
  out->append(name->text() == "Variant" ? "Union" : name->text());
  const JsonTree::Node* args = tree.Member(node, "args");
  if (args == nullptr || args->kind != JsonTree::Kind::kArray || args->size == 0) return;
  out->push_back('<');
  uint32_t first = tree.IndexOf(*args) + 1;
  for (uint32_t arg = first; arg < args->end; arg = tree[arg].end) {
    if (arg != first) out->append(", ");
    AppendTypeSchema(tree, arg, level + 1, out);
  }
  out->push_back('>');
}

}  // namespace

TypeExpr ParseType(std::string_view text, TypeNumbers* numbers) { return TypeParser(text, numbers).Parse(); }

TypeExpr TypeExpr::Parse(std::string_view text) { return ParseType(text, nullptr); }

bool IsReservedTypeKey(std::string_view key) {
  return std::any_of(kHeads.begin(), kHeads.end(), [&](const Head& head) { return head.text == key; });
}

void AppendNormalizedType(std::string_view text, std::string* out) {
  auto is_mark = [](char c) { return c == '<' || c == '>' || c == ','; };
  size_t begin = out->size();
  for (char c : text) {
    if (c == ' ' && (out->size() == begin || is_mark(out->back()))) continue;
    while (is_mark(c) && out->size() > begin && out->back() == ' ') out->pop_back();
    out->push_back(c);
  }
  while (out->size() > begin && out->back() == ' ') out->pop_back();
}

std::string TypeTextFromSchema(std::string_view type_schema) {
  JsonTree tree(type_schema, "type schema");
  std::string out;
  AppendTypeSchema(tree, 0, 1, &out);
  return out;
}

}  // namespace transom::schema
