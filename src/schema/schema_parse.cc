// The file form of a schema, read.
#include <transom/runtime/any.h>
#include <transom/runtime/error.h>

#include <algorithm>
#include <array>

#include "schema/builder.h"
#include "schema/json_tree.h"

namespace transom::schema {
namespace {

using Kind = JsonTree::Kind;
using Node = JsonTree::Node;

constexpr std::array<std::pair<std::string_view, StructuralKind>, 5> kStructuralWords = {{
    {"tree", StructuralKind::kTree},
    {"const_tree", StructuralKind::kConstTree},
    {"dag", StructuralKind::kDag},
    {"free_var", StructuralKind::kFreeVar},
    {"unique", StructuralKind::kUnique},
}};
constexpr std::array<std::pair<std::string_view, DefRegion>, 2> kDefWords = {{
    {"recursive", DefRegion::kRecursive},
    {"simple", DefRegion::kSimple},
}};
constexpr std::array<std::pair<std::string_view, bool>, 1> kDataWords = {{{"custom", true}}};

// Reads one document into statements. A message starts with source and byte offset, then names the type and field.
class SchemaReader {
 public:
  explicit SchemaReader(const JsonTree& tree) : tree_(tree) {}

  SchemaSpec Read() {
    if (tree_.root().kind != Kind::kObject) {
      TRANSOM_THROW(ValueError) << tree_.origin().Prefix() << "a schema is an object, found "
                                << KindName(tree_.root().kind);
    }
    CheckVersion();
    SchemaSpec spec;
    spec.origin = tree_.origin();
    const Node* types = nullptr;
    ForEachMember(tree_.root(), [&](std::string_view key, const Node& value) {
      if (key == "name") {
        spec.name = std::string(Text(key, value));
      } else if (key == "match") {
        ReadMatch(key, value, &spec);
      } else if (key == "types") {
        types = &Expect(key, value, Kind::kObject);
      } else if (key != "transom_schema") {
        FailUnknown(key, "transom_schema, name, match, types");
      }
    });
    if (types == nullptr) Fail({}, "the member \"types\" is missing");
    spec.types.reserve(types->size);
    ForEachMember(*types, [&](std::string_view key, const Node& value) { ReadType(key, value, &spec.types); });
    return spec;
  }

 private:
  [[noreturn]] void Fail(std::string_view where, const std::string& problem) const {
    TRANSOM_THROW(ValueError) << tree_.origin().Prefix(where) << Context() << problem;
  }
  [[noreturn]] void FailUnknown(std::string_view key, std::string_view expected) const {
    Fail(key, "unknown member " + Quote(key) + "; expected one of " + std::string(expected));
  }

  template <class Fn>
  void ForEachMember(const Node& object, Fn&& fn) const {
    for (uint32_t i = tree_.IndexOf(object) + 1; i < object.end; i = tree_[i + 1].end)
      fn(tree_[i].text(), tree_[i + 1]);
  }

  const Node& Expect(std::string_view key, const Node& value, Kind kind) const {
    if (value.kind != kind) {
      Fail(key,
           Quote(key) + " must be " + std::string(KindName(kind)) + ", found " + std::string(KindName(value.kind)));
    }
    return value;
  }
  std::string_view Text(std::string_view key, const Node& value) const {
    return Expect(key, value, Kind::kString).text();
  }
  bool Flag(std::string_view key, const Node& value) const { return Expect(key, value, Kind::kBool).bool_value; }

  template <class T, size_t N>
  T Word(std::string_view key, const Node& value, const std::array<std::pair<std::string_view, T>, N>& words) const {
    std::string_view text = Text(key, value);
    std::string expected;
    for (const auto& [word, meaning] : words) {
      if (word == text) return meaning;
      expected += (expected.empty() ? "" : ", ") + std::string(word);
    }
    Fail(text, Quote(key) + " is " + Quote(text) + "; expected " + (N == 1 ? "" : "one of ") + expected);
  }

  std::vector<std::string_view> Names(std::string_view key, const Node& value) const {
    Expect(key, value, Kind::kArray);
    std::vector<std::string_view> names;
    names.reserve(value.size);
    for (uint32_t i = tree_.IndexOf(value) + 1; i < value.end; i = tree_[i].end) {
      if (tree_[i].kind != Kind::kString) {
        Fail(key, Quote(key) + " must list field names, found " + std::string(KindName(tree_[i].kind)));
      }
      names.push_back(tree_[i].text());
    }
    return names;
  }

  void CheckVersion() const {
    const Node* version = tree_.Member(0, "transom_schema");
    if (version == nullptr) Fail({}, "the member \"transom_schema\" is missing: this is no schema");
    std::string_view key = tree_[tree_.IndexOf(*version) - 1].text();
    int64_t number = Expect(key, *version, Kind::kInt).int_value;
    if (number < 1) Fail(key, "\"transom_schema\" must be at least 1, found " + std::to_string(number));
    if (number > Schema::kVersion) {
      TRANSOM_THROW(VersionError) << tree_.origin().Prefix(key) << "version " << number
                                  << " of the schema form is newer than this program, which reads up to "
                                  << Schema::kVersion << "; use a newer Transom";
    }
  }

  void ReadMatch(std::string_view key, const Node& value, SchemaSpec* spec) const {
    ForEachMember(Expect(key, value, Kind::kObject), [&](std::string_view member, const Node& wanted) {
      spec->match.emplace_back(std::string(member), std::string(Text(member, wanted)));
    });
  }

  void ReadType(std::string_view key, const Node& value, std::vector<TypeSpec>* types) {
    type_key_ = key;
    if (value.kind != Kind::kObject) Fail(key, "a type is an object, found " + std::string(KindName(value.kind)));
    TypeSpec& type = types->emplace_back();
    type.key = key;
    ForEachMember(value, [&](std::string_view member, const Node& node) { ReadTypeMember(member, node, &type); });
    type_key_ = {};
  }

  void ReadTypeMember(std::string_view key, const Node& value, TypeSpec* type) {
    if (key == "parent") {
      type->parent = Text(key, value);
      if (type->parent.empty()) Fail(key, "\"parent\" is empty; leave it out where the parent is ffi.Object");
    } else if (key == "structural") {
      type->structural = Word(key, value, kStructuralWords);
    } else if (key == "fields") {
      ReadFields(key, value, type);
    } else if (key == "compare") {
      type->has_compare = true;
      type->compare = Names(key, value);
    } else if (key == "compare_if") {
      ReadCompareIf(key, value, type);
    } else if (key == "label") {
      type->has_label = true;
      type->label = Text(key, value);
    } else if (key == "hook") {
      type->hook = Flag(key, value);
    } else if (key == "data") {
      type->custom_data = Word(key, value, kDataWords);
    } else {
      FailUnknown(key, "parent, structural, fields, compare, compare_if, label, hook, data");
    }
  }

  void ReadCompareIf(std::string_view key, const Node& value, TypeSpec* type) const {
    Expect(key, value, Kind::kObject);
    const Node* then = tree_.Member(tree_.IndexOf(value), "then");
    if (then == nullptr || value.size != 2) {
      Fail(key, "\"compare_if\" must be {\"FIELD\": TYPE_KEY, \"then\": [...]}");
    }
    type->has_compare_if = true;
    type->compare_then = Names("then", *then);
    ForEachMember(value, [&](std::string_view member, const Node& node) {
      if (&node == then) return;
      type->compare_if_field = member;
      type->compare_if_type = Text(member, node);
    });
  }

  void ReadFields(std::string_view key, const Node& value, TypeSpec* type) {
    Expect(key, value, Kind::kArray);
    type->fields.reserve(value.size);
    for (uint32_t i = tree_.IndexOf(value) + 1; i < value.end; i = tree_[i].end) {
      if (tree_[i].kind != Kind::kObject)
        Fail(key, "a field is an object, found " + std::string(KindName(tree_[i].kind)));
      ReadField(key, tree_[i], type);
    }
  }

  void ReadField(std::string_view fields_key, const Node& value, TypeSpec* type) {
    const Node* name = tree_.Member(tree_.IndexOf(value), "name");
    if (name == nullptr) {
      Fail(fields_key, "field " + std::to_string(type->fields.size()) + " has no \"name\"");
    }
    FieldSpec& field = type->fields.emplace_back();
    field.name = Text("name", *name);
    field_name_ = field.name;
    bool denied = false;  // "has_default": false
    ForEachMember(value,
                  [&](std::string_view member, const Node& node) { ReadFieldMember(member, node, &field, &denied); });
    if (field.type.data() == nullptr) Fail(field.name, "the member \"type\" is missing");
    if (denied && field.default_is_known) Fail(field.name, "\"has_default\" is false, but there is a \"default\"");
    field_name_ = {};
  }

  void ReadFieldMember(std::string_view key, const Node& value, FieldSpec* field, bool* denied) const {
    if (key == "type") {
      field->type = Text(key, value);
    } else if (key == "ignore") {
      field->ignore = Flag(key, value);
    } else if (key == "def") {
      field->def = Word(key, value, kDefWords);
    } else if (key == "default") {
      field->default_value = Scalar(key, value);
      field->has_default = field->default_is_known = true;
    } else if (key == "has_default") {
      *denied = !Flag(key, value);
      field->has_default = field->has_default || !*denied;
    } else if (key != "name") {
      FailUnknown(key, "name, type, ignore, def, default, has_default");
    }
  }

  Any Scalar(std::string_view key, const Node& value) const {
    switch (value.kind) {
      case Kind::kNull:
        return Any();
      case Kind::kBool:
        return Any(value.bool_value);
      case Kind::kInt:
        return Any(value.int_value);
      case Kind::kDouble:
        return Any(value.double_value);
      case Kind::kString:
        return Any(String(value.text()));
      case Kind::kArray:
      case Kind::kObject:
        break;
    }
    Fail(key, "\"default\" must be a scalar, a string or null, found " + std::string(KindName(value.kind)) +
                  "; state \"has_default\": true where it cannot be written");
  }

  // Where the reader is, for messages.
  std::string Context() const {
    if (type_key_.data() == nullptr) return {};
    return "type " + Quote(type_key_) + (field_name_.data() != nullptr ? ", field " + Quote(field_name_) : "") + ": ";
  }

  const JsonTree& tree_;
  std::string_view type_key_;
  std::string_view field_name_;
};

}  // namespace

SchemaRef Schema::Parse(std::string_view text, std::string_view source) {
  if (SchemaRef known = SchemaBuilder::FindInterned(text)) return known;
  JsonTree tree(text, source);
  SchemaSpec spec = SchemaReader(tree).Read();
  return SchemaBuilder::Intern(SchemaBuilder::Build(spec), text);
}

}  // namespace transom::schema
