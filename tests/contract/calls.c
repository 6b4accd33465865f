/* The one signature of functions of any language, by a C caller and a C callee. */
#include "contract/calls.h"

#include <string.h>

int add_one(void* self, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
  (void)self;
  if (num_args != 1 || args[0].type_index != kTVMFFIInt) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "add_one takes one integer");
    return -1;
  }
  result->type_index = kTVMFFIInt;
  result->v_int64 = args[0].v_int64 + 1;
  return 0;
}

int call_with_state(void* self, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
  (void)args;
  *(int*)self += num_args;
  (void)result; /* none: it stays kTVMFFINone */
  return 0;
}

int call_global(const char* name, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
  TVMFFIByteArray key;
  TVMFFIObjectHandle function = NULL;
  int code;
  key.data = name;
  key.size = strlen(name);
  code = TVMFFIFunctionGetGlobal(&key, &function);
  if (code != 0) return code;
  memset(result, 0, sizeof(*result));
  code = TVMFFIFunctionCall(function, (TVMFFIAny*)args, num_args, result);
  TVMFFIObjectDecRef(function);
  return code;
}
