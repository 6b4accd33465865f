// Damaged .tsm files: every truncation, every flipped bit, and footers that say something wrong.
#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/map.h>
#include <transom/containers/tensor.h>
#include <transom/formats/tsm.h>

#include <cstring>
#include <string>
#include <vector>

#include "formats/tsm_text.h"
#include "support/native_types.h"
#include "support/tsm_file.h"

namespace transom {
namespace {

using testing::ErrorOf;
using testing::TsmFileOf;
using testing::TsmFooterFields;

// A tensor, a text in the blob section, records, a map.
const std::string& GoodFile() {
  static const std::string file = [] {
    Tensor tensor = Tensor::Empty({2, 3}, DataType::Float(32));
    std::memset(tensor.data_ptr(), 1, tensor.NumBytes());
    Tensor bits = Tensor::Empty({5}, DataType::FromString("int4"));
    std::memset(bits.data_ptr(), 7, bits.NumBytes());
    const Any record = testing::AsRecords(testing::Call("f", {1, "argument", testing::Op("add")}, 2.5));
    const Map<String, Any> map = {
        {"tensor", tensor}, {"bits", bits}, {"text", String(std::string(70000, 'x'))}, {"call", record}};
    return SaveTSM(map);
  }();
  return file;
}

// What a reader says of content that is no good file: a ValueError in one line. Anything else is told apart.
std::string Refusal(std::string_view content, const LoadOptions& options = {}) {
  const std::string error = ErrorOf([&] { LoadTSM(content, options); });
  const bool good = error.rfind("ValueError: ", 0) == 0 && error.size() > 12 && error.find('\n') == std::string::npos;
  return good ? error : "not refused as it must be: " + error;
}

bool IsRefused(std::string_view content) { return Refusal(content).rfind("ValueError: ", 0) == 0; }

// All bytes but those inside the long text, of which some stand for the others.
std::vector<size_t> PlacesOf(const std::string& file) {
  const size_t text = file.find(std::string(1000, 'x'));
  std::vector<size_t> places;
  for (size_t i = 0; i < file.size(); ++i) {
    const bool inside = i > text + 64 && i + 64 < text + 70000;
    if (!inside || i % 1009 == 0) places.push_back(i);
  }
  return places;
}

TEST(TsmDamage, EveryFlippedBit) {
  std::string file = GoodFile();
  for (const size_t i : PlacesOf(file)) {
    for (int bit = 0; bit < 8; ++bit) {
      file[i] = static_cast<char>(file[i] ^ (1 << bit));
      ASSERT_TRUE(IsRefused(file)) << "byte " << i << ", bit " << bit << ": " << Refusal(file);
      file[i] = static_cast<char>(file[i] ^ (1 << bit));
    }
  }
  EXPECT_EQ(file, GoodFile());
}

TEST(TsmDamage, EveryTruncation) {
  const std::string& file = GoodFile();
  for (const size_t size : PlacesOf(file)) {
    ASSERT_TRUE(IsRefused(std::string_view(file).substr(0, size))) << size;
    ASSERT_TRUE(IsRefused(std::string_view(file).substr(file.size() - size))) << "the last " << size;
  }
}

TEST(TsmDamage, EveryByteLost) {
  const std::string& file = GoodFile();
  for (const size_t i : PlacesOf(file)) {
    ASSERT_TRUE(IsRefused(file.substr(0, i) + file.substr(i + 1))) << i;
    if (i % 8 == 0) {
      ASSERT_TRUE(IsRefused(file.substr(0, i) + file.substr(std::min(i + 64, file.size())))) << i;
    }
  }
}

TEST(TsmDamage, BytesAdded) {
  const std::string& file = GoodFile();
  for (const std::string& more :
       {std::string(1, '\0'), std::string("\n"), std::string(64, '\0'), std::string(4096, 'x'), file}) {
    EXPECT_TRUE(IsRefused(file + more)) << Refusal(file + more);
    EXPECT_TRUE(IsRefused(more + file)) << Refusal(more + file);
    EXPECT_TRUE(IsRefused(file.substr(0, 128) + more + file.substr(128))) << Refusal(more + file);
  }
}

TEST(TsmDamage, TwoBlocksExchanged) {
  const std::string& file = GoodFile();
  for (size_t at = 0; at + 128 <= file.size(); at += at < 8192 ? 64 : 4096) {
    const std::string changed =
        file.substr(0, at) + file.substr(at + 64, 64) + file.substr(at, 64) + file.substr(at + 128);
    if (changed != file) {
      ASSERT_TRUE(IsRefused(changed)) << at;
    }
  }
}

TEST(TsmDamage, TheFirstBytesAloneTellTheFormat) {
  const std::string& file = GoodFile();
  EXPECT_EQ(DetectFormat(file), FileFormat::kTsm);
  EXPECT_EQ(DetectFormat(file.substr(0, 8)), FileFormat::kTsm);
  EXPECT_EQ(DetectFormat("garbage " + file), FileFormat::kTsm) << "by the footer";
  EXPECT_EQ(DetectFormat(file.substr(0, 7)), FileFormat::kUnknown);
  EXPECT_NE(ErrorOf([&] { LoadFromBytes(file.substr(0, 100)); }).find("truncated"), std::string::npos);
}

// ---- Messages

LoadOptions Named() {
  LoadOptions options;
  options.source = "model.tsm";
  return options;
}

std::string WithFooter(const TsmFooterFields& footer) {
  return TsmFileOf(testing::GraphSection(GoodFile()), testing::BlobSection(GoodFile()), footer);
}

TEST(TsmDamage, MessagesOfTheWholeFile) {
  const std::string& file = GoodFile();
  const std::string graph(testing::GraphSection(file)), footer_at = std::to_string(file.size() - 64);
  EXPECT_EQ(Refusal("", Named()),
            "ValueError: model.tsm: the file has 0 bytes, where a .tsm file has more than 64; it is truncated");
  EXPECT_EQ(Refusal(""), "ValueError: the file has 0 bytes, where a .tsm file has more than 64; it is truncated");
  EXPECT_EQ(Refusal(file.substr(0, 1000), Named()),
            "ValueError: model.tsm: byte 936: no footer of a .tsm file at the end; the file is truncated, or something "
            "was appended to it");
  std::string changed = file;
  changed[changed.size() - 30] ^= 1;
  EXPECT_EQ(Refusal(changed, Named()),
            "ValueError: model.tsm: byte " + footer_at +
                ": the footer does not have the checksum that it states; the file is damaged");
  changed = file;
  changed[100] ^= 1;
  EXPECT_EQ(Refusal(changed, Named()),
            "ValueError: model.tsm: byte 0: the graph section (" + std::to_string(graph.size()) +
                " bytes) does not have the checksum that the footer states; the file is damaged");
  EXPECT_EQ(Refusal(file.substr(0, 64) + file, Named()),
            "ValueError: model.tsm: the file has " + std::to_string(file.size() + 64) +
                " bytes, where its footer states " + std::to_string(file.size()) +
                "; a part is missing, or something was added");
}

TEST(TsmDamage, MessagesOfBlobs) {
  const std::string& file = GoodFile();
  const size_t text = file.find("xxxx");
  std::string changed = file;
  changed[text + 5] = 'y';
  EXPECT_EQ(Refusal(changed, Named()),
            "ValueError: model.tsm: byte " + std::to_string(text) +
                ": blob 2 (70000 bytes) does not have the checksum that the file states; the file is damaged");
  changed = file;
  changed[text - 1] = 'y';
  EXPECT_EQ(Refusal(changed, Named()), "ValueError: model.tsm: byte " + std::to_string(text - 1) +
                                           ": padding between sections must be zero; the file is damaged");
}

TEST(TsmDamage, MessagesOfFooters) {
  const std::string contradict =
      "ValueError: byte " + std::to_string(GoodFile().size() - 64) + ": the sizes in the footer contradict each other";
  EXPECT_EQ(Refusal(WithFooter({})), "not refused as it must be: no error");
  TsmFooterFields footer;
  footer.major = 1;
  footer.minor = 0;
  EXPECT_EQ(
      ErrorOf([&] { LoadTSM(WithFooter(footer)); }),
      "VersionError: the file has version 1.0 of the .tsm format, and this program reads version 0.1; read it with "
      "the Transom that wrote it, or "
      "convert it there to JSON");
  footer = {};
  footer.minor = 2;
  EXPECT_EQ(ErrorOf([&] { LoadTSM(WithFooter(footer)); }).substr(0, 38), "VersionError: the file has version 0.2");
  footer = {};
  footer.reserved = 1;
  EXPECT_EQ(Refusal(WithFooter(footer)), contradict);
  for (const int64_t more : {int64_t{-64}, int64_t{64}, int64_t{1} << 40, INT64_MIN, INT64_MAX, int64_t{-1000000}}) {
    footer = {};
    footer.more_graph_bytes = more;
    EXPECT_EQ(Refusal(WithFooter(footer)), contradict) << more;
    footer = {};
    footer.more_blob_bytes = more;
    EXPECT_EQ(Refusal(WithFooter(footer)), contradict) << more;
    footer = {};
    footer.more_file_bytes = more;
    EXPECT_NE(Refusal(WithFooter(footer)).find("where its footer states"), std::string::npos) << more;
  }
  footer = {};
  footer.more_graph_bytes = -1;
  EXPECT_NE(Refusal(WithFooter(footer)).find("the graph section"), std::string::npos);
  footer = {};
  footer.more_blob_bytes = -1;
  EXPECT_EQ(Refusal(WithFooter(footer)),
            "ValueError: blob 2 of 70000 bytes does not lie in the blob section, which has 70127 bytes");
}

TEST(TsmDamage, SectionsThatAreNoFlatBuffer) {
  const std::string message =
      "ValueError: byte 0: the graph section is no FlatBuffer of the form that docs/tsm.md defines";
  const std::string graph(testing::GraphSection(GoodFile()));
  const std::string blobs(testing::BlobSection(GoodFile()));
  for (const std::string& bad : {std::string(), std::string(4, '\0'), std::string("\x08\0\0\0TSMG", 8),
                                 std::string(1000, '\xFF'), graph.substr(0, graph.size() / 2)}) {
    EXPECT_EQ(Refusal(TsmFileOf(bad, blobs)), message);
  }
  std::string other_identifier = graph;
  other_identifier[4] = 'X';
  EXPECT_EQ(Refusal(TsmFileOf(other_identifier, blobs)), message);
}

// The graph section with an offset to a vector that leads 4 bytes further, where what was the first element is its
// length.
template <class Table>
std::string MovedBy4(const std::string& graph, const Table& table, flatbuffers::voffset_t field) {
  const auto* base = reinterpret_cast<const flatbuffers::Table*>(&table);
  const auto at =
      static_cast<size_t>(reinterpret_cast<const char*>(base) - graph.data()) + base->GetOptionalFieldOffset(field);
  uint32_t offset = 0;
  std::memcpy(&offset, graph.data() + at, sizeof(offset));
  offset += 4;
  std::string moved = graph;
  std::memcpy(moved.data() + at, &offset, sizeof(offset));
  return moved;
}

// The verifier of FlatBuffers does not look at that.
TEST(TsmDamage, VectorsThatAreNotAligned) {
  for (const auto& [value, type] :
       std::vector<std::pair<Any, std::string>>{{1, "int"}, {4.9406564584124654e-324, "float"}}) {
    const std::string bytes = SaveTSM(value), graph(testing::GraphSection(bytes));
    const tsm::Column& column = *tsm::GetGraph(graph.data())->groups()->Get(0)->columns()->Get(0);
    const auto field = type == "int" ? tsm::Column::VT_I64 : tsm::Column::VT_F64;
    EXPECT_EQ(Refusal(TsmFileOf(MovedBy4(graph, column, field), "")),
              "ValueError: group 0 (" + type + "): column 0: the vector is not aligned to 8 bytes");
  }
  const std::string file = SaveTSM(Tensor::Empty({1}, DataType::Int(8)));
  const std::string graph(testing::GraphSection(file));
  const std::string moved = MovedBy4(graph, *tsm::GetGraph(graph.data()), tsm::Graph::VT_BLOBS);
  EXPECT_EQ(Refusal(TsmFileOf(moved, testing::BlobSection(file))),
            "ValueError: the sizes of the blobs are not aligned to 8 bytes");
}

// Base64 of a damaged file, and damaged base64.
TEST(TsmDamage, Base64) {
  std::string text = SerializeToBase64(testing::Call("f", {1}));
  const auto error = [](const std::string& t) { return ErrorOf([&] { DeserializeFromBase64(t); }); };
  EXPECT_EQ(error(text), "no error");
  EXPECT_EQ(error(" " + text.substr(0, 8) + "\n" + text.substr(8) + "\r\n"), "no error");
  for (size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_EQ(error(changed).substr(0, 12), "ValueError: ") << i;
    changed[i] = '!';
    EXPECT_EQ(error(changed).rfind("ValueError: byte " + std::to_string(i) + ": expected base64 text, found a ch", 0), 0u)
        << error(changed);
    if (i % 4 != 0) {
      EXPECT_EQ(error(text.substr(0, i)).substr(0, 12), "ValueError: ") << i;
    }
  }
}

}  // namespace
}  // namespace transom
