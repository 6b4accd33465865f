#include "graph/stack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace transom::graph {
namespace {

TEST(Stack, GrowsAndShrinks) {
  Stack<uint32_t> stack;
  EXPECT_TRUE(stack.empty());
  for (uint32_t i = 0; i < 100'000; ++i) stack.push_back(i);
  EXPECT_EQ(stack.size(), 100'000u);
  EXPECT_EQ(stack.back(), 99'999u);
  stack.pop_back();
  stack.Truncate(1000);
  EXPECT_EQ(stack.back(), 999u);
  uint32_t* more = stack.Extend(5000);
  std::iota(more, more + 5000, 1000u);
  EXPECT_EQ(stack.size(), 6000u);
  for (uint32_t i = 0; i < 6000; ++i) ASSERT_EQ(stack[i], i);
  stack.Release();
  EXPECT_TRUE(stack.empty());
  EXPECT_EQ(stack.begin(), stack.end());
}

TEST(Stack, PushesAValueOfItsOwn) {
  Stack<uint64_t> stack;
  stack.push_back(7);
  for (int i = 0; i < 5000; ++i) stack.push_back(stack[0]);
  EXPECT_TRUE(std::all_of(stack.begin(), stack.end(), [](uint64_t v) { return v == 7; }));
}

TEST(Stack, PushesWhereReserved) {
  Stack<uint32_t> stack;
  stack.Reserve(1000);
  const uint32_t* memory = stack.begin();
  for (uint32_t i = 0; i < 1000; ++i) stack.PushReserved(i);
  EXPECT_EQ(stack.begin(), memory);
  EXPECT_EQ(stack.back(), 999u);
  stack.Drop(600);
  EXPECT_EQ(stack.size(), 400u);
  EXPECT_EQ(stack.back(), 399u);
  stack.Reserve(100'000);
  EXPECT_EQ(stack.size(), 400u);
  EXPECT_EQ(stack[399], 399u);
}

TEST(Stack, ExtendByNothing) {
  Stack<uint64_t> stack;
  stack.Extend(0);
  EXPECT_TRUE(stack.empty());
}

}  // namespace
}  // namespace transom::graph
