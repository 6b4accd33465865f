// Applied diffs and patches of random graphs: the result equals the new graph, whatever changed.
#include <gtest/gtest.h>
#include <transom/formats/patch.h>
#include <transom/structural/diff.h>
#include <transom/structural/equal.h>
#include <transom/structural/hash.h>

#include <limits>
#include <string>

#include "support/graph_edit.h"
#include "support/graph_gen.h"
#include "support/library.h"
#include "support/scale.h"

namespace transom {
namespace {

using testing::EditGraph;
using testing::GenOptions;
using testing::LoadTable;
using testing::NodeTable;
using testing::RandomGraph;
using testing::TestRules;

DiffOptions FileOptions() {
  DiffOptions options;
  options.as_files = true;
  options.max_edits = std::numeric_limits<uint64_t>::max();
  return options;
}

void ExpectEqual(const Any& result, const Any& wanted, const DiffOptions& options) {
  const auto mismatch = StructuralEqual::GetFirstMismatch(result, wanted, options);
  EXPECT_FALSE(mismatch) << mismatch->lhs->ToString() << " is not " << mismatch->rhs->ToString();
  EXPECT_TRUE(StructuralEqual::Equal(wanted, result, options));
  EXPECT_EQ(StructuralDigest(result, options), StructuralDigest(wanted, options));
}

// Applies the diff of the loaded graphs, and the patch of them to the old graph as it is after another loading; the
// values that were compared stay as they were.
void CheckApplied(const NodeTable& old_table, const NodeTable& new_table, const DiffOptions& options = FileOptions()) {
  const Any lhs = LoadTable(old_table).value, rhs = LoadTable(new_table).value;
  const Digest lhs_digest = StructuralDigest(lhs, options), rhs_digest = StructuralDigest(rhs, options);
  const Any there = ApplyDiff(lhs, StructuralDiff(lhs, rhs, options));
  ExpectEqual(there, rhs, options);
  // Two values that share objects, as a value and its update in memory do.
  ExpectEqual(ApplyDiff(there, StructuralDiff(there, lhs, options)), lhs, options);
  ExpectEqual(ApplyDiff(lhs, StructuralDiff(lhs, there, options)), rhs, options);
  const std::string patch = SavePatch(lhs, rhs, options);
  ExpectEqual(ApplyPatch(LoadTable(old_table).value, patch).value, rhs, options);
  EXPECT_EQ(StructuralDigest(lhs, options), lhs_digest);
  EXPECT_EQ(StructuralDigest(rhs, options), rhs_digest);
}

// A random graph and the graph after some edits; false when these broke a declared type.
bool EditedPair(uint64_t seed, const GenOptions& gen, int num_edits, NodeTable* table, NodeTable* edited) {
  *table = *edited = RandomGraph(seed, gen);
  for (int i = 0; i < num_edits; ++i) EditGraph(TestRules(), edited, seed * 16 + static_cast<uint64_t>(i));
  return edited->FirstBreach(TestRules()).empty();
}

void CheckMany(uint64_t first_seed, int count, const GenOptions& gen, const DiffOptions& options) {
  int checked = 0;
  for (uint64_t seed = first_seed; checked < testing::Cases(count); ++seed) {
    NodeTable lhs, rhs;
    if (!EditedPair(seed, gen, 1 + static_cast<int>(seed % 6), &lhs, &rhs)) continue;
    ++checked;
    SCOPED_TRACE(seed);
    CheckApplied(lhs, rhs, options);
    CheckApplied(rhs, lhs, options);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(ApplyDiffProperty, EditedGraphs) { CheckMany(100000, 3000, {}, FileOptions()); }

TEST(ApplyDiffProperty, VariablesOutOfScope) {
  GenOptions wild;
  wild.well_scoped = false;
  CheckMany(200000, 2000, wild, FileOptions());
}

TEST(ApplyDiffProperty, AnythingMayBeAKey) {
  GenOptions wild;
  wild.wild_keys = true;
  CheckMany(300000, 2000, wild, FileOptions());
  wild.well_scoped = false;
  CheckMany(350000, 1000, wild, FileOptions());
}

TEST(ApplyDiffProperty, Options) {
  DiffOptions options = FileOptions();
  GenOptions wild;
  wild.well_scoped = false;
  options.map_free_vars = true;
  CheckMany(400000, 500, wild, options);
  options.skip_tensor_content = true;
  CheckMany(410000, 500, wild, options);
  options.map_free_vars = false;
  CheckMany(420000, 500, wild, options);
}

TEST(ApplyDiffProperty, UnrelatedGraphs) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    GenOptions gen;
    gen.max_depth = 2 + static_cast<int>(seed % 4);
    gen.wild_keys = seed % 3 == 0;
    gen.well_scoped = seed % 2 == 0;
    CheckApplied(RandomGraph(seed * 2 + 500000, gen), RandomGraph(seed * 2 + 500001, gen));
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace transom
