#include <gtest/gtest.h>
#include <transom/containers/dict.h>
#include <transom/containers/map.h>
#include <transom/containers/shape.h>
#include <transom/graph/resolve_path.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "graph/path.h"
#include "graph/path_pattern.h"
#include "support/native_types.h"

namespace transom::graph {
namespace {

using testing::Const;
using testing::ErrorOf;
using testing::Var;

double NanOf(uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// Keys of every kind, no two of which have one text.
std::vector<Any> Keys() {
  using Limits = std::numeric_limits<double>;
  std::vector<Any> keys = {nullptr, true, false, 0, -1, int64_t{INT64_MIN}, 1, 0.1, 1.0, -0.0, 1e22, 1e300, 3.14159,
                           Limits::denorm_min(), Limits::max(), Limits::infinity(), -Limits::infinity(),
                           NanOf(0xfff8000000000001u)};
  for (const std::string text :
       {"", "a", "nan", "1", "True", "#0", "a]\"[", "x.y\\z", "*", "\xFF\xC3\xA9", "\n\t\x01", "a text on the heap"}) {
    keys.push_back(String(text));
    keys.push_back(Bytes(text));
  }
  keys.push_back(String(std::string("a\0b", 3)));
  keys.push_back(DataType::Int(8));
  keys.push_back(DataType(DLDataType{kDLFloat, 32, 4}));
  keys.push_back(Device(DLDevice{kDLCPU, 0}));
  keys.push_back(Device(DLDevice{static_cast<DLDeviceType>(99), 1}));
  keys.push_back(BigInt::FromDecimal("123456789012345678901234567890"));
  keys.push_back(Shape({1, 2}));
  keys.push_back(Array<Any>{1});
  keys.push_back(Const(1));
  keys.push_back(Var("x"));
  keys.push_back(Var("a\"]>\n"));
  keys.push_back(testing::AsRecords(Var("of a record")));
  return keys;
}

// The place of the entry that the text leads to.
int64_t PlaceOf(const Map<Any, Any>& map, const std::string& path) {
  return transom::ResolvePath(map, path).cast<int64_t>();
}

bool Matches(const std::string& path, const Any& key, int64_t place) {
  PlanTable plans;
  return MatchesEntry(ParsePathPattern(path, "path").steps.at(0), plans, *key.raw(), place);
}

TEST(PathText, LeadsBackToItsEntryForEveryKindOfKey) {
  const std::vector<Any> keys = Keys();
  Map<Any, Any> map;
  for (size_t i = 0; i < keys.size(); ++i) map = std::move(map).insert(keys[i], static_cast<int64_t>(i));
  ASSERT_EQ(map.size(), keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto place = static_cast<int64_t>(i);
    const Step step = Step::Key(*keys[i].raw(), place);
    for (const std::string& text : {PathText({step}, false), ToAccessPath({step})->ToString()}) {
      EXPECT_EQ(PlaceOf(map, text), place) << text;
      for (size_t j = 0; j < keys.size(); ++j)
        EXPECT_EQ(Matches(text, keys[j], static_cast<int64_t>(j)), i == j) << text << " " << j;
      const std::string missing = "<root>[<missing:" + text.substr(7, text.size() - 8) + ">]";
      EXPECT_TRUE(Matches(missing, keys[i], place)) << missing;
    }
  }
}

TEST(PathText, OfReportsAndOfAccessPathsIsOne) {
  for (const Any& key : Keys()) {
    const Step step = Step::Key(*key.raw(), -1);  // no place to say
    EXPECT_EQ(PathText({step}, false), ToAccessPath({step})->ToString());
  }
}

TEST(ResolvePath, ADataTypeWithoutATextIsFoundByItsPlace) {
  const Any dtype = DataType(DLDataType{120, 7, 3});
  EXPECT_EQ(PathText({Step::Key(*dtype.raw(), 1)}, false), "<root>[#1]");
  EXPECT_EQ(PlaceOf({{"a", 1}, {dtype, 2}}, "<root>[#1]"), 2);
}

TEST(ResolvePath, FloatsMayBeWrittenInAnyForm) {
  const Map<Any, Any> map{{0.1, 1}, {1000.0, 2}, {std::nan(""), 3}, {1000, 4}};
  EXPECT_EQ(PlaceOf(map, "[0.10000000000000001]"), 1);
  EXPECT_EQ(PlaceOf(map, "[1e3]"), 2);
  EXPECT_EQ(PlaceOf(map, "[NaN]"), 3);
  EXPECT_EQ(PlaceOf(map, "[1000]"), 4);
  EXPECT_TRUE(Matches("[1e3]", 1000.0, 0));
  EXPECT_FALSE(Matches("[1e3]", 1000, 0));
}

TEST(ResolvePath, AnEmptyTextIsNoLabel) {
  for (const Any& unlabelled : {Any(Const(1)), Any(Array<Any>{1}), Any(Var("")), Any(Bytes(std::string(""))),
                                Any(Shape({1})), Any(Bytes(std::string("long enough for the heap")))}) {
    EXPECT_EQ(PlaceOf({{unlabelled, 1}, {"", 2}}, "[\"\"]"), 2);
    EXPECT_FALSE(Matches("[\"\"]", unlabelled, 0));
    EXPECT_NE(ErrorOf([&] { transom::ResolvePath(Map<Any, Any>{{unlabelled, 1}}, "[\"\"]"); }).find("has no key `\"\"`"),
              std::string::npos);
  }
}

TEST(ResolvePath, AStringThatIsAKeyComesBeforeALabel) {
  const Any var = Var("k");
  EXPECT_EQ(PlaceOf({{var, 1}, {"k", 2}}, "[\"k\"]"), 2);
  EXPECT_EQ(PlaceOf({{"k", 2}, {var, 1}}, "[\"k\"]"), 2);
  EXPECT_EQ(PlaceOf({{"k", 2}, {var, 1}}, "[native.Var(\"k\")]"), 1);
  EXPECT_TRUE(Matches("[\"k\"]", var, 0)) << "a pattern matches both";
  EXPECT_TRUE(Matches("[\"k\"]", "k", 1));
}

TEST(ResolvePath, ATextOfSeveralKeysIsRefusedWithTheirPlaces) {
  const Map<Any, Any> map{{Var("k"), 1}, {"a", 2}, {Var("k"), 3}, {Array<Any>{}, 4}, {Array<Any>{}, 5}};
  EXPECT_EQ(ErrorOf([&] { transom::ResolvePath(map, "<root>[\"k\"]"); }),
            "ValueError: path \"<root>[\\\"k\\\"]\": at character 6, after `<root>`: `\"k\"` are 2 keys of the map; "
            "write the place of one: #0, #2");
  EXPECT_NE(ErrorOf([&] { transom::ResolvePath(map, "[ffi.Array]"); }).find("write the place of one: #3, #4"),
            std::string::npos);
  EXPECT_EQ(PlaceOf(map, "[#2]"), 3);
  Map<Any, Any> many;
  for (int i = 0; i < 10; ++i) many = std::move(many).insert(Var("k"), i);
  EXPECT_NE(ErrorOf([&] { transom::ResolvePath(many, "[\"k\"]"); }).find("are 10 keys of the map; write the place of one: #0, "
                                                              "#1, #2, #3, #4, #5, #6, #7, ..."),
            std::string::npos);
}

}  // namespace
}  // namespace transom::graph
