#include "interop/structural_hooks.h"

#include <utility>

namespace transom::interop {
namespace {

// What lies on the stack between two callbacks is under 1 KiB without sanitizers; threads have 8 MiB, some less.
constexpr int kMaxNesting = 3000;

}  // namespace

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

NestingScope::NestingScope(int* depth) : depth_(depth) {
  TRANSOM_CHECK(*depth < kMaxNesting, RuntimeError)
      << kMaxNesting << " hooks and callbacks of a structural visit run inside each other; a hook that asks for the "
      << "default visit of its own value never ends, and deep values are better visited by types without hooks";
  ++*depth;
}

}  // namespace transom::interop
