// Sequences in any order whose elements only variables and shared nodes tell apart, and options that match nothing.
#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/map.h>
#include <transom/structural/diff.h>
#include <transom/structural/unmatched.h>

#include <string>
#include <vector>

#include "support/error_of.h"
#include "support/native_types.h"
#include "support/rng.h"

namespace transom {
namespace {

using testing::Call;
using testing::Const;
using testing::ErrorOf;
using testing::Lambda;
using testing::Node;
using testing::Var;

DiffOptions AnyOrder() {
  DiffOptions options;
  options.as_files = true;
  options.unordered = {"**"};
  return options;
}

uint64_t Differences(const Any& lhs, const Any& rhs, const DiffOptions& options = AnyOrder()) {
  const uint64_t total = StructuralDiff(lhs, rhs, options).total();
  EXPECT_EQ(StructuralDiff(rhs, lhs, options).total(), total);
  EXPECT_EQ(EqualForDiff(lhs, rhs, options), total == 0);
  return total;
}

// A function of two parameters that are used in different places.
Any Subtract(bool swapped) {
  const Any x = Var("x"), y = Var("y");
  return Lambda(swapped ? Array<Any>{y, x} : Array<Any>{x, y}, Const(Map<String, Any>{{"left", x}, {"right", y}}));
}

TEST(DiffOrder, BindersPairByTheirUses) {
  EXPECT_EQ(Differences(Subtract(false), Subtract(true)), 0U);
  DiffOptions ordered;
  ordered.as_files = true;
  EXPECT_GT(Differences(Subtract(false), Subtract(true), ordered), 0U);
}

// Pairs of elements that hold one node each; nothing says which node is which.
Any Twice(int num_nodes, uint64_t seed) {
  std::vector<Any> items;
  for (int i = 0; i < num_nodes; ++i) {
    const Any node = Node(int64_t{7});
    items.push_back(Array<Any>{String("p"), node});
    items.push_back(Array<Any>{String("q"), node});
  }
  testing::Rng rng(seed);
  rng.Shuffle(&items);
  return Array<Any>(items.begin(), items.end());
}

TEST(DiffOrder, ElementsFollowTheChoiceThatWasMadeForOthers) {
  for (uint64_t seed = 1; seed < 20; ++seed) EXPECT_EQ(Differences(Twice(10, 0), Twice(10, seed)), 0U) << seed;
  EXPECT_EQ(Differences(Twice(2000, 0), Twice(2000, 1)), 0U);
}

// Each step uses the variable of the one before.
Any Chain(int length, uint64_t seed) {
  std::vector<Any> params, steps;
  for (int i = 0; i <= length; ++i) params.push_back(Var("v"));
  for (int i = 0; i < length; ++i) {
    const auto at = static_cast<size_t>(i);
    steps.push_back(Map<String, Any>{{"is", params[at + 1]}, {"of", params[at]}});
  }
  testing::Rng rng(seed);
  rng.Shuffle(&params);
  rng.Shuffle(&steps);
  return Lambda(Array<Any>(params.begin(), params.end()), Array<Any>(steps.begin(), steps.end()));
}

TEST(DiffOrder, ColoursSpreadAlongChains) {
  for (uint64_t seed = 1; seed < 5; ++seed) EXPECT_EQ(Differences(Chain(40, 0), Chain(40, seed)), 0U) << seed;
}

TEST(DiffOrder, OfOneKeyEqualElementsPairFirst) {
  const auto entry = [](int64_t id, int64_t value) { return Any(Map<String, Any>{{"id", id}, {"value", value}}); };
  DiffOptions options;
  options.keys = {{"<root>", "id"}};
  const Any lhs = Array<Any>{entry(1, 10), entry(1, 20), entry(1, 30)};
  EXPECT_EQ(Differences(lhs, Array<Any>{entry(1, 30), entry(1, 10), entry(1, 20)}, options), 0U);
  EXPECT_EQ(Differences(lhs, Array<Any>{entry(1, 30), entry(1, 10), entry(1, 21)}, options), 1U);
}

TEST(DiffOrder, OneFieldPairsASequence) {
  DiffOptions options;
  options.keys = {{"**.a", "id"}, {"<root>", "id"}, {"**.a", "id"}};
  EXPECT_TRUE(EqualForDiff(nullptr, nullptr, options));
  options.keys.push_back({"**.a", "name"});
  EXPECT_EQ(
      ErrorOf([&] { StructuralDiff(nullptr, nullptr, options); }),
      "ValueError: path of a sequence with a key field \"**.a\": it has two, \"id\" and \"name\"; elements pair by "
      "one field, so leave one of them out");
}

TEST(DiffOrder, OptionsThatMatchNothing) {
  const Any lhs = Call("add", {Const(int64_t{1})}), rhs = Call("add", {Const(int64_t{1}), Const(int64_t{2})});
  DiffOptions options;
  options.ignore = {".args[0].value", "**.typo"};
  options.only = {".args[1]", ".args[2]", ".args[0].value.x"};
  options.unordered = {".args", ".arg"};
  options.keys = {{".args[*]", "id"}, {".op.*", "id"}};
  const DiffOptions unmatched = UnmatchedOptions(lhs, rhs, options);
  EXPECT_EQ(unmatched.ignore.size(), 1U);
  EXPECT_EQ(unmatched.only, (std::vector<std::string>{".args[2]", ".args[0].value.x"}));
  EXPECT_EQ(unmatched.unordered, (std::vector<std::string>{".arg"}));
  ASSERT_EQ(unmatched.keys.size(), 1U);
  EXPECT_EQ(unmatched.keys[0].path, ".op.*");
  options = {};
  options.ignore_fields = {"native.Call.op", "*.args", "native.Call.typo", "native.Typo.op", "*.typo"};
  options.ignore_types = {"native.Const", "native.Lambda", "ffi.Object"};
  const DiffOptions no_type = UnmatchedOptions(lhs, rhs, options);
  EXPECT_EQ(no_type.ignore_fields, (std::vector<std::string>{"native.Call.typo", "native.Typo.op", "*.typo"}));
  EXPECT_EQ(no_type.ignore_types, (std::vector<std::string>{"native.Lambda"}));
}

}  // namespace
}  // namespace transom
