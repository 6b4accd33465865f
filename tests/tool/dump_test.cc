#include "tool/run_tool.h"

namespace transom::testing {
namespace {

const char kForward[] = "<root>.functions[ir.GlobalVar(\"forward\")]";

TEST_F(ToolTest, DumpReadsLikeIR) {
  for (const char* name : {"tvm-0.25/const", "tvm-0.26/const", "tvm-0.27/const", "tvm-0.27/lm2.0-import"}) {
    SCOPED_TRACE(name);
    const ToolResult result = RunTool({"dump", DataFile(std::string(name) + ".json")});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.err, "");
    std::string golden = std::string("dump-") + name + ".txt";
    golden.replace(golden.find('/'), 1, "-");
    ExpectGolden(golden, result.out);
  }
}

TEST_F(ToolTest, DumpOfAPlace) {
  const std::string file = DataFile("tvm-0.27/lm2.0-import.json");
  const ToolResult result = RunTool({"dump", file, "--path", std::string(kForward) + ".params[1]"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out.rfind("%e.weight: ir.Var(", 0), 0u) << result.out;
  // The label alone, or the key's place, names it too, and the root need not be written.
  EXPECT_EQ(RunTool({"dump", file, "--path", ".functions[\"forward\"].params[1]"}).out, result.out);
  EXPECT_EQ(RunTool({"dump", file, "--path", ".functions[#0].params[1]"}).out, result.out);
}

TEST_F(ToolTest, DumpLimits) {
  const std::string file = Write("g.json", ArrayOfInts({1, 2, 3}));
  EXPECT_EQ(RunTool({"dump", file, "--max-items", "2"}).out, "[1, 2, ... 1 more]\n");
  const std::string text = Write("s.json", R"({"root_index":0,"nodes":[{"type":"ffi.String","data":"abcdef"}]})");
  EXPECT_EQ(RunTool({"dump", text, "--max-string", "3"}).out, "\"abc\"...(6 bytes)\n");
  EXPECT_EQ(RunTool({"dump", Write("d.json", DeepArrays(4, 7)), "--depth", "1"}).out.rfind("[[", 0), 0u);
}

TEST_F(ToolTest, DumpAsNodeTable) {
  const std::string file = DataFile("tvm-0.27/const.json");
  const std::string out = PathTo("out.json");
  EXPECT_EQ(RunTool({"dump", file, "--format", "json", "-o", out}).status, 0);
  const ToolResult same = RunTool({"diff", file, out});
  EXPECT_EQ(same.status, 0) << same.out << same.err;
  ExpectTrouble(RunTool({"dump", file, "--format", "json", "--depth", "2"}), {"--depth", "help dump"});
}

TEST_F(ToolTest, DumpColours) {
  const std::string file = Write("g.json", ArrayOfInts({1}));
  const std::string string = Write("s.json", R"({"root_index":0,"nodes":[{"type":"ffi.String","data":"a"}]})");
  EXPECT_EQ(RunTool({"dump", string}).out, "\"a\"\n");
  EXPECT_NE(RunTool({"dump", string, "--color", "always"}).out.find("\x1b["), std::string::npos);
  ToolSetting forced;
  forced.environment = {{"CLICOLOR_FORCE", "1"}};
  EXPECT_NE(RunTool({"dump", string}, forced).out.find("\x1b["), std::string::npos);
  EXPECT_EQ(RunTool({"dump", string, "--color", "never"}, forced).out, "\"a\"\n");
  forced.environment.emplace_back("NO_COLOR", "1");
  EXPECT_EQ(RunTool({"dump", string}, forced).out, "\"a\"\n");
}

TEST_F(ToolTest, DumpReadsStandardInput) {
  ToolSetting setting;
  setting.input = ArrayOfInts({4, 5});
  EXPECT_EQ(RunTool({"dump", "-"}, setting).out, "[4, 5]\n");
  setting.input = "{";
  ExpectTrouble(RunTool({"dump", "-"}, setting), {"standard input: byte"});
}

TEST_F(ToolTest, DumpIsTheSameEveryTime) {
  const std::string file = DataFile("tvm-0.27/lm2.1-legalize.json");
  const ToolResult first = RunTool({"dump", file});
  EXPECT_EQ(first.status, 0);
  EXPECT_EQ(first.out, RunTool({"dump", file}).out);
}

}  // namespace
}  // namespace transom::testing
