// The contract's page: Variant and Expected.
#include <gtest/gtest.h>

#include <string>

#include "contract/contract_types.h"

namespace {

TEST(Contract, Variants) {
  ffi::Variant<int64_t, double, ffi::String> v;  // first alternative, value-initialised
  auto kind = [&] {
    if (auto* i = v.as<int64_t>()) {
      return "int " + std::to_string(*i);
    } else if (auto* d = v.as<double>()) {
      return "double " + std::to_string(*d);
    }
    return "string " + std::string(*v.as<ffi::String>());
  };
  EXPECT_EQ(kind(), "int 0");
  v = 42;
  EXPECT_EQ(kind(), "int 42");
  v = 3.14;
  EXPECT_EQ(kind(), "double 3.140000");
  v = ffi::String("hello");
  EXPECT_EQ(kind(), "string hello");
}

ffi::Expected<int64_t> Divide(int64_t a, int64_t b) {
  if (b == 0) return ffi::Unexpected(ffi::Error("division by zero"));
  return a / b;
}

TEST(Contract, Expected) {
  auto r = Divide(10, 2);
  if (r) {
    int64_t q = *r;
    EXPECT_EQ(q, 5);
  } else {
    FAIL();
  }
  r = Divide(1, 0);
  if (r) {
    FAIL();
  } else {
    const ffi::Error& e = r.error();
    EXPECT_EQ(e.message(), "division by zero");
  }
}

TEST(Contract, ExpectedCrossesTheAbi) {
  // Functions that return Expected can be registered as global functions; an error crosses the ABI as an error.
  refl::GlobalDef().def("contract.divide", Divide);
  ffi::Function divide = ffi::Function::GetGlobalRequired("contract.divide");
  EXPECT_EQ(divide(10, 2).cast<int64_t>(), 5);
  try {
    divide(1, 0);
    FAIL();
  } catch (const ffi::Error& error) {
    EXPECT_STREQ(error.what(), "RuntimeError: division by zero");
  }
}

}  // namespace
