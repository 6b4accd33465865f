// Every verb on graphs that are deep, wide, or exponential when unfolded, under the usual limit of the C stack.
#include "support/scale.h"
#include "tool/run_tool.h"

namespace transom::testing {
namespace {

class ScaleTest : public ToolTest {
 protected:
  void Check(const std::string& before, const std::string& after) {
    const std::string a = Write("a.json", before);
    const std::string b = Write("b.json", after);
    const std::string out = PathTo("out");
    for (const std::vector<std::string>& arguments : {
             std::vector<std::string>{"dump", a, "-o", out},
             {"dump", a, "--format", "json", "-o", out},
             {"dump", a, "--exact-sharing", "-o", out},
             {"hash", a},
             {"stat", a},
             {"verify", a},
             {"schema", a},
             {"convert", a, out, "--to", "json"},
             {"diff", a, a},
         }) {
      SCOPED_TRACE(arguments[0]);
      const ToolResult result = RunTool(arguments);
      EXPECT_EQ(result.status, 0) << result.err;
      EXPECT_EQ(result.err, "");
    }
    EXPECT_EQ(ReadWhole(out), before) << "convert keeps the text";
    for (const char* option : {"--max-diffs=5", "--stat", "--first", "-q", "--quiet", "--swap"}) {
      SCOPED_TRACE(option);
      const ToolResult result = RunTool({"diff", option, a, b});
      EXPECT_EQ(result.status, 1) << result.err;
      EXPECT_EQ(result.err, "");
      EXPECT_LT(result.out.size(), 2000u) << "paths are shortened in text";
    }
    EXPECT_EQ(RunTool({"diff", "--format", "json", "-o", out, a, b}).status, 1);
  }
};

TEST_F(ScaleTest, Deep) { Check(DeepArrays(kLarge, 7), DeepArrays(kLarge, 8)); }
TEST_F(ScaleTest, Wide) { Check(WideArray(kLarge, -1), WideArray(kLarge, kLarge / 2)); }
TEST_F(ScaleTest, Ladder) { Check(Ladder(kLarge / 10, 7), Ladder(kLarge / 10, 8)); }

}  // namespace
}  // namespace transom::testing
