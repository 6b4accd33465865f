// A library that embeds a module, for module_test.cc: its own module imports one of kind `test_embedded` made of "abc".
#include <transom/reflection/export_function.h>

#include "runtime/embedded_bytes.h"

extern "C" TRANSOM_FFI_DLL const unsigned char __tvm_ffi__library_bin[] = {
    EMBEDDED_NUMBER(92),                                                                             // size
    EMBEDDED_NUMBER(3), EMBEDDED_NUMBER(0), EMBEDDED_NUMBER(1), EMBEDDED_NUMBER(1),                  // starts of imports
    EMBEDDED_NUMBER(1), EMBEDDED_NUMBER(1),                                                          // imports
    EMBEDDED_NUMBER(4), '_', 'l', 'i', 'b',                                                          // module 0
    EMBEDDED_NUMBER(13), 't', 'e', 's', 't', '_', 'e', 'm', 'b', 'e', 'd', 'd', 'e', 'd',            // module 1
    EMBEDDED_NUMBER(3), 'a', 'b', 'c'};

TVM_FFI_DLL_EXPORT_TYPED_FUNC(own, [] { return 1; });
