#include "interop/structural_hooks.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

namespace transom::interop {
namespace {

// For what runs between two checks, and for the error.
constexpr size_t kReserve = size_t{256} << 10;

struct StackBounds {
  const char* low = nullptr;
  size_t size = 0;
};

StackBounds BoundsOfThisThread() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* low = nullptr;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  return {static_cast<const char*>(low), size};
}

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

void CheckStack() {
  thread_local const StackBounds bounds = BoundsOfThisThread();
  const auto* here = static_cast<const char*>(__builtin_frame_address(0));
  if (here < bounds.low || here >= bounds.low + bounds.size) return;  // a stack of someone's own
  TRANSOM_CHECK(static_cast<size_t>(here - bounds.low) > std::min(kReserve, bounds.size / 4), RuntimeError)
      << "the stack of the thread is nearly full of hooks and callbacks of a structural visit that run inside each "
      << "other; a hook that asks for the default visit of its own value never ends, and values of any depth can be "
      << "visited where their types have no hooks";
}

}  // namespace transom::interop
