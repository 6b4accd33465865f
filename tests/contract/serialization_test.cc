// The contract's page: serialization.
#include <gtest/gtest.h>

#include "contract/contract_types.h"

namespace {

IRModule MakeModule() {
  IntImm one(1, ffi::DataType::Int(32));
  return IRModule(ffi::Map<ffi::String, Func>{{"main", Func({one, one}, one)}});
}

TEST(Contract, Serialization) {
  IRModule ir_module = MakeModule();
  ffi::String json = ffi::SerializeToJSON(ir_module);
  ffi::String b64 = ffi::SerializeToBase64(ir_module);
  IRModule m1 = ffi::DeserializeFromJSON(json);  // converts on assignment
  IRModule m2 = ffi::DeserializeFromBase64(b64);
  EXPECT_TRUE(ffi::StructuralEqual::Equal(ir_module, m1));
  EXPECT_TRUE(ffi::StructuralEqual::Equal(ir_module, m2));
  EXPECT_TRUE(m1->functions.at("main")->params[0].same_as(m1->functions.at("main")->params[1]));
  m1 = ffi::DeserializeFromBase64(b64);
  EXPECT_TRUE(ffi::StructuralEqual::Equal(ir_module, m1));
}

TEST(Contract, SerializationChecksTheType) {
  // TypeError if it is not an IRModule
  auto load = [] { IRModule m = ffi::DeserializeFromJSON(ffi::SerializeToJSON(ffi::Array<int64_t>{1})); };
  try {
    load();
    FAIL();
  } catch (const ffi::Error& error) {
    EXPECT_STREQ(error.what(), "TypeError: Cannot convert from type `ffi.Array` to `contract.IRModule`");
  }
  ffi::Array<int64_t> numbers = ffi::DeserializeFromJSON(ffi::SerializeToJSON(ffi::Array<int64_t>{1, 2}));
  EXPECT_EQ(numbers.size(), 2);
  int64_t number = ffi::DeserializeFromJSON(ffi::SerializeToJSON(7));
  EXPECT_EQ(number, 7);
  ffi::String text = ffi::DeserializeFromBase64(ffi::SerializeToBase64(ffi::String("text")));
  EXPECT_EQ(text, "text");
  ffi::Any any = ffi::DeserializeFromJSON(ffi::SerializeToJSON(ffi::String("text")));
  EXPECT_EQ(any.cast<ffi::String>(), "text");
}

}  // namespace
