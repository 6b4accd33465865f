// Files that were written once and stay: later versions must read them, and the tables must keep their fields.
#include <gtest/gtest.h>
#include <transom/formats/inspect.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "formats/tsm_damaged_graph.h"
#include "formats/tsm_text.h"
#include "support/library.h"
#include "support/tsm_file.h"

namespace transom {
namespace {

using testing::ReadText;

// Files of version 0 may be replaced until version 1.0, by a run with TRANSOM_UPDATE_GOLDEN=1; those of 1.0 and later
// never.
bool Update() { return std::getenv("TRANSOM_UPDATE_GOLDEN") != nullptr; }

std::string Folder() { return std::string(TRANSOM_TEST_DATA_DIR) + "/tsm"; }

// The program's version stands in the file too.
std::string WithoutProducer(const std::string& file) {
  testing::TsmParts parts = testing::TsmParts::Of(file);
  parts.graph.producer.clear();
  return parts.ToFile();
}

bool SameFile(const std::string& a, const std::string& b) { return WithoutProducer(a) == WithoutProducer(b); }

Any AllKinds() {
  Array<Any> values = testing::StoreValue().cast<Array<Any>>();
  const Any item = values[17], other = values[18];
  const Tensor scalar = Tensor::Empty({}, DataType::Int(64));
  std::memset(scalar.data_ptr(), 1, scalar.NumBytes());
  for (const Any& value : std::vector<Any>{-0.0,
                                           HUGE_VAL,
                                           -HUGE_VAL,
                                           std::nan(""),
                                           5e-324,
                                           INT64_MIN,
                                           INT64_MAX,
                                           false,
                                           "seven77",
                                           "eight888",
                                           "",
                                           String(std::string("a\0b\xFF", 4)),
                                           Bytes(std::string("\0\xFF", 2)),
                                           BigInt::FromDecimal("-123456789012345678901234567890"),
                                           Shape{},
                                           Device(kDLCUDA, 3),
                                           DataType::FromString("float8_e4m3fn"),
                                           DataType::FromString("int32x4"),
                                           Array<Any>{},
                                           List<Any>{},
                                           Map<Any, Any>{},
                                           Dict<Any, Any>{},
                                           scalar,
                                           item,
                                           other}) {
    values = std::move(values).push_back(value);
  }
  return Map<Any, Any>{
      {"values", values}, {item, Array<Any>{values, other}}, {1.5, Dict<Any, Any>{{Bytes(std::string("k")), scalar}}}};
}

TEST(TsmGolden, ValuesOfAllKinds) {
  SaveOptions options;
  options.metadata = R"({"written by" : ["a test",1.50]})";
  if (Update()) WriteFile(Folder() + "/values.json", SaveJSON(AllKinds(), options));
  EXPECT_TRUE(SaveJSON(AllKinds(), options) == ReadText(Folder() + "/values.json"));
}

// The JSON graph, schema included, beside the file.
std::vector<std::string> Stems() {
  std::vector<std::string> stems;
  for (const auto& entry : std::filesystem::directory_iterator(Folder())) {
    if (entry.path().extension() == ".json") stems.push_back(entry.path().stem().string());
  }
  return stems;
}

SaveOptions WithMetadata(const LoadResult& loaded) {
  SaveOptions options;
  options.metadata = loaded.metadata;
  return options;
}

TEST(TsmGolden, FilesOfVersion01) {
  EXPECT_GE(Stems().size(), 2u);
  for (const std::string& stem : Stems()) {
    SCOPED_TRACE(stem);
    const std::string path = Folder() + "/" + stem, text = ReadText(path + ".json");
    const LoadResult wanted = LoadJSON(text);
    if (Update()) SaveToFile(wanted.value, path + ".tsm", WithMetadata(wanted));
    const std::string bytes = ReadText(path + ".tsm");
    const LoadResult loaded = LoadTSM(bytes);
    EXPECT_TRUE(SaveJSON(loaded.value, WithMetadata(loaded)) == text);
    EXPECT_EQ(loaded.metadata, wanted.metadata);
    EXPECT_EQ(testing::FileDigest(loaded.value), testing::FileDigest(wanted.value));
    EXPECT_TRUE(SameFile(SaveTSM(wanted.value, WithMetadata(wanted)), bytes))
        << "what is written has changed: that needs a new version";
    EXPECT_TRUE(SameFile(SaveTSM(loaded.value, WithMetadata(loaded)), bytes));
  }
}

// The same for a file with two descriptions of one type, which no JSON graph can hold: its parts are kept as JSON.
TEST(TsmGolden, AFileOfVersion01WithTwoSchemas) {
  const std::string path = Folder() + "/two-schemas.tsm";
  Array<Any> parts;
  for (const char* part : {"/two-schemas.old", "/two-schemas.new"})
    parts = std::move(parts).push_back(LoadJSON(ReadText(Folder() + part)).value);
  if (Update()) SaveToFile(parts, path);
  const std::string bytes = ReadText(path);
  const LoadResult loaded = LoadTSM(bytes);
  EXPECT_EQ(loaded.schemas.size(), 2u);
  EXPECT_TRUE(SameFile(SaveTSM(loaded.value), bytes));
  EXPECT_TRUE(SameFile(SaveTSM(parts), bytes));
  const Array<Any> items = loaded.value.cast<Array<Any>>();
  for (const int64_t i : {0, 1}) EXPECT_EQ(SaveJSON(items[i]), SaveJSON(parts[i]));
}

// ---- The FlatBuffers schema

std::string WithoutComments(const std::string& text) { return std::regex_replace(text, std::regex("//[^\n]*"), ""); }

// Lines "Table field id type" of schema/tsm.fbs, and "Enum name value".
std::map<std::string, std::string> FieldsOfSchema() {
  const std::string text = WithoutComments(ReadText(std::string(TRANSOM_SOURCE_DIR) + "/schema/tsm.fbs"));
  std::map<std::string, std::string> fields;
  const std::regex block(R"((table|struct|enum)\s+(\w+)\s*(?::\s*\w+\s*)?\{([^}]*)\})");
  for (std::sregex_iterator it(text.begin(), text.end(), block), end; it != end; ++it) {
    const std::string kind = (*it)[1], name = (*it)[2], body = (*it)[3];
    const std::regex item(kind == "enum" ? R"((\w+)\s*=\s*(\d+))"
                                         : R"((\w+)\s*:\s*(\[?\w+\]?)\s*(?:\(id:\s*(\d+)[^)]*\))?\s*;)");
    int position = 0;
    for (std::sregex_iterator f(body.begin(), body.end(), item); f != end; ++f, ++position) {
      const std::string key = name + "." + (*f)[1].str();
      if (kind == "enum") {
        fields[key] = (*f)[2];
      } else {
        EXPECT_TRUE(kind == "struct" || (*f)[3].matched) << key << " has no id";
        fields[key] = (kind == "struct" ? std::to_string(position) : (*f)[3].str()) + " " + (*f)[2].str();
      }
    }
  }
  return fields;
}

// What was released is there for ever: a field that is gone, has moved or has another type fails here. New ones join
// fields.txt.
TEST(TsmGolden, FieldsKeepTheirNumbersAndTypes) {
  std::map<std::string, std::string> now = FieldsOfSchema(), kept;
  EXPECT_GT(now.size(), 60u);
  if (Update()) {
    std::ofstream out(Folder() + "/fields.txt");
    for (const auto& [name, rest] : now) out << name << " " << rest << "\n";
  }
  std::istringstream lines(ReadText(Folder() + "/fields.txt"));
  for (std::string line; std::getline(lines, line);)
    kept[line.substr(0, line.find(' '))] = line.substr(line.find(' ') + 1);
  for (const auto& [name, rest] : kept) EXPECT_EQ(now[name], rest) << name << " has been in released files";
  for (const auto& [name, rest] : now)
    EXPECT_EQ(kept[name], rest) << name << " is new: add it to tests/data/tsm/fields.txt";
}

}  // namespace
}  // namespace transom
