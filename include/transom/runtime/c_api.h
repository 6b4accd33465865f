/*
 * The TVM-FFI C contract, release 0.1.14: value layout, object header, reflection records and the exported functions.
 * Everything above the runtime uses only this header, so it also runs on another provider of the same symbols.
 *
 * Conventions for every function below, unless its comment says otherwise:
 *  - Result int: 0 is success; -1 is failure, with an Error in the calling thread's slot
 *    (take it with TVMFFIErrorMoveFromRaised).
 *  - Handles in arguments are borrowed. Handles and values written to `out` are new references that the caller owns;
 *    what `*out` held before is overwritten, not released.
 *  - Byte arrays in arguments need to live only during the call and need no terminating NUL.
 *  - NULL where something must be given is a TypeError, where the result can say so.
 *  - Any thread may call. Tables (types, attributes, functions) are safe under concurrent use.
 */
#ifndef TRANSOM_RUNTIME_C_API_H_
#define TRANSOM_RUNTIME_C_API_H_

#include <stddef.h>
#include <stdint.h>
#include <transom/runtime/dlpack.h>

#if defined(_WIN32)
#define TRANSOM_FFI_DLL
#else
#define TRANSOM_FFI_DLL __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Values ------------------------------------------------------------------------------------------------- */

/* Type index of a value. Below kTVMFFIStaticObjectBegin the value lies in the 16 bytes; from there on it is an
 * object. */
typedef enum {
  kTVMFFIAny = -1, /* only as the static type of a field */
  kTVMFFINone = 0,
  kTVMFFIInt = 1,
  kTVMFFIBool = 2,
  kTVMFFIFloat = 3,
  kTVMFFIOpaquePtr = 4,
  kTVMFFIDataType = 5,
  kTVMFFIDevice = 6,
  kTVMFFIDLTensorPtr = 7,
  kTVMFFIRawStr = 8,           /* views only: NUL-terminated text */
  kTVMFFIByteArrayPtr = 9,     /* views only */
  kTVMFFIObjectRValueRef = 10, /* views only: address of an object pointer that the callee may take */
  kTVMFFISmallStr = 11,        /* up to 7 bytes in the value */
  kTVMFFISmallBytes = 12,
  kTVMFFIUnchanged = 13, /* only the result of structural mutate hooks */
  kTVMFFIStaticObjectBegin = 64,
  kTVMFFIObject = 64,
  kTVMFFIStr = 65,
  kTVMFFIBytes = 66,
  kTVMFFIError = 67,
  kTVMFFIFunction = 68,
  kTVMFFIShape = 69,
  kTVMFFITensor = 70,
  kTVMFFIArray = 71,
  kTVMFFIMap = 72,
  kTVMFFIModule = 73,
  kTVMFFIOpaquePyObject = 74,
  kTVMFFIList = 75,
  kTVMFFIDict = 76,
  kTVMFFIVisitInterrupt = 77,
  kTVMFFIBigInt = 78,
  kTVMFFIStaticObjectEnd = 79,
  kTVMFFIDynObjectBegin = 128 /* indices from here on are given out at run time: look types up by key */
} TVMFFITypeIndex;

/* Borrowed bytes: `size` bytes at `data`. */
typedef struct {
  const char* data;
  size_t size;
} TVMFFIByteArray;

/* Flags of an object's deleter: run the destructor, release the memory, or both. */
typedef enum {
  kTVMFFIObjectDeleterFlagBitMaskStrong = 1,
  kTVMFFIObjectDeleterFlagBitMaskWeak = 2,
  kTVMFFIObjectDeleterFlagBitMaskBoth = 3
} TVMFFIObjectDeleterFlagBitMask;

/* Header of every object; its address is the object's handle. A new object has one strong and one weak count
 * (all strong references together hold one weak count). */
typedef struct TVMFFIObject {
  uint64_t combined_ref_count; /* low 32 bits strong, high 32 bits weak */
  int32_t type_index;          /* never changes */
  uint32_t __padding;          /* 0 */
  union {
    void (*deleter)(void* self, int flags); /* may be NULL: nothing is run */
    int64_t __ensure_align;
  };
} TVMFFIObject;

/* A value with its type. Bytes that a type does not use are 0: equality and hashing compare the raw words. */
typedef struct TVMFFIAny {
  int32_t type_index;
  union {
    uint32_t zero_padding;
    uint32_t small_str_len; /* SmallStr and SmallBytes only */
  };
  union {
    int64_t v_int64; /* Int, Bool (0 or 1) */
    uint64_t v_uint64;
    double v_float64;
    void* v_ptr;
    const char* v_c_str;
    TVMFFIObject* v_obj;
    DLDataType v_dtype;
    DLDevice v_device;
    char v_bytes[8]; /* small text, padded with NUL */
  };
} TVMFFIAny;

/* An object as the C functions pass it. */
typedef void* TVMFFIObjectHandle;

/* Lies in the 8 bytes before a body that an allocator made. Objects made otherwise have nothing before them. */
typedef struct {
  /* Releases the whole block without reading the body; NULL where the object's deleter does that. */
  void (*delete_space)(void* body);
} TVMFFIObjectAllocHeader;

/* Allocator of memory for objects. */
typedef struct {
  /* Body of `size` raw bytes, aligned, with a TVMFFIObjectAllocHeader before it; NULL with the thread's error set when
   * memory is short. Any thread may call. */
  void* (*allocate)(size_t size, size_t alignment, int32_t type_index, void* context);
  void* context;
} TVMFFICustomAllocator;

/* ---- What follows the header in built-in objects (at handle + 24) --------------------------------------------- */

/* Shape: `size` extents. */
typedef struct {
  const int64_t* data;
  size_t size;
} TVMFFIShapeCell;

/* Array and List: `size` values of 16 bytes at `data`. */
typedef struct {
  void* data;
  int64_t size;
  int64_t capacity;
  void (*data_deleter)(void* data); /* NULL where the values are part of the object's own block */
} TVMFFISeqCell;

typedef enum { kTVMFFIBacktraceUpdateModeReplace = 0, kTVMFFIBacktraceUpdateModeAppend = 1 } TVMFFIBacktraceUpdateMode;

/* Error. Texts are NUL-terminated. The backtrace has one frame a line, innermost call first. */
typedef struct {
  TVMFFIByteArray kind;
  TVMFFIByteArray message;
  TVMFFIByteArray backtrace;
  void (*update_backtrace)(TVMFFIObjectHandle self, const TVMFFIByteArray* text, int32_t mode);
  TVMFFIObjectHandle cause_chain;   /* owned, or NULL */
  TVMFFIObjectHandle extra_context; /* owned, or NULL */
} TVMFFIErrorCell;

/* The one signature of every function. `args` are borrowed views; on 0 the caller owns `*result`,
 * which it set to None before the call. */
typedef int (*TVMFFISafeCallType)(void* self, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result);

/* Function. `cpp_call` is NULL for functions made by this library. */
typedef struct {
  TVMFFISafeCallType safe_call;
  void* cpp_call;
} TVMFFIFunctionCell;

/* OpaquePyObject. */
typedef struct {
  void* handle;
} TVMFFIOpaqueObjectCell;

/* ---- Reflection records ---------------------------------------------------------------------------------------- */

/* Flags of a field or method. */
typedef enum {
  kTVMFFIFieldFlagBitMaskWritable = 1 << 0,
  kTVMFFIFieldFlagBitMaskHasDefault = 1 << 1,
  kTVMFFIFieldFlagBitMaskIsStaticMethod = 1 << 2,
  kTVMFFIFieldFlagBitMaskSEqHashIgnore = 1 << 3,
  kTVMFFIFieldFlagBitMaskSEqHashDefRecursive = 1 << 4,
  kTVMFFIFieldFlagBitMaskDefaultFromFactory = 1 << 5,
  kTVMFFIFieldFlagBitMaskReprOff = 1 << 6,
  kTVMFFIFieldFlagBitMaskCompareOff = 1 << 7,
  kTVMFFIFieldFlagBitMaskHashOff = 1 << 8,
  kTVMFFIFieldFlagBitMaskInitOff = 1 << 9,
  kTVMFFIFieldFlagBitMaskKwOnly = 1 << 10,
  kTVMFFIFieldFlagBitSetterIsFunctionObj = 1 << 11,
  kTVMFFIFieldFlagBitMaskSEqHashDefNonRecursive = 1 << 12,
  /* Later names of the two kinds of definition region. */
  kTVMFFIFieldFlagBitMaskSEqHashDefPattern = kTVMFFIFieldFlagBitMaskSEqHashDefRecursive,
  kTVMFFIFieldFlagBitMaskSEqHashDefSimple = kTVMFFIFieldFlagBitMaskSEqHashDefNonRecursive
} TVMFFIFieldFlagBitMask;

/* How objects of a type compare structurally. */
typedef enum {
  kTVMFFISEqHashKindUnsupported = 0,
  kTVMFFISEqHashKindTreeNode = 1,
  kTVMFFISEqHashKindFreeVar = 2,
  kTVMFFISEqHashKindDAGNode = 3,
  kTVMFFISEqHashKindConstTreeNode = 4,
  kTVMFFISEqHashKindUniqueInstance = 5
} TVMFFISEqHashKind;

/* What meeting an unbound variable means in a part of a value. */
typedef enum {
  kTVMFFIDefRegionKindNone = 0,
  kTVMFFIDefRegionKindRecursive = 1,
  kTVMFFIDefRegionKindNonRecursive = 2,
  /* Later names. */
  kTVMFFIDefRegionKindPattern = kTVMFFIDefRegionKindRecursive,
  kTVMFFIDefRegionKindSimple = kTVMFFIDefRegionKindNonRecursive
} TVMFFIDefRegionKind;

/* Writes the owned value of the field at `field` to `*result`. */
typedef int (*TVMFFIFieldGetter)(void* field, TVMFFIAny* result);
/* Sets the field at `field` from a borrowed value, converted as an argument would be; TypeError where it does not
 * fit. */
typedef int (*TVMFFIFieldSetter)(void* field, const TVMFFIAny* value);

typedef struct {
  TVMFFIByteArray name;
  TVMFFIByteArray doc;
  TVMFFIByteArray metadata; /* JSON text with at least "type_schema" */
  int64_t flags;            /* TVMFFIFieldFlagBitMask */
  int64_t size;             /* bytes of the field's storage */
  int64_t alignment;
  int64_t offset; /* from the object header */
  TVMFFIFieldGetter getter;
  void* setter; /* a TVMFFIFieldSetter, or a Function handle (flag SetterIsFunctionObj) taking (address, value) */
  TVMFFIAny default_value_or_factory; /* valid with flag HasDefault */
  int32_t field_static_type_index;
} TVMFFIFieldInfo;

typedef struct {
  TVMFFIByteArray name;
  TVMFFIByteArray doc;
  TVMFFIByteArray metadata;
  int64_t flags;
  TVMFFIAny method; /* a Function; self is the first argument unless static */
} TVMFFIMethodInfo;

/* Writes a new object with default-constructed fields to `*result`. */
typedef int (*TVMFFIObjectCreator)(TVMFFIObjectHandle* result);

typedef struct {
  TVMFFIByteArray doc;
  TVMFFIObjectCreator creator;     /* may be NULL */
  int32_t total_size;              /* bytes of the C++ object; 0 is unknown */
  int32_t structural_eq_hash_kind; /* TVMFFISEqHashKind */
} TVMFFITypeMetadata;

/* A row of the type table. Lives for the process; `fields` and `methods` may move when more are registered. */
typedef struct TVMFFITypeInfo {
  int32_t type_index;
  int32_t type_depth; /* number of ancestors */
  TVMFFIByteArray type_key;
  const struct TVMFFITypeInfo** type_ancestors; /* [d] is the ancestor at depth d */
  uint64_t type_key_hash;
  int32_t num_fields; /* own fields only: those of the ancestors come first */
  int32_t num_methods;
  const TVMFFIFieldInfo* fields;
  const TVMFFIMethodInfo* methods;
  const TVMFFITypeMetadata* metadata; /* NULL until registered */
} TVMFFITypeInfo;

/* Values of one attribute for all types: type t has data[t - begin_index], when in range and not None.
 * The address of the column never changes. */
typedef struct {
  const TVMFFIAny* data;
  int32_t size;
  int32_t begin_index;
} TVMFFITypeAttrColumn;

typedef struct {
  uint32_t major;
  uint32_t minor;
  uint32_t patch;
} TVMFFIVersion;

/* ---- Version and objects --------------------------------------------------------------------------------------- */

/* Writes the version of the contract that the library implements. Cannot fail. */
TRANSOM_FFI_DLL void TVMFFIGetVersion(TVMFFIVersion* out);

/* Adds a strong reference. TypeError: NULL. */
TRANSOM_FFI_DLL int TVMFFIObjectIncRef(TVMFFIObjectHandle obj);

/* Drops a strong reference and destroys the object with the last one, without recursion for objects of this library.
 * NULL is ignored. */
TRANSOM_FFI_DLL int TVMFFIObjectDecRef(TVMFFIObjectHandle obj);

/* Makes an object of a static type that only holds `handle`, and calls `deleter(handle)` (may be NULL) when it is
 * destroyed. RuntimeError: a type other than kTVMFFIOpaquePyObject; `handle` stays the caller's. */
TRANSOM_FFI_DLL int TVMFFIObjectCreateOpaque(void* handle, int32_t type_index, void (*deleter)(void* handle),
                                             TVMFFIObjectHandle* out);

/* Allocator for makers of objects that ask for one; never NULL. Objects of this library are made without it. */
TRANSOM_FFI_DLL TVMFFICustomAllocator* TVMFFIGetCustomAllocator(void);
/* Replaces the allocator for the process; NULL restores the library's own. `*allocator` must live as long as the
 * process. What was allocated before is released as its header says. */
TRANSOM_FFI_DLL int TVMFFISetCustomAllocator(TVMFFICustomAllocator* allocator);

/* Makes sure, once for all threads, that `*handle_addr` is set: where it is NULL, `init` runs under a lock of the
 * process and writes it. The result of a failing `init` is passed on, and the next caller tries again. RuntimeError:
 * `init` wrote NULL, or needs the handle that it is to make. `init` may initialise other handles. */
TRANSOM_FFI_DLL int TVMFFIHandleInitOnce(void** handle_addr, int (*init)(void** out));
/* Sets `*handle_addr` to NULL and returns `deinit` of what it held; 0 when that was NULL. */
TRANSOM_FFI_DLL int TVMFFIHandleDeinitOnce(void** handle_addr, int (*deinit)(void* handle));

/* Does nothing and returns 0. The compiled part of the Python front end refers to this symbol, which upstream's test
 * library provides, to have that library loaded; here it lets the front end load without one. */
TRANSOM_FFI_DLL int TVMFFITestingDummyTarget(void);

/* ---- Type table ------------------------------------------------------------------------------------------------ */

/* Index of the type named `type_key`. InternalError: no such type. */
TRANSOM_FFI_DLL int TVMFFITypeKeyToIndex(const TVMFFIByteArray* type_key, int32_t* out);

/* Index of the type, registering it when new. `static_type_index` < 0 asks for a dynamic index; `type_depth` is the
 * parent's plus 1, or 0 for "not stated"; `num_child_slots` indices after it are kept for children;
 * `child_slots_can_overflow` lets children have indices outside. `parent_type_index` -2 only asks.
 * Returns -2 for an unknown type that was only asked for. Fatal (message, exit) on a contradiction. */
TRANSOM_FFI_DLL int32_t TVMFFITypeGetOrAllocIndex(const TVMFFIByteArray* type_key, int32_t static_type_index,
                                                  int32_t type_depth, int32_t num_child_slots,
                                                  int32_t child_slots_can_overflow, int32_t parent_type_index);

/* Row of a registered type. Never NULL; fatal (message, exit) for an index that was never given out. */
TRANSOM_FFI_DLL const TVMFFITypeInfo* TVMFFIGetTypeInfo(int32_t type_index);

/* Appends a field; texts are copied. InternalError: unknown type, or the type has a field of that name. */
TRANSOM_FFI_DLL int TVMFFITypeRegisterField(int32_t type_index, const TVMFFIFieldInfo* info);
/* Appends a method; texts are copied, the function is retained. InternalError: unknown type. */
TRANSOM_FFI_DLL int TVMFFITypeRegisterMethod(int32_t type_index, const TVMFFIMethodInfo* info);
/* Sets the type's metadata. RuntimeError: it has some already. */
TRANSOM_FFI_DLL int TVMFFITypeRegisterMetadata(int32_t type_index, const TVMFFITypeMetadata* metadata);
/* Sets attribute `attr_name` of the type (index 0: only makes sure that the column exists).
 * RuntimeError: the type has a value already. */
TRANSOM_FFI_DLL int TVMFFITypeRegisterAttr(int32_t type_index, const TVMFFIByteArray* attr_name,
                                           const TVMFFIAny* attr_value);
/* Column of the attribute, or NULL when it was never created. */
TRANSOM_FFI_DLL const TVMFFITypeAttrColumn* TVMFFIGetTypeAttrColumn(const TVMFFIByteArray* attr_name);

/* ---- Functions ------------------------------------------------------------------------------------------------- */

/* Makes a Function that calls `safe_call(self, ...)`; `deleter(self)` (may be NULL) runs when it is destroyed.
 * With both `self` and `deleter` NULL, `safe_call` receives the function's own handle as `self`. */
TRANSOM_FFI_DLL int TVMFFIFunctionCreate(void* self, TVMFFISafeCallType safe_call, void (*deleter)(void* self),
                                         TVMFFIObjectHandle* out);
/* Calls the function; its return value is passed through. TypeError: `func` is no function. Arguments are unchecked. */
TRANSOM_FFI_DLL int TVMFFIFunctionCall(TVMFFIObjectHandle func, TVMFFIAny* args, int32_t num_args, TVMFFIAny* result);
/* Registers a function under a name for all languages. RuntimeError: the name is taken and `allow_override` is 0. */
TRANSOM_FFI_DLL int TVMFFIFunctionSetGlobal(const TVMFFIByteArray* name, TVMFFIObjectHandle func, int allow_override);
/* The same, keeping doc, metadata and flags of the record. */
TRANSOM_FFI_DLL int TVMFFIFunctionSetGlobalFromMethodInfo(const TVMFFIMethodInfo* info, int allow_override);
/* Function of that name, or `*out` = NULL (and success) when there is none. */
TRANSOM_FFI_DLL int TVMFFIFunctionGetGlobal(const TVMFFIByteArray* name, TVMFFIObjectHandle* out);

/* ---- Values ---------------------------------------------------------------------------------------------------- */

/* Owned copy of a view: objects gain a reference, borrowed text is copied, an rvalue reference is taken.
 * InternalError: an rvalue reference to NULL. */
TRANSOM_FFI_DLL int TVMFFIAnyViewToOwnedAny(const TVMFFIAny* view, TVMFFIAny* out);
/* String or Bytes of a copy of `in`: inline up to 7 bytes, else an object. */
TRANSOM_FFI_DLL int TVMFFIStringFromByteArray(const TVMFFIByteArray* in, TVMFFIAny* out);
TRANSOM_FFI_DLL int TVMFFIBytesFromByteArray(const TVMFFIByteArray* in, TVMFFIAny* out);
/* Parses "float32x4" and the like. ValueError: the text is no data type. */
TRANSOM_FFI_DLL int TVMFFIDataTypeFromString(const TVMFFIByteArray* text, DLDataType* out);
/* Text of a data type, as a String. ValueError: a code that has no name. */
TRANSOM_FFI_DLL int TVMFFIDataTypeToString(const DLDataType* dtype, TVMFFIAny* out);
/* Integer of two's complement little-endian 64-bit words (length a multiple of 8; empty is 0; redundant sign words are
 * allowed): an Int when it fits, else a BigInt. ValueError: another length. */
TRANSOM_FFI_DLL int TVMFFIBigIntFromByteArray(const TVMFFIByteArray* in, TVMFFIAny* out);
/* Words of an Int or BigInt, borrowed from `*value`. NULL and 0 for another type. */
TRANSOM_FFI_DLL TVMFFIByteArray TVMFFIBigIntGetContentByteArray(const TVMFFIAny* value);

/* ---- Errors ---------------------------------------------------------------------------------------------------- */

/* Moves the calling thread's error to `*out` (NULL when there is none). Consult only after a failure. */
TRANSOM_FFI_DLL void TVMFFIErrorMoveFromRaised(TVMFFIObjectHandle* out);
/* Stores an error (its reference count grows) for the calling thread; NULL clears. */
TRANSOM_FFI_DLL void TVMFFIErrorSetRaised(TVMFFIObjectHandle error);
/* Makes and stores an error. */
TRANSOM_FFI_DLL void TVMFFIErrorSetRaisedFromCStr(const char* kind, const char* message);
/* The same; the message is the parts one after the other, NULL parts left out. */
TRANSOM_FFI_DLL void TVMFFIErrorSetRaisedFromCStrParts(const char* kind, const char** message_parts, int32_t num_parts);
/* Makes an Error. Returns -1 when memory is short, leaving the thread's slot alone. */
TRANSOM_FFI_DLL int TVMFFIErrorCreate(const TVMFFIByteArray* kind, const TVMFFIByteArray* message,
                                      const TVMFFIByteArray* backtrace, TVMFFIObjectHandle* out);
/* The same with a cause and a context (each an object or NULL; each gains a reference). */
TRANSOM_FFI_DLL int TVMFFIErrorCreateWithCauseAndExtraContext(
    const TVMFFIByteArray* kind, const TVMFFIByteArray* message, const TVMFFIByteArray* backtrace,
    TVMFFIObjectHandle cause_chain, TVMFFIObjectHandle extra_context, TVMFFIObjectHandle* out);
/* Backtrace text starting with the given frame (left out when a text is NULL); valid until the thread's next call. */
TRANSOM_FFI_DLL const TVMFFIByteArray* TVMFFIBacktrace(const char* filename, int lineno, const char* func,
                                                       int cross_ffi_boundary);

/* ---- Tensors --------------------------------------------------------------------------------------------------- */

/* Tensor over a DLPack tensor, whose ownership passes on success only. `require_alignment` in bytes (0: any);
 * `require_contiguous` nonzero: row-major compact. RuntimeError: a requirement fails, or the tensor is malformed
 * (NULL record, negative rank or extent, NULL data with elements, a device type below 1). */
TRANSOM_FFI_DLL int TVMFFITensorFromDLPack(DLManagedTensor* from, int32_t require_alignment, int32_t require_contiguous,
                                           TVMFFIObjectHandle* out);
/* The same; also RuntimeError: elements narrower than a byte that are padded to one. */
TRANSOM_FFI_DLL int TVMFFITensorFromDLPackVersioned(DLManagedTensorVersioned* from, int32_t require_alignment,
                                                    int32_t require_contiguous, TVMFFIObjectHandle* out);
/* DLPack record that shares the tensor's memory and holds a reference to it; free it with its deleter. */
TRANSOM_FFI_DLL int TVMFFITensorToDLPack(TVMFFIObjectHandle from, DLManagedTensor** out);
TRANSOM_FFI_DLL int TVMFFITensorToDLPackVersioned(TVMFFIObjectHandle from, DLManagedTensorVersioned** out);
/* Tensor of the memory that `prototype` describes, which belongs to `source`: only the source is kept alive; shape and
 * strides are copied. Nothing checks that the memory lies within the source's. InternalError: NULL strides.
 * RuntimeError: a malformed prototype, as for TVMFFITensorFromDLPack. */
TRANSOM_FFI_DLL int TVMFFITensorCreateUnsafeView(TVMFFIObjectHandle source, const DLTensor* prototype,
                                                 TVMFFIObjectHandle* out);

#ifdef __cplusplus
} /* extern "C" */

#define TRANSOM_LAYOUT_CHECK(condition) static_assert(condition, "layout of the C contract")
TRANSOM_LAYOUT_CHECK(sizeof(TVMFFIAny) == 16 && alignof(TVMFFIAny) == 8 && offsetof(TVMFFIAny, v_int64) == 8);
TRANSOM_LAYOUT_CHECK(sizeof(TVMFFIObject) == 24 && offsetof(TVMFFIObject, type_index) == 8 &&
                     offsetof(TVMFFIObject, deleter) == 16);
TRANSOM_LAYOUT_CHECK(sizeof(TVMFFIByteArray) == 16 && sizeof(TVMFFIShapeCell) == 16);
TRANSOM_LAYOUT_CHECK(sizeof(TVMFFISeqCell) == 32 && sizeof(TVMFFIErrorCell) == 72 && sizeof(TVMFFIFunctionCell) == 16);
TRANSOM_LAYOUT_CHECK(sizeof(TVMFFIObjectAllocHeader) == 8 && sizeof(TVMFFICustomAllocator) == 16 &&
                     sizeof(TVMFFIOpaqueObjectCell) == 8);
TRANSOM_LAYOUT_CHECK(sizeof(TVMFFIFieldInfo) == 120 && offsetof(TVMFFIFieldInfo, flags) == 48 &&
                     offsetof(TVMFFIFieldInfo, offset) == 72 && offsetof(TVMFFIFieldInfo, getter) == 80 &&
                     offsetof(TVMFFIFieldInfo, default_value_or_factory) == 96 &&
                     offsetof(TVMFFIFieldInfo, field_static_type_index) == 112);
TRANSOM_LAYOUT_CHECK(sizeof(TVMFFIMethodInfo) == 72 && sizeof(TVMFFITypeMetadata) == 32);
TRANSOM_LAYOUT_CHECK(sizeof(TVMFFITypeInfo) == 72 && offsetof(TVMFFITypeInfo, type_ancestors) == 24 &&
                     offsetof(TVMFFITypeInfo, num_fields) == 40 && offsetof(TVMFFITypeInfo, metadata) == 64);
TRANSOM_LAYOUT_CHECK(sizeof(TVMFFITypeAttrColumn) == 16 && sizeof(TVMFFIVersion) == 12);
TRANSOM_LAYOUT_CHECK(sizeof(DLTensor) == 48 && sizeof(DLManagedTensor) == 64 && sizeof(DLManagedTensorVersioned) == 80);
#undef TRANSOM_LAYOUT_CHECK
#endif

#endif /* TRANSOM_RUNTIME_C_API_H_ */
