#include <transom/containers/string.h>
#include <transom/runtime/any.h>
#include <transom/runtime/c_api.h>
#include <transom/runtime/error.h>

#include <string_view>

#include "runtime/arguments.h"

using transom::runtime::NotNull;
using transom::runtime::TextArgument;

namespace {
constexpr const char* kResult = "a place for the result";
}  // namespace

void TVMFFIGetVersion(TVMFFIVersion* out) { *out = TVMFFIVersion{0, 1, 14}; }

int TVMFFITestingDummyTarget() { return 0; }

int TVMFFIObjectIncRef(TVMFFIObjectHandle obj) {
  TRANSOM_SAFE_CALL_BEGIN();
  transom::detail::IncRef(&NotNull(static_cast<TVMFFIObject*>(obj), "an object"));
  TRANSOM_SAFE_CALL_END();
}

int TVMFFIObjectDecRef(TVMFFIObjectHandle obj) {
  if (obj != nullptr) transom::detail::DecRef(static_cast<TVMFFIObject*>(obj));
  return 0;
}

int TVMFFIAnyViewToOwnedAny(const TVMFFIAny* view, TVMFFIAny* out) {
  TRANSOM_SAFE_CALL_BEGIN();
  transom::detail::OwnView(NotNull(view, "a value"), &NotNull(out, kResult));
  TRANSOM_SAFE_CALL_END();
}

int TVMFFIStringFromByteArray(const TVMFFIByteArray* in, TVMFFIAny* out) {
  TRANSOM_SAFE_CALL_BEGIN();
  NotNull(out, kResult) = transom::String(TextArgument(in, "a text")).Release();
  TRANSOM_SAFE_CALL_END();
}

int TVMFFIBytesFromByteArray(const TVMFFIByteArray* in, TVMFFIAny* out) {
  TRANSOM_SAFE_CALL_BEGIN();
  const std::string_view bytes = TextArgument(in, "bytes");
  NotNull(out, kResult) = transom::Bytes(bytes.data(), bytes.size()).Release();
  TRANSOM_SAFE_CALL_END();
}
