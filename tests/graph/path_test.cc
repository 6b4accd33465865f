#include "graph/path.h"

#include <gtest/gtest.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/shape.h>

#include <cmath>
#include <string>

#include "support/native_types.h"

namespace transom::graph {
namespace {

using testing::Call;
using testing::Const;
using testing::ErrorOf;
using testing::Var;

std::string Key(const Any& key, int64_t place = 3) {
  PlanTable plans;
  return KeyText(plans, *key.raw(), place);
}

TEST(KeyText, OfEveryKindOfKey) {
  EXPECT_EQ(Key("a\"b"), "\"a\\\"b\"");
  EXPECT_EQ(Key(nullptr), "None");
  EXPECT_EQ(Key(true), "True");
  EXPECT_EQ(Key(-7), "-7");
  EXPECT_EQ(Key(1.0), "1.0");
  EXPECT_EQ(Key(-0.0), "-0.0");
  EXPECT_EQ(Key(std::nan("")), "nan");
  EXPECT_EQ(Key(Var("x")), "native.Var(\"x\")");
  EXPECT_EQ(Key(testing::AsRecords(Var("x"))), "native.Var(\"x\")");
  EXPECT_EQ(Key(Const(1)), "#3");
  EXPECT_EQ(Key(Array<Any>{1}), "#3");
  EXPECT_EQ(Key(Const(1), -1), "native.Const");
  EXPECT_EQ(Key(DataType::Int(8)), "int8");
  EXPECT_EQ(Key(Bytes(std::string("a\xFF"))), "b\"a\\xff\"");
  EXPECT_EQ(Key(0.1), "0.1");
}

TEST(Quoted, EscapesWhatIsNoText) {
  EXPECT_EQ(Quoted("a\n\t\r\\\"\x01\x7f"), "\"a\\n\\t\\r\\\\\\\"\\x01\\x7f\"");
  EXPECT_EQ(Quoted("\xC3\xA9"), "\"\xC3\xA9\"");
  EXPECT_EQ(Quoted("\xC3\xA9\xFF"), "\"\xC3\xA9\\xff\"");
  EXPECT_EQ(Quoted(std::string("\0", 1)), "\"\\x00\"");
}

TEST(PathText, OfEveryKindOfStep) {
  const Any key = "k";
  const Path path = {Step::Attr("body"), Step::Item(2), Step::Key(*key.raw(), 0)};
  EXPECT_EQ(PathText({}, false), "<root>");
  EXPECT_EQ(PathText(path, false), "<root>.body[2][\"k\"]");
  EXPECT_EQ(PathText({path[0].Missing()}, false), "<root>[<missing:\"body\">]");
  EXPECT_EQ(PathText({path[1].Missing()}, false), "<root>[<missing:2>]");
  EXPECT_EQ(PathText({path[2].Missing()}, false), "<root>[<missing:\"k\">]");
  EXPECT_EQ(ToAccessPath(path)->ToString(), "<root>.body[2][\"k\"]");
  for (const Step& step : path)
    EXPECT_EQ(ToAccessPath({step.Missing()})->ToString(), PathText({step.Missing()}, false));
}

TEST(PathText, LongPathsLeaveOutTheMiddle) {
  Path path;
  for (int i = 0; i < 32; ++i) path.push_back(Step::Item(i));
  EXPECT_EQ(PathText(path, true), PathText(path, false));
  for (int i = 32; i < 100; ++i) path.push_back(Step::Item(i));
  const std::string text = PathText(path, true);
  EXPECT_NE(text.find("[15]...(68 steps)...[84]"), std::string::npos) << text;
  EXPECT_EQ(text.substr(text.size() - 4), "[99]");
  EXPECT_EQ(PathText(path, false).find("steps"), std::string::npos);
}

TEST(PathText, LongKeysLeaveOutTheMiddle) {
  const Any fits = String(std::string(158, 'k'));
  const Any is_long =
      String(std::string(98, 'k') + "\xC3\xA9" + std::string(5000, 'x') + "\xC3\xA9" + std::string(38, 'z'));
  const auto text = [](const Any& key, bool elide) { return PathText({Step::Key(*key.raw(), 0)}, elide); };
  EXPECT_EQ(text(fits, true), text(fits, false));
  EXPECT_EQ(text(is_long, true), "<root>[\"" + std::string(98, 'k') + "..." + std::string(38, 'z') + "\"]");
  EXPECT_EQ(text(is_long, false).size(), 5000u + 98 + 38 + 4 + 10);
  EXPECT_EQ(PathText({Step::Key(*is_long.raw(), 0).Missing()}, true),
            "<root>[<missing:\"" + std::string(98, 'k') + "..." + std::string(38, 'z') + "\">]");
}

}  // namespace
}  // namespace transom::graph
