// The program on .tsm files and their base64.
#include <filesystem>
#include <vector>

#include "support/scale.h"
#include "support/tsm_file.h"
#include "tool/run_tool.h"

namespace transom::testing {
namespace {

const char* const kModules[] = {"tvm-0.25/lm2.0-import.json", "tvm-0.26/const.json", "tvm-0.27/lm2.1-legalize.json"};

class TsmToolTest : public ToolTest {
 protected:
  // The graph in a file of that name.
  std::string Converted(const std::string& from, const std::string& name) const {
    const std::string path = PathTo(name);
    const ToolResult result = RunTool({"convert", from, path});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.out + result.err, "");
    return path;
  }
};

TEST_F(TsmToolTest, ConvertBetweenAllFormats) {
  for (const char* name : kModules) {
    const std::string json = DataFile(name);
    const std::string text = ReadWhole(json);
    const std::string tsm = Converted(json, "a.tsm"), b64 = Converted(json, "a.b64");
    EXPECT_TRUE(ReadWhole(Converted(tsm, "b.json")) == text);
    EXPECT_TRUE(ReadWhole(Converted(b64, "b.json")) == text);
    EXPECT_TRUE(ReadWhole(Converted(tsm, "b.tsm")) == ReadWhole(tsm));
    EXPECT_TRUE(ReadWhole(Converted(b64, "b.tsm")) == ReadWhole(tsm));
    EXPECT_TRUE(ReadWhole(Converted(tsm, "b.b64")) == ReadWhole(b64));
  }
}

TEST_F(TsmToolTest, ConvertThroughStandardInputAndOutput) {
  const std::string json = DataFile("tvm-0.27/const.json"), text = ReadWhole(json);
  for (const char* format : {"json", "tsm", "b64"}) {
    SCOPED_TRACE(format);
    ToolSetting setting;
    setting.input = RunTool({"convert", json, "-", "--to", format}).out;
    EXPECT_EQ(RunTool({"convert", "-", "-", "--to", "json"}, setting).out, text);
    EXPECT_EQ(RunTool({"convert", "-", "-", "--from", format, "--to", "json"}, setting).out, text);
    EXPECT_EQ(RunTool({"convert", "-", "-", "--to", format}, setting).out, setting.input);
    // A name whose suffix tells nothing.
    const std::string plain = Write("plain", setting.input);
    EXPECT_EQ(RunTool({"convert", plain, PathTo("other"), "--to", format}).status, 0);
    EXPECT_EQ(ReadWhole(PathTo("other")), setting.input);
    for (const char* wrong : {"json", "tsm", "b64"}) {
      if (std::string(wrong) == format) continue;
      ExpectTrouble(RunTool({"convert", "--from", wrong, "-", "-", "--to", "json"}, setting), {"standard input: "});
    }
  }
  ToolSetting cat;
  cat.input = ReadWhole(Converted(json, "a.tsm"));
  EXPECT_EQ(RunTool({"dump", "-"}, cat).out, RunTool({"dump", json}).out);
  EXPECT_EQ(RunTool({"diff", json, "-"}, cat).status, 0);
}

TEST_F(TsmToolTest, OutputWithoutAFormat) {
  const std::string json = DataFile("tvm-0.27/const.json");
  for (const char* name : {"out", "out.txt", "tsm", "out.tsm.gz"}) {
    ExpectTrouble(RunTool({"convert", json, PathTo(name)}), {name, ".tsm", "--to", "transom help convert"});
    EXPECT_FALSE(std::filesystem::exists(PathTo(name)));
  }
  ExpectTrouble(RunTool({"convert", json, "-"}), {"--to"});
  ExpectTrouble(RunTool({"convert", json, "-", "--to", "tms"}), {"tms", "transom help convert"});
}

// Every verb says of the binary file what it says of the text.
TEST_F(TsmToolTest, VerbsSayTheSame) {
  for (const char* name : kModules) {
    const std::string json = DataFile(name);
    const std::string text_of_types = ReadWhole(json);
    for (const char* file : {"a.tsm", "a.b64"}) {
      SCOPED_TRACE(std::string(name) + " as " + file);
      const std::string path = Converted(json, file);
      for (const std::vector<std::string>& verb : {std::vector<std::string>{"dump"},
                                                   {"dump", "--format", "json"},
                                                   {"hash"},
                                                   {"hash", "--digest"},
                                                   {"stat"},
                                                   {"schema"}}) {
        std::vector<std::string> one = verb, other = verb;
        one.push_back(json);
        other.push_back(path);
        const ToolResult a = RunTool(one), b = RunTool(other);
        EXPECT_EQ(b.status, 0) << b.err;
        EXPECT_EQ(b.err, "");
        // The name of the file is in the output.
        std::string wanted = a.out;
        for (size_t at; (at = wanted.find(json)) != std::string::npos;) wanted.replace(at, json.size(), path);
        EXPECT_TRUE(b.out == wanted) << verb[0] << "\n" << b.out.substr(0, 500) << "\n" << wanted.substr(0, 500);
      }
      EXPECT_EQ(RunTool({"diff", json, path}).status, 0);
      EXPECT_EQ(RunTool({"diff", path, json}).out, "");
    }
  }
}

TEST_F(TsmToolTest, DumpAndHashOfAPlace) {
  const std::string json = DataFile("tvm-0.27/lm2.0-import.json");
  const std::string path = "<root>.functions[\"forward\"].params[3]";
  const std::string tsm = Converted(json, "a.tsm");
  EXPECT_EQ(RunTool({"dump", "--path", path, tsm}).out, RunTool({"dump", "--path", path, json}).out);
  EXPECT_EQ(RunTool({"hash", "--path", path, tsm}).out.substr(0, 16),
            RunTool({"hash", "--path", path, json}).out.substr(0, 16));
}

TEST_F(TsmToolTest, DifferencesBetweenFormats) {
  const std::string a = DataFile("tvm-0.27/lm2.0-import.json"), b = DataFile("tvm-0.27/lm2.1-legalize.json");
  const ToolResult wanted = RunTool({"diff", "--stat", a, b});
  const ToolResult result = RunTool({"diff", "--stat", Converted(a, "a.tsm"), Converted(b, "b.b64")});
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_EQ(wanted.status, 1);
  EXPECT_EQ(result.out.substr(result.out.find('\n') + 1), wanted.out.substr(wanted.out.find('\n') + 1));
}

// A field that the library does not have counts, and is shown.
TEST_F(TsmToolTest, FieldsThatALibraryLacks) {
  const auto file = [&](const char* name, int extra) {
    const std::string json = R"({"schema":{"transom_schema":1,"types":{"shop.Item":{"structural":"tree","fields":[
      {"name":"name","type":"ffi.String"},{"name":"quantity","type":"int"},{"name":"tags","type":"ffi.Array<Any>"},
      {"name":"note","type":"Any","ignore":true,"default":null},{"name":"extra","type":"int"}]}}},"root_index":3,"nodes":[
      {"type":"ffi.String","data":"nut"},{"type":"ffi.Array","data":[]},{"type":"None"},
      {"type":"shop.Item","data":{"name":0,"quantity":3,"tags":1,"note":2,"extra":)" +
                             std::to_string(extra) + "}}]}";
    const std::string out = PathTo(std::string(name) + ".tsm");
    EXPECT_EQ(RunTool({"convert", Write(std::string(name) + ".json", json), out}).status, 0);
    return out;
  };
  const std::string one = file("one", 1), two = file("two", 2);
  const std::string library = std::string(TRANSOM_TEST_LIB_DIR) + "/shop_lib.so";
  EXPECT_EQ(RunTool({"diff", "--load", library, one, two}).status, 1);
  EXPECT_EQ(RunTool({"diff", "--quiet", "--load", library, one, two}).status, 1);
  EXPECT_EQ(RunTool({"verify", "--load", library, one}).status, 0);
  EXPECT_NE(RunTool({"dump", "--load", library, two}).out.find("extra=2"), std::string::npos);
  const std::string out = PathTo("out.json");
  EXPECT_EQ(RunTool({"convert", "--load", library, one, out}).status, 2);
  EXPECT_EQ(RunTool({"convert", "--load", library, "--records", one, out}).status, 0);
}

TEST_F(TsmToolTest, VerifyOfGoodFiles) {
  const std::string json = DataFile("tvm-0.27/const.json");
  const std::string tsm = Converted(json, "a.tsm"), b64 = Converted(json, "a.b64");
  const ToolResult result = RunTool({"verify", tsm, b64});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find(tsm + ": whole: .tsm file, "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find(b64 + ": whole: .tsm file in base64, "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("schema in the file"), std::string::npos);
}

TEST_F(TsmToolTest, TypesOfALibrary) {
  const std::string library = TRANSOM_TEST_LIB_DIR "/shop_lib.so";
  const std::string basket = Write(
      "basket.json",
      R"({"root_index":5,"nodes":[{"type":"ffi.String","data":"nut"},{"type":"ffi.String","data":"ripe"},)"
      R"({"type":"ffi.Array","data":[1]},{"type":"None"},{"type":"shop.Item","data":{"name":0,"quantity":3,"tags":2,)"
      R"("note":3}},{"type":"ffi.Array","data":[4,4]}]})");
  const std::string tsm = PathTo("a.tsm");
  ASSERT_EQ(RunTool({"convert", "--load", library, basket, tsm}).status, 0);
  const std::string wanted = RunTool({"dump", "--load", library, basket}).out;
  EXPECT_EQ(RunTool({"dump", tsm}).out, wanted) << "the file says what its types are";
  EXPECT_EQ(RunTool({"dump", "--load", library, tsm}).out, wanted);
  EXPECT_EQ(RunTool({"hash", "--digest", tsm}).out, RunTool({"hash", "--digest", "--load", library, tsm}).out);
  EXPECT_EQ(RunTool({"diff", "--load", library, basket, tsm}).status, 0);
  EXPECT_NE(RunTool({"schema", tsm}).out.find("\"shop.Item\""), std::string::npos);
}

// ---- Damage

TEST_F(TsmToolTest, EveryKindOfDamage) {
  const std::string good = ReadWhole(Converted(DataFile("tvm-0.27/const.json"), "good.tsm"));
  std::string graph = good, tensor = good, padding = good, footer = good;
  graph[100] ^= 1;
  const std::string blobs(BlobSection(good));
  const size_t blob = good.find(blobs);
  tensor[blob] ^= 1;
  padding[blob + blobs.size()] ^= 1;
  footer[good.size() - 20] ^= 1;
  TsmParts parts = TsmParts::Of(good);
  parts.graph.groups[0]->count += 1;
  const std::pair<std::string, std::string> cases[] = {{graph, "graph section"},
                                                       {tensor, "blob 0"},
                                                       {padding, "padding"},
                                                       {footer, "footer"},
                                                       {good.substr(0, good.size() - 1), "truncated"},
                                                       {good.substr(0, 70), "truncated"},
                                                       {good + "x", "appended"},
                                                       {good + good, "where its footer states"},
                                                       {parts.ToFile(), "group 0"}};
  for (const auto& [content, part] : cases) {
    SCOPED_TRACE(part);
    const std::string file = Write("bad.tsm", content);
    const ToolResult verify = RunTool({"verify", file});
    EXPECT_EQ(verify.status, 1) << verify.err;
    EXPECT_EQ(verify.out.rfind(file + ": damaged: ", 0), 0u) << verify.out;
    EXPECT_NE(verify.out.find(part), std::string::npos) << verify.out;
    for (const char* verb : {"dump", "hash"}) ExpectTrouble(RunTool({verb, file}), {file, part});
    ExpectTrouble(RunTool({"diff", file, PathTo("good.tsm")}), {file, part});
    ExpectTrouble(RunTool({"diff", PathTo("good.tsm"), file}), {file, part});
    ExpectTrouble(RunTool({"convert", file, PathTo("out.json")}), {file, part});
    ExpectTrouble(RunTool({"dedup", file, "-o", PathTo("out.tsm")}), {file, part});
    EXPECT_FALSE(std::filesystem::exists(PathTo("out.json")));
    // Two equal files are compared by their bytes, so damaged ones must be noticed before.
    EXPECT_NE(RunTool({"diff", file, Write("bad2.tsm", content)}).status, 1);
  }
  const std::string b64 = ReadWhole(Converted(PathTo("good.tsm"), "good.b64"));
  std::string changed = b64;
  changed[200] = changed[200] == 'A' ? 'B' : 'A';
  EXPECT_EQ(RunTool({"verify", Write("bad.b64", changed)}).status, 1);
  ExpectTrouble(RunTool({"dump", Write("bad.b64", b64.substr(0, b64.size() / 2))}), {"bad.b64"});
}

TEST_F(TsmToolTest, VerifyIsInTroubleOverWhatIsNoDamage) {
  const std::string good = ReadWhole(Converted(DataFile("tvm-0.27/const.json"), "good.tsm"));
  TsmFooterFields footer;
  footer.major = 9;
  footer.minor = 1;
  const std::string newer = Write("newer.tsm", TsmFileOf(GraphSection(good), BlobSection(good), footer));
  ExpectTrouble(RunTool({"verify", newer}), {newer, "version 9.1", "version 0.1"});
  ExpectTrouble(RunTool({"verify", PathTo("none.tsm")}), {"none.tsm", "No such file"});
  const std::string nodes = R"("root_index":0,"nodes":[{"type":"test.Nothing","data":{}}]})";
  const std::string unknown = Write("unknown.json", "{" + nodes);
  ExpectTrouble(RunTool({"verify", unknown}), {unknown, "test.Nothing", "--schema FILE"});
  const std::string form = Write("form.json", R"({"schema":{"transom_schema":99,"types":{}},)" + nodes);
  ExpectTrouble(RunTool({"verify", form}), {form, "version 99", "reads up to 1"});
}

// ---- Scale, under the usual limit of the C stack

TEST_F(TsmToolTest, LargeGraphs) {
  for (const std::string& text : {DeepArrays(kLarge, 7), WideArray(kLarge, 5), Ladder(kLarge / 10, 7)}) {
    const std::string json = Write("a.json", text);
    const std::string tsm = Converted(json, "a.tsm");
    EXPECT_TRUE(ReadWhole(Converted(tsm, "b.json")) == text);
    EXPECT_EQ(RunTool({"diff", json, tsm}).status, 0);
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"dump", tsm, "-o", PathTo("out")},
                                                      {"hash", tsm},
                                                      {"stat", tsm},
                                                      {"verify", tsm},
                                                      {"schema", tsm},
                                                      {"dedup", tsm, "-o", PathTo("c.tsm")}}) {
      const ToolResult result = RunTool(arguments);
      EXPECT_EQ(result.status, 0) << arguments[0] << ": " << result.err;
      EXPECT_EQ(result.err, "");
    }
    EXPECT_TRUE(ReadWhole(PathTo("c.tsm")) == ReadWhole(tsm));
  }
}

}  // namespace
}  // namespace transom::testing
