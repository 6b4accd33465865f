// Types from a library (--load), from a schema (--schema), and the same answers from both.
#include "tool/run_tool.h"

namespace transom::testing {
namespace {

const char kLibrary[] = TRANSOM_TEST_LIB_DIR "/shop_lib.so";

std::string Basket(int64_t quantity) {
  return R"({"root_index":5,"nodes":[{"type":"ffi.String","data":"nut"},{"type":"ffi.String","data":"ripe"},)"
         R"({"type":"ffi.Array","data":[1]},{"type":"None"},{"type":"shop.Item","data":{"name":0,"quantity":)" +
         std::to_string(quantity) + R"(,"tags":2,"note":3}},{"type":"ffi.Array","data":[4]}]})";
}

TEST_F(ToolTest, ALibraryDescribesItsTypes) {
  const std::string file = Write("basket.json", Basket(3));
  ExpectTrouble(RunTool({"dump", file}), {"shop.Item", "--load"});
  const ToolResult dump = RunTool({"dump", "--load", kLibrary, file});
  EXPECT_EQ(dump.status, 0) << dump.err;
  EXPECT_EQ(dump.out, "[shop.Item(name=\"nut\", quantity=3, tags=[\"ripe\"])]\n");
}

TEST_F(ToolTest, ItsSchemaStandsForTheLibrary) {
  const std::string schema = PathTo("shop.json");
  const ToolResult written = RunTool({"schema", "--load", kLibrary, "-o", schema});
  ASSERT_EQ(written.status, 0) << written.err;
  EXPECT_NE(ReadWhole(schema).find("\"shop.Item\""), std::string::npos);
  const std::string a = Write("a.json", Basket(3));
  const std::string b = Write("b.json", Basket(4));
  for (const std::vector<std::string>& arguments : {
           std::vector<std::string>{"dump", a},
           {"hash", a},
           {"hash", "--digest", b},
           {"diff", a, b},
           {"diff", "--format", "json", a, b},
           {"diff", "--stat", a, b},
           {"diff", "--format", "patch", a, b},
           {"convert", a, "-", "--to", "json"},
       }) {
    SCOPED_TRACE(arguments[0]);
    std::vector<std::string> native = arguments;
    native.insert(native.end(), {"--load", kLibrary});
    std::vector<std::string> record = arguments;
    record.insert(record.end(), {"--schema", schema});
    const ToolResult by_library = RunTool(native);
    const ToolResult by_schema = RunTool(record);
    EXPECT_EQ(by_library.status, by_schema.status) << by_library.err << by_schema.err;
    EXPECT_EQ(by_library.out, by_schema.out);
    EXPECT_EQ(by_library.err + by_schema.err, "");
  }
}

TEST_F(ToolTest, AFileCanCarryItsSchema) {
  const std::string file = Write("basket.json", Basket(3));
  const std::string own = PathTo("own.json");
  ASSERT_EQ(RunTool({"convert", "--load", kLibrary, file, own}).status, 0);
  const ToolResult dump = RunTool({"dump", own});
  EXPECT_EQ(dump.status, 0) << dump.err;
  EXPECT_EQ(dump.out, "[shop.Item(name=\"nut\", quantity=3, tags=[\"ripe\"])]\n");
  EXPECT_NE(RunTool({"verify", own}).out.find("schema in the file"), std::string::npos);
}

}  // namespace
}  // namespace transom::testing
