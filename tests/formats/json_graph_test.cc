#include <transom/formats/json_graph.h>

#include <gtest/gtest.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/shape.h>
#include <transom/containers/tensor.h>
#include <transom/reflection/registry.h>
#include <transom/schema/record.h>
#include <transom/structural/equal.h>

#include <cmath>
#include <string>
#include <vector>

#include "formats/graph_text.h"
#include "support/json_value.h"
#include "support/native_types.h"

namespace transom {
namespace {

using testing::Call;
using testing::Const;
using testing::ErrorOf;
using testing::ExpectText;
using testing::Graph;
using testing::Load;
using testing::Plain;
using testing::Save;

const char kShop[] = R"({"transom_schema":1,"name":"shop","types":{
"shop.Item":{"structural":"tree","fields":[{"name":"qty","type":"int"},{"name":"price","type":"float"},{"name":"name","type":"ffi.String"},{"name":"tags","type":"ffi.Array<ffi.String>"}]},
"shop.Color":{"data":"custom"}}})";

LoadOptions ShopOptions() {
  LoadOptions options;
  options.schema = schema::Schema::Parse(kShop, "shop");
  return options;
}

// ---- The form ------------------------------------------------------------------------------------------------------

TEST(Form, Scalars) {
  ExpectText(7, R"({"root_index":0,"nodes":[{"type":"int","data":7}]})");
  ExpectText(nullptr, R"({"root_index":0,"nodes":[{"type":"None"}]})");
  ExpectText(true, R"({"root_index":0,"nodes":[{"type":"bool","data":true}]})");
  ExpectText(Device(kDLCUDA, 1), R"({"root_index":0,"nodes":[{"type":"Device","data":[2,1]}]})");
  ExpectText(DataType::FromString("float16"), R"({"root_index":0,"nodes":[{"type":"DataType","data":"float16"}]})");
}

TEST(Form, EqualPlainValuesHaveOneNode) {
  ExpectText(Array<Any>{"ab", 1, "ab", nullptr, true},
             R"({"root_index":4,"nodes":[{"type":"ffi.String","data":"ab"},{"type":"int","data":1},{"type":"None"},)"
             R"({"type":"bool","data":true},{"type":"ffi.Array","data":[0,1,0,2,3]}]})");
  ExpectText(
      Array<Any>{1, true, 1.0, 1, 0.0, -0.0, 0.0},
      R"({"root_index":5,"nodes":[{"type":"int","data":1},{"type":"bool","data":true},{"type":"float","data":1.0},)"
      R"({"type":"float","data":0.0},{"type":"float","data":-0.0},{"type":"ffi.Array","data":[0,1,2,0,3,4,3]}]})");
}

TEST(Form, MapsAreKeysAndValuesInTurn) {
  const Any value = Map<String, Any>{{"k", List<Any>{1.5, Bytes(std::string("\1\2"))}}};
  SaveOptions options;
  options.metadata = "\"v1\"";
  EXPECT_EQ(Save(value, options),
            R"({"root_index":4,"nodes":[{"type":"ffi.String","data":"k"},{"type":"float","data":1.5},)"
            R"({"type":"ffi.Bytes","data":"AQI="},{"type":"ffi.List","data":[1,2]},{"type":"ffi.Map","data":[0,3]}],)"
            R"("metadata":"v1"})");
}

constexpr char kItem[] = R"({"type":"ffi.String","data":"nut"},{"type":"ffi.Array","data":[]},)"
                         R"({"type":"shop.Item","data":{"qty":3,"price":2.5,"name":0,"tags":1}})";

TEST(Form, ObjectsHoldPlainFieldsAndRefersToOthers) {
  const std::string text = Graph(kItem, 2);
  const Any item = Load(text, ShopOptions());
  EXPECT_EQ(Save(item), text);
  const RecordObj* record = AsRecord(*item.raw(), RecordObj::RuntimeTypeIndex());
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->Get("qty").cast<int64_t>(), 3);
  EXPECT_EQ(record->Get("price").cast<double>(), 2.5);
}

TEST(Form, SharedObjectsAndCustomData) {
  const std::string text =
      Graph(std::string(kItem) + R"(,{"type":"shop.Color","data":2},{"type":"ffi.Array","data":[2,2,3]})", 4);
  const Array<Any> items = Load(text, ShopOptions()).cast<Array<Any>>();
  EXPECT_EQ(items[0].raw()->v_obj, items[1].raw()->v_obj);
  EXPECT_EQ(Save(items), text);
}

TEST(Form, MembersOfEnumerationsAreTheirNumberOrName) {
  LoadOptions options;
  options.schema = schema::Schema::Parse(R"({"transom_schema":1,"name":"e","types":{
      "ffi.Enum":{"fields":[{"name":"_value","type":"Any"}]},"ffi.IntEnum":{"parent":"ffi.Enum","fields":[]},
      "shop.Color":{"parent":"ffi.IntEnum","fields":[]},"shop.Size":{"parent":"ffi.Enum","fields":[]}}})",
                                         "enums");
  for (const char* node : {R"({"type":"shop.Color","data":2})", R"({"type":"shop.Size","data":"large"})"}) {
    const Any value = Load(Graph(node, 0), options);
    EXPECT_EQ(Save(value), Graph(node, 0));
    EXPECT_EQ(Save(LoadJSON(SaveJSON(value)).value), Graph(node, 0));
  }
}

TEST(Form, DeviceAndDataTypeInAnArray) {
  ExpectText(Array<Any>{Device(kDLCUDA, 1), DataType::FromString("float16")},
             R"({"root_index":2,"nodes":[{"type":"Device","data":[2,1]},{"type":"DataType","data":"float16"},)"
             R"({"type":"ffi.Array","data":[0,1]}]})");
}

TEST(Form, EveryFieldOfARegisteredTypeIsWritten) {
  EXPECT_EQ(Save(Call("f", {}, "span")),
            R"({"root_index":3,"nodes":[{"type":"ffi.String","data":"f"},{"type":"ffi.Array","data":[]},)"
            R"({"type":"ffi.String","data":"span"},{"type":"native.Call","data":{"op":0,"args":1,"span":2}}]})");
  EXPECT_EQ(Save(testing::Op("add")), R"({"root_index":0,"nodes":[{"type":"native.Op","data":{"name":"add"}}]})");
}

TEST(Form, SerializeAndDeserialize) {
  const Any value = Call("f", {1, Const("x")});
  const String text = SerializeToJSON(value);
  EXPECT_EQ(std::string(text), SaveJSON(value));
  const Any again = DeserializeFromJSON(text);
  EXPECT_EQ(again.type_index(), value.type_index());
  EXPECT_TRUE(StructuralEqual::Equal(again, value));
}

// ---- Order of nodes and members ------------------------------------------------------------------------------------

TEST(Order, NodesMayStandInAny) {
  const std::string wanted = Save(Load(Graph(kItem, 2), ShopOptions()));
  const std::string root_first = R"({"type":"shop.Item","data":{"qty":3,"price":2.5,"name":2,"tags":1}},)"
                                 R"({"type":"ffi.Array","data":[]},{"type":"ffi.String","data":"nut"})";
  EXPECT_EQ(Save(Load(Graph(root_first, 0), ShopOptions())), wanted);
}

TEST(Order, DataBeforeTypeAndFieldsInAnyOrder) {
  const std::string wanted = Save(Load(Graph(kItem, 2), ShopOptions()));
  const std::string nodes = R"({"data":"nut","type":"ffi.String"},{"data":[],"type":"ffi.Array"},)"
                            R"({"data":{"tags":1,"name":0,"price":2.5,"qty":3},"type":"shop.Item"})";
  EXPECT_EQ(Save(Load(Graph(nodes, 2), ShopOptions())), wanted);
  EXPECT_EQ(Save(Load("{\"nodes\":[" + std::string(kItem) + "],\"root_index\":2}", ShopOptions())), wanted);
}

TEST(Order, SharingIsKeptInAnyOrder) {
  const std::string nodes =
      R"({"type":"ffi.Array","data":[2,1,2]},{"type":"ffi.List","data":[2]},{"type":"ffi.List","data":[]})";
  const Array<Any> items = Load(Graph(nodes, 0)).cast<Array<Any>>();
  EXPECT_EQ(items[0].raw()->v_obj, items[2].raw()->v_obj);
  EXPECT_EQ(items[1].cast<List<Any>>()[0].raw()->v_obj, items[0].raw()->v_obj);
}

TEST(Order, ALongChainRootFirst) {
  constexpr int kDepth = 100000;
  std::string nodes;
  for (int i = 0; i < kDepth; ++i) nodes += "{\"type\":\"ffi.List\",\"data\":[" + std::to_string(i + 1) + "]},";
  const LoadResult result = LoadJSON(Graph(nodes + "{\"type\":\"int\",\"data\":1}", 0));
  EXPECT_EQ(result.num_nodes, kDepth + 1u);
}

TEST(Order, CirclesAreErrorsThatNameTheNodes) {
  const std::string nodes =
      R"({"type":"ffi.List","data":[1]},{"type":"ffi.Map","data":[2,2]},{"type":"ffi.Array","data":[0]})";
  EXPECT_EQ(ErrorOf([&] { Load(Graph(nodes, 0)); }),
            "ValueError: byte 25: the nodes refer to each other in a circle: node 0 -> node 1 -> node 2 -> node 0; a "
            "graph must "
            "have no cycles");
}

TEST(Order, NodesOutOfReachAreDropped) {
  const std::string nodes =
      R"({"type":"int","data":1},{"type":"gone.Type","data":{"x":[99]}},{"type":"ffi.Array","data":[0]},{"type":"int","data":"no"})";
  LoadOptions options;
  options.count_unreachable = true;
  const LoadResult result = LoadJSON(Graph(nodes, 2), options);
  EXPECT_EQ(result.num_nodes, 4u);
  EXPECT_EQ(result.num_unreachable, 2u);
  EXPECT_EQ(Save(result.value), Save(Array<Any>{1}));
  EXPECT_EQ(LoadJSON(Graph(nodes, 2)).num_unreachable, 0u);
}

TEST(Order, UnknownMembersOfTheFileAreIgnored) {
  EXPECT_EQ(
      Load(Graph(R"({"type":"int","data":1})", 0, R"(,"other":{"nodes":[{"root_index":5}]},"more":null)")).cast<int>(),
      1);
  EXPECT_EQ(ErrorOf([&] { Load(Graph(R"({"type":"int","data":1})", 0, R"(,"root_index":0)")); }).substr(0, 17),
            "ValueError: byte ");
}

// ---- Types ---------------------------------------------------------------------------------------------------------

TEST(Types, NativeOnesAreMadeThroughTheirCreators) {
  auto scalars = make_object<testing::ScalarsObj>();
  scalars->narrow = -5;
  scalars->tiny = 200;
  scalars->single = 0.1f;
  scalars->dtype = DataType::Int(8);
  scalars->s = "a text of some length";
  scalars->bytes = Bytes(std::string("\0\xff", 2));
  scalars->maybe = 4;
  const Any value = scalars;
  const LoadResult result = LoadJSON(SaveJSON(value));
  ASSERT_EQ(result.value.type_index(), value.type_index());
  EXPECT_TRUE(result.record_types.empty());
  EXPECT_TRUE(result.schema_in_file);
  EXPECT_TRUE(StructuralEqual::Equal(result.value, value));
  const Any op = Load(SaveJSON(testing::Op("add")));
  EXPECT_EQ(std::string(op.as<testing::OpObj>()->name), "add");
}

// Each type is described by the registry on its own; all descriptions are needed until the end.
TEST(Types, SeveralNativeOnesAreReadWithoutASchema) {
  SaveOptions plain;
  plain.embed_schema = EmbedSchema::kNever;
  Array<Any> values;
  for (int64_t i = 0; i < 3; ++i) {
    values = std::move(values).push_back(Any(Call("op", {Any(i)})));
    values = std::move(values).push_back(Any(Const(Any(i))));
  }
  const std::string text = SaveJSON(values, plain);
  const LoadResult loaded = LoadJSON(text);
  EXPECT_TRUE(loaded.record_types.empty());
  EXPECT_TRUE(StructuralEqual::Equal(loaded.value, values));
  EXPECT_EQ(SaveJSON(loaded.value, plain), text);
}

TEST(Types, MissingFieldsTakeTheirDefaults) {
  const Any call = Load(Graph(
      R"({"type":"ffi.String","data":"f"},{"type":"ffi.Array","data":[]},{"type":"native.Call","data":{"op":0,"args":1}})",
      2));
  EXPECT_EQ(call.as<testing::CallObj>()->span, nullptr);
  const Any box = Load(Graph(R"({"type":"None"},{"type":"native.Box","data":{"token":0}})", 1));
  EXPECT_EQ(box.as<testing::BoxObj>()->size, 3);
  EXPECT_EQ(
      ErrorOf([&] { Load(Graph(R"({"type":"ffi.String","data":"f"},{"type":"native.Call","data":{"op":0}})", 1)); }),
      "ValueError: byte 58: node 1 (native.Call): the field \"args\" of type ffi.Array<Any> is missing, and it has no "
      "default");
}

TEST(Types, DefaultsThatOnlyTheLibraryHasAreTaken) {
  const Any value = Load(Graph(R"({"type":"native.Defaults","data":{}})", 0));
  const auto* obj = value.as<testing::DefaultsObj>();
  ASSERT_NE(obj, nullptr);
  EXPECT_EQ(obj->count, 7);
  EXPECT_EQ(obj->price, 2.0);
  EXPECT_EQ(obj->dtype, DataType::Float(32));
  EXPECT_EQ(obj->items.size(), 2u);
  EXPECT_EQ(obj->made.size(), 1u);
}

// A default is made by code that may fail.
class MoodyObj : public Object {
 public:
  Array<Any> items;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("native.formats.Moody", MoodyObj, Object);
};

TEST(Types, ADefaultThatCannotBeMadeIsAnErrorOfItsNode) {
  reflection::ObjectDef<MoodyObj>().def_ro("items", &MoodyObj::items, reflection::DefaultFactory([]() -> Array<Any> {
                                             TRANSOM_THROW(RuntimeError) << "not today";
                                           }));
  const std::string nodes = R"({"type":"native.formats.Moody","data":{}},{"type":"int","data":1})";
  EXPECT_EQ(ErrorOf([&] { Load(Graph(nodes, 0)); }),
            "ValueError: byte 25: node 0 (native.formats.Moody): the object cannot be made: not today");
  EXPECT_EQ(Load(Graph(nodes, 1)).cast<int>(), 1);
}

TEST(Types, RecordsAlwaysOnRequest) {
  LoadOptions options;
  options.types = LoadTypes::kRecords;
  const Any value = Call("f", {Const(1), testing::Op("add")});
  const LoadResult result = LoadJSON(SaveJSON(value), options);
  EXPECT_EQ(result.value.type_index(), RecordObj::RuntimeTypeIndex());
  EXPECT_EQ(result.record_types, (std::vector<std::string>{"native.Call", "native.Const", "native.Op"}));
  EXPECT_EQ(SaveJSON(result.value), SaveJSON(value));
  EXPECT_TRUE(StructuralEqual::Equal(result.value, value));
}

TEST(Types, OnlyRegisteredOnesOnRequest) {
  LoadOptions options = ShopOptions();
  options.types = LoadTypes::kRegisteredOnly;
  EXPECT_NE(ErrorOf([&] { Load(Graph(kItem, 2), options); }).find("type \"shop.Item\""), std::string::npos);
  options.schema = {};
  EXPECT_EQ(Load(SaveJSON(Call("f")), options).type_index(), Call("f").type_index());
}

TEST(Types, UnknownOnesInsideNativeOnesAreRecords) {
  const std::string schema = SaveJSON(Call("f"));
  const Any item = Load(Graph(kItem, 2), ShopOptions());
  const Any value = Call("f", {item});
  const LoadResult result = LoadJSON(SaveJSON(value));
  EXPECT_EQ(result.value.type_index(), value.type_index());
  EXPECT_EQ(result.record_types, std::vector<std::string>{"shop.Item"});
  EXPECT_EQ(SaveJSON(result.value), SaveJSON(value));
}

// A type of the file that the library has too, but with a field that it does not know.
TEST(Types, AFieldThatCannotHoldARecordMakesItsHolderARecord) {
  const std::string text =
      R"({"schema":{"transom_schema":1,"name":"e","types":{)"
      R"("native.Box":{"structural":"tree","fields":[{"name":"token","type":"native.Special"},{"name":"size","type":"int"}]},)"
      R"("native.Special":{"structural":"tree","fields":[{"name":"id","type":"int"}]}}},)"
      R"("root_index":2,"nodes":[{"type":"native.Special","data":{"id":4}},{"type":"native.Box","data":{"token":0,"size":1}},)"
      R"({"type":"ffi.Array","data":[1]}]})";
  const LoadResult result = LoadJSON(text);
  EXPECT_EQ(result.record_types, (std::vector<std::string>{"native.Box", "native.Special"}));
  EXPECT_EQ(Save(result.value), Save(Load(text)));
  const Array<Any> items = result.value.cast<Array<Any>>();
  const RecordObj* box = AsRecord(*items[0].raw(), RecordObj::RuntimeTypeIndex());
  ASSERT_NE(box, nullptr);
  EXPECT_EQ(box->Get("size").cast<int64_t>(), 1);
}

TEST(Types, UnknownFieldsAreErrorsOrDropped) {
  const std::string text = Graph(
      R"({"type":"ffi.String","data":"nut"},{"type":"ffi.Array","data":[]},)"
      R"({"type":"shop.Item","data":{"qty":3,"new":{"a":[1,{"b":2}]},"price":2.5,"other":null,"name":0,"tags":1,"last":7}})",
      2);
  const std::string error = ErrorOf([&] { Load(text, ShopOptions()); });
  EXPECT_NE(error.find("node 2 (shop.Item): the type has no field \"new\"; it has qty, price, name, tags"),
            std::string::npos)
      << error;
  LoadOptions options = ShopOptions();
  options.drop_unknown_fields = true;
  EXPECT_EQ(Save(Load(text, options)), Graph(kItem, 2));
}

// ---- Schemas in files ----------------------------------------------------------------------------------------------

TEST(EmbeddedSchema, StandsFirstAndOnlyWhereTypesNeedIt) {
  EXPECT_EQ(SaveJSON(Array<Any>{1, "x"}).substr(0, 14), "{\"root_index\":");
  const std::string text = SaveJSON(Call("f"));
  EXPECT_EQ(text.substr(0, 29), "{\"schema\":{\"transom_schema\":1");
  EXPECT_NE(text.find("\"native.Call\":"), std::string::npos);
  EXPECT_EQ(text.find("\"native.Const\":"), std::string::npos);
  SaveOptions always;
  always.embed_schema = EmbedSchema::kAlways;
  EXPECT_EQ(SaveJSON(Call("f"), always), text);
}

TEST(EmbeddedSchema, ReadsBackWhereverItStands) {
  const std::string schema = kShop;
  for (const std::string& text :
       {"{\"schema\":" + schema + ",\"root_index\":2,\"nodes\":[" + kItem + "]}",
        "{\"root_index\":2,\"schema\":" + schema + ",\"nodes\":[" + kItem + "]}",
        Graph(kItem, 2, ",\"schema\":" + schema), Graph(kItem, 2, ",\"metadata\":1,\"schema\" : " + schema)}) {
    const LoadResult result = LoadJSON(text);
    EXPECT_TRUE(result.schema_in_file);
    ASSERT_TRUE(result.schema);
    EXPECT_EQ(result.schema->name(), "shop");
    EXPECT_EQ(Save(result.value), Graph(kItem, 2));
  }
}

TEST(EmbeddedSchema, TheCallersOneWins) {
  const std::string other =
      R"({"transom_schema":1,"name":"other","types":{"shop.Item":{"fields":[{"name":"x","type":"int"}]}}})";
  const LoadResult result =
      LoadJSON("{\"schema\":" + other + ",\"root_index\":2,\"nodes\":[" + kItem + "]}", ShopOptions());
  EXPECT_EQ(result.schema->name(), "shop");
  EXPECT_EQ(Save(result.value), Graph(kItem, 2));
}

TEST(EmbeddedSchema, TwoDescriptionsOfOneTypeAreAnError) {
  LoadOptions other;
  other.schema = schema::Schema::Parse(
      R"({"transom_schema":1,"name":"o","types":{"shop.Item":{"fields":[{"name":"x","type":"int"}]}}})", "other");
  const Any a = Load(Graph(kItem, 2), ShopOptions()),
            b = Load(Graph(R"({"type":"shop.Item","data":{"x":1}})", 0), other);
  const std::string error = ErrorOf([&] { SaveJSON(Array<Any>{a, b}); });
  EXPECT_NE(error.find("shop.Item"), std::string::npos);
  EXPECT_NE(error.find("shop"), std::string::npos);
  EXPECT_NE(error.find("other"), std::string::npos);
}

TEST(EmbeddedSchema, IsLeftOutWhereABundledOneFits) {
  const std::string nodes =
      R"({"type":"None"},{"type":"ffi.String","data":"x"},{"type":"ir.SourceName","data":"a.py"},{"type":"ffi.Array","data":[2]})";
  const LoadResult result = LoadJSON(Graph(nodes, 3, R"(,"metadata":{"tvm_version":"0.27.0"})"));
  EXPECT_EQ(result.schema->name(), "tvm-0.27");
  EXPECT_FALSE(result.schema_in_file);
  SaveOptions options;
  options.metadata = result.metadata;
  EXPECT_EQ(SaveJSON(result.value, options).substr(0, 14), "{\"root_index\":");
  EXPECT_EQ(SaveJSON(result.value).substr(0, 10), "{\"schema\":");
}

// ---- Metadata ------------------------------------------------------------------------------------------------------

TEST(Metadata, IsKeptAsItStandsWhereverItStands) {
  const std::string metadata = R"({"b" : [1.50, 1e3 , 12345678901234567890],"a":"\u0041\/", "c":{}  })";
  const std::string node = R"({"type":"int","data":1})";
  for (const std::string& text :
       {Graph(node, 0, ",\"metadata\":" + metadata), Graph(node, 0, " , \"metadata\" : " + metadata + " \n"),
        "{\"metadata\":" + metadata + ",\"root_index\":0,\"nodes\":[" + node + "]}",
        "{\"root_index\":0,\"metadata\":" + metadata + ",\"nodes\":[" + node + "]}",
        Graph(node, 0, ",\"metadata\":" + metadata + ",\"more\":\"}\"")}) {
    EXPECT_EQ(LoadJSON(text).metadata, metadata) << text;
  }
  EXPECT_EQ(LoadJSON(Graph(node, 0)).metadata, "");
}

// Text that looks like a file's metadata, in places where it is none.
TEST(Metadata, IsNotFoundInOtherPlaces) {
  const std::string node = R"({"type":"ffi.String","data":",\"metadata\":{\"tvm_version\":\"0.27\"}"})";
  EXPECT_EQ(LoadJSON(Graph(node, 0)).metadata, "");
  EXPECT_EQ(LoadJSON(Graph(node, 0)).value.cast<std::string>(), R"(,"metadata":{"tvm_version":"0.27"})");
  const std::string inner = R"(,"other":{"metadata":{"tvm_version":"0.27"}})";
  EXPECT_EQ(LoadJSON(Graph(node, 0, inner)).metadata, "");
  EXPECT_FALSE(LoadJSON(Graph(node, 0, inner)).schema);
  EXPECT_EQ(LoadJSON(Graph(node, 0, ",\"metadata\":5" + inner)).metadata, "5");
}

TEST(Metadata, ChoosesTheSchemaWhereverItStands) {
  const std::string node = R"({"type":"ir.SourceName","data":"a.py"})";
  const std::string metadata = R"("metadata":{"tvm_version":"0.27.0"})";
  for (const std::string& text :
       {Graph(node, 0, "," + metadata), "{" + metadata + ",\"root_index\":0,\"nodes\":[" + node + "]}",
        Graph(node, 0, "," + metadata + ",\"more\":[]")}) {
    const LoadResult result = LoadJSON(text);
    ASSERT_TRUE(result.schema);
    EXPECT_EQ(result.schema->name(), "tvm-0.27");
  }
  EXPECT_NE(ErrorOf([&] { LoadJSON(Graph(node, 0)); }).find("\"ir.SourceName\""), std::string::npos);
}

// ---- Options of writing --------------------------------------------------------------------------------------------

Any Everything() {
  return Array<Any>{nullptr,
                    -0.0,
                    std::nan(""),
                    HUGE_VAL,
                    -HUGE_VAL,
                    String("\xFF"),
                    Bytes(std::string("b")),
                    Shape{},
                    Shape{1, 2},
                    Array<Any>{},
                    Map<Any, Any>{{1, 2}},
                    Device(kDLCPU, 0),
                    Call("f", {1}),
                    testing::Op("add"),
                    Plain(nullptr)};
}

TEST(Indent, GivesTheSameValueAndValidJson) {
  for (int indent : {1, 2, 4}) {
    SaveOptions options;
    options.indent = indent;
    options.metadata = "{\"a\":1}";
    const std::string text = SaveJSON(Everything(), options);
    testing::ParseJson(text);
    const LoadResult result = LoadJSON(text);
    EXPECT_EQ(result.metadata, options.metadata);
    EXPECT_EQ(SaveJSON(result.value), SaveJSON(Everything()));
  }
}

TEST(Indent, Form) {
  SaveOptions options;
  options.indent = 2;
  options.metadata = "1";
  EXPECT_EQ(
      SaveJSON(Array<Any>{true, Array<Any>{}}, options),
      "{\n  \"root_index\": 2,\n  \"nodes\": [\n    {\n      \"type\": \"bool\",\n      \"data\": true\n    },\n    {\n"
      "      \"type\": \"ffi.Array\",\n      \"data\": []\n    },\n    {\n      \"type\": \"ffi.Array\",\n      "
      "\"data\": [\n"
      "        0,\n        1\n      ]\n    }\n  ],\n  \"metadata\": 1\n}");
}

TEST(StrictJson, WritesNumbersThatJsonLacksAsStrings) {
  SaveOptions options;
  options.strict_json = true;
  const std::string text = SaveJSON(Everything(), options);
  EXPECT_EQ(text.find(":NaN"), std::string::npos);
  EXPECT_NE(text.find("\"data\":\"NaN\""), std::string::npos);
  EXPECT_NE(text.find("\"data\":\"-Infinity\""), std::string::npos);
  EXPECT_EQ(SaveJSON(Load(text)), SaveJSON(Everything()));
  auto scalars = make_object<testing::ScalarsObj>();
  scalars->f = std::nan("");
  EXPECT_NE(SaveJSON(scalars, options).find("\"f\":\"NaN\""), std::string::npos);
  EXPECT_TRUE(StructuralEqual::Equal(Load(SaveJSON(scalars, options)), scalars));
}

// ---- What cannot be written ----------------------------------------------------------------------------------------

TEST(SaveErrors, NameThePlace) {
  const Any function = Function::FromTyped([] {});
  EXPECT_EQ(ErrorOf([&] {
              SaveJSON(Const(Map<String, Any>{{"k", Call("f", {0, function})}}));
            }),
            "ValueError: <root>.value[\"k\"].args[1]: a value of type ffi.Function cannot be saved; replace it, for "
            "example by "
            "its name, before saving");
  int x = 0;
  EXPECT_NE(ErrorOf([&] { SaveJSON(Const(static_cast<void*>(&x))); }).find("<root>.value: a value of type"),
            std::string::npos);
  List<Any> list;
  list.push_back(Const(list));
  EXPECT_EQ(ErrorOf([&] { SaveJSON(list); }).substr(0, 58),
            "ValueError: <root>[0].value: the value contains itself; li");
  list.clear();
  int64_t shape[] = {2};
  DLManagedTensor record{};
  record.dl_tensor = {shape, {kDLCUDA, 0}, 1, {kDLFloat, 32, 1}, shape, nullptr, 0};
  EXPECT_EQ(ErrorOf([&] { SaveJSON(Const(Tensor::FromDLPack(&record))); }),
            "ValueError: <root>.value: a tensor that is not on the CPU cannot be saved; copy it to the CPU first");
}

}  // namespace
}  // namespace transom
