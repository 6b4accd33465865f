#include "formats/io/tensor_over.h"

#include <cstring>
#include <vector>

namespace transom::formats {
namespace {

// A DLPack record over memory that a shared owner keeps.
struct SharedRecord {
  DLManagedTensorVersioned record{};
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  std::shared_ptr<const void> owner;
};

}  // namespace

Tensor TensorOver(std::string_view bytes, ShapeView shape, DLDataType dtype, DLDevice device,
                  const std::shared_ptr<const void>& owner) {
  if (owner == nullptr || bytes.empty()) {
    Tensor tensor = Tensor::Empty(shape, dtype, device);
    if (!bytes.empty()) std::memcpy(tensor.data_ptr(), bytes.data(), bytes.size());
    return tensor;
  }
  auto shared = std::make_unique<SharedRecord>();
  shared->shape.assign(shape.begin(), shape.end());
  shared->strides.resize(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i > 0; --i) {
    shared->strides[i - 1] = stride;
    stride *= shape[i - 1];
  }
  shared->owner = owner;
  DLManagedTensorVersioned& record = shared->record;
  record.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  record.manager_ctx = shared.get();
  record.deleter = [](DLManagedTensorVersioned* self) { delete static_cast<SharedRecord*>(self->manager_ctx); };
  record.dl_tensor = DLTensor{const_cast<char*>(bytes.data()),
                              device,
                              static_cast<int32_t>(shape.size()),
                              dtype,
                              shared->shape.data(),
                              shape.empty() ? nullptr : shared->strides.data(),
                              0};
  Tensor tensor = Tensor::FromDLPackVersioned(&record);
  shared.release();
  return tensor;
}

}  // namespace transom::formats
