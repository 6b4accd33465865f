#include <gtest/gtest.h>
#include <transom/runtime/any.h>
#include <transom/runtime/c_api.h>
#include <transom/runtime/dlpack.h>
#include <transom/runtime/error.h>

#include <cstring>
#include <string>
#include <vector>

namespace transom {
namespace {

// A float tensor whose deleter counts.
template <class Managed>
struct Source {
  explicit Source(std::vector<int64_t> extents) : shape(std::move(extents)), data(64, 1.0f) {
    managed.dl_tensor.data = data.data();
    managed.dl_tensor.device = {kDLCPU, 0};
    managed.dl_tensor.ndim = static_cast<int32_t>(shape.size());
    managed.dl_tensor.dtype = {kTransomDLFloat, 32, 1};
    managed.dl_tensor.shape = shape.data();
    managed.manager_ctx = this;
    managed.deleter = [](Managed* self) { ++static_cast<Source*>(self->manager_ctx)->deleted; };
  }
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  std::vector<float> data;
  Managed managed{};
  int deleted = 0;
};
using Plain = Source<DLManagedTensor>;

DLTensor* TensorOf(TVMFFIObjectHandle handle) {
  return reinterpret_cast<DLTensor*>(static_cast<TVMFFIObject*>(handle) + 1);
}

std::string ImportError(DLManagedTensor* managed, int32_t alignment = 0, int32_t contiguous = 0) {
  TVMFFIObjectHandle handle = nullptr;
  try {
    CheckCall(TVMFFITensorFromDLPack(managed, alignment, contiguous, &handle));
  } catch (const Error& error) {
    return error.what();
  }
  TVMFFIObjectDecRef(handle);
  return "";
}

TEST(DLPack, ImportOwnsTheSourceAndAddsStrides) {
  Plain source({2, 3, 4});
  TVMFFIObjectHandle handle = nullptr;
  ASSERT_EQ(TVMFFITensorFromDLPack(&source.managed, 4, 1, &handle), 0);
  EXPECT_EQ(static_cast<TVMFFIObject*>(handle)->type_index, kTVMFFITensor);
  const DLTensor* tensor = TensorOf(handle);
  EXPECT_EQ(tensor->data, source.data.data());
  ASSERT_NE(tensor->strides, nullptr);
  EXPECT_EQ(std::vector<int64_t>(tensor->strides, tensor->strides + 3), (std::vector<int64_t>{12, 4, 1}));
  EXPECT_EQ(source.deleted, 0);
  TVMFFIObjectDecRef(handle);
  EXPECT_EQ(source.deleted, 1);
}

TEST(DLPack, ScalarsNeedNoStrides) {
  Plain source(std::vector<int64_t>{});
  TVMFFIObjectHandle handle = nullptr;
  ASSERT_EQ(TVMFFITensorFromDLPack(&source.managed, 0, 1, &handle), 0);
  EXPECT_EQ(TensorOf(handle)->ndim, 0);
  TVMFFIObjectDecRef(handle);
  EXPECT_EQ(source.deleted, 1);
}

TEST(DLPack, ExportSharesAndKeepsAlive) {
  Plain source({8});
  TVMFFIObjectHandle handle = nullptr;
  ASSERT_EQ(TVMFFITensorFromDLPack(&source.managed, 0, 0, &handle), 0);
  DLManagedTensor* exported = nullptr;
  ASSERT_EQ(TVMFFITensorToDLPack(handle, &exported), 0);
  DLManagedTensorVersioned* versioned = nullptr;
  ASSERT_EQ(TVMFFITensorToDLPackVersioned(handle, &versioned), 0);
  EXPECT_EQ(versioned->version.major, 1u);
  EXPECT_EQ(versioned->flags, 0u);
  TVMFFIObjectDecRef(handle);
  EXPECT_EQ(exported->dl_tensor.data, source.data.data());
  EXPECT_EQ(versioned->dl_tensor.shape, source.shape.data());
  exported->deleter(exported);
  EXPECT_EQ(source.deleted, 0);
  versioned->deleter(versioned);
  EXPECT_EQ(source.deleted, 1);
}

TEST(DLPack, RefusedImportsLeaveTheSourceToItsOwner) {
  EXPECT_EQ(ImportError(nullptr), "RuntimeError: Expected a DLPack tensor but got NULL");
  Plain source({2, 2});
  DLTensor& tensor = source.managed.dl_tensor;
  tensor.ndim = -1;
  EXPECT_EQ(ImportError(&source.managed), "RuntimeError: Expected a tensor of rank 0 or more but got -1");
  tensor.ndim = 2;
  source.shape[1] = -4;
  EXPECT_EQ(ImportError(&source.managed), "RuntimeError: Expected extents of 0 or more but extent 1 is -4");
  source.shape[1] = INT64_MAX;
  EXPECT_EQ(ImportError(&source.managed), "RuntimeError: The tensor has more elements than memory can hold");
  source.shape[1] = 2;
  tensor.shape = nullptr;
  EXPECT_EQ(ImportError(&source.managed), "RuntimeError: Expected the shape of a tensor of rank 2 but got NULL");
  tensor.shape = source.shape.data();
  tensor.data = nullptr;
  EXPECT_EQ(ImportError(&source.managed), "RuntimeError: Expected the data of a tensor with elements but got NULL");
  tensor.data = source.data.data();
  tensor.byte_offset = 4;
  EXPECT_EQ(ImportError(&source.managed, 8), "RuntimeError: Expected tensor data aligned to 8 bytes");
  tensor.byte_offset = 0;
  source.strides = {1, 2};
  tensor.strides = source.strides.data();
  EXPECT_EQ(ImportError(&source.managed, 0, 1), "RuntimeError: Expected a contiguous tensor");
  for (int32_t type : {0, -1}) {
    std::memcpy(&tensor.device, &type, sizeof(type));
    EXPECT_EQ(ImportError(&source.managed),
              "RuntimeError: Expected the number of a DLPack device type, which is above 0, "
              "but got " +
                  std::to_string(type));
  }
  EXPECT_EQ(source.deleted, 0);
}

TEST(DLPack, EmptyTensorsMayHaveNoData) {
  Plain source({0, INT64_MAX, INT64_MAX});
  source.managed.dl_tensor.data = nullptr;
  EXPECT_EQ(ImportError(&source.managed, 64, 1), "");
  EXPECT_EQ(source.deleted, 1);
}

TEST(DLPack, ContiguityIgnoresExtentsOfOne) {
  Plain source({2, 1, 4});
  source.strides = {4, 999, 1};
  source.managed.dl_tensor.strides = source.strides.data();
  EXPECT_EQ(ImportError(&source.managed, 0, 1), "");
}

TEST(DLPack, AlignmentOfOpaqueDevicesLooksAtTheOffsetOnly) {
  Plain source({2});
  source.managed.dl_tensor.device = {kDLVulkan, 0};
  source.managed.dl_tensor.data = reinterpret_cast<char*>(source.data.data()) + 1;
  EXPECT_EQ(ImportError(&source.managed, 8), "");
}

TEST(DLPack, VersionedImportsCheckVersionAndFlags) {
  Source<DLManagedTensorVersioned> source({4});
  source.managed.version = {DLPACK_MAJOR_VERSION + 1, 0};
  TVMFFIObjectHandle handle = nullptr;
  EXPECT_EQ(TVMFFITensorFromDLPackVersioned(&source.managed, 0, 0, &handle), -1);
  source.managed.version = {DLPACK_MAJOR_VERSION, 0};
  source.managed.flags = DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;
  EXPECT_EQ(TVMFFITensorFromDLPackVersioned(&source.managed, 0, 0, &handle), -1);
  source.managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  ASSERT_EQ(TVMFFITensorFromDLPackVersioned(&source.managed, 0, 0, &handle), 0);
  TVMFFIObjectDecRef(handle);
  EXPECT_EQ(source.deleted, 1);
}

TEST(DLPack, OnlyTensorsAreExported) {
  Any text = String("an object that is no tensor");
  DLManagedTensor* exported = nullptr;
  EXPECT_EQ(TVMFFITensorToDLPack(text.raw()->v_obj, &exported), -1);
  EXPECT_THROW(CheckCall(-1), Error);
}

}  // namespace
}  // namespace transom
