// The contract's page: calls through the C ABI.
#include "contract/calls.h"

#include <gtest/gtest.h>

#include <string>

#include "contract/contract_types.h"

namespace {

TVMFFIAny Raw(const ffi::AnyView& view) { return *view.raw(); }

TEST(Contract, CallsThroughTheCAbi) {
  ffi::Function::SetGlobal("contract.add_one", ffi::Function::FromExternC(nullptr, &add_one, nullptr));

  // 0: success, result is owned by the caller.
  TVMFFIAny argument = Raw(41);
  TVMFFIAny result;
  ASSERT_EQ(call_global("contract.add_one", &argument, 1, &result), 0);
  EXPECT_EQ(result.type_index, kTVMFFIInt);
  EXPECT_EQ(result.v_int64, 42);
  EXPECT_EQ(ffi::Function::GetGlobalRequired("contract.add_one")(41).cast<int64_t>(), 42);

  // Non-zero: the error object waits in thread-local storage.
  argument = Raw("text");
  ASSERT_NE(call_global("contract.add_one", &argument, 1, &result), 0);
  TVMFFIObjectHandle error = nullptr;
  TVMFFIErrorMoveFromRaised(&error);
  ASSERT_NE(error, nullptr);
  const auto* cell = reinterpret_cast<const TVMFFIErrorCell*>(static_cast<TVMFFIObject*>(error) + 1);
  EXPECT_EQ(std::string(cell->kind.data, cell->kind.size), "TypeError");
  EXPECT_EQ(std::string(cell->message.data, cell->message.size), "add_one takes one integer");
  TVMFFIObjectDecRef(error);
  TVMFFIErrorMoveFromRaised(&error);
  EXPECT_EQ(error, nullptr);
  // C++ sees an exception.
  try {
    ffi::Function::GetGlobalRequired("contract.add_one")("text");
    FAIL();
  } catch (const ffi::Error& caught) {
    EXPECT_EQ(caught.kind(), "TypeError");
    EXPECT_EQ(caught.message(), "add_one takes one integer");
  }
}

TEST(Contract, ClosureStateAndNoResult) {
  // self: closure state or NULL. No result: result->type_index == kTVMFFINone.
  int count = 0;
  ffi::Function::SetGlobal("contract.count", ffi::Function::FromExternC(&count, &call_with_state, nullptr));
  TVMFFIAny arguments[] = {Raw(1), Raw(2.5), Raw(nullptr)};
  TVMFFIAny result;
  ASSERT_EQ(call_global("contract.count", arguments, 3, &result), 0);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(result.type_index, kTVMFFINone);
}

}  // namespace
