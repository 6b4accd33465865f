#include <transom/runtime/rvalue_ref.h>

#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/runtime/function.h>

#include <string>
#include <utility>

#include "support/error_of.h"

namespace transom {
namespace {

using testing::ErrorOf;

using Ints = Array<int64_t>;

TEST(RValueRef, IsMovedOutAndChangedInPlace) {
  Function append = Function::FromTyped([](RValueRef<Ints> array) { return (*std::move(array)).push_back(4); });
  Ints array = {1, 2};
  array.reserve(3);
  const ArrayObj* object = array.get();
  Any result = append(RValueRef<Ints>(std::move(array)));
  EXPECT_EQ(result.as<ArrayObj>(), object);
  EXPECT_EQ(result.cast<Ints>().size(), 3);
  EXPECT_FALSE(array.defined());  // NOLINT: moved from
}

TEST(RValueRef, OrdinaryArgumentsAreCopied) {
  Function append = Function::FromTyped([](RValueRef<Ints> array) { return (*std::move(array)).push_back(4); });
  Ints array = {1, 2};
  EXPECT_EQ(append(array).cast<Ints>().size(), 3);
  EXPECT_EQ(array.size(), 2);
}

TEST(RValueRef, WhatMustBeConvertedStaysWhereItIs) {
  Function count = Function::FromTyped([](RValueRef<Array<double>> array) { return (*std::move(array)).size(); });
  RValueRef<Ints> argument(Ints{1, 2});
  EXPECT_EQ(count(argument).cast<int>(), 2);
  ASSERT_TRUE((*argument).defined());
  EXPECT_EQ((*argument).use_count(), 1u);
  Function take = Function::FromTyped([](RValueRef<Ints> array) { return (*std::move(array)).use_count(); });
  EXPECT_EQ(take(argument).cast<int>(), 1);
  EXPECT_FALSE((*argument).defined());
}

TEST(RValueRef, NullIsNone) {
  Function is_null = Function::FromTyped([](RValueRef<ObjectRef> ref) { return !(*ref).defined(); });
  EXPECT_TRUE(is_null(RValueRef<ObjectRef>(ObjectRef())).cast<bool>());
  EXPECT_TRUE(is_null(nullptr).cast<bool>());
}

TEST(RValueRef, OtherParametersRefuseIt) {
  Function take = Function::FromTyped([](const Ints&) {}, "take");
  EXPECT_EQ(ErrorOf([&] { take(RValueRef<Ints>(Ints{1})); }),
            "TypeError: Mismatched type on argument #0 when calling: `take(0: Array<int>) -> void`. Expected "
            "`Array<int>` but got `ObjectRValueRef`");
  Function take_rvalue = Function::FromTyped([](RValueRef<Array<String>>) {}, "take");
  EXPECT_EQ(
      ErrorOf([&] { take_rvalue(RValueRef<Ints>(Ints{1})); }),
      "TypeError: Mismatched type on argument #0 when calling: `take(0: RValueRef<Array<str>>) -> void`. Expected "
      "`RValueRef<Array<str>>` but got `Array[index 0: int]`");
}

TEST(RValueRef, AnyTakesTheObject) {
  Function keep = Function::FromTyped([](Any value) { return value.cast<Ints>().use_count(); });
  EXPECT_EQ(keep(RValueRef<Ints>(Ints{1})).cast<int>(), 2);  // `value` and the copy of the cast
  Any stored = RValueRef<Ints>(Ints{1, 2, 3});
  EXPECT_EQ(stored.cast<Ints>().size(), 3);
}

TEST(RValueRef, IsDescribedInSchemas) {
  EXPECT_EQ(TypeTraits<RValueRef<Ints>>::Schema(),
            R"({"type":"ObjectRValueRef","args":[{"type":"ffi.Array","args":[{"type":"int"}]}]})");
}

}  // namespace
}  // namespace transom
