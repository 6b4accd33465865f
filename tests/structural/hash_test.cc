#include <transom/structural/hash.h>

#include <gtest/gtest.h>
#include <transom/containers/bigint.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/shape.h>
#include <transom/containers/tensor.h>
#include <transom/structural/equal.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>
#include <string>

#include "support/library.h"
#include "support/native_types.h"

namespace transom {
namespace {

using testing::AsRecords;
using testing::ErrorOf;

StructuralOptions FileOptions() {
  StructuralOptions options;
  options.as_files = true;
  return options;
}

std::string DigestOf(const Any& value, const StructuralOptions& options = {}) {
  return StructuralDigest(value, options).ToString();
}

// ---- Vectors --------------------------------------------------------------------------------------------------------

enum Variant { kDefault, kMapFreeVars, kSkipTensors };

struct Vector {
  const char* name;
  Variant variant;
  const char* nodes;  // of a JSON graph with the schema of the tests; the last one is the root
  const char* digest;
};

// Computed from docs/digest.md by a program that shares no code with the library.
constexpr Vector kVectors[] = {
    {"none", kDefault, R"({"type":"None"})", "206effdcb542372df2acedb3feda973a"},
    {"true", kDefault, R"({"type":"bool","data":true})", "42df811f5a902c5b6bfcf50c7004e275"},
    {"false", kDefault, R"({"type":"bool","data":false})", "51c6e3670c27b4a88f55ce90e7a5585e"},
    {"zero", kDefault, R"({"type":"int","data":0})", "e5189a9599e3f86205ea23ef06e28b2d"},
    {"minus one", kDefault, R"({"type":"int","data":-1})", "160b26b7d5f9be7b86eef3de1dbbccea"},
    {"least int", kDefault, R"({"type":"int","data":-9223372036854775808})", "863e403a346d4be21738e959104fc507"},
    {"greatest int", kDefault, R"({"type":"int","data":9223372036854775807})", "1ee1c78c3b47e4c448b8b7ba063cb2a9"},
    {"zero float", kDefault, R"({"type":"float","data":0.0})", "2792092d48917c1edbe47910dc869bdd"},
    {"minus zero float", kDefault, R"({"type":"float","data":-0.0})", "499733392081f5f91e5ae0db634aa647"},
    {"float", kDefault, R"({"type":"float","data":0.1})", "b9d0e24da0576d88b2769c55760c31c2"},
    {"nan", kDefault, R"({"type":"float","data":NaN})", "fa1766a6cf5983bf251fcbdc4355be17"},
    {"infinity", kDefault, R"({"type":"float","data":Infinity})", "fd61b8b7f3049abc4346b043e5e5667e"},
    {"smallest float", kDefault, R"({"type":"float","data":5e-324})", "556c70b5fae5b2a44967295965e4d325"},
    {"dtype", kDefault, R"({"type":"DataType","data":"float16x4"})", "2c180c76fb3ca6088b09e04c76bc415a"},
    {"void dtype", kDefault, R"({"type":"DataType","data":""})", "469413690d064f01cdc80c175e3fca11"},
    {"device", kDefault, R"({"type":"Device","data":[2,1]})", "ac1b40a75871e3c2cb4e6140a9f20404"},
    {"device of a negative number", kDefault, R"({"type":"Device","data":[1,-1]})", "60af3c2a8593bc02739d0b59294d7b8a"},
    {"empty string", kDefault, R"({"type":"ffi.String","data":""})", "0fdbcdfec61bd28927c2fc708bafb56e"},
    {"short string", kDefault, R"({"type":"ffi.String","data":"abc"})", "fc15e117754a73ee3dae3c87d8303264"},
    {"long string", kDefault, R"({"type":"ffi.String","data":"a string beyond seven bytes"})",
     "2757aeb3a58e38ff4ad35a635db64d3f"},
    {"string that is no UTF-8", kDefault, R"({"type":"ffi.String","data":{"base64":"//4A"}})",
     "9f13b68e372fe420d7b2614d426d2f23"},
    {"bytes", kDefault, R"({"type":"ffi.Bytes","data":"AAECAwQFBgcICQ=="})", "31a2b25efb1f791743ce87432b96300b"},
    {"empty bytes", kDefault, R"({"type":"ffi.Bytes","data":""})", "82bcff988ef5048e55afe917b06923a2"},
    {"shape", kDefault, R"({"type":"ffi.Shape","data":[1,-1,300]})", "30ceb1661f8d60df2adaa9b361b14e96"},
    {"empty shape", kDefault, R"({"type":"ffi.Shape","data":[]})", "f8c9901a8dff3921e672b580e2ce0bf2"},
    {"big int", kDefault, R"({"type":"ffi.BigInt","data":"9223372036854775808"})", "7bf2a13de3ffed520fff0aa9820759d9"},
    {"negative big int", kDefault, R"({"type":"ffi.BigInt","data":"-170141183460469231731687303715884105729"})",
     "50a1bb600c65ab3f74ed650ecc7e0cb7"},
    {"tensor", kDefault,
     R"({"type":"ffi.Tensor","data":"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAIgAQACAAAAAAAAAAIAAAAAAAAAEAAAAAAAAAAAAIA/AAAAQAAAQEAAAIBA"})",
     "65983d2723f32cb1ac8fd13e1910788c"},
    {"tensor of another shape", kDefault,
     R"({"type":"ffi.Tensor","data":"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQAEAAAAAAAAABAAAAAAAAAAAACAPwAAAEAAAEBAAACAQA=="})",
     "5fcb64d310e484b1be0146be94685a7a"},
    {"tensor without content", kSkipTensors,
     R"({"type":"ffi.Tensor","data":"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAIgAQACAAAAAAAAAAIAAAAAAAAAEAAAAAAAAAAAAIA/AAAAQAAAQEAAAIBA"})",
     "06a48aceeb0e6f9c675c223f75360a53"},
    {"scalar tensor", kDefault,
     R"({"type":"ffi.Tensor","data":"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAAAAAAAIAQABAAAAAAAAAAU="})",
     "532599c5dff67e871ed2709489452013"},
    {"empty tensor", kDefault,
     R"({"type":"ffi.Tensor","data":"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAJAAQAAAAAAAAAAAAMAAAAAAAAAAAAAAAAAAAA="})",
     "acdf6c469ff987203a5323ab6504cb83"},
    {"tensor of nibbles", kDefault,
     R"({"type":"ffi.Tensor","data":"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAEEAQADAAAAAAAAAAIAAAAAAAAAIQM="})",
     "0dfb16621c54b1df920acde1b14bf452"},
    {"empty array", kDefault, R"({"type":"ffi.Array","data":[]})", "18cbcaf50fffc95af0dc1cbd35a2c1a1"},
    {"empty list", kDefault, R"({"type":"ffi.List","data":[]})", "d98d1dfd336de2bc0df26db10caa7905"},
    {"empty map", kDefault, R"({"type":"ffi.Map","data":[]})", "0db78d50dcfde5fe1a653cdfe75ee197"},
    {"empty dict", kDefault, R"({"type":"ffi.Dict","data":[]})", "de6b55bfc0da5c1206070c5d7f7343d1"},
    {"array", kDefault,
     R"({"type":"int","data":1},{"type":"ffi.String","data":"x"},{"type":"None"},
        {"type":"ffi.Array","data":[0,1,2,0]})",
     "a4291c62176994dbfa1064adf4596e1d"},
    {"list", kDefault, R"({"type":"int","data":1},{"type":"ffi.String","data":"x"},{"type":"ffi.List","data":[0,1,0]})",
     "c710c610a1be771c118033b4b2210787"},
    {"map", kDefault,
     R"({"type":"ffi.String","data":"k"},{"type":"int","data":1},{"type":"int","data":7},
        {"type":"float","data":2.5},{"type":"ffi.Map","data":[0,1,2,3]})",
     "d6c0aed76a0d2e381658868a0809aa86"},
    {"map in another order", kDefault,
     R"({"type":"int","data":7},{"type":"float","data":2.5},{"type":"ffi.String","data":"k"},
        {"type":"int","data":1},{"type":"ffi.Map","data":[0,1,2,3]})",
     "d6c0aed76a0d2e381658868a0809aa86"},
    {"dict", kDefault,
     R"({"type":"ffi.String","data":"k"},{"type":"int","data":1},{"type":"int","data":7},
        {"type":"float","data":2.5},{"type":"ffi.Dict","data":[0,1,2,3]})",
     "9f4f236c5a851f41db405db55191926a"},
    {"tree", kDefault,
     R"({"type":"None"},{"type":"Device","data":[1,0]},
        {"type":"test.Scalars","data":{"span":0,"i":-3,"f":1.5,"b":true,"t":"int8","n":null,"device":1,"cost":9.0}})",
     "6a6576233c5d6ea34127a40a8daaf1e2"},
    {"constant tree", kDefault,
     R"({"type":"ffi.String","data":"abc"},{"type":"ffi.Bytes","data":"AQI="},{"type":"None"},
        {"type":"ffi.Shape","data":[2]},{"type":"test.Texts","data":{"s":0,"raw":1,"maybe":2,"shape":3}})",
     "a95c16465090eed8df99732e850871ef"},
    {"custom data", kDefault, R"({"type":"test.Op","data":{"b":[1,2.5,null,true],"a":"é/\n\"","c":{}}})",
     "3ae57048ac7ed15c0d4186e7147b39e1"},
    {"no kind", kDefault, R"({"type":"int","data":1},{"type":"test.Plain","data":{"payload":0,"count":8}})",
     "a560c795d3da692bcd3ca336ac817f0c"},
    {"field at its default", kDefault, R"({"type":"int","data":1},{"type":"test.Plain","data":{"payload":0}})",
     "f2c55103e44fdd1efbb6a6df2b4fa079"},
    {"unbound variable", kDefault,
     R"({"type":"ffi.String","data":"x"},{"type":"int","data":1},{"type":"test.Var","data":{"name":0,"type":1}})",
     "100821016ef5a6ae3527067c88350aee"},
    {"unbound variable in a region", kMapFreeVars,
     R"({"type":"ffi.String","data":"x"},{"type":"int","data":1},{"type":"test.Var","data":{"name":0,"type":1}})",
     "f227ff36784693b7f2f346c2510e6da3"},
    {"function of its first parameter", kDefault,
     R"({"type":"ffi.String","data":"x"},{"type":"int","data":1},{"type":"test.Var","data":{"name":0,"type":1}},
        {"type":"test.Var","data":{"name":0,"type":1}},{"type":"ffi.Array","data":[2,3]},
        {"type":"test.Lambda","data":{"params":4,"body":2}})",
     "3825cbc0851b359fa5e0c25ffd2cafaa"},
    {"function of its second parameter", kDefault,
     R"({"type":"ffi.String","data":"x"},{"type":"int","data":1},{"type":"test.Var","data":{"name":0,"type":1}},
        {"type":"test.Var","data":{"name":0,"type":1}},{"type":"ffi.Array","data":[2,3]},
        {"type":"test.Lambda","data":{"params":4,"body":3}})",
     "71aea37958a62cadced6db7c958b1454"},
    {"binding in a simple region", kDefault,
     R"({"type":"ffi.String","data":"x"},{"type":"int","data":1},{"type":"test.Var","data":{"name":0,"type":1}},
        {"type":"test.Var","data":{"name":0,"type":1}},{"type":"test.Let","data":{"var":2,"value":3,"body":2}})",
     "4e55c9cc165e8d29d595ea95c3b43bef"},
    {"variable used before its binder", kDefault,
     R"({"type":"ffi.String","data":"x"},{"type":"int","data":1},{"type":"test.Var","data":{"name":0,"type":1}},
        {"type":"test.Var","data":{"name":0,"type":1}},{"type":"test.Let","data":{"var":2,"value":2,"body":3}})",
     "818193d4d603e012599516810b132656"},
    {"compare_if, not fulfilled", kDefault,
     R"({"type":"ffi.String","data":"x"},{"type":"int","data":1},{"type":"test.Var","data":{"name":0,"type":1}},
        {"type":"test.Var","data":{"name":0,"type":1}},{"type":"test.Bind","data":{"var":2,"value":2}})",
     "8a691474079faf8958d9a184837659d7"},
    {"compare_if, fulfilled", kDefault,
     R"({"type":"ffi.String","data":"x"},{"type":"int","data":1},{"type":"test.Var","data":{"name":0,"type":1}},
        {"type":"test.Var","data":{"name":0,"type":1}},{"type":"ffi.Array","data":[3]},
        {"type":"test.Lambda","data":{"params":4,"body":2}},{"type":"test.Bind","data":{"var":2,"value":5}})",
     "0d967ab509afa6bf19529ce3112786ab"},
    {"variable whose type has a variable", kDefault,
     R"({"type":"ffi.String","data":"n"},{"type":"None"},{"type":"test.Var","data":{"name":0,"type":1}},
        {"type":"test.Var","data":{"name":0,"type":2}},{"type":"ffi.Array","data":[3]},
        {"type":"test.Lambda","data":{"params":4,"body":2}})",
     "5a9742544ae299c8c9fab6eedf1ea85a"},
    {"the same in a simple region", kDefault,
     R"({"type":"ffi.String","data":"n"},{"type":"None"},{"type":"test.Var","data":{"name":0,"type":1}},
        {"type":"test.Var","data":{"name":0,"type":2}},{"type":"test.Let","data":{"var":3,"value":1,"body":2}})",
     "8a556007453466fb09558863b4d9fe59"},
    {"dag node twice", kDefault,
     R"({"type":"ffi.Array","data":[]},{"type":"test.Node","data":{"inputs":0,"tag":1}},
        {"type":"ffi.Array","data":[1,1]})",
     "f8df98b48dd3210e17c8d8e6442d351b"},
    {"two dag nodes", kDefault,
     R"({"type":"ffi.Array","data":[]},{"type":"test.Node","data":{"inputs":0,"tag":1}},
        {"type":"test.Node","data":{"inputs":0,"tag":1}},{"type":"ffi.Array","data":[1,2]})",
     "923464c020db5f894f3876ac2700fdbd"},
    {"unique instance", kDefault, R"({"type":"test.Token","data":{"id":4}},{"type":"ffi.Array","data":[0,0]})",
     "9a8300bd48fa8e259dbca02f85245d18"},
    {"keys with fields that are compared", kDefault,
     R"({"type":"ffi.String","data":"f"},{"type":"ffi.String","data":"g"},{"type":"None"},
        {"type":"test.Global","data":{"name_hint":1,"note":2}},
        {"type":"test.Global","data":{"name_hint":0,"note":2}},{"type":"test.Plain","data":{"payload":4}},
        {"type":"test.Plain","data":{"payload":3}},{"type":"ffi.Map","data":[3,5,4,6]})",
     "f6be28c2c1dd567f56d85d21424b7043"},
    {"use before the map that has the key", kDefault,
     R"({"type":"ffi.String","data":"f"},{"type":"None"},{"type":"test.Global","data":{"name_hint":0,"note":1}},
        {"type":"int","data":1},{"type":"ffi.Map","data":[2,3]},{"type":"ffi.Array","data":[2,4]})",
     "a579eb546f5e16d26d868d10c9884f2c"},
    {"keys that are bound", kDefault,
     R"({"type":"ffi.String","data":"x"},{"type":"int","data":1},{"type":"test.Var","data":{"name":0,"type":1}},
        {"type":"test.Var","data":{"name":0,"type":1}},{"type":"ffi.Array","data":[2,3]},{"type":"int","data":5},
        {"type":"int","data":6},{"type":"ffi.Map","data":[3,6,2,5]},
        {"type":"test.Lambda","data":{"params":4,"body":7}})",
     "fcd52b873e37e69802c152493715bab4"},
    {"keys that tie", kDefault,
     R"({"type":"ffi.String","data":"x"},{"type":"int","data":1},{"type":"test.Var","data":{"name":0,"type":1}},
        {"type":"test.Var","data":{"name":0,"type":1}},{"type":"int","data":5},{"type":"int","data":6},
        {"type":"ffi.Map","data":[2,5,3,4]})",
     "cde79b91c436bd5224488fb1c097f2d3"},
    {"tree keys", kDefault,
     R"({"type":"int","data":1},{"type":"int","data":2},{"type":"test.Plain","data":{"payload":1}},
        {"type":"test.Plain","data":{"payload":0}},{"type":"ffi.Array","data":[0,1]},
        {"type":"ffi.Map","data":[2,0,3,1,4,0]})",
     "0f2d87312820aceddf1c7d033196d952"},
};

// Shows the name where a parameterised test fails.
void PrintTo(const Vector& vector, std::ostream* out) { *out << vector.name; }

Any ValueOf(const Vector& vector) {
  LoadOptions options;
  options.schema = testing::TestSchema();
  const std::string nodes = vector.nodes;
  size_t count = 0;
  for (size_t at = nodes.find("{\"type\""); at != std::string::npos; at = nodes.find("{\"type\"", at + 1)) ++count;
  return LoadJSON("{\"root_index\":" + std::to_string(count - 1) + ",\"nodes\":[" + nodes + "]}", options).value;
}

StructuralOptions OptionsOf(const Vector& vector) {
  StructuralOptions options = FileOptions();
  options.map_free_vars = vector.variant == kMapFreeVars;
  options.skip_tensor_content = vector.variant == kSkipTensors;
  return options;
}

class Pinned : public ::testing::TestWithParam<Vector> {};

TEST_P(Pinned, Digest) {
  const Digest digest = StructuralDigest(ValueOf(GetParam()), OptionsOf(GetParam()));
  EXPECT_EQ(digest.ToString(), GetParam().digest);
  EXPECT_EQ(StructuralHash::Hash(ValueOf(GetParam()), OptionsOf(GetParam())), digest.low);
}

INSTANTIATE_TEST_SUITE_P(Vectors, Pinned, ::testing::ValuesIn(kVectors));

TEST(Pinned, EqualExactlyWhenTheDigestsAre) {
  for (const Vector& a : kVectors) {
    for (const Vector& b : kVectors) {
      if (a.variant != b.variant) continue;
      EXPECT_EQ(StructuralEqual::Equal(ValueOf(a), ValueOf(b), OptionsOf(a)), std::string(a.digest) == b.digest)
          << a.name << ", " << b.name;
    }
  }
}

TEST(Digest, IsTextOfThirtyTwoDigits) {
  EXPECT_EQ((Digest{0x12, 0xab}).ToString(), "00000000000000ab0000000000000012");
  EXPECT_EQ((Digest{1, 2}), (Digest{1, 2}));
  EXPECT_NE((Digest{1, 2}), (Digest{1, 3}));
  EXPECT_NE((Digest{1, 2}), (Digest{3, 2}));
}

TEST(Hash, ServesHashTables) {
  const Any value = testing::Call("add", {1, 2});
  EXPECT_EQ(static_cast<uint64_t>(StructuralHash()(value)), StructuralDigest(value).low);
  StructuralOptions skip;
  skip.skip_tensor_content = true;
  const Any tensor = Tensor::Empty({4}, DataType::Float(32));
  EXPECT_EQ(static_cast<uint64_t>(StructuralHash(skip)(tensor)), StructuralDigest(tensor, skip).low);
}

// ---- Native values and records -------------------------------------------------------------------------------------

Any Scalars() {
  auto obj = make_object<testing::ScalarsObj>();
  obj->i = std::numeric_limits<int64_t>::min();
  obj->narrow = -5;
  obj->tiny = 200;
  obj->f = -0.0;
  obj->single = 0.1f;
  obj->b = true;
  obj->dtype = DataType::FromString("bfloat16x2");
  obj->device = Device(kDLCUDA, 3);
  obj->s = "a text of some length";
  obj->bytes = Bytes(std::string("\0\xff", 2));
  obj->maybe = 4;
  obj->any = Map<String, Any>{{"k", List<Any>{1.5, nullptr}}};
  return Any(std::move(obj));
}

TEST(Native, HashesAsItsRecord) {
  const Any x = testing::Var("x"), y = testing::Var("y");
  const Any shared = testing::Node(1);
  const Any values[] = {
      Scalars(),
      testing::Call("add", {1, testing::Call("f", {}, "a span")}),
      testing::Const(Shape{1, 2}),
      Array<Any>{shared, shared, testing::Node(1)},
      Array<Any>{testing::MakeToken(1), testing::MakeToken(1)},
      testing::Lambda({x, y}, Array<Any>{y, x, testing::Var("free")}),
      testing::Let(x, 1, x),
      testing::Plain(Dict<Any, Any>{{x, 1}, {testing::Call("key"), 2}}),
      testing::Op("add"),
      Any(make_object<testing::BoxObj>()),
  };
  for (const Any& value : values) {
    const Any record = AsRecords(value);
    EXPECT_NE(record.type_index(), value.type_index() < kTVMFFIDynObjectBegin ? -1 : value.type_index());
    EXPECT_EQ(DigestOf(value, FileOptions()), DigestOf(record, FileOptions())) << value.GetTypeKey();
    EXPECT_TRUE(StructuralEqual::Equal(value, record, FileOptions())) << value.GetTypeKey();
    EXPECT_TRUE(StructuralEqual::Equal(record, value, FileOptions())) << value.GetTypeKey();
  }
}

TEST(Native, DefaultsCountAsThoseOfTheRecord) {
  auto defaults = make_object<testing::DefaultsObj>();
  defaults->dtype = DataType::Float(32);
  defaults->items = {1, 2};
  defaults->made = {3};
  auto others = make_object<testing::DefaultsObj>(*defaults);
  others->price = 3;
  others->dtype = DataType::Float(64);
  others->items = {};
  for (const Any& value : {Any(defaults), Any(others)}) EXPECT_EQ(DigestOf(value), DigestOf(AsRecords(value)));
  EXPECT_NE(DigestOf(defaults), DigestOf(others));
}

TEST(Native, FieldsThatAreNotCountedDoNotCount) {
  EXPECT_EQ(DigestOf(testing::Call("f", {1}, "here")), DigestOf(testing::Call("f", {1}, "there")));
  EXPECT_EQ(DigestOf(testing::Lambda({testing::Var("x")}, 1)), DigestOf(testing::Lambda({testing::Var("y")}, 1)));
}

TEST(Native, BindersInIgnoredFieldsBindNothing) {
  const Any x = testing::Var("x"), y = testing::Var("y");
  const Any plain = testing::Call("f", {x}), noted = testing::Call("f", {y}, testing::Lambda({y}, y));
  EXPECT_EQ(DigestOf(plain), DigestOf(noted));
  EXPECT_TRUE(StructuralEqual::Equal(plain, noted, FileOptions()));
}

// ---- What enters and what does not ---------------------------------------------------------------------------------

TEST(Digest, ContainersOfOtherKindsDiffer) {
  const std::set<std::string> digests = {
      DigestOf(Array<Any>{1}),
      DigestOf(List<Any>{1}),
      DigestOf(Array<Any>{true}),
      DigestOf(Array<Any>{1.0}),
      DigestOf(Array<Any>{"1"}),
      DigestOf(Array<Any>{Bytes(std::string("1"))}),
      DigestOf(Array<Any>{Any(Array<Any>{1})}),
      DigestOf(Map<Any, Any>{{1, 1}}),
      DigestOf(Dict<Any, Any>{{1, 1}}),
      DigestOf(Shape{1}),
      DigestOf(testing::Plain(1), FileOptions()),
      DigestOf(testing::Const(1)),
  };
  EXPECT_EQ(digests.size(), 12u);
}

TEST(Digest, NaNsAreOneValueAndZerosAreTwo) {
  double signalling = 0;
  const uint64_t bits = 0x7ff0000000000001;
  std::memcpy(&signalling, &bits, sizeof(bits));
  EXPECT_EQ(DigestOf(std::nan("")), DigestOf(std::nan("1")));
  EXPECT_EQ(DigestOf(std::nan("")), DigestOf(signalling));
  EXPECT_EQ(DigestOf(std::nan("")), DigestOf(-std::nan("")));
  EXPECT_NE(DigestOf(0.0), DigestOf(-0.0));
}

TEST(Digest, OrderOfMapEntriesDoesNotCount) {
  std::vector<int64_t> order = {0, 1, 2, 3, 4};
  const Any keys[] = {1, "one", 1.0, Bytes(std::string("1")), testing::Const(1)};
  std::set<std::string> digests;
  do {
    Map<Any, Any> map;
    for (int64_t i : order) map = std::move(map).insert(keys[i], i);
    digests.insert(DigestOf(map));
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(digests.size(), 1u);
}

TEST(Digest, EqualKeysMayStandInAnyOrder) {
  const Any a = testing::Const(1), b = testing::Const(1);
  const Map<Any, Any> one = {{a, "x"}, {b, "x"}}, other = {{b, "x"}, {a, "x"}};
  EXPECT_EQ(DigestOf(one), DigestOf(other));
}

TEST(Digest, StridesAndOffsetOfTensorsDoNotCount) {
  int16_t data[] = {9, 1, 4, 2, 5, 3, 6};
  const int64_t shape[] = {2, 3}, strides[] = {1, 2};
  DLManagedTensor record{};
  record.dl_tensor = {data, {kDLCPU, 0}, 2, {kDLInt, 16, 1}, const_cast<int64_t*>(shape), const_cast<int64_t*>(strides),
                      2};
  const Tensor strided = Tensor::FromDLPack(&record);
  Tensor packed = Tensor::Empty({2, 3}, DataType::Int(16));
  const int16_t content[] = {1, 2, 3, 4, 5, 6};
  std::memcpy(packed.data_ptr(), content, sizeof(content));
  EXPECT_EQ(DigestOf(strided), DigestOf(packed));
  EXPECT_TRUE(StructuralEqual::Equal(strided, packed));
  static_cast<int16_t*>(packed.data_ptr())[4] = 0;
  EXPECT_NE(DigestOf(strided), DigestOf(packed));
  EXPECT_FALSE(StructuralEqual::Equal(strided, packed));
}

TEST(Digest, OneElementOfALargeTensorCounts) {
  Tensor a = Tensor::Empty({10000}, DataType::Float(32)), b = Tensor::Empty({10000}, DataType::Float(32));
  std::memset(a.data_ptr(), 0, a.NumBytes());
  std::memset(b.data_ptr(), 0, b.NumBytes());
  EXPECT_EQ(DigestOf(a), DigestOf(b));
  static_cast<float*>(b.data_ptr())[5000] = 1;
  EXPECT_NE(DigestOf(a), DigestOf(b));
  EXPECT_FALSE(StructuralEqual::Equal(a, b));
}

TEST(Digest, RulesStandForHooks) {
  StructuralOptions options;
  options.rules = schema::Schema::Parse(
      R"({"transom_schema":1,"name":"t","types":{"native.Hooked":{"structural":"tree","compare":["id"],
          "fields":[{"name":"id","type":"int"},{"name":"note","type":"Any"}]}}})",
      "rules");
  EXPECT_EQ(DigestOf(testing::Hooked(1, "a"), options), DigestOf(testing::Hooked(1, "b"), options));
  EXPECT_NE(DigestOf(testing::Hooked(1), options), DigestOf(testing::Hooked(2), options));
  EXPECT_EQ(
      ErrorOf([] { DigestOf(Array<Any>{testing::Hooked(1)}); }),
      "TypeError: <root>[0]: type native.Hooked compares by code of its own (`__s_equal__`) and has no `__s_hash__` to "
      "go with it; register one, or give a schema whose \"compare\" says which fields count");
}

// ---- Errors --------------------------------------------------------------------------------------------------------

TEST(Digest, RefusesTypesWithoutAKindInTheLibrary) {
  const Any value = testing::Call("f", {1, testing::Plain(2)});
  EXPECT_EQ(
      ErrorOf([&] { DigestOf(value); }),
      "TypeError: <root>.args[1]: type native.Plain has no structural kind; declare one where the type is registered, "
      "or in its schema");
  EXPECT_EQ(ErrorOf([&] { DigestOf(value, FileOptions()); }), "no error");
}

TEST(Digest, RefusesFunctionsWithTheirPlace) {
  const Function function = Function::FromTyped([](int64_t x) { return x; });
  const Any value = testing::Call("f", {Map<String, Any>{{"hook", function}}});
  EXPECT_EQ(ErrorOf([&] { DigestOf(value); }),
            "ValueError: <root>.args[0][\"hook\"]: values of type ffi.Function have no structure to compare; ignore "
            "the field "
            "that holds it");
  EXPECT_EQ(ErrorOf([&] { DigestOf(testing::Call("f", {}, function)); }), "no error");
}

TEST(Digest, NamesThePlaceInsideAMapKey) {
  const Map<Any, Any> map = {{testing::Const(testing::Plain(1)), 2}};
  EXPECT_EQ(ErrorOf([&] {
              DigestOf(Array<Any>{0, map});
            }),
            "TypeError: <root>[1][#0].value: type native.Plain has no structural kind; declare one where the type is "
            "registered, or in its schema");
}

TEST(Digest, RefusesCyclesWithTheirPlace) {
  List<Any> list;
  Dict<String, Any> dict;
  list.push_back(0);
  list.push_back(dict);
  dict.set("back", list);
  const std::string error = ErrorOf([&] { DigestOf(testing::Const(list)); });
  EXPECT_EQ(error.substr(0, error.find("; lists")), "ValueError: <root>.value[1][\"back\"]: the value contains itself");
  list.clear();
}

// ---- Size ----------------------------------------------------------------------------------------------------------

TEST(Digest, SharedLadderIsLinear) {
  const auto ladder = [](int levels) {
    Any last = testing::Call("leaf");
    for (int i = 0; i < levels; ++i) last = testing::Call("add", {last, last});
    return last;
  };
  EXPECT_EQ(DigestOf(ladder(40)), DigestOf(ladder(40)));
  EXPECT_NE(DigestOf(ladder(40)), DigestOf(ladder(41)));
  EXPECT_EQ(DigestOf(ladder(100000)), DigestOf(ladder(100000)));
}

TEST(Digest, ChainAndWideArrayOfAMillion) {
  const auto chain = [] {
    Any last;
    for (int i = 0; i < 1000000; ++i) last = testing::Const(std::move(last));
    return last;
  };
  EXPECT_EQ(DigestOf(chain()), DigestOf(chain()));
  std::vector<Any> items(1000000);
  for (size_t i = 0; i < items.size(); ++i) items[i] = static_cast<int64_t>(i);
  const Array<Any> wide(items.begin(), items.end());
  std::swap(items[500000], items[500001]);
  EXPECT_NE(DigestOf(wide), DigestOf(Array<Any>(items.begin(), items.end())));
}

}  // namespace
}  // namespace transom
