#include <gtest/gtest.h>
#include <transom/containers/string.h>
#include <transom/runtime/any.h>
#include <transom/runtime/error.h>

#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "support/error_of.h"

namespace ffi = transom;

namespace transom {
namespace {

using testing::ErrorOf;

class NumberObj : public Object {
 public:
  explicit NumberObj(int64_t number = 0) : value(number) {}
  int64_t value;
  TRANSOM_DECLARE_OBJECT_INFO("test.any.Number", NumberObj, Object);
};
class Number : public ObjectRef {
 public:
  explicit Number(int64_t value) : Number(make_object<NumberObj>(value)) {}
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NULLABLE(Number, ObjectRef, NumberObj);
};
class ExactNumber : public ObjectRef {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(ExactNumber, ObjectRef, NumberObj);
};
enum class Color : uint8_t { kRed = 1, kBlue = 200 };

TEST(Any, RawWordsOfPlainValues) {
  auto expect = [](const Any& value, int32_t type_index, uint64_t payload) {
    EXPECT_EQ(value.raw()->type_index, type_index);
    EXPECT_EQ(value.raw()->zero_padding, 0u);
    EXPECT_EQ(value.raw()->v_uint64, payload);
  };
  expect(Any(), kTVMFFINone, 0);
  expect(nullptr, kTVMFFINone, 0);
  expect(-1, kTVMFFIInt, ~uint64_t{0});
  expect(true, kTVMFFIBool, 1);
  expect(1.0, kTVMFFIFloat, 0x3ff0000000000000);
  expect(1.0f, kTVMFFIFloat, 0x3ff0000000000000);
  expect(static_cast<void*>(nullptr), kTVMFFIOpaquePtr, 0);
  expect(DataType::Float(32, 4), kTVMFFIDataType, 0x00042002);
  expect(Device(2, 3), kTVMFFIDevice, 0x0000000300000002);
  expect(Color::kBlue, kTVMFFIInt, 200);
  expect(Number(), kTVMFFINone, 0);
  expect(std::optional<int>(), kTVMFFINone, 0);
  expect(std::optional<int>(3), kTVMFFIInt, 3);
  expect(std::numeric_limits<uint64_t>::max() / 2, kTVMFFIInt, INT64_MAX);
  expect('a', kTVMFFIInt, 97);
}

TEST(Any, UnsignedAboveInt64IsAnOverflowError) {
  uint64_t large = uint64_t{1} << 63;
  EXPECT_EQ(ErrorOf([&] { Any{large}; }), "OverflowError: Integer 9223372036854775808 is above the largest int64");
  EXPECT_EQ(ErrorOf([&] { AnyView{large}; }), "OverflowError: Integer 9223372036854775808 is above the largest int64");
}

TEST(Any, OwnsObjectsAndTextOfViews) {
  Number number(5);
  AnyView view = number;
  EXPECT_EQ(number.use_count(), 1u);
  Any owned = view;
  EXPECT_EQ(number.use_count(), 2u);
  {
    Any copy = owned;
    EXPECT_EQ(number.use_count(), 3u);
  }
  Any moved = std::move(owned);
  EXPECT_EQ(owned.type_index(), kTVMFFINone);  // NOLINT: moved-from values are None
  EXPECT_EQ(number.use_count(), 2u);
  moved.reset();
  EXPECT_EQ(number.use_count(), 1u);

  std::string text = "text that does not fit inside";
  Any string = AnyView(text);
  text[0] = 'X';
  EXPECT_EQ(string.type_index(), kTVMFFIStr);
  EXPECT_EQ(string.cast<std::string>(), "text that does not fit inside");
  Any small = AnyView("short");
  EXPECT_EQ(small.type_index(), kTVMFFISmallStr);
  TVMFFIByteArray bytes{"\0ab", 3};
  Any owned_bytes = AnyView(&bytes);
  EXPECT_EQ(owned_bytes.type_index(), kTVMFFISmallBytes);
}

TEST(Any, TakesAnRValueReference) {
  Number number(5);
  TVMFFIObject* location = detail::ObjectAccess::Release(&number);
  TVMFFIAny raw{};
  raw.type_index = kTVMFFIObjectRValueRef;
  raw.v_ptr = &location;
  Any taken = AnyView::FromRaw(raw);
  EXPECT_EQ(location, nullptr);
  EXPECT_EQ(taken.as<NumberObj>()->value, 5);
  EXPECT_EQ(taken.cast<Number>().use_count(), 2u);
  EXPECT_THROW(Any(AnyView::FromRaw(raw)), Error);
}

TEST(Any, ConversionsOfNumbers) {
  EXPECT_EQ(Any(true).cast<int>(), 1);
  EXPECT_EQ(Any(true).cast<double>(), 1.0);
  EXPECT_EQ(Any(0).cast<bool>(), false);
  EXPECT_EQ(Any(300).cast<uint8_t>(), 44);
  EXPECT_EQ(Any(200).cast<Color>(), Color::kBlue);
  EXPECT_FALSE(Any(1.0).try_cast<bool>().has_value());
  EXPECT_EQ(Any(nullptr).cast<void*>(), nullptr);
  EXPECT_FALSE(Any(0).try_cast<void*>().has_value());
  EXPECT_EQ(Any(nullptr).cast<std::optional<int>>(), std::nullopt);
  EXPECT_EQ(Any(4).cast<std::optional<int>>(), 4);
  EXPECT_FALSE(Any("x").try_cast<std::optional<int>>().has_value());
}

TEST(Any, ConversionsOfText) {
  EXPECT_EQ(Any("abc").cast<String>(), "abc");
  EXPECT_EQ(AnyView("abc").cast<String>(), "abc");
  EXPECT_STREQ(AnyView("abc").cast<const char*>(), "abc");
  EXPECT_EQ(Any(Bytes("a\0b", 3)).cast<std::string>(), std::string("a\0b", 3));
  EXPECT_FALSE(Any(Bytes("abc", 3)).try_cast<String>().has_value());
  EXPECT_FALSE(Any("abc").try_cast<Bytes>().has_value());
  EXPECT_EQ(Any("float32x4").cast<DataType>(), DataType::Float(32, 4));
  EXPECT_EQ(Any("cuda:2").cast<Device>(), Device(2, 2));
  EXPECT_EQ(ErrorOf([] { Any("no type").cast<DataType>(); }).substr(0, 12), "ValueError: ");
}

TEST(Any, EmbeddedNulIsNeverCut) {
  std::string small("a\0b", 3);
  EXPECT_EQ(Any(AnyView(small)).cast<std::string>(), small);
  std::string large("0123456789\0abc", 14);
  EXPECT_EQ(Any(large).cast<std::string>(), large);
  EXPECT_EQ(ErrorOf([&] { AnyView{large}; }),
            "ValueError: A std::string with an embedded NUL cannot be borrowed; pass it as a transom::String");
}

TEST(Any, FailedCastNamesBothTypes) {
  EXPECT_EQ(ErrorOf([] { Any("hello").cast<int>(); }), "TypeError: Cannot convert from type `ffi.SmallStr` to `int`");
  EXPECT_EQ(ErrorOf([] { AnyView("hello").cast<double>(); }),
            "TypeError: Cannot convert from type `const char*` to `float`");
  EXPECT_EQ(ErrorOf([] { Any(1).cast<Number>(); }), "TypeError: Cannot convert from type `int` to `test.any.Number`");
  EXPECT_EQ(ErrorOf([] { Any(Number(1)).cast<String>(); }),
            "TypeError: Cannot convert from type `test.any.Number` to `str`");
  EXPECT_EQ(ErrorOf([] { Any(1.5).cast<std::optional<int>>(); }),
            "TypeError: Cannot convert from type `float` to `Optional<int>`");
  EXPECT_EQ(ErrorOf([] { Any().cast<ExactNumber>(); }),
            "TypeError: Cannot convert from type `None` to `test.any.Number`");
}

TEST(Any, References) {
  Any value = Number(7);
  EXPECT_EQ(value.cast<Number>()->value, 7);
  EXPECT_EQ(value.cast<ObjectRef>().type_index(), NumberObj::RuntimeTypeIndex());
  EXPECT_EQ(value.cast<ObjectPtr<NumberObj>>()->value, 7);
  EXPECT_EQ(value.cast<const NumberObj*>()->value, 7);
  EXPECT_EQ(value.cast<ExactNumber>()->value, 7);
  EXPECT_FALSE(Any().cast<Number>().defined());
  EXPECT_EQ(value.as<Number>()->get()->value, 7);
  EXPECT_EQ(value.as<NumberObj>()->value, 7);
  EXPECT_EQ(value.as<ErrorObj>(), nullptr);
  EXPECT_EQ(value.as<String>(), nullptr);
}

TEST(Any, MovesOutWhereTheTypeMatches) {
  Any value = Number(7);
  Number number = std::move(value).cast<Number>();
  EXPECT_EQ(number.use_count(), 1u);
  EXPECT_EQ(value.type_index(), kTVMFFINone);  // NOLINT
  Any text = "a string that is long";
  String string = std::move(text).cast<String>();
  EXPECT_EQ(string, "a string that is long");
}

TEST(Any, AsPointsIntoTheValue) {
  Any flag = true;
  ASSERT_NE(flag.as<bool>(), nullptr);
  EXPECT_TRUE(*flag.as<bool>());
  EXPECT_EQ(flag.as<int64_t>(), nullptr);
  Any text = "abc";
  ASSERT_NE(text.as<String>(), nullptr);
  EXPECT_EQ(*text.as<String>(), "abc");
  EXPECT_EQ(*Any(DataType::Int(8)).as<DataType>(), DataType::Int(8));
  EXPECT_EQ(*Any(Device(1, 2)).as<Device>(), Device(1, 2));
}

TEST(Any, ReleaseAndFromOwnedPassOwnership) {
  Number number(1);
  Any value = number;
  TVMFFIAny raw = value.Release();
  EXPECT_EQ(value.type_index(), kTVMFFINone);
  EXPECT_EQ(number.use_count(), 2u);
  { Any back = Any::FromOwned(raw); }
  EXPECT_EQ(number.use_count(), 1u);
}

TEST(Any, SameAsComparesBits) {
  EXPECT_TRUE(Any(1).same_as(Any(1)));
  EXPECT_FALSE(Any(1).same_as(Any(true)));
  EXPECT_TRUE(Any("abc").same_as(Any("abc")));
  EXPECT_FALSE(Any(Number(1)).same_as(Any(Number(1))));
  EXPECT_TRUE(Any() == nullptr);
  EXPECT_TRUE(Any(0) != nullptr);
}

TEST(Any, AssignmentFromItselfKeepsTheValue) {
  Any value = Number(3);
  Any& alias = value;
  value = alias;
  EXPECT_EQ(value.as<NumberObj>()->value, 3);
  value = AnyView(value);
  EXPECT_EQ(value.cast<Number>().use_count(), 2u);
}

}  // namespace
}  // namespace transom
