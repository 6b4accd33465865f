#include "formats/native_object.h"

#include <transom/reflection/field_access.h>
#include <transom/runtime/error.h>

#include "graph/type_plan.h"

namespace transom::formats {
namespace {

Any CallWithoutArguments(const TVMFFIAny& function) {
  TVMFFIAny result = graph::NoneValue();
  CheckCall(TVMFFIFunctionCall(function.v_obj, nullptr, 0, &result));
  return Any::FromOwned(result);
}

const TVMFFIAny* NewFunction(int32_t type_index) {
  const TVMFFIAny* function = graph::AttrOf(type_index, "__ffi_new__");
  return function != nullptr && function->type_index == kTVMFFIFunction ? function : nullptr;
}

}  // namespace

bool CanCreate(int32_t type_index) {
  const TVMFFITypeMetadata* metadata = TVMFFIGetTypeInfo(type_index)->metadata;
  return (metadata != nullptr && metadata->creator != nullptr) || NewFunction(type_index) != nullptr;
}

Any CreateEmpty(int32_t type_index) {
  const TVMFFITypeMetadata* metadata = TVMFFIGetTypeInfo(type_index)->metadata;
  if (metadata == nullptr || metadata->creator == nullptr) return CallWithoutArguments(*NewFunction(type_index));
  TVMFFIObjectHandle object = nullptr;
  CheckCall(metadata->creator(&object));
  return Any::FromOwned(graph::ObjectValue(static_cast<TVMFFIObject*>(object)));
}

void SetField(const TVMFFIFieldInfo& field, const Any& object, AnyView value) {
  reflection::SetField(transom::detail::ObjectAccess::FromHeader(object.raw()->v_obj), &field, value);
}

bool SetDefault(const TVMFFIFieldInfo& field, const Any& object) {
  if ((field.flags & kTVMFFIFieldFlagBitMaskHasDefault) == 0) return false;
  if ((field.flags & kTVMFFIFieldFlagBitMaskDefaultFromFactory) != 0) {
    SetField(field, object, CallWithoutArguments(field.default_value_or_factory));
  } else {
    SetField(field, object, AnyView::FromRaw(field.default_value_or_factory));
  }
  return true;
}

}  // namespace transom::formats
