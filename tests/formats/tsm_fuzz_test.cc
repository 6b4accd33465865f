// Random changes of good .tsm files behind right checksums: an error, or a value that can be used.
#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/formats/inspect.h>
#include <transom/structural/equal.h>
#include <transom/structural/hash.h>

#include <functional>
#include <string>
#include <vector>

#include "formats/tsm_damaged_graph.h"
#include "formats/tsm_text.h"
#include "support/graph_gen.h"
#include "support/library.h"
#include "support/rng.h"
#include "support/scratch_folder.h"

namespace transom {
namespace {

using testing::Rng;
using testing::TsmParts;

// Loads, and where that succeeds does what a program would do with the value. Anything but an Error fails the test.
void UseOrRefuse(const std::string& file) {
  for (const LoadTypes types : {LoadTypes::kNative, LoadTypes::kRecords}) {
    try {
      LoadOptions options;
      options.types = types;
      const LoadResult result = LoadTSM(file, options);
      const std::string saved = SaveTSM(result.value);
      EXPECT_TRUE(SaveTSM(LoadTSM(saved, options).value) == saved);
      testing::FileDigest(result.value);
      SaveJSON(result.value);
    } catch (const Error& error) {
      EXPECT_FALSE(std::string(error.message()).empty());
    } catch (const std::exception& other) {
      ADD_FAILURE() << other.what();
    }
  }
}

// Small files: of every form, of random graphs, of registered types.
std::vector<std::string> GoodFiles() {
  std::vector<std::string> files;
  {
    TsmParts parts =
        TsmParts::Of(SaveTSM(testing::StoreValue().cast<Array<Any>>().erase(19)));  // without the long text
    files.push_back(parts.ToFile());
  }
  testing::GenOptions options;
  options.max_depth = 4;
  for (uint64_t seed = 0; files.size() < 8; ++seed) {
    const std::string file = SaveTSM(testing::LoadTable(testing::RandomGraph(seed, options)).value);
    if (file.size() < 8000) files.push_back(file);
  }
  const Any var = testing::Var("x", "int");
  files.push_back(SaveTSM(Array<Any>{
      testing::Call("f", {1, testing::Const("x")}, "span"), testing::Lambda({var}, var), testing::Op("add"),
      make_object<testing::ScalarsObj>(), make_object<testing::DefaultsObj>(), make_object<testing::BoxObj>(),
      testing::Let(var, 1, testing::Node(var)), testing::MakeToken(1), testing::Plain(nullptr)}));
  return files;
}

class Mutator {
 public:
  Mutator(TsmParts& parts, Rng& rng) : parts_(parts), rng_(rng) {}

  void Change() {
    switch (rng_.Below(10)) {
      case 0:
        return ChangeItem(parts_.graph.node_groups8);
      case 1:
        return ChangeGroup();
      case 2:
        return ChangeBlobs();
      case 3:
        return parts_.EditSchema(0, [&](tsm::SchemaT& schema) { ChangeSchema(schema); });
      default:
        return ChangeColumn();
    }
  }

 private:
  tsm::GroupT& Group() { return *parts_.graph.groups[rng_.Below(parts_.graph.groups.size())]; }

  uint64_t Number() {
    static const std::vector<uint64_t> kNumbers = {
        0, 1, 2, 3, 7, 255, 65536, UINT32_MAX, uint64_t{1} << 31, uint64_t{1} << 62, UINT64_MAX};
    return rng_.OneIn(2) ? rng_.Pick(kNumbers) : rng_.Below(64);
  }

  template <class T>
  void ChangeItem(std::vector<T>& items) {
    switch (items.empty() ? 0 : rng_.Below(5)) {
      case 0:
        items.push_back(static_cast<T>(Number()));
        return;
      case 1:
        items.pop_back();
        return;
      case 2:
        std::swap(items[rng_.Below(items.size())], items[rng_.Below(items.size())]);
        return;
      case 3:
        items[rng_.Below(items.size())] = items[rng_.Below(items.size())];
        return;
      default:
        items[rng_.Below(items.size())] = static_cast<T>(Number());
    }
  }

  void ChangeGroup() {
    tsm::GroupT& group = Group();
    switch (rng_.Below(6)) {
      case 0:
        group.form = static_cast<tsm::Form>(rng_.Below(18));
        return;
      case 1:
        group.count = static_cast<uint32_t>(Number());
        return;
      case 2:
        group.type = static_cast<uint32_t>(rng_.Below(20));
        return;
      case 3:
        std::swap(group, Group());
        return;
      case 4:
        group.columns = tsm::GroupT(Group()).columns;
        return;
      default:
        group = tsm::GroupT(Group());
    }
  }

  void ChangeBlobs() {
    auto& blobs = parts_.graph.blobs;
    if (blobs.empty() || rng_.OneIn(3)) {
      parts_.AddBlob(std::string(1 + rng_.Below(200), 'b'));
    } else {
      tsm::Blob& blob = blobs[rng_.Below(blobs.size())];
      blob = tsm::Blob(rng_.OneIn(2) ? Number() : blob.size(), blob.checksum());
    }
  }

  void ChangeColumn() {
    tsm::GroupT& group = Group();
    if (group.columns.empty()) return;
    tsm::ColumnT& column = *group.columns[rng_.Below(group.columns.size())];
    if (!column.ends.empty() && rng_.OneIn(3)) return ChangeItem(column.ends);
    if (!column.u8.empty()) return ChangeItem(column.u8);
    if (!column.i64.empty()) return ChangeItem(column.i64);
    if (!column.f64.empty()) return ChangeItem(column.f64);
    if (!column.dtype.empty()) {
      column.dtype[0] = tsm::DataType(static_cast<uint8_t>(rng_.Below(20)), static_cast<uint8_t>(Number()),
                                      static_cast<uint16_t>(Number()));
      return;
    }
    if (!column.device.empty()) {
      column.device[0] = tsm::Device(static_cast<int32_t>(Number()), static_cast<int32_t>(Number()));
      return;
    }
    if (!column.u32.empty()) ChangeItem(column.u32);
  }

  void ChangeSchema(tsm::SchemaT& schema) {
    if (schema.types.empty()) return;
    tsm::TypeT& type = *schema.types[rng_.Below(schema.types.size())];
    static const std::vector<std::string> kTypes = {"int",
                                                    "Any",
                                                    "bool",
                                                    "float",
                                                    "None",
                                                    "DataType",
                                                    "Device",
                                                    "ffi.String",
                                                    "ffi.Array<Any>",
                                                    "ffi.Map<Any, int>",
                                                    "Optional<int>",
                                                    "Union<int, ffi.String>",
                                                    "native.Token",
                                                    "test.Var",
                                                    "ffi.Tensor",
                                                    "ffi.Object",
                                                    "junk<"};
    switch (rng_.Below(8)) {
      case 0:
        type.key = rng_.Pick(schema.types)->key;
        return;
      case 1:
        type.parent = rng_.Pick(schema.types)->key;
        return;
      case 2:
        type.structural = static_cast<tsm::Structural>(rng_.Below(7));
        return;
      case 3:
        type.custom_data = !type.custom_data;
        return;
      case 4:
        type.hook = !type.hook;
        return;
      default:
        if (type.fields.empty()) return;
        tsm::FieldT& field = *type.fields[rng_.Below(type.fields.size())];
        switch (rng_.Below(4)) {
          case 0:
            field.def = static_cast<tsm::DefRegion>(rng_.Below(4));
            return;
          case 1:
            field.name = rng_.Pick(type.fields)->name;
            return;
          case 2:
            field.default_json = rng_.OneIn(2) ? "null" : "1";
            return;
          default:
            field.type = rng_.Pick(kTypes);
        }
    }
  }

  TsmParts& parts_;
  Rng& rng_;
};

TEST(TsmFuzz, ChangesOfTables) {
  const std::vector<std::string> files = GoodFiles();
  Rng rng(1);
  int loaded = 0;
  for (int round = 0; round < 6000; ++round) {
    SCOPED_TRACE(round);
    TsmParts parts = TsmParts::Of(rng.Pick(files));
    for (size_t i = 1 + rng.Below(3); i > 0; --i) {
      if (!parts.graph.schemas.empty()) Mutator(parts, rng).Change();
    }
    const std::string file = parts.ToFile();
    UseOrRefuse(file);
    loaded += testing::ErrorOf([&] { LoadTSM(file); }) == "no error";
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(loaded, 300) << "changes that lead nowhere test little";
}

TEST(TsmFuzz, ChangesOfBytes) {
  const std::vector<std::string> files = GoodFiles();
  Rng rng(2);
  for (int round = 0; round < 12000; ++round) {
    SCOPED_TRACE(round);
    const std::string& file = rng.Pick(files);
    std::string graph(testing::GraphSection(file)), blobs(testing::BlobSection(file));
    for (size_t i = 1 + rng.Below(3); i > 0; --i) {
      const size_t at = rng.Below(graph.size());
      if (rng.OneIn(3) && at + 4 <= graph.size()) {
        const auto number = static_cast<uint32_t>(rng.OneIn(2) ? rng.Below(300) : rng.Next());
        graph.replace(at & ~size_t{3}, 4, reinterpret_cast<const char*>(&number), 4);
      } else {
        graph[at] = static_cast<char>(graph[at] ^ (1u << rng.Below(8)));
      }
    }
    UseOrRefuse(testing::TsmFileOf(graph, blobs));
    if (::testing::Test::HasFailure()) return;
  }
}

// Statistics and descriptions that are read without loading say the same or refuse.
TEST(TsmFuzz, InspectionOfChangedTables) {
  const std::vector<std::string> files = GoodFiles();
  const testing::ScratchFolder folder;
  const std::string path = folder.PathTo("changed.tsm");
  Rng rng(3);
  for (int round = 0; round < 500; ++round) {
    TsmParts parts = TsmParts::Of(rng.Pick(files));
    if (!parts.graph.schemas.empty()) Mutator(parts, rng).Change();
    const std::string file = parts.ToFile();
    WriteFile(path, file);
    const std::string load = testing::ErrorOf([&] { LoadTSM(file, testing::RecordsAlways()); });
    const std::string inspect = testing::ErrorOf([&] { InspectStatistics(path); });
    testing::ErrorOf([&] { InspectSchemas(path); });
    EXPECT_TRUE(load != "no error" || inspect == load) << round << ": " << inspect;
  }
}

}  // namespace
}  // namespace transom
