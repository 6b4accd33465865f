#include <regex>

#include "tool/run_tool.h"

namespace transom::testing {
namespace {

TEST_F(ToolTest, HashPrintsLikeSha256sum) {
  const std::string dce = DataFile("tvm-0.27/lm2.5-dce.json");
  const std::string fuse = DataFile("tvm-0.27/lm2.4-fusetir.json");
  ToolResult result = RunTool({"hash", dce, fuse});
  EXPECT_EQ(result.status, 0) << result.err;
  std::smatch match;
  const std::string line = result.out.substr(0, result.out.find('\n') + 1);
  ASSERT_TRUE(std::regex_match(line, match, std::regex("([0-9a-f]{16})  (.*)\n")));
  EXPECT_EQ(match[2], dce);
  // Dead code elimination found nothing to do.
  EXPECT_EQ(result.out, std::string(match[1]) + "  " + dce + "\n" + std::string(match[1]) + "  " + fuse + "\n");
  const std::string digest = RunTool({"hash", "--digest", dce}).out;
  EXPECT_EQ(digest.substr(16, 18), std::string(match[1]) + "  ") << "the hash is the low half";
}

TEST_F(ToolTest, HashOfAPlace) {
  const std::string file = DataFile("tvm-0.27/lm2.0-import.json");
  const std::string params = "<root>.functions[\"forward\"].params";
  const std::string first = RunTool({"hash", "--path", params + "[3]", file}).out;
  EXPECT_EQ(first.size(), 16 + 2 + file.size() + 1);
  ExpectTrouble(RunTool({"hash", "--path", params + "[99]", file}), {file, "[99]"});
}

TEST_F(ToolTest, HashGoesOnAfterTrouble) {
  const std::string file = Write("a.json", ArrayOfInts({1}));
  const ToolResult result = RunTool({"hash", PathTo("none.json"), file});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.out.find(file), std::string::npos);
  EXPECT_NE(result.err.find("none.json"), std::string::npos);
}

TEST_F(ToolTest, ConvertKeepsBytes) {
  for (const char* name :
       {"tvm-0.25/lm2.0-import.json", "tvm-0.26/lm2.0-import.json", "tvm-0.27/lm2.1-legalize.json"}) {
    const std::string out = PathTo("out.json");
    const ToolResult result = RunTool({"convert", DataFile(name), out});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(ReadWhole(out), ReadWhole(DataFile(name)));
  }
}

TEST_F(ToolTest, ConvertOptions) {
  const std::string in = DataFile("tvm-0.27/const.json");
  EXPECT_EQ(RunTool({"convert", in, "-", "--to", "json"}).out, ReadWhole(in));
  EXPECT_EQ(RunTool({"convert", "--from", "json", "--records", in, "-", "--to", "json"}).out, ReadWhole(in));
  EXPECT_NE(RunTool({"convert", in, "-", "--to", "json", "--indent", "2"}).out.find("\n  \"nodes\""),
            std::string::npos);
  EXPECT_NE(RunTool({"convert", in, "-", "--to", "json", "--embed-schema"}).out.find("\"transom_schema\""),
            std::string::npos);
  const std::string nan = Write("nan.json", R"({"root_index":0,"nodes":[{"type":"float","data":NaN}]})");
  EXPECT_EQ(RunTool({"convert", nan, "-", "--to", "json"}).out, ReadWhole(nan));
  const std::string strict = RunTool({"convert", nan, "-", "--to", "json", "--strict-json"}).out;
  EXPECT_EQ(strict.find(":NaN"), std::string::npos) << strict;
  EXPECT_EQ(RunTool({"diff", nan, Write("strict.json", strict)}).status, 0);
}

TEST_F(ToolTest, ConvertAsksForAFormat) {
  const std::string in = Write("a.json", ArrayOfInts({1}));
  for (const std::string& out : {PathTo("a.txt"), PathTo("a"), std::string("-")}) {
    ExpectTrouble(RunTool({"convert", in, out}), {"--to", "help convert"});
  }
  ExpectTrouble(RunTool({"convert", in, PathTo("none/a.json")}), {"none/a.json", "No such file"});
}

TEST_F(ToolTest, ConvertDropsUnknownFieldsOnRequest) {
  const std::string schema =
      Write("schema.json", R"({"transom_schema":1,"name":"s","types":{"t.A":{"fields":[{"name":"x","type":"int"}]}}})");
  const std::string in = Write("a.json", R"({"root_index":0,"nodes":[{"type":"t.A","data":{"x":1,"y":2}}]})");
  ExpectTrouble(RunTool({"convert", in, "-", "--to", "json", "--schema", schema}), {in, "t.A", "y"});
  const ToolResult result = RunTool({"convert", in, "-", "--to", "json", "--schema", schema, "--drop-unknown"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out.find("\"y\""), std::string::npos);
}

TEST_F(ToolTest, StatCounts) {
  const std::string file = Write("a.json", Ladder(3, 7));
  const ToolResult result = RunTool({"stat", file, file});
  EXPECT_EQ(result.status, 0);
  const std::string one =
      file + "\n" +
      "  objects         3 (2 shared)\n  references      6\n  depth           3\n  unfolded        15\n"
      "  tensors         0 (0 bytes)\n  count  bytes  type\n      3    264  ffi.Array\n      2      0  int\n";
  EXPECT_EQ(result.out, one + "\n" + one);
}

TEST_F(ToolTest, VerifySaysWholeOrDamaged) {
  const std::string whole = DataFile("tvm-0.27/const.json");
  ToolResult result = RunTool({"verify", whole});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, whole + ": whole: JSON graph, 13 nodes (0 unreachable), 11 types, schema tvm-0.27\n");
  const std::string content = ReadWhole(whole);
  const std::string cut = Write("cut.json", content.substr(0, 300));
  const std::string more = Write("more.json", content + "x");
  result = RunTool({"verify", cut, whole, more});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out.rfind(cut + ": damaged: byte 300: ", 0), 0u) << result.out;
  EXPECT_NE(result.out.find(more + ": damaged: byte "), std::string::npos) << result.out;
  result = RunTool({"verify", cut, PathTo("none.json")});
  EXPECT_EQ(result.status, 2);
}

TEST_F(ToolTest, VerifyCountsUnreachableNodes) {
  const std::string file =
      Write("a.json", R"({"root_index":0,"nodes":[{"type":"int","data":1},{"type":"int","data":2}]})");
  EXPECT_EQ(RunTool({"verify", file}).out,
            file + ": whole: JSON graph, 2 nodes (1 unreachable), 1 type, no schema needed\n");
}

TEST_F(ToolTest, AMissingSchemaIsTroubleNotDamage) {
  const std::string file = Write("a.json", R"({"root_index":0,"nodes":[{"type":"t.Unknown","data":{}}]})");
  for (const char* verb : {"dump", "hash", "stat", "verify", "schema"}) {
    ExpectTrouble(RunTool({verb, file}), {file, "t.Unknown", "--schema", "--load"});
  }
}

TEST_F(ToolTest, SchemaOfAFileReadsTheFile) {
  const std::string file = DataFile("tvm-0.27/lm2.1-legalize.json");
  const std::string schema = PathTo("schema.json");
  ToolResult result = RunTool({"schema", file, "-o", schema});
  EXPECT_EQ(result.status, 0) << result.err;
  std::string text = ReadWhole(file);
  text.erase(text.rfind(",\"metadata\""));
  const std::string bare = Write("bare.json", text + "}");
  EXPECT_EQ(RunTool({"dump", bare}).status, 2);
  result = RunTool({"dump", bare, "--schema", schema});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, RunTool({"dump", file}).out);
  EXPECT_EQ(RunTool({"dump", bare, "--schema", "tvm-0.27"}).out, result.out);
  ExpectTrouble(RunTool({"schema"}), {"FILE", "--load"});
}

TEST_F(ToolTest, HelpAndVersion) {
  ToolResult result = RunTool({"help"});
  EXPECT_EQ(result.status, 0);
  for (const char* verb : {"dump", "diff", "hash", "convert", "stat", "verify", "schema", "help"}) {
    EXPECT_NE(result.out.find(std::string("\n  ") + verb + " "), std::string::npos) << result.out;
    const ToolResult help = RunTool({"help", verb});
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.out, RunTool({verb, "--help"}).out);
    EXPECT_NE(help.out.find(std::string("Usage: transom ") + verb), std::string::npos) << help.out;
  }
  EXPECT_EQ(RunTool({"--help"}).out, result.out);
  result = RunTool({"--version"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out.rfind("transom ", 0), 0u);
}

}  // namespace
}  // namespace transom::testing
