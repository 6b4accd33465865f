/* Fields of objects by their reflection records. */
#ifndef TRANSOM_REFLECTION_FIELD_ACCESS_H_
#define TRANSOM_REFLECTION_FIELD_ACCESS_H_

#include <transom/runtime/any.h>
#include <transom/runtime/c_api.h>
#include <transom/runtime/error.h>
#include <transom/runtime/object.h>

#include <cstddef>
#include <string_view>

namespace transom {
namespace reflection {

namespace detail {
template <class Fn>
void ForEachOwnField(const TVMFFITypeInfo* info, Fn& fn) {
  // The count before the records: types may gain fields while others read.
  int32_t count = __atomic_load_n(&info->num_fields, __ATOMIC_ACQUIRE);
  const TVMFFIFieldInfo* fields = __atomic_load_n(&info->fields, __ATOMIC_ACQUIRE);
  for (int32_t i = 0; i < count; ++i) fn(&fields[i]);
}
}  // namespace detail

/* Calls `fn(const TVMFFIFieldInfo*)` for all fields of a type: those of the farthest ancestor first, then as
 * registered. Records may move when the type gains fields: do not keep them beyond that. Takes no lock. */
template <class Fn>
void ForEachField(const TVMFFITypeInfo* info, Fn fn) {
  for (int32_t depth = 1; depth < info->type_depth; ++depth) {
    detail::ForEachOwnField(info->type_ancestors[depth], fn);
  }
  detail::ForEachOwnField(info, fn);
}

/* Record of the field of that name, the type's own before its ancestors'; NULL when there is none. */
inline const TVMFFIFieldInfo* FindField(const TVMFFITypeInfo* info, std::string_view name) {
  const TVMFFIFieldInfo* found = nullptr;
  ForEachField(info, [&](const TVMFFIFieldInfo* field) {
    if (transom::detail::ToStringView(field->name) == name) found = field;
  });
  return found;
}

/* Address of a field in an object of the field's type. */
inline void* FieldAddress(const Object* obj, const TVMFFIFieldInfo* field) noexcept {
  return reinterpret_cast<char*>(transom::detail::ObjectAccess::Header(obj)) + field->offset;
}

/* Value of a field. Throws what the getter throws. */
inline Any GetField(const Object* obj, const TVMFFIFieldInfo* field) {
  TVMFFIAny value;
  transom::detail::SetNone(&value);
  CheckCall(field->getter(FieldAddress(obj, field), &value));
  return Any::FromOwned(value);
}

/* Sets a field, read-only ones too. TypeError: the value does not convert to the field's type. Not thread-safe. */
inline void SetField(Object* obj, const TVMFFIFieldInfo* field, AnyView value) {
  void* address = FieldAddress(obj, field);
  if ((field->flags & kTVMFFIFieldFlagBitSetterIsFunctionObj) == 0) {
    CheckCall(reinterpret_cast<TVMFFIFieldSetter>(field->setter)(address, value.raw()));
    return;
  }
  TVMFFIAny args[] = {*AnyView(address).raw(), *value.raw()};
  TVMFFIAny result;
  transom::detail::SetNone(&result);
  CheckCall(TVMFFIFunctionCall(field->setter, args, 2, &result));
  Any::FromOwned(result).reset();
}

}  // namespace reflection
}  // namespace transom

#endif  // TRANSOM_REFLECTION_FIELD_ACCESS_H_
