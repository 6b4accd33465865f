/* Tensor: shared memory with shape, strides, element type and device, exchanged with other libraries by DLPack. */
#ifndef TRANSOM_CONTAINERS_TENSOR_H_
#define TRANSOM_CONTAINERS_TENSOR_H_

#include <transom/containers/detail/strided_copy.h>
#include <transom/containers/shape.h>
#include <transom/runtime/any.h>
#include <transom/runtime/device.h>
#include <transom/runtime/dlpack.h>
#include <transom/runtime/dtype.h>
#include <transom/runtime/error.h>

#include <cstdint>
#include <cstdlib>
#include <new>

namespace transom {

/* What a Tensor refers to: the DLPack description. `strides` is NULL only for rank 0. Who owns the memory is private.
 */
class TensorObj : public Object, public DLTensor {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_STATIC("ffi.Tensor", kTVMFFITensor, TensorObj, Object);
};

static_assert(sizeof(TensorObj) == 72, "layout of the C contract");

namespace detail {

/* A DLPack record, its shape and strides, and aligned data, in one block. */
class OwnedTensorBlock {
 public:
  static constexpr size_t kAlignment = 64;

  static DLManagedTensorVersioned* Create(ShapeView shape, DLDataType dtype, DLDevice device, uint64_t num_bytes) {
    size_t header = sizeof(DLManagedTensorVersioned) + 2 * shape.size() * sizeof(int64_t);
    header = (header + kAlignment - 1) / kAlignment * kAlignment;
    if (num_bytes > SIZE_MAX / 2) throw std::bad_alloc();
    void* block = nullptr;
    if (posix_memalign(&block, kAlignment, header + num_bytes) != 0) throw std::bad_alloc();
    auto* record = new (block) DLManagedTensorVersioned();
    auto* extents = reinterpret_cast<int64_t*>(record + 1);
    int64_t* strides = extents + shape.size();
    std::copy(shape.begin(), shape.end(), extents);
    uint64_t stride = 1;  // Wraps where a tensor without elements has huge extents; no element uses it then.
    for (size_t i = shape.size(); i > 0; --i) {
      strides[i - 1] = static_cast<int64_t>(stride);
      stride *= static_cast<uint64_t>(shape[i - 1]);
    }
    record->version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
    record->deleter = [](DLManagedTensorVersioned* self) { std::free(self); };
    record->dl_tensor =
        DLTensor{static_cast<char*>(block) + header, device, static_cast<int32_t>(shape.size()), dtype, extents,
                 shape.empty() ? nullptr : strides,  0};
    return record;
  }
};

}  // namespace detail

/*
 * Reference to a tensor; one pointer, NULL when default-constructed. Copies are the same tensor. Sharing is safe
 * between threads; writes to the memory are the user's to order.
 *
 * Strides of axes of extent 0 or 1 mean nothing: they are kept as they came and ignored wherever layout is judged.
 */
class Tensor : public ObjectRef {
 public:
  using ContainerType = TensorObj;
  static constexpr bool _type_is_nullable = false;

  Tensor() noexcept = default;
  explicit Tensor(ObjectPtr<TensorObj> obj) noexcept : ObjectRef(std::move(obj)) {}

  const TensorObj* get() const noexcept { return static_cast<const TensorObj*>(data_.get()); }
  const TensorObj* operator->() const noexcept { return get(); }

  /*
   * Tensor over the memory of a DLPack record, whose deleter runs when the tensor dies. On an error the record stays
   * the caller's. `alignment`: required alignment of the data in bytes, 0 for any. `contiguous`: require row-major
   * order. NULL strides mean row-major order. RuntimeError: a requirement fails, or the record is malformed.
   */
  static Tensor FromDLPack(DLManagedTensor* record, int32_t alignment = 0, bool contiguous = false) {
    TVMFFIObjectHandle handle = nullptr;
    CheckCall(TVMFFITensorFromDLPack(record, alignment, contiguous ? 1 : 0, &handle));
    return Tensor(detail::ObjectAccess::Adopt<TensorObj>(handle));
  }
  static Tensor FromDLPackVersioned(DLManagedTensorVersioned* record, int32_t alignment = 0, bool contiguous = false) {
    TVMFFIObjectHandle handle = nullptr;
    CheckCall(TVMFFITensorFromDLPackVersioned(record, alignment, contiguous ? 1 : 0, &handle));
    return Tensor(detail::ObjectAccess::Adopt<TensorObj>(handle));
  }
  /* New row-major tensor in memory aligned to 64 bytes; its elements are not initialised. Only CPU memory.
   * ValueError: a negative extent, a type without a size, another device. OverflowError: too many elements.
   * Throws std::bad_alloc. */
  static Tensor Empty(ShapeView shape, DLDataType dtype, DLDevice device = {kDLCPU, 0}) {
    TRANSOM_CHECK(device.device_type == kDLCPU, ValueError)
        << "Expected the CPU as device of a new tensor but got `" << Device(device).ToString()
        << "`; memory of other devices comes in by DLPack";
    for (int64_t extent : shape) {
      TRANSOM_CHECK(extent >= 0, ValueError) << "Expected extents of at least 0 but got " << shape;
    }
    DLManagedTensorVersioned* record =
        detail::OwnedTensorBlock::Create(shape, dtype, device, PackedBytes(shape, dtype));
    try {
      return FromDLPackVersioned(record);
    } catch (...) {
      record->deleter(record);
      throw;
    }
  }
  static Tensor Empty(const Shape& shape, DLDataType dtype, DLDevice device = {kDLCPU, 0}) {
    return Empty(shape.view(), dtype, device);
  }
  static Tensor Empty(std::initializer_list<int64_t> shape, DLDataType dtype, DLDevice device = {kDLCPU, 0}) {
    return Empty(ShapeView(shape), dtype, device);
  }

  /* DLPack record over the same memory, which it keeps alive; the receiver calls its deleter once. */
  DLManagedTensor* ToDLPack() const {
    DLManagedTensor* record = nullptr;
    CheckCall(TVMFFITensorToDLPack(detail::ObjectAccess::Header(*this), &record));
    return record;
  }
  DLManagedTensorVersioned* ToDLPackVersioned() const {
    DLManagedTensorVersioned* record = nullptr;
    CheckCall(TVMFFITensorToDLPackVersioned(detail::ObjectAccess::Header(*this), &record));
    return record;
  }

  int32_t ndim() const noexcept { return get()->ndim; }
  /* Extents, borrowed from the tensor. */
  ShapeView shape() const noexcept { return ShapeView(get()->shape, static_cast<size_t>(get()->ndim)); }
  int64_t size(int32_t axis) const { return shape().at(static_cast<size_t>(axis)); }
  /* Steps between neighbours, in elements, borrowed from the tensor. */
  ShapeView strides() const noexcept { return ShapeView(get()->strides, static_cast<size_t>(get()->ndim)); }
  DataType dtype() const noexcept { return get()->dtype; }
  Device device() const noexcept { return get()->device; }
  /* Address of the first element (`byte_offset` is added). */
  void* data_ptr() const noexcept {
    return get()->byte_offset == 0 ? get()->data : static_cast<char*>(get()->data) + get()->byte_offset;
  }
  /* Number of elements. OverflowError: it is no int64. */
  int64_t numel() const { return shape().Product(); }
  /* Bytes of the elements when packed: (elements * bits + 7) / 8. OverflowError: more than memory can hold.
   * ValueError: a type without a size. */
  uint64_t NumBytes() const { return PackedBytes(shape(), get()->dtype); }
  /* The elements lie one after the other in row-major order. */
  bool IsContiguous() const noexcept {
    const TensorObj& t = *get();
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
  /* The memory can be read by the CPU. */
  bool IsOnHost() const noexcept {
    int32_t type = get()->device.device_type;
    return type == kDLCPU || type == kDLCUDAHost || type == kDLROCMHost;
  }
  /* Packs the elements in row-major order into `out`, NumBytes() bytes that do not overlap the tensor's memory; strides
   * may be anything, 0 and negative too. False, with nothing written, when the memory is not on the host. Errors as
   * those of NumBytes. */
  bool CopyToCompact(void* out) const {
    if (!IsOnHost()) return false;
    uint64_t num_bytes = NumBytes();
    if (num_bytes == 0) return true;
    size_t bits = size_t{get()->dtype.bits} * get()->dtype.lanes;
    if (bits % 8 == 0) {
      detail::CopyStridedBytes(*get(), bits / 8, static_cast<char*>(out));
    } else {
      detail::CopyStridedBits(*get(), bits, static_cast<char*>(out), num_bytes);
    }
    return true;
  }

 private:
  static uint64_t PackedBytes(ShapeView shape, DLDataType dtype) {
    TRANSOM_CHECK(static_cast<int16_t>(dtype.lanes) >= 0, ValueError)
        << "Expected a data type of known size but got one whose lanes depend on the machine";
    int64_t bits = 0;
    bool overflow = __builtin_mul_overflow(shape.Product(), int64_t{dtype.bits} * dtype.lanes, &bits);
    TRANSOM_CHECK(!overflow && bits <= INT64_MAX - 7, OverflowError)
        << "A tensor of shape " << shape << " has more bytes than memory can hold";
    return static_cast<uint64_t>(bits + 7) / 8;
  }
};

/* Borrowed DLPack tensor, from a pointer to one or from a Tensor. It cannot be stored: nothing would own it. */
template <>
struct TypeTraits<DLTensor*> : detail::ViewOnlyTraits<DLTensor*, TypeTraits<DLTensor*>> {
  static void ToView(DLTensor* src, TVMFFIAny* out) {
    detail::SetRaw(kTVMFFIDLTensorPtr, reinterpret_cast<uint64_t>(src), out);
  }
  static void ToOwned(DLTensor*, TVMFFIAny*) {
    TRANSOM_THROW(RuntimeError) << "A DLTensor* cannot be kept, as nothing owns it; make a Tensor with FromDLPack";
  }
  static std::optional<DLTensor*> TryCast(const TVMFFIAny* value) {
    if (value->type_index == kTVMFFIDLTensorPtr) return static_cast<DLTensor*>(value->v_ptr);
    if (value->type_index != kTVMFFITensor) return std::nullopt;
    return static_cast<DLTensor*>(static_cast<TensorObj*>(detail::ObjectAccess::FromHeader(value->v_obj)));
  }
  static std::string Name() { return "DLTensor*"; }
  static std::string Schema() { return detail::SchemaOf("DLTensor*"); }
};

}  // namespace transom

#endif  // TRANSOM_CONTAINERS_TENSOR_H_
