// Equality, hash, digest and diff against a model that was written apart from them, on random graphs and on real ones.
#include <gtest/gtest.h>
#include <transom/containers/string.h>
#include <transom/structural/diff.h>
#include <transom/structural/equal.h>
#include <transom/structural/hash.h>

#include <string>

#include "support/graph_edit.h"
#include "support/graph_gen.h"
#include "support/library.h"
#include "support/reference_model.h"

namespace transom {
namespace {

using testing::CompareTables;
using testing::EditGraph;
using testing::GenOptions;
using testing::LoadTable;
using testing::ModelOptions;
using testing::ModelStep;
using testing::ModelVerdict;
using testing::NodeTable;
using testing::RandomGraph;
using testing::TestRules;
using testing::TestSchema;
using testing::TypeRules;

StructuralOptions FileOptions() {
  StructuralOptions options;
  options.as_files = true;
  return options;
}

// Paths as the model's steps have them: kind, then name, index or place.
std::string Steps(const std::vector<DiffStep>& steps) {
  std::string out;
  for (const DiffStep& step : steps) {
    const bool is_key = step.kind == 2 || step.kind == 5;
    out += std::to_string(step.kind) + ":";
    out += step.kind == 0 ? std::string(step.key.cast<String>())
                          : std::to_string(is_key ? step.place : step.key.cast<int64_t>());
    out += " ";
  }
  return out;
}

std::string Steps(const std::vector<ModelStep>& steps) {
  std::string out;
  for (const ModelStep& step : steps) {
    out += std::to_string(step.kind) + ":" + (step.kind == 0 ? step.name : std::to_string(step.index)) + " ";
  }
  return out;
}

void ExpectFirst(const Any& lhs, const Any& rhs, const ModelVerdict& wanted, const StructuralOptions& options) {
  DiffOptions first;
  static_cast<StructuralOptions&>(first) = options;
  first.first_only = true;
  DiffResult diff = StructuralDiff(lhs, rhs, first);
  auto mismatch = StructuralEqual::GetFirstMismatch(lhs, rhs, options);
  ASSERT_EQ(mismatch.has_value(), !wanted.equal);
  ASSERT_EQ(diff.edits.size(), wanted.equal ? 0u : 1u);
  if (wanted.equal) return;
  EXPECT_EQ(Steps(diff.edits[0].lhs_path), Steps(wanted.lhs));
  EXPECT_EQ(Steps(diff.edits[0].rhs_path), Steps(wanted.rhs));
  EXPECT_EQ(mismatch->lhs->ToString(), diff.edits[0].LhsAccessPath()->ToString());
  EXPECT_EQ(mismatch->rhs->ToString(), diff.edits[0].RhsAccessPath()->ToString());
}

// What holds for the two graphs in this order.
void CheckOrdered(const Any& lhs, const Any& rhs, const ModelVerdict& wanted, const StructuralOptions& options) {
  EXPECT_EQ(StructuralEqual::Equal(lhs, rhs, options), wanted.equal);
  ExpectFirst(lhs, rhs, wanted, options);
  DiffOptions all;
  static_cast<StructuralOptions&>(all) = options;
  DiffResult diff = StructuralDiff(lhs, rhs, all);
  EXPECT_EQ(diff.equal(), wanted.equal);
  EXPECT_EQ(diff.edits.empty(), wanted.equal);
}

void CheckPair(const TypeRules& rules, const NodeTable& lhs_table, const NodeTable& rhs_table, const Any& lhs,
               const Any& rhs, const ModelOptions& model = {}) {
  StructuralOptions options = FileOptions();
  options.map_free_vars = model.map_free_vars;
  options.skip_tensor_content = model.skip_tensor_content;
  ModelVerdict there = CompareTables(rules, lhs_table, rhs_table, model);
  ModelVerdict back = CompareTables(rules, rhs_table, lhs_table, model);
  ASSERT_EQ(there.equal, back.equal) << "the model is not symmetric";
  CheckOrdered(lhs, rhs, there, options);
  CheckOrdered(rhs, lhs, back, options);
  EXPECT_EQ(StructuralDigest(lhs, options) == StructuralDigest(rhs, options), there.equal);
  EXPECT_EQ(StructuralHash::Hash(lhs, options) == StructuralHash::Hash(rhs, options), there.equal);
}

// One graph and the graph after `num_edits` edits.
void CheckEdited(uint64_t seed, const NodeTable& table, int num_edits, const ModelOptions& model = {}) {
  NodeTable edited = table;
  std::string trace = "seed " + std::to_string(seed);
  for (int i = 0; i < num_edits; ++i) {
    testing::EditNote note = EditGraph(TestRules(), &edited, seed * 8 + static_cast<uint64_t>(i));
    trace += ", " + note.kind + " at " + note.what;
  }
  SCOPED_TRACE(trace);
  if (!edited.FirstBreach(TestRules()).empty()) {
    EXPECT_THROW(LoadTable(edited), Error) << edited.FirstBreach(TestRules());
    return;
  }
  CheckPair(TestRules(), table, edited, LoadTable(table).value, LoadTable(edited).value, model);
}

TEST(StructuralProperty, AgreesWithTheModelAfterOneEdit) {
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    CheckEdited(seed, RandomGraph(seed), 1);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(StructuralProperty, AgreesWithTheModelAfterSeveralEdits) {
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    CheckEdited(seed, RandomGraph(seed + 10000), 2 + static_cast<int>(seed % 4));
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(StructuralProperty, AgreesWithTheModelOnVariablesOutOfScope) {
  GenOptions wild;
  wild.well_scoped = false;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    CheckEdited(seed, RandomGraph(seed, wild), 1 + static_cast<int>(seed % 3));
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(StructuralProperty, AgreesWithTheModelUnderOptions) {
  GenOptions wild;
  wild.well_scoped = false;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    ModelOptions model;
    model.map_free_vars = seed % 3 != 0;
    model.skip_tensor_content = seed % 3 != 1;
    CheckEdited(seed, RandomGraph(seed + 20000, wild), 1 + static_cast<int>(seed % 2), model);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(StructuralProperty, AgreesWithTheModelOnUnrelatedGraphs) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    GenOptions small;
    small.max_depth = 2;
    NodeTable lhs = RandomGraph(seed * 2, small);
    NodeTable rhs = RandomGraph(seed * 2 + 1, small);
    CheckPair(TestRules(), lhs, rhs, LoadTable(lhs).value, LoadTable(rhs).value);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(StructuralProperty, AValueEqualsItselfAndItsSecondLoading) {
  GenOptions wild;
  wild.well_scoped = false;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    NodeTable table = RandomGraph(seed + 30000, wild);
    Any first = LoadTable(table).value;
    Any second = LoadTable(table).value;
    for (bool map_free_vars : {false, true}) {
      StructuralOptions options = FileOptions();
      options.map_free_vars = map_free_vars;
      ASSERT_TRUE(StructuralEqual::Equal(first, first, options));
      ASSERT_TRUE(StructuralEqual::Equal(first, second, options));
      ASSERT_EQ(StructuralDigest(first, options), StructuralDigest(second, options));
      DiffOptions diff;
      static_cast<StructuralOptions&>(diff) = options;
      ASSERT_TRUE(StructuralDiff(first, second, diff).equal());
    }
  }
}

TEST(StructuralProperty, OrderOfNodesAndOfMapEntriesDoesNotMatter) {
  for (uint64_t seed = 0; seed < 800; ++seed) {
    SCOPED_TRACE(seed);
    NodeTable table = RandomGraph(seed + 40000);
    NodeTable other = table;
    EditGraph(TestRules(), &other, seed, "maporder");
    EditGraph(TestRules(), &other, seed, "permute");
    Any lhs = LoadTable(table).value;
    Any rhs = LoadTable(other).value;
    ASSERT_TRUE(StructuralEqual::Equal(lhs, rhs, FileOptions()));
    ASSERT_EQ(StructuralDigest(lhs, FileOptions()), StructuralDigest(rhs, FileOptions()));
  }
}

TEST(StructuralProperty, IgnoredFieldsTakeNoPart) {
  for (uint64_t seed = 0; seed < 800; ++seed) {
    SCOPED_TRACE(seed);
    NodeTable table = RandomGraph(seed + 50000);
    NodeTable other = table;
    EditGraph(TestRules(), &other, seed, "ignored");
    Any lhs = LoadTable(table).value;
    Any rhs = LoadTable(other).value;
    ASSERT_TRUE(StructuralEqual::Equal(lhs, rhs, FileOptions()));
    ASSERT_EQ(StructuralDigest(lhs, FileOptions()), StructuralDigest(rhs, FileOptions()));
  }
}

// Keys of any kind, where the documents leave open which place a mismatch is reported at: the answers agree with each
// other.
TEST(StructuralProperty, AnythingMayBeAKey) {
  GenOptions wild;
  wild.wild_keys = true;
  int equal = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    wild.well_scoped = seed % 2 == 0;
    NodeTable table = RandomGraph(seed + 70000, wild);
    NodeTable edited = table;
    EditGraph(TestRules(), &edited, seed);
    if (!edited.FirstBreach(TestRules()).empty()) continue;
    Any lhs = LoadTable(table).value;
    Any rhs = LoadTable(edited).value;
    const bool same = StructuralEqual::Equal(lhs, rhs, FileOptions());
    equal += same;
    DiffOptions diff;
    diff.as_files = true;
    ASSERT_EQ(StructuralEqual::Equal(rhs, lhs, FileOptions()), same);
    ASSERT_EQ(StructuralDigest(lhs, FileOptions()) == StructuralDigest(rhs, FileOptions()), same);
    ASSERT_EQ(StructuralDiff(lhs, rhs, diff).equal(), same);
    ASSERT_EQ(StructuralEqual::GetFirstMismatch(lhs, rhs, FileOptions()).has_value(), !same);
    Any again = LoadTable(table).value;
    ASSERT_TRUE(StructuralEqual::Equal(lhs, again, FileOptions()));
    ASSERT_EQ(StructuralDigest(lhs, FileOptions()), StructuralDigest(again, FileOptions()));
  }
  EXPECT_GT(equal, 500);
}

// What is an insertion in one direction is a deletion in the other; all else has the same name.
TEST(StructuralProperty, DiffOfTheMirrorImageHasMirroredCounts) {
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    NodeTable table = RandomGraph(seed + 60000);
    NodeTable edited = table;
    for (uint64_t i = 0; i < 3; ++i) EditGraph(TestRules(), &edited, seed * 4 + i);
    if (!edited.FirstBreach(TestRules()).empty()) continue;
    Any lhs = LoadTable(table).value;
    Any rhs = LoadTable(edited).value;
    DiffOptions options;
    options.as_files = true;
    auto there = StructuralDiff(lhs, rhs, options).counts;
    auto back = StructuralDiff(rhs, lhs, options).counts;
    std::swap(back[static_cast<size_t>(EditKind::kInsert)], back[static_cast<size_t>(EditKind::kDelete)]);
    ASSERT_EQ(there, back);
  }
}

TEST(StructuralProperty, AgreesWithTheModelOnRealModules) {
  const std::string folder = std::string(TRANSOM_TEST_DATA_DIR) + "/";
  struct Version {
    const char* name;
    std::vector<const char*> files;
  };
  for (const Version& version : {Version{"tvm-0.25", {"lm2.0-import.json"}}, Version{"tvm-0.26", {"lm2.0-import.json"}},
                                 Version{"tvm-0.27", {"lm2.0-import.json", "lm2.4-fusetir.json"}}}) {
    TypeRules rules(testing::ReadText(std::string(TRANSOM_SOURCE_DIR) + "/schema/" + version.name + ".json"));
    for (const char* file : version.files) {
      NodeTable table = NodeTable::Parse(testing::ReadText(folder + version.name + "/" + file));
      Any value = LoadTable(table, {}).value;
      for (uint64_t seed = 0; seed < 40; ++seed) {
        NodeTable edited = table;
        testing::EditNote note = EditGraph(rules, &edited, seed);
        SCOPED_TRACE(std::string(version.name) + " " + file + " seed " + std::to_string(seed) + " " + note.kind + " " +
                     note.what);
        if (!edited.FirstBreach(rules).empty()) {
          EXPECT_THROW(LoadTable(edited, {}), Error);
        } else {
          CheckPair(rules, table, edited, value, LoadTable(edited, {}).value);
        }
      }
    }
  }
}

// Two graphs of linear size whose unfolding is exponential, and a deep one: done at once, or never.
TEST(StructuralProperty, SharedAndDeepGraphsAreLinear) {
  for (const NodeTable& table : {testing::DiamondGraph(60), testing::DeepGraph(100000), testing::WideGraph(100000)}) {
    Any lhs = LoadTable(table).value;
    Any rhs = LoadTable(table).value;
    EXPECT_TRUE(StructuralEqual::Equal(lhs, rhs, FileOptions()));
    EXPECT_EQ(StructuralHash::Hash(lhs, FileOptions()), StructuralHash::Hash(rhs, FileOptions()));
    NodeTable other = table;
    for (testing::TableNode& node : other.nodes) {
      if (node.type == "ffi.String" || node.type == "test.Op") node.data.text += "!";
      if (node.type == "test.Token" && node.data.Find("id")->integer == 77777) node.data.Find("id")->integer = -1;
    }
    Any changed = LoadTable(other).value;
    DiffOptions options;
    options.as_files = true;
    EXPECT_FALSE(StructuralEqual::Equal(lhs, changed, FileOptions()));
    EXPECT_FALSE(StructuralDiff(lhs, changed, options).equal());
  }
}

}  // namespace
}  // namespace transom
