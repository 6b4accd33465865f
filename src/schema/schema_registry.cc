// A schema of the types that are registered in this process.
#include <transom/containers/array.h>
#include <transom/runtime/any.h>
#include <transom/runtime/dtype.h>
#include <transom/runtime/any_hash.h>
#include <transom/runtime/error.h>

#include <algorithm>
#include <deque>
#include <map>

#include "schema/builder.h"
#include "schema/json_tree.h"

namespace transom::schema {
namespace {

constexpr int32_t kNotRegistered = -2;

int32_t FindTypeIndex(std::string_view key) {
  TVMFFIByteArray bytes = detail::ToByteArray(key);
  return TVMFFITypeGetOrAllocIndex(&bytes, -1, 0, 0, 0, /*parent: only ask*/ -2);
}

// Whether the type has a value in the attribute column of that name.
bool HasAttr(std::string_view column_name, int32_t type_index) {
  const TVMFFIByteArray bytes = detail::ToByteArray(column_name);
  return detail::FindTypeAttr(TVMFFIGetTypeAttrColumn(&bytes), type_index) != nullptr;
}

std::string_view KeyOf(const TVMFFITypeInfo& info) { return detail::ToStringView(info.type_key); }

// Keys of all registered types that have reflection metadata.
std::vector<std::string> ReflectedKeys() {
  TVMFFIByteArray name = detail::ToByteArray("ffi.GetRegisteredTypeKeys");
  TVMFFIObjectHandle function = nullptr;
  CheckCall(TVMFFIFunctionGetGlobal(&name, &function));
  TRANSOM_CHECK(function != nullptr, RuntimeError)
      << "the runtime has no function ffi.GetRegisteredTypeKeys, so its types cannot be listed; name the types";
  ObjectPtr<Object> owner = detail::ObjectAccess::Adopt<Object>(function);
  TVMFFIAny result = *Any().raw();
  CheckCall(TVMFFIFunctionCall(function, nullptr, 0, &result));
  std::vector<std::string> keys;
  for (const String& key : Any::FromOwned(result).cast<Array<String>>()) {
    std::string_view text = key;
    if (TVMFFIGetTypeInfo(FindTypeIndex(text))->metadata != nullptr) keys.emplace_back(text);
  }
  return keys;
}

// Text of a static field type that a JSON graph stores in the field itself; empty for the others.
std::string_view InlineText(int32_t static_index) {
  switch (static_index) {
    case kTVMFFINone:
      return "None";
    case kTVMFFIInt:
      return "int";
    case kTVMFFIBool:
      return "bool";
    case kTVMFFIFloat:
      return "float";
    case kTVMFFIDataType:
      return "DataType";
    default:
      return {};
  }
}

// What the static index alone tells about a field that holds a reference to a node.
std::string TextOfIndex(int32_t static_index) {
  if (static_index == kTVMFFIAny) return "Any";
  return std::string(KeyOf(*TVMFFIGetTypeInfo(static_index)));
}

// The type text in a field's metadata, or empty where there is none that can be read.
std::string TextOfMetadata(std::string_view metadata) {
  if (metadata.empty()) return {};
  try {
    JsonTree tree(metadata, "field metadata");
    const JsonTree::Node* type_schema = tree.Member(0, "type_schema");
    if (type_schema == nullptr || type_schema->kind != JsonTree::Kind::kString) return {};
    std::string text = TypeTextFromSchema(type_schema->text());
    return TypeExpr::Parse(text).IsInline() ? std::string() : text;
  } catch (const Error&) {
    return {};  // metadata is for people and tools; the static index still describes the field
  }
}

// How the JSON graph stores the field follows from the static index; the metadata says more about references.
std::string TypeTextOf(const TVMFFIFieldInfo& field) {
  if (std::string_view text = InlineText(field.field_static_type_index); !text.empty()) return std::string(text);
  std::string text = TextOfMetadata(detail::ToStringView(field.metadata));
  return text.empty() ? TextOfIndex(field.field_static_type_index) : text;
}

// Whether a schema file can state the default so that reading gives the same value.
bool IsWritable(const TypeExpr& type, const Any& value) {
  if (const DataType* dtype = value.as<DataType>()) {
    Any text = dtype->ToString();
    return ConvertDefault(type, &text) && text.type_index() == kTVMFFIDataType;
  }
  int32_t index = value.type_index();
  return index <= kTVMFFIFloat || index == kTVMFFISmallStr || index == kTVMFFIStr;
}

// The default as a schema states it; false when it states none.
bool ReadDefault(const TVMFFIFieldInfo& info, const TypeExpr& type, Any* value) {
  constexpr int64_t kFlags = kTVMFFIFieldFlagBitMaskHasDefault | kTVMFFIFieldFlagBitMaskDefaultFromFactory;
  if ((info.flags & kFlags) != kTVMFFIFieldFlagBitMaskHasDefault) return false;
  Any stated = AnyView::FromRaw(info.default_value_or_factory);
  if (!ConvertDefault(type, &stated) || !IsWritable(type, stated)) return false;
  *value = std::move(stated);
  return true;
}

// Reads types and whatever they name. Everything is copied: tables may move when more is registered.
class RegistryReader {
 public:
  void Add(std::string_view key) {
    Enter(key);
    while (!to_read_.empty()) {
      int32_t type_index = to_read_.back();
      to_read_.pop_back();
      Read(*TVMFFIGetTypeInfo(type_index));
    }
  }
  // In order of the keys.
  std::vector<TypeSpec> Take() {
    std::vector<TypeSpec> types;
    for (auto& entry : types_) types.push_back(std::move(entry.second));
    return types;
  }

 private:
  std::string_view Keep(std::string text) { return texts_.emplace_back(std::move(text)); }
  std::string_view Keep(std::string_view text) { return Keep(std::string(text)); }

  void Enter(std::string_view key) {
    if (IsReservedTypeKey(key) || types_.count(key) != 0) return;
    int32_t type_index = FindTypeIndex(key);
    if (type_index == kNotRegistered) return;
    std::string_view kept = Keep(key);
    types_[kept].key = kept;
    to_read_.push_back(type_index);
  }

  void Read(const TVMFFITypeInfo& info) {
    TypeSpec type;
    type.key = types_.find(KeyOf(info))->first;
    if (info.type_depth > 1) {
      type.parent = Keep(KeyOf(*info.type_ancestors[info.type_depth - 1]));
      Enter(type.parent);
    }
    if (info.metadata != nullptr) {
      type.structural = static_cast<StructuralKind>(std::clamp(info.metadata->structural_eq_hash_kind, 0, 5));
    }
    type.hook = HasAttr("__s_equal__", info.type_index);
    type.custom_data = HasAttr("__data_to_json__", info.type_index);
    for (int32_t i = 0; i < info.num_fields; ++i) type.fields.push_back(ReadField(info.fields[i]));
    types_[type.key] = std::move(type);
  }

  FieldSpec ReadField(const TVMFFIFieldInfo& info) {
    FieldSpec field;
    field.name = Keep(detail::ToStringView(info.name));
    field.type = Keep(TypeTextOf(info));
    field.ignore = (info.flags & kTVMFFIFieldFlagBitMaskSEqHashIgnore) != 0;
    if (info.flags & kTVMFFIFieldFlagBitMaskSEqHashDefNonRecursive) {
      field.def = DefRegion::kSimple;
    } else if (info.flags & kTVMFFIFieldFlagBitMaskSEqHashDefRecursive) {
      field.def = DefRegion::kRecursive;
    }
    TypeExpr type = TypeExpr::Parse(field.type);
    EnterNames(type);
    field.has_default = (info.flags & kTVMFFIFieldFlagBitMaskHasDefault) != 0;
    field.default_is_known = ReadDefault(info, type, &field.default_value);
    return field;
  }

  void EnterNames(const TypeExpr& type) {
    if (type.kind == TypeKind::kNamed) Enter(type.name);
    for (const TypeExpr& arg : type.args) EnterNames(arg);
  }

  std::deque<std::string> texts_;
  std::map<std::string_view, TypeSpec> types_;
  std::vector<int32_t> to_read_;
};

}  // namespace

bool StatedDefault(const TVMFFIFieldInfo& field, Any* value) {
  return ReadDefault(field, TypeExpr::Parse(TypeTextOf(field)), value);
}

SchemaRef Schema::FromRegistry(std::string_view name, const std::vector<std::string>& keys) {
  RegistryReader reader;
  for (const std::string& key : keys.empty() ? ReflectedKeys() : keys) {
    if (FindTypeIndex(key) == kNotRegistered) {
      TRANSOM_THROW(KeyError) << "no type is registered as " << Quote(key) << "; load the library that registers it";
    }
    reader.Add(key);
  }
  SchemaSpec spec;
  spec.name = std::string(name);
  spec.origin.source = "registered types";
  spec.types = reader.Take();
  return SchemaBuilder::Build(spec);
}

}  // namespace transom::schema
