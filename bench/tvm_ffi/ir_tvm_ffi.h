/*
 * The benchmark's IR in the objects of the package apache-tvm-ffi, behind C functions: its headers and Transom's do not
 * meet in a source, nor their runtimes in a process. A failed function prints why to standard error.
 */
#ifndef TRANSOM_BENCH_TVM_FFI_IR_TVM_FFI_H_
#define TRANSOM_BENCH_TVM_FFI_IR_TVM_FFI_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IR_TVM_FFI_API __attribute__((visibility("default")))

/* A reference to a value of the package; NULL after a failure. Free it with IrFree. */
typedef void* IrHandle;

/* The graph that ir_transom.h builds for the same arguments; `*made`: its number of objects. */
IR_TVM_FFI_API IrHandle IrBuild(uint64_t num_objects, uint64_t seed, uint64_t* made);
/* The graph's JSON, as a handle of the text. */
IR_TVM_FFI_API IrHandle IrSaveJSON(IrHandle graph);
/* Characters of a text handle, borrowed from it. */
IR_TVM_FFI_API const char* IrText(IrHandle text, size_t* size);
/* The text is copied into a string of the package first, by IrMakeText, so that a load is no more than the package's
 * function. */
IR_TVM_FFI_API IrHandle IrMakeText(const char* data, size_t size);
IR_TVM_FFI_API IrHandle IrLoadJSON(IrHandle text);
/* 1 or 0; -1 is a failure. */
IR_TVM_FFI_API int IrEqual(IrHandle lhs, IrHandle rhs);
/* 0 and the hash, or -1. */
IR_TVM_FFI_API int IrHash(IrHandle graph, uint64_t* hash);
IR_TVM_FFI_API void IrFree(IrHandle handle);

#ifdef __cplusplus
}
#endif

#endif /* TRANSOM_BENCH_TVM_FFI_IR_TVM_FFI_H_ */
