#include <transom/structural/equal.h>

#include <gtest/gtest.h>
#include <transom/containers/bigint.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/shape.h>
#include <transom/containers/tensor.h>
#include <transom/formats/json_graph.h>
#include <transom/structural/hash.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "support/native_types.h"

namespace transom {
namespace {

using testing::AsRecords;
using testing::Call;
using testing::Const;
using testing::ErrorOf;
using testing::Lambda;
using testing::Let;
using testing::Node;
using testing::Plain;
using testing::Var;

StructuralOptions FileOptions() {
  StructuralOptions options;
  options.as_files = true;
  return options;
}

bool Equal(const Any& lhs, const Any& rhs, const StructuralOptions& options = {}) {
  return StructuralEqual::Equal(lhs, rhs, options);
}

// "LEFT | RIGHT" of the first mismatch; empty when there is none.
std::string Mismatch(const Any& lhs, const Any& rhs, const StructuralOptions& options = {}) {
  const auto found = StructuralEqual::GetFirstMismatch(lhs, rhs, options);
  EXPECT_EQ(found.has_value(), !StructuralEqual::Equal(lhs, rhs, options));
  return found ? found->lhs.ToString() + " | " + found->rhs.ToString() : "";
}

// The same answer, with the same paths, whether either side is native or a record.
void ExpectMismatch(const Any& lhs, const Any& rhs, const std::string& wanted) {
  const StructuralOptions options = FileOptions();
  EXPECT_EQ(Mismatch(lhs, rhs, options), wanted);
  const Any lhs_records = AsRecords(lhs), rhs_records = AsRecords(rhs);
  EXPECT_EQ(Mismatch(lhs_records, rhs_records, options), wanted);
  EXPECT_EQ(Mismatch(lhs, rhs_records, options), wanted);
  EXPECT_EQ(Mismatch(lhs_records, rhs, options), wanted);
  EXPECT_EQ(StructuralDigest(lhs, options) == StructuralDigest(rhs_records, options), wanted.empty());
}

// ---- Plain values ---------------------------------------------------------------------------------------------------

TEST(Equal, TypesOfPlainValuesCount) {
  const Any values[] = {nullptr,
                        0,
                        false,
                        0.0,
                        String(""),
                        Bytes(std::string()),
                        Array<Any>{},
                        List<Any>{},
                        Map<Any, Any>{},
                        Dict<Any, Any>{},
                        Shape{},
                        1,
                        true,
                        1.0,
                        "1"};
  for (size_t i = 0; i < std::size(values); ++i) {
    for (size_t j = 0; j < std::size(values); ++j) EXPECT_EQ(Equal(values[i], values[j]), i == j) << i << ", " << j;
  }
}

TEST(Equal, NaNsAreEqualAndZerosAreNot) {
  EXPECT_TRUE(Equal(std::nan("1"), -std::nan("2")));
  EXPECT_FALSE(Equal(0.0, -0.0));
  EXPECT_FALSE(Equal(std::nan(""), 1.0));
  EXPECT_TRUE(Equal(Const(std::nan("1")), Const(std::nan("2"))));
}

TEST(Equal, TextsByContent) {
  EXPECT_TRUE(Equal(String("a text beyond the small ones"), String(std::string("a text beyond the small ones"))));
  EXPECT_FALSE(Equal(String(std::string("a\0b", 3)), String(std::string("a\0c", 3))));
  EXPECT_FALSE(Equal(String(std::string("a\0", 2)), String("a")));
  EXPECT_TRUE(Equal(BigInt::FromDecimal("99999999999999999999"), BigInt::FromDecimal("99999999999999999999")));
  EXPECT_FALSE(Equal(BigInt::FromDecimal("99999999999999999999"), BigInt::FromDecimal("-99999999999999999999")));
}

TEST(Equal, TensorsByShapeTypeAndContent) {
  const auto tensor = [](std::initializer_list<int64_t> shape, DLDataType dtype, uint8_t fill) {
    Tensor t = Tensor::Empty(shape, dtype);
    std::memset(t.data_ptr(), fill, t.NumBytes());
    return t;
  };
  const Tensor base = tensor({2, 3}, DataType::Int(8), 1);
  EXPECT_TRUE(Equal(base, tensor({2, 3}, DataType::Int(8), 1)));
  EXPECT_FALSE(Equal(base, tensor({3, 2}, DataType::Int(8), 1)));
  EXPECT_FALSE(Equal(base, tensor({6}, DataType::Int(8), 1)));
  EXPECT_FALSE(Equal(base, tensor({2, 3}, DataType::UInt(8), 1)));
  EXPECT_FALSE(Equal(base, tensor({2, 3}, DataType::Int(8), 2)));
  StructuralOptions skip;
  skip.skip_tensor_content = true;
  EXPECT_TRUE(Equal(base, tensor({2, 3}, DataType::Int(8), 2), skip));
  EXPECT_FALSE(Equal(base, tensor({2, 3}, DataType::Int(16), 2), skip));
  EXPECT_TRUE(StructuralEqual(skip)(base, tensor({2, 3}, DataType::Int(8), 2)));
}

TEST(Equal, TensorsBeyondTheCpuNeedTheirContentSkipped) {
  int64_t shape[] = {2};
  DLManagedTensor record{};
  record.dl_tensor = {shape, {kDLCUDA, 0}, 1, {kDLFloat, 32, 1}, shape, nullptr, 0};
  const Any tensor = Tensor::FromDLPack(&record);
  EXPECT_EQ(
      ErrorOf([&] { Equal(Const(tensor), Const(tensor)); }),
      "ValueError: <root>.value: a tensor that is not on the CPU; copy it there first, or skip the content of tensors");
  StructuralOptions skip;
  skip.skip_tensor_content = true;
  EXPECT_TRUE(Equal(Const(tensor), Const(tensor), skip));
}

// ---- Where the first mismatch is -----------------------------------------------------------------------------------

TEST(Mismatch, NamesTheFieldElementOrKey) {
  ExpectMismatch(Call("f", {1}), Call("f", {1}), "");
  ExpectMismatch(Call("f"), Call("g"), "<root>.op | <root>.op");
  ExpectMismatch(Call("f", {1, Call("g", {2})}), Call("f", {1, Call("g", {3})}),
                 "<root>.args[1].args[0] | <root>.args[1].args[0]");
  ExpectMismatch(Const(Map<String, Any>{{"a", 1}, {"b", 2}}), Const(Map<String, Any>{{"b", 3}, {"a", 1}}),
                 "<root>.value[\"b\"] | <root>.value[\"b\"]");
  ExpectMismatch(1, "1", "<root> | <root>");
  ExpectMismatch(Array<Any>{1}, List<Any>{1}, "<root> | <root>");
  ExpectMismatch(Const(Call("f")), Const(Const(1)), "<root>.value | <root>.value");
  ExpectMismatch(Shape{1, 2}, Shape{1, 3}, "<root> | <root>");
}

TEST(Mismatch, EndsInAMissingStepWhereOneSideHasMore) {
  ExpectMismatch(Array<Any>{1, 2, 3}, Array<Any>{1, 2}, "<root>[2] | <root>[<missing:2>]");
  ExpectMismatch(Array<Any>{1, 2}, Array<Any>{1, 2, 3}, "<root>[<missing:2>] | <root>[2]");
  ExpectMismatch(Array<Any>{1, 2, 3}, Array<Any>{1, 4}, "<root>[1] | <root>[1]");
  ExpectMismatch(Map<String, Any>{{"a", 1}, {"b", 2}}, Map<String, Any>{{"a", 1}},
                 "<root>[\"b\"] | <root>[<missing:\"b\">]");
  ExpectMismatch(Dict<String, Any>{{"a", 1}}, Dict<String, Any>{{"a", 1}, {"b", 2}},
                 "<root>[<missing:\"b\">] | <root>[\"b\"]");
  ExpectMismatch(Map<String, Any>{{"a", 1}, {"b", 2}}, Map<String, Any>{{"b", 3}, {"c", 1}},
                 "<root>[\"a\"] | <root>[<missing:\"a\">]");
}

TEST(Mismatch, IgnoredFieldsAreNone) {
  ExpectMismatch(Call("f", {}, "here"), Call("f", {}, Map<Any, Any>{{1, 2}}), "");
  EXPECT_EQ(Mismatch(Call("f", {}, Function::FromTyped([] {})), Call("f")), "");
}

// ---- Structural kinds ----------------------------------------------------------------------------------------------

TEST(Kinds, SharingOfTreesDoesNotCount) {
  const Any shared = Call("f", {1}), constant = Const(1);
  ExpectMismatch(Array<Any>{shared, shared}, Array<Any>{Call("f", {1}), Call("f", {1})}, "");
  ExpectMismatch(Array<Any>{constant, constant}, Array<Any>{Const(1), Const(1)}, "");
}

TEST(Kinds, SharingOfDagNodesCounts) {
  const Any shared = Node(1);
  ExpectMismatch(Array<Any>{shared, shared}, Array<Any>{Node(1), Node(1)}, "<root>[1] | <root>[1]");
  ExpectMismatch(Array<Any>{Node(1), Node(1)}, Array<Any>{shared, shared}, "<root>[1] | <root>[1]");
  const Any other = Node(1);
  ExpectMismatch(Array<Any>{shared, shared, Node(2)}, Array<Any>{other, other, Node(2)}, "");
}

TEST(Kinds, ADagNodeThatDiffersHasNoPartner) {
  const Any l = Node(1), r = Node(2);
  EXPECT_EQ(Mismatch(Array<Any>{l, l}, Array<Any>{r, r}), "<root>[0].value | <root>[0].value");
}

TEST(Kinds, UniqueInstancesEqualThemselves) {
  const Any a = testing::MakeToken(1), b = testing::MakeToken(1);
  EXPECT_TRUE(Equal(Array<Any>{a, b}, Array<Any>{a, b}));
  EXPECT_FALSE(Equal(a, b));
  // In files they pair by their fields and sharing.
  EXPECT_TRUE(Equal(a, b, FileOptions()));
  EXPECT_FALSE(Equal(a, testing::MakeToken(2), FileOptions()));
  ExpectMismatch(Array<Any>{a, a}, Array<Any>{a, b}, "<root>[1] | <root>[1]");
}

TEST(Kinds, TypesWithoutOneAreTreesInFilesOnly) {
  ExpectMismatch(Plain(1), Plain(1), "");
  ExpectMismatch(Plain(1), Plain(2), "<root>.payload | <root>.payload");
  const Any value = Call("f", {0, Plain(1)});
  const std::string error =
      "TypeError: <root>.args[1]: type native.Plain has no structural kind; declare one where the type is registered, "
      "or in "
      "its schema";
  EXPECT_EQ(ErrorOf([&] { Equal(value, value); }), error);
  EXPECT_EQ(ErrorOf([&] { Equal(AsRecords(value), AsRecords(value)); }), error);
}

TEST(Kinds, HooksDecideWhereNoCompareStandsForThem) {
  const Any value = Array<Any>{1, testing::Hooked(1)};
  EXPECT_EQ(Mismatch(value, Array<Any>{1, testing::Hooked(1, "note")}, FileOptions()), "");
  EXPECT_EQ(Mismatch(value, Array<Any>{1, testing::Hooked(2)}, FileOptions()), "<root>[1] | <root>[1]");
  EXPECT_EQ(ErrorOf([&] { Equal(value, AsRecords(value), FileOptions()); }),
            "TypeError: <root>[1]: type native.Hooked compares by code of its own; give a schema whose \"compare\" "
            "says which fields count");
  StructuralOptions options;
  options.rules = schema::Schema::Parse(
      R"({"transom_schema":1,"name":"t","types":{"native.Hooked":{"structural":"tree","compare":["id"],
          "fields":[{"name":"id","type":"int"},{"name":"note","type":"Any"}]}}})",
      "rules");
  EXPECT_TRUE(Equal(testing::Hooked(1, "a"), testing::Hooked(1, "b"), options));
  EXPECT_FALSE(Equal(testing::Hooked(1), testing::Hooked(2), options));
}

TEST(Kinds, RecordsOfTypesWithHooksCompareByDeclaredFields) {
  EXPECT_TRUE(Equal(AsRecords(testing::Hooked(1, "a")), AsRecords(testing::Hooked(1, "a")), FileOptions()));
  EXPECT_EQ(Mismatch(AsRecords(testing::Hooked(1, "a")), AsRecords(testing::Hooked(1, "b")), FileOptions()),
            "<root>.note | <root>.note");
}

TEST(Kinds, RulesMustNameFieldsOfTheRegisteredType) {
  StructuralOptions options;
  options.rules = schema::Schema::Parse(
      R"({"transom_schema":1,"name":"t","types":{"native.Hooked":{"compare":["other"],"fields":[{"name":"other","type":"int"}]}}})",
      "old.json");
  EXPECT_EQ(
      ErrorOf([&] { Equal(testing::Hooked(1), testing::Hooked(1), options); }),
      "ValueError: schema old.json compares field `other` of type native.Hooked, but the registered type has no such "
      "field; use the schema of the loaded library");
}

TEST(Kinds, CustomDataIsComparedAsData) {
  ExpectMismatch(Array<Any>{testing::Op("add")}, Array<Any>{testing::Op("add")}, "");
  ExpectMismatch(Array<Any>{testing::Op("add")}, Array<Any>{testing::Op("sub")}, "<root>[0] | <root>[0]");
  EXPECT_TRUE(Equal(testing::Op("add"), testing::Op("add")));
}

// ---- Variables -----------------------------------------------------------------------------------------------------

TEST(Variables, BoundOnesPairThroughTheirBinders) {
  const Any x = Var("x"), y = Var("y"), a = Var("a"), b = Var("b");
  ExpectMismatch(Lambda({x, y}, Array<Any>{x, y}), Lambda({a, b}, Array<Any>{a, b}), "");
  ExpectMismatch(Lambda({x, y}, Array<Any>{x, y}), Lambda({a, b}, Array<Any>{b, a}), "<root>.body[0] | <root>.body[0]");
  ExpectMismatch(Lambda({x, y}, x), Lambda({a, b}, b), "<root>.body | <root>.body");
  ExpectMismatch(Lambda({x, y}, x), Lambda({a, a}, a), "<root>.params[1] | <root>.params[1]");
  ExpectMismatch(Lambda({x}, Lambda({y}, x)), Lambda({a}, Lambda({b}, b)), "<root>.body.body | <root>.body.body");
}

TEST(Variables, CountedFieldsOfBindersCount) {
  ExpectMismatch(Lambda({Var("x", DataType::Int(32))}, 1), Lambda({Var("x", DataType::Int(64))}, 1),
                 "<root>.params[0].type | <root>.params[0].type");
}

TEST(Variables, ABinderIsSeenAfterTheValue) {
  const Any x = Var("x"), y = Var("y");
  EXPECT_TRUE(Equal(Let(x, 1, x), Let(y, 1, y)));
  // In the value the variable is another one that is unbound.
  EXPECT_EQ(Mismatch(Let(x, x, x), Let(y, y, y)), "<root>.value | <root>.value");
  EXPECT_TRUE(Equal(Let(x, x, x), Let(y, y, y), FileOptions()));
}

TEST(Variables, OnlyARecursiveRegionBindsBelowAVariable) {
  const auto value = [](bool recursive) {
    const Any n = Var("n"), x = Var("x", n);
    return recursive ? Lambda({x}, n) : Let(x, 0, n);
  };
  EXPECT_TRUE(Equal(value(true), value(true)));
  EXPECT_EQ(Mismatch(value(false), value(false)), "<root>.var.type | <root>.var.type");
}

TEST(Variables, UnboundOnesEqualThemselvesInTheLibrary) {
  const Any x = Var("x"), y = Var("x");
  EXPECT_TRUE(Equal(Call("f", {x, y}), Call("f", {x, y})));
  EXPECT_FALSE(Equal(Call("f", {x, y}), Call("f", {y, x})));
  EXPECT_EQ(Mismatch(Call("f", {x}), Call("f", {y})), "<root>.args[0] | <root>.args[0]");
  StructuralOptions map_free;
  map_free.map_free_vars = true;
  EXPECT_TRUE(Equal(Call("f", {x, y, x}), Call("f", {y, x, y}), map_free));
  EXPECT_FALSE(Equal(Call("f", {x, x}), Call("f", {x, y}), map_free));
  EXPECT_FALSE(Equal(Call("f", {x, y}), Call("f", {x, x}), map_free));
}

TEST(Variables, UnboundOnesPairAtFirstMeetingInFiles) {
  const Any x = Var("x"), y = Var("y");
  ExpectMismatch(Call("f", {x, y, x}), Call("f", {y, x, y}), "");
  ExpectMismatch(Call("f", {x, y, x}), Call("f", {y, x, x}), "<root>.args[2] | <root>.args[2]");
  ExpectMismatch(Call("f", {Var("x", 1)}), Call("f", {Var("x", 2)}), "<root>.args[0].type | <root>.args[0].type");
}

TEST(Variables, AFileThatBindsLaterDiffersFromOneThatDoesNot) {
  const Any x = Var("x"), y = Var("y");
  ExpectMismatch(Array<Any>{x, Lambda({x}, 1)}, Array<Any>{y, Lambda({y}, 1)}, "");
  ExpectMismatch(Array<Any>{x, Lambda({x}, 1)}, Array<Any>{y, Lambda({Var("z")}, 1)}, "<root>[0] | <root>[0]");
}

// ---- Keys of maps --------------------------------------------------------------------------------------------------

TEST(MapKeys, TreesPairByContent) {
  ExpectMismatch(Map<Any, Any>{{Const(1), "a"}, {Const(2), "b"}}, Map<Any, Any>{{Const(2), "b"}, {Const(1), "a"}}, "");
  ExpectMismatch(Map<Any, Any>{{Array<Any>{1}, "a"}}, Map<Any, Any>{{Array<Any>{1}, "b"}},
                 "<root>[ffi.Array] | <root>[ffi.Array]");
  EXPECT_FALSE(Equal(Map<Any, Any>{{Const(1), "a"}}, Map<Any, Any>{{Const(2), "a"}}));
  EXPECT_TRUE(Equal(Map<Any, Any>{{Const(1), "a"}}, Map<Any, Any>{{Const(1), "a"}}));
}

TEST(MapKeys, EqualOnesPairInIterationOrder) {
  EXPECT_TRUE(Equal(Map<Any, Any>{{Const(1), "a"}, {Const(1), "b"}}, Map<Any, Any>{{Const(1), "a"}, {Const(1), "b"}}));
  EXPECT_FALSE(Equal(Map<Any, Any>{{Const(1), "a"}, {Const(1), "b"}}, Map<Any, Any>{{Const(1), "b"}, {Const(1), "a"}}));
}

// Neither the number of alike keys nor their depth makes comparison slow.
TEST(MapKeys, ManyAlikeOnes) {
  StructuralOptions options;
  options.as_files = true;
  const auto chain = [](int n, bool turned) {
    std::vector<Any> variables, keys;
    for (int i = 0; i <= n; ++i) variables.push_back(Var("x"));
    for (size_t i = 0; i < static_cast<size_t>(n); ++i) keys.push_back(Call("f", {variables[i], variables[i + 1]}));
    if (turned) std::reverse(keys.begin(), keys.end());
    Map<Any, Any> map;
    for (const Any& key : keys) map = std::move(map).insert(key, 1);
    return map;
  };
  EXPECT_TRUE(StructuralEqual::Equal(chain(1000, false), chain(1000, false), options));
  StructuralEqual::Equal(chain(1000, false), chain(1000, true), options);
  const auto nested = [](int depth) {
    Any key = Var("x");
    for (int i = 0; i < depth; ++i) {
      key = Map<Any, Any>{{Call("f", {Var("x"), key}), 1}, {Call("f", {Var("x"), key}), 2}};
    }
    return key;
  };
  EXPECT_TRUE(StructuralEqual::Equal(nested(200), nested(200), options));
}

TEST(MapKeys, IdentityComesBeforeContent) {
  const Any a = Const(1), b = Const(1);
  EXPECT_TRUE(Equal(Map<Any, Any>{{a, "a"}, {b, "b"}}, Map<Any, Any>{{b, "b"}, {a, "a"}}));
}

TEST(MapKeys, BoundVariablesPairThroughTheirBinders) {
  const Any x = Var("x"), y = Var("y"), a = Var("a"), b = Var("b");
  ExpectMismatch(Lambda({x, y}, Map<Any, Any>{{x, 1}, {y, 2}}), Lambda({a, b}, Map<Any, Any>{{b, 2}, {a, 1}}), "");
  EXPECT_EQ(Mismatch(Lambda({x, y}, Map<Any, Any>{{x, 1}, {y, 2}}), Lambda({a, b}, Map<Any, Any>{{a, 2}, {b, 1}})),
            "<root>.body[native.Var(\"x\")] | <root>.body[native.Var(\"a\")]");
  EXPECT_EQ(Mismatch(Lambda({x, y}, Map<Any, Any>{{x, 1}}), Lambda({a, b}, Map<Any, Any>{{b, 1}})),
            "<root>.body[native.Var(\"x\")] | <root>.body[<missing:native.Var(\"a\")>]");
  // Keys that hold bound variables and are alike but for these.
  ExpectMismatch(Lambda({x, y}, Map<Any, Any>{{Const(x), 1}, {Const(y), 2}}),
                 Lambda({a, b}, Map<Any, Any>{{Const(b), 2}, {Const(a), 1}}), "");
}

constexpr const char* kGlobals = R"({"transom_schema":1,"name":"t","types":{
  "t.Global":{"structural":"free_var","compare":["name"],"fields":[{"name":"name","type":"ffi.String"},{"name":"type","type":"int"}]},
  "t.Ref":{"structural":"tree","fields":[{"name":"to","type":"Any"}]}}})";

Any LoadGlobals(const std::string& nodes, int root) {
  LoadOptions options;
  options.schema = schema::Schema::Parse(kGlobals, "globals");
  return LoadJSON("{\"root_index\":" + std::to_string(root) + ",\"nodes\":[" + nodes + "]}", options).value;
}

// A module of two functions that call one another; `swap`: the entries stand in the other order.
Any TwoFunctions(bool swap, const char* second_target) {
  const std::string nodes = R"({"type":"ffi.String","data":"f"},{"type":"ffi.String","data":"g"},
    {"type":"t.Global","data":{"name":0,"type":1}},{"type":"t.Global","data":{"name":1,"type":2}},
    {"type":"t.Ref","data":{"to":3}},{"type":"t.Ref","data":{"to":)" +
                            std::string(second_target) +
                            "}},{\"type\":\"ffi.Map\",\"data\":" + (swap ? "[3,5,2,4]" : "[2,4,3,5]") + "}";
  return LoadGlobals(nodes, 6);
}

TEST(MapKeys, VariablesWithComparedFieldsPairByThem) {
  for (bool as_files : {false, true}) {
    StructuralOptions options;
    options.as_files = as_files;
    EXPECT_EQ(Mismatch(TwoFunctions(false, "2"), TwoFunctions(true, "2"), options), "");
    EXPECT_EQ(StructuralDigest(TwoFunctions(false, "2"), options), StructuralDigest(TwoFunctions(true, "2"), options));
    // All keys are paired before any value is compared, so the first value's use is no mismatch.
    EXPECT_EQ(Mismatch(TwoFunctions(false, "2"), TwoFunctions(false, "3"), options),
              "<root>[t.Global(\"g\")].to | <root>[t.Global(\"g\")].to");
  }
}

// ---- Versions of a type --------------------------------------------------------------------------------------------

Any Versioned(const std::string& fields, const std::string& data) {
  LoadOptions options;
  options.schema = schema::Schema::Parse(
      R"({"transom_schema":1,"name":"v","types":{"v.Item":{"structural":"tree","fields":[)" + fields + "]}}}",
      "versions");
  return LoadJSON(R"({"root_index":0,"nodes":[{"type":"v.Item","data":)" + data + "}]}", options).value;
}

TEST(Versions, CompareOverTheUnionOfFields) {
  const std::string a = R"({"name":"a","type":"int"})", b = R"({"name":"b","type":"int","default":5})",
                    c = R"({"name":"c","type":"int"})", ignored = R"({"name":"d","type":"int","ignore":true})";
  const Any old = Versioned(a, R"({"a":1})");
  const auto check = [&](const Any& other, const std::string& wanted, const std::string& back) {
    EXPECT_EQ(Mismatch(old, other), wanted);
    EXPECT_EQ(Mismatch(other, old), back);
    EXPECT_EQ(StructuralDigest(old) == StructuralDigest(other), wanted.empty());
  };
  check(Versioned(a + "," + b, R"({"a":1,"b":5})"), "", "");
  check(Versioned(b + "," + a, R"({"a":1})"), "", "");
  check(Versioned(a + "," + b, R"({"a":1,"b":6})"), "<root>[<missing:\"b\">] | <root>.b",
        "<root>.b | <root>[<missing:\"b\">]");
  check(Versioned(a + "," + c, R"({"a":1,"c":5})"), "<root>[<missing:\"c\">] | <root>.c",
        "<root>.c | <root>[<missing:\"c\">]");
  check(Versioned(a + "," + ignored, R"({"a":1,"d":5})"), "", "");
  check(Versioned(c, R"({"c":1})"), "<root>.a | <root>[<missing:\"a\">]", "<root>.c | <root>[<missing:\"c\">]");
}

TEST(Versions, OrderOfFieldsDoesNotChangeEquality) {
  const std::string a = R"({"name":"a","type":"int"})", b = R"({"name":"b","type":"int"})";
  EXPECT_TRUE(Equal(Versioned(a + "," + b, R"({"a":1,"b":2})"), Versioned(b + "," + a, R"({"a":1,"b":2})")));
  EXPECT_EQ(Mismatch(Versioned(a + "," + b, R"({"a":1,"b":2})"), Versioned(b + "," + a, R"({"a":2,"b":1})")),
            "<root>.a | <root>.a");
}

// ---- Cycles, functions, size ---------------------------------------------------------------------------------------

TEST(Equal, CyclesAreErrorsWithTheirPlace) {
  const auto cycle = [] {
    List<Any> list;
    Dict<String, Any> dict;
    list.push_back(0);
    list.push_back(dict);
    dict.set("back", list);
    return list;
  };
  List<Any> lhs = cycle(), rhs = cycle();
  EXPECT_EQ(
      ErrorOf([&] { Equal(Const(lhs), Const(rhs)); }),
      "ValueError: <root>.value[1][\"back\"]: the left value contains itself; values with cycles cannot be compared");
  const Any finite = Const(List<Any>{0, Dict<String, Any>{{"back", List<Any>{0, Dict<String, Any>{{"back", 1}}}}}});
  EXPECT_EQ(
      ErrorOf([&] { Equal(finite, Const(rhs)); }),
      "ValueError: <root>.value[1][\"back\"]: the right value contains itself; values with cycles cannot be compared");
  lhs.clear();
  rhs.clear();
}

TEST(Equal, CyclesThroughIgnoredFieldsAreFine) {
  auto call = make_object<testing::CallObj>();
  call->op = "f";
  call->span = Any(call);
  EXPECT_TRUE(Equal(call, Call("f")));
  call->span = nullptr;
}

TEST(Equal, FunctionsAreErrorsWithTheirPlace) {
  const Any value = Call("f", {Map<String, Any>{{"hook", Function::FromTyped([] {})}}});
  EXPECT_EQ(ErrorOf([&] { Equal(value, value); }),
            "ValueError: <root>.args[0][\"hook\"]: values of type ffi.Function have no structure to compare; ignore "
            "the field "
            "that holds it");
}

TEST(Equal, LaddersOfSharedNodesAreLinear) {
  const auto ladder = [](int levels, const Any& leaf) {
    Any last = leaf;
    for (int i = 0; i < levels; ++i) last = Call("add", {last, last});
    return last;
  };
  for (int levels : {40, 100000}) {
    EXPECT_TRUE(Equal(ladder(levels, 1), ladder(levels, 1)));
    EXPECT_FALSE(Equal(ladder(levels, 1), ladder(levels, 2)));
  }
  EXPECT_EQ(Mismatch(ladder(3, 1), ladder(3, 2)), "<root>.args[0].args[0].args[0] | <root>.args[0].args[0].args[0]");
}

TEST(Equal, ChainAndWideArrayOfAMillion) {
  const auto chain = [](int64_t leaf) {
    Any last = leaf;
    for (int i = 0; i < 1000000; ++i) last = Const(std::move(last));
    return last;
  };
  EXPECT_TRUE(Equal(chain(1), chain(1)));
  EXPECT_EQ(StructuralEqual::GetFirstMismatch(chain(1), chain(2))->lhs->depth, 1000000);
  std::vector<Any> items(1000000);
  for (size_t i = 0; i < items.size(); ++i) items[i] = Const(static_cast<int64_t>(i));
  const Array<Any> wide(items.begin(), items.end());
  items.back() = Const(0);
  EXPECT_EQ(Mismatch(wide, Array<Any>(items.begin(), items.end())), "<root>[999999].value | <root>[999999].value");
}

}  // namespace
}  // namespace transom
