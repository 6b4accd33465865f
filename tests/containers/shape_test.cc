#include <gtest/gtest.h>
#include <transom/containers/list.h>
#include <transom/containers/shape.h>

#include <sstream>

#include "containers/test_objects.h"
#include "support/error_of.h"

namespace transom {
namespace {

using test::ReadAt;
using testing::ErrorOf;

TEST(Shape, Contract) {
  Shape shape = {1, 3, 224, 224};
  EXPECT_EQ(shape.size(), 4u);
  EXPECT_EQ(shape[2], 224);
  EXPECT_EQ(shape.Product(), 150528);
}

TEST(Shape, LayoutIsThatOfTheContract) {
  Shape shape = {5, 6};
  const char* handle = reinterpret_cast<const char*>(shape.get());
  EXPECT_EQ(ReadAt<int32_t>(shape, 8), kTVMFFIShape);
  EXPECT_EQ(ReadAt<const char*>(shape, 24), handle + 40);
  EXPECT_EQ(ReadAt<size_t>(shape, 32), 2u);
  EXPECT_EQ(ReadAt<int64_t>(shape, 48), 6);
}

TEST(Shape, IsEqualByContentAndPrints) {
  EXPECT_EQ((Shape{1, 2}), (Shape{1, 2}));
  EXPECT_NE((Shape{1, 2}), (Shape{1, 2, 3}));
  EXPECT_EQ(Shape(), Shape(std::vector<int64_t>{}));
  EXPECT_EQ((Shape{1, 2}.view()), ShapeView({1, 2}));
  std::ostringstream text;
  text << Shape{1, -2}.view() << Shape().view();
  EXPECT_EQ(text.str(), "[1, -2][]");
}

TEST(Shape, ComesFromArraysOfIntegers) {
  EXPECT_EQ(Any(Array<int64_t>{1, 2}).cast<Shape>(), (Shape{1, 2}));
  EXPECT_EQ(Any(List<int64_t>{}).cast<Shape>(), Shape());
  Any shape = Shape{3};
  EXPECT_EQ(shape.cast<Shape>().get(), shape.as<ShapeObj>());
  EXPECT_FALSE(Any(Array<Any>{1, 2.5}).try_cast<Shape>().has_value());
  EXPECT_FALSE(shape.try_cast<Array<int64_t>>().has_value());
}

TEST(Shape, WrongIndicesAndTooLargeProductsAreErrors) {
  Shape shape = {1, 2};
  EXPECT_EQ(ErrorOf([&] { shape[2]; }), "IndexError: Expected an index in [0, 2) but got 2");
  EXPECT_EQ((Shape{INT64_MAX, 2, 0}.Product()), 0);
  EXPECT_EQ(ErrorOf([] { Shape{INT64_MAX, 2}.Product(); }).substr(0, 13), "OverflowError");
  EXPECT_EQ(Shape().Product(), 1);
}

}  // namespace
}  // namespace transom
