#include "tool/run_tool.h"

namespace transom::testing {
namespace {

std::string Stage(const std::string& name) { return DataFile("tvm-0.27/lm2." + name + ".json"); }

ToolResult Diff(std::vector<std::string> options, const std::string& lhs, const std::string& rhs) {
  options.insert(options.begin(), "diff");
  options.push_back(lhs);
  options.push_back(rhs);
  return RunTool(options);
}

// An array of two maps with a name and a price.
std::string Goods(const char* first, const char* prices, const char* order) {
  const std::string name = std::string("\"") + first + "\"";
  return std::string("{\"root_index\":8,\"nodes\":[") +                                                 //
         "{\"type\":\"ffi.String\",\"data\":\"name\"},{\"type\":\"ffi.String\",\"data\":\"price\"}," +  //
         "{\"type\":\"ffi.String\",\"data\":" + name + "},{\"type\":\"ffi.String\",\"data\":\"nail\"}," + prices +
         "{\"type\":\"ffi.Map\",\"data\":[0,2,1,4]},{\"type\":\"ffi.Map\",\"data\":[0,3,1,5]}," +
         "{\"type\":\"ffi.Array\",\"data\":" + order + "}]}";
}

constexpr const char* kPrices = R"({"type":"float","data":1.5},{"type":"float","data":2.5},)";
constexpr const char* kOtherPrices = R"({"type":"float","data":1.5000001},{"type":"float","data":2.5},)";

TEST_F(ToolTest, DiffIgnoresPlaces) {
  const std::string a = Write("a.json", Goods("bolt", kPrices, "[6,7]"));
  const std::string b = Write("b.json", Goods("nut", kOtherPrices, "[6,7]"));
  EXPECT_EQ(Diff({"--paths-only"}, a, b).out, "<root>[0][\"name\"]\n<root>[0][\"price\"]\n");
  const ToolResult result = Diff({"--ignore", "<root>[0][\"name\"]", "--paths-only"}, a, b);
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, "<root>[0][\"price\"]\n");
  for (const char* how : {"--quiet", "--first", "--stat", "--brief"}) {
    const ToolResult same = Diff({how, "--ignore", "[*][\"name\"]", "--ignore", "**[\"price\"]"}, a, b);
    EXPECT_EQ(same.status, 0) << how;
    EXPECT_EQ(same.out + same.err, "") << how;
    EXPECT_EQ(Diff({how, "--ignore", "[*][\"name\"]"}, a, b).status, 1) << how;
  }
}

TEST_F(ToolTest, DiffTakesToleranceAndOrder) {
  const std::string a = Write("a.json", Goods("bolt", kPrices, "[6,7]"));
  const std::string b = Write("b.json", Goods("bolt", kOtherPrices, "[7,6]"));
  EXPECT_EQ(Diff({"--quiet", "--rtol", "1e-5"}, a, b).status, 1);
  EXPECT_EQ(Diff({"--quiet", "--unordered", "<root>"}, a, b).status, 1);
  EXPECT_EQ(Diff({"--quiet", "--unordered", "<root>", "--rtol", "1e-5"}, a, b).status, 0);
  EXPECT_EQ(Diff({"--key", "<root>=name", "--paths-only"}, a, b).out, "<root>[0][\"price\"] -> <root>[1][\"price\"]\n");
  EXPECT_EQ(Diff({"--key", "<root>=name", "--atol", "0.001", "--quiet"}, a, b).status, 0);
  ExpectTrouble(Diff({"--key", "<root>=size"}, a, b),
                {a + ", " + b + ": <root>: none of the elements has the field or key \"size\""});
}

TEST_F(ToolTest, DiffOfOneFunctionOnly) {
  const std::string lhs = Stage("2-annotate"), rhs = Stage("4-fusetir");
  EXPECT_EQ(Diff({"--only", "<root>.functions[\"silu\"]", "--paths-only"}, lhs, rhs).out,
            "<root>.functions[ir.GlobalVar(\"silu\")]\n");
  EXPECT_EQ(Diff({"--only", "<root>.functions[ir.GlobalVar(\"silu\")].body", "--paths-only"}, lhs, rhs).out,
            "<root>.functions[ir.GlobalVar(\"silu\")]\n");
  EXPECT_EQ(Diff({"--only", "<root>.functions[\"reshape\"]"}, lhs, rhs).status, 0);
  EXPECT_EQ(Diff({"--ignore", "<root>.functions[*]"}, lhs, rhs).status, 0);
}

TEST_F(ToolTest, DiffIgnoresFieldsAndTypes) {
  const std::string lhs = Stage("2-annotate"), rhs = Stage("4-fusetir");
  const std::string names = Diff({"--ignore-field", "ir.GlobalVar.name_hint", "--paths-only"}, lhs, rhs).out;
  EXPECT_EQ(names.find("name_hint"), std::string::npos);
  EXPECT_EQ(Diff({"--ignore-type", "ir.IRModule"}, lhs, rhs).status, 0);
  EXPECT_EQ(Diff({"--ignore-field", "ir.IRModule.functions"}, lhs, rhs).status, 0);
}

TEST_F(ToolTest, DiffSaysWhichOptionsMatchNothing) {
  const std::string a = Write("a.json", ArrayOfInts({1})), b = Write("b.json", ArrayOfInts({1, 2}));
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"--only", "<root>.typo"}, "transom: note: --only <root>.typo: matches no place that counts in either graph\n"},
      {{"--ignore", "**.typo"}, "transom: note: --ignore **.typo: matches no place that counts in either graph\n"},
      {{"--unordered", "[7]"}, "transom: note: --unordered [7]: matches no place that counts in either graph\n"},
      {{"--key", ".a=b"}, "transom: note: --key .a=b: matches no place that counts in either graph\n"},
      {{"--ignore-field", "ir.Call.span"},
       "transom: note: --ignore-field ir.Call.span: no object in either graph has this field\n"},
      {{"--ignore-type", "ir.Span"},
       "transom: note: --ignore-type ir.Span: no object in either graph is of this type\n"},
      {{"--only", "[1]"}, ""},  // on one side only
      {{"--unordered", "<root>"}, ""},
  };
  for (const auto& [options, note] : cases) {
    EXPECT_EQ(Diff({options[0], options[1], "--stat"}, a, b).err, note);
    EXPECT_EQ(Diff({options[0], options[1], "--brief"}, a, b).err, note);
    EXPECT_EQ(Diff({options[0], options[1], "--quiet"}, a, b).err, "");
  }
  EXPECT_EQ(Diff({"--only", "<root>.typo"}, a, a).err, cases[0].second);  // the same bytes
  // What is there, though it does not count.
  const std::string lhs = Stage("2-annotate");
  EXPECT_EQ(Diff({"--ignore-type", "ir.IRModule", "--ignore-field", "ir.GlobalVar.name_hint", "--ignore-field",
                  "*.name_hint"},
                 lhs, lhs)
                .err,
            "");
}

TEST_F(ToolTest, DiffOptionsThatMakeNoSense) {
  const std::string a = Write("a.json", ArrayOfInts({1}));
  // Also where the files are the same.
  ExpectTrouble(Diff({"--ignore", "ir.Call.span"}, a, a),
                {"ignored path \"ir.Call.span\": character 1", "--ignore-field", "help diff"});
  ExpectTrouble(Diff({"--ignore", ".a["}, a, a), {"character 4: a `[` is not closed by `]`"});
  ExpectTrouble(Diff({"--ignore-field", "span"}, a, a), {"ignored field \"span\": expected TYPE.FIELD"});
  ExpectTrouble(Diff({"--ignore-type", "ffi.Map"}, a, a), {"ignored type \"ffi.Map\""});
  ExpectTrouble(Diff({"--rtol", "-1"}, a, a), {"--rtol -1: expected a finite number from 0 on, such as 1e-5"});
  ExpectTrouble(Diff({"--rtol", "x"}, a, a), {"--rtol x: expected a finite number from 0 on"});
  ExpectTrouble(Diff({"--atol", "1e400"}, a, a), {"--atol 1e400: expected a finite number from 0 on"});
  ExpectTrouble(Diff({"--atol", "nan"}, a, a), {"--atol nan: expected a finite number from 0 on"});
  ExpectTrouble(Diff({"--atol", "1e-5x"}, a, a), {"--atol 1e-5x: expected a finite number from 0 on"});
  ExpectTrouble(Diff({"--key", "**.a=x", "--key", "**.a=y"}, a, a),
                {"path of a sequence with a key field \"**.a\": it has two, \"x\" and \"y\"", "leave one of them out"});
  ExpectTrouble(Diff({"--key", "<root>"}, a, a), {"--key <root>: expected PATH=FIELD"});
  ExpectTrouble(Diff({"--key", "[\"a=b\"]"}, a, a), {"expected PATH=FIELD"});
  for (const std::vector<std::string>& option :
       {std::vector<std::string>{"--ignore", "**"}, {"--only", "**"}, {"--atol", "1"}, {"--key", "**=a"}}) {
    ExpectTrouble(Diff({"--format", "patch", option[0], option[1]}, a, a),
                  {option[0] + " and --format patch exclude each other: a patch makes all of NEW"});
  }
  ExpectTrouble(Diff({"--stat", "-U", "1"}, a, a), {"--context has no effect with --stat"});
  ExpectTrouble(Diff({"--quiet", "--paths-only"}, a, a), {"--paths-only has no effect with --quiet"});
  ExpectTrouble(Diff({"--quiet", "--no-exit-code"}, a, a), {"would tell nothing"});
  ExpectTrouble(Diff({"--exit-code", "--no-exit-code"}, a, a), {"exclude each other"});
}

TEST_F(ToolTest, DiffExitStatusOnRequest) {
  const std::string a = Write("a.json", ArrayOfInts({1})), b = Write("b.json", ArrayOfInts({2}));
  EXPECT_EQ(Diff({"--exit-code"}, a, b).status, 1);
  EXPECT_EQ(Diff({"--no-exit-code"}, a, b).status, 0);
  EXPECT_EQ(Diff({"--no-exit-code", "-q"}, a, b).status, 0);
  EXPECT_EQ(Diff({"--no-exit-code", "-q"}, a, b).out, "Files " + a + " and " + b + " differ\n");
  EXPECT_EQ(Diff({"--no-exit-code", "--format", "patch"}, a, b).status, 0);
  EXPECT_EQ(Diff({"--no-exit-code"}, a, PathTo("none.json")).status, 2);
}

TEST_F(ToolTest, DiffShowsNeighbours) {
  const std::string a = Write("a.json", ArrayOfInts({1, 2, 3})), b = Write("b.json", ArrayOfInts({1, 5, 3}));
  const ToolResult result = Diff({"-U", "1"}, a, b);
  EXPECT_NE(result.out.find("\n<root>\n    [0]  1\n  [1]\n    - 2\n    + 5\n    [2]  3\n"), std::string::npos)
      << result.out;
}

}  // namespace
}  // namespace transom::testing
