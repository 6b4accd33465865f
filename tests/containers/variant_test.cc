#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/variant.h>

#include <type_traits>

#include "containers/test_objects.h"
#include "support/error_of.h"

namespace transom {
namespace {

using test::Counted;
using test::CountedObj;
using testing::ErrorOf;

using Number = Variant<int64_t, double, String>;

static_assert(sizeof(Number) == 16);
static_assert(std::is_constructible_v<Number, const char*>);
static_assert(!std::is_constructible_v<Number, Counted>, "no alternative takes it");
static_assert(!std::is_constructible_v<Variant<int64_t, String>, double>, "digits would be lost");
static_assert(!std::is_constructible_v<Variant<bool, int64_t>, const char*>, "a pointer is no bool");
static_assert(!std::is_default_constructible_v<Variant<Counted, int64_t>>);

TEST(Variant, Contract) {
  Variant<int64_t, double, String> v;
  ASSERT_NE(v.as<int64_t>(), nullptr);
  EXPECT_EQ(*v.as<int64_t>(), 0);
  v = 42;
  EXPECT_EQ(*v.as<int64_t>(), 42);
  EXPECT_EQ(v.as<double>(), nullptr);
  v = 3.14;
  EXPECT_EQ(*v.as<double>(), 3.14);
  EXPECT_EQ(v.as<int64_t>(), nullptr);
  v = String("hello");
  EXPECT_EQ(*v.as<String>(), "hello");
  EXPECT_EQ(v.index(), 2u);
}

TEST(Variant, TheBestFittingAlternativeTakesTheValue) {
  EXPECT_EQ((Variant<double, int64_t>(1).index()), 1u);
  EXPECT_EQ((Variant<double, String>(1).index()), 0u);
  EXPECT_EQ((Variant<int64_t, bool>(true).index()), 1u);
  EXPECT_EQ((Variant<int64_t, String>(true).index()), 0u);
  EXPECT_EQ((Variant<String, Any>("text").index()), 0u);
  EXPECT_TRUE((Variant<String, Array<int64_t>>(Array<int64_t>{1}).holds<Array<int64_t>>()));
  Variant<int64_t, ObjectRef> object = Counted(4);
  EXPECT_EQ(object.as<CountedObj>()->id, 4);
  Variant<String, double, int64_t> wider = Variant<int64_t, double>(5);
  EXPECT_EQ(wider.get<int64_t>(), 5);
}

TEST(Variant, ReadingAnotherAlternativeIsATypeError) {
  Number v = 1;
  EXPECT_EQ(v.get<int64_t>(), 1);
  EXPECT_EQ(ErrorOf([&] { v.get<String>(); }), "TypeError: Cannot convert from type `int` to `str`");
  EXPECT_EQ(v.GetTypeKey(), "int");
}

TEST(Variant, ConversionTakesTheExactAlternativeElseTheFirstThatFits) {
  EXPECT_EQ((Any(1).cast<Variant<double, int64_t>>().index()), 1u);
  EXPECT_EQ((Any(1).cast<Variant<double, String>>().get<double>()), 1.0);
  EXPECT_EQ((AnyView("x").cast<Number>().get<String>()), "x");
  EXPECT_EQ(ErrorOf([] { Any(Array<Any>{}).cast<Number>(); }),
            "TypeError: Cannot convert from type `ffi.Array` to `Variant<int, float, str>`");
  EXPECT_EQ(Any(Number(2.5)).cast<double>(), 2.5);
  EXPECT_EQ((TypeTraits<Variant<int64_t, String>>::Schema()),
            R"({"type":"Variant","args":[{"type":"int"},{"type":"ffi.String"}]})");
  Array<Number> numbers = {1, 2.5, "three"};
  EXPECT_EQ(numbers[2].index(), 2u);
}

TEST(Variant, EveryReferenceIsGivenBack) {
  ASSERT_EQ(CountedObj::live, 0);
  {
    Variant<int64_t, Counted> v = Counted(1);
    Variant<int64_t, Counted> w = v;
    v = 1;
    Any any = std::move(w);
    EXPECT_EQ(CountedObj::live, 1);
  }
  EXPECT_EQ(CountedObj::live, 0);
}

}  // namespace
}  // namespace transom
