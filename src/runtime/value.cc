#include <transom/containers/string.h>
#include <transom/runtime/any.h>
#include <transom/runtime/c_api.h>
#include <transom/runtime/error.h>

void TVMFFIGetVersion(TVMFFIVersion* out) { *out = TVMFFIVersion{0, 1, 14}; }

int TVMFFITestingDummyTarget() { return 0; }

int TVMFFIObjectIncRef(TVMFFIObjectHandle obj) {
  transom::detail::IncRef(static_cast<TVMFFIObject*>(obj));
  return 0;
}

int TVMFFIObjectDecRef(TVMFFIObjectHandle obj) {
  if (obj != nullptr) transom::detail::DecRef(static_cast<TVMFFIObject*>(obj));
  return 0;
}

int TVMFFIAnyViewToOwnedAny(const TVMFFIAny* view, TVMFFIAny* out) {
  TRANSOM_SAFE_CALL_BEGIN();
  transom::detail::OwnView(*view, out);
  TRANSOM_SAFE_CALL_END();
}

int TVMFFIStringFromByteArray(const TVMFFIByteArray* in, TVMFFIAny* out) {
  TRANSOM_SAFE_CALL_BEGIN();
  *out = transom::String(in->data, in->size).Release();
  TRANSOM_SAFE_CALL_END();
}

int TVMFFIBytesFromByteArray(const TVMFFIByteArray* in, TVMFFIAny* out) {
  TRANSOM_SAFE_CALL_BEGIN();
  *out = transom::Bytes(in->data, in->size).Release();
  TRANSOM_SAFE_CALL_END();
}
