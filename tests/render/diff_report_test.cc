#include <transom/render/diff_report.h>

#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/map.h>
#include <transom/runtime/function.h>
#include <transom/structural/hash.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/graph_gen.h"
#include "support/json_value.h"
#include "support/library.h"
#include "support/native_types.h"

namespace transom {
namespace {

using testing::Call;
using testing::Const;
using testing::JsonValue;
using testing::Lambda;
using testing::ParseJson;
using testing::Var;

DiffOptions AsFiles() {
  DiffOptions options;
  options.as_files = true;
  return options;
}

std::string Text(const Any& lhs, const Any& rhs) { return DiffText(StructuralDiff(lhs, rhs, AsFiles())); }

Any Functions(const Any& f, const Any& g) { return Map<Any, Any>{{String("f"), f}, {String("g"), g}}; }

TEST(DiffTextTest, NothingForEqualValues) {
  EXPECT_EQ(Text(Array<Any>{1}, Array<Any>{1}), "");
  EXPECT_EQ(DiffStat(StructuralDiff(1, 1)), "");
}

TEST(DiffTextTest, ALoneEditStandsUnderItsPath) {
  EXPECT_EQ(Text(Call("f", {1}), Call("f", {2})),
            "\n<root>.args[0]\n"
            "  - 1\n"
            "  + 2\n"
            "\n1 difference: 1 update\n");
  EXPECT_EQ(Text(1, String("x")), "\n<root>\n  - 1\n  + \"x\"\n\n1 difference: 1 replace\n");
}

TEST(DiffTextTest, InsertionsAndDeletionsAreSingleLines) {
  EXPECT_EQ(Text(Array<Any>{1, 2, 3, 4}, Array<Any>{1, 2, 9, 3, 4}),
            "\n<root>\n  + [2]  9\n\n1 difference: 1 insert\n");
  EXPECT_EQ(Text(Array<Any>{1, 2, 3, 4}, Array<Any>{1, 3, 4}), "\n<root>\n  - [1]  2\n\n1 difference: 1 delete\n");
  EXPECT_EQ(Text(Map<Any, Any>{}, Map<Any, Any>{{String("k"), 1}}),
            "\n<root>\n  + [\"k\"]  1\n\n1 difference: 1 insert\n");
}

TEST(DiffTextTest, EditsOfOnePartShareItsPath) {
  const Any before = Functions(Call("add", {1, 2, 3}), Call("mul", {1}));
  const Any after = Functions(Call("add", {1, 5, 6}), Call("mul", {2}));
  EXPECT_EQ(Text(before, after),
            "\n<root>[\"f\"].args\n"
            "  [1]\n"
            "    - 2\n"
            "    + 5\n"
            "  [2]\n"
            "    - 3\n"
            "    + 6\n"
            "\n<root>[\"g\"].args[0]\n"
            "  - 1\n"
            "  + 2\n"
            "\n3 differences: 3 update\n");
}

TEST(DiffTextTest, APlaceThatMovedSaysWhereItIsNow) {
  const auto list = [](std::vector<Any> first, int64_t value) {
    for (int64_t i = 0; i < 6; ++i) first.push_back(Call("op", {i, i == 3 ? value : 0}));
    return Any(Array<Any>(first.begin(), first.end()));
  };
  const std::string text = Text(list({}, 1), list({Call("new")}, 2));
  EXPECT_NE(text.find("  + [0]  native.Call(op=\"new\", args=[])\n"), std::string::npos) << text;
  EXPECT_NE(text.find("[3].args[1] -> [4].args[1]\n"), std::string::npos) << text;
}

TEST(DiffTextTest, SharedPartsCountTheirPlaces) {
  const auto twice = [](int64_t leaf) {
    const Any part = Call("f", {leaf});
    return Any(Array<Any>{part, part});
  };
  EXPECT_NE(Text(twice(1), twice(2)).find("(2 places)"), std::string::npos);
}

TEST(DiffTextTest, VariablesAreTheirNames) {
  const auto make = [](bool second) {
    const Any x = Var("x");
    const Any y = Var("y");
    return Lambda({x, y}, Call("f", {second ? y : x}));
  };
  const std::string text = Text(make(false), make(true));
  EXPECT_NE(text.find("(rewired)\n  - %x\n  + %y\n"), std::string::npos) << text;
}

// A part that is large enough to move.
Any Big(int64_t id) { return Call("big", {id, Call("x")}); }

TEST(DiffTextTest, MovesTellWhereFromAndWhereTo) {
  EXPECT_EQ(Text(Array<Any>{Big(1), Big(2), Big(3)}, Array<Any>{Big(2), Big(3), Big(1)}),
            "\n<root>[0] -> [2] (moved)\n"
            "    native.Call(op=\"big\", args=[1, native.Call(op=\"x\", args=[])])\n"
            "\n1 difference: 1 move\n");
  const std::string text = Text(Functions(Const(Array<Any>{Big(1), 0}), Const(Array<Any>{1})),
                                Functions(Const(Array<Any>{0}), Const(Array<Any>{1, Big(1)})));
  EXPECT_EQ(text.substr(0, text.find('\n', 1)), "\n<root>[\"f\"].value[0] -> <root>[\"g\"].value[1] (moved)");
}

TEST(DiffTextTest, AnObjectAroundAnotherSaysWhatItIsAround) {
  const Any inner = Const(Big(1)), outer = Const(Call("relu", {Big(1)}));
  EXPECT_EQ(Text(inner, outer),
            "\n<root>\n"
            "  + .value  native.Call(op=\"relu\", args=[native.Call(op=\"big\", args=[1, native.Call(...)])]) (put "
            "around its .args[0])\n"
            "\n1 difference: 1 insert\n");
  EXPECT_NE(Text(outer, inner).find(" (taken away from around its .args[0])\n"), std::string::npos);
}

TEST(DiffTextTest, SharingSaysWhatBecameOfTheObject) {
  const Any shared = testing::Node(1);
  const Any one = Array<Any>{shared, shared, shared};
  const Any several = Array<Any>{testing::Node(1), testing::Node(1), testing::Node(1)};
  EXPECT_EQ(Text(one, several),
            "\n<root>[1] (one object became several) (2 places)\n"
            "    native.Node(value=1)\n"
            "\n1 difference: 1 sharing\n");
  EXPECT_NE(Text(several, one).find("<root>[1] (several objects became one) (2 places)\n"), std::string::npos);
}

TEST(DiffTextTest, RenamedVariables) {
  const auto function = [](const char* name) {
    const Any x = Var(name);
    return Lambda({x}, Call("f", {x}));
  };
  DiffOptions options = AsFiles();
  options.names = true;
  const DiffResult diff = StructuralDiff(function("x"), function("y"), options);
  EXPECT_EQ(DiffText(diff),
            "\n<root>.params[0] (renamed) (2 places)\n"
            "  - %x\n"
            "  + %y\n"
            "\n1 difference: 1 rename\n");
  EXPECT_EQ(DiffStat(diff), "<root>.params | 1 ~\n1 difference: 1 rename\n");
}

TEST(DiffTextTest, EditsThatAreAlikeInGroups) {
  const auto list = [](int64_t leaf) {
    const Any twice = Call("f", {leaf, 0});
    return Any(Array<Any>{Call("f", {leaf, 1}), twice, twice, Const(leaf)});
  };
  DiffReportOptions options;
  options.group = true;
  EXPECT_EQ(DiffText(StructuralDiff(list(1), list(2), AsFiles()), options),
            "\n<root>[0].args[0] (2 alike in 3 places)\n"
            "  - 1\n"
            "  + 2\n"
            "\n<root>[3].value\n"
            "  - 1\n"
            "  + 2\n"
            "\n3 differences: 3 update\n");
}

TEST(DiffTextTest, LongStringsShowWhereTheyDiffer) {
  const std::string same(500, 'a');
  const std::string text = Text(String(same + "X" + same), String(same + "Y" + same));
  EXPECT_NE(text.find("aX"), std::string::npos) << text;
  EXPECT_NE(text.find("aY"), std::string::npos) << text;
  EXPECT_LT(text.size(), 600u);
}

TEST(DiffTextTest, InvalidTextIsEscaped) {
  EXPECT_EQ(Text(String("a\xff"), String("b")), "\n<root>\n  - \"a\\xff\"\n  + \"b\"\n\n1 difference: 1 update\n");
}

TEST(DiffTextTest, HeadingAndColour) {
  DiffReportOptions options;
  options.lhs_name = "old.json";
  options.rhs_name = "new.json";
  const DiffResult diff = StructuralDiff(1, 2);
  EXPECT_EQ(DiffText(diff, options).rfind("--- old.json\n+++ new.json\n", 0), 0u);
  options.color = true;
  EXPECT_NE(DiffText(diff, options).find("\x1b[31m  - 1\x1b[0m\n"), std::string::npos);
}

TEST(DiffTextTest, TruncationIsAnnounced) {
  DiffOptions options = AsFiles();
  options.max_edits = 2;
  const DiffResult diff = StructuralDiff(Call("f", {1, 2, 3}), Call("f", {4, 5, 6}), options);
  EXPECT_NE(DiffText(diff).find("3 differences: 3 update (2 listed)\n"), std::string::npos) << DiffText(diff);
}

std::string WithContext(const Any& lhs, const Any& rhs, uint64_t context, uint64_t max_edits = 1000) {
  DiffReportOptions report;
  report.context = context;
  DiffOptions options = AsFiles();
  options.max_edits = max_edits;
  return DiffText(StructuralDiff(lhs, rhs, options), report);
}

TEST(DiffContextTest, ShowsUnchangedElementsOnBothSides) {
  EXPECT_EQ(WithContext(Array<Any>{1, 2, 3, 4, 5, 6, 7}, Array<Any>{1, 2, 3, 0, 5, 6, 7}, 2),
            "\n<root>\n"
            "    [1]  2\n"
            "    [2]  3\n"
            "  [3]\n"
            "    - 4\n"
            "    + 0\n"
            "    [4]  5\n"
            "    [5]  6\n"
            "\n1 difference: 1 update\n");
  // An insertion has no place of its own on the left; neighbours of two changes are shown once.
  EXPECT_EQ(WithContext(Array<Any>{1, 2, 3, 4, 5}, Array<Any>{1, 2, 9, 3, 4}, 1),
            "\n<root>\n"
            "    [1]  2\n"
            "  + [2]  9\n"
            "    [2]  3\n"
            "    [3]  4\n"
            "  - [4]  5\n"
            "\n2 differences: 1 insert, 1 delete\n");
  EXPECT_EQ(WithContext(1, 2, 3), "\n<root>\n  - 1\n  + 2\n\n1 difference: 1 update\n");
}

TEST(DiffContextTest, ShowsFieldsAndEntries) {
  EXPECT_EQ(WithContext(Call("f", {1}), Call("g", {1}), 1),
            "\n<root>\n"
            "  .op\n"
            "    - \"f\"\n"
            "    + \"g\"\n"
            "    .args  [1]\n"
            "\n1 difference: 1 update\n");
  EXPECT_EQ(WithContext(Map<Any, Any>{{"a", 1}, {"b", 2}, {"c", 3}}, Map<Any, Any>{{"a", 1}, {"c", 3}}, 9),
            "\n<root>\n"
            "    [\"a\"]  1\n"
            "  - [\"b\"]  2\n"
            "    [\"c\"]  3\n"
            "\n1 difference: 1 delete\n");
}

TEST(DiffContextTest, ShowsNothingAsUnchangedThatMayHaveChanged) {
  EXPECT_EQ(WithContext(Array<Any>{1, 2, 3}, Array<Any>{1, 0, 0}, 2, 1),
            "\n<root>\n"
            "    [0]  1\n"
            "  [1]\n"
            "    - 2\n"
            "    + 0\n"
            "\n2 differences: 2 update (1 listed)\n");
}

TEST(DiffPathsTest, OneLineForAnEdit) {
  EXPECT_EQ(DiffPaths(StructuralDiff(Array<Any>{1, 2, Const(3)}, Array<Any>{0, 1, Const(4)})),
            "<root>[0]\n<root>[1]\n<root>[2].value\n");
  EXPECT_EQ(DiffPaths(StructuralDiff(Array<Any>{1, 2, Const(3)}, Array<Any>{1, 2, 5, Const(4)})),
            "<root>[2]\n<root>[2].value -> <root>[3].value\n");
  EXPECT_EQ(DiffPaths(StructuralDiff(1, 1)), "");
}

TEST(DiffStatTest, CountsByPart) {
  const Any before = Functions(Call("add", {1, 2, 3}), Call("mul", {1}));
  const Any after = Functions(Call("add", {1, 5, 3, 4}), Call("mul", {1}));
  EXPECT_EQ(DiffStat(StructuralDiff(before, after, AsFiles())),
            "<root>[\"f\"] | 2 +~\n"
            "2 differences: 1 update, 1 insert\n");
}

TEST(DiffStatTest, ANewPartHasItsOwnLine) {
  const Any before = Map<Any, Any>{{String("f"), 1}};
  EXPECT_EQ(DiffStat(StructuralDiff(before, Functions(1, 2), AsFiles())),
            "<root>[\"g\"] | 1 +\n"
            "1 difference: 1 insert\n");
}

JsonValue Json(const DiffResult& diff) {
  const std::string text = DiffJson(diff, AsFiles());
  EXPECT_EQ(text.back(), '\n');
  return ParseJson(text);
}

TEST(DiffJsonTest, EqualValues) {
  const JsonValue json = Json(StructuralDiff(1, 1));
  EXPECT_EQ(json.Find("transom_diff")->integer, 1);
  EXPECT_TRUE(json.Find("equal")->boolean);
  EXPECT_TRUE(json.Find("differences")->items.empty());
  EXPECT_FALSE(json.Find("truncated")->boolean);
}

TEST(DiffJsonTest, AnEditHasPathsStepsValuesAndPlaces) {
  const JsonValue json = Json(StructuralDiff(Call("f", {1}), Call("f", {2}), AsFiles()));
  EXPECT_FALSE(json.Find("equal")->boolean);
  ASSERT_EQ(json.Find("differences")->items.size(), 1u);
  EXPECT_EQ(json.Find("differences")->items[0].ToText(),
            R"({"kind":"update","lhs":"<root>.args[0]","rhs":"<root>.args[0]","lhs_steps":[[0,"args"],[1,0]],)"
            R"("rhs_steps":[[0,"args"],[1,0]],"lhs_value":1,"rhs_value":2,"places":1})");
  EXPECT_EQ(json.Find("counts")->ToText(),
            R"({"update":1,"insert":0,"delete":0,"replace":0,"move":0,"rewire":0,"rename":0,"sharing":0})");
}

TEST(DiffJsonTest, AnAbsentSideIsNullAtAMissingStep) {
  const JsonValue json = Json(StructuralDiff(Array<Any>{1, 2}, Array<Any>{1}, AsFiles()));
  const JsonValue& edit = json.Find("differences")->items.at(0);
  EXPECT_EQ(edit.Find("kind")->text, "delete");
  EXPECT_EQ(edit.Find("rhs_steps")->ToText(), "[[4,1]]");
  EXPECT_EQ(edit.Find("rhs_value")->kind, JsonValue::Kind::kNull);
}

TEST(DiffJsonTest, MembersOfSomeKinds) {
  const auto differences = [](const Any& lhs, const Any& rhs) {
    return Json(StructuralDiff(lhs, rhs, AsFiles())).Find("differences")->items;
  };
  const JsonValue around = differences(Const(Big(1)), Const(Call("g", {Big(1)}))).at(0);
  EXPECT_EQ(around.Find("kind")->text, "insert");
  EXPECT_EQ(around.Find("lhs_steps")->ToText(), R"([[0,"value"]])");
  EXPECT_EQ(around.Find("lhs_value")->kind, JsonValue::Kind::kNull);
  EXPECT_EQ(around.Find("around")->ToText(), R"([[0,"args"],[1,0]])");
  const Any shared = testing::Node(1);
  const std::vector<JsonValue> sharing =
      differences(Array<Any>{shared, shared}, Array<Any>{testing::Node(1), testing::Node(1)});
  ASSERT_EQ(sharing.size(), 1u);
  EXPECT_TRUE(sharing[0].Find("splits")->boolean);
  EXPECT_EQ(sharing[0].Find("around"), nullptr);
  const JsonValue move = differences(Array<Any>{Big(1), Big(2), Big(3)}, Array<Any>{Big(2), Big(3), Big(1)}).at(0);
  EXPECT_EQ(move.Find("lhs")->text + " " + move.Find("rhs")->text, "<root>[0] <root>[2]");
  EXPECT_EQ(move.Find("lhs_value")->ToText(), move.Find("rhs_value")->ToText());
  EXPECT_EQ(move.Find("splits"), nullptr);
}

TEST(DiffJsonTest, EditsThatAreAlikeInGroups) {
  const DiffResult diff =
      StructuralDiff(Array<Any>{Const(1), Const(1), 5}, Array<Any>{Const(2), Const(2), 6}, AsFiles());
  const JsonValue json = ParseJson(DiffJson(diff, AsFiles(), true));
  ASSERT_EQ(json.Find("differences")->items.size(), 2u);
  EXPECT_EQ(json.Find("differences")->items[0].Find("alike")->integer, 2);
  EXPECT_EQ(json.Find("differences")->items[0].Find("places")->integer, 2);
  EXPECT_EQ(json.Find("differences")->items[1].Find("alike")->integer, 1);
  EXPECT_EQ(json.Find("counts")->Find("update")->integer, 3);
}

TEST(DiffJsonTest, RenamedVariablesAreNoDifference) {
  DiffOptions options = AsFiles();
  options.names = true;
  const JsonValue json = Json(StructuralDiff(Lambda({Var("x")}, 1), Lambda({Var("y")}, 1), options));
  EXPECT_TRUE(json.Find("equal")->boolean);
  EXPECT_EQ(json.Find("differences")->items.at(0).Find("kind")->text, "rename");
  EXPECT_EQ(json.Find("counts")->Find("rename")->integer, 1);
}

TEST(DiffJsonTest, OtherValuesAreDescribed) {
  const Any function = Function::FromTyped([] { return 1; });
  const std::pair<Any, std::string> cases[] = {
      {Any(std::nan("")), "NaN"}, {Any(String("a\xff")), "\"a\\xff\""}, {Const(1), "native.Const(value=1)"}};
  for (const auto& [value, text] : cases) {
    const JsonValue json = Json(StructuralDiff(1, value, AsFiles()));
    const JsonValue* described = json.Find("differences")->items.at(0).Find("rhs_value");
    EXPECT_EQ(described->Find("text")->text, text);
    EXPECT_EQ(described->Find("digest")->text, StructuralDigest(value, AsFiles()).ToString());
  }
}

TEST(DiffReportTest, RandomGraphsGiveWellFormedReports) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    const Any lhs = testing::LoadTable(testing::RandomGraph(seed)).value;
    const Any rhs = testing::LoadTable(testing::RandomGraph(seed + 1)).value;
    const DiffResult diff = StructuralDiff(lhs, rhs, AsFiles());
    const JsonValue json = Json(diff);
    EXPECT_EQ(json.Find("differences")->items.size(), diff.edits.size());
    EXPECT_EQ(DiffText(diff).empty(), diff.equal());
    EXPECT_EQ(DiffStat(diff).empty(), diff.equal());
  }
}

}  // namespace
}  // namespace transom
