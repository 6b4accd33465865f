// Bad input: one small file per kind of damage with the exact message, and every small change of good files.
#include <gtest/gtest.h>
#include <transom/formats/json_graph.h>
#include <transom/formats/load.h>
#include <transom/structural/equal.h>
#include <transom/structural/hash.h>

#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "support/graph_gen.h"
#include "support/library.h"

namespace transom {
namespace {

using testing::ReadText;
using testing::Rng;
using testing::TestSchema;

std::string Folder() { return std::string(TRANSOM_TEST_DATA_DIR) + "/invalid"; }

// Files named "schema-" and "version-" are about which schema is used; the others use the one of the tests.
LoadOptions OptionsFor(const std::string& name) {
  LoadOptions options;
  options.source = name + ".json";
  if (name.rfind("schema-", 0) != 0 && name.rfind("version-", 0) != 0) options.schema = TestSchema();
  return options;
}

// What the loader says of a text: kind and message of the error, or "loaded". Other exceptions fail the test.
std::string Outcome(std::string_view text, const LoadOptions& options) {
  try {
    LoadFromBytes(text, options);
  } catch (const Error& error) {
    return std::string(error.kind()) + "\t" + std::string(error.message());
  } catch (const std::exception& other) {
    ADD_FAILURE() << other.what() << " for " << text;
  }
  return "loaded";
}

// Lines of "name, tab, kind of error, tab, message".
std::map<std::string, std::string> Messages() {
  std::map<std::string, std::string> out;
  std::istringstream lines(ReadText(Folder() + "/messages.tsv"));
  for (std::string line; std::getline(lines, line);) {
    size_t tab = line.find('\t');
    out[line.substr(0, tab)] = line.substr(tab + 1);
  }
  return out;
}

TEST(Damage, EachFileHasItsMessage) {
  std::map<std::string, std::string> wanted = Messages();
  std::set<std::string> seen;
  for (const auto& entry : std::filesystem::directory_iterator(Folder())) {
    if (entry.path().extension() != ".json") continue;
    std::string name = entry.path().stem().string();
    seen.insert(name);
    EXPECT_EQ(Outcome(ReadText(entry.path().string()), OptionsFor(name)), wanted[name]) << name;
  }
  EXPECT_GT(seen.size(), 200u);
  for (const auto& entry : wanted)
    EXPECT_EQ(seen.count(entry.first), 1u) << entry.first << " has a message but no file";
}

TEST(Damage, MessagesAreOneLineWithTheSource) {
  for (const auto& [name, message] : Messages()) {
    EXPECT_NE(message.find(name + ".json"), std::string::npos) << name << ": " << message;
    EXPECT_LT(message.size(), 700u) << name;
  }
}

// One node of the type, with the text of its data.
std::string OneNode(const std::string& type, const std::string& data) {
  return R"({"root_index":0,"nodes":[{"type":")" + type + R"(","data":)" + data + "}]}";
}

// The other side of the border: unusual, and good.
TEST(Damage, WhatIsNoDamage) {
  const std::map<std::string, std::string> good = {
      {"NaN", OneNode("float", "NaN")},
      {"infinity", OneNode("float", "Infinity")},
      {"minus infinity", OneNode("float", "-Infinity")},
      {"integer for a float", OneNode("float", "-1")},
      {"exponent", OneNode("float", "-0.0e+05")},
      {"underflow", OneNode("float", "1e-400")},
      {"smallest integer", OneNode("int", "-9223372036854775808")},
      {"first integer beyond 64 bits", OneNode("ffi.BigInt", "\"9223372036854775808\"")},
      {"empty data type", OneNode("DataType", "\"\"")},
      {"white space in base64", OneNode("ffi.Bytes", "\"A\\nQ I\\t=\"")},
      {"negative device number", OneNode("Device", "[1,-1]")},
      {"escapes", OneNode("ffi.String", R"("\/\b\f\n\r\t\"\\\u0000\ud83d\ude00")")},
      {"bytes that are no UTF-8", OneNode("ffi.String", "\"\xff\xc0\"")},
      {"delete character", OneNode("ffi.String", "\"\x7f\"")},
      {"white space around tokens", "\n {\t\"root_index\" :\r0 , \"nodes\" : [ { \"type\" : \"None\" } ] } \n"},
      {"members in another order", R"({"metadata":{"a":[]},"nodes":[{"data":1,"type":"int"}],"root_index":0})"},
      {"unknown member at the top", R"({"more":[{"a":1}],"root_index":0,"nodes":[{"type":"None"}]})"},
      {"reference forward", R"({"root_index":0,"nodes":[{"type":"ffi.Array","data":[1,1]},{"type":"None"}]})"},
      {"unreachable node", R"({"root_index":0,"nodes":[{"type":"None"},{"type":"int","data":1}]})"},
      {"keys of different kinds",
       R"({"root_index":3,"nodes":[{"type":"int","data":1},{"type":"bool","data":true},{"type":"float","data":1.0},)"
       R"({"type":"ffi.Map","data":[0,0,1,0,2,0]}]})"}};
  for (const auto& [name, text] : good) EXPECT_EQ(Outcome(text, {}), "loaded") << name << ": " << text;
}

// Small good files, each with its schema.
std::map<std::string, std::string> GoodFiles() {
  std::map<std::string, std::string> out;
  for (const char* version : {"tvm-0.25", "tvm-0.26", "tvm-0.27"}) {
    out[version] = ReadText(std::string(TRANSOM_TEST_DATA_DIR) + "/" + version + "/const.json");
  }
  testing::GenOptions options;
  options.max_depth = 3;
  for (uint64_t seed = 0; out.size() < 10; ++seed) {
    std::string text = testing::RandomGraph(seed, options).ToText();
    if (text.size() > 300 && text.size() < 1200) out["random graph " + std::to_string(seed)] = text;
  }
  return out;
}

// Loads, and where that succeeds does what a program would do with the value. Anything but an Error ends the test.
void UseOrRefuse(const std::string& text, const LoadOptions& options) {
  StructuralOptions files;
  files.as_files = true;
  try {
    LoadResult result = LoadFromBytes(text, options);
    std::string saved = SaveJSON(result.value);
    Any again = LoadJSON(saved, options).value;
    EXPECT_TRUE(StructuralEqual::Equal(result.value, again, files)) << text;
    EXPECT_EQ(StructuralHash::Hash(result.value, files), StructuralHash::Hash(again, files)) << text;
  } catch (const Error& error) {
    EXPECT_FALSE(std::string(error.message()).empty());
  } catch (const std::exception& other) {
    ADD_FAILURE() << other.what() << " for " << text;
  }
}

LoadOptions OptionsForGood(const std::string& name) {
  LoadOptions options;
  if (name.rfind("tvm", 0) != 0) options.schema = TestSchema();
  return options;
}

TEST(Damage, CutAtEveryLength) {
  for (const auto& [name, text] : GoodFiles()) {
    LoadOptions options = OptionsForGood(name);
    ASSERT_EQ(Outcome(text, options), "loaded") << name;
    for (size_t size = 0; size < text.size(); ++size) {
      ASSERT_NE(Outcome(text.substr(0, size), options), "loaded") << name << " cut at " << size;
    }
  }
}

TEST(Damage, EveryByteChanged) {
  Rng rng(1);
  for (const auto& [name, text] : GoodFiles()) {
    SCOPED_TRACE(name);
    LoadOptions options = OptionsForGood(name);
    for (size_t i = 0; i < text.size(); ++i) {
      std::string bad = text;
      for (unsigned flip : {1u, 2u, 0x10u, 0x80u, 0xFFu, static_cast<unsigned>(1 + rng.Below(255))}) {
        bad[i] = static_cast<char>(static_cast<unsigned char>(text[i]) ^ flip);
        UseOrRefuse(bad, options);
      }
      UseOrRefuse(text.substr(0, i) + text.substr(i + 1), options);
    }
  }
}

// Changes that keep the grammar and so come further: digits, references, types and names of fields.
TEST(Damage, TokensChanged) {
  static const std::vector<std::string> kTokens = {
      "0",  "-1", "7",   "99999999999",   "1.5",         "null",           "true",        "\"a\"",
      "[]", "{}", "[0]", "\"ffi.Array\"", "\"ffi.Map\"", "\"ffi.Tensor\"", "\"test.Var\""};
  Rng rng(2);
  for (const auto& [name, text] : GoodFiles()) {
    SCOPED_TRACE(name);
    LoadOptions options = OptionsForGood(name);
    for (int round = 0; round < 1500; ++round) {
      size_t begin = text.find_first_of(":,[", rng.Below(text.size()));
      if (begin == std::string::npos) continue;
      size_t end = std::min(text.find_first_of(",]}", begin + 1), text.size());
      UseOrRefuse(text.substr(0, begin + 1) + rng.Pick(kTokens) + text.substr(end), options);
    }
  }
}

std::string Repeat(const std::string& piece, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += piece;
  return out;
}

// Loading does not recurse on the depth of the text, and refuses what it cannot hold.
TEST(Damage, DeepNesting) {
  constexpr int kDepth = 200000;
  const std::string arrays = Repeat("[", kDepth) + Repeat("]", kDepth);
  const std::string objects = Repeat("{\"a\":", kDepth) + "1" + Repeat("}", kDepth);
  const std::string one = "\"root_index\":0,\"nodes\":[{\"type\":\"int\",\"data\":1}]";
  LoadOptions options;
  options.schema = TestSchema();
  for (const std::string& deep : {arrays, objects}) {
    EXPECT_EQ(Outcome("{\"other\":" + deep + "," + one + "}", options), "loaded");
    for (const char* member : {"metadata", "schema"}) {
      UseOrRefuse("{\"" + std::string(member) + "\":" + deep + "," + one + "}", options);
      UseOrRefuse("{" + one + ",\"" + std::string(member) + "\":" + deep + "}", options);
    }
    for (const char* type : {"int", "ffi.Array", "ffi.Map", "test.Op", "test.Token", "test.Gone"}) {
      UseOrRefuse("{\"root_index\":0,\"nodes\":[{\"type\":\"" + std::string(type) + "\",\"data\":" + deep + "}]}",
                  options);
    }
    UseOrRefuse(deep, options);
    UseOrRefuse(deep.substr(0, kDepth), options);
  }
}

TEST(Damage, ChainOfContainersHundredThousandDeep) {
  std::string nodes = "{\"type\":\"int\",\"data\":1}";
  for (int i = 0; i < 100000; ++i) nodes += ",{\"type\":\"ffi.List\",\"data\":[" + std::to_string(i) + "]}";
  const std::string good = "{\"root_index\":100000,\"nodes\":[" + nodes + "]}";
  EXPECT_EQ(Outcome(good, {}), "loaded");
  std::string cyclic = good;
  cyclic.replace(cyclic.find("[0]"), 3, "[100000]");
  EXPECT_NE(Outcome(cyclic, {}).find("ValueError"), std::string::npos);
}

}  // namespace
}  // namespace transom
