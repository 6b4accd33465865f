// The numbers that docs/abi.md states are those of the code.
#include <gtest/gtest.h>
#include <transom/containers/detail/dense_table.h>
#include <transom/containers/map.h>
#include <transom/runtime/any_hash.h>
#include <transom/runtime/c_api.h>
#include <transom/runtime/dtype.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace transom {
namespace {

using Row = std::vector<std::string>;  // the cells of a line of a table, without backquotes around a whole cell
using Offsets = std::map<std::string, size_t>;

struct Section {
  std::string heading;
  std::vector<std::vector<Row>> tables;  // the first row of each is its head
};

Row CellsOf(const std::string& line) {
  Row cells;
  std::istringstream stream(line.substr(1));
  for (std::string cell; std::getline(stream, cell, '|');) {
    size_t first = cell.find_first_not_of(' ');
    cell = first == std::string::npos ? "" : cell.substr(first, cell.find_last_not_of(' ') - first + 1);
    bool quoted = cell.size() > 2 && cell.front() == '`' && cell.find('`', 1) == cell.size() - 1;
    if (quoted) cell = cell.substr(1, cell.size() - 2);
    cells.push_back(cell);
  }
  return cells;
}

std::string ReadPage() {
  std::ifstream file(std::string(TRANSOM_SOURCE_DIR) + "/docs/abi.md");
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

std::vector<Section> ReadSections() {
  std::vector<Section> sections(1);
  std::istringstream page(ReadPage());
  bool in_table = false;
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("#", 0) == 0) sections.push_back(Section{line, {}});
    bool row = line.rfind("|", 0) == 0;
    if (row && !in_table) sections.back().tables.emplace_back();
    if (row && line.rfind("| --", 0) != 0) sections.back().tables.back().push_back(CellsOf(line));
    in_table = row;
  }
  return sections;
}

/* Rows of the table whose head begins with these cells. */
std::vector<Row> FindTable(const Row& head) {
  for (const Section& section : ReadSections()) {
    for (const std::vector<Row>& table : section.tables) {
      if (table.front().size() >= head.size() && std::equal(head.begin(), head.end(), table.front().begin())) {
        return std::vector<Row>(table.begin() + 1, table.end());
      }
    }
  }
  return {};
}

/* Offsets in the table below a heading. */
Offsets OffsetsOf(const std::string& heading) {
  Offsets offsets;
  for (const Section& section : ReadSections()) {
    if (section.heading != heading) continue;
    const std::vector<Row>& table = section.tables.front();
    for (size_t i = 1; i < table.size(); ++i) offsets[table[i][1]] = std::stoul(table[i][0]);
  }
  return offsets;
}

#define FIELD(Struct, field) \
  { #field, offsetof(Struct, field) }
#define LAYOUT(Struct, ...) \
  EXPECT_EQ(OffsetsOf("### `" #Struct "`: " + std::to_string(sizeof(Struct)) + " bytes"), (Offsets{__VA_ARGS__}))

TEST(AbiPage, LayoutsOfValuesAndObjects) {
  LAYOUT(TVMFFIAny, FIELD(TVMFFIAny, type_index), FIELD(TVMFFIAny, zero_padding), FIELD(TVMFFIAny, v_int64));
  LAYOUT(TVMFFIObject, FIELD(TVMFFIObject, combined_ref_count), FIELD(TVMFFIObject, type_index),
         FIELD(TVMFFIObject, __padding), FIELD(TVMFFIObject, deleter));
  LAYOUT(TVMFFIByteArray, FIELD(TVMFFIByteArray, data), FIELD(TVMFFIByteArray, size));
  LAYOUT(TVMFFIFunctionCell, FIELD(TVMFFIFunctionCell, safe_call), FIELD(TVMFFIFunctionCell, cpp_call));
  LAYOUT(TVMFFIErrorCell, FIELD(TVMFFIErrorCell, kind), FIELD(TVMFFIErrorCell, message),
         FIELD(TVMFFIErrorCell, backtrace), FIELD(TVMFFIErrorCell, update_backtrace),
         FIELD(TVMFFIErrorCell, cause_chain), FIELD(TVMFFIErrorCell, extra_context));
  LAYOUT(TVMFFISeqCell, FIELD(TVMFFISeqCell, data), FIELD(TVMFFISeqCell, size), FIELD(TVMFFISeqCell, capacity),
         FIELD(TVMFFISeqCell, data_deleter));
  LAYOUT(TVMFFIShapeCell, FIELD(TVMFFIShapeCell, data), FIELD(TVMFFIShapeCell, size));
  LAYOUT(DLTensor, FIELD(DLTensor, data), FIELD(DLTensor, device), FIELD(DLTensor, ndim), FIELD(DLTensor, dtype),
         FIELD(DLTensor, shape), FIELD(DLTensor, strides), FIELD(DLTensor, byte_offset));
  LAYOUT(TVMFFIVersion, FIELD(TVMFFIVersion, major), FIELD(TVMFFIVersion, minor), FIELD(TVMFFIVersion, patch));
}

TEST(AbiPage, LayoutsOfReflectionRecords) {
  LAYOUT(TVMFFITypeInfo, FIELD(TVMFFITypeInfo, type_index), FIELD(TVMFFITypeInfo, type_depth),
         FIELD(TVMFFITypeInfo, type_key), FIELD(TVMFFITypeInfo, type_ancestors), FIELD(TVMFFITypeInfo, type_key_hash),
         FIELD(TVMFFITypeInfo, num_fields), FIELD(TVMFFITypeInfo, num_methods), FIELD(TVMFFITypeInfo, fields),
         FIELD(TVMFFITypeInfo, methods), FIELD(TVMFFITypeInfo, metadata));
  LAYOUT(TVMFFITypeMetadata, FIELD(TVMFFITypeMetadata, doc), FIELD(TVMFFITypeMetadata, creator),
         FIELD(TVMFFITypeMetadata, total_size), FIELD(TVMFFITypeMetadata, structural_eq_hash_kind));
  LAYOUT(TVMFFIFieldInfo, FIELD(TVMFFIFieldInfo, name), FIELD(TVMFFIFieldInfo, doc), FIELD(TVMFFIFieldInfo, metadata),
         FIELD(TVMFFIFieldInfo, flags), FIELD(TVMFFIFieldInfo, size), FIELD(TVMFFIFieldInfo, alignment),
         FIELD(TVMFFIFieldInfo, offset), FIELD(TVMFFIFieldInfo, getter), FIELD(TVMFFIFieldInfo, setter),
         FIELD(TVMFFIFieldInfo, default_value_or_factory), FIELD(TVMFFIFieldInfo, field_static_type_index));
  LAYOUT(TVMFFIMethodInfo, FIELD(TVMFFIMethodInfo, name), FIELD(TVMFFIMethodInfo, doc),
         FIELD(TVMFFIMethodInfo, metadata), FIELD(TVMFFIMethodInfo, flags), FIELD(TVMFFIMethodInfo, method));
  LAYOUT(TVMFFITypeAttrColumn, FIELD(TVMFFITypeAttrColumn, data), FIELD(TVMFFITypeAttrColumn, size),
         FIELD(TVMFFITypeAttrColumn, begin_index));
}

/* The word at an offset of the page from the handle of a map. */
uint64_t WordOf(const Offsets& offsets, const Map<int64_t, int64_t>& map, const char* field) {
  uint64_t word = 0;
  std::memcpy(&word, reinterpret_cast<const char*>(map.get()) + offsets.at(field), sizeof(word));
  return word;
}

TEST(AbiPage, LayoutOfMaps) {
  Offsets offsets = OffsetsOf("### Map: fields");
  ASSERT_EQ(offsets.size(), 7u);
  Map<int64_t, int64_t> small{{1, 1}, {2, 2}, {3, 3}};
  EXPECT_EQ(WordOf(offsets, small, "size"), 3u);
  EXPECT_EQ(WordOf(offsets, small, "slots"), uint64_t{1} << 63 | 3);
  EXPECT_EQ(WordOf(offsets, small, "data_deleter"), 0u);
  EXPECT_EQ(WordOf(offsets, small, "data"), reinterpret_cast<uint64_t>(&small.get()->KeyAt(0)));
  Map<int64_t, int64_t> dense{{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}};
  EXPECT_EQ(WordOf(offsets, dense, "size"), 5u);
  EXPECT_EQ(WordOf(offsets, dense, "slots"), 16u);
  EXPECT_NE(WordOf(offsets, dense, "data_deleter"), 0u);
  EXPECT_EQ(WordOf(offsets, dense, "fib_shift") & UINT32_MAX, 60u);
  EXPECT_EQ(WordOf(offsets, dense, "iter_head"), dense.get()->First());
  uint64_t last = dense.get()->First();
  for (int i = 0; i < 4; ++i) last = dense.get()->Next(last);
  EXPECT_EQ(WordOf(offsets, dense, "iter_tail"), last);
  // Items of 48 bytes behind 16 bytes of metadata, in blocks of 784 bytes.
  uint64_t first_key = WordOf(offsets, dense, "data") + last / 16 * 784 + 16 + last % 16 * 48;
  EXPECT_EQ(reinterpret_cast<uint64_t>(&dense.get()->KeyAt(last)), first_key);
}

TEST(AbiPage, JumpDistances) {
  const std::string page = ReadPage();
  const std::string fence = "```jumps\n";
  size_t begin = page.find(fence);
  ASSERT_NE(begin, std::string::npos);
  std::istringstream numbers(page.substr(begin + fence.size(), page.find("```", begin + 3) - begin - fence.size()));
  std::vector<uint64_t> stated;
  for (uint64_t number; numbers >> number;) stated.push_back(number);
  EXPECT_EQ(stated, std::vector<uint64_t>(detail::kJumpDistances, detail::kJumpDistances + detail::kNumJumps));
}

TEST(AbiPage, TypeIndices) {
  std::vector<Row> rows = FindTable({"index", "key"});
  ASSERT_EQ(rows.size(), 28u);
  for (const Row& row : rows) {
    TVMFFIByteArray key{row[1].data(), row[1].size()};
    int32_t index = -1;
    EXPECT_EQ(TVMFFITypeKeyToIndex(&key, &index), 0) << row[1];
    EXPECT_EQ(std::to_string(index), row[0]) << row[1];
  }
}

TEST(AbiPage, KeyHashes) {
  const std::map<std::string, Any> values = {{"None", Any()},
                                             {"5", Any(5)},
                                             {"true", Any(true)},
                                             {"1.0", Any(1.0)},
                                             {"\"a\"", Any("a")},
                                             {"\"abcdefg\"", Any("abcdefg")},
                                             {"\"hello world\"", Any("hello world")}};
  std::vector<Row> rows = FindTable({"value", "key hash"});
  ASSERT_EQ(rows.size(), values.size());
  for (const Row& row : rows) {
    auto value = values.find(row[0]);
    ASSERT_NE(value, values.end()) << row[0];
    EXPECT_EQ(AnyHash()(value->second), std::stoull(row[1], nullptr, 16)) << row[0];
  }
}

TEST(AbiPage, TextsOfDataTypes) {
  std::vector<Row> rows = FindTable({"code", "bits", "lanes", "text"});
  ASSERT_EQ(rows.size(), 19u);
  for (const Row& row : rows) {
    DataType dtype(std::stoi(row[0]), std::stoi(row[1]), std::stoi(row[2]));
    EXPECT_EQ(dtype.ToString(), row[3]);
    EXPECT_EQ(DataType::FromString(row[3]), dtype) << row[3];
  }
}

TEST(AbiPage, Flags) {
  const std::map<std::string, int64_t> flags = {
      {"Writable", kTVMFFIFieldFlagBitMaskWritable},
      {"HasDefault", kTVMFFIFieldFlagBitMaskHasDefault},
      {"IsStaticMethod", kTVMFFIFieldFlagBitMaskIsStaticMethod},
      {"SEqHashIgnore", kTVMFFIFieldFlagBitMaskSEqHashIgnore},
      {"SEqHashDefRecursive", kTVMFFIFieldFlagBitMaskSEqHashDefRecursive},
      {"DefaultFromFactory", kTVMFFIFieldFlagBitMaskDefaultFromFactory},
      {"ReprOff", kTVMFFIFieldFlagBitMaskReprOff},
      {"CompareOff", kTVMFFIFieldFlagBitMaskCompareOff},
      {"HashOff", kTVMFFIFieldFlagBitMaskHashOff},
      {"InitOff", kTVMFFIFieldFlagBitMaskInitOff},
      {"KwOnly", kTVMFFIFieldFlagBitMaskKwOnly},
      {"SetterIsFunctionObj", kTVMFFIFieldFlagBitSetterIsFunctionObj},
      {"SEqHashDefNonRecursive", kTVMFFIFieldFlagBitMaskSEqHashDefNonRecursive}};
  std::vector<Row> rows = FindTable({"flag", "name"});
  ASSERT_EQ(rows.size(), flags.size());
  for (const Row& row : rows) EXPECT_EQ(flags.at(row[1]), std::stoll(row[0], nullptr, 16)) << row[1];
}

TEST(AbiPage, Version) {
  TVMFFIVersion version;
  TVMFFIGetVersion(&version);
  std::ostringstream text;
  text << version.major << '.' << version.minor << '.' << version.patch;
  EXPECT_NE(ReadPage().find("here " + text.str() + "."), std::string::npos) << text.str();
}

}  // namespace
}  // namespace transom
