// Types that a front end lays out: their objects are blocks of zeros with the fields that the reflection table states.
#include <transom/reflection/field_access.h>
#include <transom/reflection/registry.h>
#include <transom/runtime/any_hash.h>
#include <transom/runtime/object_deleter.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "interop/auto_init.h"
#include "interop/registered_type.h"

namespace transom::interop {
namespace {

// What objects of a type are made of. One for each type; lives for the process.
struct Layout {
  int32_t type_index;
  size_t total_size;
  std::vector<size_t> values;   // offsets of fields that are a whole value
  std::vector<size_t> objects;  // offsets of fields that are a reference
};

// Attribute of such types: an OpaquePtr to their Layout.
constexpr const char* kLayoutAttr = "transom.front_end_layout";

const Layout& LayoutOf(int32_t type_index) {
  static const TVMFFITypeAttrColumn* const column = transom::detail::TypeAttrColumn(kLayoutAttr);
  return *static_cast<const Layout*>(transom::detail::FindTypeAttr(column, type_index)->v_ptr);
}

char* At(TVMFFIObject* obj, size_t offset) { return reinterpret_cast<char*>(obj) + offset; }
TVMFFIAny* ValueAt(TVMFFIObject* obj, size_t offset) { return reinterpret_cast<TVMFFIAny*>(At(obj, offset)); }
TVMFFIObject** ObjectAt(TVMFFIObject* obj, size_t offset) { return reinterpret_cast<TVMFFIObject**>(At(obj, offset)); }

struct Teardown {
  static void Destroy(TVMFFIObject* obj) noexcept {
    const Layout& layout = LayoutOf(obj->type_index);
    for (const size_t offset : layout.values) Any::FromOwned(*ValueAt(obj, offset)).reset();
    for (const size_t offset : layout.objects) {
      if (TVMFFIObject* child = *ObjectAt(obj, offset)) transom::detail::DecRef(child);
    }
  }
  static void Free(TVMFFIObject* obj) noexcept { std::free(obj); }
};

ObjectRef Adopt(TVMFFIObject* obj) { return ObjectRef(transom::detail::ObjectAccess::Adopt<Object>(obj)); }

// A block with the header of a new object, and zeros behind it.
TVMFFIObject* AllocateObject(const Layout& layout) {
  auto* obj = static_cast<TVMFFIObject*>(std::calloc(1, layout.total_size));
  if (obj == nullptr) throw std::bad_alloc();
  transom::detail::ObjectAccess::Init(transom::detail::ObjectAccess::FromHeader(obj), layout.type_index,
                                      &transom::detail::DeferredDeleter<Teardown>::Delete);
  return obj;
}

ObjectRef CopyObject(const Layout& layout, const Object* self) {
  TRANSOM_CHECK(self != nullptr && self->type_index() == layout.type_index, TypeError)
      << "Expected a `" << transom::detail::TypeKeyOfIndex(layout.type_index) << "` to copy but got `"
      << (self == nullptr ? "None" : self->GetTypeKey()) << "`";
  TVMFFIObject* from = transom::detail::ObjectAccess::Header(self);
  TVMFFIObject* copy = AllocateObject(layout);
  std::memcpy(copy + 1, from + 1, layout.total_size - sizeof(TVMFFIObject));
  for (const size_t offset : layout.values) {
    const TVMFFIAny& value = *ValueAt(copy, offset);
    if (value.type_index >= kTVMFFIStaticObjectBegin) transom::detail::IncRef(value.v_obj);
  }
  for (const size_t offset : layout.objects) {
    if (TVMFFIObject* child = *ObjectAt(copy, offset)) transom::detail::IncRef(child);
  }
  return Adopt(copy);
}

void AddField(const TVMFFIFieldInfo& field, Layout* layout) {
  const bool is_reference = field.field_static_type_index >= kTVMFFIStaticObjectBegin;
  const bool is_value = field.field_static_type_index == kTVMFFIAny || field.field_static_type_index == kTVMFFINone;
  if (!is_reference && !is_value) return;
  const auto offset = static_cast<size_t>(field.offset);
  TRANSOM_CHECK(field.offset >= static_cast<int64_t>(sizeof(TVMFFIObject)) && offset % alignof(void*) == 0 &&
                    field.size >= static_cast<int64_t>(sizeof(void*)) &&
                    offset + static_cast<size_t>(field.size) <= layout->total_size,
                ValueError)
      << "Field `" << transom::detail::ToStringView(field.name) << "` of type `"
      << transom::detail::TypeKeyOfIndex(layout->type_index) << "` has " << field.size << " bytes at " << field.offset
      << ", which is not inside an object of " << layout->total_size << " bytes";
  // An optional reference has no static type of its own, but the size of a reference.
  const bool is_whole = is_value && field.size == static_cast<int64_t>(sizeof(TVMFFIAny));
  std::vector<size_t>& offsets = is_whole ? layout->values : layout->objects;
  // Two fields may be two names of one place.
  if (std::find(offsets.begin(), offsets.end(), offset) == offsets.end()) offsets.push_back(offset);
}

void RegisterFrontEndType(int64_t type_index, int64_t total_size) {
  const TVMFFITypeInfo* type = RegisteredType(type_index);
  TRANSOM_CHECK(
      total_size >= static_cast<int64_t>(sizeof(TVMFFIObject)) && total_size <= std::numeric_limits<int32_t>::max(),
      ValueError)
      << "Expected the size of an object, header included, but got " << total_size;
  auto owner = std::make_unique<Layout>(Layout{type->type_index, static_cast<size_t>(total_size), {}, {}});
  Layout* layout = owner.get();
  reflection::ForEachField(type, [layout](const TVMFFIFieldInfo* field) { AddField(*field, layout); });
  reflection::detail::RegisterAttr(type->type_index, kLayoutAttr, Any(static_cast<void*>(layout)));
  owner.release();
  const std::string prefix = std::string(transom::detail::ToStringView(type->type_key)) + ".";
  const auto make = [layout] { return Adopt(AllocateObject(*layout)); };
  const auto copy = [layout](const Object* self) { return CopyObject(*layout, self); };
  reflection::detail::RegisterAttr(type->type_index, "__ffi_new__", Function::FromTyped(make, prefix + "__ffi_new__"));
  reflection::detail::RegisterAttr(type->type_index, "__ffi_shallow_copy__",
                                   Function::FromTyped(copy, prefix + "__ffi_shallow_copy__"));
  RegisterAutoInit(type_index);
}

TRANSOM_STATIC_INIT_BLOCK() {
  TVMFFIByteArray name = transom::detail::ToByteArray(kLayoutAttr);
  CheckCall(TVMFFITypeRegisterAttr(kTVMFFINone, &name, nullptr));
  reflection::GlobalDef().def("ffi._PyClassRegisterTypeAttrColumns", &RegisterFrontEndType,
                              "Makes objects of a type possible by the fields that it has and the size of an object.");
}

}  // namespace
}  // namespace transom::interop
