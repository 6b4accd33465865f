// Saving and loading: nothing is lost, nothing depends on the order of nodes, the same value gives the same bytes.
#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/string.h>
#include <transom/formats/json_graph.h>
#include <transom/structural/equal.h>
#include <transom/structural/hash.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "support/graph_edit.h"
#include "support/graph_gen.h"
#include "support/library.h"

namespace transom {
namespace {

using testing::GenOptions;
using testing::LoadTable;
using testing::NodeTable;
using testing::RandomGraph;
using testing::Rng;
using testing::TestRules;
using testing::TestSchema;

StructuralOptions FileOptions() {
  StructuralOptions options;
  options.as_files = true;
  return options;
}

std::string Save(const Any& value, int indent = 0) {
  SaveOptions options;
  options.embed_schema = EmbedSchema::kNever;
  options.indent = indent;
  return SaveJSON(value, options);
}

Any Load(const std::string& text) {
  LoadOptions options;
  options.schema = TestSchema();
  return LoadJSON(text, options).value;
}

GenOptions Wild() {
  GenOptions options;
  options.well_scoped = false;
  return options;
}

// The nodes of a graph, one a line.
std::string Lines(const NodeTable& table) {
  std::string out = "root " + std::to_string(table.root) + "\n";
  for (const testing::TableNode& node : table.nodes) out += node.type + " " + node.data.ToText() + "\n";
  return out;
}

TEST(FormatsProperty, WritesTheNodesThatAreThere) {
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    NodeTable table = RandomGraph(seed, Wild());
    NodeTable saved = NodeTable::Parse(Save(LoadTable(table).value));
    saved.UnifyFloats(TestRules());
    table.Normalize(TestRules());
    ASSERT_EQ(Lines(saved), Lines(table));
  }
}

TEST(FormatsProperty, LoadThenSaveGivesTheSameBytes) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    Any value = LoadTable(RandomGraph(seed + 10000, Wild())).value;
    std::string text = Save(value);
    Any again = Load(text);
    ASSERT_EQ(Save(again), text);
    ASSERT_TRUE(StructuralEqual::Equal(value, again, FileOptions()));
    ASSERT_EQ(StructuralDigest(value, FileOptions()), StructuralDigest(again, FileOptions()));
    std::string indented = Save(value, 2);
    ASSERT_EQ(Save(Load(indented)), text);
    ASSERT_EQ(Save(Load(indented), 2), indented);
  }
}

TEST(FormatsProperty, OrderOfNodesDoesNotMatter) {
  for (uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    NodeTable table = RandomGraph(seed + 20000);
    std::string text = Save(LoadTable(table).value);
    for (uint64_t i = 0; i < 3; ++i) {
      EditGraph(TestRules(), &table, seed * 3 + i, "permute");
      ASSERT_EQ(Save(LoadTable(table).value), text);
    }
  }
}

TEST(FormatsProperty, NodesOutOfReachAreDroppedAndCounted) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    NodeTable table = RandomGraph(seed + 30000);
    std::string text = Save(LoadTable(table).value);
    const uint64_t reachable = table.PostOrder(TestRules()).size();
    for (int i = 0; i < 3; ++i) table.Add("ffi.String", testing::JsonValue::String("nobody"));
    LoadOptions options;
    options.schema = TestSchema();
    options.count_unreachable = true;
    LoadResult result = LoadJSON(table.ToText(), options);
    EXPECT_EQ(result.num_unreachable, table.nodes.size() - reachable);
    EXPECT_EQ(Save(result.value), text);
  }
}

TEST(FormatsProperty, AFileWithItsSchemaNeedsNoOther) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Any value = LoadTable(RandomGraph(seed + 40000)).value;
    std::string text = SaveJSON(value);
    LoadResult result = LoadJSON(text);
    ASSERT_TRUE(StructuralEqual::Equal(value, result.value, FileOptions()));
    ASSERT_EQ(SaveJSON(result.value), text);
  }
}

TEST(FormatsProperty, MetadataIsKeptAsItStands) {
  for (const char* metadata :
       {"{\"a\": [1,  2.50, \"\\u0041\"], \"b\":null}", "\"text\"", "[1e5 ,-0.0]", "17", "null"}) {
    NodeTable table = RandomGraph(7);
    table.metadata = metadata;
    LoadResult result = LoadTable(table);
    EXPECT_EQ(result.metadata, metadata);
    SaveOptions options;
    options.metadata = result.metadata;
    EXPECT_NE(SaveJSON(result.value, options).find(std::string("\"metadata\":") + metadata), std::string::npos);
  }
}

TEST(FormatsProperty, RealModulesAreWrittenByteForByte) {
  const std::string folder = std::string(TRANSOM_TEST_DATA_DIR) + "/";
  for (const char* file :
       {"tvm-0.25/lm2.0-import.json", "tvm-0.25/const.json", "tvm-0.26/lm2.0-import.json", "tvm-0.26/const.json",
        "tvm-0.27/lm2.0-import.json", "tvm-0.27/lm2.1-legalize.json", "tvm-0.27/lm2.2-annotate.json",
        "tvm-0.27/lm2.4-fusetir.json", "tvm-0.27/lm2.5-dce.json", "tvm-0.27/const.json"}) {
    SCOPED_TRACE(file);
    std::string text = testing::ReadText(folder + file);
    LoadResult result = LoadJSON(text);
    SaveOptions options;
    options.metadata = result.metadata;
    EXPECT_EQ(SaveJSON(result.value, options), text);
  }
}

// Reading one release's file with another's schema is an error, never another value.
TEST(FormatsProperty, TheSchemaOfAnotherReleaseIsAnError) {
  const std::vector<std::string> releases = {"tvm-0.25", "tvm-0.26", "tvm-0.27"};
  for (const std::string& file_release : releases) {
    for (const char* file : {"lm2.0-import.json", "const.json"}) {
      const std::string text = testing::ReadText(std::string(TRANSOM_TEST_DATA_DIR) + "/" + file_release + "/" + file);
      for (const std::string& release : releases) {
        LoadOptions options;
        options.schema = schema::Schema::Bundled(release);
        SCOPED_TRACE(file_release + "/" + file + " with " + release);
        if (release == file_release) {
          EXPECT_NO_THROW(LoadJSON(text, options));
        } else {
          EXPECT_THROW(LoadJSON(text, options), Error);
        }
      }
    }
  }
}

// Values made in the process, with texts that JSON text cannot spell as they are.
class Values {
 public:
  explicit Values(uint64_t seed) : rng_(seed) {}

  Any Make(int depth) {
    if (depth > 0 && !rng_.OneIn(3)) return Inner(depth);
    switch (rng_.Below(6)) {
      case 0:
        return Any();
      case 1:
        return static_cast<int64_t>(rng_.Next());
      case 2:
        return FloatOf(rng_.Next());
      case 3:
        return String(Text());
      case 4:
        return Bytes(Text());
      default:
        return rng_.OneIn(2);
    }
  }

 private:
  static Any FloatOf(uint64_t bits) {
    double v = 0;
    std::memcpy(&v, &bits, sizeof(v));
    return v;
  }

  std::string Text() {
    std::string out(rng_.Below(12), '\0');
    for (char& c : out) c = rng_.OneIn(3) ? static_cast<char>(rng_.Next()) : static_cast<char>('a' + rng_.Below(3));
    return out;
  }

  Any Inner(int depth) {
    Array<Any> items;
    List<Any> list;
    Map<Any, Any> map;
    Dict<Any, Any> dict;
    for (size_t i = rng_.Below(4); i > 0; --i) {
      Any item = Make(depth - 1);
      items = std::move(items).push_back(item);
      list.push_back(item);
      map = std::move(map).insert(String(Text()), item);
      dict.set(static_cast<int64_t>(rng_.Below(5)), item);
    }
    switch (rng_.Below(4)) {
      case 0:
        return items;
      case 1:
        return list;
      case 2:
        return map;
      default:
        return dict;
    }
  }

  Rng rng_;
};

TEST(FormatsProperty, AnyBytesSurvive) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    Any value = Values(seed).Make(4);
    for (bool strict : {false, true}) {
      SaveOptions options;
      options.strict_json = strict;
      std::string text = SaveJSON(value, options);
      Any again = LoadJSON(text).value;
      ASSERT_TRUE(StructuralEqual::Equal(value, again)) << text;
      ASSERT_EQ(SaveJSON(again, options), text);
    }
  }
}

TEST(FormatsProperty, EveryFloatComesBackBitForBit) {
  std::vector<double> wanted = {0.1,
                                1e-8,
                                0.91872198684135509,
                                6696.1335444003935,
                                std::numeric_limits<double>::max(),
                                std::numeric_limits<double>::denorm_min(),
                                -0.0,
                                0.0,
                                1e22,
                                5e-324};
  Rng rng(5);
  for (int i = 0; i < 200000; ++i) {
    uint64_t bits = rng.Next();
    double v = 0;
    std::memcpy(&v, &bits, sizeof(v));
    if (v == v) wanted.push_back(v);
  }
  Array<Any> all;
  for (double v : wanted) all = std::move(all).push_back(Any(v));
  for (bool strict : {false, true}) {
    SaveOptions options;
    options.strict_json = strict;
    Array<Any> again = LoadJSON(SaveJSON(all, options)).value.cast<Array<Any>>();
    ASSERT_EQ(again.size(), wanted.size());
    for (size_t i = 0; i < wanted.size(); ++i) {
      double v = again[static_cast<int64_t>(i)].cast<double>();
      ASSERT_EQ(std::memcmp(&v, &wanted[i], sizeof(v)), 0) << wanted[i];
    }
  }
}

TEST(FormatsProperty, DeepAndSharedGraphs) {
  for (const NodeTable& table : {testing::DiamondGraph(200), testing::DeepGraph(200000)}) {
    Any value = LoadTable(table).value;
    std::string text = Save(value);
    EXPECT_EQ(Save(Load(text)), text);
  }
}

}  // namespace
}  // namespace transom
