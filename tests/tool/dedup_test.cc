#include "support/json_value.h"
#include "support/scale.h"
#include "tool/run_tool.h"

namespace transom::testing {
namespace {

const char kRepeated[] =
    R"({"root_index":3,"nodes":[{"type":"int","data":7},{"type":"ffi.Array","data":[0]},)"
    R"({"type":"ffi.Array","data":[0]},{"type":"ffi.Array","data":[1,2]}],"metadata":{"note":"kept"}})";

TEST_F(ToolTest, DedupSaysWhatIsGone) {
  const std::string in = Write("in.json", kRepeated);
  const std::string out = PathTo("out.json");
  const ToolResult result = RunTool({"dedup", in, "-o", out});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out, in + ": 3 objects -> 2, 72 bytes saved; fewer: 1 ffi.Array\n");
  EXPECT_EQ(ReadWhole(out), R"({"root_index":2,"nodes":[{"type":"int","data":7},{"type":"ffi.Array","data":[0]},)"
                            R"({"type":"ffi.Array","data":[1,1]}],"metadata":{"note":"kept"}})");
  EXPECT_EQ(RunTool({"diff", in, out}).status, 0);
  EXPECT_EQ(RunTool({"dedup", out, "-o", PathTo("again.json")}).out, out + ": 2 objects -> 2, 0 bytes saved\n");
  EXPECT_EQ(ReadWhole(PathTo("again.json")), ReadWhole(out));
}

TEST_F(ToolTest, DedupToStandardOutputWritesTheGraphOnly) {
  const std::string in = Write("in.json", kRepeated);
  const std::string out = PathTo("out.json");
  ASSERT_EQ(RunTool({"dedup", in, "-o", out}).status, 0);
  ToolResult result = RunTool({"dedup", in, "-o", "-"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, ReadWhole(out));
  EXPECT_EQ(result.err, "transom: note: " + in + ": 3 objects -> 2, 72 bytes saved; fewer: 1 ffi.Array\n");
  ToolSetting setting;
  setting.input = kRepeated;
  result = RunTool({"dedup", "-", "-o", "-"}, setting);
  EXPECT_EQ(result.out, ReadWhole(out));
  EXPECT_NE(result.err.find("standard input: 3 objects"), std::string::npos) << result.err;
}

TEST_F(ToolTest, DedupReadsAndWritesEveryFormat) {
  const std::string json = DataFile("tvm-0.27/lm2.1-legalize.json");
  const std::string wanted = PathTo("wanted.json");
  ASSERT_EQ(RunTool({"dedup", json, "-o", wanted}).status, 0);
  for (const char* name : {"in.tsm", "in.b64"}) {
    const std::string in = PathTo(name), back = PathTo("back.json");
    ASSERT_EQ(RunTool({"convert", json, in}).status, 0);
    ASSERT_EQ(RunTool({"dedup", in, "-o", back}).status, 0);
    EXPECT_TRUE(ReadWhole(back) == ReadWhole(wanted));
    // Standard output has the format of the input.
    const std::string out = PathTo(std::string("out") + (name + 2));
    ASSERT_EQ(RunTool({"dedup", in, "-o", out}).status, 0);
    EXPECT_TRUE(RunTool({"dedup", in, "-o", "-"}).out == ReadWhole(out));
    EXPECT_EQ(RunTool({"diff", json, out}).status, 0);
    EXPECT_LT(ReadWhole(out).size(), ReadWhole(in).size());
  }
}

TEST_F(ToolTest, DedupOfRealModules) {
  for (const char* name : {"tvm-0.25/lm2.0-import.json", "tvm-0.26/lm2.0-import.json", "tvm-0.27/lm2.4-fusetir.json"}) {
    const std::string in = DataFile(name);
    const std::string out = PathTo("out.json");
    const ToolResult result = RunTool({"dedup", in, "-o", out});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(RunTool({"diff", in, out}).status, 0);
    EXPECT_EQ(RunTool({"hash", in}).out.substr(0, 16), RunTool({"hash", out}).out.substr(0, 16));
    EXPECT_LT(ReadWhole(out).size() * 10, ReadWhole(in).size() * 8);
    const JsonValue before = ParseJson(ReadWhole(in)), after = ParseJson(ReadWhole(out));
    EXPECT_EQ(before.Find("metadata")->ToText(), after.Find("metadata")->ToText());
  }
}

// Two functions of one variable that differ in its name, with a source location each.
std::string TwoFunctions(const char* first_name, const char* second_name, int first_line, int second_line) {
  const auto function = [](int base, const char* name, int line) {
    const auto ref = [&](int i) { return std::to_string(base + i); };
    return R"({"type":"ffi.String","data":")" + std::string(name) + R"("},{"type":"t.Var","data":{"name":)" + ref(0) +
           R"(}},{"type":"ffi.Array","data":[)" + ref(1) + R"(]},{"type":"t.Fun","data":{"params":)" + ref(2) +
           R"(,"body":)" + ref(1) + R"(,"line":)" + std::to_string(line) + "}},";
  };
  return R"({"schema":{"transom_schema":1,"name":"t","types":{
    "t.Var":{"structural":"free_var","fields":[{"name":"name","type":"ffi.String","ignore":true}]},
    "t.Fun":{"structural":"tree","fields":[{"name":"params","type":"ffi.Array<t.Var>","def":"recursive"},
      {"name":"body","type":"Any"},{"name":"line","type":"int","ignore":true}]}}},"root_index":8,"nodes":[)" +
         function(0, first_name, first_line) + function(4, second_name, second_line) +
         R"({"type":"ffi.Array","data":[3,7]}]})";
}

TEST_F(ToolTest, DedupOptions) {
  const std::string names = Write("names.json", TwoFunctions("x", "y", 1, 1));
  const std::string lines = Write("lines.json", TwoFunctions("x", "y", 1, 2));
  const auto objects_left = [&](const std::string& in, const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {"dedup", in, "-o", PathTo("out.json")};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ToolResult result = RunTool(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    const size_t at = result.out.find("-> ");
    return result.out.substr(at + 3, result.out.find(',') - at - 3);
  };
  EXPECT_EQ(objects_left(names, {}), "7");
  EXPECT_EQ(objects_left(names, {"--merge-functions"}), "4");
  EXPECT_EQ(objects_left(lines, {"--merge-functions"}), "7");
  EXPECT_EQ(objects_left(lines, {"--merge-functions", "--merge-ignored"}), "4");
  EXPECT_NE(ReadWhole(PathTo("out.json")).find("transom_schema"), std::string::npos) << "the schema stays in the file";
  EXPECT_EQ(RunTool({"dump", PathTo("out.json")}).status, 0);
}

TEST_F(ToolTest, DedupTrouble) {
  const std::string in = Write("in.json", kRepeated);
  ExpectTrouble(RunTool({"dedup", in}), {"--output", "help dedup"});
  ExpectTrouble(RunTool({"dedup", in, "-o", in}), {in, "overwrite", "help dedup"});
  ExpectTrouble(RunTool({"dedup", in, "-o", PathTo("./in.json")}), {"overwrite"});
  ExpectTrouble(RunTool({"dedup", in, "-o", PathTo("out.txt")}), {"out.txt", "suffix"});
  ExpectTrouble(RunTool({"dedup", PathTo("none.json"), "-o", PathTo("out.json")}), {"none.json"});
  ExpectTrouble(RunTool({"dedup", in, "-o", PathTo("none/out.json")}), {"none/out.json"});
  EXPECT_EQ(ReadWhole(in), kRepeated);
}

TEST_F(ToolTest, DedupOfLargeGraphs) {
  const std::string out = PathTo("out.json"), deep = std::to_string(kLarge), levels = std::to_string(kLarge / 10);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {DeepArrays(kLarge, 7), deep + " objects -> " + deep + ", 0 bytes saved\n"},
      {WideArray(kLarge, 5), "1 objects -> 1, 0 bytes saved\n"},
      {Ladder(kLarge / 10, 7), levels + " objects -> " + levels + ", 0 bytes saved\n"},
  };
  for (const auto& [text, wanted] : cases) {
    const std::string in = Write("in.json", text);
    for (const bool functions : {false, true}) {
      std::vector<std::string> arguments = {"dedup", in, "-o", out};
      if (functions) arguments.emplace_back("--merge-functions");
      const ToolResult result = RunTool(arguments);
      EXPECT_EQ(result.status, 0) << result.err;
      EXPECT_EQ(result.out, in + ": " + wanted);
      EXPECT_TRUE(ReadWhole(out) == text);
    }
  }
}

}  // namespace
}  // namespace transom::testing
