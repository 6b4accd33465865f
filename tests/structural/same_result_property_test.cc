// A diff is the same whatever the addresses, the order of nodes in the file and the thread; the other way round it is
// its mirror image.
#include <gtest/gtest.h>
#include <transom/structural/diff.h>

#include <algorithm>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "support/graph_edit.h"
#include "support/graph_gen.h"
#include "support/library.h"

namespace transom {
namespace {

using testing::EditGraph;
using testing::GenOptions;
using testing::LoadTable;
using testing::NodeTable;
using testing::RandomGraph;
using testing::TestRules;
using testing::TypeRules;

EditKind Mirrored(EditKind kind) {
  if (kind == EditKind::kInsert) return EditKind::kDelete;
  return kind == EditKind::kDelete ? EditKind::kInsert : kind;
}

std::string TextOf(const Edit& edit, bool mirror) {
  const std::string lhs = edit.LhsAccessPath()->ToString(), rhs = edit.RhsAccessPath()->ToString();
  return std::string(EditKindName(mirror ? Mirrored(edit.kind) : edit.kind)) + " " + (mirror ? rhs : lhs) + " " +
         (mirror ? lhs : rhs) + " " + std::to_string(edit.places);
}

std::vector<std::string> EditsOf(const Any& lhs, const Any& rhs, bool mirror = false) {
  DiffOptions options;
  options.as_files = true;
  options.max_edits = std::numeric_limits<uint64_t>::max();
  std::vector<std::string> edits;
  for (const Edit& edit : StructuralDiff(mirror ? rhs : lhs, mirror ? lhs : rhs, options).edits)
    edits.push_back(TextOf(edit, mirror));
  return edits;
}

std::vector<std::string> Sorted(std::vector<std::string> texts) {
  std::sort(texts.begin(), texts.end());
  return texts;
}

std::string FirstOf(const Any& lhs, const Any& rhs) {
  DiffOptions options;
  options.as_files = options.first_only = true;
  const DiffResult diff = StructuralDiff(lhs, rhs, options);
  return diff.edits.empty() ? "" : TextOf(diff.edits[0], false);
}

void CheckPair(const TypeRules& rules, const NodeTable& lhs_table, const NodeTable& rhs_table,
               const schema::SchemaRef& schema, uint64_t seed) {
  const Any lhs = LoadTable(lhs_table, schema).value, rhs = LoadTable(rhs_table, schema).value;
  const std::vector<std::string> wanted = EditsOf(lhs, rhs);
  const std::string first = FirstOf(lhs, rhs);
  EXPECT_EQ(Sorted(EditsOf(lhs, rhs, true)), Sorted(wanted)) << "the mirror image is another";
  NodeTable lhs_permuted = lhs_table, rhs_permuted = rhs_table;
  EditGraph(rules, &lhs_permuted, seed, "permute");
  EditGraph(rules, &rhs_permuted, seed + 1, "permute");
  // Loaded the other way round, so that addresses are ordered otherwise.
  const Any rhs_again = LoadTable(rhs_permuted, schema).value, lhs_again = LoadTable(lhs_permuted, schema).value;
  EXPECT_EQ(EditsOf(lhs_again, rhs_again), wanted) << "the order of nodes or their addresses count";
  EXPECT_EQ(FirstOf(lhs_again, rhs_again), first);
  // Objects that both sides have are the same as copies of them.
  EXPECT_TRUE(EditsOf(lhs, lhs).empty());
  std::vector<std::string> results[2];
  std::thread threads[2];
  for (int t = 0; t < 2; ++t) threads[t] = std::thread([&, t] { results[t] = EditsOf(lhs, rhs); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(results[0], wanted);
  EXPECT_EQ(results[1], wanted);
}

TEST(SameResultProperty, RandomGraphs) {
  int checked = 0;
  for (uint64_t seed = 0; checked < 1200; ++seed) {
    SCOPED_TRACE(seed);
    GenOptions gen;
    gen.well_scoped = seed % 2 == 0;
    const NodeTable table = RandomGraph(seed + 700000, gen);
    NodeTable edited = table;
    for (uint64_t i = 0; i <= seed % 4; ++i) EditGraph(TestRules(), &edited, seed * 8 + i);
    if (!edited.FirstBreach(TestRules()).empty()) continue;
    ++checked;
    CheckPair(TestRules(), table, edited, testing::TestSchema(), seed);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(SameResultProperty, RealModules) {
  for (const char* version : {"tvm-0.25", "tvm-0.26", "tvm-0.27"}) {
    const TypeRules rules(testing::ReadText(std::string(TRANSOM_SOURCE_DIR) + "/schema/" + version + ".json"));
    const NodeTable table =
        NodeTable::Parse(testing::ReadText(std::string(TRANSOM_TEST_DATA_DIR) + "/" + version + "/lm2.0-import.json"));
    for (uint64_t seed = 0; seed < 8; ++seed) {
      SCOPED_TRACE(version + (" " + std::to_string(seed)));
      NodeTable edited = table;
      for (uint64_t i = 0; i <= seed % 3; ++i) EditGraph(rules, &edited, seed * 4 + i);
      if (edited.FirstBreach(rules).empty()) CheckPair(rules, table, edited, {}, seed);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace transom
