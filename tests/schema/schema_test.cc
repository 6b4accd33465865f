#include <transom/schema/schema.h>

#include <gtest/gtest.h>
#include <transom/runtime/any.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "schema_support.h"

namespace transom::schema {
namespace {

// Differences between two descriptors that a reader could see; empty when there are none.
std::string Difference(const TypeDescriptor& a, const TypeDescriptor& b) {
  if (a.key != b.key) return "key";
  if ((a.parent ? a.parent->key : "") != (b.parent ? b.parent->key : "")) return "parent";
  if (a.structural != b.structural) return "structural";
  if (a.hook != b.hook || a.custom_data != b.custom_data) return "hook or data";
  if (a.has_compare != b.has_compare || a.compare != b.compare) return "compare";
  if (a.compare_if_field != b.compare_if_field || a.compare_if_type != b.compare_if_type) return "compare_if";
  if (a.compare_then != b.compare_then) return "then";
  if (a.label_field != b.label_field || a.label_stated != b.label_stated) return "label";
  if (a.num_inherited != b.num_inherited || a.fields.size() != b.fields.size()) return "number of fields";
  for (size_t i = 0; i < a.fields.size(); ++i) {
    const FieldDescriptor& f = a.fields[i];
    const FieldDescriptor& g = b.fields[i];
    bool same = f.name == g.name && f.type_text == g.type_text && f.ignore == g.ignore && f.def == g.def &&
                f.has_default == g.has_default && f.default_is_known == g.default_is_known &&
                f.default_value.type_index() == g.default_value.type_index() && f.offset == g.offset;
    if (!same) return "field " + f.name;
  }
  if (a.digest[0] != b.digest[0] || a.digest[1] != b.digest[1]) return "digest";
  return "";
}

void ExpectSameSchema(const Schema& a, const Schema& b) {
  EXPECT_EQ(a.name(), b.name());
  EXPECT_EQ(a.match(), b.match());
  EXPECT_EQ(a.num_type_exprs(), b.num_type_exprs());
  ASSERT_EQ(a.types().size(), b.types().size());
  for (size_t i = 0; i < a.types().size(); ++i) {
    ASSERT_EQ(Difference(*a.types()[i], *b.types()[i]), "") << a.types()[i]->key;
  }
}

constexpr const char* kEverything = R"({"transom_schema":1,"name":"all \"words\"","match":{"v":"1.2","w":"x"},"types":{
  "a.P":{"structural":"const_tree","fields":[{"name":"name","type":"ffi.String","default":"a text with / and \n in it"}]},
  "a.C":{"parent":"a.P","structural":"dag","label":"other","compare":["y","name"],
         "compare_if":{"y":"a.P","then":["name","y"]},
         "fields":[{"name":"y","type":"Optional<a.P>","def":"recursive","default":null},
                   {"name":"other","type":"int","def":"simple","ignore":true,"default":-9223372036854775808},
                   {"name":"d","type":"DataType","default":"float8_e4m3fnx16"},
                   {"name":"h","type":"ffi.Array<int>","has_default":true},
                   {"name":"f","type":"float","default":-0.0},{"name":"g","type":"float","default":0.1},
                   {"name":"n","type":"float","default":NaN},{"name":"i","type":"float","default":-Infinity},
                   {"name":"b","type":"bool","default":false}]},
  "a.U":{"structural":"unique","data":"custom"},"a.V":{"structural":"free_var"},"a.H":{"structural":"tree","hook":true},
  "a.E":{"compare":[]}}})";

TEST(RoundTrip, OfTheBundledSchemas) {
  ASSERT_EQ(Schema::BundledNames(), (std::vector<std::string>{"tvm-0.25", "tvm-0.26", "tvm-0.27"}));
  for (const std::string& name : Schema::BundledNames()) {
    SchemaRef schema = Schema::Bundled(name);
    EXPECT_EQ(schema->name(), name);
    for (int indent : {0, 2}) {
      std::string text = schema->ToJSON(indent);
      SchemaRef again = Schema::Parse(text, "again");
      ASSERT_NE(again.get(), schema.get());
      ExpectSameSchema(*schema, *again);
      EXPECT_EQ(again->ToJSON(indent), text);
    }
  }
}

TEST(RoundTrip, OfEveryMember) {
  SchemaRef schema = Schema::Parse(kEverything, "t.json");
  SchemaRef again = Schema::Parse(schema->ToJSON(), "again");
  ExpectSameSchema(*schema, *again);
  ExpectSameSchema(*schema, *Schema::Parse(schema->ToJSON(4), "again"));
  const std::vector<FieldDescriptor>& fields = again->Find("a.C")->fields;
  EXPECT_EQ(*fields[2].default_value.as<int64_t>(), INT64_MIN);
  EXPECT_TRUE(std::signbit(*fields[5].default_value.as<double>()));
  EXPECT_EQ(*fields[6].default_value.as<double>(), 0.1);
  EXPECT_TRUE(std::isnan(*fields[7].default_value.as<double>()));
  EXPECT_EQ(*fields[8].default_value.as<double>(), -INFINITY);
}

TEST(ToJSON, HasOneTypeALine) {
  SchemaRef schema = ParseTypes(R"("b":{"fields":[{"name":"x","type":"int","ignore":true}]},"a":{"parent":"b"})");
  EXPECT_EQ(schema->ToJSON(),
            "{\"transom_schema\":1,\"name\":\"t\",\"types\":{\n"
            "\"b\":{\"fields\":[{\"name\":\"x\",\"type\":\"int\",\"ignore\":true}]},\n"
            "\"a\":{\"parent\":\"b\"}}}");
  EXPECT_EQ(ParseTypes("")->ToJSON(2), "{\n  \"transom_schema\": 1,\n  \"name\": \"t\",\n  \"types\": {}\n}");
}

size_t CountOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

// The bundled files are not written by this library, so this tells whether every member of them is kept.
TEST(ToJSON, KeepsEveryMemberOfTheBundledFiles) {
  for (const std::string& name : Schema::BundledNames()) {
    std::ifstream file(TRANSOM_SOURCE_DIR "/schema/" + name + ".json");
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    std::string written = Schema::Bundled(name)->ToJSON();
    for (const char* part :
         {"{\"name\":", "\"type\":", "\"parent\":", "\"structural\":\"tree\"", "\"structural\":\"const_tree\"",
          "\"structural\":\"dag\"", "\"structural\":\"free_var\"", "\"structural\":\"unique\"", "\"ignore\":true",
          "\"def\":\"recursive\"", "\"def\":\"simple\"", "\"default\":", "\"default\":null", "\"has_default\":true",
          "\"compare\":[", "\"compare_if\":{", "\"then\":[", "\"data\":\"custom\"", "\"tvm_version\":"}) {
      EXPECT_EQ(CountOf(written, part), CountOf(text, part)) << name << " " << part;
    }
    EXPECT_GT(CountOf(written, "\"type\":"), 900u);
  }
}

TEST(Bundled, HasTheRulesOfTheFile) {
  SchemaRef schema = Schema::Bundled("tvm-0.27");
  const TypeDescriptor& variable = *schema->Find("ir.GlobalVar");
  EXPECT_EQ(variable.structural, StructuralKind::kFreeVar);
  ASSERT_EQ(variable.compare.size(), 1u);
  EXPECT_EQ(variable.fields[variable.compare[0]].name, "name_hint");
  EXPECT_EQ(variable.fields[variable.label_field].name, "name_hint");
  EXPECT_TRUE(schema->Find("ir.Op")->custom_data);
  const TypeDescriptor& binding = *schema->Find("relax.expr.VarBinding");
  EXPECT_EQ(binding.compare_if_type, "relax.expr.Function");
  EXPECT_EQ(binding.fields[binding.compare_if_field].name, "value");
  EXPECT_TRUE(schema->Find("relax.expr.Function")->IsA(*schema->Find("ir.BaseFunc")));
  EXPECT_EQ(schema->Find("no.such.Type"), nullptr);
  EXPECT_EQ(Schema::Bundled("tvm-0.27").get(), schema.get());
}

TEST(Bundled, UnknownNameIsAnError) {
  EXPECT_EQ(ErrorOf([] { Schema::Bundled("tvm-0.1"); }),
            "KeyError: no bundled schema is named \"tvm-0.1\"; there are tvm-0.25, tvm-0.26, tvm-0.27");
}

TEST(Parse, OfTheSameTextGivesTheSameSchema) {
  SchemaRef first = Schema::Parse(kEverything, "first");
  EXPECT_EQ(Schema::Parse(std::string(kEverything), "second").get(), first.get());
  EXPECT_NE(Schema::Parse(std::string(kEverything) + " ", "third").get(), first.get());
  EXPECT_EQ(first->source(), "first");
}

TEST(Parse, OfATextWhoseSchemaIsGoneStartsAnew) {
  std::string text = R"({"transom_schema":1,"types":{"gone.Type":{}}})";
  EXPECT_EQ(Schema::Parse(text, "first")->source(), "first");
  EXPECT_EQ(Schema::Parse(text, "second")->source(), "second");
}

TEST(Parse, FromManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 300; ++i) {
        SchemaRef schema = Schema::Parse(kEverything, "t.json");
        SchemaRef copy = schema;
        if ((i + t) % 3 == 0) schema = SchemaRef();
        ASSERT_EQ(copy->types().size(), 6u);
        ASSERT_EQ(copy->Find("a.C")->fields.size(), 10u);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(SchemaRef, CountsReferences) {
  SchemaRef empty;
  EXPECT_FALSE(empty);
  SchemaRef schema = ParseTypes(R"("a":{})");
  SchemaRef copy = schema;
  SchemaRef moved = std::move(schema);
  EXPECT_FALSE(schema);  // NOLINT: a moved reference is empty
  EXPECT_EQ(copy.get(), moved.get());
  copy = SchemaRef();
  EXPECT_EQ(moved->types().size(), 1u);
}

std::string BundledMatch(const char* metadata) {
  SchemaRef schema = Schema::MatchBundled(metadata);
  return schema ? schema->name() : "none";
}

TEST(MatchBundled, ComparesVersionsByDottedPrefix) {
  EXPECT_EQ(BundledMatch(R"({"tvm_version":"0.27.0.post1"})"), "tvm-0.27");
  EXPECT_EQ(BundledMatch(R"({"tvm_version":"0.27"})"), "tvm-0.27");
  EXPECT_EQ(BundledMatch(R"({"x":[{}],"tvm_version":"0.25.1","y":null})"), "tvm-0.25");
  EXPECT_EQ(BundledMatch(R"({"tvm_version":"0.270"})"), "none");
  EXPECT_EQ(BundledMatch(R"({"tvm_version":"0.2"})"), "none");
  EXPECT_EQ(BundledMatch(R"({"tvm_version":0.27})"), "none");
  EXPECT_EQ(BundledMatch(R"({"version":"0.27"})"), "none");
  EXPECT_EQ(BundledMatch(R"(["tvm_version","0.27"])"), "none");
  EXPECT_EQ(BundledMatch("null"), "none");
  EXPECT_EQ(BundledMatch(""), "none");
}

TEST(MatchBundled, RefusesMalformedMetadata) {
  EXPECT_EQ(ErrorOf([] { Schema::MatchBundled("{"); }),
            "ValueError: metadata: byte 1: malformed JSON: Missing a name for object member.");
}

SchemaRef WithMatch(const std::string& name, const std::string& match) {
  return Schema::Parse(R"({"transom_schema":1,"name":")" + name + R"(","match":)" + match + R"(,"types":{}})", name);
}

TEST(Match, TakesTheLongest) {
  std::vector<SchemaRef> candidates = {
      WithMatch("one", R"({"v":"1"})"),   WithMatch("exact", R"({"v":"1.2.3"})"),    WithMatch("two", R"({"v":"1.2"})"),
      WithMatch("other", R"({"v":"2"})"), WithMatch("both", R"({"v":"1","w":"1"})"), WithMatch("no rule", "{}")};
  auto match = [&](const char* metadata) {
    SchemaRef schema = Schema::Match(candidates, metadata);
    return schema ? schema->name() : "none";
  };
  EXPECT_EQ(match(R"({"v":"1.2.3.4"})"), "exact");
  EXPECT_EQ(match(R"({"v":"1.2.4"})"), "two");
  EXPECT_EQ(match(R"({"v":"1.10"})"), "one");
  EXPECT_EQ(match(R"({"v":"1.10","w":"1"})"), "both");
  EXPECT_EQ(match(R"({"v":"2"})"), "other");
  EXPECT_EQ(match(R"({"w":"1"})"), "none");
  EXPECT_EQ(match("{}"), "none");
}

TEST(Match, ATieIsAnError) {
  std::vector<SchemaRef> candidates = {WithMatch("x", R"({"v":"1.2"})"), WithMatch("y", R"({"v":"1","w":"1"})"),
                                       WithMatch("z", R"({"v":"1.2.3"})")};
  EXPECT_EQ(ErrorOf([&] { Schema::Match(candidates, R"({"v":"1.2","w":"1"})"); }),
            "ValueError: the schemas \"x\" and \"y\" match the metadata equally well; name the one to use");
  // A longer match settles it.
  EXPECT_EQ(Schema::Match(candidates, R"({"v":"1.2.3","w":"1"})")->name(), "z");
}

std::vector<std::string> KeysOf(const Schema& schema) {
  std::vector<std::string> keys;
  for (const auto& type : schema.types()) keys.push_back(type->key);
  return keys;
}

TEST(Select, BringsAncestorsAndNamedTypes) {
  SchemaRef schema = ParseTypes(R"("root":{"fields":[{"name":"s","type":"Optional<ffi.Array<span>>"}]},"span":{},
      "leaf":{"parent":"mid","fields":[{"name":"k","type":"Any"}],"compare_if":{"k":"cond","then":[]}},
      "mid":{"parent":"root"},"cond":{},"unused":{})");
  SchemaRef selected = Schema::Select("part", {schema->Find("leaf")});
  EXPECT_EQ(selected->name(), "part");
  EXPECT_EQ(KeysOf(*selected), (std::vector<std::string>{"cond", "leaf", "mid", "root", "span"}));
  for (const auto& type : selected->types()) EXPECT_EQ(Difference(*type, *schema->Find(type->key)), "");
}

TEST(Select, IsIndependentOfTheOrderOfTypes) {
  SchemaRef schema = Schema::Bundled("tvm-0.27");
  const TypeDescriptor* a = schema->Find("relax.expr.Function");
  const TypeDescriptor* b = schema->Find("tirx.PrimFunc");
  EXPECT_EQ(Schema::Select("x", {a, b})->ToJSON(), Schema::Select("x", {b, a, a})->ToJSON());
}

TEST(Select, MergesEqualDescriptionsAndRefusesOthers) {
  SchemaRef one = ParseTypes(R"("a":{"fields":[{"name":"x","type":"int"}]},"b":{})", "one.json");
  SchemaRef two = ParseTypes(R"("b":{},"a":{"fields":[{"name":"x","type":"int"}]})", "two.json");
  SchemaRef three = ParseTypes(R"("a":{"fields":[{"name":"x","type":"float"}]})", "three.json");
  EXPECT_EQ(KeysOf(*Schema::Select("s", {one->Find("a"), two->Find("a"), two->Find("b")})),
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(
      ErrorOf([&] {
        Schema::Select("s", {one->Find("a"), three->Find("a")});
      }),
      "ValueError: one schema cannot hold two descriptions of the type \"a\": one.json and three.json differ in it; a .tsm file can hold both");
}

}  // namespace
}  // namespace transom::schema
