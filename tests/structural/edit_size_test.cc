// Small edits of real modules give small diffs: every single edit is named, and little else.
#include <gtest/gtest.h>
#include <transom/structural/diff.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "structural/diff_lines.h"
#include "support/graph_edit.h"
#include "support/library.h"

namespace transom {
namespace {

using testing::DiffFileOptions;
using testing::DiffLines;
using testing::EditGraph;
using testing::EditNote;
using testing::LoadTable;
using testing::NodeTable;
using testing::TypeRules;

// Of a node that many objects hold, each holder is a place of its own: strings and integers, which files have once.
bool IsOfSharedValue(const EditNote& note) {
  return note.kind == "leaf" || note.kind == "share" || note.kind == "scalar";
}

struct Sizes {
  std::vector<uint64_t> all;
  uint64_t At(size_t percent) {
    std::sort(all.begin(), all.end());
    return all.empty() ? 0 : all[std::min(all.size() - 1, all.size() * percent / 100)];
  }
};

class EditSize : public ::testing::TestWithParam<const char*> {};

TEST_P(EditSize, OfSingleEdits) {
  const std::string file = GetParam(), version = file.substr(0, file.find('/'));
  const TypeRules rules(testing::ReadText(std::string(TRANSOM_SOURCE_DIR) + "/schema/" + version + ".json"));
  const NodeTable table = NodeTable::Parse(testing::ReadText(std::string(TRANSOM_TEST_DATA_DIR) + "/" + file));
  const Any value = LoadTable(table, {}).value;
  std::map<std::string, Sizes> by_kind;
  Sizes edits;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    NodeTable edited = table;
    const EditNote note = EditGraph(rules, &edited, seed + 7000);
    if (!edited.FirstBreach(rules).empty()) continue;
    const DiffResult diff = StructuralDiff(value, LoadTable(edited, {}).value, DiffFileOptions());
    if (diff.equal()) continue;
    by_kind[note.kind].all.push_back(diff.total());
    if (IsOfSharedValue(note)) continue;
    edits.all.push_back(diff.total());
    // Another object in the place of one is compared with it. Of two elements of other types that changed places, each
    // has gone from one and come to the other.
    const uint64_t most = note.kind == "retarget" ? 12 : note.kind == "swap" ? 4 : 2;
    EXPECT_LE(diff.total(), most) << seed << " " << note.kind << " " << note.what << "\n" << DiffLines(diff);
  }
  for (auto& [kind, sizes] : by_kind)
    std::printf("%-10s %3zu edits, differences: median %lu, 90%% %lu, most %lu\n", kind.c_str(), sizes.all.size(),
                sizes.At(50), sizes.At(90), sizes.At(100));
  EXPECT_GT(edits.all.size(), 60u);
  EXPECT_EQ(edits.At(50), 1u);
  EXPECT_LE(edits.At(90), 2u);
}

INSTANTIATE_TEST_SUITE_P(Modules, EditSize,
                         ::testing::Values("tvm-0.25/lm2.0-import.json", "tvm-0.26/lm2.0-import.json",
                                           "tvm-0.27/lm2.0-import.json", "tvm-0.27/lm2.4-fusetir.json"),
                         [](const auto& info) { return "File" + std::to_string(info.index); });

}  // namespace
}  // namespace transom
