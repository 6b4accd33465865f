#include "support/json_value.h"
#include "tool/run_tool.h"

namespace transom::testing {
namespace {

std::string Stage(const std::string& name) { return DataFile("tvm-0.27/lm2." + name + ".json"); }

TEST_F(ToolTest, DiffShowsWhatAPassDid) {
  const std::string before = Stage("1-legalize");
  const std::string after = Stage("2-annotate");
  const ToolResult result = RunTool({"diff", before, after});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "");
  // The heading has the paths as they were given; what follows does not depend on them.
  EXPECT_EQ(result.out.rfind("--- " + before + "\n+++ " + after + "\n", 0), 0u);
  ExpectGolden("diff-annotate.txt", result.out.substr(result.out.find("\n\n") + 1));
  ExpectGolden("diff-annotate-stat.txt", RunTool({"diff", "--stat", before, after}).out);
}

TEST_F(ToolTest, DiffOfEqualFiles) {
  // The same content in other bytes.
  const std::string file = Stage("4-fusetir");
  const std::string copy = PathTo("copy.json");
  ASSERT_EQ(RunTool({"convert", file, copy, "--indent", "1"}).status, 0);
  for (const std::string& other : {file, copy, Stage("5-dce")}) {
    for (const std::vector<std::string>& options :
         {std::vector<std::string>{}, {"--stat"}, {"--first"}, {"-q"}, {"--quiet"}, {"--max-diffs", "0"}}) {
      std::vector<std::string> arguments = {"diff", file, other};
      arguments.insert(arguments.end(), options.begin(), options.end());
      const ToolResult result = RunTool(arguments);
      EXPECT_EQ(result.status, 0) << other;
      EXPECT_EQ(result.out + result.err, "");
    }
  }
  EXPECT_TRUE(ParseJson(RunTool({"diff", file, file, "--format", "json"}).out).Find("equal")->boolean);
}

TEST_F(ToolTest, DiffInShort) {
  const std::string a = Write("a.json", ArrayOfInts({1, 2, 3}));
  const std::string b = Write("b.json", ArrayOfInts({1, 5, 3}));
  ToolResult result = RunTool({"diff", "-q", a, b});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, "Files " + a + " and " + b + " differ\n");
  result = RunTool({"diff", "--quiet", a, b});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out + result.err, "");
  result = RunTool({"diff", "--first", a, b});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.out.find("<root>[1]\n  - 2\n  + 5\n"), std::string::npos) << result.out;
}

TEST_F(ToolTest, DiffSwapsItsSides) {
  const std::string a = Write("a.json", ArrayOfInts({1, 2}));
  const std::string b = Write("b.json", ArrayOfInts({1, 3}));
  EXPECT_EQ(RunTool({"diff", "--swap", a, b}).out, RunTool({"diff", b, a}).out);
}

TEST_F(ToolTest, DiffAsJson) {
  const std::string a = Write("a.json", ArrayOfInts({1, 2, 3}));
  const std::string b = Write("b.json", ArrayOfInts({1, 3}));
  const std::string out = PathTo("out.json");
  const ToolResult result = RunTool({"diff", "--format", "json", a, b, "-o", out});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, "");
  const JsonValue json = ParseJson(ReadWhole(out));
  EXPECT_EQ(json.Find("transom_diff")->integer, 1);
  ASSERT_EQ(json.Find("differences")->items.size(), 1u);
  EXPECT_EQ(json.Find("differences")->items[0].Find("kind")->text, "delete");
  EXPECT_EQ(json.Find("differences")->items[0].Find("lhs_value")->integer, 2);
}

TEST_F(ToolTest, DiffListsAtMostSoMany) {
  const std::string a = Write("a.json", ArrayOfInts({1, 2, 3}));
  const std::string b = Write("b.json", ArrayOfInts({4, 5, 6}));
  const JsonValue json = ParseJson(RunTool({"diff", "--format", "json", "--max-diffs", "1", a, b}).out);
  EXPECT_EQ(json.Find("differences")->items.size(), 1u);
  EXPECT_TRUE(json.Find("truncated")->boolean);
  const ToolResult full = RunTool({"diff", "--format", "json", a, b});
  EXPECT_EQ(json.Find("counts")->ToText(), ParseJson(full.out).Find("counts")->ToText());
}

TEST_F(ToolTest, DiffOptionsOfComparison) {
  const auto tensor = [this](const char* name, const char* digits) {
    std::string text = ReadWhole(DataFile("tvm-0.27/const.json"));
    const size_t at = text.find("AACAPw");  // in the elements of its tensor: 1.0 as float32
    EXPECT_NE(at, std::string::npos);
    return Write(name, text.replace(at, 6, digits));
  };
  const std::string a = tensor("a.json", "AACAPw");
  const std::string b = tensor("b.json", "AACBPw");
  EXPECT_EQ(RunTool({"diff", "-q", a, b}).status, 1);
  EXPECT_EQ(RunTool({"diff", "-q", "--skip-tensor-content", a, b}).status, 0);
  EXPECT_EQ(RunTool({"hash", "--skip-tensor-content", a}).out.substr(0, 16),
            RunTool({"hash", "--skip-tensor-content", b}).out.substr(0, 16));
  EXPECT_NE(RunTool({"hash", a}).out.substr(0, 16), RunTool({"hash", b}).out.substr(0, 16));
}

TEST_F(ToolTest, DiffTellsWhatMoved) {
  // An element of five nodes goes to the end.
  const auto graph = [](const std::string& order) {
    return R"({"root_index":8,"nodes":[{"type":"int","data":1},{"type":"int","data":2},{"type":"int","data":3},)"
           R"({"type":"int","data":4},{"type":"ffi.Array","data":[0,1,2,3]},{"type":"ffi.Array","data":[1,2,3,0]},)"
           R"({"type":"ffi.Array","data":[2,3,0,1]},{"type":"int","data":7},{"type":"ffi.Array","data":)" +
           order + "}]}";
  };
  const std::string a = Write("a.json", graph("[4,5,6,7]")), b = Write("b.json", graph("[5,6,7,4]"));
  ToolResult result = RunTool({"diff", a, b});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.out.find("\n<root>[0] -> [3] (moved)\n    [1, 2, 3, 4]\n\n1 difference: 1 move\n"),
            std::string::npos)
      << result.out;
  result = RunTool({"diff", "--no-moves", "--stat", a, b});
  EXPECT_NE(result.out.find("2 differences: 1 insert, 1 delete\n"), std::string::npos) << result.out;
}

TEST_F(ToolTest, DiffListsNamesOnRequest) {
  const std::string file = Stage("0-import");
  std::string text = ReadWhole(file);
  const size_t at = text.find("\"permute_dims1\"");
  ASSERT_NE(at, std::string::npos);
  const std::string renamed = Write("renamed.json", text.replace(at, 15, "\"transposed_1\""));
  EXPECT_EQ(RunTool({"diff", file, renamed}).out, "");
  ToolResult result = RunTool({"diff", "--names", file, renamed});
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.out.find(" (renamed)"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("  - %permute_dims1\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("  + %transposed_1\n\n1 difference: 1 rename\n"), std::string::npos) << result.out;
  result = RunTool({"diff", "--names", "--format", "json", file, renamed});
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(ParseJson(result.out).Find("equal")->boolean);
}

TEST_F(ToolTest, DiffGroupsWhatIsAlike) {
  const std::string a = Write("a.json", ArrayOfInts({1, 2, 1, 3, 1})),
                    b = Write("b.json", ArrayOfInts({5, 2, 5, 3, 5}));
  EXPECT_NE(
      RunTool({"diff", "--group", a, b}).out.find("<root>[0] (3 alike)\n  - 1\n  + 5\n\n3 differences: 3 update\n"),
      std::string::npos);
  const JsonValue json = ParseJson(RunTool({"diff", "--group", "--format", "json", a, b}).out);
  ASSERT_EQ(json.Find("differences")->items.size(), 1u);
  EXPECT_EQ(json.Find("differences")->items[0].Find("alike")->integer, 3);
}

TEST_F(ToolTest, DiffRefusesWhatHasNoEffect) {
  const std::string a = Write("a.json", ArrayOfInts({1}));
  const std::vector<std::vector<std::string>> cases = {
      {"--stat", "--first"},           {"-q", "--quiet"},
      {"--stat", "--format", "json"},  {"-q", "-o", "x"},
      {"--quiet", "-o", "x"},          {"-q", "--format", "json"},
      {"--first", "--max-diffs", "2"}, {"--stat", "--max-diffs", "2"},
      {"--group", "--stat"},           {"--group", "-q"},
      {"--names", "--quiet"},          {"--names", "--first"},
      {"--no-moves", "--first"},       {"--no-moves", "--format", "patch"},
  };
  for (const auto& options : cases) {
    std::vector<std::string> arguments = {"diff", a, a};
    arguments.insert(arguments.end(), options.begin(), options.end());
    ExpectTrouble(RunTool(arguments), {options[0] == "-q" ? "--" : options[0], "help diff"});
  }
  ExpectTrouble(RunTool({"diff", "-", "-"}), {"standard input"});
}

TEST_F(ToolTest, DiffOfDamagedFilesIsTroubleEvenWithThemselves) {
  const std::string whole = ReadWhole(DataFile("tvm-0.27/const.json"));
  const std::string cut = Write("cut.json", whole.substr(0, whole.size() / 2));
  ExpectTrouble(RunTool({"diff", cut, cut}), {cut, "truncated"});
  ExpectTrouble(RunTool({"diff", "--quiet", DataFile("tvm-0.27/const.json"), cut}), {cut});
}

}  // namespace
}  // namespace transom::testing
