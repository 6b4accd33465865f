#include <gtest/gtest.h>
#include <transom/containers/dict.h>
#include <transom/containers/map.h>

#include <map>
#include <random>
#include <string>
#include <unordered_map>
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
using test::ReadAt;
using testing::ErrorOf;

constexpr uint64_t kSmallBit = uint64_t{1} << 63;

Map<int64_t, int64_t> Range(int64_t count) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (int64_t i = 0; i < count; ++i) pairs.emplace_back(i, 10 * i);
  return Map<int64_t, int64_t>(pairs.begin(), pairs.end());
}

TEST(Map, Contract) {
  ObjectRef value = Counted(1);
  Map<String, ObjectRef> map;
  auto map2 = map.insert("key", value);
  EXPECT_TRUE(map.empty());
  Optional<ObjectRef> got = map2.get("key");
  ASSERT_TRUE(got.has_value());
  EXPECT_TRUE((*got).same_as(value));
  EXPECT_FALSE(map2.get("other").has_value());
  EXPECT_EQ(map2.count("key"), 1);
  EXPECT_EQ(map2.count("other"), 0);
  EXPECT_TRUE(map2["key"].same_as(value));
  EXPECT_EQ(ErrorOf([&] { map2.at("other"); }), "KeyError: key is not in Map");
}

TEST(Map, SmallLayoutIsThatOfTheContract) {
  Map<int64_t, int64_t> map = Range(3);
  const char* handle = reinterpret_cast<const char*>(map.get());
  EXPECT_EQ(ReadAt<int32_t>(map, 8), kTVMFFIMap);
  EXPECT_EQ(ReadAt<const char*>(map, 24), handle + 56);
  EXPECT_EQ(ReadAt<uint64_t>(map, 32), 3u);
  EXPECT_EQ(ReadAt<uint64_t>(map, 40), 3 | kSmallBit);
  EXPECT_EQ(ReadAt<void*>(map, 48), nullptr);
  EXPECT_EQ(ReadAt<int64_t>(map, 56 + 32 + 8), 1);
  EXPECT_EQ(ReadAt<int64_t>(map, 56 + 32 + 24), 10);
  EXPECT_EQ(ReadAt<uint64_t>(Map<Any, Any>(), 40), 2 | kSmallBit);
  EXPECT_EQ(ReadAt<uint64_t>(Range(1), 40), 2 | kSmallBit);
}

TEST(Map, SizesOfTablesAreThoseOfTheContract) {
  for (auto [count, slots] :
       std::vector<std::pair<int64_t, uint64_t>>{{4, 8}, {5, 16}, {7, 16}, {8, 16}, {1000, 2048}}) {
    EXPECT_EQ(ReadAt<uint64_t>(Range(count), 40), slots) << count << " entries";
  }
  Map<int64_t, int64_t> map;
  std::vector<uint64_t> slots;
  for (int64_t i = 0; i < 9; ++i) {
    map = std::move(map).insert(i, i);
    slots.push_back(ReadAt<uint64_t>(map, 40));
  }
  EXPECT_EQ(slots,
            (std::vector<uint64_t>{2 | kSmallBit, 2 | kSmallBit, 4 | kSmallBit, 4 | kSmallBit, 8, 8, 8, 16, 16}));
}

TEST(Map, DenseLayoutIsThatOfTheContract) {
  Map<int64_t, int64_t> map = Range(5);
  EXPECT_EQ(ReadAt<uint64_t>(map, 32), 5u);
  EXPECT_EQ(ReadAt<uint64_t>(map, 40), 16u);
  EXPECT_NE(ReadAt<void*>(map, 48), nullptr);
  EXPECT_EQ(ReadAt<uint32_t>(map, 56), 60u);
  const auto* block = ReadAt<const unsigned char*>(map, 24);
  uint64_t slot = ReadAt<uint64_t>(map, 64);
  for (int64_t i = 0; i < 5; ++i) {
    ASSERT_LT(slot, 16u);
    uint64_t hash = AnyHash()(Any(i));
    EXPECT_EQ(slot, (hash * 11400714819323198485ULL) >> 60) << "no collisions among these keys";
    EXPECT_EQ(block[slot], 0) << "a head without followers";
    uint64_t words[6];
    std::memcpy(words, block + 16 + 48 * slot, sizeof(words));
    EXPECT_EQ(words[1], static_cast<uint64_t>(i));
    EXPECT_EQ(words[3], static_cast<uint64_t>(10 * i));
    if (i == 4) {
      EXPECT_EQ(ReadAt<uint64_t>(map, 72), slot);
    }
    slot = words[5];
  }
  EXPECT_EQ(slot, ~uint64_t{0});
}

TEST(Map, JumpDistancesAreThoseOfTheContract) {
  for (uint64_t k = 16, t = 6; k <= 82; ++k, ++t) EXPECT_EQ(detail::kJumpDistances[k], t * (t + 1) / 2);
  EXPECT_EQ(detail::kJumpDistances[15], 15u);
  EXPECT_EQ(detail::kJumpDistances[83], 8515u);
  EXPECT_EQ(detail::kJumpDistances[125], 5209859154120846435u);
}

TEST(Map, ChangingALvalueLeavesItAsItWas) {
  for (int64_t count : {0, 1, 3, 4, 5, 50}) {
    const Map<int64_t, int64_t> map = Range(count);
    MapModel before(map);
    Map<int64_t, int64_t> more = map.insert(1000, 1);
    EXPECT_EQ(more.size(), count + 1);
    EXPECT_EQ(more.erase(1000).size(), count);
    EXPECT_EQ(map.set(0, 77)[0], 77);
    EXPECT_TRUE(map.erase(1000).same_as(map)) << "nothing to erase, nothing to copy";
    EXPECT_TRUE(map.clear().empty());
    before.ExpectSame(map);
  }
}

TEST(Map, AnOnlyOwnerIsChangedInPlace) {
  Map<int64_t, int64_t> map = Range(10);
  const MapObj* object = map.get();
  map = std::move(map).insert(10, 1);
  map = std::move(map).set(3, 1);
  map = std::move(map).erase(5);
  EXPECT_EQ(map.get(), object);
  Map<int64_t, int64_t> shared = map;
  map = std::move(map).erase(6);
  EXPECT_NE(map.get(), object);
  EXPECT_EQ(shared.count(6), 1);
}

TEST(Map, OverwritingKeepsThePlaceInSmallMapsAndMovesToTheEndInLargeOnes) {
  auto keys = [](const Map<int64_t, int64_t>& map) {
    std::vector<int64_t> result;
    for (auto [key, value] : map) result.push_back(key);
    return result;
  };
  EXPECT_EQ(keys(Range(3).insert(0, 5)), (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(keys(Range(5).insert(0, 5)), (std::vector<int64_t>{1, 2, 3, 4, 0}));
  Map<int64_t, int64_t> four = {{0, 0}, {1, 1}, {2, 2}};
  four = std::move(four).insert(3, 3);
  EXPECT_EQ(ReadAt<uint64_t>(four, 40), 4 | kSmallBit);
  EXPECT_EQ(keys(four.insert(0, 5)), (std::vector<int64_t>{1, 2, 3, 0})) << "full: becomes a table before the look";
  Any twice[] = {1, "a", 2, "b", 1, "c"};
  Map<int64_t, String> made(MapObj::CreateFromPairs(twice, 3));
  EXPECT_EQ(made.size(), 2);
  EXPECT_EQ(made[1], "c");
}

TEST(Map, KeysAreEqualByTypeAndContent) {
  Map<Any, Any> map = {{1, "int"},
                       {true, "bool"},
                       {1.0, "float"},
                       {0.0, "zero"},
                       {-0.0, "negative zero"},
                       {nullptr, "none"},
                       {"text", "short"},
                       {Bytes("text", 4), "bytes"}};
  EXPECT_EQ(map.size(), 8);
  EXPECT_EQ(map[1].cast<String>(), "int");
  EXPECT_EQ(map[true].cast<String>(), "bool");
  EXPECT_EQ(map[1.0].cast<String>(), "float");
  EXPECT_EQ(map[-0.0].cast<String>(), "negative zero");
  EXPECT_EQ(map[nullptr].cast<String>(), "none");
  EXPECT_EQ(map[Bytes("text", 4)].cast<String>(), "bytes");
  // A short text in the heap form is the same key.
  ObjectPtr<StringObj> heap = make_inplace_array_object<StringObj, char>(5);
  std::memcpy(reinterpret_cast<char*>(heap.get() + 1), "text", 5);
  heap->data = reinterpret_cast<char*>(heap.get() + 1);
  heap->size = 4;
  EXPECT_EQ(map[Any(heap)].cast<String>(), "short");
  EXPECT_EQ(map.get()->At(AnyView("text")).cast<String>(), "short") << "a borrowed text is looked up as a String";
}

TEST(Map, EveryReferenceIsGivenBack) {
  ASSERT_EQ(CountedObj::live, 0);
  for (int64_t count : {1, 4, 5, 100}) {
    Map<Counted, Counted> map;
    std::vector<Counted> keys;
    for (int64_t i = 0; i < count; ++i) {
      keys.push_back(Counted(i));
      map = std::move(map).insert(keys.back(), Counted(i));
    }
    Map<Counted, Counted> copy = map.insert(keys[0], Counted(7)).erase(keys.back());
    for (const Counted& key : keys) map = std::move(map).insert(key, Counted(8));
    EXPECT_EQ(CountedObj::live, count + count + (count - 1));
    for (const Counted& key : keys) map = std::move(map).erase(key);
    EXPECT_TRUE(map.empty());
    EXPECT_EQ(CountedObj::live, count + count - 1);
  }
  EXPECT_EQ(CountedObj::live, 0);
}

TEST(Map, EmptyOnesWork) {
  Map<Any, Any> map;
  EXPECT_EQ(map.begin(), map.end());
  EXPECT_EQ(map.find(1), map.end());
  EXPECT_TRUE(Map<>(map.begin(), map.end()).empty());
  EXPECT_TRUE(Map<>(MapObj::CreateFromPairs(nullptr, 0)).empty());
  Map<Any, Any> moved = std::move(map);
  EXPECT_EQ(map.size(), 0);  // NOLINT: a moved-from map is empty
  EXPECT_FALSE(map.get(1).has_value());
  EXPECT_EQ(ErrorOf([&] { map.at(1); }), "KeyError: key is not in Map");
  EXPECT_EQ(std::move(map).erase(1).size(), 0);
  Map<Any, Any> gone = Range(9).erase(1);
  for (int64_t i = 0; i < 9; ++i) gone = std::move(gone).erase(i);
  EXPECT_EQ(gone.begin(), gone.end());
  EXPECT_EQ(gone.insert(1, 1).size(), 1);
}

TEST(Map, ConvertsWhereAllEntriesDo) {
  Any ints = Map<String, int64_t>{{"a", 1}, {"b", 2}};
  EXPECT_EQ((ints.cast<Map<String, int64_t>>().get()), ints.as<MapObj>());
  EXPECT_EQ((ints.cast<Map<String, double>>()["b"]), 2.0);
  EXPECT_EQ((Any(Dict<String, int64_t>{{"a", 1}}).cast<Map<String, int64_t>>().size()), 1);
  EXPECT_FALSE((ints.try_cast<Map<int64_t, int64_t>>().has_value()));
  EXPECT_FALSE((ints.try_cast<Map<String, String>>().has_value()));
  EXPECT_EQ(ErrorOf([&] { ints.cast<Map<String, String>>(); }),
            "TypeError: Cannot convert from type `Map[K, some value is int]` to `Map<str, str>`");
  Map<Any, ObjectRef> wider = Map<String, Counted>{{"a", Counted(1)}};
  EXPECT_EQ(wider.size(), 1);
  std::unordered_map<std::string, int> std_map = {{"x", 1}, {"y", 2}};
  EXPECT_EQ((Map<String, int64_t>(std_map.begin(), std_map.end())["y"]), 2);
  EXPECT_EQ((Merge(Map<String, int64_t>{{"a", 1}, {"b", 2}}, Map<String, int64_t>{{"b", 3}})["b"]), 3);
}

/* Random changes, with key spaces that give each layout and many evictions. */
TEST(Map, RandomChangesAgreeWithAModelAndLeaveOldVersionsAlone) {
  std::mt19937_64 random(42);
  for (int64_t key_space : {3, 5, 12, 60, 5000}) {
    Map<int64_t, int64_t> map;
    MapModel model(map);
    std::vector<std::pair<Map<int64_t, int64_t>, MapModel>> versions;
    int steps = key_space > 1000 ? 20000 : 2000;
    for (int step = 0; step < steps; ++step) {
      auto key = static_cast<int64_t>(random() % static_cast<uint64_t>(key_space)) * 0x9E3779B9;
      bool in_place = random() % 64 != 0;
      Map<int64_t, int64_t> base = in_place ? std::move(map) : map;
      if (random() % 5 < 3) {
        model.Insert(key, step, ReadAt<uint64_t>(base, 40));
        map = std::move(base).insert(key, step);
      } else {
        model.Erase(key);
        map = std::move(base).erase(key);
      }
      if (step % 500 == 0) versions.emplace_back(map, model);
      ASSERT_EQ(map.size(), static_cast<int64_t>(model.size()));
      if (step % 97 == 0) model.ExpectSame(map);
    }
    model.ExpectSame(map);
    for (auto& [version, expected] : versions) expected.ExpectSame(version);
  }
}

TEST(Map, TablesOfAllSizesFindEveryKey) {
  for (int64_t count = 0; count <= 4096; count += count < 70 ? 1 : 401) {
    Map<int64_t, int64_t> built = Range(count);
    Map<int64_t, int64_t> grown;
    for (int64_t i = 0; i < count; ++i) grown = std::move(grown).insert(i, 10 * i);
    for (const auto& map : {built, grown}) {
      ASSERT_EQ(map.size(), count);
      int64_t next = 0;
      for (auto [key, value] : map) {
        ASSERT_EQ(key, next++);
        ASSERT_EQ(value, 10 * key);
      }
      for (int64_t i = 0; i < count; ++i) ASSERT_EQ(map[i], 10 * i);
      ASSERT_FALSE(map.contains(count));
    }
  }
}

TEST(Map, CollidingKeysAreFound) {
  CollidingKeys keys;
  Map<String, int64_t> map;
  std::vector<String> used;
  for (int64_t i = 0; i < 1000; ++i) {
    used.push_back(keys.Next());
    map = std::move(map).insert(used.back(), i);
  }
  EXPECT_EQ(std::hash<String>()(used[0]), std::hash<String>()(used[999]));
  for (int64_t i = 0; i < 1000; ++i) ASSERT_EQ(map[used[static_cast<size_t>(i)]], i);
  EXPECT_FALSE(map.contains(keys.Next()));
  for (size_t i = 0; i < 1000; i += 2) map = std::move(map).erase(used[i]);
  for (size_t i = 0; i < 1000; ++i) ASSERT_EQ(map.contains(used[i]), i % 2 == 1);
}

TEST(Map, TooManyCollidingKeysAreAnErrorThatChangesNothing) {
  CollidingKeys keys;
  Map<String, int64_t> map;
  std::vector<String> used;
  std::string error = "no error";
  while (error == "no error" && used.size() < 100000) {
    String key = keys.Next();
    error = ErrorOf([&] { map = std::move(map).insert(key, static_cast<int64_t>(used.size())); });
    if (error == "no error") used.push_back(key);
  }
  EXPECT_EQ(error.substr(0, 10), "ValueError");
  ASSERT_EQ(map.size(), static_cast<int64_t>(used.size()));
  EXPECT_EQ(used.size(), detail::kMaxChain);
  for (size_t i = 0; i < used.size(); i += 64) ASSERT_EQ(map[used[i]], static_cast<int64_t>(i));
  map = std::move(map).insert("another key", 1);
  EXPECT_EQ(map["another key"], 1);
}

TEST(Map, KeysThatShareTheirHomesInEverySizeStayCheap) {
  // Integers whose scattered hash has its upper 32 bits 0: all have home 0 in any table that fits into memory.
  std::vector<Any> pairs;
  for (uint64_t low = 1; low <= 20000; ++low) {
    pairs.emplace_back(test::IntWithScatteredHash(low));
    pairs.emplace_back(1);
  }
  Any first = pairs[0];
  Map<int64_t, int64_t> some(
      MapObj::CreateFromPairs(std::vector<Any>(pairs.begin(), pairs.begin() + 2000).data(), 1000));
  EXPECT_EQ(some.size(), 1000);
  EXPECT_TRUE(some.contains(first.cast<int64_t>()));
  EXPECT_EQ(ErrorOf([&] { MapObj::CreateFromPairs(pairs.data(), pairs.size() / 2); }).substr(0, 10), "ValueError");
}

}  // namespace
}  // namespace transom
