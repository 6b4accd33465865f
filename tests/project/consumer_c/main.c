/* Calls the installed C ABI from C99: registers a function, finds it by name, calls it, takes an error, and sets a stream. */
#include <transom/runtime/c_api.h>
#include <transom/runtime/c_env_api.h>

#include <stdio.h>
#include <string.h>

static int AddOne(void* self, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
  (void)self;
  if (num_args != 1 || args[0].type_index != kTVMFFIInt) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "expected one int");
    return -1;
  }
  result->type_index = kTVMFFIInt;
  result->v_int64 = args[0].v_int64 + 1;
  return 0;
}

static int Fail(const char* what) {
  fprintf(stderr, "consumer_c: %s\n", what);
  return 1;
}

int main(void) {
  const TVMFFIByteArray name = {"consumer_c.add_one", 18};
  TVMFFIStreamHandle before = NULL;
  TVMFFIObjectHandle made = NULL, found = NULL, error = NULL;
  TVMFFIAny argument, result;
  const TVMFFIErrorCell* cell;
  memset(&argument, 0, sizeof(argument));
  memset(&result, 0, sizeof(result));

  if (TVMFFIFunctionCreate(NULL, AddOne, NULL, &made) != 0) return Fail("cannot make a function");
  if (TVMFFIFunctionSetGlobal(&name, made, 0) != 0) return Fail("cannot register the function");
  if (TVMFFIFunctionGetGlobal(&name, &found) != 0 || found == NULL) return Fail("cannot find the function");

  argument.type_index = kTVMFFIInt;
  argument.v_int64 = 41;
  if (TVMFFIFunctionCall(found, &argument, 1, &result) != 0) return Fail("the call failed");
  if (result.type_index != kTVMFFIInt || result.v_int64 != 42) return Fail("41 + 1 is not 42");

  if (TVMFFIFunctionCall(found, &argument, 0, &result) == 0) return Fail("a call without arguments succeeded");
  TVMFFIErrorMoveFromRaised(&error);
  if (error == NULL) return Fail("the error is not there");
  cell = (const TVMFFIErrorCell*)((const char*)error + sizeof(TVMFFIObject));
  if (strcmp(cell->message.data, "expected one int") != 0) return Fail("the error has another message");

  if (TVMFFIEnvSetStream(kDLCUDA, 0, &result, &before) != 0 || before != NULL) return Fail("cannot set a stream");
  if (TVMFFIEnvGetStream(kDLCUDA, 0) != &result) return Fail("the stream is another");
  if (TVMFFIEnvCheckSignals() != 0) return Fail("a signal is pending");

  TVMFFIObjectDecRef(error);
  TVMFFIObjectDecRef(found);
  TVMFFIObjectDecRef(made);
  return 0;
}
