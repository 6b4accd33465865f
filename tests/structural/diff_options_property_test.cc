// Options of a diff on random graphs: against a model that does not have the parts that are left out, and against each
// other.
#include <gtest/gtest.h>
#include <transom/containers/map.h>
#include <transom/structural/diff.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "structural/diff/edit_steps.h"
#include "support/graph_edit.h"
#include "support/graph_gen.h"
#include "support/library.h"
#include "support/native_types.h"
#include "support/reference_model.h"
#include "support/rng.h"

namespace transom {
namespace {

using testing::CompareTables;
using testing::EditGraph;
using testing::LoadTable;
using testing::NodeTable;
using testing::RandomGraph;
using testing::Rng;
using testing::TestRules;
using testing::TestSchemaText;
using testing::TypeRules;

DiffOptions FileOptions() {
  DiffOptions options;
  options.as_files = true;
  return options;
}

// A pair of graphs that differ by some edits; false where an edit broke a declared type.
bool MakePair(uint64_t seed, int num_edits, NodeTable* lhs, NodeTable* rhs) {
  *lhs = RandomGraph(seed);
  *rhs = *lhs;
  for (int i = 0; i < num_edits; ++i) EditGraph(TestRules(), rhs, seed * 8 + static_cast<uint64_t>(i));
  return rhs->FirstBreach(TestRules()).empty();
}

std::string PathText(const std::vector<DiffStep>& steps) {
  return graph::PathText(structural::StepsToPath(steps), false);
}

std::string OwnPath(const Edit& edit) { return PathText(edit.has_lhs ? edit.lhs_path : edit.rhs_path); }

std::vector<std::string> Sorted(const DiffResult& diff, bool mirrored) {
  std::vector<std::string> lines;
  for (const Edit& edit : diff.edits) {
    EditKind kind = edit.kind;
    if (mirrored && kind == EditKind::kInsert) {
      kind = EditKind::kDelete;
    } else if (mirrored && kind == EditKind::kDelete) {
      kind = EditKind::kInsert;
    }
    const std::string lhs = PathText(edit.lhs_path), rhs = PathText(edit.rhs_path);
    lines.push_back(std::string(EditKindName(kind)) + " " + (mirrored ? rhs + " " + lhs : lhs + " " + rhs));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

// Asks in every way, and says whether there is no difference.
bool Equal(const Any& lhs, const Any& rhs, const DiffOptions& options) {
  const DiffResult diff = StructuralDiff(lhs, rhs, options);
  EXPECT_EQ(EqualForDiff(lhs, rhs, options), diff.equal());
  EXPECT_EQ(EqualForDiff(rhs, lhs, options), diff.equal());
  EXPECT_EQ(Sorted(diff, false), Sorted(StructuralDiff(rhs, lhs, options), true));
  DiffOptions first = options;
  first.first_only = true;
  EXPECT_EQ(StructuralDiff(lhs, rhs, first).equal(), diff.equal());
  return diff.equal();
}

// ---- Ignored fields -------------------------------------------------------------------------------------------------

void ReplaceAll(std::string* text, const std::string& from, const std::string& to) {
  for (size_t at = text->find(from); at != std::string::npos; at = text->find(from, at + to.size()))
    text->replace(at, from.size(), to);
}

// The types of the generator, as they are without a field.
TypeRules RulesWithout(const std::vector<std::string>& fields) {
  std::string text(TestSchemaText());
  for (const std::string& field : fields) {
    const std::string name = "\"" + field + "\"";
    ReplaceAll(&text, "{\"name\": " + name + ",", "{\"name\": " + name + " , \"ignore\": true,");
    ReplaceAll(&text, "[" + name + ", ", "[");
    ReplaceAll(&text, ", " + name + "]", "]");
    ReplaceAll(&text, ", " + name + ", ", ", ");
    ReplaceAll(&text, "[" + name + "]", "[]");
  }
  // Where a field was ignored before.
  ReplaceAll(&text, "\"ignore\": true, \"type\": \"float\", \"ignore\": true", "\"ignore\": true, \"type\": \"float\"");
  return TypeRules(text);
}

TEST(DiffOptionsProperty, IgnoredFieldsAreThoseOfAModelWithoutThem) {
  const std::vector<std::string> names = {"i",     "f",     "args", "attrs",     "type", "params",
                                          "body",  "value", "s",    "shape",     "tag",  "inputs",
                                          "stmts", "table", "var",  "functions", "big",  "pair"};
  int num_equal = 0, num_different = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    Rng rng(seed);
    NodeTable lhs, rhs;
    if (!MakePair(seed, 1 + static_cast<int>(seed % 2), &lhs, &rhs)) continue;
    std::vector<std::string> fields;
    for (size_t i = 0; i < 1 + seed % 3; ++i) fields.push_back(names[rng.Below(names.size())]);
    std::sort(fields.begin(), fields.end());
    fields.erase(std::unique(fields.begin(), fields.end()), fields.end());
    std::string trace = "seed " + std::to_string(seed) + ", without";
    for (const std::string& field : fields) trace += " " + field;
    SCOPED_TRACE(trace);
    // To the model, a key that is a variable without its binder is no key of an equal map.
    if (!CompareTables(RulesWithout(fields), lhs, lhs).equal) continue;
    const bool wanted = CompareTables(RulesWithout(fields), lhs, rhs).equal;
    ++(wanted ? num_equal : num_different);
    const Any l = LoadTable(lhs).value, r = LoadTable(rhs).value;
    DiffOptions by_field = FileOptions(), by_path = FileOptions();
    for (const std::string& field : fields) {
      by_field.ignore_fields.push_back("*." + field);
      by_path.ignore.push_back("**." + field);
    }
    EXPECT_EQ(Equal(l, r, by_field), wanted);
    EXPECT_EQ(Equal(l, r, by_path), wanted);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(num_equal, 300);
  EXPECT_GT(num_different, 300);
}

// ---- Ignored places -------------------------------------------------------------------------------------------------

bool IsBelow(const std::string& path, const std::string& above) {
  return path.compare(0, above.size(), above) == 0 &&
         (path.size() == above.size() || path[above.size()] == '.' || path[above.size()] == '[');
}

TEST(DiffOptionsProperty, ReportedPlacesCanBeIgnoredOneByOne) {
  for (uint64_t seed = 0; seed < 600; ++seed) {
    NodeTable lhs, rhs;
    if (!MakePair(seed + 5000, 1 + static_cast<int>(seed % 3), &lhs, &rhs)) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Any l = LoadTable(lhs).value, r = LoadTable(rhs).value;
    // Of what moved, one of two places can be left out or asked for.
    DiffOptions options = FileOptions();
    options.find_moves = false;
    DiffResult diff = StructuralDiff(l, r, options);
    for (int round = 0; !diff.equal(); ++round) {
      ASSERT_LT(round, 50);
      options.ignore.push_back(OwnPath(diff.edits[0]));
      diff = StructuralDiff(l, r, options);
      ASSERT_EQ(EqualForDiff(l, r, options), diff.equal());
      for (const Edit& edit : diff.edits) {
        for (const std::string& ignored : options.ignore) ASSERT_FALSE(IsBelow(OwnPath(edit), ignored)) << ignored;
      }
    }
    EXPECT_TRUE(Equal(l, r, options));
  }
}

TEST(DiffOptionsProperty, OnlyAReportedPlaceReportsIt) {
  for (uint64_t seed = 0; seed < 600; ++seed) {
    NodeTable lhs, rhs;
    if (!MakePair(seed + 9000, 1 + static_cast<int>(seed % 3), &lhs, &rhs)) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Any l = LoadTable(lhs).value, r = LoadTable(rhs).value;
    DiffOptions without_moves = FileOptions();
    without_moves.find_moves = false;
    const DiffResult all = StructuralDiff(l, r, without_moves);
    for (size_t i = 0; i < std::min<size_t>(all.edits.size(), 5); ++i) {
      DiffOptions options = without_moves;
      options.only = {OwnPath(all.edits[i])};
      SCOPED_TRACE(options.only[0]);
      const DiffResult some = StructuralDiff(l, r, options);
      const std::vector<std::string> lines = Sorted(some, false);
      const std::vector<std::string> of_all = Sorted(all, false);
      EXPECT_FALSE(some.equal());
      EXPECT_TRUE(std::includes(of_all.begin(), of_all.end(), lines.begin(), lines.end()));
      EXPECT_FALSE(EqualForDiff(l, r, options));
    }
    DiffOptions everything = FileOptions();
    everything.only = {"**"};
    EXPECT_EQ(Sorted(StructuralDiff(l, r, everything), false), Sorted(StructuralDiff(l, r, FileOptions()), false));
    if (::testing::Test::HasFailure()) return;
  }
}

// ---- Tolerance ------------------------------------------------------------------------------------------------------

TEST(DiffOptionsProperty, MoreToleranceFindsLess) {
  int num_near = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    NodeTable lhs = RandomGraph(seed + 20000), rhs = lhs;
    Rng rng(seed);
    // Keys of maps are compared exactly.
    std::set<int64_t> keys;
    for (const testing::TableNode& node : rhs.nodes) {
      for (size_t i = 0; node.IsMap() && i < node.data.items.size(); i += 2) keys.insert(node.data.items[i].integer);
    }
    for (size_t i = 0; i < rhs.nodes.size(); ++i) {
      testing::TableNode& node = rhs.nodes[i];
      if (keys.count(static_cast<int64_t>(i)) == 0 && node.type == "float" &&
          node.data.kind == testing::JsonValue::Kind::kFloat && rng.OneIn(2))
        node.data.number += static_cast<double>(rng.Below(5)) * 1e-4;
    }
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Any l = LoadTable(lhs).value, r = LoadTable(rhs).value;
    bool before = Equal(l, r, FileOptions());
    const bool exact = before;
    for (const double atol : {1e-9, 1.5e-4, 2.5e-4, 3.5e-4, 4.5e-4}) {
      DiffOptions options = FileOptions();
      options.atol = atol;
      const bool now = Equal(l, r, options);
      EXPECT_TRUE(now || !before);
      before = now;
    }
    EXPECT_TRUE(before);  // nothing was moved further
    num_near += !exact;
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(num_near, 30);
}

// ---- Order ----------------------------------------------------------------------------------------------------------

// Plain data, and the same with the elements of all sequences in another order.
Any RandomData(Rng* rng, Rng* order, int depth) {
  const size_t kind = rng->Below(depth == 0 ? 3 : 6);
  if (kind < 3) return kind == 0 ? Any(static_cast<int64_t>(rng->Below(4))) : kind == 1 ? Any(String("s")) : Any(0.5);
  std::vector<Any> parts;
  for (size_t n = rng->Below(5); parts.size() < n;) parts.push_back(RandomData(rng, order, depth - 1));
  if (kind == 3) {
    Map<String, Any> map;
    for (const Any& part : parts) map = std::move(map).insert(String(std::to_string(map.size())), part);
    return map;
  }
  if (kind == 4) return testing::Const(parts.empty() ? Any() : parts[0]);
  if (order != nullptr) order->Shuffle(&parts);
  return Array<Any>(parts.begin(), parts.end());
}

TEST(DiffOptionsProperty, AnyOrderIsTheSame) {
  int num_shuffled = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng a(seed), b(seed), order(seed + 1);
    const Any lhs = Array<Any>{RandomData(&a, nullptr, 5)}, rhs = Array<Any>{RandomData(&b, &order, 5)};
    DiffOptions options;
    num_shuffled += !Equal(lhs, rhs, options);
    options.unordered = {"**"};
    EXPECT_TRUE(Equal(lhs, rhs, options));
    options.atol = 1e-3;
    EXPECT_TRUE(Equal(lhs, rhs, options));
    EXPECT_FALSE(Equal(lhs, Array<Any>{rhs}, options));
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(num_shuffled, 200);
}

// The same graph with the elements of its sequences in another order, but for those in keys, which are no places, and
// where a declared type says what stands where.
NodeTable Shuffled(const NodeTable& table, const TypeRules& rules, uint64_t seed) {
  NodeTable result = table;
  Rng rng(seed);
  std::vector<int64_t> keys;
  for (const testing::TableNode& node : table.nodes) {
    for (size_t i = 0; node.IsMap() && i < node.data.items.size(); i += 2) keys.push_back(node.data.items[i].integer);
  }
  std::set<int64_t> in_keys;
  for (; !keys.empty();) {
    const int64_t at = keys.back();
    keys.pop_back();
    if (!in_keys.insert(at).second) continue;
    for (const int64_t child : table.Children(rules, at)) keys.push_back(child);
  }
  for (size_t i = 0; i < result.nodes.size(); ++i) {
    if (!result.nodes[i].IsSequence() || in_keys.count(static_cast<int64_t>(i)) != 0) continue;
    const auto before = result.nodes[i].data.items;
    rng.Shuffle(&result.nodes[i].data.items);
    if (!result.FirstBreach(rules).empty()) result.nodes[i].data.items = before;
  }
  return result;
}

// Variables and shared nodes are told apart by where they stand, which is what was shuffled.
TEST(DiffOptionsProperty, AnyOrderOfVariablesAndSharedNodesIsTheSame) {
  int num_shuffled = 0;
  for (uint64_t seed = 0; seed < 2400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    testing::GenOptions shape;
    shape.max_depth = 4 + static_cast<int>(seed % 4);
    shape.well_scoped = seed % 3 != 1;
    shape.wild_keys = seed % 3 == 2;
    const NodeTable table = RandomGraph(seed, shape);
    const Any lhs = LoadTable(table).value, rhs = LoadTable(Shuffled(table, TestRules(), seed)).value;
    DiffOptions options = FileOptions();
    num_shuffled += !Equal(lhs, rhs, options);
    options.unordered = {"**"};
    EXPECT_TRUE(Equal(lhs, rhs, options));
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(num_shuffled, 500);
}

TEST(DiffOptionsProperty, AnyOrderOfModulesIsTheSame) {
  for (const std::string file : {"tvm-0.25/lm2.0-import", "tvm-0.26/lm2.0-import", "tvm-0.27/lm2.0-import",
                                 "tvm-0.27/lm2.1-legalize", "tvm-0.27/lm2.4-fusetir"}) {
    SCOPED_TRACE(file);
    const NodeTable table = NodeTable::Parse(testing::ReadText(TRANSOM_TEST_DATA_DIR "/" + file + ".json"));
    const Any lhs = LoadJSON(table.ToText()).value;
    DiffOptions options = FileOptions();
    options.unordered = {"**"};
    for (uint64_t seed = 0; seed < 10; ++seed) {
      NodeTable other = table;
      Rng rng(seed);
      for (testing::TableNode& node : other.nodes) {
        if (node.IsSequence()) rng.Shuffle(&node.data.items);
      }
      const DiffResult diff = StructuralDiff(lhs, LoadJSON(other.ToText()).value, options);
      EXPECT_EQ(diff.total(), 0U) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace transom
