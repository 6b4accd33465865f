// The file form of a schema, written.
#include <transom/runtime/any.h>

#include "schema/builder.h"
#include "schema/json_text.h"

namespace transom::schema {
namespace {

std::string_view StructuralWord(StructuralKind kind) {
  switch (kind) {
    case StructuralKind::kTree:
      return "tree";
    case StructuralKind::kConstTree:
      return "const_tree";
    case StructuralKind::kDag:
      return "dag";
    case StructuralKind::kFreeVar:
      return "free_var";
    case StructuralKind::kUnique:
      return "unique";
    case StructuralKind::kNone:
      break;
  }
  return "";
}

// Appends JSON: with `indent` spaces a level, or compact.
class JsonAppender {
 public:
  JsonAppender(int indent, std::string* out) : indent_(indent), out_(out) {}

  void Open(char bracket) {
    out_->push_back(bracket);
    ++depth_;
  }
  void Close(char bracket) {
    --depth_;
    if (!AtStart()) Break();
    out_->push_back(bracket);
  }
  // Before each item of a container.
  void Separate() {
    if (!AtStart()) out_->push_back(',');
    Break();
  }
  // `own_line`: in compact text too.
  void Key(std::string_view key, bool own_line = false) {
    Separate();
    if (own_line && indent_ == 0) out_->push_back('\n');
    Text(key);
    out_->append(indent_ > 0 ? ": " : ":");
  }
  void Text(std::string_view text) { AppendJsonString(text, out_); }
  void Member(std::string_view key, std::string_view text) {
    Key(key);
    Text(text);
  }
  void Flag(std::string_view key) {
    Key(key);
    out_->append("true");
  }
  void Names(std::string_view key, const std::vector<std::string_view>& names) {
    Key(key);
    Open('[');
    for (std::string_view name : names) {
      Separate();
      Text(name);
    }
    Close(']');
  }
  void Default(const Any& value) {
    Key("default");
    AppendJsonDefault(*value.raw(), out_);
  }

 private:
  bool AtStart() const { return out_->back() == '{' || out_->back() == '['; }
  void Break() {
    if (indent_ <= 0) return;
    out_->push_back('\n');
    out_->append(static_cast<size_t>(indent_) * depth_, ' ');
  }

  int indent_;
  size_t depth_ = 0;
  std::string* out_;
};

void WriteField(const FieldSpec& field, JsonAppender* json) {
  json->Separate();
  json->Open('{');
  json->Member("name", field.name);
  json->Member("type", field.type);
  if (field.ignore) json->Flag("ignore");
  if (field.def != DefRegion::kNone) json->Member("def", field.def == DefRegion::kRecursive ? "recursive" : "simple");
  if (field.default_is_known) {
    json->Default(field.default_value);
  } else if (field.has_default) {
    json->Flag("has_default");
  }
  json->Close('}');
}

void WriteType(const TypeSpec& type, JsonAppender* json) {
  json->Key(type.key, /*own_line=*/true);
  json->Open('{');
  if (!type.parent.empty()) json->Member("parent", type.parent);
  if (type.structural != StructuralKind::kNone) json->Member("structural", StructuralWord(type.structural));
  if (type.custom_data) json->Member("data", "custom");
  if (type.hook) json->Flag("hook");
  if (type.has_label) json->Member("label", type.label);
  if (type.has_compare) json->Names("compare", type.compare);
  if (type.has_compare_if) {
    json->Key("compare_if");
    json->Open('{');
    json->Member(type.compare_if_field, type.compare_if_type);
    json->Names("then", type.compare_then);
    json->Close('}');
  }
  if (!type.fields.empty()) {
    json->Key("fields");
    json->Open('[');
    for (const FieldSpec& field : type.fields) WriteField(field, json);
    json->Close(']');
  }
  json->Close('}');
}

}  // namespace

std::string Schema::ToJSON(int indent) const {
  std::string out;
  JsonAppender json(indent, &out);
  json.Open('{');
  json.Key("transom_schema");
  AppendJsonInt(kVersion, &out);
  json.Member("name", name_);
  if (!match_.empty()) {
    json.Key("match");
    json.Open('{');
    for (const auto& [member, wanted] : match_) json.Member(member, wanted);
    json.Close('}');
  }
  json.Key("types");
  json.Open('{');
  for (const auto& type : types_) WriteType(SpecOf(*type), &json);
  json.Close('}');
  json.Close('}');
  return out;
}

}  // namespace transom::schema
