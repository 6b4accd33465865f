#include "interop/structural_hooks.h"

#include <utility>

#include "structural/rules/hook_stack.h"

namespace transom::interop {

AttrColumn::AttrColumn(const char* name) : name_(name) {
  const TVMFFIByteArray text = detail::ToByteArray(name);
  const TVMFFIAny none = graph::NoneValue();
  CheckCall(TVMFFITypeRegisterAttr(kTVMFFINone, &text, &none));
  column_ = TVMFFIGetTypeAttrColumn(&text);
}

void AttrColumn::Set(int32_t type_index, void* function) const {
  const TVMFFIByteArray text = detail::ToByteArray(name_);
  CheckCall(TVMFFITypeRegisterAttr(type_index, &text, AnyView(function).raw()));
}

Any TakeResult(TVMFFIAny result) {
  Any value = Any::FromOwned(result);
  if (result.type_index == kTVMFFIError) throw Error(std::move(value).cast<Error>());
  return value;
}

void StructuralCallbacks::Add(int64_t type_index, Function function, bool takes_more) {
  TRANSOM_CHECK(type_index >= kTVMFFIAny && type_index <= INT32_MAX, ValueError)
      << "Expected the index of a type, or -1 for all values, but got " << type_index;
  dispatch_.Add(static_cast<int32_t>(type_index));
  callbacks_.push_back({std::move(function), takes_more});
}

void CheckStack() {
  TRANSOM_CHECK(!structural::StackIsNearlyFull(), RuntimeError)
      << "the stack of the thread is nearly full of hooks and callbacks of a structural visit that run inside each "
      << "other; a hook that asks for the default visit of its own value never ends, and values of any depth can be "
      << "visited where their types have no hooks";
}

}  // namespace transom::interop
