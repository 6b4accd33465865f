/* Tensor memory as DLPack describes it: what Tensor and TensorView have in common. */
#ifndef TRANSOM_CONTAINERS_DETAIL_TENSOR_READS_H_
#define TRANSOM_CONTAINERS_DETAIL_TENSOR_READS_H_

#include <transom/containers/detail/strided_copy.h>
#include <transom/containers/shape.h>
#include <transom/runtime/device.h>
#include <transom/runtime/dlpack.h>
#include <transom/runtime/dtype.h>
#include <transom/runtime/error.h>

#include <cstddef>
#include <cstdint>

namespace transom {
namespace detail {

/* Strides of a row-major tensor of that shape, in elements. */
inline void WriteRowMajorStrides(ShapeView shape, int64_t* strides) noexcept {
  uint64_t stride = 1;  // Wraps where a tensor without elements has huge extents; no element uses it then.
  for (size_t i = shape.size(); i > 0; --i) {
    strides[i - 1] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(shape.data()[i - 1]);
  }
}

/* ValueError: a negative extent. */
inline void CheckExtents(ShapeView shape) {
  for (int64_t extent : shape) {
    TRANSOM_CHECK(extent >= 0, ValueError) << "Expected extents of at least 0 but got " << shape;
  }
}

/* Bytes of packed elements. OverflowError: more than memory can hold. ValueError: a type without a size. */
inline uint64_t PackedBytes(ShapeView shape, DLDataType dtype) {
  TRANSOM_CHECK(static_cast<int16_t>(dtype.lanes) >= 0, ValueError)
      << "Expected a data type of known size but got one whose lanes depend on the machine";
  int64_t bits = 0;
  bool overflow = __builtin_mul_overflow(shape.Product(), int64_t{dtype.bits} * dtype.lanes, &bits);
  TRANSOM_CHECK(!overflow && bits <= INT64_MAX - 7, OverflowError)
      << "A tensor of shape " << shape << " has more bytes than memory can hold";
  return static_cast<uint64_t>(bits + 7) / 8;
}

/*
 * Reading members of Derived, which has `const DLTensor& dl_tensor() const noexcept`.
 *
 * Strides of axes of extent 0 or 1 mean nothing: they are kept as they came and ignored wherever layout is judged.
 */
template <class Derived>
class TensorReads {
 public:
  int32_t ndim() const noexcept { return dl().ndim; }
  /* Extents, borrowed from the tensor. */
  ShapeView shape() const noexcept { return ShapeView(dl().shape, static_cast<size_t>(dl().ndim)); }
  /* IndexError: no such axis. */
  int64_t size(int32_t axis) const { return shape().at(static_cast<size_t>(axis)); }
  /* Steps between neighbours, in elements, borrowed from the tensor; none where the tensor leaves them out because it
   * is row-major. */
  ShapeView strides() const noexcept {
    return ShapeView(dl().strides, dl().strides == nullptr ? 0 : static_cast<size_t>(dl().ndim));
  }
  int64_t stride(int32_t axis) const { return strides().at(static_cast<size_t>(axis)); }
  DataType dtype() const noexcept { return dl().dtype; }
  Device device() const noexcept { return dl().device; }
  /* Address of the first element (`byte_offset` is added). */
  void* data_ptr() const noexcept {
    return dl().byte_offset == 0 ? dl().data : static_cast<char*>(dl().data) + dl().byte_offset;
  }
  /* Number of elements. OverflowError: it is no int64. */
  int64_t numel() const { return shape().Product(); }
  /* Bytes of the elements when packed: (elements * bits + 7) / 8. OverflowError: more than memory can hold.
   * ValueError: a type without a size. */
  uint64_t NumBytes() const { return PackedBytes(shape(), dl().dtype); }
  /* The elements lie one after the other in row-major order. */
  bool IsContiguous() const noexcept {
    const DLTensor& t = dl();
    if (t.strides == nullptr) return true;
    for (int64_t extent : shape()) {
      if (extent == 0) return true;
    }
    int64_t expected = 1;
    for (int32_t i = t.ndim - 1; i >= 0; --i) {
      if (t.shape[i] == 1) continue;
      if (t.strides[i] != expected || __builtin_mul_overflow(expected, t.shape[i], &expected)) return false;
    }
    return true;
  }
  /* The first element lies at a multiple of `alignment` bytes. */
  bool IsAligned(size_t alignment) const noexcept { return reinterpret_cast<uintptr_t>(data_ptr()) % alignment == 0; }
  /* The memory can be read by the CPU. */
  bool IsOnHost() const noexcept {
    int32_t type = Device(dl().device).type();
    return type == kDLCPU || type == kDLCUDAHost || type == kDLROCMHost;
  }
  /* Packs the elements in row-major order into `out`, NumBytes() bytes that do not overlap the tensor's memory; strides
   * may be anything, 0 and negative too. False, with nothing written, when the memory is not on the host. Errors as
   * those of NumBytes. */
  bool CopyToCompact(void* out) const {
    if (!IsOnHost()) return false;
    uint64_t num_bytes = NumBytes();
    if (num_bytes == 0) return true;
    size_t bits = size_t{dl().dtype.bits} * dl().dtype.lanes;
    if (bits % 8 == 0) {
      CopyStridedBytes(dl(), bits / 8, static_cast<char*>(out));
    } else {
      CopyStridedBits(dl(), bits, static_cast<char*>(out), num_bytes);
    }
    return true;
  }

 private:
  const DLTensor& dl() const noexcept { return static_cast<const Derived*>(this)->dl_tensor(); }
};

/* First and last offset, in elements from data_ptr(), that a tensor with elements uses. False: they are no int64s. */
inline bool ElementSpan(ShapeView shape, ShapeView strides, int64_t* first, int64_t* last) noexcept {
  *first = *last = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t reach = 0;
    if (__builtin_mul_overflow(shape.data()[i] - 1, strides.data()[i], &reach)) return false;
    int64_t* end = reach < 0 ? first : last;
    if (__builtin_add_overflow(*end, reach, end)) return false;
  }
  return true;
}

}  // namespace detail
}  // namespace transom

#endif  // TRANSOM_CONTAINERS_DETAIL_TENSOR_READS_H_
