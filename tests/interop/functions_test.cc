// The global functions of libtransom_ffi, called by name as front ends do. What the package apache-tvm-ffi gives for
// the same calls is compared in test_json_graph.py.
#include <gtest/gtest.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/tensor.h>
#include <transom/reflection/access_path.h>
#include <transom/reflection/registry.h>

#include <string>
#include <vector>

#include "interop/call_global.h"

namespace transom {
namespace {

namespace refl = reflection;
using testing::Call;
using testing::ErrorOf;

std::string ParseError(const std::string& text) {
  return ErrorOf([&] { Call("ffi.json.Parse", {String(text)}); });
}
Any Parse(const std::string& text) { return Call("ffi.json.Parse", {String(text)}); }
std::string Stringify(const Any& value, const Any& indent = nullptr) {
  return Call("ffi.json.Stringify", {value, indent}).cast<std::string>();
}
std::string ToGraph(const Any& value, const Any& metadata = nullptr) {
  return Call("ffi.ToJSONGraphString", {value, metadata}).cast<std::string>();
}
Any FromGraph(const std::string& text) { return Call("ffi.FromJSONGraphString", {String(text)}); }
std::string GraphError(const std::string& node) {
  return ErrorOf([&] { FromGraph("{\"root_index\":0,\"nodes\":[" + node + "]}"); });
}
bool Equal(const Any& lhs, const Any& rhs, bool map_free_vars = false) {
  return Call("ffi.StructuralEqual", {lhs, rhs, map_free_vars, false}).cast<bool>();
}
int64_t Hash(const Any& value, bool map_free_vars = false) {
  return Call("ffi.StructuralHash", {value, map_free_vars, false}).cast<int64_t>();
}
std::string Mismatch(const Any& lhs, const Any& rhs) {
  const Any paths = Call("ffi.GetFirstStructuralMismatch", {lhs, rhs, false, false});
  if (paths == nullptr) return "none";
  const auto pair = paths.cast<Array<refl::AccessPath>>();
  return pair[0]->ToString() + " / " + pair[1]->ToString();
}

// ---- Types ----------------------------------------------------------------------------------------------------------

class ItemObj : public Object {
 public:
  int64_t qty = 0;
  double price = 0;
  String name;
  Array<String> tags;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.interop.Item", ItemObj, Object);
};

class VarObj : public Object {
 public:
  String name;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindFreeVar;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.interop.Var", VarObj, Object);
};

class FuncObj : public Object {
 public:
  Any params, body;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.interop.Func", FuncObj, Object);
};

// Compares `value` by its hook and nothing else. `mode` chooses what the hook does.
class HookedObj : public Object {
 public:
  Any value, other;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.interop.Hooked", HookedObj, Object);
};
std::string mode;
Function kept;

bool HookedEqual(const HookedObj* lhs, const HookedObj* rhs, const Function& compare) {
  if (mode == "keep") kept = compare;
  if (mode == "bad region") return compare(lhs->value, rhs->value, 3, "value").cast<bool>();
  if (mode == "catch") {
    const std::string error = ErrorOf([&] { compare(lhs->other, rhs->other, 0, "other"); });
    EXPECT_EQ(error.substr(0, 10), "TypeError:");
  }
  const bool equal = compare(lhs->value, rhs->value, 0, "value").cast<bool>();
  if (mode == "overrule") return true;
  if (mode == "refuse") return false;
  return equal;
}
int64_t HookedHash(const HookedObj* self, int64_t init, const Function& hash) {
  if (mode == "catch") ErrorOf([&] { hash(self->other, init, 0); });
  return hash(self->value, init, 0).cast<int64_t>();
}

class UnhashableHookObj : public Object {
 public:
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.interop.OddHook", UnhashableHookObj, Object);
};

class PlainObj : public Object {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.interop.Plain", PlainObj, Object);
};

TRANSOM_STATIC_INIT_BLOCK() {
  refl::ObjectDef<ItemObj>()
      .def_ro("qty", &ItemObj::qty)
      .def_ro("price", &ItemObj::price, refl::DefaultValue(2.5))
      .def_ro("name", &ItemObj::name)
      .def_ro("tags", &ItemObj::tags);
  refl::ObjectDef<VarObj>().def_ro("name", &VarObj::name, refl::SEqHashIgnore());
  refl::ObjectDef<FuncObj>()
      .def_ro("params", &FuncObj::params, refl::SEqHashDefRecursive())
      .def_ro("body", &FuncObj::body);
  refl::ObjectDef<HookedObj>().def_ro("value", &HookedObj::value).def_ro("other", &HookedObj::other);
  refl::TypeAttrDef<HookedObj>().def("__s_equal__", &HookedEqual).def("__s_hash__", &HookedHash);
  refl::ObjectDef<UnhashableHookObj>();
  refl::TypeAttrDef<UnhashableHookObj>().def("__s_equal__", 5).def("__s_hash__", 5);
  refl::ObjectDef<PlainObj>();
}

Any Item(int64_t qty, const char* name, Array<String> tags = {}) {
  auto item = make_object<ItemObj>();
  item->qty = qty;
  item->price = 2.5;
  item->name = name;
  item->tags = std::move(tags);
  return Any(item);
}
Any Var(const char* name) {
  auto var = make_object<VarObj>();
  var->name = name;
  return Any(var);
}
Any Func(Array<Any> params, Any body) {
  auto func = make_object<FuncObj>();
  func->params = std::move(params);
  func->body = std::move(body);
  return Any(func);
}
Any Hooked(Any value, Any other) {
  auto hooked = make_object<HookedObj>();
  hooked->value = std::move(value);
  hooked->other = std::move(other);
  return Any(hooked);
}

// ---- JSON text ------------------------------------------------------------------------------------------------------

TEST(JsonParse, IsLenientAsTheContractSays) {
  EXPECT_EQ(Parse("01").cast<int64_t>(), 1);
  EXPECT_EQ(Parse("+1").cast<int64_t>(), 1);
  EXPECT_EQ(Parse("9223372036854775807").type_index(), kTVMFFIInt);
  EXPECT_EQ(Parse("9223372036854775808").cast<double>(), 9223372036854775808.0);
  EXPECT_EQ(Parse(".5").cast<double>(), 0.5);
  EXPECT_EQ(Parse("5e-324").cast<double>(), 5e-324);
  EXPECT_EQ(Stringify(Parse("[NaN, Infinity, -Infinity, -0.0]")), "[NaN,Infinity,-Infinity,-0.0]");
  EXPECT_EQ(Stringify(Parse("{\"a\":1,\"b\":2,\"a\":3}")), "{\"a\":3,\"b\":2}");
  EXPECT_EQ(Parse("\"\\u00e9\\ud83d\\ude00\\u0000\"").cast<std::string>(),
            std::string("\xc3\xa9\xf0\x9f\x98\x80\0", 7));
}

TEST(JsonParse, ErrorsNameReasonLineAndColumn) {
  EXPECT_EQ(ParseError(""), "ValueError: Expecting value: line 1 column 1 (char 0)");
  EXPECT_EQ(ParseError("[1,\n 2,\n x]"), "ValueError: Expecting value: line 3 column 2 (char 9)");
  EXPECT_EQ(ParseError("[1 2]"), "ValueError: Expecting ',' delimiter: line 1 column 4 (char 3)");
  EXPECT_EQ(ParseError("{\"a\" 1}"), "ValueError: Expecting ':' delimiter: line 1 column 6 (char 5)");
  EXPECT_EQ(ParseError("{1:2}"),
            "ValueError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)");
  EXPECT_EQ(ParseError("1 2"), "ValueError: Extra data: line 1 column 3 (char 2)");
  EXPECT_EQ(ParseError("\"abc"), "ValueError: Unterminated string starting at: line 1 column 1 (char 0)");
  EXPECT_EQ(ParseError("\"a\tb\""), "ValueError: Invalid control character at: line 1 column 3 (char 2)");
  EXPECT_EQ(ParseError("\"\\q\""), "ValueError: Invalid \\escape: line 1 column 3 (char 2)");
  EXPECT_EQ(ParseError("\"\\u12\""), "ValueError: Invalid \\uXXXX escape: line 1 column 3 (char 2)");
  EXPECT_EQ(ParseError("\"\\ud800\""),
            "ValueError: Invalid surrogate pair of \\uXXXX escapes: line 1 column 3 (char 2)");
  EXPECT_EQ(ParseError("1e400"), "ValueError: Expecting value: line 1 column 1 (char 0)");
  EXPECT_EQ(ParseError("[1,"), "ValueError: Syntax error near: line 1 column 4 (char 3)");
}

TEST(JsonText, DepthIsLimitedByMemoryOnly) {
  constexpr size_t kDepth = 200000;
  const std::string text = std::string(kDepth, '[') + std::string(kDepth, ']');
  Any value = Parse(text);
  EXPECT_EQ(Stringify(value), text);
}

TEST(JsonStringify, IndentsByLevel) {
  const Any value = Parse("[1,[],{\"a\":{}}]");
  EXPECT_EQ(Stringify(value), "[1,[],{\"a\":{}}]");
  EXPECT_EQ(Stringify(value, 0), "[1,[],{\"a\":{}}]");
  EXPECT_EQ(Stringify(value, 2), "[\n  1,\n  [\n  ],\n  {\n    \"a\": {\n    }\n  }\n]");
  EXPECT_EQ(Stringify(value, -1), "[\n1,\n[\n],\n{\n\"a\": {\n}\n}\n]");
}

TEST(JsonStringify, OtherValuesAreErrors) {
  EXPECT_EQ(ErrorOf([] {
              Stringify(Map<int64_t, int64_t>{{1, 2}});
            }),
            "ValueError: Expect key to be string, got `int`");
  EXPECT_EQ(ErrorOf([] { Stringify(Dict<String, int64_t>()); }), "ValueError: Unsupported type: `ffi.Dict`");
  EXPECT_EQ(ErrorOf([] { Stringify(Array<Any>{Bytes(std::string("x"))}); }),
            "ValueError: Unsupported type: `ffi.SmallBytes`");
  List<Any> list;
  list.push_back(Array<Any>{list});
  EXPECT_EQ(ErrorOf([&] { Stringify(list); }), "ValueError: Cycle detected: List contains itself");
  list.clear();
  EXPECT_EQ(Stringify(Array<Any>{list, list}), "[[],[]]");
}

// ---- Graphs ---------------------------------------------------------------------------------------------------------

TEST(JsonGraph, WorkedExamplesOfTheContract) {
  const std::vector<std::pair<Any, std::string>> examples = {
      {Any(7), R"({"root_index":0,"nodes":[{"type":"int","data":7}]})"},
      {Any(Array<Any>{"ab", 1, "ab", nullptr, true}),
       R"({"root_index":4,"nodes":[{"type":"ffi.String","data":"ab"},{"type":"int","data":1},{"type":"None"},{"type":"bool","data":true},)"
       R"({"type":"ffi.Array","data":[0,1,0,2,3]}]})"},
      {Any(Array<Any>{DLDevice{kDLCUDA, 1}, DataType::Float(16)}),
       R"({"root_index":2,"nodes":[{"type":"Device","data":[2,1]},{"type":"DataType","data":"float16"},{"type":"ffi.Array","data":[0,1]}]})"},
      {Item(3, "nut"), R"({"root_index":2,"nodes":[{"type":"ffi.String","data":"nut"},{"type":"ffi.Array","data":[]},)"
                       R"({"type":"test.interop.Item","data":{"qty":3,"price":2.5,"name":0,"tags":1}}]})"}};
  for (const auto& [value, text] : examples) {
    EXPECT_EQ(ToGraph(value), text);
    EXPECT_EQ(ToGraph(FromGraph(text)), text);
  }
  const Any value(Map<String, Any>{{"k", List<Any>{1.5, Bytes(std::string("\x01\x02"))}}});
  EXPECT_EQ(
      ToGraph(value, "v1"),
      R"({"root_index":4,"nodes":[{"type":"ffi.String","data":"k"},{"type":"float","data":1.5},{"type":"ffi.Bytes","data":"AQI="},)"
      R"({"type":"ffi.List","data":[1,2]},{"type":"ffi.Map","data":[0,3]}],"metadata":"v1"})");
}

TEST(JsonGraph, DevicesKeepNumbersThatHaveNoName) {
  const std::string text = R"({"root_index":0,"nodes":[{"type":"Device","data":[1234567,-3]}]})";
  EXPECT_EQ(ToGraph(FromGraph(text)), text);
}

TEST(JsonGraph, OneObjectIsOneNodeAndComesBackAsOne) {
  const Any item = Item(1, "bolt");
  const Any back = FromGraph(ToGraph(Array<Any>{item, item, Item(1, "bolt")}));
  const auto items = back.cast<Array<Any>>();
  EXPECT_EQ(items[0].as<Object>(), items[1].as<Object>());
  EXPECT_NE(items[0].as<Object>(), items[2].as<Object>());
}

TEST(JsonGraph, FieldsMayBeMissingWithADefaultAndMayBeUnknown) {
  const Any item = FromGraph(
      R"({"root_index":0,"nodes":[{"type":"test.interop.Item","data":{"qty":true,"name":1,"tags":2,"new":[5]}},)"
      R"({"type":"ffi.String","data":"x"},{"type":"ffi.Array","data":[]}]})");
  EXPECT_EQ(item.as<ItemObj>()->qty, 1);
  EXPECT_EQ(item.as<ItemObj>()->price, 2.5);
  EXPECT_EQ(GraphError(R"({"type":"test.interop.Item","data":{"price":1}})"),
            "TypeError: Required field `qty` not set in type `test.interop.Item`");
}

TEST(JsonGraph, MalformedGraphsAreErrors) {
  EXPECT_EQ(ErrorOf([] { FromGraph("[]"); }).substr(0, 11), "ValueError:");
  EXPECT_EQ(ErrorOf([] { FromGraph("{\"root_index\":true,\"nodes\":[]}"); }).substr(0, 11), "ValueError:");
  EXPECT_EQ(ErrorOf([] { FromGraph("{\"root_index\":0,\"nodes\":{}}"); }).substr(0, 11), "ValueError:");
  EXPECT_EQ(ErrorOf([] { FromGraph("{\"root_index\":1,\"nodes\":[{\"type\":\"None\"}]}"); }),
            "ValueError: Invalid JSON Object Graph: invalid node index 1, there are 1 nodes");
  EXPECT_EQ(GraphError(R"({"data":1})").substr(0, 9), "KeyError:");
  EXPECT_EQ(GraphError(R"({"type":"int"})").substr(0, 9), "KeyError:");
  EXPECT_EQ(GraphError(R"({"type":"int","data":"x"})").substr(0, 10), "TypeError:");
  EXPECT_EQ(GraphError(R"({"type":"test.interop.Nothing","data":{}})").substr(0, 14), "InternalError:");
  EXPECT_EQ(GraphError(R"({"type":"ffi.Map","data":[0]})").substr(0, 11), "ValueError:");
  EXPECT_EQ(GraphError(R"({"type":"Device","data":[1]})").substr(0, 11), "ValueError:");
  EXPECT_EQ(GraphError(R"({"type":"ffi.Tensor","data":{}})").substr(0, 13), "RuntimeError:");
  EXPECT_EQ(GraphError(R"({"type":"void*","data":{}})").substr(0, 13), "RuntimeError:");
  EXPECT_EQ(GraphError(R"({"type":"ffi.Array","data":[0]})"),
            "ValueError: Invalid JSON Object Graph: node 0 leads back to itself");
}

TEST(JsonGraph, LongChainsNeedNoStack) {
  std::string nodes = "{\"type\":\"None\"}";
  constexpr int kDepth = 200000;
  for (int i = 0; i < kDepth; ++i) nodes += ",{\"type\":\"ffi.Array\",\"data\":[" + std::to_string(i) + "]}";
  const std::string text = "{\"root_index\":" + std::to_string(kDepth) + ",\"nodes\":[" + nodes + "]}";
  EXPECT_EQ(ToGraph(FromGraph(text)), text);
}

TEST(JsonGraph, ValuesThatNoGraphHoldsAreErrorsWithTheirPlace) {
  EXPECT_EQ(ErrorOf([] {
              ToGraph(Array<Any>{1, Tensor::Empty({2}, DataType::Int(8))});
            }).substr(0, 20),
            "TypeError: <root>[1]");
  EXPECT_EQ(ErrorOf([] { ToGraph(Array<Any>{static_cast<void*>(&mode)}); }).substr(0, 23), "RuntimeError: <root>[0]");
  Dict<String, Any> dict;
  dict.set("self", dict);
  EXPECT_EQ(ErrorOf([&] { ToGraph(dict); }).substr(0, 11), "ValueError:");
  dict.clear();
}

// Members of enums are found by their place in the registry of the enum, whose types the runtime's provider may have.
class EnumStateObj : public Object {
 public:
  Dict<Any, Any> indexes;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.interop.EnumState", EnumStateObj, Object);
};
class EnumObj : public Object {
 public:
  int64_t index = 0;
  String name;
  TRANSOM_DECLARE_OBJECT_INFO("ffi.Enum", EnumObj, Object);
};
class ShadeObj : public EnumObj {
 public:
  TRANSOM_DECLARE_OBJECT_INFO("test.interop.Shade", ShadeObj, EnumObj);
};

TEST(JsonGraph, EnumMembersAreStoredByPlace) {
  refl::ObjectDef<EnumStateObj>().def_ro("indexes", &EnumStateObj::indexes);
  if (TVMFFIGetTypeInfo(EnumObj::RuntimeTypeIndex())->metadata == nullptr) {
    refl::ObjectDef<EnumObj>().def_ro("_int_index", &EnumObj::index).def_ro("_str_index", &EnumObj::name);
  }
  refl::ObjectDef<ShadeObj>();
  auto state = make_object<EnumStateObj>();
  auto dark = make_object<ShadeObj>();
  dark->name = "dark";
  state->indexes.set("dark", Any(dark));
  refl::TypeAttrDef<ShadeObj>().def("__ffi_enum__", Any(state));

  const std::string text = R"({"root_index":0,"nodes":[{"type":"test.interop.Shade","data":"dark"}]})";
  EXPECT_EQ(ToGraph(Any(dark)), text);
  EXPECT_EQ(FromGraph(text).as<Object>(), dark.get());
  EXPECT_EQ(GraphError(R"({"type":"test.interop.Shade","data":"light"})"),
            "ValueError: Enum `test.interop.Shade` has no member named `light`");
}

// ---- Structure ------------------------------------------------------------------------------------------------------

TEST(Structural, BoundVariablesPairAndOthersAreThemselves) {
  const Any x = Var("x"), y = Var("y");
  const Any f = Func({x}, Array<Any>{x, 1}), g = Func({y}, Array<Any>{y, 1});
  EXPECT_TRUE(Equal(f, g));
  EXPECT_EQ(Hash(f), Hash(g));
  EXPECT_TRUE(Equal(x, x));
  EXPECT_FALSE(Equal(x, y));
  EXPECT_NE(Hash(x), Hash(y));
  EXPECT_TRUE(Equal(x, y, true));
  EXPECT_EQ(Hash(x, true), Hash(y, true));
  EXPECT_EQ(Mismatch(f, Func({y}, Array<Any>{y, 2})), "<root>.body[1] / <root>.body[1]");
  EXPECT_EQ(Mismatch(f, g), "none");
}

TEST(Structural, KeysThatAreObjectsPairByIdentityOrBinder) {
  const Any key = Item(1, "k");
  const Map<Any, Any> map = {{key, 1}};
  EXPECT_TRUE(Equal(map, Map<Any, Any>{{key, 1}}));
  EXPECT_FALSE(Equal(map, Map<Any, Any>{{Item(1, "k"), 1}}));
  const Any x = Var("x"), y = Var("y");
  EXPECT_TRUE(Equal(Func({x}, Map<Any, Any>{{x, 1}}), Func({y}, Map<Any, Any>{{y, 1}})));
  // What one entry binds decides about the key of the next.
  const Map<Any, Any> binds_x = {{"a", x}, {x, 2}}, binds_y = {{"a", y}, {y, 2}};
  EXPECT_TRUE(Equal(binds_x, binds_y, true));
  EXPECT_EQ(Hash(binds_x, true), Hash(binds_y, true));
  EXPECT_EQ(Mismatch(Map<String, Any>{{"a", 1}, {"b", 2}}, Map<String, Any>{{"a", 1}}),
            "<root>[\"b\"] / <root>[<missing:\"b\">]");
  EXPECT_EQ(Mismatch(Map<String, Any>{{"a", 1}}, Map<String, Any>{{"a", 1}, {"b", 2}}),
            "<root>[<missing:\"b\">] / <root>[\"b\"]");
}

TEST(Structural, PointersCompareByTheirBitsAndFunctionsAreErrors) {
  EXPECT_TRUE(Equal(static_cast<void*>(&mode), static_cast<void*>(&mode)));
  EXPECT_FALSE(Equal(static_cast<void*>(&mode), static_cast<void*>(&kept)));
  EXPECT_EQ(Hash(static_cast<void*>(&mode)), Hash(static_cast<void*>(&mode)));
  const Any function = Function::FromTyped([] { return 1; });
  EXPECT_EQ(ErrorOf([&] { Equal(function, function); }).substr(0, 10), "TypeError:");
  EXPECT_EQ(ErrorOf([&] { Hash(function); }).substr(0, 10), "TypeError:");
  EXPECT_FALSE(Equal(function, Tensor::Empty({1}, DataType::Int(8))));
  const Any plain = make_object<PlainObj>();
  EXPECT_EQ(ErrorOf([&] { Equal(plain, plain); }).substr(0, 10), "TypeError:");
  EXPECT_EQ(ErrorOf([&] { Hash(plain); }).substr(0, 10), "TypeError:");
}

TEST(Structural, AHookDecides) {
  mode = "";
  EXPECT_TRUE(Equal(Hooked(1, 2), Hooked(1, 3)));
  EXPECT_EQ(Hash(Hooked(1, 2)), Hash(Hooked(1, 3)));
  EXPECT_NE(Hash(Hooked(1, 2)), Hash(Hooked(2, 2)));
  EXPECT_EQ(Mismatch(Array<Any>{Hooked(Item(1, "a"), 0)}, Array<Any>{Hooked(Item(2, "a"), 0)}),
            "<root>[0].value.qty / <root>[0].value.qty");
  EXPECT_TRUE(Equal(Func({Var("x")}, Hooked(1, 1)), Func({Var("y")}, Hooked(1, 1))));
  mode = "overrule";
  EXPECT_TRUE(Equal(Array<Any>{Hooked(1, 0), 5}, Array<Any>{Hooked(2, 0), 5}));
  EXPECT_EQ(Mismatch(Array<Any>{Hooked(1, 0), 5}, Array<Any>{Hooked(2, 0), 6}), "<root>[1] / <root>[1]");
  mode = "refuse";
  EXPECT_EQ(Mismatch(Array<Any>{Hooked(1, 0)}, Array<Any>{Hooked(1, 0)}), "<root>[0] / <root>[0]");
}

TEST(Structural, AHookMayNest) {
  mode = "";
  Any lhs(1), rhs(1), other(2);
  for (int i = 0; i < 50; ++i) {
    lhs = Hooked(Array<Any>{lhs}, i);
    rhs = Hooked(Array<Any>{rhs}, -i);
    other = Hooked(Array<Any>{other}, i);
  }
  EXPECT_TRUE(Equal(lhs, rhs));
  EXPECT_EQ(Hash(lhs), Hash(rhs));
  EXPECT_FALSE(Equal(lhs, other));
}

TEST(Structural, AHookMayCatchAnError) {
  mode = "catch";
  const Any plain = Array<Any>{Array<Any>{make_object<PlainObj>()}};
  EXPECT_TRUE(Equal(Array<Any>{Hooked(1, plain), 2}, Array<Any>{Hooked(1, plain), 2}));
  EXPECT_FALSE(Equal(Array<Any>{Hooked(1, plain), 2}, Array<Any>{Hooked(1, plain), 3}));
  EXPECT_FALSE(Equal(Hooked(1, plain), Hooked(2, plain)));
  EXPECT_EQ(ErrorOf([&] { Hash(Hooked(1, plain)); }),
            "RuntimeError: the `__s_hash__` hook of type test.interop.Hooked went on after a part of its object could "
            "not be hashed");
  mode = "";
}

TEST(Structural, WrongUseOfACallbackIsAnError) {
  mode = "keep";
  EXPECT_TRUE(Equal(Hooked(1, 2), Hooked(1, 3)));
  EXPECT_EQ(ErrorOf([] { kept(1, 1, 0, "value"); }),
            "RuntimeError: a comparison callback was called after its hook had returned");
  kept = Function();
  mode = "bad region";
  EXPECT_EQ(ErrorOf([] { Equal(Hooked(1, 2), Hooked(1, 3)); }),
            "ValueError: expected 0, 1 or 2 as the kind of a definition region, found 3");
  mode = "";
  const Any odd = make_object<UnhashableHookObj>();
  EXPECT_EQ(
      ErrorOf([&] { Equal(odd, odd); }),
      "TypeError: the attribute `__s_equal__` of type test.interop.OddHook is of type int; a function is expected");
  EXPECT_EQ(
      ErrorOf([&] { Hash(odd); }),
      "TypeError: the attribute `__s_hash__` of type test.interop.OddHook is of type int; a function is expected");
}

TEST(Structural, HashDoesNotDependOnTheOrderOfMaps) {
  Map<Any, Any> forward, backward;
  for (int i = 0; i < 20; ++i) forward = forward.insert(i, i * i);
  for (int i = 19; i >= 0; --i) backward = backward.insert(i, i * i);
  EXPECT_TRUE(Equal(forward, backward));
  EXPECT_EQ(Hash(forward), Hash(backward));
}

}  // namespace
}  // namespace transom
