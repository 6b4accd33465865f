#include "graph/pointer_map.h"

#include <gtest/gtest.h>

#include <unordered_map>
#include <utility>
#include <vector>

#include "support/rng.h"

namespace transom::graph {
namespace {

TEST(PointerMap, EmptyFindsNothing) {
  PointerMap<int> map;
  const int x = 0;
  EXPECT_EQ(map.Find(&x), nullptr);
  EXPECT_EQ(map.Find(nullptr), nullptr);
  EXPECT_EQ(map.size(), 0u);
}

TEST(PointerMap, InsertsOnceWithADefaultValue) {
  PointerMap<int> map;
  const int x = 0;
  auto [value, is_new] = map.Insert(&x);
  EXPECT_TRUE(is_new);
  EXPECT_EQ(*value, 0);
  *value = 7;
  EXPECT_FALSE(map.Insert(&x).second);
  EXPECT_EQ(*map.Insert(&x).first, 7);
  EXPECT_EQ(*const_cast<const PointerMap<int>&>(map).Find(&x), 7);
  EXPECT_EQ(map.size(), 1u);
}

TEST(PointerMap, PlacesLeadBackAsItGrows) {
  PointerMap<int> map;
  int keys[1000];
  size_t places[1000];
  for (int i = 0; i < 1000; ++i) {
    int* value = map.Insert(&keys[i]).first;
    *value = i;
    places[i] = map.PlaceOf(value);
  }
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(*map.FindAt(places[i], &keys[i]), i);
    EXPECT_EQ(*map.FindAt(places[i] + 1, &keys[i]), i);  // a wrong place is no harm
  }
}

TEST(PointerMap, Moves) {
  const int x = 0, y = 0;
  PointerMap<int> from;
  *from.Insert(&x).first = 7;
  PointerMap<int> to(std::move(from));
  ASSERT_NE(to.Find(&x), nullptr);
  EXPECT_EQ(*to.Find(&x), 7);
  PointerMap<int> other;
  other.Insert(&y);
  other = std::move(to);
  ASSERT_NE(other.Find(&x), nullptr);
  EXPECT_EQ(*other.Find(&x), 7);
  EXPECT_EQ(other.Find(&y), nullptr);
}

TEST(PointerMap, AgreesWithTheStandardMap) {
  testing::Rng rng(4);
  PointerMap<uint64_t> map;
  std::unordered_map<const void*, uint64_t> model;
  // Addresses of objects are multiples of 8 or 16, in runs and far apart.
  for (int i = 0; i < 200000; ++i) {
    const uint64_t run = rng.Below(50) << 32;
    const auto* key = reinterpret_cast<const void*>(run + 16 * (1 + rng.Below(4000)));
    auto [value, is_new] = map.Insert(key);
    ASSERT_EQ(is_new, model.count(key) == 0);
    *value = model[key] = rng.Next();
  }
  EXPECT_EQ(map.size(), model.size());
  for (const auto& [key, value] : model) {
    ASSERT_NE(map.Find(key), nullptr);
    ASSERT_EQ(*map.Find(key), value);
    ASSERT_EQ(map.Find(static_cast<const char*>(key) + 8), nullptr);
  }
}

}  // namespace
}  // namespace transom::graph
