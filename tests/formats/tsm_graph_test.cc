// Values of every kind through .tsm files: nothing changes, sharing included.
#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/bigint.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/shape.h>
#include <transom/containers/tensor.h>
#include <transom/schema/record.h>
#include <tsm_generated.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "formats/graph_text.h"
#include "formats/tsm_text.h"
#include "support/library.h"
#include "support/native_types.h"

namespace transom {
namespace {

using testing::Call;
using testing::Const;
using testing::ErrorOf;
using testing::ExpectLoads;
using testing::ExpectRoundTrip;
using testing::Graph;
using testing::Load;
using testing::TextOf;

double FloatOf(uint64_t bits) {
  double value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

uint64_t BitsOf(double value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

Any Again(const Any& value) { return LoadTSM(SaveTSM(value)).value; }

TEST(TsmValues, Scalars) {
  for (const Any& value : std::vector<Any>{nullptr, true, false, 0, -1, INT64_MIN, INT64_MAX, (int64_t{1} << 53) + 1,
                                           0.5, DataType::FromString("float32x4"), DataType::FromString("bool"),
                                           DataType::FromString("float8_e4m3fn"), DataType::FromString("handle"),
                                           Device(kDLCPU, 0), Device(kDLCUDA, -3)}) {
    ExpectRoundTrip(value);
    ExpectRoundTrip(Array<Any>{value, value, nullptr, value});
    EXPECT_EQ(Again(value).type_index(), value.type_index());
  }
}

TEST(TsmValues, FloatsKeepEveryBit) {
  const std::vector<uint64_t> bits = {0,
                                      BitsOf(-0.0),
                                      BitsOf(HUGE_VAL),
                                      BitsOf(-HUGE_VAL),
                                      BitsOf(std::nan("")),
                                      0xFFF8000000000000u,
                                      0x7FF0000000000001u,  // a signalling NaN
                                      0x7FFFFFFFFFFFFFFFu,
                                      1,  // the smallest number
                                      BitsOf(std::numeric_limits<double>::max())};
  Array<Any> all;
  for (const uint64_t b : bits) {
    ExpectRoundTrip(FloatOf(b));
    all = std::move(all).push_back(FloatOf(b));
  }
  ExpectRoundTrip(all);
  const Array<Any> again = Again(all).cast<Array<Any>>();
  for (size_t i = 0; i < bits.size(); ++i) {
    EXPECT_EQ(again[static_cast<int64_t>(i)].raw()->v_uint64, bits[i]);
    EXPECT_EQ(Again(FloatOf(bits[i])).raw()->v_uint64, bits[i]);
  }
}

// Around the limits: texts of up to 7 bytes lie in their value, those of more than 65,536 bytes in the blob section.
std::vector<std::string> Texts() {
  std::vector<std::string> texts = {"",
                                    "a",
                                    "seven77",
                                    "eight888",
                                    std::string("\0", 1),
                                    std::string("nul\0in it", 9),
                                    "\xFF\xC0",
                                    "\xC3\xA9\xF0\x9F\x98\x80 and more bytes",
                                    "\xED\xA0\x80 a lone surrogate"};
  for (const size_t size : {100u, 65535u, 65536u, 65537u, 200000u}) {
    std::string& text = texts.emplace_back(size, 'x');
    for (size_t i = 0; i < size; i += 7) text[i] = static_cast<char>(i);
  }
  return texts;
}

TEST(TsmValues, StringsAndBytes) {
  Array<Any> all;
  for (const std::string& text : Texts()) {
    SCOPED_TRACE(text.size());
    ExpectRoundTrip(String(text));
    ExpectRoundTrip(Bytes(text));
    EXPECT_EQ(std::string(Again(String(text)).cast<String>()), text);
    EXPECT_EQ(Again(Bytes(text)).cast<Bytes>(), Bytes(text));
    for (int i = 0; i < 2; ++i) all = std::move(all).push_back(String(text)).push_back(Bytes(text));
  }
  ExpectRoundTrip(all);
}

TEST(TsmValues, ALongTextIsStoredOnce) {
  const std::string text(100000, 'x');
  const size_t one = SaveTSM(String(text)).size();
  EXPECT_LT(SaveTSM(Array<Any>{String(text), Bytes(text), String(text), Const(String(text))}).size(), one + 2000);
}

TEST(TsmValues, BigIntegers) {
  const std::string digits = "12345678901234567890123456789012345678901234567890123456789012345678901234567890";
  for (const std::string& text : {std::string("9223372036854775808"), std::string("-9223372036854775809"),
                                  std::string("18446744073709551616"), std::string("-18446744073709551616"),
                                  std::string("170141183460469231731687303715884105728"), digits, "-" + digits}) {
    ExpectRoundTrip(BigInt::FromDecimal(text));
    ExpectRoundTrip(Array<Any>{BigInt::FromDecimal(text), BigInt::FromDecimal(text), 1});
  }
}

TEST(TsmValues, Shapes) {
  for (const Shape& shape : {Shape{}, Shape{0}, Shape{1, -1, INT64_MAX}, Shape{1, 2, 3, 4, 5, 6, 7, 8, 9}}) {
    ExpectRoundTrip(shape);
    ExpectRoundTrip(Array<Any>{shape, shape, Shape{2}});
  }
}

Array<Any> AllTexts() {
  Array<Any> all;
  for (const std::string& text : Texts()) all = std::move(all).push_back(String(text));
  return all;
}

TEST(TsmValues, Containers) {
  const Any keys = Map<Any, Any>{{1, 2},
                                 {true, 3},
                                 {1.0, 4},
                                 {nullptr, 5},
                                 {"1", 6},
                                 {Bytes(std::string("1")), 7},
                                 {Device(kDLCPU, 1), 8},
                                 {DataType::Int(8), 9},
                                 {std::nan(""), 10},
                                 {0.0, 11},
                                 {Const(1), 12},
                                 {Const(1), 13},
                                 {Array<Any>{1}, 14},
                                 {"a long key of a map", 15}};
  ExpectRoundTrip(keys);
  Dict<Any, Any> dict;
  for (int64_t i = 0; i < 300; ++i) dict.set(String("key " + std::to_string(i)), i);
  dict.set(7, keys);
  ExpectRoundTrip(dict);
  List<Any> list;
  for (int64_t i = 0; i < 1000; ++i) list.push_back(i % 10);
  for (const Any& value :
       std::vector<Any>{Array<Any>{}, List<Any>{}, Map<Any, Any>{}, Dict<Any, Any>{}, list, AllTexts()}) {
    ExpectRoundTrip(value);
    ExpectRoundTrip(Map<Any, Any>{{"value", value}, {"list", List<Any>{value, value}}, {value, keys}});
    ExpectRoundTrip(Array<Any>{Dict<Any, Any>{{1, value}}, Array<Any>{Array<Any>{value}}});
  }
}

TEST(TsmValues, MapsKeepTheirOrder) {
  Map<Any, Any> map;
  for (int64_t i = 1000; i > 0; --i) map = std::move(map).insert(i * 7919 % 1009, i);
  for (int64_t i = 0; i < 1000; i += 3) map = std::move(map).erase(i * 7919 % 1009);
  ExpectRoundTrip(map);
}

TEST(TsmValues, NativeObjects) {
  auto scalars = make_object<testing::ScalarsObj>();
  scalars->i = INT64_MIN;
  scalars->narrow = -5;
  scalars->tiny = 200;
  scalars->f = FloatOf(0x7FF0000000000001u);
  scalars->single = 0.1f;
  scalars->b = true;
  scalars->dtype = DataType::Int(8);
  scalars->device = Device(kDLCUDA, 2);
  scalars->s = "a text of some length";
  scalars->bytes = Bytes(std::string("\0\xff", 2));
  scalars->maybe = 4;
  scalars->any = Array<Any>{1};
  const Any value = scalars;
  ExpectRoundTrip(value);
  ExpectRoundTrip(Array<Any>{value, make_object<testing::ScalarsObj>(), value});
  const Any loaded = Again(value);
  const auto* again = loaded.as<testing::ScalarsObj>();
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->narrow, -5);
  EXPECT_EQ(again->tiny, 200);
  EXPECT_EQ(again->single, 0.1f);
  EXPECT_EQ(BitsOf(again->f), 0x7FF0000000000001u);
  EXPECT_EQ(again->maybe.value(), 4);
}

TEST(TsmValues, ObjectsOfEveryStructuralKind) {
  const Any var = testing::Var("x", "int");
  for (const Any& value : std::vector<Any>{
           Call("f", {1, Const("x")}, "span"), Const(nullptr), testing::Node(Array<Any>{1}), testing::MakeToken(7),
           testing::Lambda({var, testing::Var("y")}, var), testing::Let(var, 1, Call("g", {var})), testing::Plain(2.5),
           testing::Op("add"), make_object<testing::DefaultsObj>(), make_object<testing::BoxObj>()}) {
    ExpectRoundTrip(value);
    ExpectRoundTrip(Array<Any>{value, value, Call("h", {value})});
  }
}

// A record of such a type has no digest, as code decides what counts.
TEST(TsmValues, ObjectsThatCompareByCode) {
  const std::string bytes = SaveTSM(testing::Hooked(4, "n"));
  for (const LoadOptions& options : {LoadOptions(), testing::RecordsAlways()}) {
    const Any again = LoadTSM(bytes, options).value;
    EXPECT_EQ(TextOf(again), TextOf(testing::Hooked(4, "n")));
    EXPECT_TRUE(SaveTSM(again) == bytes);
  }
}

TEST(TsmValues, CustomData) {
  ExpectRoundTrip(Array<Any>{testing::Op("add"), testing::Op("add"), testing::Op(""), testing::Op("\n\"\\"),
                             testing::Op(std::string(70000, 'x'))});
  EXPECT_EQ(std::string(Again(testing::Op("add")).as<testing::OpObj>()->name), "add");
}

TEST(TsmValues, MembersOfEnumerations) {
  LoadOptions options;
  options.schema = schema::Schema::Parse(R"({"transom_schema":1,"name":"e","types":{
      "ffi.Enum":{"fields":[{"name":"_value","type":"Any"}]},"ffi.IntEnum":{"parent":"ffi.Enum","fields":[]},
      "shop.Color":{"parent":"ffi.IntEnum","fields":[]},"shop.Size":{"parent":"ffi.Enum","fields":[]}}})",
                                         "enums");
  const Any value = Load(
      Graph(R"({"type":"shop.Color","data":2},{"type":"shop.Size","data":"large"},{"type":"ffi.Array","data":[0,1,0]})",
            2),
      options);
  ExpectRoundTrip(value);
}

TEST(TsmValues, SharingMeansObjects) {
  const Any shared = Const(1);
  const Tensor tensor = Tensor::Empty({2}, DataType::Int(8));
  const Any value =
      Array<Any>{shared, shared, Const(1), Const(1), tensor, tensor, Shape{1}, Shape{1}, Array<Any>{shared, tensor}};
  ExpectRoundTrip(value);
  const Array<Any> again = Again(value).cast<Array<Any>>();
  EXPECT_EQ(again[0].raw()->v_obj, again[1].raw()->v_obj);
  EXPECT_NE(again[2].raw()->v_obj, again[3].raw()->v_obj);
  EXPECT_EQ(again[4].raw()->v_obj, again[5].raw()->v_obj);
  EXPECT_NE(again[6].raw()->v_obj, again[7].raw()->v_obj);
  EXPECT_EQ(again[8].cast<Array<Any>>()[0].raw()->v_obj, again[0].raw()->v_obj);
}

// ---- Tensors

struct TensorCase {
  std::string dtype;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // empty: row-major
  uint64_t byte_offset = 0;
};

// What a tensor with these strides lies over: bytes 0, 1, 2, ...
struct Memory {
  explicit Memory(const TensorCase& of) : c(of), bytes(4096) {
    std::iota(bytes.begin(), bytes.end(), char{0});
    record.dl_tensor = {bytes.data() + 1024,
                        {kDLCPU, 0},
                        static_cast<int32_t>(c.shape.size()),
                        DataType::FromString(c.dtype),
                        c.shape.data(),
                        c.strides.empty() ? nullptr : c.strides.data(),
                        c.byte_offset};
    record.manager_ctx = this;
    record.deleter = [](DLManagedTensor* self) { delete static_cast<Memory*>(self->manager_ctx); };
  }
  TensorCase c;
  std::vector<char> bytes;
  DLManagedTensor record{};
};

Tensor Over(const TensorCase& c) { return Tensor::FromDLPack(&(new Memory(c))->record); }

TEST(TsmTensors, OfEveryLayoutAndElementType) {
  const std::vector<TensorCase> cases = {{"float32", {}, {}},         {"int8", {0}, {}},
                                         {"float64", {3, 0, 2}, {}},  {"float32", {2, 3}, {}},
                                         {"float32", {2, 3}, {1, 2}}, {"int16", {4, 4}, {8, 2}},
                                         {"int64", {5}, {0}},         {"int32", {3}, {-1}},
                                         {"int8", {2, 2}, {-2, -1}},  {"int32", {4}, {}, 64},
                                         {"float32x4", {3}, {}},      {"int8x3", {2, 2}, {1, 2}},
                                         {"bool", {9}, {}},           {"float8_e4m3fn", {5}, {}},
                                         {"bfloat16", {2, 2}, {}},    {"int4", {5}, {}},
                                         {"int4", {2, 3}, {}},        {"uint1", {13}, {}},
                                         {"float4_e2m1fn", {3}, {}},  {"float4_e2m1fnx2", {3, 2}, {1, 3}},
                                         {"int4", {3, 2}, {1, 3}},    {"uint8", {1, 1, 1, 1, 1, 1, 1, 1, 1}, {}}};
  Array<Any> all;
  for (size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(i);
    const Tensor tensor = Over(cases[i]);
    ExpectRoundTrip(tensor);
    const Tensor again = Again(tensor).cast<Tensor>();
    EXPECT_TRUE(again.IsContiguous());
    EXPECT_EQ(again.get()->byte_offset, 0u);
    all = std::move(all).push_back(tensor).push_back(tensor).push_back(Array<Any>{tensor});
  }
  ExpectRoundTrip(all);
}

TEST(TsmTensors, AViewSavesOnlyItsElements) {
  const std::string bytes = SaveTSM(Over({"int32", {10}, {3}}));
  EXPECT_LT(bytes.size(), 1000u);
}

TEST(TsmTensors, EqualOnesShareBytesButNotIdentity) {
  const auto filled = [] {
    Tensor tensor = Tensor::Empty({100000}, DataType::Int(8));
    std::memset(tensor.data_ptr(), 5, 100000);
    return tensor;
  };
  const std::string bytes = SaveTSM(Array<Any>{filled(), filled(), filled()});
  EXPECT_LT(bytes.size(), 102000u);
  const Array<Any> again = LoadTSM(bytes).value.cast<Array<Any>>();
  EXPECT_NE(again[0].raw()->v_obj, again[1].raw()->v_obj);
  EXPECT_NE(again[0].cast<Tensor>().data_ptr(), again[1].cast<Tensor>().data_ptr()) << "copies are independent";
}

// ---- What a file says beside the value

TEST(TsmFile, MetadataIsKeptAsItStands) {
  for (const std::string metadata :
       {R"({"b" : [1.50, 1e3 , 12345678901234567890],"a":"\u0041\/", "c":{}  })", "\"v1\"", "null", "[1 ,2]"}) {
    SaveOptions options;
    options.metadata = metadata;
    ExpectRoundTrip(Call("f"), options);
  }
}

TEST(TsmFile, MetadataThatIsNoJsonIsNotSaved) {
  for (const std::string metadata : {"{", "1 2", "{'a':1}", "{\"a\":1,\"a\":2}", " "}) {
    SaveOptions options;
    options.metadata = metadata;
    for (const FileFormat format : {FileFormat::kJson, FileFormat::kTsm, FileFormat::kBase64}) {
      EXPECT_EQ(testing::ErrorOf([&] { SaveToBytes(1, format, options); }).substr(0, 45),
                "ValueError: the metadata is no JSON text: byt")
          << metadata;
    }
  }
}

TEST(TsmFile, GroupsAreInTheOrderOfTheirFirstNodes) {
  const std::string bytes = SaveTSM(Array<Any>{Call("f", {1, Const(2), "a"}), Map<String, Any>{{"k", 1.5}}, nullptr});
  const auto* groups = tsm::GetGraph(bytes.data())->node_groups8();
  uint8_t next = 0;
  for (const uint8_t group : *groups) {
    EXPECT_LE(group, next);
    if (group == next) ++next;
  }
  EXPECT_EQ(next, tsm::GetGraph(bytes.data())->groups()->size());
}

TEST(TsmFile, ManyTypesNeedAWiderTable) {
  std::string types, nodes, refs;
  constexpr int kTypes = 700;
  for (int i = 0; i < kTypes; ++i) {
    const std::string key = "wide.T" + std::to_string(i);
    types += (i == 0 ? "\"" : ",\"") + key + R"(":{"fields":[{"name":"n","type":"int"}]})";
    nodes += "{\"type\":\"" + key + R"(","data":{"n":)" + std::to_string(i % 3) + "}},";
    refs += (i == 0 ? "" : ",") + std::to_string(i);
  }
  LoadOptions options;
  options.schema = schema::Schema::Parse(R"({"transom_schema":1,"name":"wide","types":{)" + types + "}}", "wide");
  ExpectRoundTrip(Load(Graph(nodes + R"({"type":"ffi.Array","data":[)" + refs + "]}", kTypes), options));
}

const char kNew[] = R"({"transom_schema":1,"name":"new","types":{"shop.Item":{"structural":"tree","fields":[
  {"name":"name","type":"ffi.String"},{"name":"price","type":"float"}]},"shop.Tag":{"fields":[{"name":"t","type":"Any"}]}}})";
const char kOld[] = R"({"transom_schema":1,"name":"old","types":{"shop.Item":{"structural":"tree","fields":[
  {"name":"name","type":"ffi.String"}]}}})";

TEST(TsmFile, HoldsSeveralDescriptionsOfAType) {
  const auto item = [](const char* schema, const char* data) {
    LoadOptions options;
    options.schema = schema::Schema::Parse(schema, "test");
    return Load(
        Graph(R"({"type":"ffi.String","data":"nut"},{"type":"shop.Item","data":{"name":0)" + std::string(data) + "}}",
              1),
        options);
  };
  const Any old_item = item(kOld, ""), new_item = item(kNew, ",\"price\":2.5");
  const Any value = Array<Any>{new_item, old_item, Array<Any>{old_item, new_item}, item(kOld, "")};
  const std::string bytes = SaveTSM(value);
  const LoadResult result = LoadTSM(bytes);
  ASSERT_EQ(result.schemas.size(), 2u);
  EXPECT_TRUE(SaveTSM(result.value) == bytes);
  EXPECT_EQ(testing::FileDigest(result.value), testing::FileDigest(value));
  EXPECT_EQ(result.record_types, std::vector<std::string>{"shop.Item"});
  const Array<Any> items = result.value.cast<Array<Any>>();
  const auto fields = [](const Any& record) {
    return AsRecord(*record.raw(), RecordObj::RuntimeTypeIndex())->descriptor->fields.size();
  };
  EXPECT_EQ(fields(items[0]), 2u);
  EXPECT_EQ(fields(items[1]), 1u);
  EXPECT_EQ(items[2].cast<Array<Any>>()[0].raw()->v_obj, items[1].raw()->v_obj);
  EXPECT_NE(ErrorOf([&] { SaveJSON(result.value); }).find("shop.Item"), std::string::npos);
  ExpectRoundTrip(Array<Any>{old_item, old_item});
}

// Files that carry the same schema: their records are of one type, in one group.
TEST(TsmFile, RecordsOfTwoFilesWithOneSchema) {
  const std::string file = SaveTSM(testing::AsRecords(Call("f", {1})));
  const Any a = LoadTSM(file, testing::RecordsAlways()).value, b = LoadTSM(file, testing::RecordsAlways()).value;
  const LoadResult both = LoadTSM(SaveTSM(Array<Any>{a, b}), testing::RecordsAlways());
  EXPECT_EQ(both.schemas.size(), 1u);
  EXPECT_EQ(TextOf(both.value), TextOf(Array<Any>{a, b}));
}

TEST(TsmFile, RecordsAndNativesOfOneTypeAreOneType) {
  const Any native = Call("f", {Const(1)});
  const Array<Any> both{native, testing::AsRecords(native)};
  const LoadResult result = LoadTSM(SaveTSM(both));
  EXPECT_EQ(result.schemas.size(), 1u);
  EXPECT_EQ(TextOf(result.value), TextOf(both));
  EXPECT_TRUE(result.record_types.empty());
  ExpectRoundTrip(result.value);
}

TEST(TsmFile, WhatCannotBeSaved) {
  EXPECT_EQ(ErrorOf([&] {
              SaveTSM(Const(Map<String, Any>{{"k", Call("f", {0, Function::FromTyped([] {})})}}));
            }),
            "ValueError: <root>.value[\"k\"].args[1]: a value of type ffi.Function cannot be saved; replace it, for "
            "example by its name, before saving");
  List<Any> list;
  list.push_back(Const(list));
  EXPECT_EQ(ErrorOf([&] { SaveTSM(list); }).substr(0, 58),
            "ValueError: <root>[0].value: the value contains itself; li");
  list.clear();
  int64_t shape[] = {2};
  DLManagedTensor record{};
  record.dl_tensor = {shape, {kDLCUDA, 0}, 1, {kDLFloat, 32, 1}, shape, nullptr, 0};
  EXPECT_EQ(ErrorOf([&] { SaveTSM(Const(Tensor::FromDLPack(&record))); }),
            "ValueError: <root>.value: a tensor that is not on the CPU cannot be saved; copy it to the CPU first");
}

}  // namespace
}  // namespace transom
