#include <sys/stat.h>
#include <unistd.h>

#include "tool/run_tool.h"

namespace transom::testing {
namespace {

const char* const kReaders[] = {"dump", "hash", "stat", "verify", "schema"};

TEST_F(ToolTest, FilesThatCannotBeRead) {
  for (const char* verb : kReaders) {
    SCOPED_TRACE(verb);
    ExpectTrouble(RunTool({verb, PathTo("none.json")}), {PathTo("none.json"), "No such file"});
    ExpectTrouble(RunTool({verb, PathTo("")}), {"directory"});
  }
  const std::string good = Write("good.json", ArrayOfInts({1}));
  ExpectTrouble(RunTool({"diff", good, PathTo("none.json")}), {"none.json"});
  ExpectTrouble(RunTool({"convert", PathTo("none.json"), PathTo("out.json")}), {"none.json"});
  if (geteuid() != 0) {  // who may read everything cannot see this
    chmod(good.c_str(), 0);
    ExpectTrouble(RunTool({"dump", good}), {good, "Permission denied"});
  }
}

TEST_F(ToolTest, DamagedContent) {
  const std::string text = ReadWhole(DataFile("tvm-0.27/const.json"));
  const std::pair<std::string, std::string> cases[] = {
      {"", "empty"},
      {text.substr(0, text.size() - 1), "truncated"},
      {text + "{}", "byte " + std::to_string(text.size())},
      {R"({"root_index":0,"nodes":[{"type":"ffi.Array","data":[0]}]})", "circle"},
      {R"({"root_index":7,"nodes":[{"type":"int","data":1}]})", "root_index"},
      {R"({"root_index":0,"nodes":[{"type":"ffi.Array","data":[5]}]})", "node 0"},
      {"\x7f"
       "ELF",
       "ELF"},
  };
  for (const auto& [content, part] : cases) {
    const std::string file = Write("bad.json", content);
    for (const char* verb : {"dump", "hash", "stat"}) ExpectTrouble(RunTool({verb, file}), {file, part});
    ExpectTrouble(RunTool({"diff", file, file}), {file, part});
    EXPECT_EQ(RunTool({"verify", file}).status, 1);
  }
}

TEST_F(ToolTest, ANewlineInANameDoesNotMakeASecondLine) {
  ExpectTrouble(RunTool({"dump", PathTo("two\nlines.json")}), {"lines.json"});
}

TEST_F(ToolTest, TheWrongSchema) {
  const std::string file = DataFile("tvm-0.27/lm2.0-import.json");
  for (const char* schema : {"tvm-0.25", "tvm-0.26"}) {
    ExpectTrouble(RunTool({"dump", file, "--schema", schema}), {file, "node "});
  }
  ExpectTrouble(RunTool({"dump", file, "--schema", "tvm-9"}), {"tvm-9", "tvm-0.27"});
  ExpectTrouble(RunTool({"dump", file, "--schema", Write("s.json", "{]")}), {"s.json"});
}

TEST_F(ToolTest, LibrariesThatCannotBeLoaded) {
  ExpectTrouble(RunTool({"dump", "x", "--load", PathTo("none.so")}), {"--load", "none.so"});
  ExpectTrouble(RunTool({"dump", "x", "--load", Write("text.so", "no library")}), {"--load", "text.so"});
}

TEST_F(ToolTest, PlacesThatAreNotThere) {
  const std::string file = DataFile("tvm-0.27/lm2.0-import.json");
  ExpectTrouble(RunTool({"dump", file, "--path", "<root>.nothing"}), {file, "nothing", "functions"});
  ExpectTrouble(RunTool({"dump", file, "--path", "<root>.functions[\"nothing\"]"}), {file, "nothing", "forward"});
  ExpectTrouble(RunTool({"dump", file, "--path", "nonsense"}), {file, "nonsense"});
}

TEST_F(ToolTest, CommandLinesThatMakeNoSense) {
  const std::pair<std::vector<std::string>, std::vector<std::string>> cases[] = {
      {{}, {"verb", "dump", "transom help"}},
      {{"nonsense"}, {"nonsense", "dump", "transom help"}},
      {{"help", "nonsense"}, {"nonsense", "transom help"}},
      {{"dump"}, {"FILE", "transom help dump"}},
      {{"diff", "a"}, {"NEW", "transom help diff"}},
      {{"dump", "a", "b"}, {"b", "transom help dump"}},
      {{"dump", "--nonsense", "a"}, {"--nonsense", "transom help dump"}},
      {{"dump", "a", "--format", "xml"}, {"xml", "transom help dump"}},
      {{"dump", "a", "--depth", "-1"}, {"--depth -1: expected a whole number from 0 to 1000; see: transom help dump"}},
      {{"dump", "a", "--max-string", "0"}, {"--max-string 0: expected a whole number from 1 to 9223372036854775807"}},
      {{"dump", "a", "--max-items", "many"}, {"--max-items many: expected a whole number from 1 to"}},
      {{"--nope"}, {"there is no option `--nope` before the verb", "transom help"}},
      {{"--nope=1", "dump", "a"}, {"there is no option `--nope` before the verb", "transom help"}},
      {{"hash", "-", "-"}, {"only one FILE can be standard input", "transom help hash"}},
      {{"stat", "-", "-"}, {"only one FILE can be standard input", "transom help stat"}},
      {{"verify", "-", "-"}, {"only one FILE can be standard input", "transom help verify"}},
      {{"dump", "a", "--color", "blue"}, {"blue", "transom help dump"}},
      {{"diff", "a", "b", "--max-diffs", "-3"}, {"--max-diffs -3: expected a whole number from 0 to"}},
      {{"diff", "a", "b", "--max-diffs", "99999999999999999999"},
       {"--max-diffs 99999999999999999999: expected a whole number from 0 to 9223372036854775807"}},
      {{"diff", "a", "b", "-U", "1e3"}, {"--context 1e3: expected a whole number"}},
      {{"convert", "a", "b.json", "--indent", "99"}, {"--indent 99: expected a whole number from 0 to 16; see: transom help convert"}},
      {{"hash", "--path"}, {"--path", "transom help hash"}},
  };
  for (const auto& [arguments, parts] : cases) ExpectTrouble(RunTool(arguments), parts);
}

TEST_F(ToolTest, NoInputIsOverwritten) {
  const std::string in = Write("in.json", ArrayOfInts({1, 2})), other = Write("other.json", ArrayOfInts({1, 3}));
  const std::string link = PathTo("link.json"), content = ReadWhole(in);
  ASSERT_EQ(symlink(in.c_str(), link.c_str()), 0);
  for (const std::string& out : {in, PathTo("./in.json"), link}) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"dump", in}, {"schema", in}, {"dedup", in}, {"diff", in, other}, {"diff", other, in}}) {
      std::vector<std::string> all = arguments;
      all.insert(all.end(), {"-o", out});
      ExpectTrouble(RunTool(all), {"-o " + out + " would overwrite"});
      EXPECT_EQ(ReadWhole(in), content) << arguments[0];
    }
  }
}

TEST_F(ToolTest, AClosedPipeIsNoTrouble) {
  ToolSetting setting;
  setting.closed_pipe = true;
  ToolResult result = RunTool({"dump", DataFile("tvm-0.27/lm2.1-legalize.json")}, setting);
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  result = RunTool({"diff", DataFile("tvm-0.27/lm2.0-import.json"), DataFile("tvm-0.27/lm2.1-legalize.json")}, setting);
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "");
}

TEST_F(ToolTest, AFullDiskIsTrouble) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full";
  ToolSetting setting;
  setting.output_to = "/dev/full";
  for (const char* verb : kReaders) {
    ExpectTrouble(RunTool({verb, DataFile("tvm-0.27/const.json")}, setting), {"standard output", "No space"});
  }
  const std::string file = Write("a.json", ArrayOfInts({1}));
  ExpectTrouble(RunTool({"convert", file, "/dev/full", "--to", "json"}), {"/dev/full", "No space"});
}

}  // namespace
}  // namespace transom::testing
