#include "formats/nodes/node_table.h"

#include <transom/reflection/field_access.h>
#include <transom/runtime/error.h>

#include <algorithm>
#include <array>

#include "formats/nodes/json_value.h"
#include "formats/nodes/patch_script.h"
#include "graph/native_object.h"
#include "graph/type_plan.h"
#include "schema/message.h"

namespace transom::formats {
namespace {

constexpr int64_t kRefBatch = 4096;
constexpr const char* kFromJsonAttr = "__data_from_json__";

constexpr std::pair<std::string_view, NodeForm> kBuiltins[] = {
    {"None", NodeForm::kNone},         {"bool", NodeForm::kBool},         {"int", NodeForm::kInt},
    {"float", NodeForm::kFloat},       {"DataType", NodeForm::kDataType}, {"Device", NodeForm::kDevice},
    {"ffi.String", NodeForm::kString}, {"ffi.Bytes", NodeForm::kBytes},   {"ffi.Shape", NodeForm::kShape},
    {"ffi.Tensor", NodeForm::kTensor}, {"ffi.BigInt", NodeForm::kBigInt}, {"ffi.Array", NodeForm::kArray},
    {"ffi.List", NodeForm::kList},     {"ffi.Map", NodeForm::kMap},       {"ffi.Dict", NodeForm::kDict},
};

NodeForm BuiltinForm(std::string_view key) {
  for (const auto& [name, form] : kBuiltins) {
    if (name == key) return form;
  }
  return NodeForm::kUnknown;
}

// The object is not visible to another thread yet, so its count is no shared variable.
void AddPrivateRef(const TVMFFIAny& value) {
  if (graph::IsObject(value)) detail::IncRef(value.v_obj);
}

// The setter of a narrow integer takes what does not fit, and cuts it.
void CheckNarrow(const TVMFFIFieldInfo& field, const Any& object, const TVMFFIAny& value) {
  if (field.size >= static_cast<int64_t>(sizeof(int64_t)) || value.type_index != kTVMFFIInt) return;
  const Any stored = reflection::GetField(object.as<Object>(), &field);
  if (stored.type_index() != kTVMFFIInt || stored.raw()->v_int64 == value.v_int64) return;
  TRANSOM_THROW(ValueError) << "field \"" << std::string_view(field.name.data, field.name.size) << "\" of "
                            << field.size << " bytes cannot hold " << value.v_int64;
}

}  // namespace

NodeTable::~NodeTable() {
  for (Node& node : nodes_) {
    if (graph::IsObject(node.value)) Any::FromOwned(node.value);
  }
}

void NodeTable::Add(size_t offset) { nodes_.push_back({graph::NoneValue(), offset, false}); }

void NodeTable::Set(size_t i, Any value) {
  nodes_[i].value = value.Release();
  nodes_[i].built = true;
}

NodeFactory::NodeFactory(const LoadOptions& options)
    : options_(options), check_(std::make_unique<graph::TypeCheck>(nullptr)) {}

NodeFactory::~NodeFactory() {
  if (schema_) schema_->DropRefs(spare_refs_);
}

void NodeFactory::SetSchema(schema::SchemaRef schema, std::string text) {
  schema_ = std::move(schema);
  schema_text_ = std::move(text);
  check_ = std::make_unique<graph::TypeCheck>(schema_.get());
  types_.clear();
  recent_.fill(nullptr);
}

bool NodeFactory::IsBuiltin(std::string_view key) { return BuiltinForm(key) != NodeForm::kUnknown; }

const NodeType& NodeFactory::TypeOf(std::string_view key) {
  const size_t slot = key.empty() ? 0
                                  : (key.size() * 31 + static_cast<unsigned char>(key.back()) * 7 +
                                     static_cast<unsigned char>(key[key.size() / 2])) &
                                        255;
  if (recent_[slot] != nullptr && recent_[slot]->key == key) return *recent_[slot];
  std::unique_ptr<NodeType>& entry = types_[std::string(key)];
  if (entry == nullptr) entry = std::make_unique<NodeType>(Resolve(key));
  recent_[slot] = entry.get();
  return *entry;
}

NodeType NodeFactory::Resolve(std::string_view key) {
  NodeType type;
  type.key = key;
  type.form = references_ != nullptr && key == kReferenceKey ? NodeForm::kReference : BuiltinForm(key);
  if (type.form != NodeForm::kUnknown) return type;
  if (schema_) type.descriptor = schema_->Find(key);
  const int32_t index = graph::RegisteredIndex(key);
  if (index >= 0 && options_.types != LoadTypes::kRecords) type.native_index = index;
  if (type.descriptor == nullptr && index >= 0 && TVMFFIGetTypeInfo(index)->metadata != nullptr) {
    registries_.push_back(schema::Schema::FromRegistry("registered types", {type.key}));
    type.descriptor = registries_.back()->Find(key);
  }
  if (type.descriptor == nullptr) return type;
  if (options_.types == LoadTypes::kRegisteredOnly && index < 0) {
    type.descriptor = nullptr;
    return type;
  }
  type.form = type.descriptor->custom_data ? NodeForm::kCustom : NodeForm::kFields;
  if (type.native_index >= 0 && type.form == NodeForm::kFields) {
    for (const schema::FieldDescriptor& field : type.descriptor->fields) {
      if (reflection::FindField(TVMFFIGetTypeInfo(index), field.name) == nullptr)
        type.lost_fields.push_back(field.name);
    }
    if (options_.records_for_lost_fields && !type.lost_fields.empty()) type.native_index = -1;
  }
  return type;
}

std::string NodeFactory::UnknownText(std::string_view key) const {
  std::string bundled;
  for (const std::string& name : schema::Schema::BundledNames()) bundled += (bundled.empty() ? "" : ", ") + name;
  const std::string place = schema_ ? schema_text_ + " does not describe"
                                    : "none of the bundled schemas (" + bundled + ") fits this file, to describe";
  return place + " type " + schema::Quote(key) + ", and no loaded library registers it" + MetadataText() +
         "; give the right schema with --schema FILE, or the library with --load LIB";
}

void NodeFactory::AddLostFields(std::set<std::string>* fields) const {
  for (const auto& [key, type] : types_) {
    if (!type->lost_some) continue;
    for (const std::string& field : type->lost_fields) fields->insert(key + "." + field);
  }
}

std::string NodeFactory::MetadataText() const {
  constexpr size_t kShown = 100;
  if (metadata_.empty()) return "; the file has no metadata that would tell its version";
  return "; the file's metadata is " + std::string(metadata_.substr(0, kShown)) +
         (metadata_.size() > kShown ? "..." : "");
}

std::vector<std::string> NodeFactory::RecordTypes() const {
  std::vector<std::string> keys;
  for (const auto& [key, type] : types_) {
    if (type->made_record) keys.push_back(key);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

RecordObj* NodeFactory::NewRecord(const NodeType& type) {
  type.made_record = made_records_ = true;
  const schema::TypeDescriptor& descriptor = *type.descriptor;
  bool adopt = false;
  if (descriptor.schema == schema_.get()) {
    if (spare_refs_ == 0) {
      schema_->AddRefs(kRefBatch);
      spare_refs_ = kRefBatch;
    }
    --spare_refs_;
    adopt = true;
  }
  ObjectPtr<RecordObj> record = RecordObj::Create(descriptor, adopt);
  return reinterpret_cast<RecordObj*>(detail::ObjectAccess::Release(&record));
}

Any NodeFactory::MakeRecord(const NodeType& type, const std::vector<TVMFFIAny>& values) {
  const schema::TypeDescriptor& descriptor = *type.descriptor;
  RecordObj* record = NewRecord(type);
  Any owner = Any::FromOwned(graph::ObjectValue(reinterpret_cast<TVMFFIObject*>(record)));
  for (uint32_t i = 0; i < values.size(); ++i) {
    const TVMFFIAny& v = values[i];
    void* at = record->FieldAddress(i);
    switch (descriptor.fields[i].storage) {
      case schema::Storage::kBool:
        *static_cast<uint8_t*>(at) = v.v_int64 != 0;
        break;
      case schema::Storage::kInt64:
        *static_cast<int64_t*>(at) = v.v_int64;
        break;
      case schema::Storage::kFloat64:
        *static_cast<double*>(at) = v.type_index == kTVMFFIInt ? static_cast<double>(v.v_int64) : v.v_float64;
        break;
      case schema::Storage::kObject:
        AddPrivateRef(v);
        *static_cast<TVMFFIObject**>(at) = graph::IsObject(v) ? v.v_obj : nullptr;
        break;
      case schema::Storage::kAny:
        AddPrivateRef(v);
        *static_cast<TVMFFIAny*>(at) = v;
        break;
      default:
        record->Init(i, Any(AnyView::FromRaw(v)));
    }
  }
  return owner;
}

Any NodeFactory::MakeNative(const NodeType& type, const std::vector<TVMFFIAny>& values) {
  if (!type.lost_fields.empty()) {
    if (!options_.drop_unknown_fields) {
      TRANSOM_THROW(ValueError)
          << "the registered type " << type.key << " has no field " << schema::Quote(type.lost_fields.front())
          << ", which the file's type has; load records (--records), or drop such fields (--drop-unknown)";
    }
    type.lost_some = true;
  }
  Any object = graph::CreateEmpty(type.native_index);
  const schema::TypeDescriptor& descriptor = *type.descriptor;
  uint32_t hint = 0;
  reflection::ForEachField(TVMFFIGetTypeInfo(type.native_index), [&](const TVMFFIFieldInfo* info) {
    const std::string_view name(info->name.data, info->name.size);
    const int32_t i = descriptor.FindField(name, hint++);
    if (i >= 0) {
      graph::SetField(*info, object, AnyView::FromRaw(values[static_cast<size_t>(i)]));
      CheckNarrow(*info, object, values[static_cast<size_t>(i)]);
    } else if (!graph::SetDefault(*info, object)) {
      TRANSOM_THROW(ValueError) << "the registered type " << type.key << " has a field \"" << name
                                << "\" without a default, which the file does not know";
    }
  });
  return object;
}

Any NodeFactory::MakeObject(const NodeType& type, const std::vector<TVMFFIAny>& values) {
  if (type.native_index < 0 || !graph::CanCreate(type.native_index)) return MakeRecord(type, values);
  try {
    return MakeNative(type, values);
  } catch (const Error& error) {
    // A field of the registered type that cannot hold a record makes a record of its object too.
    if (error.kind() != "TypeError" || !made_records_) throw;
    return MakeRecord(type, values);
  }
}

bool NodeFactory::RegisteredDefault(const NodeType& type, std::string_view field, Any* value) const {
  if (type.native_index < 0) return false;
  const TVMFFIFieldInfo* info = reflection::FindField(TVMFFIGetTypeInfo(type.native_index), field);
  if (info == nullptr || value != nullptr) return info != nullptr && graph::DefaultOf(*info, value);
  return (info->flags & kTVMFFIFieldFlagBitMaskHasDefault) != 0;
}

bool NodeFactory::IsAlwaysNative(const NodeType& type) const {
  if (type.native_index < 0 || type.descriptor == nullptr) return false;
  const bool made = type.form == NodeForm::kCustom ? graph::AttrOf(type.native_index, kFromJsonAttr) != nullptr
                                                   : graph::CanCreate(type.native_index);
  if (!made) return false;
  for (const schema::TypeDescriptor* d = type.descriptor->parent; d != nullptr; d = d->parent) {
    if (!graph::DerivesFrom(type.native_index, d->key)) return false;
  }
  return true;
}

Any NodeFactory::MakeCustom(const NodeType& type, std::string_view json) {
  if (type.native_index >= 0) {
    if (const TVMFFIAny* hook = graph::AttrOf(type.native_index, kFromJsonAttr)) {
      const Any data = ParseJsonValue(json);
      TVMFFIAny arg = *data.raw();
      TVMFFIAny result = graph::NoneValue();
      CheckCall(TVMFFIFunctionCall(hook->v_obj, &arg, 1, &result));
      return Any::FromOwned(result);
    }
  }
  RecordObj* record = NewRecord(type);
  Any owner = Any::FromOwned(graph::ObjectValue(reinterpret_cast<TVMFFIObject*>(record)));
  record->InitData(String(json));
  return owner;
}

}  // namespace transom::formats
