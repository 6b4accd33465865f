#include <transom/render/dump.h>

#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/bigint.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/shape.h>
#include <transom/containers/tensor.h>
#include <transom/formats/json_graph.h>
#include <transom/runtime/function.h>
#include <transom/structural/hash.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "support/graph_gen.h"
#include "support/library.h"
#include "support/native_types.h"

namespace transom {
namespace {

using testing::AsRecords;
using testing::Call;
using testing::Const;
using testing::ErrorOf;
using testing::Lambda;
using testing::Node;
using testing::Var;

std::string Dump(const Any& value) { return DumpText(value); }

Tensor MakeTensor(const std::vector<float>& values, Shape shape) {
  Tensor tensor = Tensor::Empty(shape, DataType::Float(32), Device());
  std::copy(values.begin(), values.end(), static_cast<float*>(tensor->data));
  return tensor;
}

TEST(DumpTest, PlainValues) {
  const std::pair<Any, std::string> cases[] = {
      {Any(), "None"},
      {Any(true), "True"},
      {Any(int64_t{-7}), "-7"},
      {Any(1.0), "1.0"},
      {Any(-0.0), "-0.0"},
      {Any(0.1), "0.1"},
      {Any(1e300), "1e+300"},
      {Any(std::nan("")), "NaN"},
      {Any(-INFINITY), "-Infinity"},
      {Any(DataType::Float(32, 4)), "float32x4"},
      {Any(DataType()), "void"},
      {Any(Device(kDLCUDA, 1)), "cuda:1"},
      {Any(String("a\"b\\\n")), "\"a\\\"b\\\\\\n\""},
      {Any(String("größer")), "\"größer\""},
      {Any(String("bad\xff")), "\"bad\\xff\""},
      {Any(String(std::string("nul\0.", 5))), "\"nul\\x00.\""},
      {Any(Bytes(std::string("\x01z", 2))), "b\"\\x01z\""},
      {Any(Shape({1, 3, 224})), "ffi.Shape(1, 3, 224)"},
      {BigInt::FromDecimal("9223372036854775808"), "9223372036854775808"},
      {Any(Function::FromTyped([] { return 1; })), "<ffi.Function>"},
      {Any(Array<Any>()), "[]"},
      {Any(Map<Any, Any>()), "{}"},
  };
  for (const auto& [value, text] : cases) EXPECT_EQ(Dump(value), text + "\n");
}

TEST(DumpTest, ContainersSayWhetherTheyAreMutable) {
  EXPECT_EQ(Dump(Array<Any>{1, String("x"), 2.5}), "[1, \"x\", 2.5]\n");
  EXPECT_EQ(Dump(Map<Any, Any>{{String("a"), 1}, {2, Array<Any>{}}}), "{\"a\": 1, 2: []}\n");
  EXPECT_EQ(Dump(List<Any>{1, 2}), "ffi.List[1, 2]\n");
  EXPECT_EQ(Dump(Dict<Any, Any>{{String("a"), 1}}), "ffi.Dict{\"a\": 1}\n");
}

TEST(DumpTest, ObjectsShowWhatCounts) {
  const Any call = Call("add", {1, Const(2)}, String("line 3"));
  EXPECT_EQ(Dump(call), "native.Call(op=\"add\", args=[1, native.Const(value=2)])\n");
  DumpOptions all;
  all.all_fields = true;
  EXPECT_EQ(DumpText(call, all), "native.Call(op=\"add\", args=[1, native.Const(value=2)], span=\"line 3\")\n");
  EXPECT_EQ(DumpText(Const(nullptr), all), "native.Const(value=None)\n");
  EXPECT_EQ(Dump(Const(nullptr)), "native.Const()\n");
}

TEST(DumpTest, TensorsByContent) {
  const Tensor tensor = MakeTensor({0, 1, 2, 3, 4, 5}, {2, 3});
  char hash[24];
  std::snprintf(hash, sizeof(hash), "%016llx", static_cast<unsigned long long>(StructuralHash::Hash(tensor)));
  EXPECT_EQ(Dump(tensor), "ffi.Tensor(float32[2, 3], " + std::string(hash) + ", [0.0, 1.0, 2.0, 3.0, ...])\n");
}

TEST(DumpTest, VariablesAreNamedByTheirLabels) {
  const Any x = Var("x", Const(1));
  const Any other = Var("x");
  const Any unnamed = Var("");
  EXPECT_EQ(Dump(Array<Any>{x, x, other, unnamed, unnamed, Var("0"), Var("a b")}),
            "[\n  %x: native.Var(type=native.Const(value=1))\n  %x\n  %x_1: native.Var\n  %0: native.Var\n  %0\n"
            "  %\"0\": native.Var\n  %\"a b\": native.Var\n]\n");
}

TEST(DumpTest, KeysThatAreObjects) {
  const Any x = Var("x");
  EXPECT_EQ(Dump(Map<Any, Any>{{x, 1}, {Const(2), x}}), "{%x: native.Var => 1, native.Const(value=2) => %x}\n");
}

TEST(DumpTest, ASuffixNeverHitsALabel) {
  EXPECT_EQ(Dump(Array<Any>{Var("x"), Var("x_1"), Var("x"), Var("x")}),
            "[%x: native.Var, %x_1: native.Var, %x_2: native.Var, %x_3: native.Var]\n");
}

TEST(DumpTest, BindingsReadLikeStatements) {
  const std::string text = R"({"root_index":4,"nodes":[{"type":"None"},{"type":"ffi.String","data":"x"},
      {"type":"test.Var","data":{"span":0,"name":1,"type":0}},{"type":"int","data":5},
      {"type":"test.Bind","data":{"span":0,"var":2,"value":3}}]})";
  LoadOptions options;
  options.schema = testing::TestSchema();
  EXPECT_EQ(Dump(LoadJSON(text, options).value), "test.Bind %x: test.Var = 5\n");
}

TEST(DumpTest, SharedIdentityIsListed) {
  const Any node = Node(1);
  EXPECT_EQ(Dump(Array<Any>{node, node, Node(1)}), "%0 = native.Node(value=1)\n[%0, %0, native.Node(value=1)]\n");
  const List<Any> list{1};
  EXPECT_EQ(Dump(Array<Any>{list, list, List<Any>{1}}), "%0 = ffi.List[1]\n[%0, %0, ffi.List[1]]\n");
}

TEST(DumpTest, ShortPartsWithoutIdentityStayInPlace) {
  const Any small = Const(1);
  EXPECT_EQ(Dump(Array<Any>{small, small}), "[native.Const(value=1), native.Const(value=1)]\n");
}

// Wider than what is written out at each use.
Any LongPart(Any leaf) {
  Array<Any> items;
  for (int i = 0; i < 6; ++i) items = items.push_back(int64_t{10000000});
  return Const(items.push_back(std::move(leaf)));
}

TEST(DumpTest, LongPartsAreListedOnce) {
  const std::string text = Dump(LongPart(1)).substr(0, Dump(LongPart(1)).size() - 1);
  EXPECT_EQ(Dump(Array<Any>{LongPart(1), LongPart(1)}), "%0 = " + text + "\n[%0, %0]\n");
  DumpOptions exact;
  exact.exact_sharing = true;
  EXPECT_EQ(DumpText(Array<Any>{LongPart(1), LongPart(1)}, exact), "[\n  " + text + "\n  " + text + "\n]\n");
  const Any shared = LongPart(1);
  EXPECT_EQ(DumpText(Array<Any>{shared, shared}, exact), "%0 = " + text + "\n[%0, %0]\n");
}

TEST(DumpTest, LongStringsAreListedOnceByContent) {
  const std::string text(80, 'a');
  for (const bool exact : {false, true}) {
    DumpOptions options;
    options.exact_sharing = exact;
    EXPECT_EQ(DumpText(Array<Any>{String(text), String(text), Bytes(text)}, options),
              "%0 = \"" + text + "\"\n[%0, %0, b\"" + text + "\"]\n");
  }
}

TEST(DumpTest, PartsThatDifferBySignOrVariableAreNotOne) {
  EXPECT_EQ(Dump(Array<Any>{LongPart(0.0), LongPart(-0.0), LongPart(0), LongPart(false)}).find('%'), std::string::npos);
  const std::string text = Dump(Array<Any>{LongPart(Var("x")), LongPart(Var("x"))});
  EXPECT_NE(text.find("%x: native.Var]"), std::string::npos) << text;
  EXPECT_NE(text.find("%x_1: native.Var]"), std::string::npos) << text;
}

TEST(DumpTest, PartsOfAListedPartAreUsedOnce) {
  // Both copies of the outer part are one statement; its inner part is met only there and stays in place.
  const auto inner = [] { return Call(String(std::string(70, 'i'))); };
  const auto outer = [&] { return Call("outer", {inner(), 1}); };
  const std::string text = Dump(Array<Any>{outer(), outer()});
  EXPECT_NE(text.find("%0 = native.Call(op=\"outer\""), std::string::npos) << text;
  EXPECT_EQ(text.find("%1"), std::string::npos) << text;
}

TEST(DumpTest, DeepPartsFollowFlat) {
  Any value = 1;
  for (int i = 0; i < 5; ++i) value = Const(Call(String(std::string(40, 'f')), {value}));
  DumpOptions options;
  options.depth = 4;
  const std::string text = DumpText(value, options);
  EXPECT_EQ(text.rfind("native.Const(", 0), 0u);
  EXPECT_NE(text.find("\n%0 = "), std::string::npos) << text;
}

TEST(DumpTest, LimitsSayHowMuchIsLeftOut) {
  DumpOptions options;
  options.max_items = 2;
  options.max_string = 4;
  EXPECT_EQ(DumpText(Array<Any>{1, 2, 3, 4, 5}, options), "[1, 2, ... 3 more]\n");
  EXPECT_EQ(DumpText(String("äöü?"), options), "\"äö\"...(7 bytes)\n");
  EXPECT_EQ(DumpText(Map<Any, Any>{{1, 1}, {2, 2}, {3, 3}}, options), "{1: 1, 2: 2, ... 1 more}\n");
}

TEST(DumpTest, CyclesNameThePath) {
  List<Any> list;
  list.push_back(1);
  list.push_back(Array<Any>{list});
  const std::string error = ErrorOf([&] { Dump(list); });
  EXPECT_EQ(error.rfind("ValueError: <root>[1][0]: the value contains itself", 0), 0u) << error;
  list.pop_back();
}

TEST(DumpTest, RecordsReadLikeNativeObjects) {
  const Any value = Lambda({Var("x"), Var("y", 3)}, Call("add", {Var("z"), Node(2), Const(String("text"))}));
  EXPECT_EQ(Dump(value), Dump(AsRecords(value)));
}

TEST(DumpTest, ColourChangesNothingElse) {
  DumpOptions color;
  color.color = true;
  const Any value = Array<Any>{Call("add", {Var("x"), String("text")}), Node(1)};
  const std::string colored = DumpText(value, color);
  EXPECT_NE(colored, Dump(value));
  EXPECT_EQ(std::regex_replace(colored, std::regex("\x1b\\[[0-9]*m"), ""), Dump(value));
}

// Every name that is used is written out exactly once.
void ExpectNamesDefinedOnce(const std::string& text) {
  std::map<std::string, int> definitions;
  std::set<std::string> uses;
  const std::regex name("%([0-9]+)( = |: )?");
  for (std::sregex_iterator it(text.begin(), text.end(), name), end; it != end; ++it) {
    uses.insert((*it)[1]);
    definitions[(*it)[1]] += (*it)[2].matched ? 1 : 0;
  }
  for (const std::string& use : uses) EXPECT_EQ(definitions[use], 1) << "%" << use << " in\n" << text;
}

TEST(DumpTest, RandomGraphs) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const testing::NodeTable table = testing::RandomGraph(seed, {.max_depth = 6, .well_scoped = seed % 2 == 0});
    const Any value = testing::LoadTable(table).value;
    DumpOptions options;
    options.depth = seed % 3 == 0 ? 2 : 64;
    options.exact_sharing = seed % 5 == 0;
    const std::string text = DumpText(value, options);
    EXPECT_EQ(text, DumpText(testing::LoadTable(table).value, options));
    ExpectNamesDefinedOnce(std::regex_replace(text, std::regex("\"([^\"\\\\]|\\\\.)*\""), "\"\""));
    options.color = true;
    EXPECT_EQ(std::regex_replace(DumpText(value, options), std::regex("\x1b\\[[0-9]*m"), ""), text);
  }
}

TEST(DumpTest, OutputIsLinearInTheGraph) {
  const auto size = [](const testing::NodeTable& table) { return Dump(testing::LoadTable(table).value).size(); };
  EXPECT_LT(size(testing::DiamondGraph(20000)), 2.3 * static_cast<double>(size(testing::DiamondGraph(10000))));
  EXPECT_LT(size(testing::DeepGraph(20000)), 2.3 * static_cast<double>(size(testing::DeepGraph(10000))));
  EXPECT_LT(size(testing::WideGraph(20000)), 2.3 * static_cast<double>(size(testing::WideGraph(10000))));
}

TEST(SummaryTest, OneLineOfLimitedLength) {
  EXPECT_EQ(Summary(5), "5");
  EXPECT_EQ(Summary(Var("x", Const(1))), "%x: native.Var(type=native.Const(value=1))");
  EXPECT_EQ(Summary(Call("add", {Var("x"), Const(1)})), "native.Call(op=\"add\", args=[%x, native.Const(value=1)])");
  EXPECT_EQ(Summary(Call("add", {Var("x"), Const(1)}), 48), "native.Call(op=\"add\", args=[%x, native.Const(...)])");
  EXPECT_EQ(Summary(String(std::string(100, 'a'))), "\"" + std::string(48, 'a') + "\"...(100 bytes)");
  const std::string wide = Summary(testing::LoadTable(testing::WideGraph(100000)).value);
  EXPECT_LT(wide.size(), 300u);
  EXPECT_NE(wide.find("..."), std::string::npos);
  EXPECT_LT(Summary(testing::LoadTable(testing::DeepGraph(100000)).value).size(), 300u);
}

TEST(SummaryTest, RandomGraphsFit) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const std::string text = Summary(testing::LoadTable(testing::RandomGraph(seed)).value, 60);
    EXPECT_EQ(text.find('\n'), std::string::npos);
    EXPECT_LT(text.size(), 1000u) << text;
  }
}

}  // namespace
}  // namespace transom
