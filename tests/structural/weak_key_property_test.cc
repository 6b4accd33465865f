// Comparison, diffs, patches and keys of hash containers with keys of few bits: collisions cost time, never a verdict.
#include <gtest/gtest.h>
#include <transom/formats/patch.h>
#include <transom/structural/diff.h>
#include <transom/structural/equal.h>
#include <transom/structural/key.h>

#include <limits>
#include <unordered_set>
#include <vector>

#include "structural/hash/digest_visitor.h"
#include "support/graph_edit.h"
#include "support/graph_gen.h"
#include "support/library.h"

namespace transom {
namespace {

using structural::DigestVisitor;
using testing::EditGraph;
using testing::GenOptions;
using testing::LoadTable;
using testing::NodeTable;
using testing::RandomGraph;
using testing::TestRules;

constexpr uint64_t kMasks[] = {0, 1, 3, 0xff};

class WeakKeys {
 public:
  explicit WeakKeys(uint64_t mask) { DigestVisitor::key_mask = mask; }
  ~WeakKeys() { DigestVisitor::key_mask = ~uint64_t{0}; }
};

DiffOptions FileOptions() {
  DiffOptions options;
  options.as_files = true;
  options.max_edits = std::numeric_limits<uint64_t>::max();
  return options;
}

// A random graph, another order of its maps' entries and some edits of it.
struct Versions {
  NodeTable table, reordered, edited;

  explicit Versions(uint64_t seed) {
    GenOptions gen;
    gen.wild_keys = seed % 3 != 0;
    gen.well_scoped = seed % 2 == 0;
    gen.max_depth = 3 + static_cast<int>(seed % 4);
    table = reordered = RandomGraph(seed, gen);
    EditGraph(TestRules(), &reordered, seed, "maporder");
    edited = reordered;
    for (uint64_t i = 0; i <= seed % 3; ++i) EditGraph(TestRules(), &edited, seed * 8 + i);
  }
};

bool Equal(const Any& lhs, const Any& rhs) {
  const bool equal = StructuralEqual::Equal(lhs, rhs, FileOptions());
  EXPECT_EQ(StructuralEqual::GetFirstMismatch(lhs, rhs, FileOptions()).has_value(), !equal);
  return equal;
}

void CheckPair(const Any& lhs, const Any& rhs, bool equal) {
  EXPECT_EQ(Equal(lhs, rhs), equal);
  const DiffResult diff = StructuralDiff(lhs, rhs, FileOptions());
  EXPECT_EQ(diff.equal(), equal);
  EXPECT_TRUE(Equal(ApplyDiff(lhs, diff), rhs));
  EXPECT_TRUE(Equal(ApplyPatch(lhs, SavePatch(lhs, rhs, FileOptions())).value, rhs));
}

TEST(WeakKeyProperty, VerdictsAndAppliedDiffsStayTheSame) {
  int equal = 0, different = 0;
  for (uint64_t seed = 900000; seed < 901000; ++seed) {
    SCOPED_TRACE(seed);
    const Versions versions(seed);
    if (!versions.edited.FirstBreach(TestRules()).empty()) continue;
    const Any lhs = LoadTable(versions.table).value, rhs = LoadTable(versions.edited).value;
    const Any same = LoadTable(versions.reordered).value;
    const bool of_edited = Equal(lhs, rhs), of_back = Equal(rhs, lhs), of_same = Equal(lhs, same);
    (of_edited ? equal : different)++;
    for (const uint64_t mask : kMasks) {
      SCOPED_TRACE(mask);
      const WeakKeys weak(mask);
      CheckPair(lhs, rhs, of_edited);
      CheckPair(rhs, lhs, of_back);
      CheckPair(lhs, same, of_same);
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(equal, 100);
  EXPECT_GT(different, 500);
}

// Sets of structural keys have as many elements as there are different values.
TEST(WeakKeyProperty, HashContainers) {
  std::vector<Any> values;
  for (uint64_t seed = 910000; values.size() < 150; ++seed) {
    GenOptions gen;
    gen.max_depth = 2;
    const NodeTable table = RandomGraph(seed, gen);
    const Any value = LoadTable(table).value;
    try {
      StructuralKey key(value);
    } catch (const Error&) {
      continue;  // types that only files compare
    }
    values.push_back(value);
    values.push_back(LoadTable(table).value);
  }
  size_t distinct = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    bool is_new = true;
    for (size_t k = 0; k < i && is_new; ++k) is_new = !StructuralEqual::Equal(values[k], values[i]);
    distinct += is_new;
  }
  EXPECT_LT(distinct, values.size());
  for (const uint64_t mask : kMasks) {
    const WeakKeys weak(mask);
    std::unordered_set<StructuralKey> set;
    for (const Any& value : values) set.insert(StructuralKey(value));
    EXPECT_EQ(set.size(), distinct) << mask;
  }
}

}  // namespace
}  // namespace transom
