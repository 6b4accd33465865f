#include <transom/containers/tensor_view.h>
#include <transom/runtime/c_api.h>
#include <transom/runtime/device.h>
#include <transom/runtime/dlpack.h>
#include <transom/runtime/error.h>
#include <transom/runtime/object.h>

#include <algorithm>
#include <cstdint>
#include <memory>

namespace transom::runtime {
namespace {

/* Tensor over memory of another owner. Strides that the owner left out follow the object. */
template <class Managed>
class ImportedTensorObj : public Object {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_STATIC("ffi.Tensor", kTVMFFITensor, ImportedTensorObj, Object);

  explicit ImportedTensorObj(const DLTensor& source) : tensor(source) {}
  ~ImportedTensorObj() {
    if (owner != nullptr && owner->deleter != nullptr) owner->deleter(owner);
  }
  int64_t* tail() { return reinterpret_cast<int64_t*>(this + 1); }

  DLTensor tensor;
  Managed* owner = nullptr; /* set when the import cannot fail any more */
};
static_assert(sizeof(ImportedTensorObj<DLManagedTensor>) == 80, "layout of the C contract");

/* Devices whose data pointers are addresses, so that they can be checked for alignment. */
bool HasAddresses(int32_t device_type) {
  return device_type <= 3 || device_type == 10 || device_type == 11 || device_type == 13;
}

/* Checks device, rank, extents and data; the number of elements must be countable. */
void CheckTensor(const DLTensor& tensor) {
  TRANSOM_CHECK(Device(tensor.device).type() > 0, RuntimeError)
      << "Expected the number of a DLPack device type, which is above 0, but got " << Device(tensor.device).type();
  TRANSOM_CHECK(tensor.ndim >= 0, RuntimeError) << "Expected a tensor of rank 0 or more but got " << tensor.ndim;
  TRANSOM_CHECK(tensor.ndim == 0 || tensor.shape != nullptr, RuntimeError)
      << "Expected the shape of a tensor of rank " << tensor.ndim << " but got NULL";
  bool empty = false;
  bool overflow = false;
  int64_t count = 1;
  for (int32_t i = 0; i < tensor.ndim; ++i) {
    TRANSOM_CHECK(tensor.shape[i] >= 0, RuntimeError)
        << "Expected extents of 0 or more but extent " << i << " is " << tensor.shape[i];
    empty = empty || tensor.shape[i] == 0;
    overflow = overflow || __builtin_mul_overflow(count, tensor.shape[i], &count);
  }
  int64_t bits = 0;
  overflow = overflow || __builtin_mul_overflow(count, int64_t{tensor.dtype.bits} * tensor.dtype.lanes, &bits);
  TRANSOM_CHECK(empty || !overflow, RuntimeError) << "The tensor has more elements than memory can hold";
  TRANSOM_CHECK(empty || tensor.data != nullptr, RuntimeError)
      << "Expected the data of a tensor with elements but got NULL";
}

void CheckImport(const DLTensor& tensor, int32_t alignment, bool contiguous) {
  CheckTensor(tensor);
  if (alignment > 0) {
    uint64_t start = tensor.byte_offset;
    if (HasAddresses(Device(tensor.device).type())) start += reinterpret_cast<uint64_t>(tensor.data);
    TRANSOM_CHECK(start % static_cast<uint32_t>(alignment) == 0, RuntimeError)
        << "Expected tensor data aligned to " << alignment << " bytes";
  }
  TRANSOM_CHECK(!contiguous || TensorView(&tensor).IsContiguous(), RuntimeError) << "Expected a contiguous tensor";
}

template <class Managed>
TVMFFIObject* Import(Managed* from, int32_t alignment, bool contiguous) {
  const DLTensor& source = from->dl_tensor;
  CheckImport(source, alignment, contiguous);
  bool add_strides = source.strides == nullptr && source.ndim > 0;
  auto obj = make_inplace_array_object<ImportedTensorObj<Managed>, int64_t>(
      add_strides ? static_cast<size_t>(source.ndim) : 0, source);
  if (add_strides) {
    obj->tensor.strides = obj->tail();
    detail::WriteRowMajorStrides(TensorView(&source).shape(), obj->tensor.strides);
  }
  obj->owner = from;
  return detail::ObjectAccess::Release(&obj);
}

const DLTensor& TensorOf(TVMFFIObjectHandle handle) {
  auto* obj = static_cast<TVMFFIObject*>(handle);
  TRANSOM_CHECK(obj != nullptr && obj->type_index == kTVMFFITensor, TypeError) << "Expected a `ffi.Tensor` object";
  return *reinterpret_cast<DLTensor*>(obj + 1);
}

/* Tensor over memory of another object, with its own shape and strides. */
class TensorViewObj : public Object {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_STATIC("ffi.Tensor", kTVMFFITensor, TensorViewObj, Object);

  TensorViewObj(const DLTensor& prototype, TVMFFIObjectHandle source)
      : tensor(prototype), source_(ObjectRef(GetObjectPtr(detail::ObjectAccess::FromHeader(source)))) {
    auto* tail = reinterpret_cast<int64_t*>(this + 1);
    tensor.shape = std::copy_n(prototype.shape, prototype.ndim, tail) - prototype.ndim;
    tensor.strides = std::copy_n(prototype.strides, prototype.ndim, tail + prototype.ndim) - prototype.ndim;
  }

  DLTensor tensor;

 private:
  ObjectRef source_;
};

TVMFFIObject* CreateView(TVMFFIObjectHandle source, const DLTensor& prototype) {
  CheckTensor(prototype);
  TRANSOM_CHECK(prototype.strides != nullptr, InternalError) << "Expected the strides of the view but got NULL";
  auto view =
      make_inplace_array_object<TensorViewObj, int64_t>(2 * static_cast<size_t>(prototype.ndim), prototype, source);
  return detail::ObjectAccess::Release(&view);
}

/* A record that keeps the tensor alive. */
template <class Managed>
Managed* Export(TVMFFIObjectHandle handle) {
  const DLTensor& tensor = TensorOf(handle);
  auto record = std::make_unique<Managed>();
  record->dl_tensor = tensor;
  record->manager_ctx = handle;
  record->deleter = [](Managed* self) {
    detail::DecRef(static_cast<TVMFFIObject*>(self->manager_ctx));
    delete self;
  };
  detail::IncRef(static_cast<TVMFFIObject*>(handle));
  return record.release();
}

}  // namespace
}  // namespace transom::runtime

int TVMFFITensorFromDLPack(DLManagedTensor* from, int32_t require_alignment, int32_t require_contiguous,
                           TVMFFIObjectHandle* out) {
  TRANSOM_SAFE_CALL_BEGIN();
  TRANSOM_CHECK(from != nullptr, RuntimeError) << "Expected a DLPack tensor but got NULL";
  *out = transom::runtime::Import(from, require_alignment, require_contiguous != 0);
  TRANSOM_SAFE_CALL_END();
}

int TVMFFITensorFromDLPackVersioned(DLManagedTensorVersioned* from, int32_t require_alignment,
                                    int32_t require_contiguous, TVMFFIObjectHandle* out) {
  TRANSOM_SAFE_CALL_BEGIN();
  TRANSOM_CHECK(from != nullptr, RuntimeError) << "Expected a DLPack tensor but got NULL";
  TRANSOM_CHECK(from->version.major == DLPACK_MAJOR_VERSION, RuntimeError)
      << "Expected a tensor of DLPack " << DLPACK_MAJOR_VERSION << " but got one of DLPack " << from->version.major;
  TRANSOM_CHECK((from->flags & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED) == 0, RuntimeError)
      << "Tensors with elements narrower than a byte that are padded to one are not supported";
  *out = transom::runtime::Import(from, require_alignment, require_contiguous != 0);
  TRANSOM_SAFE_CALL_END();
}

int TVMFFITensorToDLPack(TVMFFIObjectHandle from, DLManagedTensor** out) {
  TRANSOM_SAFE_CALL_BEGIN();
  *out = transom::runtime::Export<DLManagedTensor>(from);
  TRANSOM_SAFE_CALL_END();
}

int TVMFFITensorToDLPackVersioned(TVMFFIObjectHandle from, DLManagedTensorVersioned** out) {
  TRANSOM_SAFE_CALL_BEGIN();
  auto* record = transom::runtime::Export<DLManagedTensorVersioned>(from);
  record->version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  record->flags = 0;
  *out = record;
  TRANSOM_SAFE_CALL_END();
}

int TVMFFITensorCreateUnsafeView(TVMFFIObjectHandle source, const DLTensor* prototype, TVMFFIObjectHandle* out) {
  TRANSOM_SAFE_CALL_BEGIN();
  static_cast<void>(transom::runtime::TensorOf(source));
  TRANSOM_CHECK(prototype != nullptr, RuntimeError) << "Expected a tensor that describes the view but got NULL";
  *out = transom::runtime::CreateView(source, *prototype);
  TRANSOM_SAFE_CALL_END();
}
