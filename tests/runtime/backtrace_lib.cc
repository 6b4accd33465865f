// Functions whose frames have names, for backtrace_test.cc; the first one has that of a boundary of languages.
#include <transom/runtime/c_api.h>

extern "C" {
TRANSOM_FFI_DLL int _PyTestBoundary(int (*body)(void*), void* data) {
  const int result = body(data);
  asm volatile("");  // The call is no jump.
  return result;
}
TRANSOM_FFI_DLL int TransomTestVisibleFrame(int (*body)(void*), void* data) {
  const int result = body(data);
  asm volatile("");
  return result;
}
}
