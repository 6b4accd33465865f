/* Memory of tensors that this side makes. */
#ifndef TRANSOM_CONTAINERS_DETAIL_TENSOR_ALLOC_H_
#define TRANSOM_CONTAINERS_DETAIL_TENSOR_ALLOC_H_

#include <transom/containers/detail/tensor_reads.h>
#include <transom/containers/shape.h>
#include <transom/runtime/dlpack.h>
#include <transom/runtime/object.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

namespace transom {
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
    WriteRowMajorStrides(shape, strides);
    record->version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
    record->deleter = [](DLManagedTensorVersioned* self) { std::free(self); };
    record->dl_tensor =
        DLTensor{static_cast<char*>(block) + header, device, static_cast<int32_t>(shape.size()), dtype, extents,
                 shape.empty() ? nullptr : strides,  0};
    return record;
  }
};

/* A tensor in the memory of an allocator of the user. Extents and strides follow the object. */
template <class Alloc>
class AllocatedTensorObj : public Object {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_STATIC("ffi.Tensor", kTVMFFITensor, AllocatedTensorObj, Object);

  template <class... Args>
  static ObjectPtr<AllocatedTensorObj> Create(Alloc alloc, ShapeView shape, DLDataType dtype, DLDevice device,
                                              Args&&... args) {
    auto obj = make_inplace_array_object<AllocatedTensorObj, int64_t>(2 * shape.size(), std::move(alloc));
    auto* extents = reinterpret_cast<int64_t*>(obj.get() + 1);
    std::copy(shape.begin(), shape.end(), extents);
    WriteRowMajorStrides(shape, extents + shape.size());
    obj->tensor_ = DLTensor{nullptr, device,  static_cast<int32_t>(shape.size()),
                            dtype,   extents, shape.empty() ? nullptr : extents + shape.size(),
                            0};
    obj->alloc_.AllocData(&obj->tensor_, std::forward<Args>(args)...);
    obj->has_data_ = true;
    return obj;
  }
  explicit AllocatedTensorObj(Alloc alloc) : alloc_(std::move(alloc)) {}
  ~AllocatedTensorObj() {
    if (has_data_) alloc_.FreeData(&tensor_);
  }

 private:
  DLTensor tensor_{};
  Alloc alloc_;
  bool has_data_ = false;
};

}  // namespace detail
}  // namespace transom

#endif  // TRANSOM_CONTAINERS_DETAIL_TENSOR_ALLOC_H_
