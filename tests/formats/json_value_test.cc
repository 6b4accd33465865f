#include "formats/nodes/json_value.h"

#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/map.h>
#include <transom/containers/string.h>

#include <cmath>
#include <string>

#include "support/native_types.h"

namespace transom::formats {
namespace {

using testing::ErrorOf;

TEST(ParseJsonValue, Scalars) {
  EXPECT_EQ(ParseJsonValue("null"), nullptr);
  EXPECT_EQ(ParseJsonValue(" true ").cast<bool>(), true);
  EXPECT_EQ(ParseJsonValue("-9223372036854775808").cast<int64_t>(), INT64_MIN);
  EXPECT_EQ(ParseJsonValue("1").type_index(), kTVMFFIInt);
  EXPECT_EQ(ParseJsonValue("1.0").type_index(), kTVMFFIFloat);
  EXPECT_EQ(ParseJsonValue("1e3").cast<double>(), 1000.0);
  EXPECT_TRUE(std::signbit(ParseJsonValue("-0.0").cast<double>()));
  EXPECT_EQ(ParseJsonValue(R"("a\u0000\n\u00e9")").cast<std::string>(), std::string("a\0\n\xC3\xA9", 5));
}

TEST(ParseJsonValue, ContainersKeepTheirOrder) {
  const Map<String, Any> map = ParseJsonValue(R"({"z":[1,[],{}],"a":{"b":null},"":2})").cast<Map<String, Any>>();
  std::string keys;
  for (const auto& [key, value] : map) keys += std::string(key) + ",";
  EXPECT_EQ(keys, "z,a,,");
  const Array<Any> items = map.at("z").cast<Array<Any>>();
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[0].cast<int>(), 1);
  EXPECT_EQ(items[1].type_index(), kTVMFFIArray);
  EXPECT_EQ(items[2].type_index(), kTVMFFIMap);
  EXPECT_EQ((map.at("a").cast<Map<String, Any>>().at("b")), nullptr);
}

TEST(ParseJsonValue, MalformedTextIsAnError) {
  for (const char* text : {"", " ", "[1,]", "{\"a\":1,}", "{a:1}", "[1] 2", "'x'", "01", "+1", ".5", "1.",
                           "\"\\ud800\"", "\"\t\"", "nul", "{\"a\":1,\"a\":2}"}) {
    EXPECT_EQ(ErrorOf([&] { ParseJsonValue(text); }).substr(0, 12), "ValueError: ") << text;
  }
}

TEST(ParseJsonValue, IntegersBeyond64BitsAreErrors) {
  for (const char* text : {"9223372036854775808", "-9223372036854775809", "[1,{\"a\":18446744073709551617}]",
                           "[\"\\\"1\", 99999999999999999999999]"}) {
    EXPECT_NE(ErrorOf([&] { ParseJsonValue(text); }).find("an integer beyond 64 bits"), std::string::npos) << text;
  }
  for (const char* text : {"9223372036854775807", "-9223372036854775808", "1e30", "99999999999999999999999.0",
                           "\"99999999999999999999999\"", "[\"a\\\\\",-0,0]"}) {
    EXPECT_NO_THROW(ParseJsonValue(text)) << text;
  }
}

TEST(ParseJsonValue, DepthIsNoTrouble) {
  constexpr int kDepth = 200000;
  std::string text(kDepth, '[');
  text.append(kDepth, ']');
  Any value = ParseJsonValue(text);
  int depth = 1;
  while (value.cast<Array<Any>>().size() == 1) {
    value = Any(value.cast<Array<Any>>()[0]);
    ++depth;
  }
  EXPECT_EQ(depth, kDepth);
}

}  // namespace
}  // namespace transom::formats
