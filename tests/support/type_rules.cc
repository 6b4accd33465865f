#include "support/type_rules.h"

#include <stdexcept>

namespace transom::testing {
namespace {

DeclaredType ParseAt(std::string_view text, size_t* pos) {
  DeclaredType out;
  size_t end = std::min(text.find_first_of("<>,", *pos), text.size());
  out.head = std::string(text.substr(*pos, end - *pos));
  *pos = end;
  if (end == text.size() || text[end] != '<') return out;
  do {
    ++*pos;
    while (text[*pos] == ' ') ++*pos;
    out.args.push_back(ParseAt(text, pos));
  } while (text[*pos] == ',');
  ++*pos;  // '>'
  return out;
}

Kind KindOf(const JsonValue* word) {
  if (word == nullptr) return Kind::kNone;
  static const std::map<std::string, Kind> kKinds = {{"tree", Kind::kTree},
                                                     {"const_tree", Kind::kConstTree},
                                                     {"dag", Kind::kDag},
                                                     {"free_var", Kind::kFreeVar},
                                                     {"unique", Kind::kUnique}};
  return kKinds.at(word->text);
}

bool IsTrue(const JsonValue* v) { return v != nullptr && v->boolean; }

FieldRule ReadField(const JsonValue& json) {
  FieldRule field;
  field.name = json.Find("name")->text;
  field.type = DeclaredType::Parse(json.Find("type")->text);
  field.is_inline = field.type.IsInline();
  field.ignore = IsTrue(json.Find("ignore"));
  if (const JsonValue* def = json.Find("def")) {
    field.region = def->text == "simple" ? Region::kSimple : Region::kRecursive;
  }
  if (const JsonValue* value = json.Find("default")) {
    field.has_default = true;
    field.default_value = *value;
  }
  return field;
}

std::vector<size_t> FieldList(const TypeRule& rule, const JsonValue& names) {
  std::vector<size_t> out;
  for (const JsonValue& name : names.items) {
    int field = rule.Find(name.text);
    if (field < 0) throw std::runtime_error(rule.key + " has no field " + name.text);
    out.push_back(static_cast<size_t>(field));
  }
  return out;
}

void ReadComparison(const JsonValue& json, TypeRule* rule) {
  if (const JsonValue* names = json.Find("compare")) {
    rule->has_compare = true;
    rule->compare = FieldList(*rule, *names);
  } else {
    for (size_t i = 0; i < rule->fields.size(); ++i) {
      if (!rule->fields[i].ignore) rule->compare.push_back(i);
    }
  }
  const JsonValue* condition = json.Find("compare_if");
  if (condition == nullptr) return;
  for (const auto& [name, value] : condition->members) {
    if (name == "then") {
      rule->compare_then = FieldList(*rule, value);
    } else {
      rule->compare_if_field = rule->Find(name);
      rule->compare_if_type = value.text;
    }
  }
}

}  // namespace

DeclaredType DeclaredType::Parse(std::string_view text) {
  size_t pos = 0;
  return ParseAt(text, &pos);
}

bool DeclaredType::IsInline() const {
  return head == "None" || head == "bool" || head == "int" || head == "float" || head == "DataType";
}

int TypeRule::Find(std::string_view name) const {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

TypeRules::TypeRules(std::string_view schema_text) {
  JsonValue schema = ParseJson(schema_text);
  const JsonValue& types = *schema.Find("types");
  for (const auto& member : types.members) Resolve(member.first, types);
}

const TypeRule& TypeRules::Resolve(const std::string& key, const JsonValue& types) {
  auto found = types_.find(key);
  if (found != types_.end()) return *found->second;
  const JsonValue* json = types.Find(key);
  if (json == nullptr) throw std::runtime_error("the schema has no type " + key);
  auto rule = std::make_unique<TypeRule>();
  rule->key = key;
  if (const JsonValue* parent = json->Find("parent")) {
    rule->parent = parent->text;
    rule->fields = Resolve(parent->text, types).fields;
  }
  rule->kind = KindOf(json->Find("structural"));
  rule->custom = json->Find("data") != nullptr;
  if (const JsonValue* fields = json->Find("fields")) {
    for (const JsonValue& field : fields->items) rule->fields.push_back(ReadField(field));
  }
  ReadComparison(*json, rule.get());
  for (const char* name : {"name", "name_hint", "global_symbol"}) {
    if (rule->label.empty() && rule->Find(name) >= 0) rule->label = name;
  }
  if (const JsonValue* label = json->Find("label")) rule->label = label->text;
  return *types_.emplace(key, std::move(rule)).first->second;
}

const TypeRule* TypeRules::Find(const std::string& key) const {
  auto found = types_.find(key);
  return found == types_.end() ? nullptr : found->second.get();
}

bool TypeRules::IsA(const std::string& key, const std::string& ancestor) const {
  for (const TypeRule* rule = Find(key); rule != nullptr; rule = Find(rule->parent)) {
    if (rule->key == ancestor) return true;
  }
  return false;
}

std::vector<std::string> TypeRules::Descendants(const std::string& ancestor) const {
  std::vector<std::string> out;
  for (const auto& entry : types_) {
    if (!entry.second->fields.empty() && IsA(entry.first, ancestor)) out.push_back(entry.first);
  }
  return out;
}

}  // namespace transom::testing
