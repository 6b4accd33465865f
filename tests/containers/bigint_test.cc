#include <gtest/gtest.h>
#include <transom/containers/bigint.h>
#include <transom/containers/map.h>
#include <transom/runtime/any_hash.h>

#include <random>
#include <string>

#include "containers/test_objects.h"
#include "support/error_of.h"

namespace transom {
namespace {

using test::ReadAt;
using testing::ErrorOf;

TEST(BigInt, ValuesThatFitArePlainIntegers) {
  for (int64_t value : {int64_t{0}, int64_t{1}, int64_t{-1}, INT64_MAX, INT64_MIN, int64_t{1000000000}}) {
    Any any = BigInt::FromDecimal(std::to_string(value));
    EXPECT_EQ(any.type_index(), kTVMFFIInt);
    EXPECT_EQ(any.cast<int64_t>(), value);
    EXPECT_EQ(BigInt::ToDecimal(any), std::to_string(value));
  }
}

TEST(BigInt, LayoutIsThatOfTheContract) {
  BigInt value = BigInt::FromDecimal("9223372036854775808").cast<BigInt>();  // 2^63
  EXPECT_EQ(ReadAt<int32_t>(value, 8), kTVMFFIBigInt);
  EXPECT_EQ(ReadAt<uint64_t>(value, 24), 2u);
  EXPECT_EQ(ReadAt<int64_t>(value, 32), INT64_MIN);
  EXPECT_EQ(ReadAt<int64_t>(value, 40), 0);
  BigInt negative = BigInt::FromDecimal("-18446744073709551617").cast<BigInt>();  // -2^64 - 1
  EXPECT_EQ(ReadAt<uint64_t>(negative, 24), 2u);
  EXPECT_EQ(ReadAt<int64_t>(negative, 32), -1);
  EXPECT_EQ(ReadAt<int64_t>(negative, 40), -2);
}

TEST(BigInt, IsAKeyByItsValue) {
  const Any key = BigInt::FromDecimal("9223372036854775808"), same = BigInt::FromDecimal("9223372036854775808");
  ASSERT_NE(key.as<Object>(), same.as<Object>());
  EXPECT_EQ(AnyHash()(key), AnyHash()(same));
  EXPECT_TRUE(AnyEqual()(key, same));
  EXPECT_FALSE(AnyEqual()(key, BigInt::FromDecimal("9223372036854775809")));
  const Map<Any, int> map = {{key, 1}};
  EXPECT_EQ(map.at(same), 1);
  EXPECT_FALSE(map.contains(BigInt::FromDecimal("-9223372036854775809")));
}

TEST(BigInt, KnownValuesRoundTrip) {
  for (const char* text :
       {"9223372036854775808", "-9223372036854775809", "18446744073709551616", "-18446744073709551616",
        "170141183460469231731687303715884105728", "-170141183460469231731687303715884105728",
        "1000000000000000000000000000000000000000000000000000000000000",
        "-99999999999999999999999999999999999999999"}) {
    Any value = BigInt::FromDecimal(text);
    EXPECT_EQ(value.type_index(), kTVMFFIBigInt) << text;
    EXPECT_EQ(BigInt::ToDecimal(value), text);
  }
}

TEST(BigInt, OnlyCanonicalTextIsRead) {
  for (const char* text : {"", "-", "-0", "00", "01", "-01", "+1", " 1", "1 ", "1.0", "1e3", "0x10", "1_000", "--1",
                           "9223372036854775808x", "\xD9\xA1"}) {
    EXPECT_FALSE(BigInt::TryFromDecimal(text).has_value()) << text;
  }
  std::string error = ErrorOf([] { BigInt::FromDecimal("012"); });
  EXPECT_EQ(error.substr(0, 10), "ValueError");
  EXPECT_NE(error.find("`012`"), std::string::npos);
  EXPECT_FALSE(BigInt::TryFromDecimal(std::string_view("1\0", 2)).has_value());
}

TEST(BigInt, RandomTextsOfAllLengthsRoundTrip) {
  std::mt19937 random(3);
  for (size_t length = 1; length < 20000; length += 1 + length / 7) {
    for (int sign = 0; sign < 2; ++sign) {
      std::string text = sign != 0 ? "-" : "";
      text += static_cast<char>('1' + random() % 9);
      while (text.size() < length + static_cast<size_t>(sign)) text += static_cast<char>('0' + random() % 10);
      ASSERT_EQ(BigInt::ToDecimal(BigInt::FromDecimal(text)), text);
    }
  }
  std::string nines(5000, '9');
  EXPECT_EQ(BigInt::ToDecimal(BigInt::FromDecimal(nines)), nines);
  std::string round = "1" + std::string(5000, '0');
  EXPECT_EQ(BigInt::ToDecimal(BigInt::FromDecimal(round)), round);
}

/* The residue of the value modulo a prime, once from the digits and once from the words. */
TEST(BigInt, LongValuesHaveTheRightWords) {
  constexpr uint64_t kModulus = 4294967291;  // a prime below 2^32
  std::string text(3000, '7');
  uint64_t expected = 0;
  for (char c : text) expected = (expected * 10 + static_cast<uint64_t>(c - '0')) % kModulus;
  Any value = BigInt::FromDecimal(text);
  const auto* object = value.as<BigIntObj>();
  ASSERT_NE(object, nullptr);
  uint64_t residue = 0;
  for (uint64_t i = object->num_words; i > 0; --i) {
    auto word = static_cast<uint64_t>(object->words()[i - 1]);
    residue = ((residue << 32) + (word >> 32)) % kModulus;
    residue = ((residue << 32) + (word & 0xFFFFFFFF)) % kModulus;
  }
  EXPECT_EQ(residue, expected);
}

TEST(BigInt, TextIsReadAndWrittenUpToALimit) {
  std::string longest(BigInt::kMaxDecimalDigits, '9');
  Any value = BigInt::FromDecimal("-" + longest);
  EXPECT_EQ(BigInt::ToDecimal(value), "-" + longest);
  EXPECT_FALSE(BigInt::TryFromDecimal(longest + "9").has_value());
  std::vector<int64_t> words(60000, 1);
  TVMFFIByteArray bytes{reinterpret_cast<const char*>(words.data()), words.size() * 8};
  TVMFFIAny raw;
  ASSERT_EQ(TVMFFIBigIntFromByteArray(&bytes, &raw), 0);
  Any larger = Any::FromOwned(raw);
  EXPECT_EQ(ErrorOf([&] { BigInt::ToDecimal(larger); }).substr(0, 10), "ValueError");
}

TEST(BigInt, ComparesByValue) {
  const char* sorted[] = {
      "-36893488147419103232", "-18446744073709551617", "-9223372036854775809", "-5", "0", "5", "9223372036854775807",
      "9223372036854775808",   "18446744073709551616",  "36893488147419103232"};
  for (size_t i = 0; i < std::size(sorted); ++i) {
    for (size_t j = 0; j < std::size(sorted); ++j) {
      int order = BigInt::Compare(BigInt::FromDecimal(sorted[i]), BigInt::FromDecimal(sorted[j]));
      EXPECT_EQ(order, i < j ? -1 : i == j ? 0 : 1) << sorted[i] << " and " << sorted[j];
    }
  }
  EXPECT_EQ(ErrorOf([] { BigInt::Compare(1, 1.5); }).substr(0, 9), "TypeError");
  EXPECT_EQ(ErrorOf([] { BigInt::ToDecimal("1"); }).substr(0, 9), "TypeError");
}

TEST(BigInt, WordsGoInAndOut) {
  const int64_t words[] = {5, -1, -1, -1};
  Any value = BigInt::FromWords(words, 2);
  EXPECT_EQ(value.type_index(), kTVMFFIBigInt);
  EXPECT_EQ(BigInt::ToWords(value), (std::vector<int64_t>{5, -1}));
  EXPECT_EQ(BigInt::ToDecimal(value), "-18446744073709551611");
  EXPECT_EQ(BigInt::Compare(BigInt::FromWords(words, 4), value), 0);  // words that repeat the sign
  EXPECT_EQ(BigInt::FromWords(words, 1).as<int64_t>()[0], 5);
  EXPECT_EQ(BigInt::FromWords(nullptr, 0).cast<int>(), 0);
  EXPECT_EQ(BigInt::ToWords(-7), (std::vector<int64_t>{-7}));
  EXPECT_EQ(ErrorOf([] { BigInt::ToWords(1.5); }), "TypeError: Expected an `int` or `ffi.BigInt` but got `float`");
}

}  // namespace
}  // namespace transom
