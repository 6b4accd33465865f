/*
 * The environment half of the TVM-FFI C contract: streams, the allocator of tensors, signals of an interpreter, and the
 * symbols that loaded modules reach. The conventions are those of c_api.h.
 */
#ifndef TRANSOM_RUNTIME_C_ENV_API_H_
#define TRANSOM_RUNTIME_C_ENV_API_H_

#include <stdint.h>
#include <transom/runtime/c_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A stream of a device, such as a cudaStream_t. Never looked into. */
typedef void* TVMFFIStreamHandle;

/* ---- Streams ------------------------------------------------------------------------------------------------- */

/* Makes `stream` the calling thread's current stream of a device; `*opt_out_original_stream` (if not NULL) gets the one
 * before, NULL when there was none. ValueError: a negative device type or number. */
TRANSOM_FFI_DLL int TVMFFIEnvSetStream(int32_t device_type, int32_t device_id, TVMFFIStreamHandle stream,
                                       TVMFFIStreamHandle* opt_out_original_stream);
/* The calling thread's current stream of a device; NULL when none was set. Cannot fail. */
TRANSOM_FFI_DLL TVMFFIStreamHandle TVMFFIEnvGetStream(int32_t device_type, int32_t device_id);

/* ---- Tensors -------------------------------------------------------------------------------------------------- */

/* Sets the calling thread's allocator of tensors, and that of threads without one when `write_to_global_context` is not 0.
 * `*opt_out_original_allocator` (if not NULL) gets the thread's own one before, which may be NULL. */
TRANSOM_FFI_DLL int TVMFFIEnvSetDLPackManagedTensorAllocator(DLPackManagedTensorAllocator allocator,
                                                             int write_to_global_context,
                                                             DLPackManagedTensorAllocator* opt_out_original_allocator);
/* The calling thread's allocator, else that for all threads, else NULL. Cannot fail. */
TRANSOM_FFI_DLL DLPackManagedTensorAllocator TVMFFIEnvGetDLPackManagedTensorAllocator(void);
/* A new Tensor with the shape, data type and device of `prototype`, made by the current allocator, whose nonzero result is
 * passed on with the error that it set. RuntimeError: no allocator is set, or it returned no tensor or a malformed one. */
TRANSOM_FFI_DLL int TVMFFIEnvTensorAlloc(DLTensor* prototype, TVMFFIObjectHandle* out);

/* ---- Signals of an interpreter -------------------------------------------------------------------------------- */

/* Long computations call this now and then. -1: the interpreter has a pending error of its own (the thread's error slot
 * is left alone); return an error of kind EnvErrorAlreadySet to the caller. 0: go on, or there is no interpreter. */
TRANSOM_FFI_DLL int TVMFFIEnvCheckSignals(void);
/* Gives the library a function of the interpreter: PyErr_CheckSignals, PyGILState_Ensure or PyGILState_Release.
 * NULL takes it away. ValueError: another name. */
TRANSOM_FFI_DLL int TVMFFIEnvRegisterCAPI(const char* name, void* symbol);

/* ---- Symbols of modules --------------------------------------------------------------------------------------- */

/* Function that code of a library module calls by name: of the module's imports, depth-first, else the global one.
 * `library_ctx` is what the library's variable __tvm_ffi__library_ctx holds. `*out` is borrowed: it lives until the module
 * dies or its imports are cleared. What was found once stays, whatever is imported or registered later.
 * RuntimeError: there is no such function, or `library_ctx` is NULL. */
TRANSOM_FFI_DLL int TVMFFIEnvModLookupFromImports(TVMFFIObjectHandle library_ctx, const char* name,
                                                  TVMFFIObjectHandle* out);
/* Modules of libraries that are made from now on find `symbol` in their variable `void* name`, where they have one.
 * ValueError: no name. */
TRANSOM_FFI_DLL int TVMFFIEnvModRegisterContextSymbol(const char* name, void* symbol);
/* Adds a symbol to what ffi.SystemLib finds; another address for a known name replaces the first, with a warning on standard
 * error. ValueError: no name. */
TRANSOM_FFI_DLL int TVMFFIEnvModRegisterSystemLibSymbol(const char* name, void* symbol);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TRANSOM_RUNTIME_C_ENV_API_H_ */
