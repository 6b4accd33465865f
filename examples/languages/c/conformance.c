/*
 * The functions of the conformance suite in C, over the C ABI alone: see ../README.md for what each does.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <transom/runtime/c_api.h>

#include "text.h"

/* A function of the calling convention, exported under the name by which modules find it. */
#define EXPORTED(name) \
  TRANSOM_FFI_DLL int __tvm_ffi_##name(void* self, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result)

/* ---- Errors ------------------------------------------------------------------------------------------------------ */

static TVMFFIByteArray Bytes(const char* text) {
  TVMFFIByteArray bytes = {text, strlen(text)};
  return bytes;
}

/* Stores an error in the thread's slot, which names this function as its place. Returns -1, as its caller should. */
static int Raise(const TVMFFIByteArray* kind, const TVMFFIByteArray* message, TVMFFIObjectHandle cause,
                 const char* function, int line) {
  TVMFFIObjectHandle error = NULL;
  const TVMFFIByteArray* backtrace = TVMFFIBacktrace(__FILE__, line, function, 0);
  if (TVMFFIErrorCreateWithCauseAndExtraContext(kind, message, backtrace, cause, NULL, &error) != 0) {
    TVMFFIErrorSetRaisedFromCStr("MemoryError", "no memory for an error");
    return -1;
  }
  TVMFFIErrorSetRaised(error);
  TVMFFIObjectDecRef(error); /* the slot has its own reference */
  return -1;
}

static int RaiseFormatted(const char* kind, const char* function, int line, const char* format, ...) {
  char message[512];
  va_list values;
  va_start(values, format);
  vsnprintf(message, sizeof(message), format, values);
  va_end(values);
  TVMFFIByteArray kind_bytes = Bytes(kind);
  TVMFFIByteArray message_bytes = Bytes(message);
  return Raise(&kind_bytes, &message_bytes, NULL, function, line);
}
#define FAIL(kind, ...) RaiseFormatted(kind, __func__, __LINE__, __VA_ARGS__)

/* ---- Values ------------------------------------------------------------------------------------------------------ */

/* Bytes that a value does not use are zero. */
static TVMFFIAny Value(int32_t type_index, int64_t payload) {
  TVMFFIAny value;
  value.type_index = type_index;
  value.zero_padding = 0;
  value.v_int64 = payload;
  return value;
}
static TVMFFIAny None(void) { return Value(kTVMFFINone, 0); }
static TVMFFIAny Int(int64_t value) { return Value(kTVMFFIInt, value); }
static TVMFFIAny FloatOfBits(uint64_t bits) { return Value(kTVMFFIFloat, (int64_t)bits); }
static TVMFFIAny Float(double number) {
  TVMFFIAny value = None();
  value.type_index = kTVMFFIFloat;
  value.v_float64 = number;
  return value;
}
static TVMFFIAny Object(TVMFFIObjectHandle handle) {
  TVMFFIAny value = None();
  value.type_index = ((TVMFFIObject*)handle)->type_index;
  value.v_obj = (TVMFFIObject*)handle;
  return value;
}
/* Releases an owned value. */
static void Drop(TVMFFIAny* value) {
  if (value->type_index >= kTVMFFIStaticObjectBegin) TVMFFIObjectDecRef(value->v_obj);
  *value = None();
}

/* Gives a text to the caller. */
static int ReturnText(Text* text, TVMFFIAny* result) {
  if (text->failed) {
    FreeText(text);
    return FAIL("MemoryError", "no memory for a text of %zu bytes", text->size);
  }
  TVMFFIByteArray bytes = {text->data, text->size};
  int code = TVMFFIStringFromByteArray(&bytes, result);
  FreeText(text);
  return code;
}

/* Bytes of a text argument of any form. 0, or -1 with a TypeError. */
static int TextArgument(const TVMFFIAny* args, int32_t num_args, int32_t index, TVMFFIByteArray* out) {
  if (index < num_args && TextOf(&args[index], out)) return 0;
  return FAIL("TypeError", "Expected a text as argument #%d", index);
}

/* Calls the global function `name`. */
static int CallGlobal(TVMFFIByteArray name, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
  TVMFFIObjectHandle function = NULL;
  if (TVMFFIFunctionGetGlobal(&name, &function) != 0) return -1;
  if (function == NULL) return FAIL("ValueError", "There is no global function %.*s", (int)name.size, name.data);
  *result = None(); /* callees refuse to overwrite what may be an object */
  int code = TVMFFIFunctionCall(function, (TVMFFIAny*)args, num_args, result);
  TVMFFIObjectDecRef(function);
  return code;
}

/* ---- The plain functions ----------------------------------------------------------------------------------------- */

EXPORTED(language) {
  (void)self, (void)args, (void)num_args;
  TVMFFIByteArray name = Bytes("c");
  return TVMFFIStringFromByteArray(&name, result);
}

EXPORTED(echo) {
  (void)self;
  if (num_args != 1) return FAIL("TypeError", "echo takes 1 argument but got %d", num_args);
  return TVMFFIAnyViewToOwnedAny(&args[0], result); /* what is kept or returned is owned */
}

EXPORTED(describe) {
  (void)self;
  if (num_args != 1) return FAIL("TypeError", "describe takes 1 argument but got %d", num_args);
  Text text = {0};
  Describe(&args[0], 0, &text);
  return ReturnText(&text, result);
}

/* Key of the type of a value, for error texts. */
static const char* TypeKey(const TVMFFIAny* value) { return TVMFFIGetTypeInfo(value->type_index)->type_key.data; }

static int IntArguments(const TVMFFIAny* args, int32_t num_args, int32_t expected, const char* signature) {
  if (num_args != expected) {
    return FAIL("TypeError",
                "Mismatched number of arguments when calling: `%s`. Expected %d but got %d arguments", signature,
                expected, num_args);
  }
  for (int32_t i = 0; i < num_args; ++i) {
    if (args[i].type_index != kTVMFFIInt && args[i].type_index != kTVMFFIBool) {
      return FAIL("TypeError", "Mismatched type on argument #%d when calling: `%s`. Expected `int` but got `%s`", i,
                  signature, TypeKey(&args[i]));
    }
  }
  return 0;
}

EXPORTED(add) {
  (void)self;
  if (IntArguments(args, num_args, 2, "add(0: int, 1: int) -> int") != 0) return -1;
  *result = Int((int64_t)((uint64_t)args[0].v_int64 + (uint64_t)args[1].v_int64));
  return 0;
}

/* ---- Functions that take and give functions ---------------------------------------------------------------------- */

static int AddToState(void* self, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
  if (IntArguments(args, num_args, 1, "(0: int) -> int") != 0) return -1;
  *result = Int((int64_t)((uint64_t)*(int64_t*)self + (uint64_t)args[0].v_int64));
  return 0;
}

EXPORTED(make_adder) {
  (void)self;
  if (IntArguments(args, num_args, 1, "make_adder(0: int) -> ffi.Function") != 0) return -1;
  int64_t* state = (int64_t*)malloc(sizeof(int64_t));
  if (state == NULL) return FAIL("MemoryError", "no memory for a closure");
  *state = args[0].v_int64;
  TVMFFIObjectHandle function = NULL;
  if (TVMFFIFunctionCreate(state, AddToState, free, &function) != 0) {
    free(state);
    return -1;
  }
  *result = Object(function);
  return 0;
}

EXPORTED(call) {
  (void)self;
  if (num_args < 1 || args[0].type_index != kTVMFFIFunction) {
    return FAIL("TypeError", "Expected a function to call as argument #0");
  }
  return TVMFFIFunctionCall(args[0].v_obj, (TVMFFIAny*)args + 1, num_args - 1, result); /* an error passes through */
}

EXPORTED(relay) {
  (void)self;
  TVMFFIByteArray name;
  if (TextArgument(args, num_args, 0, &name) != 0) return -1;
  return CallGlobal(name, args + 1, num_args - 1, result);
}

EXPORTED(fail) {
  (void)self, (void)result;
  TVMFFIByteArray kind, message;
  if (TextArgument(args, num_args, 0, &kind) != 0 || TextArgument(args, num_args, 1, &message) != 0) return -1;
  int has_cause = num_args > 2 && args[2].type_index == kTVMFFIError;
  return Raise(&kind, &message, has_cause ? args[2].v_obj : NULL, __func__, __LINE__);
}

EXPORTED(catch) {
  if (__tvm_ffi_call(self, args, num_args, result) == 0) {
    Drop(result);
    return 0;
  }
  TVMFFIObjectHandle error = NULL;
  TVMFFIErrorMoveFromRaised(&error);
  *result = error != NULL ? Object(error) : None();
  return 0;
}

/* ---- A value of each kind ---------------------------------------------------------------------------------------- */

static int MakeText(const char* data, size_t size, TVMFFIAny* result) {
  TVMFFIByteArray bytes = {data, size};
  return TVMFFIStringFromByteArray(&bytes, result);
}
static int MakeBytes(const char* data, size_t size, TVMFFIAny* result) {
  TVMFFIByteArray bytes = {data, size};
  return TVMFFIBytesFromByteArray(&bytes, result);
}
static int MakeBigInt(int64_t low, int64_t high, TVMFFIAny* result) {
  int64_t words[2] = {low, high};
  TVMFFIByteArray bytes = {(const char*)words, sizeof(words)};
  return TVMFFIBigIntFromByteArray(&bytes, result);
}
/* Containers are made by the library's functions; the values are borrowed. */
static int MakeContainer(const char* function, const TVMFFIAny* values, int32_t count, TVMFFIAny* result) {
  return CallGlobal(Bytes(function), values, count, result);
}

static int MakeArray(TVMFFIAny* result) {
  TVMFFIAny text = None();
  if (MakeText("two", 3, &text) != 0) return -1;
  TVMFFIAny values[] = {Int(1), text, Float(3.5), None()};
  return MakeContainer("ffi.Array", values, 4, result);
}

static int MakeList(TVMFFIAny* result) {
  TVMFFIAny two = Int(2);
  TVMFFIAny values[] = {Int(1), None()};
  if (MakeContainer("ffi.Array", &two, 1, &values[1]) != 0) return -1;
  int code = MakeContainer("ffi.List", values, 2, result);
  Drop(&values[1]);
  return code;
}

static int MakeMap(TVMFFIAny* result) {
  TVMFFIAny a, b;
  if (MakeText("a", 1, &a) != 0 || MakeText("b", 1, &b) != 0) return -1;
  TVMFFIAny pairs[] = {a, Int(1), b, Int(2)};
  return MakeContainer("ffi.Map", pairs, 4, result);
}

static int MakeLargeMap(TVMFFIAny* result) {
  TVMFFIAny pairs[20];
  for (int i = 0; i < 10; ++i) {
    pairs[2 * i] = Int(i);
    pairs[2 * i + 1] = Int(i * i);
  }
  return MakeContainer("ffi.Map", pairs, 20, result);
}

static int MakeDict(TVMFFIAny* result) {
  TVMFFIAny pair[2];
  if (MakeText("k", 1, &pair[0]) != 0 || MakeContainer("ffi.List", NULL, 0, &pair[1]) != 0) return -1;
  int code = MakeContainer("ffi.Dict", pair, 2, result);
  Drop(&pair[1]);
  return code;
}

static int MakeShape(TVMFFIAny* result) {
  TVMFFIAny extents[] = {Int(2), Int(3)};
  return MakeContainer("ffi.Shape", extents, 2, result);
}

/* A tensor is memory of ours with a description and a function that frees both. */
typedef struct {
  DLManagedTensorVersioned managed;
  int64_t shape[2];
  int64_t strides[2];
  float data[6];
} OwnedTensor;

static void FreeTensor(DLManagedTensorVersioned* managed) { free(managed->manager_ctx); }

static int MakeTensor(TVMFFIAny* result) {
  OwnedTensor* tensor = (OwnedTensor*)calloc(1, sizeof(OwnedTensor));
  if (tensor == NULL) return FAIL("MemoryError", "no memory for a tensor");
  for (int i = 0; i < 6; ++i) tensor->data[i] = (float)i;
  tensor->shape[0] = 2, tensor->shape[1] = 3;
  tensor->strides[0] = 3, tensor->strides[1] = 1;
  DLTensor* dl = &tensor->managed.dl_tensor;
  dl->data = tensor->data;
  dl->device.device_type = kDLCPU;
  dl->ndim = 2;
  dl->dtype.code = kDLFloat, dl->dtype.bits = 32, dl->dtype.lanes = 1;
  dl->shape = tensor->shape;
  dl->strides = tensor->strides;
  tensor->managed.version.major = DLPACK_MAJOR_VERSION;
  tensor->managed.version.minor = DLPACK_MINOR_VERSION;
  tensor->managed.manager_ctx = tensor;
  tensor->managed.deleter = FreeTensor;
  TVMFFIObjectHandle handle = NULL;
  if (TVMFFITensorFromDLPackVersioned(&tensor->managed, 0, 1, &handle) != 0) {
    free(tensor); /* it is still ours */
    return -1;
  }
  *result = Object(handle);
  return 0;
}

static int MakeError(const char* kind, const char* message, TVMFFIObjectHandle cause, TVMFFIAny* result) {
  TVMFFIByteArray kind_bytes = Bytes(kind), message_bytes = Bytes(message), no_backtrace = Bytes("");
  TVMFFIObjectHandle error = NULL;
  if (TVMFFIErrorCreateWithCauseAndExtraContext(&kind_bytes, &message_bytes, &no_backtrace, cause, NULL, &error) != 0) {
    return FAIL("MemoryError", "no memory for an error");
  }
  *result = Object(error);
  return 0;
}

static int MakeErrorWithCause(TVMFFIAny* result) {
  TVMFFIAny cause = None();
  if (MakeError("TypeError", "inner", NULL, &cause) != 0) return -1;
  int code = MakeError("ValueError", "outer", cause.v_obj, result);
  Drop(&cause);
  return code;
}

static int MakeFunction(TVMFFIAny* result) {
  TVMFFIObjectHandle function = NULL;
  if (TVMFFIFunctionCreate(NULL, __tvm_ffi_echo, NULL, &function) != 0) return -1;
  *result = Object(function);
  return 0;
}

/* Values without memory of their own. 1 when `name` is one of them. */
static int MakePlain(const char* name, TVMFFIAny* result) {
  const struct {
    const char* name;
    TVMFFIAny value;
  } plain[] = {
      {"none", None()},
      {"bool", Value(kTVMFFIBool, 1)},
      {"int", Int(-5)},
      {"int.min", Int(INT64_MIN)},
      {"int.max", Int(INT64_MAX)},
      {"float", Float(1.5)},
      {"float.negative_zero", Float(-0.0)},
      {"float.nan", FloatOfBits(0x7ff8000000000000u)},
      {"float.infinity", FloatOfBits(0x7ff0000000000000u)},
      {"pointer", Value(kTVMFFIOpaquePtr, 0x2a)},
      {"pointer.null", Value(kTVMFFIOpaquePtr, 0)},
  };
  for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); ++i) {
    if (strcmp(plain[i].name, name) == 0) {
      *result = plain[i].value;
      return 1;
    }
  }
  if (strcmp(name, "dtype") == 0) {
    *result = Value(kTVMFFIDataType, 0);
    result->v_dtype.code = kDLFloat, result->v_dtype.bits = 32, result->v_dtype.lanes = 4;
    return 1;
  }
  if (strcmp(name, "device") == 0) {
    *result = Value(kTVMFFIDevice, 0);
    result->v_device.device_type = kDLCUDA, result->v_device.device_id = 7;
    return 1;
  }
  return 0;
}

EXPORTED(make) {
  (void)self;
  static const char kBytes[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  TVMFFIByteArray bytes;
  if (TextArgument(args, num_args, 0, &bytes) != 0) return -1;
  const char* name = bytes.data; /* text ends with a NUL in each of its forms */
  if (MakePlain(name, result)) return 0;
  if (strcmp(name, "str.empty") == 0) return MakeText("", 0, result);
  if (strcmp(name, "str.short") == 0) return MakeText("a\0b", 3, result);
  if (strcmp(name, "str.long") == 0) return MakeText("longer than\0seven", 17, result);
  if (strcmp(name, "bytes.short") == 0) return MakeBytes("\0\xff", 2, result);
  if (strcmp(name, "bytes.long") == 0) return MakeBytes(kBytes, sizeof(kBytes), result);
  if (strcmp(name, "array") == 0) return MakeArray(result);
  if (strcmp(name, "list") == 0) return MakeList(result);
  if (strcmp(name, "map") == 0) return MakeMap(result);
  if (strcmp(name, "map.large") == 0) return MakeLargeMap(result);
  if (strcmp(name, "dict") == 0) return MakeDict(result);
  if (strcmp(name, "shape") == 0) return MakeShape(result);
  if (strcmp(name, "tensor") == 0) return MakeTensor(result);
  if (strcmp(name, "bigint") == 0) return MakeBigInt(0, 1, result);
  if (strcmp(name, "bigint.negative") == 0) return MakeBigInt(0, -1, result);
  if (strcmp(name, "function") == 0) return MakeFunction(result);
  if (strcmp(name, "error") == 0) return MakeError("ValueError", "made", NULL, result);
  if (strcmp(name, "error.cause") == 0) return MakeErrorWithCause(result);
  return FAIL("ValueError", "There is no sample named %s", name);
}
