#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/expected.h>
#include <transom/runtime/function.h>

#include "support/error_of.h"

namespace ffi = transom;

namespace transom {
namespace {

using testing::ErrorOf;

static_assert(sizeof(Expected<Array<int64_t>>) == 16);

ffi::Expected<int64_t> Divide(int64_t a, int64_t b) {
  if (b == 0) return ffi::Unexpected(ffi::Error("division by zero"));
  return a / b;
}

ffi::Expected<void> CheckPositive(int64_t value) {
  if (value <= 0) return ffi::Unexpected(ffi::Error("ValueError", "not positive", ""));
  return {};
}

TEST(Expected, Contract) {
  auto r = Divide(10, 2);
  ASSERT_TRUE(r);
  int64_t q = *r;
  EXPECT_EQ(q, 5);
  auto failed = Divide(1, 0);
  ASSERT_FALSE(failed);
  const ffi::Error& e = failed.error();
  EXPECT_EQ(e.message(), "division by zero");
  EXPECT_EQ(failed.value_or(-1), -1);
  EXPECT_EQ(ErrorOf([&] { failed.value(); }), "RuntimeError: division by zero");
  EXPECT_EQ(ErrorOf([&] { r.error(); }), "RuntimeError: Expected an error but there is a value of type `int`");
}

TEST(Expected, MayHaveNoValue) {
  EXPECT_TRUE(CheckPositive(1));
  EXPECT_EQ(ErrorOf([] { CheckPositive(0).value(); }), "ValueError: not positive");
}

TEST(Expected, AnErrorCrossesFunctionsAsAnError) {
  Function divide = Function::FromTyped(Divide, "test.divide");
  EXPECT_EQ(divide(9, 3).cast<int64_t>(), 3);
  EXPECT_EQ(ErrorOf([&] { divide(1, 0); }), "RuntimeError: division by zero");
  Function check = Function::FromTyped(CheckPositive, "test.check");
  EXPECT_EQ(check(1), nullptr);
  EXPECT_EQ(ErrorOf([&] { check(-1); }), "ValueError: not positive");
}

TEST(Expected, ConvertsFromAValueOrAnError) {
  EXPECT_EQ(*Any(3).cast<Expected<double>>(), 3.0);
  EXPECT_EQ(Any(Error("failed")).cast<Expected<double>>().error().message(), "failed");
  EXPECT_FALSE(Any("x").try_cast<Expected<double>>().has_value());
  EXPECT_EQ(Any(Divide(1, 0)).type_index(), kTVMFFIError);
  EXPECT_EQ(Any(Divide(4, 2)).cast<int64_t>(), 2);
  EXPECT_EQ(TypeTraits<Expected<int64_t>>::Schema(),
            R"({"type":"Expected","args":[{"type":"int"},{"type":"ffi.Error"}]})");
  Expected<Array<int64_t>> array = Array<int64_t>{1, 2};
  EXPECT_EQ(array->size(), 2);
  EXPECT_EQ(std::move(array).value().size(), 2);
}

TEST(Expected, TypedFunctionsGiveTheErrorInIt) {
  TypedFunction<Expected<int64_t>(int64_t)> half = Function::FromTyped([](int64_t x) -> int64_t {
    TRANSOM_CHECK(x % 2 == 0, ValueError) << x << " is odd";
    return x / 2;
  });
  EXPECT_EQ(*half(8), 4);
  Expected<int64_t> failed = half(7);
  ASSERT_FALSE(failed);
  EXPECT_STREQ(failed.error().what(), "ValueError: 7 is odd");
  TypedFunction<Expected<int64_t>()> wrong = Function::FromTyped([] { return String("text"); });
  EXPECT_STREQ(wrong().error().what(), "TypeError: Cannot convert from type `ffi.SmallStr` to `Expected<int>`");
}

TEST(Expected, AnErrorMayBeAValue) {
  // A plain callee returns an Error object with success: callers that know of Expected see a failure, others a value.
  Function returns_error =
      Function::FromPacked([](PackedArgs, Any* result) { *result = Error("ValueError", "kept", ""); });
  Any value = returns_error();
  EXPECT_EQ(value.type_index(), kTVMFFIError);
  Expected<int64_t> expected = value.cast<Expected<int64_t>>();
  ASSERT_FALSE(expected);
  EXPECT_EQ(expected.error().message(), "kept");
  TypedFunction<Expected<int64_t>()> typed = returns_error;
  EXPECT_EQ(typed().error().message(), "kept");
}

}  // namespace
}  // namespace transom
