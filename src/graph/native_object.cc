#include "graph/native_object.h"

#include <transom/reflection/field_access.h>
#include <transom/runtime/error.h>

#include "graph/type_plan.h"

namespace transom::graph {
namespace {

Any CallWithoutArguments(const TVMFFIAny& function) {
  TVMFFIAny result = NoneValue();
  CheckCall(TVMFFIFunctionCall(function.v_obj, nullptr, 0, &result));
  return Any::FromOwned(result);
}

const TVMFFIAny* NewFunction(int32_t type_index) {
  const TVMFFIAny* function = AttrOf(type_index, "__ffi_new__");
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
  return Any::FromOwned(ObjectValue(static_cast<TVMFFIObject*>(object)));
}

void SetField(const TVMFFIFieldInfo& field, const Any& object, AnyView value) {
  reflection::SetField(transom::detail::ObjectAccess::FromHeader(object.raw()->v_obj), &field, value);
}

bool DefaultOf(const TVMFFIFieldInfo& field, Any* value) {
  if ((field.flags & kTVMFFIFieldFlagBitMaskHasDefault) == 0) return false;
  const bool made = (field.flags & kTVMFFIFieldFlagBitMaskDefaultFromFactory) != 0;
  *value = made ? CallWithoutArguments(field.default_value_or_factory) : Any(AnyView::FromRaw(field.default_value_or_factory));
  return true;
}

bool SetDefault(const TVMFFIFieldInfo& field, const Any& object) {
  Any value;
  if (!DefaultOf(field, &value)) return false;
  SetField(field, object, value);
  return true;
}

}  // namespace transom::graph
