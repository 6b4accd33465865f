/*
 * DLPack types used by the C ABI. Include this header instead of <dlpack/dlpack.h>: distributions ship DLPack
 * releases older than 1.0, which lack the versioned tensor; it is declared here for those, with the same layout.
 */
#ifndef TRANSOM_RUNTIME_DLPACK_H_
#define TRANSOM_RUNTIME_DLPACK_H_

#include <dlpack/dlpack.h>
#include <stddef.h>
#include <stdint.h>

#ifndef DLPACK_MAJOR_VERSION /* first defined by DLPack 1.0 */

#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 0

/* The receiver must not write to the data. */
#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
/* The producer made a copy for this export. */
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)
/* Types narrower than a byte occupy a whole byte each. */
#define DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED (1UL << 2UL)

typedef struct {
  uint32_t major;
  uint32_t minor;
} DLPackVersion;

/* A tensor with its owner: the receiver calls `deleter` (when not NULL) exactly once. */
typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

#endif /* DLPACK_MAJOR_VERSION */

/* Data type codes by their DLPack numbers; older headers name only the first few. */
enum {
  kTransomDLInt = 0,
  kTransomDLUInt = 1,
  kTransomDLFloat = 2,
  kTransomDLOpaqueHandle = 3,
  kTransomDLBfloat = 4,
  kTransomDLComplex = 5,
  kTransomDLBool = 6,
  kTransomDLFloat8_e3m4 = 7,
  kTransomDLFloat8_e4m3 = 8,
  kTransomDLFloat8_e4m3b11fnuz = 9,
  kTransomDLFloat8_e4m3fn = 10,
  kTransomDLFloat8_e4m3fnuz = 11,
  kTransomDLFloat8_e5m2 = 12,
  kTransomDLFloat8_e5m2fnuz = 13,
  kTransomDLFloat8_e8m0fnu = 14,
  kTransomDLFloat6_e2m3fn = 15,
  kTransomDLFloat6_e3m2fn = 16,
  kTransomDLFloat4_e2m1fn = 17,
  kTransomDLCustomBegin = 129
};

/* Allocates the tensor that `prototype` describes (shape, dtype, device; no data) into `*out`.
 * Returns 0, or nonzero after calling `set_error(error_ctx, kind, message)`. */
typedef int (*DLPackManagedTensorAllocator)(DLTensor* prototype, DLManagedTensorVersioned** out, void* error_ctx,
                                            void (*set_error)(void* error_ctx, const char* kind,
                                                              const char* message));

#endif /* TRANSOM_RUNTIME_DLPACK_H_ */
