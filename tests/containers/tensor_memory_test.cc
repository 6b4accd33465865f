// Where the memory of tensors comes from: allocators, the environment, other tensors.
#include <gtest/gtest.h>
#include <transom/containers/tensor.h>
#include <transom/containers/tensor_view.h>
#include <transom/runtime/function.h>

#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "support/error_of.h"

namespace transom {
namespace {

using testing::ErrorOf;

constexpr DLDataType kInt32{kDLInt, 32, 1};
constexpr DLDataType kUInt4{kDLUInt, 4, 1};
constexpr DLDevice kCpu{kDLCPU, 0};

int allocated = 0;
int freed = 0;

struct CountingAlloc {
  int fill = 0;
  void AllocData(DLTensor* tensor, bool fail = false) {
    TRANSOM_CHECK(!fail, RuntimeError) << "no memory on that device";
    ++allocated;
    size_t bytes = TensorView(tensor).NumBytes();
    tensor->data = std::malloc(bytes == 0 ? 1 : bytes);
    std::memset(tensor->data, fill, bytes);
  }
  void FreeData(DLTensor* tensor) {
    ++freed;
    std::free(tensor->data);
  }
};

TEST(TensorMemory, OfAnAllocator) {
  allocated = freed = 0;
  {
    Tensor t = Tensor::FromNDAlloc(CountingAlloc{1}, {2, 3}, kInt32, kCpu);
    EXPECT_EQ(t.shape(), (ShapeView{2, 3}));
    EXPECT_EQ(t.strides(), (ShapeView{3, 1}));
    EXPECT_EQ(static_cast<int32_t*>(t.data_ptr())[5], 0x01010101);
    EXPECT_EQ(t.type_index(), kTVMFFITensor);
    Tensor copy = t;
    DLManagedTensorVersioned* exported = t.ToDLPackVersioned();
    t = Tensor();
    copy = Tensor();
    EXPECT_EQ(freed, 0);
    exported->deleter(exported);
  }
  EXPECT_EQ(allocated, 1);
  EXPECT_EQ(freed, 1);
  Tensor scalar = Tensor::FromNDAlloc(CountingAlloc{}, {}, kInt32, kCpu);
  EXPECT_EQ(scalar.numel(), 1);
  Tensor empty = Tensor::FromNDAlloc(CountingAlloc{}, {0, 4}, kInt32, kCpu);
  EXPECT_EQ(empty.NumBytes(), 0u);
}

TEST(TensorMemory, AnAllocatorThatFailsHasNothingToFree) {
  allocated = freed = 0;
  EXPECT_EQ(ErrorOf([] { Tensor::FromNDAlloc(CountingAlloc{}, {2}, kInt32, kCpu, true); }),
            "RuntimeError: no memory on that device");
  EXPECT_EQ(ErrorOf([] {
              Tensor::FromNDAlloc(CountingAlloc{}, {2, -1}, kInt32, kCpu);
            }),
            "ValueError: Expected extents of at least 0 but got [2, -1]");
  EXPECT_EQ(allocated, 0);
  EXPECT_EQ(freed, 0);
}

TEST(TensorMemory, OfTheEnvironment) {
  // The rest of the message is the words of whoever provides the C ABI.
  EXPECT_EQ(ErrorOf([] { Tensor::FromEnvAlloc({2}, kInt32, kCpu); }).substr(0, 14), "RuntimeError: ");
  auto allocator = [](DLTensor* prototype, DLManagedTensorVersioned** out, void* context,
                      void (*set_error)(void*, const char*, const char*)) -> int {
    if (prototype->device.device_type != kDLCPU) {
      set_error(context, "ValueError", "only the CPU here");
      return -1;
    }
    ShapeView shape(prototype->shape, static_cast<size_t>(prototype->ndim));
    *out = Tensor::Empty(shape, prototype->dtype).ToDLPackVersioned();
    return 0;
  };
  DLPackManagedTensorAllocator before = nullptr;
  ASSERT_EQ(TVMFFIEnvSetDLPackManagedTensorAllocator(allocator, 0, &before), 0);
  Tensor t = Tensor::FromEnvAlloc({2, 3}, kInt32, kCpu);
  EXPECT_EQ(t.shape(), (ShapeView{2, 3}));
  EXPECT_TRUE(t.IsContiguous());
  EXPECT_EQ(ErrorOf([] { Tensor::FromEnvAlloc({2}, kInt32, {kDLCUDA, 0}); }), "ValueError: only the CPU here");
  EXPECT_EQ(ErrorOf([] { Tensor::FromEnvAlloc({-2}, kInt32, kCpu); }),
            "ValueError: Expected extents of at least 0 but got [-2]");
  ASSERT_EQ(TVMFFIEnvSetDLPackManagedTensorAllocator(before, 0, nullptr), 0);
}

Tensor Counting(std::initializer_list<int64_t> shape) {
  Tensor t = Tensor::Empty(shape, kInt32);
  auto* data = static_cast<int32_t*>(t.data_ptr());
  std::iota(data, data + t.numel(), 0);
  return t;
}
std::vector<int32_t> Packed(const Tensor& tensor) {
  std::vector<int32_t> out(static_cast<size_t>(tensor.numel()));
  EXPECT_TRUE(tensor.CopyToCompact(out.data()));
  return out;
}

TEST(TensorMemory, OfAnotherTensor) {
  Tensor column;
  {
    Tensor t = Counting({2, 3});
    column = t.as_strided({2}, {3}, 1);
    EXPECT_EQ(t.use_count(), 2u);
    EXPECT_EQ(column.data_ptr(), static_cast<int32_t*>(t.data_ptr()) + 1);
  }
  EXPECT_EQ(Packed(column), (std::vector<int32_t>{1, 4}));
  EXPECT_FALSE(column.IsContiguous());
  EXPECT_EQ(column.stride(0), 3);
  Tensor t = Counting({2, 3});
  EXPECT_EQ(Packed(t.as_strided({3, 2}, {1, 3})), (std::vector<int32_t>{0, 3, 1, 4, 2, 5}));  // transposed
  EXPECT_EQ(Packed(t.as_strided({6}, {-1}, 5)), (std::vector<int32_t>{5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(Packed(t.as_strided({2, 2}, {0, 1}, 4)), (std::vector<int32_t>{4, 5, 4, 5}));
  EXPECT_EQ(Packed(t.as_strided({}, {}, 3)), (std::vector<int32_t>{3}));
  EXPECT_EQ(Packed(column.as_strided({1}, {1}, 3)), (std::vector<int32_t>{4}));  // a view of a view
  EXPECT_EQ(t.as_strided({0, 9}, {100, 100}, 50).numel(), 0);
}

TEST(TensorMemory, AViewThatLeavesItsTensorIsAnError) {
  Tensor t = Counting({2, 3});
  EXPECT_EQ(
      ErrorOf([&] { t.as_strided({2}, {3}, 3); }),
      "ValueError: A view of shape [2] with strides [3] from element 3 on leaves the memory of its tensor of shape "
      "[2, 3]");
  EXPECT_EQ(ErrorOf([&] { t.as_strided({2}, {-1}, 0); }),
            "ValueError: A view of shape [2] with strides [-1] from element 0 on leaves the memory of its tensor of "
            "shape [2, 3]");
  EXPECT_EQ(ErrorOf([&] { t.as_strided({INT64_MAX}, {INT64_MAX}); }),
            "ValueError: A view of shape [9223372036854775807] with strides [9223372036854775807] from element 0 on "
            "leaves the memory of its tensor of shape [2, 3]");
  EXPECT_EQ(ErrorOf([&] { Counting({0}).as_strided({1}, {1}); }),
            "ValueError: A view of shape [1] with strides [1] from element 0 on leaves the memory of its tensor of "
            "shape [0]");
  EXPECT_EQ(ErrorOf([&] {
              t.as_strided({2}, {1, 1});
            }),
            "ValueError: Expected as many strides as extents but got [1, 1] for the shape [2]");
  EXPECT_EQ(ErrorOf([&] { t.as_strided({-1}, {1}); }), "ValueError: Expected extents of at least 0 but got [-1]");
}

TEST(TensorMemory, ElementsNarrowerThanAByte) {
  Tensor t = Tensor::Empty({7}, kUInt4);
  EXPECT_EQ(t.NumBytes(), 4u);  // (7 * 4 + 7) / 8
  auto* data = static_cast<unsigned char*>(t.data_ptr());
  for (unsigned char i = 0; i < 4; ++i) data[i] = static_cast<unsigned char>(0x10 + 0x22 * i);
  Tensor tail = t.as_strided({3}, {1}, 2);
  EXPECT_EQ(tail.data_ptr(), data + 1);
  EXPECT_EQ(tail.NumBytes(), 2u);
  EXPECT_EQ(ErrorOf([&] { t.as_strided({3}, {1}, 1); }),
            "ValueError: A view of elements of 4 bits cannot begin at element 1, inside a byte");
}

TEST(TensorView, LooksAtTensorsWhoeverOwnsThem) {
  Function sum = Function::FromTyped([](TensorView t) {
    std::vector<int32_t> values(static_cast<size_t>(t.numel()));
    t.CopyToCompact(values.data());
    return std::accumulate(values.begin(), values.end(), 0);
  });
  Tensor t = Counting({2, 3});
  EXPECT_EQ(sum(t).cast<int>(), 15);
  EXPECT_EQ(sum(TensorView(t)).cast<int>(), 15);
  int32_t data[] = {1, 2, 3, 4};
  int64_t extents[] = {2, 2};
  DLTensor raw{data, kCpu, 2, kInt32, extents, nullptr, 4};
  raw.shape[1] = 1;
  EXPECT_EQ(sum(&raw).cast<int>(), 5);  // from element 1 on
  TensorView view(&raw);
  EXPECT_TRUE(view.IsContiguous());
  EXPECT_TRUE(view.strides().empty());
  EXPECT_EQ(view.data_ptr(), data + 1);
  EXPECT_TRUE(view.IsAligned(4));
  EXPECT_FALSE(view.IsAligned(sizeof(data) * 1024));
  EXPECT_EQ(ErrorOf([&] { Any stored(view); }),
            "RuntimeError: A DLTensor* cannot be kept, as nothing owns it; make a Tensor with FromDLPack");
  EXPECT_EQ(ErrorOf([&] { sum(static_cast<DLTensor*>(nullptr)); }).substr(0, 10), "TypeError:");
}

}  // namespace
}  // namespace transom
