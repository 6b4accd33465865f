// What TVM said about edits of its files (tests/oracle/record_verdicts.py), without TVM: equality, hash and first
// mismatch.
#include <gtest/gtest.h>
#include <transom/structural/diff.h>
#include <transom/structural/equal.h>
#include <transom/structural/hash.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "support/graph_edit.h"
#include "support/library.h"
#include "support/reference_model.h"

namespace transom {
namespace {

using testing::LoadTable;
using testing::NodeTable;
using testing::PlainPath;
using testing::ReadText;
using testing::TypeRules;

struct Row {
  std::string file, seed, kind, verdict, hash, lhs, rhs;
};

std::vector<Row> Rows() {
  std::vector<Row> rows;
  std::istringstream lines(ReadText(std::string(TRANSOM_TEST_DATA_DIR) + "/tvm_verdicts.tsv"));
  std::string line;
  std::getline(lines, line);  // names of the columns
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    Row row;
    for (std::string* cell : {&row.file, &row.seed, &row.kind, &row.verdict, &row.hash, &row.lhs, &row.rhs}) {
      std::getline(cells, *cell, '\t');
    }
    rows.push_back(row);
  }
  return rows;
}

// TVM prints a map key that is an object as I.GlobalVar("name"), the library as ir.GlobalVar("name").
std::string Plain(const std::string& path) { return path.empty() ? path : PlainPath(path); }

class Originals {
 public:
  struct File {
    NodeTable table;
    Any value;
  };
  const File& Get(const std::string& name) {
    auto [it, is_new] = files_.try_emplace(name);
    if (is_new) {
      it->second.table = NodeTable::Parse(ReadText(std::string(TRANSOM_TEST_DATA_DIR) + "/" + name));
      it->second.value = LoadTable(it->second.table, {}).value;
    }
    return it->second;
  }
  const TypeRules& Rules(const std::string& name) {
    const std::string version = name.substr(0, name.find('/'));
    auto it = rules_.find(version);
    if (it == rules_.end()) {
      it = rules_.emplace(version, ReadText(std::string(TRANSOM_SOURCE_DIR) + "/schema/" + version + ".json")).first;
    }
    return it->second;
  }

 private:
  std::map<std::string, File> files_;
  std::map<std::string, TypeRules> rules_;
};

void Check(const Row& row, const Any& lhs, const Any& rhs) {
  StructuralOptions options;
  options.as_files = true;
  const bool equal = row.verdict == "equal";
  EXPECT_EQ(StructuralEqual::Equal(lhs, rhs, options), equal);
  // TVM's hash leaves out map entries whose keys it has not met, so it may say that unequal values have equal hashes.
  EXPECT_EQ(StructuralHash::Hash(lhs, options) == StructuralHash::Hash(rhs, options), equal);
  EXPECT_TRUE(!equal || row.hash == "equal");
  auto mismatch = StructuralEqual::GetFirstMismatch(lhs, rhs, options);
  ASSERT_EQ(mismatch.has_value(), !equal);
  if (equal) return;
  EXPECT_EQ(Plain(mismatch->lhs->ToString()), Plain(row.lhs));
  EXPECT_EQ(Plain(mismatch->rhs->ToString()), Plain(row.rhs));
}

TEST(TvmVerdicts, EditsOfRealModules) {
  Originals originals;
  std::map<std::string, int> verdicts;
  for (const Row& row : Rows()) {
    SCOPED_TRACE(row.file + " seed " + row.seed + " " + row.kind);
    const Originals::File& file = originals.Get(row.file);
    NodeTable edited = file.table;
    testing::EditNote note = EditGraph(originals.Rules(row.file), &edited, std::stoull(row.seed));
    ASSERT_EQ(note.kind, row.kind) << "the edits have changed since the verdicts were recorded";
    ++verdicts[row.verdict];
    if (row.verdict == "refused") {
      EXPECT_THROW(LoadTable(edited, {}), Error);
    } else {
      Check(row, file.value, LoadTable(edited, {}).value);
    }
  }
  EXPECT_GT(verdicts["equal"], 100);
  EXPECT_GT(verdicts["unequal"], 100);
  EXPECT_GT(verdicts["refused"], 20);
}

}  // namespace
}  // namespace transom
