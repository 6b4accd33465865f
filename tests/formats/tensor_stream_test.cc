#include "formats/io/tensor_stream.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace transom::formats {
namespace {

template <class T>
void Put(T value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// A stream of a CPU tensor; each part can be replaced to damage it.
struct Stream {
  uint64_t magic = 0xDD5E40F096B4A13F;
  uint64_t reserved = 0;
  int32_t device_type = kDLCPU;
  int32_t device_id = 0;
  int32_t rank = 2;
  DLDataType dtype = {kDLInt, 16, 1};
  std::vector<int64_t> shape = {2, 3};
  int64_t size = 12;
  std::string data = std::string("\1\0\2\0\3\0\4\0\5\0\6\0", 12);

  std::string Text() const {
    std::string out;
    Put(magic, &out);
    Put(reserved, &out);
    Put(device_type, &out);
    Put(device_id, &out);
    Put(rank, &out);
    Put(dtype, &out);
    for (int64_t extent : shape) Put(extent, &out);
    Put(size, &out);
    return out + data;
  }
};

std::string Wrong(const Stream& stream) {
  Any tensor;
  return ReadTensorStream(stream.Text(), &tensor);
}

TEST(TensorStream, IsReadAndWritten) {
  Any value;
  ASSERT_EQ(ReadTensorStream(Stream().Text(), &value), "");
  const Tensor tensor = value.cast<Tensor>();
  EXPECT_EQ(tensor.size(0), 2);
  EXPECT_EQ(tensor.size(1), 3);
  EXPECT_EQ(tensor.dtype(), DataType::Int(16));
  EXPECT_EQ(static_cast<int16_t*>(tensor.data_ptr())[5], 6);
  std::string text = "before";
  ASSERT_TRUE(WriteTensorStream(tensor, &text));
  EXPECT_EQ(text, "before" + Stream().Text());
}

TEST(TensorStream, StridesArePacked) {
  int16_t data[] = {1, 4, 2, 5, 3, 6};
  int64_t shape[] = {2, 3}, strides[] = {1, 2};
  DLManagedTensor record{};
  record.dl_tensor = {data, {kDLCPU, 0}, 2, {kDLInt, 16, 1}, shape, strides, 0};
  std::string text;
  ASSERT_TRUE(WriteTensorStream(Tensor::FromDLPack(&record), &text));
  EXPECT_EQ(text, Stream().Text());
}

TEST(TensorStream, ScalarEmptyAndSubByteTensors) {
  Stream scalar;
  scalar.rank = 0;
  scalar.shape = {};
  scalar.size = 2;
  scalar.data = "ab";
  Stream empty;
  empty.shape = {0, int64_t{1} << 62};
  empty.size = 0;
  empty.data = "";
  Stream nibbles;
  nibbles.rank = 1;
  nibbles.shape = {3};
  nibbles.dtype = {kDLUInt, 4, 1};
  nibbles.size = 2;
  nibbles.data = "\x21\x03";
  for (const Stream& stream : {scalar, empty, nibbles}) {
    Any value;
    ASSERT_EQ(ReadTensorStream(stream.Text(), &value), "");
    std::string text;
    ASSERT_TRUE(WriteTensorStream(value.cast<Tensor>(), &text));
    EXPECT_EQ(text, stream.Text());
  }
}

TEST(TensorStream, OtherDevicesAreNotWritten) {
  int64_t shape[] = {1};
  DLManagedTensor record{};
  record.dl_tensor = {shape, {kDLCUDA, 0}, 1, {kDLInt, 64, 1}, shape, nullptr, 0};
  std::string text;
  EXPECT_FALSE(WriteTensorStream(Tensor::FromDLPack(&record), &text));
}

TEST(TensorStream, DamageIsToldApart) {
  const auto damaged = [](auto change) {
    Stream stream;
    change(stream);
    return Wrong(stream);
  };
  EXPECT_EQ(damaged([](Stream& s) { s.magic = 1; }), "a tensor stream that does not start with its magic number");
  EXPECT_EQ(damaged([](Stream& s) { s.reserved = 1; }), "a tensor stream of an unknown version");
  EXPECT_EQ(damaged([](Stream& s) { s.device_type = 2; }), "a tensor of device type 2, where 1 (CPU) is expected");
  EXPECT_EQ(damaged([](Stream& s) { s.rank = -1; }), "a tensor of rank -1");
  EXPECT_EQ(damaged([](Stream& s) { s.rank = 1 << 30; }), "a tensor of rank 1073741824");
  EXPECT_EQ(damaged([](Stream& s) { s.shape = {2, -3}; }), "a tensor whose shape is negative or too large");
  EXPECT_EQ(damaged([](Stream& s) {
              s.shape = {INT64_MAX, INT64_MAX};
            }),
            "a tensor whose shape is negative or too large");
  EXPECT_EQ(damaged([](Stream& s) {
              s.shape = {int64_t{1} << 40, int64_t{1} << 40};
            }),
            "a tensor whose shape is negative or too large");
  EXPECT_EQ(damaged([](Stream& s) { s.size = 13; }),
            "a tensor stream that states 13 bytes of data, where its shape and dtype make 12");
  EXPECT_EQ(damaged([](Stream& s) { s.data.pop_back(); }),
            "a tensor stream with 11 bytes of data, where 12 are stated");
  EXPECT_EQ(damaged([](Stream& s) { s.data += "x"; }), "a tensor stream with 13 bytes of data, where 12 are stated");
}

TEST(TensorStream, DataTypesWithoutASizeAreRefused) {
  Stream scalable;
  scalable.dtype = {kDLInt, 16, static_cast<uint16_t>(-4)};
  Any value;
  std::string wrong;
  try {
    wrong = ReadTensorStream(scalable.Text(), &value);
  } catch (const Error& error) {
    wrong = error.message();
  }
  EXPECT_NE(wrong, "");
}

TEST(TensorStream, CutAtEveryLength) {
  const std::string text = Stream().Text();
  for (size_t size = 0; size < text.size(); ++size) {
    Any tensor;
    EXPECT_NE(ReadTensorStream(std::string_view(text).substr(0, size), &tensor), "") << size;
    EXPECT_EQ(tensor, nullptr);
  }
}

}  // namespace
}  // namespace transom::formats
