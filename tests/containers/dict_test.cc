#include <gtest/gtest.h>
#include <transom/containers/dict.h>
#include <transom/containers/map.h>

#include <random>
#include <vector>

#include "containers/colliding_keys.h"
#include "containers/map_model.h"
#include "containers/test_objects.h"
#include "support/error_of.h"

namespace transom {
namespace {

using test::CollidingKeys;
using test::Counted;
using test::CountedObj;
using test::MapModel;
using test::OnDeathObj;
using test::ReadAt;
using testing::ErrorOf;

TEST(Dict, Contract) {
  ObjectRef value = Counted(1);
  Dict<String, ObjectRef> dict;
  dict.set("key", value);
  EXPECT_EQ(dict.size(), 1);
  EXPECT_TRUE(dict["key"].same_as(value));
  EXPECT_TRUE(dict.erase("key"));
  EXPECT_FALSE(dict.erase("key"));
  EXPECT_EQ(dict.size(), 0);
  EXPECT_EQ(ErrorOf([&] { dict.at("key"); }), "KeyError: key is not in Map");
  EXPECT_FALSE(dict.get("key").has_value());
}

TEST(Dict, KeepsItsIdentityFromSmallToDense) {
  Dict<int64_t, int64_t> dict;
  Dict<int64_t, int64_t> same = dict;
  const DictObj* object = dict.get();
  EXPECT_EQ(ReadAt<int32_t>(dict, 8), kTVMFFIDict);
  EXPECT_EQ(ReadAt<const char*>(dict, 24), reinterpret_cast<const char*>(object) + 56);
  EXPECT_EQ(ReadAt<void*>(dict, 48), nullptr);
  for (int64_t i = 0; i < 3; ++i) dict.set(i, i);
  EXPECT_EQ(ReadAt<uint64_t>(dict, 40), 4 | uint64_t{1} << 63);
  EXPECT_NE(ReadAt<void*>(dict, 48), nullptr) << "pairs outside the object have a deleter";
  for (int64_t i = 3; i < 100; ++i) dict.set(i, i);
  EXPECT_EQ(dict.get(), object);
  EXPECT_EQ(same.size(), 100);
  EXPECT_EQ(ReadAt<uint64_t>(dict, 40), 128u);
  for (int64_t i = 0; i < 100; ++i) ASSERT_EQ(same[i], i);
}

TEST(Dict, ClearKeepsSlotsAndLayout) {
  for (int64_t count : {2, 50}) {
    Dict<int64_t, int64_t> dict;
    for (int64_t i = 0; i < count; ++i) dict.set(i, i);
    auto slots = ReadAt<uint64_t>(dict, 40);
    dict.clear();
    EXPECT_TRUE(dict.empty());
    EXPECT_EQ(ReadAt<uint64_t>(dict, 40), slots);
    EXPECT_EQ(dict.begin(), dict.end());
    EXPECT_FALSE(dict.contains(1));
    dict.set(1, 5);
    EXPECT_EQ(dict[1], 5);
  }
}

/* A dict whose storage another library moved away has no slots; it is used on as an empty one. */
TEST(Dict, OneWithoutStorageIsEmptyAndCanBeFilled) {
  Dict<int64_t, int64_t> dict;
  uint64_t words[4] = {0, 0, 0, 0};
  std::memcpy(reinterpret_cast<char*>(detail::ObjectAccess::Header(dict)) + 24, words, sizeof(words));
  EXPECT_EQ(dict.begin(), dict.end());
  EXPECT_FALSE(dict.contains(1));
  EXPECT_FALSE(dict.erase(1));
  dict.clear();
  dict.set(1, 2);
  EXPECT_EQ(dict[1], 2);
}

TEST(Dict, EveryReferenceIsGivenBack) {
  ASSERT_EQ(CountedObj::live, 0);
  for (int64_t count : {1, 4, 5, 100}) {
    Dict<int64_t, Counted> dict;
    for (int64_t i = 0; i < count; ++i) dict.set(i, Counted(i));
    for (int64_t i = 0; i < count; i += 2) dict.set(i, Counted(i));
    EXPECT_EQ(CountedObj::live, count);
    for (int64_t i = 1; i < count; i += 2) dict.erase(i);
    EXPECT_EQ(CountedObj::live, (count + 1) / 2);
    dict.clear();
    EXPECT_EQ(CountedObj::live, 0);
    dict.set(1, Counted(1));
  }
  EXPECT_EQ(CountedObj::live, 0);
}

TEST(Dict, ADestructorMayLookAtTheDict) {
  for (int64_t others : {1, 20}) {
    Dict<int64_t, Any> dict;
    for (int64_t i = 0; i < others; ++i) dict.set(i, i);
    int64_t seen = -1;
    auto looker = [&] {
      return make_object<OnDeathObj>([&] {
        seen = dict.size();
        for (auto [key, value] : dict) EXPECT_TRUE(dict.contains(key));
      });
    };
    dict.set(-1, looker());
    dict.erase(-1);
    EXPECT_EQ(seen, others);
    dict.set(-1, looker());
    dict.set(-1, 5);
    EXPECT_EQ(seen, others + 1);
    dict.set(0, looker());
    dict.clear();
    EXPECT_EQ(seen, 0);
  }
}

TEST(Dict, MayHoldItself) {
  Dict<Any, Any> dict;
  dict.set("self", dict);
  dict.set(dict, 1);
  EXPECT_EQ(dict[dict].cast<int64_t>(), 1);
  EXPECT_TRUE(dict["self"].cast<Dict<>>().same_as(dict));
  dict.clear();
}

TEST(Dict, ConvertsWhereAllEntriesDo) {
  Any ints = Dict<String, int64_t>{{"a", 1}};
  EXPECT_EQ((ints.cast<Dict<String, int64_t>>().get()), ints.as<DictObj>()) << "the same dict";
  EXPECT_EQ((ints.cast<Dict<String, double>>()["a"]), 1.0);
  EXPECT_EQ((Any(Map<String, int64_t>{{"a", 1}}).cast<Dict<String, int64_t>>()["a"]), 1);
  EXPECT_FALSE((ints.try_cast<Dict<String, String>>().has_value()));
}

TEST(Dict, RandomChangesAgreeWithAModel) {
  std::mt19937_64 random(99);
  for (int64_t key_space : {3, 5, 12, 60, 5000}) {
    Dict<int64_t, int64_t> dict;
    const DictObj* object = dict.get();
    MapModel model(dict);
    int steps = key_space > 1000 ? 20000 : 4000;
    for (int step = 0; step < steps; ++step) {
      auto key = static_cast<int64_t>(random() % static_cast<uint64_t>(key_space)) << 20;
      auto choice = random() % 400;
      if (choice == 0 && key_space < 1000) {
        model.Clear();
        dict.clear();
      } else if (choice < 240) {
        model.Insert(key, step, ReadAt<uint64_t>(dict, 40));
        dict.set(key, step);
      } else {
        model.Erase(key);
        dict.erase(key);
      }
      ASSERT_EQ(dict.size(), static_cast<int64_t>(model.size()));
      if (step % 97 == 0) model.ExpectSame(dict);
    }
    model.ExpectSame(dict);
    EXPECT_EQ(dict.get(), object);
  }
}

/* Homes in a few places only: chains, evictions of their parts and erasures in their middle. */
TEST(Dict, ClusteredKeysAgreeWithAModel) {
  std::mt19937_64 random(5);
  Dict<int64_t, int64_t> dict;
  MapModel model(dict);
  for (int step = 0; step < 30000; ++step) {
    uint64_t home = (random() % 16) << 54;  // Neighbouring slots in tables of up to 1024.
    int64_t key = test::IntWithScatteredHash(home | (random() % 40));
    if (random() % 2 == 0) {
      model.Insert(key, step, ReadAt<uint64_t>(dict, 40));
      dict.set(key, step);
    } else {
      model.Erase(key);
      dict.erase(key);
    }
    if (step % 501 == 0) model.ExpectSame(dict);
  }
  model.ExpectSame(dict);
}

TEST(Dict, TooManyCollidingKeysAreAnErrorThatChangesNothing) {
  CollidingKeys keys;
  Dict<String, int64_t> dict;
  std::string error = "no error";
  int64_t count = 0;
  while (error == "no error" && count < 100000) {
    error = ErrorOf([&] { dict.set(keys.Next(), count); });
    if (error == "no error") ++count;
  }
  EXPECT_EQ(error.substr(0, 10), "ValueError");
  EXPECT_EQ(dict.size(), count);
  CollidingKeys again;
  for (int64_t i = 0; i < count; ++i) ASSERT_EQ(dict[again.Next()], i);
}

}  // namespace
}  // namespace transom
