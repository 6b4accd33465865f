#include "formats/tsm/tsm_schema.h"

#include <transom/runtime/error.h>
#include <tsm_generated.h>

#include <functional>
#include <map>

#include "formats/nodes/json_value.h"
#include "formats/tsm/tsm_file.h"
#include "formats/tsm/tsm_verify.h"
#include "schema/builder.h"
#include "schema/json_text.h"

namespace transom::formats {
namespace {

namespace fb = transom::tsm;
using flatbuffers::Offset;
using flatbuffers::Vector;
using schema::FieldSpec;
using schema::TypeSpec;
using Text = Offset<flatbuffers::String>;

// Statements about types, as tables. Texts that repeat (names, type texts) are stored once.
class SchemaWriter {
 public:
  std::string Write(const std::string& name, const std::vector<const schema::TypeDescriptor*>& types) {
    const Text name_text = name.empty() ? Text() : Shared(name);
    std::vector<Offset<fb::Type>> tables;
    tables.reserve(types.size());
    for (const schema::TypeDescriptor* type : types) tables.push_back(WriteType(schema::SpecOf(*type)));
    const auto types_vector = builder_.CreateVector(tables);
    const auto names = names_.empty() ? 0 : builder_.CreateVector(names_);
    builder_.Finish(fb::CreateSchema(builder_, name_text, 0, types_vector, names));
    return std::string(reinterpret_cast<const char*>(builder_.GetBufferPointer()), builder_.GetSize());
  }

 private:
  Text Shared(std::string_view text) { return builder_.CreateSharedString(text.data(), text.size()); }
  Offset<Vector<uint32_t>> Names(const std::vector<std::string_view>& names) {
    std::vector<uint32_t> numbers;
    for (std::string_view name : names) {
      const auto [number, is_new] = name_numbers_.emplace(name, static_cast<uint32_t>(names_.size()));
      if (is_new) names_.push_back(Shared(name));
      numbers.push_back(number->second);
    }
    return builder_.CreateVector(numbers);
  }

  Offset<fb::Field> WriteField(const FieldSpec& field) {
    const Text name = Shared(field.name);
    const Text type = Shared(field.type);
    Text default_json = 0;
    if (field.default_is_known) {
      std::string json;
      schema::AppendJsonDefault(*field.default_value.raw(), &json);
      default_json = Shared(json);
    }
    return fb::CreateField(builder_, name, type, field.ignore, static_cast<fb::DefRegion>(field.def), field.has_default,
                           default_json);
  }

  Offset<fb::Type> WriteType(const TypeSpec& type) {
    const Text key = Shared(type.key);
    const Text parent = type.parent.empty() ? Text() : Shared(type.parent);
    std::vector<Offset<fb::Field>> fields;
    for (const FieldSpec& field : type.fields) fields.push_back(WriteField(field));
    const auto field_tables = fields.empty() ? 0 : builder_.CreateVector(fields);
    const auto compare = type.has_compare ? Names(type.compare) : 0;
    Offset<fb::CompareIf> compare_if = 0;
    if (type.has_compare_if) {
      const Text field = Shared(type.compare_if_field);
      const Text if_type = Shared(type.compare_if_type);
      compare_if = fb::CreateCompareIf(builder_, field, if_type, Names(type.compare_then));
    }
    const Text label = type.has_label ? Shared(type.label) : Text();
    return fb::CreateType(builder_, key, parent, static_cast<fb::Structural>(type.structural), field_tables, compare,
                          compare_if, label, type.hook, type.custom_data);
  }

  flatbuffers::FlatBufferBuilder builder_;
  std::map<std::string, uint32_t, std::less<>> name_numbers_;
  std::vector<Text> names_;
};

// The same tables, as statements whose views point into the buffer.
class SchemaReader {
 public:
  SchemaReader(const fb::Schema& table, size_t size, const std::string& source)
      : table_(table), left_(kMaxExpansion * size + kAlwaysAllowed), source_(source) {}

  schema::SchemaSpec Read() {
    schema::SchemaSpec spec;
    spec.name = std::string(View(table_.name()));
    spec.origin.source = source_;
    if (table_.match() != nullptr) {
      for (const fb::Match* m : *table_.match()) spec.match.emplace_back(View(m->member()), View(m->value()));
    }
    spec.types.reserve(table_.types()->size());
    for (const fb::Type* type : *table_.types()) spec.types.push_back(ReadType(*type));
    return spec;
  }

 private:
  // Tables of a hostile file can share texts and lists, which statements do not.
  static constexpr uint64_t kMaxExpansion = 64, kAlwaysAllowed = uint64_t{1} << 20;

  void Take(uint64_t bytes) {
    if (bytes > left_) ThrowTsm(source_, "its texts are many times the size of the schema");
    left_ -= bytes;
  }
  std::string_view View(const flatbuffers::String* text) {
    if (text == nullptr) return {};
    Take(text->size());
    return {text->c_str(), text->size()};
  }
  std::vector<std::string_view> Names(const Vector<uint32_t>& numbers, std::string_view type) {
    Take(numbers.size() * sizeof(std::string_view));
    std::vector<std::string_view> names;
    for (const uint32_t number : numbers) {
      if (table_.names() == nullptr || number >= table_.names()->size()) {
        ThrowTsm(source_, "type " + schema::Quote(type) + ": a list names field text " + std::to_string(number) +
                              ", which is not there");
      }
      names.push_back(View(table_.names()->Get(number)));
    }
    return names;
  }

  template <class Enum>
  Enum Known(Enum value, Enum last, std::string_view type, const char* what) const {
    if (value <= last) return value;
    ThrowTsm(source_, "type " + schema::Quote(type) + ": " + what + " " + std::to_string(static_cast<int>(value)) +
                          " is not known here; a newer Transom may know it");
  }

  FieldSpec ReadField(const fb::Field& field, std::string_view type) {
    FieldSpec spec;
    spec.name = View(field.name());
    spec.type = View(field.type());
    spec.ignore = field.ignore();
    spec.def = static_cast<schema::DefRegion>(Known(field.def(), fb::DefRegion::MAX, type, "definition region"));
    spec.has_default = field.has_default() || field.default_json() != nullptr;
    if (field.default_json() != nullptr) {
      spec.default_is_known = true;
      spec.default_value = ReadDefault(View(field.default_json()),
                                       "type " + schema::Quote(type) + ", field " + schema::Quote(spec.name));
    }
    return spec;
  }

  Any ReadDefault(std::string_view json, const std::string& where) const {
    Any value;
    try {
      value = ParseJsonValue(json);
    } catch (const Error& error) {
      ThrowTsm(source_, where + ": the default is no JSON: " + std::string(error.message()));
    }
    if (value.type_index() >= kTVMFFIStaticObjectBegin && value.as<String>() == nullptr) {
      ThrowTsm(source_, where + ": the default must be a scalar, a string or null, found " + value.GetTypeKey());
    }
    return value;
  }

  TypeSpec ReadType(const fb::Type& type) {
    TypeSpec spec;
    spec.key = View(type.key());
    spec.parent = View(type.parent());
    spec.structural =
        static_cast<schema::StructuralKind>(Known(type.structural(), fb::Structural::MAX, spec.key, "structural kind"));
    if (type.fields() != nullptr) {
      spec.fields.reserve(type.fields()->size());
      for (const fb::Field* field : *type.fields()) spec.fields.push_back(ReadField(*field, spec.key));
    }
    spec.has_compare = type.compare() != nullptr;
    if (spec.has_compare) spec.compare = Names(*type.compare(), spec.key);
    if (const fb::CompareIf* compare_if = type.compare_if()) {
      spec.has_compare_if = true;
      spec.compare_if_field = View(compare_if->field());
      spec.compare_if_type = View(compare_if->type());
      spec.compare_then = Names(*compare_if->then(), spec.key);
    }
    spec.has_label = type.label() != nullptr;
    spec.label = View(type.label());
    spec.hook = type.hook();
    spec.custom_data = type.custom_data();
    return spec;
  }

  const fb::Schema& table_;
  uint64_t left_;  // bytes of text that may still be read
  const std::string& source_;
};

}  // namespace

std::string WriteTsmSchema(const std::string& name, const std::vector<const schema::TypeDescriptor*>& types) {
  return SchemaWriter().Write(name, types);
}

schema::SchemaRef ReadTsmSchema(std::string_view bytes, const std::string& source) {
  if (schema::SchemaRef known = schema::SchemaBuilder::FindInterned(bytes)) return known;
  if (!VerifyTsm<fb::Schema>(bytes, nullptr))
    ThrowTsm(source, "a schema in the file is no FlatBuffer of the form that docs/tsm.md defines");
  const std::string name = source.empty() ? "the file's schema" : source + ": the file's schema";
  const schema::SchemaSpec spec =
      SchemaReader(*flatbuffers::GetRoot<fb::Schema>(bytes.data()), bytes.size(), name).Read();
  return schema::SchemaBuilder::Intern(schema::SchemaBuilder::Build(spec), bytes);
}

}  // namespace transom::formats
