/* Tensor: shared memory with shape, strides, element type and device, exchanged with other libraries by DLPack. */
#ifndef TRANSOM_CONTAINERS_TENSOR_H_
#define TRANSOM_CONTAINERS_TENSOR_H_

#include <transom/containers/detail/tensor_alloc.h>
#include <transom/containers/detail/tensor_reads.h>
#include <transom/containers/shape.h>
#include <transom/runtime/any.h>
#include <transom/runtime/c_api.h>
#include <transom/runtime/c_env_api.h>
#include <transom/runtime/device.h>
#include <transom/runtime/dlpack.h>
#include <transom/runtime/dtype.h>
#include <transom/runtime/error.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

namespace transom {

/* What a Tensor refers to: the DLPack description. `strides` is NULL only for rank 0. Who owns the memory is private.
 */
class TensorObj : public Object, public DLTensor {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_STATIC("ffi.Tensor", kTVMFFITensor, TensorObj, Object);
};

static_assert(sizeof(TensorObj) == 72, "layout of the C contract");

/*
 * Reference to a tensor; one pointer, NULL when default-constructed. Copies are the same tensor. Sharing is safe
 * between threads; writes to the memory are the user's to order.
 */
class Tensor : public ObjectRef, public detail::TensorReads<Tensor> {
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
    detail::CheckExtents(shape);
    DLManagedTensorVersioned* record =
        detail::OwnedTensorBlock::Create(shape, dtype, device, detail::PackedBytes(shape, dtype));
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

  /*
   * New row-major tensor in memory of an allocator, a copy of which lives with the tensor. Alloc has
   *   void AllocData(DLTensor* tensor, args...)   sets tensor->data; the other members are set. What it throws passes.
   *   void FreeData(DLTensor* tensor)             called once when the tensor dies; does not throw
   * ValueError: a negative extent.
   */
  template <class Alloc, class... Args>
  static Tensor FromNDAlloc(Alloc alloc, ShapeView shape, DLDataType dtype, DLDevice device, Args&&... args) {
    detail::CheckExtents(shape);
    auto obj =
        detail::AllocatedTensorObj<Alloc>::Create(std::move(alloc), shape, dtype, device, std::forward<Args>(args)...);
    return Tensor(detail::ObjectAccess::Adopt<TensorObj>(detail::ObjectAccess::Release(&obj)));
  }
  /* New tensor made by the allocator that the environment set (TVMFFIEnvSetDLPackManagedTensorAllocator), such as that
   * of the framework which runs this. Throws its error; RuntimeError: none is set. ValueError: a negative extent. */
  static Tensor FromEnvAlloc(ShapeView shape, DLDataType dtype, DLDevice device) {
    DLTensor prototype = Describe(shape, dtype, device, nullptr);
    TVMFFIObjectHandle handle = nullptr;
    CheckCall(TVMFFIEnvTensorAlloc(&prototype, &handle));
    return Tensor(detail::ObjectAccess::Adopt<TensorObj>(handle));
  }

  /*
   * Tensor over the same memory with another shape and strides, beginning `offset` elements after the first one. It
   * keeps this tensor alive. ValueError: a negative extent, another number of strides than of extents, elements outside
   * of this tensor's, or an offset that is no whole byte.
   */
  Tensor as_strided(ShapeView shape, ShapeView strides, int64_t offset = 0) const {
    CheckView(shape, strides, offset);
    int64_t no_axes = 0;  // Views want strides, even where there are none.
    auto* steps = const_cast<int64_t*>(strides.empty() ? &no_axes : strides.data());
    DLTensor prototype = Describe(shape, get()->dtype, get()->device, steps);
    prototype.data = get()->data;
    int64_t bits = int64_t{get()->dtype.bits} * get()->dtype.lanes;
    prototype.byte_offset = get()->byte_offset + static_cast<uint64_t>(offset * bits / 8);
    TVMFFIObjectHandle handle = nullptr;
    CheckCall(TVMFFITensorCreateUnsafeView(detail::ObjectAccess::Header(*this), &prototype, &handle));
    return Tensor(detail::ObjectAccess::Adopt<TensorObj>(handle));
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

  const DLTensor& dl_tensor() const noexcept { return *get(); }

 private:
  /* Describes a new row-major tensor without data. `strides` may be NULL. */
  static DLTensor Describe(ShapeView shape, DLDataType dtype, DLDevice device, int64_t* strides) {
    detail::CheckExtents(shape);
    return DLTensor{nullptr, device, static_cast<int32_t>(shape.size()), dtype, const_cast<int64_t*>(shape.data()),
                    strides, 0};
  }
  void CheckView(ShapeView shape, ShapeView strides, int64_t offset) const;
};

inline void Tensor::CheckView(ShapeView shape, ShapeView strides, int64_t offset) const {
  detail::CheckExtents(shape);
  TRANSOM_CHECK(shape.size() == strides.size(), ValueError)
      << "Expected as many strides as extents but got " << strides << " for the shape " << shape;
  if (shape.Product() == 0) return;
  int64_t first = 0, last = 0, own_first = 0, own_last = 0;
  bool fits = numel() != 0 && detail::ElementSpan(shape, strides, &first, &last) &&
              detail::ElementSpan(this->shape(), this->strides(), &own_first, &own_last) &&
              !__builtin_add_overflow(first, offset, &first) && !__builtin_add_overflow(last, offset, &last) &&
              first >= own_first && last <= own_last;
  TRANSOM_CHECK(fits, ValueError) << "A view of shape " << shape << " with strides " << strides << " from element "
                                  << offset << " on leaves the memory of its tensor of shape " << this->shape();
  int64_t bits = int64_t{get()->dtype.bits} * get()->dtype.lanes;
  TRANSOM_CHECK(bits % 8 == 0 || offset * bits % 8 == 0, ValueError)
      << "A view of elements of " << bits << " bits cannot begin at element " << offset << ", inside a byte";
}

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
