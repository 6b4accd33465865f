// .tsm files on disk: mapped tensors, checks of tensors, pipes, large files, inspection without loading.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <transom/containers/array.h>
#include <transom/containers/map.h>
#include <transom/containers/tensor.h>
#include <transom/formats/inspect.h>
#include <transom/runtime/function.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "formats/tsm/tsm_file.h"
#include "formats/tsm_text.h"
#include "support/bounded.h"
#include "support/graph_gen.h"
#include "support/library.h"
#include "support/native_types.h"
#include "support/scratch_folder.h"
#include "support/tsm_file.h"

namespace transom {
namespace {

namespace fs = std::filesystem;
using testing::ErrorOf;
using testing::ReadText;
using testing::TextOf;

class TsmFiles : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.PathTo(name); }
  size_t NumFiles() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }

  testing::ScratchFolder folder_;
};

Tensor Filled(int64_t size, char byte) {
  Tensor tensor = Tensor::Empty({size}, DataType::Int(8));
  std::memset(tensor.data_ptr(), byte, static_cast<size_t>(size));
  return tensor;
}

char* DataOf(const Any& tensor) { return static_cast<char*>(tensor.cast<Tensor>().data_ptr()); }

TEST_F(TsmFiles, SaveToFileWritesWhatSaveTSMGives) {
  SaveOptions options;
  options.metadata = "{\"a\": 1}";
  const Any value = Array<Any>{Filled(100, 1), String(std::string(70000, 'x')), testing::Call("f")};
  SaveToFile(value, Path("a.tsm"), options);
  EXPECT_TRUE(ReadText(Path("a.tsm")) == SaveTSM(value, options));
  const LoadResult result = LoadFromFile(Path("a.tsm"));
  EXPECT_EQ(result.format, FileFormat::kTsm);
  EXPECT_EQ(result.metadata, options.metadata);
  EXPECT_EQ(TextOf(result.value), TextOf(value));
  SaveToFile(value, Path("a.b64"), options);
  EXPECT_EQ(LoadFromFile(Path("a.b64")).format, FileFormat::kBase64);
  EXPECT_EQ(TextOf(LoadFromFile(Path("a.b64")).value), TextOf(value));
  EXPECT_EQ(ReadText(Path("a.b64")).back(), '\n');
}

TEST_F(TsmFiles, ContentTellsTheFormat) {
  SaveToFile(7, Path("a"), {}, FileFormat::kTsm);
  EXPECT_EQ(LoadFromFile(Path("a")).format, FileFormat::kTsm);
  EXPECT_EQ(ErrorOf([&] { LoadFromFile(Path("a"), {}, FileFormat::kJson); }).substr(0, 12), "ValueError: ");
  EXPECT_EQ(ErrorOf([&] { LoadFromFile(Path("a"), {}, FileFormat::kBase64); }).find("expected base64 text") ==
                std::string::npos,
            false);
  WriteFile(Path("b"), "{\"root_index\":0,\"nodes\":[{\"type\":\"int\",\"data\":1}]}");
  EXPECT_NE(ErrorOf([&] { LoadFromFile(Path("b"), {}, FileFormat::kTsm); }).find(Path("b") + ": "), std::string::npos);
  WriteFile(Path("c"), "");
  EXPECT_NE(ErrorOf([&] { LoadFromFile(Path("c"), {}, FileFormat::kTsm); }).find("has 0 bytes"), std::string::npos);
  EXPECT_EQ(ErrorOf([&] { LoadFromFile(Path("none.tsm")); }),
            "OSError: " + Path("none.tsm") + ": cannot be opened: No such file or directory");
}

TEST_F(TsmFiles, MappedTensorsAreAligned) {
  for (size_t length = 0; length < 64; ++length) {
    SaveOptions options;
    if (length != 0) options.metadata = "\"" + std::string(length, 'm') + "\"";
    SaveToFile(Array<Any>{Filled(3, 1), Filled(65, 2), String(std::string(65537 + length, 's')), Filled(1, 3)},
               Path("a.tsm"), options);
    const Array<Any> items = LoadFromFile(Path("a.tsm")).value.cast<Array<Any>>();
    for (const int64_t i : {0, 1, 3}) EXPECT_EQ(reinterpret_cast<uintptr_t>(DataOf(items[i])) % 64, 0u) << length;
    EXPECT_EQ(DataOf(items[1])[64], 2);
  }
}

TEST_F(TsmFiles, MappedTensorsOutliveTheResult) {
  SaveToFile(Map<String, Any>{{"t", Filled(5000, 7)}, {"other", Filled(100, 1)}}, Path("a.tsm"));
  Any tensor = LoadFromFile(Path("a.tsm")).value.cast<Map<String, Any>>().at("t");
  EXPECT_EQ(DataOf(tensor)[4999], 7);
  // A new file in its place leaves what is mapped.
  SaveToFile(1, Path("a.tsm"));
  EXPECT_EQ(DataOf(tensor)[0], 7);
  fs::remove(Path("a.tsm"));
  EXPECT_EQ(DataOf(tensor)[4096], 7);
}

TEST_F(TsmFiles, WritesToMappedTensorsStayInTheProcess) {
  SaveToFile(Filled(100000, 7), Path("a.tsm"));
  const std::string before = ReadText(Path("a.tsm"));
  const Any tensor = LoadFromFile(Path("a.tsm")).value;
  std::memset(DataOf(tensor), 9, 100000);
  EXPECT_TRUE(ReadText(Path("a.tsm")) == before);
  EXPECT_EQ(DataOf(LoadFromFile(Path("a.tsm")).value)[0], 7);
  SaveToFile(tensor, Path("a.tsm"));
  EXPECT_EQ(DataOf(LoadFromFile(Path("a.tsm")).value)[99999], 9);
}

TEST_F(TsmFiles, TensorsWithEqualBytesShareTheMapping) {
  SaveToFile(Array<Any>{Filled(1000, 7), Filled(1000, 7)}, Path("a.tsm"));
  const Array<Any> mapped = LoadFromFile(Path("a.tsm")).value.cast<Array<Any>>();
  EXPECT_EQ(DataOf(mapped[0]), DataOf(mapped[1]));
  LoadOptions options;
  options.copy_tensors = true;
  const Array<Any> copied = LoadFromFile(Path("a.tsm"), options).value.cast<Array<Any>>();
  EXPECT_NE(DataOf(copied[0]), DataOf(copied[1]));
  DataOf(copied[0])[0] = 1;
  EXPECT_EQ(DataOf(copied[1])[0], 7);
}

TEST_F(TsmFiles, AFlippedByteOfATensor) {
  SaveToFile(Filled(1000, 7), Path("a.tsm"));
  std::string bytes = ReadText(Path("a.tsm"));
  bytes[bytes.find(std::string(100, '\7')) + 50] = 8;
  WriteFile(Path("a.tsm"), bytes);
  EXPECT_EQ(DataOf(LoadFromFile(Path("a.tsm")).value)[50], 8) << "a mapped load touches no tensor";
  LoadOptions check, copy;
  check.check_tensors = true;
  copy.copy_tensors = true;
  for (const LoadOptions& options : {check, copy}) {
    EXPECT_NE(
        ErrorOf([&] { LoadFromFile(Path("a.tsm"), options); }).find("does not have the checksum that the file states"),
        std::string::npos);
  }
  EXPECT_NE(ErrorOf([&] { LoadTSM(bytes); }).find("does not have the checksum"), std::string::npos);
}

// Long texts are read by every load, so every load checks them.
TEST_F(TsmFiles, AFlippedByteOfALongText) {
  SaveToFile(
      Array<Any>{String(std::string(70000, 'x')), Bytes(std::string(70001, 'y')), testing::Op(std::string(70002, 'z'))},
      Path("a.tsm"));
  const std::string good = ReadText(Path("a.tsm"));
  for (const char c : {'x', 'y', 'z'}) {
    std::string bytes = good;
    bytes[bytes.find(std::string(100, c)) + 50] = 'w';
    WriteFile(Path("a.tsm"), bytes);
    EXPECT_NE(ErrorOf([&] { LoadFromFile(Path("a.tsm")); }).find("does not have the checksum that the file states"),
              std::string::npos)
        << c;
  }
}

TEST_F(TsmFiles, UnalignedMemory) {
  const Any value = Array<Any>{Filled(100, 1), 2.5, int64_t{1} << 40, testing::Call("f", {1})};
  const std::string bytes = SaveTSM(value);
  for (size_t shift = 0; shift < 16; ++shift) {
    const std::string moved = std::string(shift, ' ') + bytes;
    EXPECT_EQ(TextOf(LoadTSM(std::string_view(moved).substr(shift)).value), TextOf(value));
    EXPECT_EQ(TextOf(LoadFromBytes(std::string_view(moved).substr(shift)).value), TextOf(value));
  }
}

TEST_F(TsmFiles, ASymbolicLinkStaysOne) {
  SaveToFile(1, Path("target.tsm"));
  fs::create_symlink("target.tsm", Path("link.tsm"));
  SaveToFile(2, Path("link.tsm"));
  EXPECT_TRUE(fs::is_symlink(Path("link.tsm")));
  EXPECT_EQ(LoadFromFile(Path("target.tsm")).value.cast<int>(), 2);
  EXPECT_EQ(LoadFromFile(Path("link.tsm")).value.cast<int>(), 2);
}

TEST_F(TsmFiles, AnErrorLeavesWhatWasThere) {
  SaveToFile(1, Path("a.tsm"));
  EXPECT_EQ(ErrorOf([&] {
              SaveToFile(Array<Any>{1, Function::FromTyped([] {})}, Path("a.tsm"));
            }).substr(0, 12),
            "ValueError: ");
  const auto write = [&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    return ErrorOf([&] { SaveToFile(Filled(100000, 1), Path("a.tsm")); });
  };
  testing::ExpectBounded(write, "OSError: .*a.tsm: cannot be written: File too large");
  EXPECT_EQ(LoadFromFile(Path("a.tsm")).value.cast<int>(), 1);
  EXPECT_EQ(NumFiles(), 1u);
  EXPECT_EQ(ErrorOf([&] { SaveToFile(1, Path("none/a.tsm")); }),
            "OSError: " + Path("none/a.tsm") + ": cannot be written: No such file or directory");
  if (geteuid() != 0) {  // who may write everywhere cannot see this
    fs::permissions(folder_.path(), fs::perms::owner_read | fs::perms::owner_exec);
    EXPECT_EQ(ErrorOf([&] { SaveToFile(1, Path("b.tsm")); }),
              "OSError: " + Path("b.tsm") + ": cannot be written: Permission denied");
    fs::permissions(folder_.path(), fs::perms::owner_all);
  }
}

TEST_F(TsmFiles, Pipes) {
  const Any value = Array<Any>{Filled(300000, 1), testing::Call("f")};
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  std::thread writer([&] { SaveToFile(value, Path("pipe"), {}, FileFormat::kTsm); });
  const LoadResult result = LoadFromFile(Path("pipe"));
  writer.join();
  EXPECT_EQ(result.format, FileFormat::kTsm);
  EXPECT_TRUE(TextOf(result.value) == TextOf(value));
  EXPECT_TRUE(fs::is_fifo(Path("pipe")));
}

TEST_F(TsmFiles, StandardOutputAndInput) {
  const int out = dup(STDOUT_FILENO), in = dup(STDIN_FILENO);
  int file = open(Path("a.tsm").c_str(), O_RDWR | O_CREAT, 0600);
  dup2(file, STDOUT_FILENO);
  const std::string error = ErrorOf([&] { SaveToFile(testing::Call("f"), "-", {}, FileFormat::kTsm); });
  dup2(out, STDOUT_FILENO);
  EXPECT_EQ(error, "no error");
  lseek(file, 0, SEEK_SET);
  dup2(file, STDIN_FILENO);
  EXPECT_EQ(TextOf(LoadFromFile("-").value), TextOf(testing::Call("f")));
  dup2(in, STDIN_FILENO);
  for (const int fd : {out, in, file}) close(fd);
}

// A tensor of 5 GB that takes no place on the disk: its elements are a hole.
void WriteSparse(const std::string& path, uint64_t size) {
  testing::TsmParts parts =
      testing::TsmParts::Of(SaveTSM(Map<String, Any>{{"weights", Filled(1, 1)}, {"call", testing::Call("f")}}));
  parts.graph.blobs[0] = tsm::Blob(size, 0);
  parts.Group(tsm::Form::Tensor).columns[2]->i64 = {static_cast<int64_t>(size)};
  const std::string graph = parts.GraphBytes();
  const std::string footer = formats::TsmFooter::Write(graph, size);
  const uint64_t footer_begin = formats::AlignTsm(formats::AlignTsm(graph.size()) + size);
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT, 0600);
  EXPECT_EQ(pwrite(fd, graph.data(), graph.size(), 0), static_cast<ssize_t>(graph.size()));
  EXPECT_EQ(pwrite(fd, footer.data(), footer.size(), static_cast<off_t>(footer_begin)),
            static_cast<ssize_t>(footer.size()));
  close(fd);
}

TEST_F(TsmFiles, LargerThanAllLimitsOf32Bits) {
  constexpr uint64_t kSize = uint64_t{5} << 30;
  WriteSparse(Path("a.tsm"), kSize);
  const auto work = [&] {
    const GraphStatistics statistics = InspectStatistics(Path("a.tsm"));
    const Map<String, Any> value = LoadFromFile(Path("a.tsm")).value.cast<Map<String, Any>>();
    char* data = DataOf(value.at("weights"));
    data[kSize - 1] = static_cast<char>(data[kSize - 2] + 5);
    return std::to_string(statistics.tensor_bytes) + " " + std::to_string(data[kSize - 1]) + " " +
           std::to_string(value.at("weights").cast<Tensor>().size(0)) + " " +
           std::to_string(InspectSchemas(Path("a.tsm")).size());
  };
  // Two mappings at once at most, and little beside them.
  testing::ExpectBounded(work, "^5368709120 5 5368709120 1$", 2 * kSize + (uint64_t{100} << 20));
  WriteSparse(Path("b.tsm"), uint64_t{1} << 40);
  testing::ExpectBounded([&] { return std::to_string(InspectStatistics(Path("b.tsm")).tensor_bytes); },
                         "^1099511627776$", (uint64_t{1} << 40) + (uint64_t{100} << 20));
}

// ---- Inspection

void ExpectSameStatistics(const GraphStatistics& a, const GraphStatistics& b) {
  EXPECT_EQ(a.objects, b.objects);
  EXPECT_EQ(a.edges, b.edges);
  EXPECT_EQ(a.shared, b.shared);
  EXPECT_EQ(a.max_depth, b.max_depth);
  EXPECT_EQ(a.tree_size, b.tree_size);
  EXPECT_EQ(a.tensors, b.tensors);
  EXPECT_EQ(a.tensor_bytes, b.tensor_bytes);
  ASSERT_EQ(a.types.size(), b.types.size());
  for (size_t i = 0; i < a.types.size(); ++i) {
    EXPECT_EQ(a.types[i].type_key, b.types[i].type_key);
    EXPECT_EQ(a.types[i].count, b.types[i].count) << a.types[i].type_key;
    EXPECT_EQ(a.types[i].bytes, b.types[i].bytes) << a.types[i].type_key;
  }
}

std::vector<std::string> TextsOf(const std::vector<schema::SchemaRef>& schemas) {
  std::vector<std::string> texts;
  for (const schema::SchemaRef& schema : schemas) texts.push_back(schema->ToJSON());
  return texts;
}

void ExpectInspection(const Any& value, const std::string& stem, const std::string& metadata = "") {
  SaveOptions save;
  save.metadata = metadata;
  for (const LoadTypes types : {LoadTypes::kNative, LoadTypes::kRecords}) {
    LoadOptions options;
    options.types = types;
    for (const char* suffix : {".tsm", ".b64"}) {
      SaveToFile(value, stem + suffix, save);
      ExpectSameStatistics(InspectStatistics(stem + suffix, options),
                           Statistics(LoadFromFile(stem + suffix, options).value));
    }
  }
  EXPECT_EQ(TextsOf(InspectSchemas(stem + ".tsm")), TextsOf(InspectSchemas(stem + ".b64")));
}

TEST_F(TsmFiles, InspectionOfRealModules) {
  for (const char* name : {"tvm-0.25/const", "tvm-0.25/lm2.0-import", "tvm-0.26/lm2.0-import",
                           "tvm-0.27/lm2.1-legalize", "tvm-0.27/lm2.4-fusetir"}) {
    SCOPED_TRACE(name);
    const std::string json = std::string(TRANSOM_TEST_DATA_DIR) + "/" + name + ".json";
    const LoadResult loaded = LoadFromFile(json);
    ExpectInspection(loaded.value, Path("a"), loaded.metadata);
    ExpectSameStatistics(InspectStatistics(json), InspectStatistics(Path("a.tsm")));
    EXPECT_EQ(TextsOf(InspectSchemas(json)), TextsOf(InspectSchemas(Path("a.tsm"))));
  }
}

TEST_F(TsmFiles, InspectionOfRandomGraphs) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    ExpectInspection(testing::LoadTable(testing::RandomGraph(seed + 90000)).value, Path("a"));
  }
}

TEST_F(TsmFiles, InspectionOfRegisteredTypes) {
  auto scalars = make_object<testing::ScalarsObj>();
  scalars->s = "a text of some length";
  const Any shared = testing::Const("another text of some length");
  const Any value =
      Array<Any>{testing::Call("f", {shared, shared}, "f"), scalars, testing::Op("add"), Filled(100, 1), shared,
                 make_object<testing::DefaultsObj>()};
  ExpectInspection(value, Path("a"));
  for (const Any& plain : std::vector<Any>{7, nullptr, "short", String("a text of some length"), Array<Any>{}})
    ExpectInspection(plain, Path("a"));
}

// JSON may leave the descriptions to the registry.
TEST_F(TsmFiles, InspectionOfJsonWithoutASchema) {
  SaveOptions never;
  never.embed_schema = EmbedSchema::kNever;
  SaveToFile(testing::Call("f", {testing::MakeToken(1)}), Path("a.json"), never);
  const std::vector<schema::SchemaRef> schemas = InspectSchemas(Path("a.json"));
  ASSERT_EQ(schemas.size(), 1u);
  EXPECT_NE(schemas[0]->Find("native.Call"), nullptr);
  EXPECT_NE(schemas[0]->Find("native.Token"), nullptr);
  EXPECT_EQ(schemas[0]->Find("native.Const"), nullptr);
  EXPECT_EQ(InspectStatistics(Path("a.json")).objects, 3u);
  // A schema that knows some of the types.
  LoadOptions options;
  options.schema = schema::Schema::FromRegistry("some", {"native.Token"});
  EXPECT_EQ(InspectSchemas(Path("a.json"), options).at(0)->types().size(), 2u);
  SaveToFile(Array<Any>{1, 2}, Path("plain.json"));
  EXPECT_TRUE(InspectSchemas(Path("plain.json")).empty());
}

}  // namespace
}  // namespace transom
