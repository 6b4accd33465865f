#include <transom/schema/record.h>

#include <transom/containers/detail/key_text.h>
#include <transom/reflection/access_path.h>
#include <transom/runtime/error.h>
#include <transom/runtime/function.h>
#include <transom/runtime/object_block.h>

#include <cstring>

#include "schema/abi_version.h"
#include "schema/message.h"
#include "schema/record_block.h"

namespace transom {
namespace {

using schema::FieldDescriptor;
using schema::Storage;
using schema::TypeDescriptor;

static_assert(sizeof(RecordObj) == RecordObj::kFieldsOffset, "fields follow the header");

struct RecordTeardown {
  static void Destroy(TVMFFIObject* obj) noexcept {
    char* base = reinterpret_cast<char*>(obj);
    const TypeDescriptor& descriptor = *reinterpret_cast<RecordObj*>(obj)->descriptor;
    for (uint32_t offset : descriptor.owned_objects) {
      auto* child = *reinterpret_cast<TVMFFIObject**>(base + offset);
      if (child != nullptr) detail::DecRef(child);
    }
    for (uint32_t offset : descriptor.owned_values) {
      const auto* value = reinterpret_cast<const TVMFFIAny*>(base + offset);
      if (value->type_index >= kTVMFFIStaticObjectBegin) detail::DecRef(value->v_obj);
    }
    descriptor.schema->DropRefs(1);
  }
  static void Free(TVMFFIObject* obj) noexcept { std::free(obj); }
};

struct BlockRecordTeardown : RecordTeardown {
  static void Free(TVMFFIObject* obj) noexcept { detail::FreeInBlock(obj); }
};

// A record with zero fields in `memory`, which counts in its schema already.
RecordObj* Construct(void* memory, const TypeDescriptor& descriptor, void (*deleter)(void*, int)) {
  auto* record = new (memory) RecordObj();
  std::memset(static_cast<char*>(memory) + RecordObj::kFieldsOffset, 0, descriptor.instance_size - RecordObj::kFieldsOffset);
  record->descriptor = &descriptor;
  detail::ObjectAccess::Init(record, RecordObj::RuntimeTypeIndex(), deleter);
  return record;
}

TVMFFIAny MakeValue(int32_t type_index, uint64_t payload) {
  TVMFFIAny value;
  detail::SetRaw(type_index, payload, &value);
  return value;
}

template <class T>
uint64_t LoadBits(const char* address) {
  uint64_t bits = 0;
  std::memcpy(&bits, address, sizeof(T));
  return bits;
}

TVMFFIAny LoadField(const char* address, Storage storage) {
  switch (storage) {
    case Storage::kBool:
      return MakeValue(kTVMFFIBool, LoadBits<uint8_t>(address));
    case Storage::kInt64:
      return MakeValue(kTVMFFIInt, LoadBits<int64_t>(address));
    case Storage::kFloat64:
      return MakeValue(kTVMFFIFloat, LoadBits<double>(address));
    case Storage::kDataType:
      return MakeValue(kTVMFFIDataType, LoadBits<DLDataType>(address));
    case Storage::kDevice:
      return MakeValue(kTVMFFIDevice, LoadBits<DLDevice>(address));
    case Storage::kObject: {
      const auto* child = *reinterpret_cast<TVMFFIObject* const*>(address);
      if (child == nullptr) break;
      return MakeValue(child->type_index, reinterpret_cast<uint64_t>(child));
    }
    case Storage::kAny:
      return *reinterpret_cast<const TVMFFIAny*>(address);
    case Storage::kNone:
    case Storage::kFloat32:
    case Storage::kGetter:
      break;
  }
  return MakeValue(kTVMFFINone, 0);
}

[[noreturn]] void ThrowCannotHold(const TypeDescriptor& type, const FieldDescriptor& field, const Any& value) {
  TRANSOM_THROW(TypeError) << "type " << schema::Quote(type.key) << ", field " << schema::Quote(field.name)
                           << ": expected " << field.type_text << ", got " << value.GetTypeKey();
}

// Stores the payload of a value of type `type_index`.
void StorePlain(const TypeDescriptor& type, const FieldDescriptor& field, int32_t type_index, const Any& value,
                char* address) {
  if (value.type_index() != type_index) ThrowCannotHold(type, field, value);
  std::memcpy(address, &value.raw()->v_uint64, schema::StorageSize(field.storage));
}

void StoreObject(const TypeDescriptor& type, const FieldDescriptor& field, Any value, char* address) {
  if (value != nullptr && value.type_index() < kTVMFFIStaticObjectBegin) ThrowCannotHold(type, field, value);
  auto** slot = reinterpret_cast<TVMFFIObject**>(address);
  TVMFFIObject* old = *slot;
  *slot = value.Release().v_obj;  // None has the payload NULL
  if (old != nullptr) detail::DecRef(old);
}

void StoreValue(Any value, char* address) { reinterpret_cast<Any*>(address)->swap(value); }

void StoreField(const TypeDescriptor& type, const FieldDescriptor& field, Any value, char* address) {
  switch (field.storage) {
    case Storage::kBool:
      return StorePlain(type, field, kTVMFFIBool, value, address);
    case Storage::kInt64:
      return StorePlain(type, field, kTVMFFIInt, value, address);
    case Storage::kFloat64:
      return StorePlain(type, field, kTVMFFIFloat, value, address);
    case Storage::kDataType:
      return StorePlain(type, field, kTVMFFIDataType, value, address);
    case Storage::kDevice:
      return StorePlain(type, field, kTVMFFIDevice, value, address);
    case Storage::kObject:
      return StoreObject(type, field, std::move(value), address);
    case Storage::kAny:
      return StoreValue(std::move(value), address);
    case Storage::kNone:
    case Storage::kFloat32:
    case Storage::kGetter:
      if (value != nullptr) ThrowCannotHold(type, field, value);
  }
}

// What the label fields lead to, as for registered types: a string, or an object that has a label.
std::string RecordLabel(const RecordObj& record) {
  AnyView value(static_cast<const Object*>(&record));
  for (int step = 0; step < 4; ++step) {
    const auto* object = value.as<RecordObj>();
    if (object == nullptr || object->descriptor->label_field < 0) break;
    value = object->Get(static_cast<uint32_t>(object->descriptor->label_field));
  }
  if (value.as<RecordObj>() != nullptr) return "";
  const auto text = value.try_cast<String>();
  if (text.has_value()) return *text;
  const auto* object = value.as<Object>();
  return object != nullptr ? reflection::detail::ObjectLabel(object) : "";
}

// A record as a key in a path: the key of the type that it stands for, and its label.
String RecordKeyText(const RecordObj& record) {
  const TypeDescriptor& descriptor = *record.descriptor;
  if (descriptor.custom_data) {
    const std::string_view data = record.data();
    return !data.empty() && data[0] == '"' ? descriptor.key + "(" + std::string(data) + ")" : descriptor.key;
  }
  const std::string label = RecordLabel(record);
  return label.empty() ? descriptor.key : descriptor.key + "(" + detail::QuotedText(label) + ")";
}

}  // namespace

int32_t RecordObj::RuntimeTypeIndex() {
  static const int32_t index = [] {
    schema::RequireUsableAbi();  // here: every use of the library asks for this type first
    const int32_t record = detail::GetOrAllocTypeIndex(kTypeKey, -1, /*depth=*/1, /*child_slots=*/0,
                                                       /*can_overflow=*/false, kTVMFFIObject);
    const Function key_text = Function::FromPacked([](PackedArgs args, Any* result) {
      *result = RecordKeyText(*static_cast<const RecordObj*>(args[0].as<Object>()));
    });
    const TVMFFIByteArray name = detail::ToByteArray(reflection::detail::kKeyTextAttr);
    CheckCall(TVMFFITypeRegisterAttr(record, &name, AnyView(key_text).raw()));
    return record;
  }();
  return index;
}

ObjectPtr<RecordObj> RecordObj::Create(const TypeDescriptor& descriptor, bool adopt_schema_ref) {
  void* memory = detail::AllocObject(descriptor.instance_size, alignof(RecordObj));
  if (!adopt_schema_ref) descriptor.schema->AddRefs(1);
  return detail::ObjectAccess::Adopt<RecordObj>(
      Construct(memory, descriptor, &detail::DeferredDeleter<RecordTeardown>::Delete));
}

RecordObj* schema::PlaceRecord(void* memory, const TypeDescriptor& descriptor) {
  return Construct(memory, descriptor, &detail::DeferredDeleter<BlockRecordTeardown>::Delete);
}

AnyView RecordObj::Get(uint32_t index) const {
  const FieldDescriptor& field = descriptor->fields[index];
  return AnyView::FromRaw(LoadField(static_cast<const char*>(FieldAddress(index)), field.storage));
}

AnyView RecordObj::Get(std::string_view name) const {
  int32_t index = descriptor->FindField(name);
  if (index >= 0 && !descriptor->custom_data) return Get(static_cast<uint32_t>(index));
  std::string fields;
  for (const FieldDescriptor& field : descriptor->fields) fields += (fields.empty() ? "" : ", ") + field.name;
  TRANSOM_THROW(AttributeError) << "a record of type " << schema::Quote(descriptor->key) << " has no field "
                                << schema::Quote(name) << "; it has "
                                << (descriptor->custom_data ? "data of its writer's own form: use data()"
                                    : fields.empty()        ? "none"
                                                            : fields);
}

void RecordObj::Init(uint32_t index, Any value) {
  StoreField(*descriptor, descriptor->fields[index], std::move(value), static_cast<char*>(FieldAddress(index)));
}

std::string_view RecordObj::data() const {
  if (!descriptor->custom_data) return {};
  const auto* text = reinterpret_cast<const Any*>(reinterpret_cast<const char*>(this) + kFieldsOffset);
  if (*text == nullptr) return {};
  return *reinterpret_cast<const String*>(text);
}

void RecordObj::InitData(Any json_text) {
  if (!descriptor->custom_data) {
    TRANSOM_THROW(TypeError) << "type " << schema::Quote(descriptor->key) << " has fields, not custom data";
  }
  if (json_text.as<String>() == nullptr) {
    TRANSOM_THROW(TypeError) << "the custom data of type " << schema::Quote(descriptor->key) << " is JSON text, got "
                             << json_text.GetTypeKey();
  }
  StoreValue(std::move(json_text), reinterpret_cast<char*>(this) + kFieldsOffset);
}

}  // namespace transom
