#include "graph/type_check.h"

#include <gtest/gtest.h>
#include <transom/containers/bigint.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/shape.h>
#include <transom/containers/tensor.h>

#include <string>
#include <vector>

#include "support/native_types.h"

namespace transom::graph {
namespace {

using schema::TypeExpr;

schema::SchemaRef Animals() {
  return schema::Schema::Parse(
      R"({"transom_schema":1,"name":"t","types":{"t.Animal":{"fields":[]},"t.Dog":{"parent":"t.Animal","fields":[]},
    "t.Stone":{"fields":[]},"t.Holder":{"fields":[{"name":"a","type":"t.Animal"},{"name":"m","type":"ffi.Map<ffi.String, ffi.Array<t.Animal>>"}]}}})",
      "animals");
}

Any Record(const schema::SchemaRef& schema, const char* key) { return Any(RecordObj::Create(*schema->Find(key))); }

// Whether a value fits a declared type, in a schema without types of its own.
bool Fits(const std::string& type, const Any& value) {
  return TypeCheck(nullptr).Fits(TypeExpr::Parse(type), *value.raw());
}

std::string Describe(const std::string& type, const Any& value) {
  TypeCheck check(nullptr);
  const TypeExpr expr = TypeExpr::Parse(type);
  EXPECT_FALSE(check.Fits(expr, *value.raw()));
  return check.Describe(expr, *value.raw());
}

TEST(TypeCheck, PlainTypes) {
  const std::vector<std::pair<std::string, Any>> values = {{"bool", true},
                                                           {"int", 1},
                                                           {"float", 1.5},
                                                           {"DataType", DataType::Int(8)},
                                                           {"Device", Device(kDLCPU, 0)},
                                                           {"ffi.String", "text"},
                                                           {"ffi.Bytes", Bytes(std::string("b"))},
                                                           {"ffi.Shape", Shape{1}},
                                                           {"ffi.Tensor", Tensor::Empty({1}, DataType::Int(8))}};
  for (const auto& [type, unused] : values) {
    for (const auto& [own, value] : values) {
      const bool widened = type == "float" && own == "int";
      EXPECT_EQ(Fits(type, value), type == own || widened) << type << ", " << own;
      EXPECT_TRUE(Fits("Any", value));
      EXPECT_TRUE(Fits("Optional<" + own + ">", value)) << own;
      EXPECT_TRUE(Fits("Union<None, " + own + ">", value)) << own;
    }
  }
  EXPECT_TRUE(Fits("ffi.String", "a text beyond the small ones"));
  EXPECT_TRUE(Fits("ffi.BigInt", BigInt::FromDecimal("99999999999999999999")));
  EXPECT_TRUE(Fits("ffi.BigInt", 1));
}

TEST(TypeCheck, NoneStandsForObjectsOnly) {
  for (const char* type : {"None", "Any", "Optional<int>", "ffi.Array<int>", "ffi.Map<int, int>", "ffi.Shape", "t.Dog",
                           "Union<int, None>"}) {
    EXPECT_TRUE(Fits(type, nullptr)) << type;
  }
  for (const char* type :
       {"int", "bool", "float", "DataType", "Device", "ffi.String", "ffi.Bytes", "Union<int, ffi.String>"}) {
    EXPECT_FALSE(Fits(type, nullptr)) << type;
  }
}

TEST(TypeCheck, ContainersAllTheWayDown) {
  EXPECT_TRUE(Fits("ffi.Array<int>", Array<Any>{1, 2}));
  EXPECT_FALSE(Fits("ffi.Array<int>", Array<Any>{1, "2"}));
  EXPECT_FALSE(Fits("ffi.Array<int>", List<Any>{1}));
  EXPECT_TRUE(Fits("ffi.List<Any>", List<Any>{1, "2"}));
  EXPECT_FALSE(Fits("ffi.Array<ffi.Array<int>>", Array<Any>{Any(Array<Any>{1}), Any(Array<Any>{1.5})}));
  EXPECT_TRUE(Fits("ffi.Map<ffi.String, ffi.Array<int>>", Map<String, Any>{{"a", Array<Any>{1}}}));
  EXPECT_FALSE(Fits("ffi.Map<ffi.String, ffi.Array<int>>", Map<String, Any>{{"a", Array<Any>{"1"}}}));
  EXPECT_FALSE(Fits("ffi.Map<ffi.String, Any>", Map<Any, Any>{{1, 1}}));
  EXPECT_FALSE(Fits("ffi.Map<Any, Any>", Dict<Any, Any>{}));
  EXPECT_TRUE(Fits("ffi.Dict<Any, Any>", Dict<Any, Any>{{1, 2}}));
  EXPECT_TRUE(Fits("Tuple<int, ffi.String>", Array<Any>{1, "a"}));
  EXPECT_FALSE(Fits("Tuple<int, ffi.String>", Array<Any>{1}));
  EXPECT_FALSE(Fits("Tuple<int, ffi.String>", Array<Any>{"a", 1}));
}

TEST(TypeCheck, NamedTypesAndTheirDescendants) {
  const schema::SchemaRef schema = Animals();
  TypeCheck check(schema.get());
  const auto& fields = schema->Find("t.Holder")->fields;
  std::vector<Any> kept;  // a check knows values by their addresses
  const auto fits = [&](size_t field, const Any& value) {
    kept.push_back(value);
    return check.Fits(fields[field].type, *value.raw());
  };
  EXPECT_TRUE(fits(0, Record(schema, "t.Animal")));
  EXPECT_TRUE(fits(0, Record(schema, "t.Dog")));
  EXPECT_FALSE(fits(0, Record(schema, "t.Stone")));
  EXPECT_FALSE(fits(0, 1));
  EXPECT_TRUE(fits(1, Map<String, Any>{{"x", Array<Any>{Record(schema, "t.Dog"), nullptr}}}));
  EXPECT_FALSE(fits(1, Map<String, Any>{{"x", Array<Any>{Record(schema, "t.Stone")}}}));
  // A record of another schema is judged by its key.
  const schema::SchemaRef other = schema::Schema::Parse(
      R"({"transom_schema":1,"name":"o","types":{"t.Animal":{"fields":[]},"t.Cat":{"parent":"t.Animal","fields":[]}}})",
      "other");
  EXPECT_TRUE(fits(0, Record(other, "t.Cat")));
  // So are native objects.
  EXPECT_TRUE(Fits("native.Call", testing::Call("f")));
  EXPECT_TRUE(Fits("ffi.Object", testing::Call("f")));
  EXPECT_FALSE(Fits("native.Const", testing::Call("f")));
}

TEST(TypeCheck, LargeContainersAreLookedIntoOncePerType) {
  const schema::SchemaRef schema = schema::Schema::Parse(
      R"({"transom_schema":1,"name":"t","types":{"t.A":{"fields":[{"name":"a","type":"ffi.Array<int>"},{"name":"b","type":"ffi.Array<Any>"},
        {"name":"c","type":"ffi.Array<ffi.String>"}]}}})",
      "t");
  const auto& fields = schema->Find("t.A")->fields;
  const std::vector<Any> items(1000, Any(1));
  const Any large = Array<Any>(items.begin(), items.end());
  TypeCheck check(schema.get());
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(check.Fits(fields[0].type, *large.raw()));
    EXPECT_TRUE(check.Fits(fields[1].type, *large.raw()));
    EXPECT_FALSE(check.Fits(fields[2].type, *large.raw()));
  }
}

// Each holds the next one four times: unfolded they have 4^60 elements.
TEST(TypeCheck, SmallContainersAreLookedIntoOnceWhereTheyHoldOthers) {
  Any good = Array<Any>{1, 2}, bad = Array<Any>{1, "no"};
  std::string type = "ffi.Array<int>", map_type = type, tuple_type = type;
  Any map = good, tuple = good;
  for (int i = 0; i < 60; ++i) {
    good = Array<Any>{good, good, good, good};
    bad = Array<Any>{bad, bad, bad, bad};
    map = Map<Any, Any>{{1, map}, {2, map}};
    tuple = Array<Any>{tuple, tuple};
    type = "ffi.Array<" + type + ">";
    map_type = "ffi.Map<int, " + map_type + ">";
    if (i < 5) tuple_type = "Tuple<" + tuple_type + ", " + tuple_type + ">";
  }
  EXPECT_TRUE(Fits(type, good));
  EXPECT_FALSE(Fits(type, bad));
  EXPECT_TRUE(Fits(map_type, map));
  EXPECT_FALSE(Fits(tuple_type, tuple));
}

TEST(TypeCheck, SaysWhatDoesNotFit) {
  EXPECT_EQ(Describe("int", "x"), "ffi.String");
  EXPECT_EQ(Describe("ffi.Array<int>", Array<Any>{1, 2, "x"}), "ffi.Array whose element 2 is ffi.String");
  EXPECT_EQ(Describe("Tuple<int, ffi.String>", Array<Any>{1, 2}), "ffi.Array whose element 1 is int");
  EXPECT_EQ(Describe("Tuple<int, ffi.String>", Array<Any>{1}), "ffi.Array");
  EXPECT_EQ(Describe("ffi.Map<ffi.String, int>", Map<Any, Any>{{"a", 1}, {"b", 1.5}}),
            "ffi.Map whose value 1 is float");
  EXPECT_EQ(Describe("ffi.Map<ffi.String, int>", Map<Any, Any>{{"a", 1}, {2, 1}}), "ffi.Map whose key 1 is int");
  EXPECT_EQ(Describe("native.Const", testing::Call("f")), "native.Call");
}

}  // namespace
}  // namespace transom::graph
