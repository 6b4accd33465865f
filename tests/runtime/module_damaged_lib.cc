// A library whose embedded modules are said to be larger than the data, for module_test.cc.
#include <transom/runtime/c_api.h>

#include "runtime/embedded_bytes.h"

extern "C" TRANSOM_FFI_DLL const unsigned char __tvm_ffi__library_bin[] = {EMBEDDED_NUMBER(200), EMBEDDED_NUMBER(2)};
