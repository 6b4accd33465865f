#include <gtest/gtest.h>
#include <transom/containers/tuple.h>

#include "containers/test_objects.h"
#include "support/error_of.h"

namespace transom {
namespace {

using test::Counted;
using test::CountedObj;
using test::ReadAt;
using testing::ErrorOf;

TEST(Tuple, HoldsItsElements) {
  Tuple<int64_t, String, Array<int64_t>> tuple(1, "two", {3});
  static_assert(tuple.size() == 3 && sizeof(tuple) == 8);
  EXPECT_EQ(tuple.get<0>(), 1);
  EXPECT_EQ(tuple.get<1>(), "two");
  auto [number, text, array] = tuple;
  EXPECT_EQ(number, 1);
  EXPECT_EQ(text, "two");
  EXPECT_EQ(array[0], 3);
  Tuple<int64_t, String, Array<int64_t>> other = tuple.set<0>(9);
  EXPECT_EQ(other.get<0>(), 9);
  EXPECT_EQ(tuple.get<0>(), 1);
  EXPECT_EQ((Tuple<int64_t, String>().get<1>()), "");
  EXPECT_EQ((Tuple<int64_t, double>(std::tuple<int64_t, double>(1, 2.5)).get<1>()), 2.5);
}

TEST(Tuple, IsAnArrayOfThatSize) {
  Tuple<int64_t, double> tuple(1, 2.5);
  EXPECT_EQ(ReadAt<int32_t>(tuple, 8), kTVMFFIArray);
  EXPECT_EQ(ReadAt<int64_t>(tuple, 32), 2);
  EXPECT_EQ(ReadAt<int64_t>(tuple, 40), 2);
  EXPECT_EQ(Any(tuple).cast<Array<Any>>().size(), 2);
  EXPECT_EQ(Tuple<>().size(), 0u);
}

TEST(Tuple, ConvertsWhereSizeAndElementsFit) {
  Any array = Array<Any>{1, "x"};
  EXPECT_EQ((array.cast<Tuple<int64_t, String>>().get()), array.as<ArrayObj>()) << "exact elements are shared";
  EXPECT_EQ((array.cast<Tuple<double, String>>().get<0>()), 1.0);
  EXPECT_FALSE((array.try_cast<Tuple<int64_t>>().has_value()));
  EXPECT_EQ(ErrorOf([&] { array.cast<Tuple<int64_t>>(); }),
            "TypeError: Cannot convert from type `Array[size=2]` to `Tuple<int>`");
  EXPECT_EQ(ErrorOf([&] { array.cast<Tuple<int64_t, double>>(); }),
            "TypeError: Cannot convert from type `Array[index 1: ffi.SmallStr]` to `Tuple<int, float>`");
  EXPECT_FALSE((Any(1).try_cast<Tuple<int64_t>>().has_value()));
}

TEST(Tuple, EveryReferenceIsGivenBack) {
  ASSERT_EQ(CountedObj::live, 0);
  {
    Tuple<Counted, Counted> tuple(Counted(1), Counted(2));
    Tuple<Counted, Counted> other = tuple.set<0>(Counted(3));
    EXPECT_EQ(CountedObj::live, 3);
    tuple = other;
    EXPECT_EQ(CountedObj::live, 2);
  }
  EXPECT_EQ(CountedObj::live, 0);
}

}  // namespace
}  // namespace transom
