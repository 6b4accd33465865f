#include <transom/schema/descriptor.h>

#include <gtest/gtest.h>
#include <transom/runtime/any.h>
#include <transom/schema/record.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "schema_support.h"

namespace transom::schema {
namespace {

using Digest = std::pair<uint64_t, uint64_t>;

Digest DigestOf(const SchemaRef& schema, const char* key) {
  const TypeDescriptor* type = schema->Find(key);
  return {type->digest[0], type->digest[1]};
}

// Storage and place of each field in a record, and the size of the record.
std::string LayoutOf(const TypeDescriptor& type) {
  std::string out;
  for (const FieldDescriptor& field : type.fields) {
    out += field.name + "@" + std::to_string(field.offset) + ":" + std::to_string(StorageSize(field.storage)) + " ";
  }
  return out + "size " + std::to_string(type.instance_size);
}

TEST(Layout, FieldsArePackedByAlignment) {
  SchemaRef schema = ParseTypes(R"("a":{},"m":{"fields":[{"name":"b","type":"bool"},{"name":"i","type":"int"},
      {"name":"d","type":"DataType"},{"name":"s","type":"ffi.String"},{"name":"o","type":"a"},{"name":"n","type":"None"},
      {"name":"v","type":"Device"},{"name":"f","type":"float"},{"name":"c","type":"bool"}]})");
  EXPECT_EQ(LayoutOf(*schema->Find("m")), "b@84:1 i@32:8 d@80:4 s@40:16 o@56:8 n@85:0 v@64:8 f@72:8 c@85:1 size 88");
}

TEST(Layout, InheritedFieldsTakePart) {
  SchemaRef schema = ParseTypes(R"("p":{"fields":[{"name":"b","type":"bool"}]},
      "c":{"parent":"p","fields":[{"name":"x","type":"int"}]})");
  EXPECT_EQ(LayoutOf(*schema->Find("p")), "b@32:1 size 40");
  EXPECT_EQ(LayoutOf(*schema->Find("c")), "b@40:1 x@32:8 size 48");
}

TEST(Layout, CustomDataIsOneValue) {
  SchemaRef schema = ParseTypes(R"("a":{"data":"custom","fields":[{"name":"x","type":"int"}]})");
  const TypeDescriptor& type = *schema->Find("a");
  EXPECT_EQ(type.instance_size, 48u);
  EXPECT_EQ(type.fields[0].storage, Storage::kNone);
}

struct StorageCase {
  const char* type;
  Storage storage;
};

class FieldStorage : public ::testing::TestWithParam<StorageCase> {};

TEST_P(FieldStorage, FollowsFromTheType) {
  SchemaRef schema = ParseTypes(std::string(R"("a":{"fields":[{"name":"x","type":")") + GetParam().type + R"("}]})");
  EXPECT_EQ(schema->Find("a")->fields[0].storage, GetParam().storage) << GetParam().type;
}

INSTANTIATE_TEST_SUITE_P(
    All, FieldStorage,
    ::testing::Values(StorageCase{"None", Storage::kNone}, StorageCase{"bool", Storage::kBool},
                      StorageCase{"int", Storage::kInt64}, StorageCase{"float", Storage::kFloat64},
                      StorageCase{"DataType", Storage::kDataType}, StorageCase{"Device", Storage::kDevice},
                      StorageCase{"ffi.String", Storage::kAny}, StorageCase{"ffi.Bytes", Storage::kAny},
                      StorageCase{"void*", Storage::kAny}, StorageCase{"ffi.BigInt", Storage::kAny},
                      StorageCase{"Any", Storage::kAny}, StorageCase{"ffi.Object", Storage::kAny},
                      StorageCase{"Union<int, a>", Storage::kAny}, StorageCase{"NestedMsg<int>", Storage::kAny},
                      StorageCase{"Optional<int>", Storage::kAny}, StorageCase{"Optional<ffi.String>", Storage::kAny},
                      StorageCase{"Optional<ffi.Object>", Storage::kAny}, StorageCase{"Optional<a>", Storage::kObject},
                      StorageCase{"Optional<Optional<ffi.Shape>>", Storage::kObject},
                      StorageCase{"a", Storage::kObject}, StorageCase{"not.described", Storage::kObject},
                      StorageCase{"ffi.Shape", Storage::kObject}, StorageCase{"ffi.Tensor", Storage::kObject},
                      StorageCase{"ffi.Function<int>", Storage::kObject}, StorageCase{"ffi.Module", Storage::kObject},
                      StorageCase{"ffi.Array<int>", Storage::kObject}, StorageCase{"ffi.List", Storage::kObject},
                      StorageCase{"ffi.Map<int, int>", Storage::kObject}, StorageCase{"ffi.Dict", Storage::kObject},
                      StorageCase{"Tuple<int>", Storage::kObject}));

TEST(Layout, FieldsOfTheBundledTypesAreAlignedAndDoNotOverlap) {
  for (const std::string& name : Schema::BundledNames()) {
    SchemaRef schema = Schema::Bundled(name);
    for (const auto& type : schema->types()) {
      if (type->custom_data) continue;
      std::set<uint32_t> used;
      for (const FieldDescriptor& field : type->fields) {
        uint32_t size = StorageSize(field.storage);
        ASSERT_GT(size, 0u);
        EXPECT_EQ(field.offset % std::min(size, 8u), 0u);
        EXPECT_GE(field.offset, RecordObj::kFieldsOffset);
        EXPECT_LE(field.offset + size, type->instance_size);
        for (uint32_t i = 0; i < size; ++i) EXPECT_TRUE(used.insert(field.offset + i).second) << type->key;
      }
    }
  }
}

bool NaiveIsA(const TypeDescriptor* type, const TypeDescriptor* ancestor) {
  while (type != nullptr && type != ancestor) type = type->parent;
  return type != nullptr;
}

void ExpectIntervalsAgreeWithParents(const Schema& schema) {
  for (const auto& type : schema.types()) {
    for (const auto& other : schema.types()) {
      ASSERT_EQ(type->IsA(*other), NaiveIsA(type.get(), other.get())) << type->key << " " << other->key;
    }
  }
}

TEST(Intervals, AgreeWithTheParentsInTheBundledSchemas) {
  for (const std::string& name : Schema::BundledNames()) ExpectIntervalsAgreeWithParents(*Schema::Bundled(name));
}

TEST(Intervals, AgreeWithTheParentsInRandomForests) {
  std::mt19937 random(20240607);
  for (int round = 0; round < 30; ++round) {
    std::vector<int> order(60);
    for (int i = 0; i < 60; ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);  // parents may come after their children
    std::string types;
    for (int i : order) {
      types += (types.empty() ? "" : ",") + (R"("t)" + std::to_string(i)) + R"(":{)";
      if (i > 0 && random() % 5 != 0) types += R"("parent":"t)" + std::to_string(random() % i) + "\"";
      types += "}";
    }
    SchemaRef schema = ParseTypes(types);
    ASSERT_EQ(schema->types().size(), 60u);
    ExpectIntervalsAgreeWithParents(*schema);
  }
}

TEST(Intervals, AreThereForNamedFieldTypes) {
  SchemaRef schema = ParseTypes(R"("b":{"parent":"a"},"a":{},"u":{"fields":[{"name":"x","type":"a"},
      {"name":"y","type":"ffi.Map<b, Optional<a>>"},{"name":"z","type":"elsewhere"}]})");
  const TypeDescriptor& a = *schema->Find("a");
  const TypeDescriptor& b = *schema->Find("b");
  const std::vector<FieldDescriptor>& fields = schema->Find("u")->fields;
  EXPECT_EQ(fields[0].type.order_begin, a.order_begin);
  EXPECT_EQ(fields[0].type.order_end, a.order_end);
  EXPECT_EQ(fields[1].type.args[0].order_begin, b.order_begin);
  EXPECT_EQ(fields[1].type.args[1].args[0].order_end, a.order_end);
  EXPECT_EQ(fields[2].type.order_begin, fields[2].type.order_end);
}

void CollectIds(const TypeExpr& type, std::set<uint32_t>* ids) {
  ids->insert(type.id);
  for (const TypeExpr& arg : type.args) CollectIds(arg, ids);
}

TEST(TypeNumbers, AreEqualForEqualTextsOnly) {
  SchemaRef schema = Schema::Bundled("tvm-0.27");
  std::map<std::string, uint32_t> by_text;
  std::set<uint32_t> ids;
  std::set<uint32_t> int_elements;
  for (const auto& type : schema->types()) {
    for (const FieldDescriptor& field : type->fields) {
      EXPECT_EQ(by_text.emplace(field.type_text, field.type.id).first->second, field.type.id);
      CollectIds(field.type, &ids);
      if (field.type_text == "ffi.Array<int>") int_elements.insert(field.type.args[0].id);
    }
  }
  EXPECT_EQ(int_elements, std::set<uint32_t>{by_text.at("int")});
  EXPECT_LT(*ids.rbegin(), schema->num_type_exprs());
  EXPECT_EQ(by_text.size(), [&] {
    std::set<uint32_t> distinct;
    for (const auto& entry : by_text) distinct.insert(entry.second);
    return distinct.size();
  }());
}

TEST(FindField, TriesTheHintFirst) {
  SchemaRef schema = ParseTypes(R"("a":{"fields":[{"name":"x","type":"int"},{"name":"y","type":"int"}]})");
  const TypeDescriptor& type = *schema->Find("a");
  EXPECT_EQ(type.FindField("x"), 0);
  EXPECT_EQ(type.FindField("y"), 1);
  EXPECT_EQ(type.FindField("y", 1), 1);
  EXPECT_EQ(type.FindField("x", 7), 0);
  EXPECT_EQ(type.FindField("z"), -1);
}

TEST(CompareAndLabel, HaveDefaults) {
  SchemaRef schema = ParseTypes(R"("p":{"fields":[{"name":"a","type":"int"},{"name":"i","type":"int","ignore":true}]},
      "c":{"parent":"p","fields":[{"name":"global_symbol","type":"int"},{"name":"name_hint","type":"int"}]})");
  const TypeDescriptor& type = *schema->Find("c");
  EXPECT_EQ(type.compare, (std::vector<uint16_t>{0, 2, 3}));
  EXPECT_FALSE(type.has_compare);
  EXPECT_EQ(type.label_field, 3);  // name_hint goes before global_symbol
  EXPECT_FALSE(type.label_stated);
  EXPECT_EQ(schema->Find("p")->label_field, -1);
}

TEST(CompareAndLabel, AreStatedPerTypeAndWinOverIgnore) {
  SchemaRef schema = ParseTypes(R"("p":{"structural":"tree","compare":["i"],"label":"a",
      "fields":[{"name":"a","type":"int"},{"name":"i","type":"int","ignore":true}]},
      "c":{"parent":"p"})");
  EXPECT_EQ(schema->Find("p")->compare, (std::vector<uint16_t>{1}));
  EXPECT_EQ(schema->Find("p")->label_field, 0);
  const TypeDescriptor& child = *schema->Find("c");
  EXPECT_EQ(child.compare, (std::vector<uint16_t>{0}));
  EXPECT_EQ(child.structural, StructuralKind::kNone);
  EXPECT_EQ(child.label_field, -1);
}

TEST(Defaults, AreConvertedToWhatTheFieldHolds) {
  SchemaRef schema = ParseTypes(R"("a":{"fields":[{"name":"i","type":"int","default":true},
      {"name":"f","type":"float","default":3},{"name":"b","type":"bool","default":1},
      {"name":"d","type":"DataType","default":"float32x4"},{"name":"s","type":"ffi.String","default":"more than seven"},
      {"name":"o","type":"Optional<DataType>","default":"int8"},{"name":"n","type":"a","default":null},
      {"name":"u","type":"Union<float, int>","default":2},{"name":"w","type":"Optional<float>","default":2},
      {"name":"h","type":"int","has_default":true},{"name":"z","type":"float","default":-0.0},
      {"name":"y","type":"Any","default":9223372036854775807}]})");
  const std::vector<FieldDescriptor>& fields = schema->Find("a")->fields;
  auto value = [&](const char* name) { return fields[schema->Find("a")->FindField(name)].default_value; };
  EXPECT_EQ(*value("i").as<int64_t>(), 1);
  EXPECT_EQ(*value("f").as<double>(), 3.0);
  EXPECT_EQ(*value("b").as<bool>(), true);
  EXPECT_EQ(*value("d").as<DataType>(), DataType::Float(32, 4));
  EXPECT_EQ(*value("s").as<String>(), "more than seven");
  EXPECT_EQ(*value("o").as<DataType>(), DataType::Int(8));
  EXPECT_EQ(value("n").type_index(), kTVMFFINone);
  EXPECT_EQ(*value("u").as<int64_t>(), 2);
  EXPECT_EQ(*value("w").as<double>(), 2.0);
  EXPECT_TRUE(std::signbit(*value("z").as<double>()));
  EXPECT_EQ(*value("y").as<int64_t>(), INT64_MAX);
  EXPECT_TRUE(fields[9].has_default);
  EXPECT_FALSE(fields[9].default_is_known);
  EXPECT_TRUE(fields[0].default_is_known);
}

TEST(Digest, DependsOnContentOnly) {
  const char* base =
      R"("p":{"fields":[{"name":"x","type":"ffi.Map<int, Any>"}]},"c":{"parent":"p","structural":"tree"})";
  SchemaRef schema = ParseTypes(base);
  SchemaRef reordered = Schema::Parse(
      R"({"types":{"z":{},"c":{"structural":"tree","parent":"p"},
          "p":{"fields":[{"type":"ffi.Map< int,Any >","name":"x"}]}},"name":"other","transom_schema":1})",
      "u.json");
  EXPECT_EQ(DigestOf(schema, "c"), DigestOf(reordered, "c"));
  EXPECT_EQ(DigestOf(schema, "p"), DigestOf(reordered, "p"));
  EXPECT_NE(DigestOf(schema, "c"), DigestOf(schema, "p"));
}

TEST(Digest, TellsEveryDifference) {
  // Each text differs from the first in one point; the last ones in an ancestor only.
  auto types = [](const std::string& parent_field, const std::string& members, const std::string& field) {
    return R"("q":{},"p":{"fields":[{"name":"a","type":"Any")" + parent_field + R"(}]},"c":{"parent":"p")" + members +
           R"(,"fields":[{)" + field + "}]}";
  };
  const std::string x = R"("name":"x","type":"int")";
  const std::vector<std::string> texts = {
      types("", "", x),
      types("", "", R"("name":"y","type":"int")"),
      types("", "", R"("name":"x","type":"float")"),
      types("", "", x + R"(,"ignore":true)"),
      types("", "", x + R"(,"def":"simple")"),
      types("", "", x + R"(,"def":"recursive")"),
      types("", "", x + R"(,"has_default":true)"),
      types("", "", x + R"(,"default":0)"),
      types("", "", x + R"(,"default":1)"),
      types("", R"(,"structural":"tree")", x),
      types("", R"(,"structural":"dag")", x),
      types("", R"(,"hook":true)", x),
      types("", R"(,"data":"custom")", x),
      types("", R"(,"label":"x")", x),
      types("", R"(,"compare":["a","x"])", x),
      types("", R"(,"compare":["x","a"])", x),
      types("", R"(,"compare":["x"])", x),
      types("", R"(,"compare_if":{"a":"q","then":["x"]})", x),
      types("", R"(,"compare_if":{"a":"p","then":["x"]})", x),
      types("", R"(,"compare_if":{"a":"q","then":["a"]})", x),
      types("", "", x + R"(},{"name":"z","type":"int")"),
      types(R"(,"ignore":true)", "", x),
      types(R"(,"default":"")", "", x),
      types(R"(,"default":"a text of more than seven bytes")", "", x),
  };
  std::map<Digest, std::string> seen;
  for (const std::string& text : texts) {
    auto [it, is_new] = seen.emplace(DigestOf(ParseTypes(text), "c"), text);
    EXPECT_TRUE(is_new) << text << "\nhas the digest of\n" << it->second;
  }
}

// Digests are stored in files, so they must never change by accident.
TEST(Digest, IsStable) {
  SchemaRef schema =
      ParseTypes(R"("shop.Base":{"structural":"tree"},"shop.Item":{"parent":"shop.Base","structural":"tree",
      "fields":[{"name":"qty","type":"int","default":1},{"name":"tags","type":"ffi.Array<ffi.String>"}]})");
  EXPECT_EQ(DigestOf(schema, "shop.Item"), Digest(5292609875289046224u, 13865239854252031635u));
}

}  // namespace
}  // namespace transom::schema
