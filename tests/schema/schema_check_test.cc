// Every rule that a schema must keep, with the message for a text that breaks it.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>

#include "schema_support.h"

namespace transom::schema {
namespace {

using std::string_view_literals::operator""sv;

struct BadSchema {
  const char* name;
  std::string text;
  std::string message;  // after "ValueError: "
};

void PrintTo(const BadSchema& bad, std::ostream* os) { *os << bad.name; }

std::string Types(const std::string& types) { return R"({"transom_schema":1,"types":{)" + types + "}}"; }
// A type "a" with these members, which start at byte 34.
std::string TypeA(const std::string& members) { return Types(R"("a":{)" + members + "}"); }
// A type "a" with one field of these members, which start at byte 45.
std::string FieldOfA(const std::string& members) { return TypeA(R"("fields":[{)" + members + "}]"); }

const BadSchema kBadSchemas[] = {
    // The text
    {"empty", "", "t.json: byte 0: malformed JSON: The document is empty."},
    {"cut", R"({"transom_schema":1)",
     "t.json: byte 19: malformed JSON: Missing a comma or '}' after an object member."},
    {"trailing", R"({} x)", "t.json: byte 3: malformed JSON: The document root must not be followed by other values."},
    {"nul", std::string("{}\0{}", 5), "t.json: byte 2: malformed JSON: a NUL byte"},
    {"bom", "\xef\xbb\xbf{}", "t.json: the text starts with a byte order mark: save it as UTF-8 without one"},
    {"utf16", std::string("\xff\xfe{\0}\0", 6), "t.json: the text is UTF-16: save it as UTF-8"},
    {"no_object", "[1]", "t.json: a schema is an object, found an array"},
    {"duplicate_type", Types(R"("a":{},"a":{})"), "t.json: byte 36: the key \"a\" is in this object twice"},
    {"duplicate_escaped", Types(R"("ab":{},"\u0061b":{})"), "t.json: byte 37: the key \"ab\" is in this object twice"},
    {"duplicate_of_many", Types(R"("a":{},"b":{},"c":{},"d":{},"e":{},"f":{},"g":{},"h":{},"i":{},"j":{},"c":{})"),
     "t.json: byte 99: the key \"c\" is in this object twice"},
    // The head
    {"no_version", R"({"types":{}})", "t.json: the member \"transom_schema\" is missing: this is no schema"},
    {"version_zero", R"({"transom_schema":0,"types":{}})",
     "t.json: byte 1: \"transom_schema\" must be at least 1, found 0"},
    {"version_kind", R"({"transom_schema":"1","types":{}})",
     "t.json: byte 1: \"transom_schema\" must be an integer, found a string"},
    {"no_types", R"({"transom_schema":1})", "t.json: the member \"types\" is missing"},
    {"types_kind", R"({"transom_schema":1,"types":[]})",
     "t.json: byte 20: \"types\" must be an object, found an array"},
    {"unknown_head", R"({"transom_schema":1,"mtach":{},"types":{}})",
     "t.json: byte 20: unknown member \"mtach\"; expected one of transom_schema, name, match, types"},
    {"name_kind", R"({"transom_schema":1,"name":3,"types":{}})",
     "t.json: byte 20: \"name\" must be a string, found an integer"},
    {"match_kind", R"({"transom_schema":1,"match":{"v":0.27},"types":{}})",
     "t.json: byte 29: \"v\" must be a string, found a float"},
    // A type
    {"type_kind", Types(R"("a":null)"), "t.json: byte 29: type \"a\": a type is an object, found null"},
    {"type_member", TypeA(R"("structual":"tree")"),
     "t.json: byte 34: type \"a\": unknown member \"structual\"; expected one of parent, structural, fields, compare, "
     "compare_if, label, hook, data"},
    {"type_empty_key", Types(R"("":{})"), "t.json: byte 29: type \"\": a type key cannot be empty"},
    {"type_built_in", Types(R"("ffi.Array":{})"),
     "t.json: byte 29: type \"ffi.Array\": this type is built in and cannot be described"},
    {"parent_unknown", TypeA(R"("parent":"b")"), "t.json: byte 43: type \"a\": its parent \"b\" is not in the schema"},
    {"parent_empty", TypeA(R"("parent":"")"),
     "t.json: byte 34: type \"a\": \"parent\" is empty; leave it out where the parent is ffi.Object"},
    {"parent_self", TypeA(R"("parent":"a")"), "t.json: byte 43: type \"a\": its parents form a cycle: \"a\" -> \"a\""},
    {"parent_cycle", Types(R"("x":{"parent":"a"},"a":{"parent":"b"},"b":{"parent":"c"},"c":{"parent":"a"})"),
     "t.json: byte 62: type \"a\": its parents form a cycle: \"a\" -> \"b\" -> \"c\" -> \"a\""},
    {"structural_word", TypeA(R"("structural":"Tree")"),
     "t.json: byte 47: type \"a\": \"structural\" is \"Tree\"; expected one of tree, const_tree, dag, free_var, "
     "unique"},
    {"structural_kind", TypeA(R"("structural":1)"),
     "t.json: byte 34: type \"a\": \"structural\" must be a string, found an integer"},
    {"data_word", TypeA(R"("data":"costum")"), "t.json: byte 41: type \"a\": \"data\" is \"costum\"; expected custom"},
    {"hook_kind", TypeA(R"("hook":"yes")"),
     "t.json: byte 34: type \"a\": \"hook\" must be true or false, found a string"},
    {"label_unknown", TypeA(R"("label":"x")"), "t.json: byte 42: type \"a\": \"label\" names \"x\", which is no field"},
    // Rules of comparison
    {"compare_unknown", TypeA(R"("compare":["x"])"),
     "t.json: byte 45: type \"a\": \"compare\" names \"x\", which is no field"},
    {"compare_twice", TypeA(R"("compare":["x","x"],"fields":[{"name":"x","type":"int"}])"),
     "t.json: byte 49: type \"a\": \"compare\" names \"x\" twice"},
    {"compare_kind", TypeA(R"("compare":[1])"),
     "t.json: byte 34: type \"a\": \"compare\" must list field names, found an integer"},
    {"compare_if_form", TypeA(R"("compare_if":{"x":"b"})"),
     "t.json: byte 34: type \"a\": \"compare_if\" must be {\"FIELD\": TYPE_KEY, \"then\": [...]}"},
    {"compare_if_field", TypeA(R"("compare_if":{"x":"a","then":[]})"),
     "t.json: byte 48: type \"a\": \"compare_if\" names \"x\", which is no field"},
    {"compare_if_inline", TypeA(R"("compare_if":{"x":"a","then":[]},"fields":[{"name":"x","type":"int"}])"),
     "t.json: byte 48: type \"a\": \"compare_if\" asks for an object in \"x\", a field of type \"int\""},
    {"compare_if_type", TypeA(R"("compare_if":{"x":"b","then":[]},"fields":[{"name":"x","type":"Any"}])"),
     "t.json: byte 52: type \"a\": \"compare_if\" asks for the type \"b\", which is not in the schema"},
    {"then_unknown", TypeA(R"("compare_if":{"x":"a","then":["y"]},"fields":[{"name":"x","type":"Any"}])"),
     "t.json: byte 64: type \"a\": \"then\" names \"y\", which is no field"},
    // Fields
    {"fields_kind", TypeA(R"("fields":{})"),
     "t.json: byte 34: type \"a\": \"fields\" must be an array, found an object"},
    {"field_kind", TypeA(R"("fields":[1])"), "t.json: byte 34: type \"a\": a field is an object, found an integer"},
    {"field_no_name", FieldOfA(R"("type":"int")"), "t.json: byte 34: type \"a\": field 0 has no \"name\""},
    {"field_empty_name", FieldOfA(R"("name":"","type":"int")"),
     "t.json: byte 52: type \"a\", field \"\": a field name cannot be empty"},
    {"field_no_type", FieldOfA(R"("name":"x")"),
     "t.json: byte 52: type \"a\", field \"x\": the member \"type\" is missing"},
    {"field_member", FieldOfA(R"("name":"x","type":"int","ignored":true)"),
     "t.json: byte 69: type \"a\", field \"x\": unknown member \"ignored\"; expected one of name, type, ignore, def, "
     "default, has_default"},
    {"field_type", FieldOfA(R"("name":"x","type":"ffi.Array<int")"),
     "t.json: byte 63: type \"a\", field \"x\": type \"ffi.Array<int\", byte 13: expected \",\" or \">\", found the "
     "end"},
    {"field_ignore", FieldOfA(R"("name":"x","type":"int","ignore":1)"),
     "t.json: byte 69: type \"a\", field \"x\": \"ignore\" must be true or false, found an integer"},
    {"field_def", FieldOfA(R"("name":"x","type":"int","def":"recursiv")"),
     "t.json: byte 75: type \"a\", field \"x\": \"def\" is \"recursiv\"; expected one of recursive, simple"},
    {"field_twice", TypeA(R"("fields":[{"name":"x","type":"int"},{"name":"x","type":"int"}])"),
     "t.json: byte 78: type \"a\", field \"x\": the type states this field twice"},
    {"field_inherited",
     Types(R"("p":{"fields":[{"name":"x","type":"int"}]},"m":{"parent":"p"},)"
           R"("a":{"parent":"m","fields":[{"name":"x","type":"int"}]})"),
     "t.json: byte 127: type \"a\", field \"x\": its ancestor \"p\" has this field already"},
    // Defaults
    {"default_kind", FieldOfA(R"("name":"x","type":"Any","default":[])"),
     "t.json: byte 69: type \"a\", field \"x\": \"default\" must be a scalar, a string or null, found an array; state "
     "\"has_default\": true where it cannot be written"},
    {"default_text_for_int", FieldOfA(R"("name":"x","type":"int","default":"1")"),
     "t.json: byte 52: type \"a\", field \"x\": its default does not fit its type \"int\""},
    {"default_float_for_int", FieldOfA(R"("name":"x","type":"int","default":1.5)"),
     "t.json: byte 52: type \"a\", field \"x\": its default does not fit its type \"int\""},
    {"default_wide_for_int", FieldOfA(R"("name":"x","type":"int","default":9223372036854775808)"),
     "t.json: byte 52: type \"a\", field \"x\": its default does not fit its type \"int\""},
    {"default_null_for_int", FieldOfA(R"("name":"x","type":"int","default":null)"),
     "t.json: byte 52: type \"a\", field \"x\": its default does not fit its type \"int\""},
    {"default_no_dtype", FieldOfA(R"("name":"x","type":"DataType","default":"flaot32")"),
     "t.json: byte 52: type \"a\", field \"x\": its default does not fit its type \"DataType\""},
    {"default_scalar_for_object", FieldOfA(R"("name":"x","type":"a","default":0)"),
     "t.json: byte 52: type \"a\", field \"x\": its default does not fit its type \"a\""},
    {"default_denied", FieldOfA(R"("name":"x","type":"int","has_default":false,"default":1)"),
     "t.json: byte 52: type \"a\", field \"x\": \"has_default\" is false, but there is a \"default\""},
};

class SchemaRules : public ::testing::TestWithParam<BadSchema> {};

TEST_P(SchemaRules, AreChecked) {
  const BadSchema& bad = GetParam();
  EXPECT_EQ(ErrorOf([&] { Schema::Parse(bad.text, "t.json"); }), "ValueError: " + bad.message) << bad.text;
}

INSTANTIATE_TEST_SUITE_P(All, SchemaRules, ::testing::ValuesIn(kBadSchemas),
                         [](const ::testing::TestParamInfo<BadSchema>& info) { return std::string(info.param.name); });

TEST(SchemaRules, ANewerForm) {
  EXPECT_EQ(
      ErrorOf([] { Schema::Parse(R"({"transom_schema":2,"new":1})", "t.json"); }),
      "VersionError: t.json: byte 1: version 2 of the schema form is newer than this program, which reads up to 1; "
      "use a newer Transom");
}

TEST(SchemaRules, TheMessageNamesAPartOfAFileAsItsCallerDoes) {
  std::string file = R"({"root_index":0,"schema":{"transom_schema":1,"types":{"a":{"hook":1}}},"nodes":[]})";
  std::string_view slice = std::string_view(file).substr(25, 45);
  EXPECT_EQ(
      ErrorOf([&] { Schema::Parse(slice, "g.json, member \"schema\""); }),
      "ValueError: g.json, member \"schema\": byte 34: type \"a\": \"hook\" must be true or false, found an integer");
}

TEST(SchemaRules, TooManyFieldsAreRefused) {
  std::string fields;
  for (int i = 0; i < 65536; ++i) {
    fields += (i == 0 ? "" : ",") + (R"({"name":"f)" + std::to_string(i)) + R"(","type":"int"})";
  }
  EXPECT_EQ(ErrorOf([&] { ParseTypes(R"("a":{"fields":[)" + fields + "]}"); }),
            "ValueError: t.json: byte 40: type \"a\": expected at most 65535 fields, found 65536");
}

// A text of this size would else take its square in memory.
TEST(SchemaRules, TooManyInheritedFieldsAreRefused) {
  std::string types = R"("t":{"fields":[)";
  for (int i = 0; i < 2000; ++i)
    types += (i == 0 ? "" : ",") + (R"({"name":"f)" + std::to_string(i)) + R"(","type":"int"})";
  types += "]}";
  for (int i = 0; i < 2000; ++i) types += R"(,"t)" + std::to_string(i) + R"(":{"parent":"t"})";
  EXPECT_EQ(ErrorOf([&] { ParseTypes(types); }),
            "ValueError: t.json: the types inherit too many fields: expected at most 16 times those that are stated, "
            "found 4002000 for 4001");
}

TEST(SchemaRules, ManyFieldsInAnyOrderAreNoTrouble) {
  std::string fields;
  std::string names;
  constexpr int kCount = 60000;
  for (int i = 0; i < kCount; ++i) {
    fields += (i == 0 ? "" : ",") + (R"({"name":"f)" + std::to_string(i)) + R"(","type":"int"})";
    names += (i == 0 ? "" : ",") + ("\"f" + std::to_string(kCount - 1 - i)) + "\"";
  }
  SchemaRef schema = ParseTypes(R"("a":{"compare":[)" + names + R"(],"fields":[)" + fields + "]}");
  ASSERT_EQ(schema->Find("a")->compare.size(), size_t{kCount});
  EXPECT_EQ(schema->Find("a")->compare.front(), kCount - 1);
}

// Damage anywhere ends in a schema or in an error of the kind that says so, nothing else.
TEST(SchemaRules, DamagedTextIsRefusedOrRead) {
  const std::string text =
      TypeA(R"("parent":"p","structural":"tree","compare":["x","y"],"label":"x",)"
            R"("compare_if":{"y":"p","then":["x"]},"fields":[{"name":"x","type":"ffi.Map<int, Any>",)"
            R"("def":"simple"},{"name":"y","type":"Optional<a>","ignore":true,"default":null}]},)"
            R"("p":{"fields":[{"name":"z","type":"float","default":1.5e3}],"hook":true)");
  ASSERT_EQ(ErrorOf([&] { Schema::Parse(text, "t.json"); }), "no error");
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_NE(ErrorOf([&] { Schema::Parse(text.substr(0, size), "t.json"); }), "no error") << size;
  }
  std::mt19937 random(7);
  constexpr std::string_view kBytes = "\"{}[],:<>.0eNntf\\\0\xff x"sv;
  int read = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = text;
    for (uint32_t n = 1 + random() % 3; n > 0; --n) damaged[random() % text.size()] = kBytes[random() % kBytes.size()];
    std::string error = ErrorOf([&] { Schema::Parse(damaged, "t.json"); });
    read += error == "no error";
    EXPECT_TRUE(error == "no error" || error.rfind("ValueError: t.json: ", 0) == 0) << error;
  }
  EXPECT_GT(read, 0);
  EXPECT_LT(read, 3000);
}

TEST(SchemaRules, DeepTextIsNoTrouble) {
  std::string deep(1000000, '[');
  EXPECT_EQ(ErrorOf([&] { Schema::Parse(deep, "t.json"); }),
            "ValueError: t.json: byte 1000000: malformed JSON: Invalid value.");
}

}  // namespace
}  // namespace transom::schema
