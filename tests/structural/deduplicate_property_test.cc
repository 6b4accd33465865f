// Deduplication of random graphs and of real ones against a model on the nodes of the file.
#include <gtest/gtest.h>
#include <transom/structural/deduplicate.h>
#include <transom/structural/equal.h>
#include <transom/structural/hash.h>

#include <functional>
#include <map>
#include <set>
#include <string>

#include "structural/dedup/deduplicate_parts.h"
#include "support/graph_gen.h"
#include "support/library.h"
#include "support/native_types.h"
#include "support/rng.h"

namespace transom {
namespace {

using testing::ErrorOf;
using testing::GenOptions;
using testing::JsonValue;
using testing::Kind;
using testing::LoadTable;
using testing::NodeTable;
using testing::RandomGraph;
using testing::Region;
using testing::Rng;
using testing::TableNode;
using testing::TestRules;
using testing::TypeRule;
using testing::TypeRules;

DeduplicateOptions FileOptions() {
  DeduplicateOptions options;
  options.as_files = true;
  return options;
}

StructuralOptions CompareOptions(bool as_files) {
  StructuralOptions options;
  options.as_files = as_files;
  return options;
}

// ---- Graphs with repetition ----------------------------------------------------------------------------------------

// Some references get copies of the nodes that they lead to: the same parts, but not the same objects.
void CopySomeNodes(const TypeRules& rules, NodeTable* table, uint64_t seed, int num_copies) {
  Rng rng(seed);
  for (int i = 0; i < num_copies; ++i) {
    const auto holder = static_cast<int64_t>(rng.Below(table->nodes.size()));
    const std::vector<int64_t> children = table->Children(rules, holder);
    if (children.empty()) continue;
    const size_t at = rng.Below(children.size());
    const TableNode copy = table->At(children[at]);
    if (table->At(holder).IsMap() && at % 2 == 0) continue;  // keys would be equal to others
    table->nodes.push_back(copy);
    *table->Refs(rules, holder)[at] = static_cast<int64_t>(table->nodes.size()) - 1;
  }
}

// An array of the graph and a copy of it that shares nothing.
NodeTable Twice(const TypeRules& rules, const NodeTable& table) {
  NodeTable both = table;
  const auto n = static_cast<int64_t>(table.nodes.size());
  for (const TableNode& node : table.nodes) both.nodes.push_back(node);
  for (int64_t i = n; i < 2 * n; ++i) {
    for (int64_t* ref : both.Refs(rules, i)) *ref += n;
  }
  both.root = both.Add("ffi.Array", JsonValue::Ints({table.root, table.root + n}));
  return both;
}

// ---- The model -----------------------------------------------------------------------------------------------------

// Which nodes are equal closed parts: every node's representative, and how many objects are left when they stand for
// the others.
class Model {
 public:
  Model(const TypeRules& rules, NodeTable table, bool merge_ignored)
      : rules_(rules), table_(std::move(table)), merge_ignored_(merge_ignored) {
    table_.Normalize(rules_);
    const size_t n = table_.nodes.size();
    stands_for_.resize(n);
    class_.assign(n, -1);
    for (int64_t i : table_.PostOrder(rules_)) Classify(i);
  }

  uint64_t ObjectsLeft() {
    std::set<int64_t> reached;
    std::function<void(int64_t)> visit = [&](int64_t i) {
      i = stands_for_[static_cast<size_t>(i)];
      if (!reached.insert(i).second) return;
      for (int64_t child : table_.Children(rules_, i)) visit(child);
    };
    visit(table_.root);
    uint64_t count = 0;
    for (int64_t i : reached) count += IsObject(table_.At(i).type);
    return count;
  }

 private:
  static bool IsObject(const std::string& type) {
    static const std::set<std::string> kPlain = {"None",     "bool",   "int",        "float",
                                                 "DataType", "Device", "ffi.String", "ffi.Bytes"};
    return kPlain.count(type) == 0;
  }

  bool MayMerge(const TableNode& node) const {
    if (node.type == "ffi.List" || node.type == "ffi.Dict") return false;
    const TypeRule* rule = rules_.Find(node.type);
    return rule == nullptr || rule->kind == Kind::kTree || rule->kind == Kind::kConstTree || rule->kind == Kind::kNone;
  }

  // "" when the child is open.
  std::string ChildText(int64_t child) const {
    const int number = class_[static_cast<size_t>(child)];
    return number < 0 ? "" : "#" + std::to_string(number);
  }

  std::string Content(const TableNode& node) const {
    std::vector<std::string> parts;
    bool open = !MayMerge(node);
    const auto add = [&](const std::string& prefix, int64_t child) {
      open |= ChildText(child).empty();
      parts.push_back(prefix + ChildText(child));
    };
    const TypeRule* rule = rules_.Find(node.type);
    if (node.IsMap()) {
      for (size_t i = 0; i < node.data.items.size(); i += 2) {
        add(ChildText(node.data.items[i].integer) + ":", node.data.items[i + 1].integer);
        open |= ChildText(node.data.items[i].integer).empty();
      }
      std::sort(parts.begin(), parts.end());
    } else if (node.IsSequence()) {
      for (const JsonValue& item : node.data.items) add("", item.integer);
    } else if (rule != nullptr && !rule->custom) {
      for (const testing::FieldRule& field : rule->fields) {
        if (merge_ignored_ && field.ignore) continue;
        const JsonValue& value = *node.data.Find(field.name);
        if (field.is_inline) {
          parts.push_back(value.ToText());
        } else {
          add("", value.integer);
        }
      }
    } else {
      parts.push_back(node.data.ToText());
    }
    if (open) return "";
    std::string text = node.type;
    for (const std::string& part : parts) text += "|" + part;
    return text;
  }

  void Classify(int64_t i) {
    const auto at = static_cast<size_t>(i);
    stands_for_[at] = i;
    const std::string content = Content(table_.At(i));
    if (content.empty()) return;
    const auto [entry, is_new] = first_.try_emplace(content, i);
    class_[at] = is_new ? static_cast<int>(first_.size()) : class_[static_cast<size_t>(entry->second)];
    stands_for_[at] = entry->second;
  }

  const TypeRules& rules_;
  NodeTable table_;
  bool merge_ignored_;
  std::vector<int64_t> stands_for_;
  std::vector<int> class_;  // -1: open
  std::map<std::string, int64_t> first_;
};

// ---- What holds for every graph ------------------------------------------------------------------------------------

void CheckSame(const Any& value, const Any& result, bool as_files) {
  const StructuralOptions options = CompareOptions(as_files);
  const std::string error = ErrorOf([&] { StructuralEqual::Equal(value, value, options); });
  if (error != "no error") {
    EXPECT_EQ(error, ErrorOf([&] { StructuralEqual::Equal(result, result, options); }));
    return;
  }
  const auto mismatch = StructuralEqual::GetFirstMismatch(value, result, options);
  EXPECT_FALSE(mismatch.has_value()) << mismatch->lhs->ToString();
  EXPECT_FALSE(StructuralEqual::GetFirstMismatch(result, value, options).has_value());
  EXPECT_EQ(StructuralDigest(value, options), StructuralDigest(result, options));
}

DeduplicateResult CheckGraph(const Any& value, const DeduplicateOptions& options, uint64_t hash_mask = ~uint64_t{0}) {
  const std::string before = SaveJSON(value);
  const DeduplicateResult result = structural::DeduplicateByHash(value, options, hash_mask);
  EXPECT_EQ(SaveJSON(value), before) << "the input has changed";
  EXPECT_LE(result.after().objects, result.before().objects);
  EXPECT_GE(result.bytes_saved(), 0);
  EXPECT_EQ(result.before().tree_size, result.after().tree_size) << "the unfolding has another size";
  if (!options.merge_functions) {
    CheckSame(value, result.value, options.as_files);
    if (!options.as_files) CheckSame(value, result.value, true);
  }
  const DeduplicateResult again = Deduplicate(result.value, options);
  EXPECT_TRUE(again.value.same_as(result.value)) << "a second time changes something";
  return result;
}

TEST(DeduplicateProperty, IsMinimalAndEqual) {
  uint64_t merged = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    GenOptions gen;
    gen.well_scoped = seed % 3 != 0;
    NodeTable table = RandomGraph(seed, gen);
    CopySomeNodes(TestRules(), &table, seed, static_cast<int>(seed % 7));
    if (seed % 2 == 0) table = Twice(TestRules(), table);
    DeduplicateOptions options = FileOptions();
    options.merge_ignored = seed % 5 == 0;
    const DeduplicateResult result = CheckGraph(LoadTable(table).value, options);
    ASSERT_EQ(result.after().objects, Model(TestRules(), table, options.merge_ignored).ObjectsLeft());
    merged += result.objects_saved();
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(merged, 2000u);
}

TEST(DeduplicateProperty, AWeakHashGivesTheSameResult) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    NodeTable table = RandomGraph(seed + 10000);
    CopySomeNodes(TestRules(), &table, seed, 5);
    table = Twice(TestRules(), table);
    for (const bool merge_functions : {false, true}) {
      DeduplicateOptions options = FileOptions();
      options.merge_functions = merge_functions;
      const Any value = LoadTable(table).value;
      const std::string wanted = SaveJSON(CheckGraph(value, options).value);
      for (const uint64_t mask : {uint64_t{0}, uint64_t{2}}) {
        ASSERT_EQ(SaveJSON(CheckGraph(value, options, mask).value), wanted);
      }
    }
  }
}

// Unbound variables and unique instances of the library stay the objects that they are.
TEST(DeduplicateProperty, IsEqualInTheLibraryToo) {
  uint64_t merged = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    GenOptions gen;
    gen.well_scoped = seed % 2 == 0;
    gen.wild_keys = seed % 3 == 0;
    NodeTable table = RandomGraph(seed + 20000, gen);
    CopySomeNodes(TestRules(), &table, seed, 4);
    if (seed % 4 == 0) table = Twice(TestRules(), table);
    merged += CheckGraph(LoadTable(table).value, {}).objects_saved();
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(merged, 1000u);
}

TEST(DeduplicateProperty, AnythingMayBeAKey) {
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    GenOptions gen;
    gen.wild_keys = true;
    gen.well_scoped = seed % 2 == 0;
    NodeTable table = RandomGraph(seed + 30000, gen);
    CopySomeNodes(TestRules(), &table, seed, 4);
    if (seed % 4 == 0) table = Twice(TestRules(), table);
    DeduplicateOptions options = FileOptions();
    options.merge_functions = seed % 3 == 0;
    CheckGraph(LoadTable(table).value, options);
    if (::testing::Test::HasFailure()) return;
  }
}

// ---- Functions -----------------------------------------------------------------------------------------------------

// The text of the unfolded graph: variables have the number of their binding, which is made anew where a binder is met
// again.
class Unfolding {
 public:
  Unfolding(const TypeRules& rules, const NodeTable& table) : rules_(rules), table_(table) {}

  /*! \brief False: too large. */
  bool Run(std::string* text) {
    Write(table_.root, Region::kNone);
    *text = std::move(text_);
    return text->size() < kLimit;
  }

 private:
  static constexpr size_t kLimit = 100000;

  void Write(int64_t i, Region region) {
    if (text_.size() >= kLimit) return;
    const TableNode& node = table_.At(i);
    const TypeRule* rule = rules_.Find(node.type);
    text_ += node.type + "(";
    if (node.IsMap()) {
      // All keys before all values, as comparison has them.
      for (size_t first : {0, 1}) {
        for (size_t k = first; k < node.data.items.size(); k += 2) {
          const int64_t child = node.data.items[k].integer;
          const TypeRule* key = first == 0 ? rules_.Find(table_.At(child).type) : nullptr;
          const bool binds =
              key != nullptr && key->kind == Kind::kFreeVar && key->has_compare && region == Region::kNone;
          Write(child, binds ? Region::kSimple : region);
        }
      }
    } else if (node.IsSequence()) {
      for (const JsonValue& item : node.data.items) Write(item.integer, region);
    } else if (rule != nullptr && !rule->custom) {
      WriteObject(i, *rule, region);
    } else {
      text_ += node.data.ToText();
    }
    text_ += ")";
  }

  void WriteObject(int64_t i, const TypeRule& rule, Region region) {
    const TableNode& node = table_.At(i);
    const bool variable = rule.kind == Kind::kFreeVar;
    if (variable && region == Region::kNone) {
      const auto bound = number_.find(i);
      text_ += bound == number_.end() ? "unbound" : std::to_string(bound->second);
    }
    std::vector<size_t> order = rule.compare;
    if (rule.compare_if_field >= 0) {
      const std::string& field = rule.fields[static_cast<size_t>(rule.compare_if_field)].name;
      if (rules_.IsA(table_.At(node.data.Find(field)->integer).type, rule.compare_if_type)) order = rule.compare_then;
    }
    const std::vector<size_t> counted = order;
    for (size_t f = 0; f < rule.fields.size(); ++f) {
      if (!variable && std::find(counted.begin(), counted.end(), f) == counted.end()) order.push_back(f);
    }
    for (const size_t f : order) {
      const testing::FieldRule& field = rule.fields[f];
      const JsonValue& value = *node.data.Find(field.name);
      text_ += field.name + "=";
      Region inner = variable && region != Region::kRecursive ? Region::kNone : region;
      if (field.region != Region::kNone && region != Region::kRecursive) inner = field.region;
      if (field.is_inline) {
        text_ += value.ToText();
      } else {
        Write(value.integer, inner);
      }
    }
    if (variable && region != Region::kNone) text_ += "binds" + std::to_string(number_[i] = next_++);
  }

  const TypeRules& rules_;
  const NodeTable& table_;
  std::string text_;
  std::map<int64_t, int> number_;
  int next_ = 0;
};

std::string UnfoldingOf(const Any& value, bool* small) {
  NodeTable table = NodeTable::Parse(SaveJSON(value));
  table.Normalize(TestRules());
  std::string text;
  *small = Unfolding(TestRules(), table).Run(&text);
  return text;
}

TEST(DeduplicateProperty, MergedFunctionsUnfoldToTheSame) {
  uint64_t merged = 0;
  int compared = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    GenOptions gen;
    gen.well_scoped = seed % 3 != 0;
    NodeTable table = RandomGraph(seed + 40000, gen);
    if (seed % 2 == 0) CopySomeNodes(TestRules(), &table, seed, 4);
    table = Twice(TestRules(), table);
    const Any value = LoadTable(table).value;
    DeduplicateOptions options = FileOptions();
    const uint64_t without = Deduplicate(value, options).after().objects;
    options.merge_functions = true;
    const DeduplicateResult result = CheckGraph(value, options);
    merged += without - result.after().objects;
    bool small = false;
    const std::string wanted = UnfoldingOf(value, &small);
    if (!small) continue;
    ++compared;
    ASSERT_EQ(UnfoldingOf(result.value, &small), wanted);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(merged, 3000u);
  EXPECT_GT(compared, 2000);
}

// Copies of a graph whose variables are all bound inside, and that has nothing with an identity of its own, become one.
TEST(DeduplicateProperty, CopiesOfClosedGraphsBecomeOne) {
  static const std::set<std::string> kKeepIdentity = {"ffi.List", "ffi.Dict", "test.Token", "test.Node", "test.Global"};
  int with_variables = 0;
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE(seed);
    GenOptions gen;
    gen.max_depth = 4;
    const NodeTable table = RandomGraph(seed + 50000, gen);
    bool has_variables = false, closed = true;
    for (int64_t i : table.PostOrder(TestRules())) {
      has_variables |= table.At(i).type == "test.Var";
      closed &= kKeepIdentity.count(table.At(i).type) == 0;
    }
    if (!closed || !has_variables) continue;
    ++with_variables;
    DeduplicateOptions options = FileOptions();
    options.merge_functions = true;
    const DeduplicateResult one = CheckGraph(LoadTable(table).value, options);
    const DeduplicateResult two = CheckGraph(LoadTable(Twice(TestRules(), table)).value, options);
    EXPECT_EQ(two.after().objects, one.after().objects + 1);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(with_variables, 100);
}

// ---- Real graphs ---------------------------------------------------------------------------------------------------

TEST(DeduplicateProperty, RealModules) {
  for (const char* version : {"tvm-0.25", "tvm-0.26", "tvm-0.27"}) {
    const TypeRules rules(testing::ReadText(std::string(TRANSOM_SOURCE_DIR) + "/schema/" + version + ".json"));
    const NodeTable one =
        NodeTable::Parse(testing::ReadText(std::string(TRANSOM_TEST_DATA_DIR) + "/" + version + "/lm2.0-import.json"));
    for (const NodeTable& table : {one, Twice(rules, one)}) {
      SCOPED_TRACE(version);
      const DeduplicateResult result = CheckGraph(LoadTable(table, {}).value, FileOptions());
      EXPECT_EQ(result.after().objects, Model(rules, table, false).ObjectsLeft());
      EXPECT_LT(result.after().objects * 10, result.before().objects * 7);
      CheckGraph(LoadTable(table, {}).value, {});
    }
  }
}

}  // namespace
}  // namespace transom
