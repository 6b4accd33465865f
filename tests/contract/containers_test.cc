// The contract's page: containers.
#include <gtest/gtest.h>

#include "contract/contract_types.h"

namespace {

IntImm Number(int64_t value) { return IntImm(value, ffi::DataType::Int(32)); }

TEST(Contract, Arrays) {
  IntImm expr_a = Number(1), expr_b = Number(2), expr_c = Number(3), expr_d = Number(4);
  ffi::Array<ffi::ObjectRef> arr = {expr_a, expr_b, expr_c};
  EXPECT_EQ(arr.size(), 3);
  EXPECT_TRUE(arr[0].same_as(expr_a));
  EXPECT_FALSE(arr.empty());
  auto arr2 = arr.push_back(expr_d);  // arr still has 3, arr2 has 4
  EXPECT_EQ(arr.size(), 3);
  EXPECT_EQ(arr2.size(), 4);
  EXPECT_TRUE(arr2[3].same_as(expr_d));
}

TEST(Contract, Lists) {
  IntImm expr_a = Number(1), expr_b = Number(2), expr_c = Number(3);
  ffi::List<ffi::ObjectRef> list;  // shared and mutable
  ffi::List<ffi::ObjectRef> same = list;
  list.push_back(expr_a);
  list.push_back(expr_b);
  list[1] = expr_c;
  EXPECT_TRUE(same[1].same_as(expr_c));
  list.pop_back();
  EXPECT_EQ(same.size(), 1);
  EXPECT_TRUE(same[0].same_as(expr_a));
}

TEST(Contract, Maps) {
  IntImm value = Number(1);
  ffi::Map<ffi::String, ffi::ObjectRef> map;
  auto map2 = map.insert("key", value);  // map still empty
  EXPECT_EQ(map.size(), 0);
  EXPECT_EQ(map2.size(), 1);
  ffi::Optional<ffi::ObjectRef> got = map2.get("key");
  ASSERT_TRUE(got.has_value());
  EXPECT_TRUE(got.value().same_as(value));
  EXPECT_FALSE(map2.get("other").has_value());
}

TEST(Contract, Dicts) {
  IntImm value = Number(1);
  ffi::Dict<ffi::String, ffi::ObjectRef> dict;
  ffi::Dict<ffi::String, ffi::ObjectRef> same = dict;
  dict.set("key", value);
  EXPECT_EQ(dict.size(), 1);
  EXPECT_TRUE(same.at("key").same_as(value));
  dict.erase("key");
  EXPECT_EQ(same.size(), 0);
}

TEST(Contract, StringsAndShapes) {
  ffi::String s = "hello world";
  EXPECT_EQ(s.size(), 11u);
  EXPECT_STREQ(s.data(), "hello world");
  EXPECT_FALSE(s.empty());
  ffi::Shape shape = {1, 3, 224, 224};
  EXPECT_EQ(shape.size(), 4u);
  EXPECT_EQ(shape[2], 224);
}

TEST(Contract, ShortTextLiesInTheValue) {
  // A short string or bytes value is one of at most 7 bytes: what fits in the 64-bit payload beside a length in the
  // reserved 32 bits.
  EXPECT_EQ(ffi::Any(ffi::String("1234567")).type_index(), kTVMFFISmallStr);
  EXPECT_EQ(ffi::Any(ffi::String("1234567")).raw()->small_str_len, 7u);
  EXPECT_EQ(ffi::Any(ffi::String("12345678")).type_index(), kTVMFFIStr);
  EXPECT_EQ(ffi::Any(ffi::Bytes("1234567", 7)).type_index(), kTVMFFISmallBytes);
  EXPECT_EQ(ffi::Any(ffi::Bytes("12345678", 8)).type_index(), kTVMFFIBytes);
}

TEST(Contract, Tensors) {
  float data[6] = {};
  int64_t extents[2] = {2, 3};
  int deletions = 0;
  DLManagedTensor managed{};
  managed.dl_tensor = DLTensor{data, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, extents, nullptr, 0};
  managed.manager_ctx = &deletions;
  managed.deleter = [](DLManagedTensor* self) { ++*static_cast<int*>(self->manager_ctx); };
  DLManagedTensor* dl_managed_tensor = &managed;
  {
    ffi::Tensor t = ffi::Tensor::FromDLPack(dl_managed_tensor);
    EXPECT_EQ(t.ndim(), 2);
    EXPECT_EQ(t.shape(), (ffi::ShapeView{2, 3}));
    EXPECT_EQ(t.dtype(), ffi::DataType::Float(32));
    EXPECT_EQ(t.data_ptr(), data);
    EXPECT_EQ(deletions, 0);
  }
  EXPECT_EQ(deletions, 1);
}

}  // namespace
