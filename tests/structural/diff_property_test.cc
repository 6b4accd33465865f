// What holds for every diff, on random graphs: mirror images, no dependence on the order of nodes and map entries,
// moves that name equal values, and small diffs of small edits.
#include <gtest/gtest.h>
#include <transom/structural/diff.h>
#include <transom/structural/equal.h>
#include <transom/structural/group_edits.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "structural/diff_lines.h"
#include "support/graph_edit.h"
#include "support/graph_gen.h"
#include "support/library.h"

namespace transom {
namespace {

using testing::CheckDiff;
using testing::DiffFileOptions;
using testing::DiffPathText;
using testing::EditGraph;
using testing::JsonValue;
using testing::LoadTable;
using testing::NodeTable;
using testing::RandomGraph;
using testing::TestRules;
using testing::TypeRules;

// A random graph and the graph after some edits; false when these broke a declared type.
bool EditedPair(uint64_t seed, int num_edits, NodeTable* table, NodeTable* edited) {
  *table = *edited = RandomGraph(seed);
  for (int i = 0; i < num_edits; ++i) EditGraph(TestRules(), edited, seed * 16 + static_cast<uint64_t>(i));
  return edited->FirstBreach(TestRules()).empty();
}

// Puts a function around the body of a function or binding; false when there is none.
bool WrapBody(uint64_t seed, NodeTable* table) {
  std::vector<int64_t> functions, holders;
  for (const int64_t index : table->PostOrder(TestRules())) {
    const std::string& type = table->At(index).type;
    if (type == "test.Lambda") functions.push_back(index);
    if ((type == "test.Lambda" || type == "test.Let") &&
        table->At(table->At(index).data.Find("body")->integer).type.rfind("test.", 0) == 0)
      holders.push_back(index);
  }
  if (holders.empty() || functions.empty()) return false;
  const int64_t params = table->Add("ffi.Array", JsonValue::Array());
  JsonValue wrapper = table->At(functions[0]).data;
  JsonValue* body = table->At(holders[seed % holders.size()]).data.Find("body");
  wrapper.Find("params")->integer = params;
  wrapper.Find("body")->integer = body->integer;
  body->integer = static_cast<int64_t>(table->nodes.size());
  table->Add("test.Lambda", std::move(wrapper));
  return true;
}

// One line per edit, sorted; `mirror`: as the diff of the two sides exchanged has it.
std::multiset<std::string> Lines(const DiffResult& diff, bool mirror) {
  std::multiset<std::string> lines;
  for (const Edit& edit : diff.edits) {
    EditKind kind = edit.kind;
    if (mirror && kind == EditKind::kInsert) {
      kind = EditKind::kDelete;
    } else if (mirror && kind == EditKind::kDelete) {
      kind = EditKind::kInsert;
    }
    const std::string lhs = DiffPathText(mirror ? edit.rhs_path : edit.lhs_path),
                      rhs = DiffPathText(mirror ? edit.lhs_path : edit.rhs_path);
    const bool splits = edit.kind == EditKind::kSharing && edit.splits != mirror;
    lines.insert(std::string(EditKindName(kind)) + " " + lhs + " " + rhs + DiffPathText(edit.around) +
                 (splits ? " splits" : "") + " x" + std::to_string(edit.places));
  }
  return lines;
}

TEST(DiffProperty, MirrorImages) {
  uint64_t moves = 0, sharing = 0, around = 0;
  for (uint64_t seed = 0; seed < 2500; ++seed) {
    SCOPED_TRACE(seed);
    NodeTable table, edited;
    const bool wrap = seed % 5 == 0;
    if (!EditedPair(seed + 80000, wrap ? 0 : 1 + static_cast<int>(seed % 5), &table, &edited)) continue;
    if (wrap && !WrapBody(seed, &edited)) continue;
    const Any lhs = LoadTable(table).value, rhs = LoadTable(edited).value;
    DiffOptions options = DiffFileOptions();
    options.names = seed % 2 == 0;
    const DiffResult there = StructuralDiff(lhs, rhs, options), back = StructuralDiff(rhs, lhs, options);
    ASSERT_EQ(Lines(there, false), Lines(back, true));
    moves += there.counts[static_cast<size_t>(EditKind::kMove)];
    sharing += there.counts[static_cast<size_t>(EditKind::kSharing)];
    around += static_cast<uint64_t>(
        std::count_if(there.edits.begin(), there.edits.end(), [](const Edit& e) { return !e.around.empty(); }));
  }
  // The graphs have something to say about all kinds.
  EXPECT_GT(moves, 20u);
  EXPECT_GT(sharing, 20u);
  EXPECT_GT(around, 20u);
}

TEST(DiffProperty, EditsSayWhatIsTrue) {
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    NodeTable table, edited;
    if (!EditedPair(seed + 90000, 1 + static_cast<int>(seed % 6), &table, &edited)) continue;
    if (seed % 4 == 0) WrapBody(seed, &edited);
    const Any lhs = LoadTable(table).value, rhs = LoadTable(edited).value;
    for (const bool find_moves : {true, false}) {
      DiffOptions options = DiffFileOptions();
      options.find_moves = find_moves;
      const DiffResult diff = StructuralDiff(lhs, rhs, options);
      CheckDiff(lhs, rhs, diff, options);
      if (!find_moves) {
        EXPECT_EQ(diff.counts[static_cast<size_t>(EditKind::kMove)], 0u);
      }
    }
    if (HasFailure()) return;
  }
}

TEST(DiffProperty, MovesTakeThePlaceOfOtherEdits) {
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    NodeTable table, edited;
    if (!EditedPair(seed + 100000, 1 + static_cast<int>(seed % 6), &table, &edited)) continue;
    const Any lhs = LoadTable(table).value, rhs = LoadTable(edited).value;
    DiffOptions without = DiffFileOptions();
    without.find_moves = false;
    ASSERT_LE(StructuralDiff(lhs, rhs, DiffFileOptions()).total(), StructuralDiff(lhs, rhs, without).total());
  }
}

// Paths name map entries by their keys, but for keys that are objects without a name.
TEST(DiffProperty, OrderOfNodesAndOfMapEntriesDoesNotMatter) {
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    NodeTable table, edited;
    if (!EditedPair(seed + 110000, 1 + static_cast<int>(seed % 4), &table, &edited)) continue;
    const Any lhs = LoadTable(table).value, rhs = LoadTable(edited).value;
    NodeTable other = edited;
    EditGraph(TestRules(), &other, seed, "maporder");
    EditGraph(TestRules(), &other, seed, "permute");
    const DiffResult diff = StructuralDiff(lhs, rhs, DiffFileOptions()),
                     same = StructuralDiff(lhs, LoadTable(other).value, DiffFileOptions());
    ASSERT_EQ(diff.counts, same.counts);
    const auto lines = Lines(diff, false);
    const bool named = std::none_of(lines.begin(), lines.end(),
                                    [](const std::string& line) { return line.find("#") != std::string::npos; });
    if (named) {
      ASSERT_EQ(lines, Lines(same, false));
    }
  }
}

}  // namespace
}  // namespace transom
