#include <transom/schema/type_expr.h>

#include <gtest/gtest.h>
#include <transom/runtime/error.h>

#include <string>

namespace transom::schema {
namespace {

const char* KindText(TypeKind kind) {
  constexpr const char* kTexts[] = {"none",  "bool",  "int",    "float", "dtype",  "device", "string", "bytes",
                                    "ptr",   "shape", "tensor", "func",  "module", "bigint", "any",    "named",
                                    "array", "list",  "map",    "dict",  "tuple",  "opt",    "union"};
  return kTexts[static_cast<int>(kind)];
}

// The parsed type in a notation of its own: kind, name after a colon, arguments in parentheses.
std::string Show(const TypeExpr& type) {
  std::string out = KindText(type.kind);
  if (!type.name.empty()) out += ":" + type.name;
  if (type.args.empty()) return out;
  out += "(";
  for (const TypeExpr& arg : type.args) out += (out.back() == '(' ? "" : " ") + Show(arg);
  return out + ")";
}

struct ParseCase {
  const char* text;
  const char* shown;
};

class TypeTexts : public ::testing::TestWithParam<ParseCase> {};

TEST_P(TypeTexts, Parse) { EXPECT_EQ(Show(TypeExpr::Parse(GetParam().text)), GetParam().shown); }

INSTANTIATE_TEST_SUITE_P(
    All, TypeTexts,
    ::testing::Values(
        ParseCase{"None", "none"}, ParseCase{"bool", "bool"}, ParseCase{"int", "int"}, ParseCase{"float", "float"},
        ParseCase{"DataType", "dtype"}, ParseCase{"Device", "device"}, ParseCase{"ffi.String", "string"},
        ParseCase{"std::string", "string"}, ParseCase{"const char*", "string"}, ParseCase{"ffi.Bytes", "bytes"},
        ParseCase{"void*", "ptr"}, ParseCase{"ffi.Shape", "shape"}, ParseCase{"ffi.Tensor", "tensor"},
        ParseCase{"ffi.Module", "module"}, ParseCase{"ffi.BigInt", "bigint"}, ParseCase{"Any", "any"},
        ParseCase{"ffi.Object", "any"}, ParseCase{"ir.Expr", "named:ir.Expr"},
        ParseCase{"ffi.Error", "named:ffi.Error"}, ParseCase{"ffi.Function", "func"},
        ParseCase{"ffi.Function<None, ffi.Array<int>>", "func"}, ParseCase{"ffi.Array", "array(any)"},
        ParseCase{"ffi.List", "list(any)"}, ParseCase{"ffi.Map", "map(any any)"},
        ParseCase{"ffi.Dict", "dict(any any)"}, ParseCase{"ffi.Array<int>", "array(int)"},
        ParseCase{"ffi.List<ir.Expr>", "list(named:ir.Expr)"}, ParseCase{"ffi.Map<ffi.String, Any>", "map(string any)"},
        ParseCase{"ffi.Dict<int, ffi.Array<float>>", "dict(int array(float))"}, ParseCase{"Optional<int>", "opt(int)"},
        ParseCase{"Optional<ffi.Map<s_tir.Mutator, ir.FloatImm>>", "opt(map(named:s_tir.Mutator named:ir.FloatImm))"},
        ParseCase{"Union<int, float>", "union(int float)"}, ParseCase{"Variant<int>", "union(int)"},
        ParseCase{"Union", "any"}, ParseCase{"Tuple", "array(any)"}, ParseCase{"Tuple<>", "tuple"},
        ParseCase{"Tuple<int, ffi.String, ir.Var>", "tuple(int string named:ir.Var)"},
        ParseCase{"NestedMsg<relax.transform.LayoutDecision>", "any"},
        ParseCase{"ffi.Array<NestedMsg<relax.Layout<int>, x>>", "array(any)"},
        ParseCase{"  ffi.Map< int ,float >  ", "map(int float)"}, ParseCase{"My Key", "named:My Key"}));

struct ErrorCase {
  std::string text;
  const char* message;
};

class BadTypeTexts : public ::testing::TestWithParam<ErrorCase> {};

TEST_P(BadTypeTexts, Fail) {
  try {
    TypeExpr::Parse(GetParam().text);
    FAIL() << "no error for " << GetParam().text;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), "ValueError");
    EXPECT_EQ(error.message(), GetParam().message);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BadTypeTexts,
    ::testing::Values(
        ErrorCase{"", "type \"\", byte 0: expected a type, found the end"},
        ErrorCase{"  ", "type \"  \", byte 2: expected a type, found the end"},
        ErrorCase{"<int>", "type \"<int>\", byte 0: expected a type, found \"<\""},
        ErrorCase{"ffi.Array<int", "type \"ffi.Array<int\", byte 13: expected \",\" or \">\", found the end"},
        ErrorCase{"ffi.Array<int>>", "type \"ffi.Array<int>>\", byte 14: expected the end, found \">\""},
        ErrorCase{"ffi.Array<int>x", "type \"ffi.Array<int>x\", byte 14: expected the end, found \"x\""},
        ErrorCase{"ffi.Map<int,>", "type \"ffi.Map<int,>\", byte 12: expected a type, found \">\""},
        ErrorCase{"ffi.Map<int<a> b, c>",
                  "type \"ffi.Map<int<a> b, c>\", byte 15: \"int\" takes no arguments, found 1"},
        ErrorCase{"ffi.Map<int>", "type \"ffi.Map<int>\", byte 12: \"ffi.Map\" takes 2 arguments, found 1"},
        ErrorCase{"ffi.Array<int, int>",
                  "type \"ffi.Array<int, int>\", byte 19: \"ffi.Array\" takes 1 argument, found 2"},
        ErrorCase{"Optional", "type \"Optional\", byte 8: \"Optional\" takes 1 argument, found 0"},
        ErrorCase{"Union<>", "type \"Union<>\", byte 7: \"Union\" takes at least 1 argument, found 0"},
        ErrorCase{"ir.\nExpr", "type \"ir.\\x0aExpr\", byte 3: expected a printable character, found \"\\x0a\""}));

TEST(TypeExpr, NestingHasALimit) {
  auto nested = [](int levels) {
    std::string text;
    for (int i = 1; i < levels; ++i) text += "ffi.Array<";
    text += "int";
    return text + std::string(static_cast<size_t>(levels - 1), '>');
  };
  EXPECT_EQ(TypeExpr::Parse(nested(64)).kind, TypeKind::kArray);
  EXPECT_THROW(TypeExpr::Parse(nested(65)), Error);
  EXPECT_THROW(TypeExpr::Parse(nested(100000)), Error);
}

TEST(TypeExpr, InlineTypesAreThoseThatAJsonGraphStoresInTheField) {
  for (const char* text : {"None", "bool", "int", "float", "DataType"}) EXPECT_TRUE(TypeExpr::Parse(text).IsInline());
  for (const char* text : {"Device", "ffi.String", "Any", "Optional<int>", "ir.Expr", "ffi.BigInt"}) {
    EXPECT_FALSE(TypeExpr::Parse(text).IsInline()) << text;
  }
}

TEST(TypeTextFromSchema, Converts) {
  auto text = [](const char* json) { return TypeTextFromSchema(json); };
  EXPECT_EQ(text(R"({"type":"int"})"), "int");
  EXPECT_EQ(text(R"({"type":"ffi.Array","args":[{"type":"ir.Expr"}]})"), "ffi.Array<ir.Expr>");
  EXPECT_EQ(text(R"({"type":"ffi.Map","args":[{"type":"ffi.String"},{"type":"Optional","args":[{"type":"int"}]}]})"),
            "ffi.Map<ffi.String, Optional<int>>");
  EXPECT_EQ(text(R"({"type":"Variant","args":[{"type":"int"},{"type":"float"}]})"), "Union<int, float>");
  EXPECT_EQ(text(R"({"type":"ffi.Function","args":[{"type":"None"}]})"), "ffi.Function<None>");
  EXPECT_EQ(text(R"({"args":[], "type":"ffi.Function"})"), "ffi.Function");
}

TEST(TypeTextFromSchema, RefusesWhatIsNoTypeSchema) {
  EXPECT_THROW(TypeTextFromSchema("[]"), Error);
  EXPECT_THROW(TypeTextFromSchema(R"({"type":1})"), Error);
  EXPECT_THROW(TypeTextFromSchema(R"({"type":"ffi.Array","args":[{}]})"), Error);
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += R"({"type":"Optional","args":[)";
  deep += R"({"type":"int"})";
  for (int i = 0; i < 1000; ++i) deep += "]}";
  EXPECT_THROW(TypeTextFromSchema(deep), Error);
  try {
    TypeTextFromSchema(R"({"type": int})");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "type schema: byte 9: malformed JSON: Invalid value.");
  }
}

}  // namespace
}  // namespace transom::schema
