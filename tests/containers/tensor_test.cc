#include <gtest/gtest.h>
#include <transom/containers/map.h>
#include <transom/containers/tensor.h>

#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "containers/test_objects.h"
#include "support/error_of.h"

namespace transom {
namespace {

using test::ReadAt;
using testing::ErrorOf;

int deleted = 0;

/* A DLPack record over memory of the test, as another library hands it out. */
struct Exported {
  DLManagedTensor record{};
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
};

DLManagedTensor* Export(void* data, DLDataType dtype, std::vector<int64_t> shape, std::vector<int64_t> strides,
                        uint64_t byte_offset = 0, bool null_strides = false) {
  auto* exported = new Exported{{}, std::move(shape), std::move(strides)};
  DLTensor& tensor = exported->record.dl_tensor;
  tensor.data = data;
  tensor.device = {kDLCPU, 0};
  tensor.ndim = static_cast<int32_t>(exported->shape.size());
  tensor.dtype = dtype;
  tensor.shape = exported->shape.data();
  tensor.strides = null_strides ? nullptr : exported->strides.data();
  tensor.byte_offset = byte_offset;
  exported->record.manager_ctx = exported;
  exported->record.deleter = [](DLManagedTensor* self) {
    ++deleted;
    delete static_cast<Exported*>(self->manager_ctx);
  };
  return &exported->record;
}

constexpr DLDataType kInt32{kDLInt, 32, 1};

template <class T>
std::vector<T> Packed(const Tensor& tensor) {
  std::vector<T> out(tensor.NumBytes() / sizeof(T));
  EXPECT_TRUE(tensor.CopyToCompact(out.data()));
  return out;
}

TEST(Tensor, Contract) {
  int32_t data[6] = {1, 2, 3, 4, 5, 6};
  Tensor t = Tensor::FromDLPack(Export(data, kInt32, {2, 3}, {3, 1}));
  EXPECT_EQ(t.ndim(), 2);
  EXPECT_EQ(t.shape()[1], 3);
  EXPECT_EQ(t.dtype(), DataType::Int(32));
  EXPECT_EQ(t.data_ptr(), data);
  EXPECT_EQ(t.device(), Device(kDLCPU, 0));
  EXPECT_EQ(t.numel(), 6);
  EXPECT_EQ(t.NumBytes(), 24u);
  Any value = t;
  EXPECT_EQ(value.type_index(), kTVMFFITensor);
  EXPECT_EQ(value.cast<DLTensor*>()->data, data);
  EXPECT_EQ(ErrorOf([&] { Any stored(static_cast<DLTensor*>(nullptr)); }),
            "RuntimeError: A DLTensor* cannot be kept, as nothing owns it; make a Tensor with FromDLPack");
}

TEST(Tensor, LayoutIsThatOfTheContract) {
  Tensor t = Tensor::Empty({2, 3}, kInt32);
  EXPECT_EQ(ReadAt<int32_t>(t, 8), kTVMFFITensor);
  EXPECT_EQ(ReadAt<void*>(t, 24), t.data_ptr());
  EXPECT_EQ(ReadAt<int32_t>(t, 40), 2);
  EXPECT_EQ(ReadAt<const int64_t*>(t, 48), t.shape().data());
  EXPECT_EQ(ReadAt<const int64_t*>(t, 56), t.strides().data());
}

TEST(Tensor, TheOwnersDeleterRunsOnce) {
  int32_t data[2] = {1, 2};
  deleted = 0;
  {
    Tensor t = Tensor::FromDLPack(Export(data, kInt32, {2}, {1}));
    Tensor copy = t;
    Map<String, Tensor> map = {{"weights", t}};
    DLManagedTensor* exported = copy.ToDLPack();
    DLManagedTensorVersioned* versioned = copy.ToDLPackVersioned();
    t = copy = Tensor();
    map = Map<String, Tensor>();
    EXPECT_EQ(deleted, 0);
    EXPECT_EQ(exported->dl_tensor.data, data);
    exported->deleter(exported);
    EXPECT_EQ(deleted, 0);
    Tensor back = Tensor::FromDLPackVersioned(versioned);
    EXPECT_EQ(Packed<int32_t>(back), (std::vector<int32_t>{1, 2}));
    EXPECT_EQ(deleted, 0);
  }
  EXPECT_EQ(deleted, 1);
}

TEST(Tensor, ARefusedRecordStaysTheCallers) {
  alignas(64) int32_t data[8] = {};
  deleted = 0;
  DLManagedTensor* strided = Export(data, kInt32, {2, 2}, {4, 1});
  EXPECT_EQ(ErrorOf([&] { Tensor::FromDLPack(strided, 0, true); }).substr(0, 12), "RuntimeError");
  strided->dl_tensor.byte_offset = 4;
  EXPECT_EQ(ErrorOf([&] { Tensor::FromDLPack(strided, 64); }).substr(0, 12), "RuntimeError");
  EXPECT_EQ(deleted, 0);
  strided->deleter(strided);
}

TEST(BuiltinTensor, ARecordThatIsNotThereIsAnError) {
  EXPECT_EQ(ErrorOf([&] { Tensor::FromDLPack(nullptr); }).substr(0, 12), "RuntimeError");
}

TEST(Tensor, EmptyOwnsAlignedRowMajorMemory) {
  Tensor t = Tensor::Empty({2, 3, 4}, DataType::Float(64));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(t.data_ptr()) % 64, 0u);
  EXPECT_EQ(t.strides(), ShapeView({12, 4, 1}));
  EXPECT_TRUE(t.IsContiguous());
  std::memset(t.data_ptr(), 1, t.NumBytes());
  Tensor scalar = Tensor::Empty(Shape(), kInt32);
  EXPECT_EQ(scalar.ndim(), 0);
  EXPECT_EQ(scalar.NumBytes(), 4u);
  EXPECT_EQ(Tensor::Empty({0, INT64_MAX}, kInt32).NumBytes(), 0u);
  EXPECT_EQ(ErrorOf([] { Tensor::Empty({2, -1}, kInt32); }).substr(0, 10), "ValueError");
  EXPECT_EQ(ErrorOf([] { Tensor::Empty({INT64_MAX, 2}, kInt32); }).substr(0, 13), "OverflowError");
  EXPECT_EQ(ErrorOf([] { Tensor::Empty({INT64_MAX / 16}, kInt32); }).substr(0, 13), "OverflowError");
  EXPECT_EQ(ErrorOf([] { Tensor::Empty({1}, kInt32, {kDLCUDA, 0}); }).substr(0, 10), "ValueError");
}

/* Strides of axes of extent 0 or 1 mean nothing and stay as they came. */
TEST(Tensor, StridesPassThroughUnchanged) {
  int32_t data[16] = {};
  struct Case {
    std::vector<int64_t> shape, strides;
    bool contiguous;
  };
  for (const Case& c : std::vector<Case>{{{1, 4}, {77, 1}, true},
                                         {{1, 4}, {1, 77}, false},
                                         {{4, 0, 4}, {9, 9, 9}, true},
                                         {{}, {}, true},
                                         {{1, 1, 1}, {5, 6, 7}, true},
                                         {{2, 1, 2}, {2, 99, 1}, true}}) {
    Tensor t = Tensor::FromDLPack(Export(data, kInt32, c.shape, c.strides));
    EXPECT_EQ(t.IsContiguous(), c.contiguous);
    EXPECT_EQ(t.strides(), ShapeView(c.strides));
    DLManagedTensorVersioned* exported = t.ToDLPackVersioned();
    for (size_t i = 0; i < c.strides.size(); ++i) EXPECT_EQ(exported->dl_tensor.strides[i], c.strides[i]);
    exported->deleter(exported);
  }
}

TEST(Tensor, MissingStridesMeanRowMajorAndAreFilledIn) {
  int32_t data[6] = {1, 2, 3, 4, 5, 6};
  Tensor t = Tensor::FromDLPack(Export(data, kInt32, {2, 3}, {}, 0, true));
  EXPECT_EQ(t.strides(), ShapeView({3, 1}));
  EXPECT_TRUE(t.IsContiguous());
  DLManagedTensor* exported = t.ToDLPack();
  EXPECT_NE(exported->dl_tensor.strides, nullptr);
  exported->deleter(exported);
  Tensor scalar = Tensor::FromDLPack(Export(data, kInt32, {}, {}, 4, true));
  EXPECT_EQ(Packed<int32_t>(scalar), (std::vector<int32_t>{2}));
}

TEST(Tensor, StridedMemoryIsPackedInRowMajorOrder) {
  std::vector<int32_t> data(24);
  std::iota(data.begin(), data.end(), 0);
  auto packed = [&](std::vector<int64_t> shape, std::vector<int64_t> strides, uint64_t first) {
    Tensor t = Tensor::FromDLPack(Export(data.data(), kInt32, std::move(shape), std::move(strides), first * 4));
    return Packed<int32_t>(t);
  };
  using V = std::vector<int32_t>;
  EXPECT_EQ(packed({3, 2}, {1, 3}, 0), (V{0, 3, 1, 4, 2, 5})) << "transposed";
  EXPECT_EQ(packed({4}, {2}, 1), (V{1, 3, 5, 7})) << "every second element";
  EXPECT_EQ(packed({2, 3}, {0, 1}, 4), (V{4, 5, 6, 4, 5, 6})) << "broadcast";
  EXPECT_EQ(packed({4}, {0}, 9), (V{9, 9, 9, 9}));
  EXPECT_EQ(packed({4}, {-1}, 3), (V{3, 2, 1, 0})) << "reversed";
  EXPECT_EQ(packed({2, 2}, {-3, -1}, 4), (V{4, 3, 1, 0}));
  EXPECT_EQ(packed({1, 2, 2, 2}, {8, 1, 4, 2}, 0), (V{0, 2, 4, 6, 1, 3, 5, 7})) << "channels last";
  EXPECT_EQ(packed({2, 0}, {1, 1}, 0), V{});
  EXPECT_EQ(packed({2, 3}, {3, 1}, 6), (V{6, 7, 8, 9, 10, 11}));
}

TEST(Tensor, RandomStridesAgreeWithAPlainLoop) {
  std::mt19937 random(11);
  std::vector<unsigned char> data(60000);
  for (unsigned char& byte : data) byte = static_cast<unsigned char>(random());
  for (int round = 0; round < 300; ++round) {
    auto bytes = static_cast<int64_t>(std::vector<int>{1, 2, 3, 4, 8, 16}[random() % 6]);
    std::vector<int64_t> shape, strides;
    int64_t low = 0;
    for (uint32_t axis = random() % 5; axis > 0; --axis) {
      shape.push_back(random() % 5);
      strides.push_back(static_cast<int64_t>(random() % 41) - 20);
      if (strides.back() < 0) low += strides.back() * std::max<int64_t>(shape.back() - 1, 0);
    }
    DLDataType dtype{kDLUInt, 8, static_cast<uint16_t>(bytes)};
    auto offset = static_cast<uint64_t>(-low * bytes);
    Tensor t = Tensor::FromDLPack(Export(data.data(), dtype, shape, strides, offset));
    std::vector<unsigned char> expected;
    std::vector<int64_t> index(shape.size(), 0);
    for (int64_t n = 0; n < t.numel(); ++n) {
      int64_t rest = n, at = 0;
      for (size_t axis = shape.size(); axis > 0; --axis) {
        at += rest % shape[axis - 1] * strides[axis - 1];
        rest /= shape[axis - 1];
      }
      auto first = data.begin() + static_cast<int64_t>(offset) + at * bytes;
      expected.insert(expected.end(), first, first + bytes);
    }
    ASSERT_EQ(Packed<unsigned char>(t), expected) << "round " << round;
  }
}

TEST(Tensor, ElementsNarrowerThanAByteArePacked) {
  unsigned char data[4] = {0x21, 0x43, 0x65, 0x87};  // 1, 2, 3, ... in 4 bits each
  DLDataType int4{kDLUInt, 4, 1};
  Tensor all = Tensor::FromDLPack(Export(data, int4, {7}, {1}));
  EXPECT_EQ(all.NumBytes(), 4u);
  EXPECT_EQ(Packed<unsigned char>(all), (std::vector<unsigned char>{0x21, 0x43, 0x65, 0x07})) << "unused bits are 0";
  Tensor odd = Tensor::FromDLPack(Export(data, int4, {3}, {2}, 0));
  EXPECT_EQ(Packed<unsigned char>(odd), (std::vector<unsigned char>{0x31, 0x05}));
  Tensor reversed = Tensor::FromDLPack(Export(data, int4, {4}, {-1}, 2));
  EXPECT_EQ(Packed<unsigned char>(reversed), (std::vector<unsigned char>{0x45, 0x23})) << "5 4 3 2, from byte 2 down";
}

TEST(Tensor, MemoryOfOtherDevicesIsNotRead) {
  DLManagedTensor* record = Export(reinterpret_cast<void*>(0x1000), kInt32, {4}, {1});
  record->dl_tensor.device = {kDLCUDA, 0};
  Tensor t = Tensor::FromDLPack(record);
  int32_t out[4] = {1, 2, 3, 4};
  EXPECT_FALSE(t.CopyToCompact(out));
  EXPECT_EQ(out[0], 1);
}

}  // namespace
}  // namespace transom
