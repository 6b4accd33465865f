// Random graphs and real modules through .tsm files.
#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/formats/json_graph.h>
#include <transom/formats/tsm.h>

#include <filesystem>
#include <string>
#include <vector>

#include "formats/tsm_text.h"
#include "support/graph_gen.h"
#include "support/library.h"
#include "support/native_types.h"
#include "support/rng.h"

namespace transom {
namespace {

using testing::ExpectRoundTrip;
using testing::LoadTable;
using testing::RandomGraph;
using testing::Rng;
using testing::TextOf;

TEST(TsmProperty, RandomRecords) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    testing::GenOptions options;
    options.well_scoped = seed % 2 == 0;
    options.wild_keys = seed % 3 == 0;
    ExpectRoundTrip(LoadTable(RandomGraph(seed + 70000, options)).value);
    if (::testing::Test::HasFailure()) return;
  }
}

// Values made of native objects of every kind, with parts that are shared and parts that are records of no library.
class Mixture {
 public:
  explicit Mixture(uint64_t seed) : rng_(seed) {}

  Any Make(int depth) {
    if (!made_.empty() && rng_.OneIn(5)) return rng_.Pick(made_);
    Any value = depth > 0 ? Inner(depth - 1) : Leaf();
    made_.push_back(value);
    return value;
  }

 private:
  Any Leaf() {
    switch (rng_.Below(9)) {
      case 0:
        return Any();
      case 1:
        return static_cast<int64_t>(rng_.Next());
      case 2:
        return 0.25;
      case 3:
        return String(std::string(rng_.Below(20), 'a'));
      case 4:
        return Bytes(std::string(rng_.Below(20), '\0'));
      case 5:
        return testing::MakeToken(static_cast<int64_t>(rng_.Below(3)));
      case 6:
        return testing::Op("op" + std::to_string(rng_.Below(3)));
      case 7:
        return LoadTable(RandomGraph(rng_.Below(50))).value;
      default:
        return testing::Var("v" + std::to_string(rng_.Below(3)));
    }
  }

  Any Inner(int depth) {
    switch (rng_.Below(12)) {
      case 0:
        return testing::Call("call", Items(depth), rng_.OneIn(2) ? Make(depth) : Any());
      case 1:
        return testing::Const(Make(depth));
      case 2:
        return testing::Node(Make(depth));
      case 3:
        return testing::Lambda({testing::Var("x"), testing::Var("y")}, Make(depth));
      case 4:
        return testing::Let(testing::Var("z"), Make(depth), Make(depth));
      case 5:
        return testing::Plain(Make(depth));
      case 6:
        return Dict<Any, Any>{{static_cast<int64_t>(rng_.Below(5)), Make(depth)}};
      case 7:
        return Scalars(depth);
      case 8:
        return List<Any>{Make(depth), Make(depth)};
      case 9:
        return Map<Any, Any>{{"a", Make(depth)}, {static_cast<int64_t>(rng_.Below(9)), Make(depth)}};
      case 10:
        return Dict<Any, Any>{{Make(0), Make(depth)}};
      default:
        return Items(depth);
    }
  }

  Array<Any> Items(int depth) {
    Array<Any> items;
    for (size_t i = rng_.Below(4); i > 0; --i) items = std::move(items).push_back(Make(depth));
    return items;
  }

  Any Scalars(int depth) {
    auto obj = make_object<testing::ScalarsObj>();
    obj->i = static_cast<int64_t>(rng_.Next());
    obj->narrow = static_cast<int32_t>(rng_.Next());
    obj->tiny = static_cast<uint8_t>(rng_.Next());
    obj->single = 0.1f;
    obj->b = rng_.OneIn(2);
    obj->s = String(std::string(rng_.Below(20), 's'));
    if (rng_.OneIn(2)) obj->maybe = 7;
    obj->any = Make(depth);
    return obj;
  }

  Rng rng_;
  std::vector<Any> made_;
};

TEST(TsmProperty, RandomNativesAndMixtures) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    ExpectRoundTrip(Mixture(seed).Make(5));
    if (::testing::Test::HasFailure()) return;
  }
}

std::vector<std::string> TvmFiles() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(TRANSOM_TEST_DATA_DIR)) {
    const std::string path = entry.path().string();
    if (path.find("/tvm-") != std::string::npos && entry.path().extension() == ".json") files.push_back(path);
  }
  return files;
}

TEST(TsmProperty, RealModulesComeBackByteForByte) {
  EXPECT_GE(TvmFiles().size(), 10u);
  for (const std::string& file : TvmFiles()) {
    SCOPED_TRACE(file);
    const std::string text = testing::ReadText(file);
    const LoadResult loaded = LoadJSON(text);
    SaveOptions save;
    save.metadata = loaded.metadata;
    const std::string bytes = SaveTSM(loaded.value, save);
    const LoadResult again = LoadTSM(bytes);
    EXPECT_TRUE(again.schema_in_file);
    EXPECT_EQ(again.schema->name(), loaded.schema->name());
    EXPECT_EQ(again.record_types, loaded.record_types);
    EXPECT_EQ(again.num_nodes, loaded.num_nodes);
    save.metadata = again.metadata;
    EXPECT_TRUE(SaveJSON(again.value, save) == text);
    EXPECT_TRUE(SaveTSM(again.value, save) == bytes);
    EXPECT_EQ(testing::FileDigest(again.value), testing::FileDigest(loaded.value));
  }
}

TEST(TsmProperty, DeepWideAndSharedGraphs) {
  for (const testing::NodeTable& table :
       {testing::DiamondGraph(200), testing::DeepGraph(200000), testing::WideGraph(200000)}) {
    const Any value = LoadTable(table).value;
    const std::string bytes = SaveTSM(value);
    const Any again = LoadTSM(bytes).value;
    EXPECT_TRUE(TextOf(again) == TextOf(value));
    EXPECT_TRUE(SaveTSM(again) == bytes);
  }
}

}  // namespace
}  // namespace transom
