#include "structural/equality/align.h"

#include <gtest/gtest.h>
#include <transom/containers/array.h>

#include <string>
#include <utility>
#include <vector>

#include "support/native_types.h"
#include "support/rng.h"

namespace transom::structural {
namespace {

using testing::Call;
using testing::Const;

// Pairs as "i-j"; a part without partner as "i-" or "-j".
std::string Align(const Array<Any>& lhs, const Array<Any>& rhs, std::vector<Pair>* pairs = nullptr) {
  graph::PlanTable plans;
  const StructuralOptions options;
  DigestVisitor lhs_keys(plans, options, DigestVisitor::Mode::kWeak),
      rhs_keys(plans, options, DigestVisitor::Mode::kWeak);
  const Any l = lhs, r = rhs;
  const std::vector<Pair> result =
      AlignSequences(graph::SequenceOf(*l.raw()), graph::SequenceOf(*r.raw()), plans, lhs_keys, rhs_keys);
  std::string text;
  for (const Pair& pair : result) {
    if (!text.empty()) text += " ";
    if (pair.lhs >= 0) text += std::to_string(pair.lhs);
    text += "-";
    if (pair.rhs >= 0) text += std::to_string(pair.rhs);
  }
  if (pairs != nullptr) *pairs = result;
  return text;
}

Array<Any> Ints(const std::vector<int64_t>& ids) { return Array<Any>(ids.begin(), ids.end()); }

TEST(Align, EqualSequencesPairByPosition) {
  EXPECT_EQ(Align({}, {}), "");
  EXPECT_EQ(Align(Ints({1, 2, 2}), Ints({1, 2, 2})), "0-0 1-1 2-2");
}

TEST(Align, OneSideEmpty) {
  EXPECT_EQ(Align(Ints({1, 2}), {}), "0- 1-");
  EXPECT_EQ(Align({}, Ints({1, 2})), "-0 -1");
}

TEST(Align, CommonEndsPairFirst) {
  EXPECT_EQ(Align(Ints({1, 2, 3}), Ints({1, 9, 2, 3})), "0-0 -1 1-2 2-3");
  EXPECT_EQ(Align(Ints({1, 9, 2, 3}), Ints({1, 2, 3})), "0-0 1- 2-1 3-2");
}

TEST(Align, UniqueElementsAreAnchors) {
  EXPECT_EQ(Align({Const(1), "a", Const(2), "b"}, {Const(3), "a", "b"}), "0-0 1-1 2- 3-2");
  // Of two that cross, one stays.
  const std::string crossed = Align(Ints({1, 5, 6, 2}), Ints({1, 6, 5, 2}));
  EXPECT_TRUE(crossed == "0-0 1- 2-1 -2 3-3" || crossed == "0-0 -1 1-2 2- 3-3") << crossed;
}

TEST(Align, RepeatedElementsGoByTheShortestScript) {
  EXPECT_EQ(Align({"a", "b", "a", "b", "x"}, {"y", "a", "b", "b"}), "-0 0-1 1-2 2- 3-3 4-");
}

TEST(Align, GapsPairByTypeLabelAndContent) {
  EXPECT_EQ(Align({Call("f", {1, 2}), Call("g", {3, 4})}, {Call("z", {7, 8}), Call("f", {1, 5}), Call("g", {3, 6})}),
            "-0 0-1 1-2");
  EXPECT_EQ(Align({Const(1)}, {Call("f"), Const(2)}), "-0 0-1");
  EXPECT_EQ(Align({Const(1)}, {"text"}), "0- -0");
  // A short and a long string are of one type.
  EXPECT_EQ(Align({"short"}, {"a text beyond the small ones"}), "0-0");
}

// Every element appears once, in order, and pairs have equal types.
TEST(Align, EveryElementHasItsPlace) {
  testing::Rng rng(3);
  for (int round = 0; round < 500; ++round) {
    const auto make = [&] {
      Array<Any> items;
      for (size_t i = rng.Below(round % 10 == 0 ? 200 : 12); i > 0; --i) {
        const auto id = static_cast<int64_t>(rng.Below(6));
        items = std::move(items).push_back(rng.OneIn(2) ? Any(id) : rng.OneIn(2) ? Const(id) : Call("f", {id}));
      }
      return items;
    };
    const Array<Any> lhs = make(), rhs = make();
    std::vector<Pair> pairs;
    Align(lhs, rhs, &pairs);
    int64_t i = 0, j = 0;
    for (const Pair& pair : pairs) {
      ASSERT_TRUE(pair.lhs >= 0 || pair.rhs >= 0);
      ASSERT_TRUE(pair.lhs < 0 || pair.lhs == i);
      ASSERT_TRUE(pair.rhs < 0 || pair.rhs == j);
      if (pair.lhs >= 0 && pair.rhs >= 0) {
        ASSERT_EQ(lhs[i].type_index(), rhs[j].type_index());
      }
      i += pair.lhs >= 0;
      j += pair.rhs >= 0;
    }
    ASSERT_EQ(i, static_cast<int64_t>(lhs.size()));
    ASSERT_EQ(j, static_cast<int64_t>(rhs.size()));
    // A part without partner would stand before the next pair.
    for (auto pair = pairs.rbegin(); pair != pairs.rend(); ++pair) {
      if (pair->lhs < 0) {
        ASSERT_EQ(Absent(pair->lhs), i);
      } else if (pair->rhs < 0) {
        ASSERT_EQ(Absent(pair->rhs), j);
      } else {
        i = pair->lhs;
        j = pair->rhs;
      }
    }
  }
}

TEST(Align, LargeGapsOfUnlikeElementsPairInOrder) {
  std::vector<int64_t> lhs, rhs;
  for (int64_t i = 0; i < 20000; ++i) {
    lhs.push_back(i);
    rhs.push_back(-1 - i);
  }
  std::vector<Pair> pairs;
  Align(Ints(lhs), Ints(rhs), &pairs);
  ASSERT_EQ(pairs.size(), lhs.size());
  EXPECT_EQ(pairs.back().lhs, 19999);
  EXPECT_EQ(pairs.back().rhs, 19999);
}

}  // namespace
}  // namespace transom::structural
