#include "support/json_value.h"
#include "support/scale.h"
#include "tool/run_tool.h"

namespace transom::testing {
namespace {

std::string Stage(const std::string& name) { return DataFile("tvm-0.27/lm2." + name + ".json"); }

TEST_F(ToolTest, PatchMakesTheNewGraphOfTheOldOne) {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"0-import", "1-legalize"}, {"1-legalize", "2-annotate"}, {"2-annotate", "4-fusetir"}, {"4-fusetir", "0-import"}};
  for (const auto& [before, after] : pairs) {
    SCOPED_TRACE(before + " to " + after);
    const std::string patch = PathTo("p.json"), result = PathTo("n.json");
    ToolResult made = RunTool({"diff", "--format", "patch", Stage(before), Stage(after), "-o", patch});
    EXPECT_EQ(made.status, 1) << made.err;
    EXPECT_EQ(made.out + made.err, "");
    ToolResult applied = RunTool({"patch", Stage(before), patch, "-o", result});
    EXPECT_EQ(applied.status, 0) << applied.err;
    EXPECT_EQ(applied.out + applied.err, "");
    EXPECT_EQ(RunTool({"diff", "--quiet", result, Stage(after)}).status, 0);
    EXPECT_EQ(ParseJson(ReadWhole(result)).Find("metadata")->ToText(),
              ParseJson(ReadWhole(Stage(after))).Find("metadata")->ToText());
  }
  EXPECT_LT(RunTool({"diff", "--format", "patch", Stage("1-legalize"), Stage("2-annotate")}).out.size() * 30,
            ReadWhole(Stage("2-annotate")).size());
}

TEST_F(ToolTest, PatchReadsAndWritesEveryFormat) {
  const std::string old = PathTo("old.tsm"), result = PathTo("new.b64");
  ASSERT_EQ(RunTool({"convert", Stage("1-legalize"), old}).status, 0);
  ToolSetting setting;
  setting.input = RunTool({"diff", "--format", "patch", old, Stage("2-annotate")}).out;
  EXPECT_EQ(setting.input, RunTool({"diff", "--format", "patch", Stage("1-legalize"), Stage("2-annotate")}).out);
  EXPECT_EQ(RunTool({"patch", old, "-", "-o", result}, setting).status, 0);
  EXPECT_EQ(RunTool({"diff", "--quiet", result, Stage("2-annotate")}).status, 0);
  // Standard output has the format of the old graph.
  const ToolResult to_output = RunTool({"patch", Stage("1-legalize"), "-", "-o", "-"}, setting);
  EXPECT_EQ(RunTool({"diff", "--quiet", Write("n.json", to_output.out), Stage("2-annotate")}).status, 0);
}

TEST_F(ToolTest, PatchOfEqualGraphs) {
  const ToolResult made = RunTool({"diff", "--format", "patch", Stage("4-fusetir"), Stage("4-fusetir")});
  EXPECT_EQ(made.status, 0);
  const std::string result = PathTo("n.json");
  EXPECT_EQ(RunTool({"patch", Stage("4-fusetir"), Write("p.json", made.out), "-o", result}).status, 0);
  EXPECT_EQ(ReadWhole(result), ReadWhole(Stage("4-fusetir")));
}

TEST_F(ToolTest, PatchThatDoesNotFitWritesNothing) {
  const std::string a = Write("a.json", ArrayOfInts({1, 2})), b = Write("b.json", ArrayOfInts({1, 3}));
  const std::string patch = PathTo("p.json"), result = PathTo("n.json");
  ASSERT_EQ(RunTool({"diff", "--format", "patch", a, b, "-o", patch}).status, 1);
  const ToolResult other = RunTool({"patch", b, patch, "-o", result});
  EXPECT_EQ(other.status, 1);
  EXPECT_EQ(other.out, "");
  EXPECT_EQ(
      other.err.rfind(
          "transom: " + patch + " does not fit " + b + ": the patch is for another value: expected the digest ", 0),
      0u)
      << other.err;
  std::string text = ReadWhole(patch);
  text.replace(text.find("\"items\""), 7, "\"words\"");
  const ToolResult damaged = RunTool({"patch", a, Write("d.json", text), "-o", result});
  EXPECT_EQ(damaged.status, 1);
  EXPECT_NE(
      damaged.err.find(
          "edit 1 of the patch has \"words\" as its element 1, where fields, items, entries or value is expected"),
      std::string::npos)
      << damaged.err;
  EXPECT_NE(RunTool({"diff", "--quiet", a, result}).status, 0) << "there is no such file";
}

TEST_F(ToolTest, PatchTrouble) {
  const std::string a = Write("a.json", ArrayOfInts({1, 2})), b = Write("b.json", ArrayOfInts({1, 3}));
  const std::string patch = PathTo("p.json"), result = PathTo("n.json");
  ASSERT_EQ(RunTool({"diff", "--format", "patch", a, b, "-o", patch}).status, 1);
  ExpectTrouble(RunTool({"patch", a, b, "-o", result}),
                {b, "byte 0: no patch: a patch is a JSON object whose first member is \"transom_patch\""});
  ExpectTrouble(RunTool({"patch", a, Write("cut.json", ReadWhole(patch).substr(0, 300)), "-o", result}),
                {"cut.json", "truncated"});
  ExpectTrouble(RunTool({"patch", a, patch}), {"--output", "help patch"});
  ExpectTrouble(RunTool({"patch", a, patch, "-o", a}), {"overwrite", "help patch"});
  ExpectTrouble(RunTool({"patch", a, patch, "-o", patch}), {"overwrite"});
  ExpectTrouble(RunTool({"patch", a, patch, "-o", PathTo("n.txt")}), {"n.txt", "suffix"});
  ExpectTrouble(RunTool({"patch", "-", "-", "-o", result}), {"standard input"});
  ExpectTrouble(RunTool({"patch", PathTo("none.json"), patch, "-o", result}), {"none.json"});
  for (const char* verb : {"dump", "verify", "hash", "stat"}) {
    ExpectTrouble(RunTool({verb, patch}),
                  {patch, "the file is a patch, where a graph is expected; transom patch OLD PATCH -o NEW applies it"});
  }
  const std::string twice = RunTool({"patch", a, a, "-o", result}).err;
  EXPECT_EQ(twice.find(a + ": "), twice.rfind(a + ": ")) << twice;
  ExpectTrouble(RunTool({"diff", "--format", "patch", "--first", a, b}),
                {"--first has no effect with --format patch", "help diff"});
  ExpectTrouble(RunTool({"diff", "--format", "patch", "--max-diffs", "1", a, b}),
                {"--max-diffs has no effect with --format patch"});
}

TEST_F(ToolTest, PatchBetweenVersionsOfTypes) {
  const std::string before = DataFile("tvm-0.26/lm2.0-import.json"), after = Stage("0-import");
  const std::string patch = PathTo("p.json"), result = PathTo("n.tsm");
  ASSERT_EQ(RunTool({"diff", "--format", "patch", before, after, "-o", patch}).status, 1);
  EXPECT_EQ(RunTool({"patch", before, patch, "-o", result}).status, 0);
  EXPECT_EQ(RunTool({"diff", "--quiet", result, after}).status, 0);
  ExpectTrouble(RunTool({"patch", before, patch, "-o", PathTo("n.json")}),
                {"n.json: one schema cannot hold two descriptions", ".tsm"});
}

// An item of the library's type, and an array of `count` such items.
std::string Items(int count) {
  std::string nodes =
      R"({"type":"ffi.String","data":"nut"},{"type":"ffi.Array","data":[]},{"type":"None"},{"type":"shop.Item","data":)"
      R"({"name":0,"quantity":)" +
      std::to_string(count) + R"(,"tags":1,"note":2}})";
  std::string items = "3";
  for (int i = 1; i < count; ++i) {
    nodes += R"(,{"type":"shop.Item","data":{"name":0,"quantity":)" + std::to_string(i) + R"(,"tags":1,"note":2}})";
    items += "," + std::to_string(3 + i);
  }
  return R"({"root_index":)" + std::to_string(3 + count) + R"(,"nodes":[)" + nodes +
         R"(,{"type":"ffi.Array","data":[)" + items + "]}]}";
}

TEST_F(ToolTest, PatchOfTypesOfALibrary) {
  const char kLibrary[] = TRANSOM_TEST_LIB_DIR "/shop_lib.so";
  const std::string a = Write("a.json", Items(1)), b = Write("b.json", Items(3));
  const std::string patch = PathTo("p.json"), result = PathTo("n.json");
  ASSERT_EQ(RunTool({"diff", "--format", "patch", "--load", kLibrary, a, b, "-o", patch}).status, 1);
  ToolResult applied = RunTool({"patch", "--load", kLibrary, a, patch, "-o", result});
  EXPECT_EQ(applied.status, 0) << applied.err;
  EXPECT_EQ(RunTool({"diff", "--quiet", "--load", kLibrary, result, b}).status, 0);
  // Without the library, where the old graph has the schema: what is new has it in the patch.
  const std::string own = PathTo("own.json"), result_of_own = PathTo("of_own.json");
  ASSERT_EQ(RunTool({"convert", "--load", kLibrary, a, own}).status, 0);
  applied = RunTool({"patch", own, patch, "-o", result_of_own});
  EXPECT_EQ(applied.status, 0) << applied.err;
  EXPECT_EQ(RunTool({"diff", "--quiet", "--load", kLibrary, result_of_own, b}).status, 0);
}

TEST_F(ToolTest, PatchOfLargeGraphs) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {DeepArrays(kLarge, 7), DeepArrays(kLarge, 8)},
      {WideArray(kLarge, 5), WideArray(kLarge, kLarge / 2)},
      {Ladder(kLarge / 10, 7), Ladder(kLarge / 10, 8)},
  };
  for (const auto& [before, after] : cases) {
    const std::string old = Write("old.json", before), wanted = Write("wanted.json", after);
    const std::string patch = PathTo("p.json"), result = PathTo("n.json");
    EXPECT_EQ(RunTool({"diff", "--format", "patch", old, wanted, "-o", patch}).status, 1);
    EXPECT_LT(ReadWhole(patch).size(), before.size());
    const ToolResult applied = RunTool({"patch", old, patch, "-o", result});
    EXPECT_EQ(applied.status, 0) << applied.err;
    EXPECT_EQ(RunTool({"diff", "--quiet", result, wanted}).status, 0);
  }
}

}  // namespace
}  // namespace transom::testing
