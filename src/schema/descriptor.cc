#include <transom/schema/descriptor.h>
#include <transom/schema/record.h>

#include <algorithm>

#include "schema/builder.h"

namespace transom::schema {
namespace {

constexpr uint32_t AlignUp(uint32_t offset, uint32_t alignment) { return (offset + alignment - 1) & ~(alignment - 1); }

}  // namespace

uint32_t StorageSize(Storage storage) {
  switch (storage) {
    case Storage::kNone:
    case Storage::kGetter:
      return 0;
    case Storage::kBool:
      return 1;
    case Storage::kFloat32:
    case Storage::kDataType:
      return 4;
    case Storage::kInt64:
    case Storage::kFloat64:
    case Storage::kDevice:
    case Storage::kObject:
      return 8;
    case Storage::kAny:
      break;
  }
  return 16;
}

Storage StorageOf(const TypeExpr& type) {
  switch (type.kind) {
    case TypeKind::kNone:
      return Storage::kNone;
    case TypeKind::kBool:
      return Storage::kBool;
    case TypeKind::kInt:
      return Storage::kInt64;
    case TypeKind::kFloat:
      return Storage::kFloat64;
    case TypeKind::kDataType:
      return Storage::kDataType;
    case TypeKind::kDevice:
      return Storage::kDevice;
    case TypeKind::kShape:
    case TypeKind::kTensor:
    case TypeKind::kFunction:
    case TypeKind::kModule:
    case TypeKind::kNamed:
    case TypeKind::kArray:
    case TypeKind::kList:
    case TypeKind::kMap:
    case TypeKind::kDict:
    case TypeKind::kTuple:
      return Storage::kObject;
    case TypeKind::kOptional:
      return StorageOf(type.args[0]) == Storage::kObject ? Storage::kObject : Storage::kAny;
    case TypeKind::kString:
    case TypeKind::kBytes:
    case TypeKind::kOpaquePtr:
    case TypeKind::kBigInt:
    case TypeKind::kAny:
    case TypeKind::kUnion:
      break;
  }
  return Storage::kAny;
}

void LayOut(TypeDescriptor* type) {
  uint32_t offset = RecordObj::kFieldsOffset;
  if (type->custom_data) {
    // The data alone lies in the record; the fields are known, but have no bytes of their own.
    for (FieldDescriptor& field : type->fields) {
      field.storage = Storage::kNone;
      field.offset = offset;
    }
    type->owned_values.push_back(offset);
    type->instance_size = offset + StorageSize(Storage::kAny);
    return;
  }
  for (FieldDescriptor& field : type->fields) field.storage = StorageOf(field.type);
  // By falling alignment, so that no padding is needed.
  for (uint32_t alignment : {8u, 4u, 1u}) {
    for (FieldDescriptor& field : type->fields) {
      uint32_t size = StorageSize(field.storage);
      if (std::clamp(size, 1u, 8u) != alignment) continue;
      field.offset = offset;
      offset += size;
      if (field.storage == Storage::kObject) type->owned_objects.push_back(field.offset);
      if (field.storage == Storage::kAny) type->owned_values.push_back(field.offset);
    }
  }
  type->instance_size = AlignUp(offset, 8);
}

int32_t TypeDescriptor::FindField(std::string_view name, uint32_t hint) const {
  if (hint < fields.size() && fields[hint].name == name) return static_cast<int32_t>(hint);
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == name) return static_cast<int32_t>(i);
  }
  return -1;
}

}  // namespace transom::schema
