#include "graph/path_pattern.h"

#include <gtest/gtest.h>
#include <transom/containers/map.h>

#include "support/error_of.h"
#include "support/native_types.h"

namespace transom {
namespace {

using graph::ParsePathPattern;
using graph::PatternStep;
using Kind = graph::PatternStep::Kind;
using testing::ErrorOf;

// The steps of a pattern in words.
std::string Steps(std::string_view text) {
  constexpr const char* kNames[] = {"field", "any field", "index", "text", "key",
                                    "place", "part",      "any",   "many", "missing"};
  std::string out;
  for (const PatternStep& step : ParsePathPattern(text, "pattern").steps) {
    out += (out.empty() ? "" : ", ") + std::string(kNames[static_cast<size_t>(step.kind)]);
    if (!step.text.empty()) out += " " + step.text;
    if (step.kind == Kind::kIndex || step.kind == Kind::kPlace) out += " " + std::to_string(step.index);
  }
  return out;
}

TEST(PathPattern, ReadsWhatPathsPrint) {
  EXPECT_EQ(Steps("<root>"), "");
  EXPECT_EQ(Steps("<root>.functions[ir.GlobalVar(\"main\")].body[12].span"),
            "field functions, key ir.GlobalVar(\"main\"), field body, index 12, field span");
  EXPECT_EQ(Steps(".attrs[\"a\\\"]\\n\\x1f.b\"][#3][True][-1][1.5]"),
            "field attrs, text a\"]\n\x1f.b, place 3, key True, index -1, key 1.5");
  EXPECT_EQ(Steps("<root>[<missing:5>][<missing:\"x\">][<missing:ir.Op(\"a>]\")>]"),
            "index 5, missing x, key ir.Op(\"a>]\")");
  EXPECT_EQ(Steps("<root>.a...(12 steps)...[0]"), "field a, many, index 0");
}

TEST(PathPattern, ReadsWildcards) {
  EXPECT_EQ(Steps("**.span"), "many, field span");
  EXPECT_EQ(Steps("<root>**.span"), "many, field span");
  EXPECT_EQ(Steps("<root>.**.span"), "many, field span");
  EXPECT_EQ(Steps("<root>.a**[*].*.b"), "field a, many, part, any field, field b");
  EXPECT_EQ(Steps("*.a"), "any, field a");
  EXPECT_EQ(Steps("[*]*"), "part, any");
  EXPECT_EQ(Steps("**.**"), "many");
  EXPECT_EQ(Steps("*"), "any");
}

TEST(PathPattern, SaysWhatIsWrongAndWhere) {
  const auto error = [](std::string_view text) { return ErrorOf([&] { ParsePathPattern(text, "ignored path"); }); };
  EXPECT_EQ(error(""),
            "ValueError: ignored path \"\": is empty; expected a path such as `<root>.body[*].span` or `**.span`");
  EXPECT_EQ(
      error("ir.Call.span"),
      "ValueError: ignored path \"ir.Call.span\": character 1: a path begins with `<root>`, `.field`, `[`, `*` or "
      "`**`; to leave out a field of a type wherever it stands, use --ignore-field TYPE.FIELD");
  EXPECT_EQ(error("<root>body"),
            "ValueError: ignored path \"<root>body\": character 7: expected `.field`, `[`, `*` or `**`");
  EXPECT_EQ(error(".a."),
            "ValueError: ignored path \".a.\": character 4: expected the name of a field, `*` or `**` after `.`");
  EXPECT_EQ(error(".a*b"),
            "ValueError: ignored path \".a*b\": character 3: `*` stands for a whole step, not for a part of a name");
  EXPECT_EQ(error(".*b"),
            "ValueError: ignored path \".*b\": character 3: `*` stands for a whole step, not for a part of a name");
  EXPECT_EQ(error(".a]"), "ValueError: ignored path \".a]\": character 3: `]` without `[` before it");
  EXPECT_EQ(error(".a[1"), "ValueError: ignored path \".a[1\": character 4: a `[` is not closed by `]`");
  EXPECT_EQ(error(".a[]"),
            "ValueError: ignored path \".a[]\": character 4: expected an index, a key in quotes or `*` between `[` and "
            "`]`");
  EXPECT_EQ(error("[#x]"), "ValueError: ignored path \"[#x]\": character 2: expected a number after `#`");
  EXPECT_EQ(error("[\"x]"),
            "ValueError: ignored path \"[\\\"x]\": character 5: a string in quotes is not closed by `\"`");
  EXPECT_EQ(error("[\"x\"y]"), "ValueError: ignored path \"[\\\"x\\\"y]\": character 5: expected `]`");
  EXPECT_EQ(
      error("[\"\\q\"]"),
      "ValueError: ignored path \"[\\\"\\\\q\\\"]\": character 3: no escape that paths have: \\\" \\\\ \\n \\r \\t "
      "\\x1f");
  EXPECT_EQ(error("[<missing:\"x\"]"),
            "ValueError: ignored path \"[<missing:\\\"x\\\"]\": character 14: expected `>` after what is missing");
  EXPECT_EQ(error(".a...(x"),
            "ValueError: ignored path \".a...(x\": character 7: expected the number of steps left out, as in "
            "`...(12 steps)...`");
}

TEST(PathPattern, MatchesEntriesAsPathsNameThem) {
  graph::PlanTable plans;
  const auto matches = [&](std::string_view text, const Any& key, int64_t place) {
    return graph::MatchesEntry(ParsePathPattern(text, "pattern").steps[0], plans, *key.raw(), place);
  };
  const Any text("main"), number(3), variable = testing::Var("x");
  EXPECT_TRUE(matches("[\"main\"]", text, 0));
  EXPECT_FALSE(matches("[\"mai\"]", text, 0));
  EXPECT_TRUE(matches("[<missing:\"main\">]", text, 0));
  EXPECT_TRUE(matches("[3]", number, 0));
  EXPECT_FALSE(matches("[0]", number, 0));
  EXPECT_TRUE(matches("[#0]", number, 0));
  EXPECT_TRUE(matches("[native.Var(\"x\")]", variable, 5));
  EXPECT_TRUE(matches("[\"x\"]", variable, 5));
  EXPECT_TRUE(matches("[True]", Any(true), 0));
  EXPECT_TRUE(matches("[*]", variable, 5));
  EXPECT_TRUE(matches("*", variable, 5));
  EXPECT_FALSE(matches(".*", variable, 5));
  EXPECT_FALSE(matches(".x", variable, 5));
}

}  // namespace
}  // namespace transom
