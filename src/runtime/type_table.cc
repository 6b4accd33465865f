#include "runtime/type_table.h"

#include <transom/runtime/error.h>
#include <transom/runtime/function.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/arguments.h"
#include "runtime/fatal.h"
#include "runtime/function_table.h"
#include "runtime/loaded_libraries.h"

namespace transom::runtime {
namespace {

struct BuiltinType {
  int32_t index;
  const char* key;
};

constexpr BuiltinType kPlainTypes[] = {
    {kTVMFFINone, "None"},
    {kTVMFFIInt, "int"},
    {kTVMFFIBool, "bool"},
    {kTVMFFIFloat, "float"},
    {kTVMFFIOpaquePtr, "void*"},
    {kTVMFFIDataType, "DataType"},
    {kTVMFFIDevice, "Device"},
    {kTVMFFIDLTensorPtr, "DLTensor*"},
    {kTVMFFIRawStr, "const char*"},
    {kTVMFFIByteArrayPtr, "TVMFFIByteArray*"},
    {kTVMFFIObjectRValueRef, "ObjectRValueRef"},
    {kTVMFFISmallStr, "ffi.SmallStr"},
    {kTVMFFISmallBytes, "ffi.SmallBytes"},
    {kTVMFFIUnchanged, "ffi.Unchanged"},
};

constexpr BuiltinType kObjectTypes[] = {
    {kTVMFFIStr, "ffi.String"},
    {kTVMFFIBytes, "ffi.Bytes"},
    {kTVMFFIError, "ffi.Error"},
    {kTVMFFIFunction, "ffi.Function"},
    {kTVMFFIShape, "ffi.Shape"},
    {kTVMFFITensor, "ffi.Tensor"},
    {kTVMFFIArray, "ffi.Array"},
    {kTVMFFIMap, "ffi.Map"},
    {kTVMFFIModule, "ffi.Module"},
    {kTVMFFIOpaquePyObject, "ffi.OpaquePyObject"},
    {kTVMFFIList, "ffi.List"},
    {kTVMFFIDict, "ffi.Dict"},
    {kTVMFFIVisitInterrupt, "ffi.VisitInterrupt"},
    {kTVMFFIBigInt, "ffi.BigInt"},
};

/* FNV-1a: the same in every process and build. */
uint64_t HashTypeKey(std::string_view key) {
  uint64_t hash = 14695981039346656037ULL;
  for (unsigned char c : key) hash = (hash ^ c) * 1099511628211ULL;
  return hash;
}

}  // namespace

TypeTable* TypeTable::Global() {
  static TypeTable* const table = new TypeTable();
  return table;
}

TypeTable::TypeTable() { RegisterBuiltins(); }

void TypeTable::RegisterBuiltins() {
  for (const BuiltinType& type : kPlainTypes) Allocate({.key = type.key, .static_index = type.index});
  Allocate({.key = "ffi.Object", .static_index = kTVMFFIObject, .can_overflow = true});
  for (const BuiltinType& type : kObjectTypes) {
    Allocate({.key = type.key, .static_index = type.index, .depth = 1, .parent = kTVMFFIObject});
  }
  TVMFFITypeMetadata metadata{};
  metadata.total_size = sizeof(TVMFFIObject);
  RegisterMetadata(kTVMFFIObject, metadata);
}

std::vector<std::string> TypeTable::Keys() const {
  std::vector<std::pair<int32_t, std::string>> rows;
  {
    std::shared_lock lock(mutex_);
    for (const auto& [key, index] : index_of_key_) rows.emplace_back(index, key);
  }
  std::sort(rows.begin(), rows.end());
  std::vector<std::string> keys;
  for (auto& [index, key] : rows) keys.push_back(std::move(key));
  return keys;
}

int32_t TypeTable::FindIndex(std::string_view key) const {
  std::shared_lock lock(mutex_);
  auto it = index_of_key_.find(key);
  return it == index_of_key_.end() ? -2 : it->second;
}

TypeEntry* TypeTable::Find(int32_t type_index) const noexcept {
  if (type_index < 0 || type_index >= kChunkSize * kNumChunks) return nullptr;
  const Chunk* chunk = chunks_[type_index / kChunkSize].load(std::memory_order_acquire);
  return chunk == nullptr ? nullptr : chunk->entries[type_index % kChunkSize].load(std::memory_order_acquire);
}

TypeEntry* TypeTable::Get(int32_t type_index) const {
  TypeEntry* entry = Find(type_index);
  TRANSOM_CHECK(entry != nullptr, InternalError) << "No type has the index " << type_index;
  return entry;
}

int32_t TypeTable::GetOrAllocIndex(const TypeRequest& request) {
  int32_t known = FindIndex(request.key);
  if (known >= 0 || request.parent == -2) return known;
  std::unique_lock lock(mutex_);
  auto it = index_of_key_.find(request.key);
  return it != index_of_key_.end() ? it->second : Allocate(request);
}

int32_t TypeTable::Allocate(const TypeRequest& request) {
  TypeEntry* parent = request.parent < 0 ? nullptr : Get(request.parent);
  TRANSOM_CHECK(request.child_slots >= 0 && request.child_slots < kChunkSize * kNumChunks, InternalError)
      << "Type `" << request.key << "` cannot keep " << request.child_slots << " child slots";
  int32_t depth = parent == nullptr ? 0 : parent->info.type_depth + 1;
  TRANSOM_CHECK(request.depth == 0 || request.depth == depth, InternalError)
      << "Type `" << request.key << "` states the depth " << request.depth << ", but its parent gives it " << depth;

  auto entry = std::make_unique<TypeEntry>();
  entry->key = request.key;
  if (parent != nullptr) {
    entry->ancestors = parent->ancestors;
    entry->ancestors.push_back(&parent->info);
  }
  entry->num_slots = request.child_slots + 1;
  entry->can_overflow = request.can_overflow && (parent == nullptr || parent->can_overflow);
  entry->info.type_index = ChooseIndex(request, parent);
  entry->info.type_depth = depth;
  entry->info.type_key = {entry->key.data(), entry->key.size()};
  entry->info.type_ancestors = entry->ancestors.data();
  entry->info.type_key_hash = HashTypeKey(entry->key);
  Publish(entry.get());
  index_of_key_.emplace(entry->key, entry->info.type_index);
  return entry.release()->info.type_index;
}

int32_t TypeTable::ChooseIndex(const TypeRequest& request, TypeEntry* parent) {
  if (request.static_index >= 0) {
    TRANSOM_CHECK(request.static_index < kTVMFFIDynObjectBegin, InternalError)
        << "Type `" << request.key << "` asks for the fixed index " << request.static_index << ", which is not below "
        << static_cast<int>(kTVMFFIDynObjectBegin);
    const TypeEntry* taken = Find(request.static_index);
    TRANSOM_CHECK(taken == nullptr, InternalError) << "Type `" << request.key << "` asks for the index "
                                                   << request.static_index << " of type `" << taken->key << "`";
    TRANSOM_CHECK(parent == nullptr || request.static_index > parent->info.type_index, InternalError)
        << "Type `" << request.key << "` must have an index above that of its parent";
    return request.static_index;
  }
  TRANSOM_CHECK(parent != nullptr, InternalError)
      << "Type `" << request.key << "` has no parent; give it one, such as `ffi.Object`";
  int32_t needed = request.child_slots + 1;
  if (needed <= parent->num_slots - parent->used_slots) {
    int32_t index = parent->info.type_index + parent->used_slots;
    parent->used_slots += needed;
    return index;
  }
  TRANSOM_CHECK(parent->can_overflow, InternalError) << "Type `" << parent->key << "` has no room for its child `"
                                                     << request.key << "` and does not let children overflow";
  TRANSOM_CHECK(needed <= kChunkSize * kNumChunks - next_index_, InternalError)
      << "The type table is full: no room for `" << request.key << "`";
  int32_t index = next_index_;
  next_index_ += needed;
  return index;
}

void TypeTable::Publish(TypeEntry* entry) {
  std::atomic<Chunk*>& slot = chunks_[entry->info.type_index / kChunkSize];
  if (slot.load(std::memory_order_relaxed) == nullptr) slot.store(new Chunk(), std::memory_order_release);
  slot.load(std::memory_order_relaxed)
      ->entries[entry->info.type_index % kChunkSize]
      .store(entry, std::memory_order_release);
}

TVMFFIByteArray TypeTable::KeepText(const TVMFFIByteArray& bytes) {
  if (bytes.size == 0) return TVMFFIByteArray{nullptr, 0};
  char* copy = new char[bytes.size + 1];
  std::memcpy(copy, bytes.data, bytes.size);
  copy[bytes.size] = '\0';
  return TVMFFIByteArray{copy, bytes.size};
}

void TypeTable::RegisterField(int32_t type_index, const TVMFFIFieldInfo& field) {
  PinLibraryOf(reinterpret_cast<const void*>(field.getter));
  if ((field.flags & kTVMFFIFieldFlagBitSetterIsFunctionObj) == 0) PinLibraryOf(field.setter);
  const bool has_default = (field.flags & kTVMFFIFieldFlagBitMaskHasDefault) != 0;
  if (has_default) PinLibrariesOf(field.default_value_or_factory);
  std::unique_lock lock(mutex_);
  TypeEntry* entry = Get(type_index);
  std::string_view name = detail::ToStringView(field.name);
  auto has_field = [&](const TVMFFITypeInfo& info) {
    return std::any_of(info.fields, info.fields + info.num_fields,
                       [&](const TVMFFIFieldInfo& other) { return detail::ToStringView(other.name) == name; });
  };
  TRANSOM_CHECK(!has_field(entry->info), InternalError)
      << "Type `" << entry->key << "` has a field `" << name << "` already";
  for (const TVMFFITypeInfo* ancestor : entry->ancestors) {
    if (!has_field(*ancestor)) continue;
    std::fprintf(stderr, "Warning: field `%.*s` of type `%s` hides the one of `%s`\n", static_cast<int>(name.size()),
                 name.data(), entry->key.c_str(), ancestor->type_key.data);
  }
  TVMFFIFieldInfo copy = field;
  copy.name = KeepText(field.name);
  copy.doc = KeepText(field.doc);
  copy.metadata = KeepText(field.metadata);
  Any default_value = has_default ? Any(AnyView::FromRaw(field.default_value_or_factory)) : Any();
  copy.default_value_or_factory = default_value.Release();
  if ((field.flags & kTVMFFIFieldFlagBitSetterIsFunctionObj) != 0 && field.setter != nullptr) {
    detail::IncRef(static_cast<TVMFFIObject*>(field.setter));
  }
  entry->fields.Append(copy, &entry->info.num_fields, &entry->info.fields);
}

void TypeTable::RegisterMethod(int32_t type_index, const TVMFFIMethodInfo& method) {
  PinLibrariesOf(method.method);
  std::unique_lock lock(mutex_);
  TypeEntry* entry = Get(type_index);
  TVMFFIMethodInfo copy = method;
  copy.name = KeepText(method.name);
  copy.doc = KeepText(method.doc);
  copy.metadata = KeepText(method.metadata);
  copy.method = Any(AnyView::FromRaw(method.method)).Release();
  entry->methods.Append(copy, &entry->info.num_methods, &entry->info.methods);
}

void TypeTable::RegisterMetadata(int32_t type_index, const TVMFFITypeMetadata& metadata) {
  PinLibraryOf(reinterpret_cast<const void*>(metadata.creator));
  std::unique_lock lock(mutex_);
  TypeEntry* entry = Get(type_index);
  TRANSOM_CHECK(entry->info.metadata == nullptr, RuntimeError)
      << "Type `" << entry->key << "` is registered already; register each type once";
  entry->metadata = metadata;
  entry->metadata.doc = KeepText(metadata.doc);
  __atomic_store_n(&entry->info.metadata, &entry->metadata, __ATOMIC_RELEASE);
}

}  // namespace transom::runtime

using transom::runtime::TypeEntry;
using transom::runtime::TypeTable;
using transom::runtime::NotNull;
using transom::runtime::TextArgument;

namespace {
constexpr const char* kKey = "the key of a type";
}  // namespace

int TVMFFITypeKeyToIndex(const TVMFFIByteArray* type_key, int32_t* out) {
  TRANSOM_SAFE_CALL_BEGIN();
  const std::string_view key = TextArgument(type_key, kKey);
  int32_t index = TypeTable::Global()->FindIndex(key);
  TRANSOM_CHECK(index >= 0, InternalError)
      << "No type is registered under the key `" << key << "`; load the library that registers it first";
  *out = index;
  TRANSOM_SAFE_CALL_END();
}

int32_t TVMFFITypeGetOrAllocIndex(const TVMFFIByteArray* type_key, int32_t static_type_index, int32_t type_depth,
                                  int32_t num_child_slots, int32_t child_slots_can_overflow,
                                  int32_t parent_type_index) {
  return transom::runtime::OrExit("TVMFFITypeGetOrAllocIndex", [&] {
    return TypeTable::Global()->GetOrAllocIndex({.key = TextArgument(type_key, kKey),
                                                 .static_index = static_type_index,
                                                 .depth = type_depth,
                                                 .child_slots = num_child_slots,
                                                 .can_overflow = child_slots_can_overflow != 0,
                                                 .parent = parent_type_index});
  });
}

const TVMFFITypeInfo* TVMFFIGetTypeInfo(int32_t type_index) {
  if (const TypeEntry* entry = TypeTable::Global()->Find(type_index)) return &entry->info;
  return transom::runtime::OrExit("TVMFFIGetTypeInfo", [&] { return &TypeTable::Global()->Get(type_index)->info; });
}

int TVMFFITypeRegisterField(int32_t type_index, const TVMFFIFieldInfo* info) {
  TRANSOM_SAFE_CALL_BEGIN();
  TypeTable::Global()->RegisterField(type_index, NotNull(info, "the record of a field"));
  TRANSOM_SAFE_CALL_END();
}

int TVMFFITypeRegisterMethod(int32_t type_index, const TVMFFIMethodInfo* info) {
  TRANSOM_SAFE_CALL_BEGIN();
  TypeTable::Global()->RegisterMethod(type_index, NotNull(info, "the record of a method"));
  TRANSOM_SAFE_CALL_END();
}

int TVMFFITypeRegisterMetadata(int32_t type_index, const TVMFFITypeMetadata* metadata) {
  TRANSOM_SAFE_CALL_BEGIN();
  TypeTable::Global()->RegisterMetadata(type_index, NotNull(metadata, "metadata"));
  TRANSOM_SAFE_CALL_END();
}
