// What a diff leaves out on request, and what it takes otherwise.
#include <gtest/gtest.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/tensor.h>
#include <transom/structural/diff.h>
#include <transom/structural/equal.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "structural/diff/edit_steps.h"
#include "support/native_types.h"

namespace transom {
namespace {

using testing::Call;
using testing::Const;
using testing::ErrorOf;
using testing::Lambda;
using testing::Let;
using testing::Node;
using testing::Plain;
using testing::Var;

std::string PathText(const std::vector<DiffStep>& steps) {
  return graph::PathText(structural::StepsToPath(steps), false);
}

std::string Lines(const DiffResult& diff) {
  std::string out;
  for (const Edit& edit : diff.edits) {
    out += std::string(EditKindName(edit.kind)) + " " + PathText(edit.lhs_path) + " " + PathText(edit.rhs_path);
    if (edit.places != 1) out += " x" + std::to_string(edit.places);
    out += "\n";
  }
  return out;
}

// One line per edit, after a check that all ways to ask agree, and that the mirror image has the other side's lines.
std::string Diff(const Any& lhs, const Any& rhs, const DiffOptions& options) {
  const DiffResult diff = StructuralDiff(lhs, rhs, options);
  const DiffResult mirror = StructuralDiff(rhs, lhs, options);
  EXPECT_EQ(diff.equal(), EqualForDiff(lhs, rhs, options));
  EXPECT_EQ(diff.equal(), EqualForDiff(rhs, lhs, options));
  EXPECT_EQ(diff.total(), mirror.total());
  DiffOptions first = options;
  first.first_only = true;
  const DiffResult one = StructuralDiff(lhs, rhs, first);
  EXPECT_EQ(one.equal(), diff.equal());
  EXPECT_LE(one.edits.size(), 1u);
  if (!options.ignore.empty() && !one.equal()) {
    EXPECT_EQ(Lines(one), Lines(diff).substr(0, Lines(one).size()));
  }
  return Lines(diff);
}

DiffOptions Ignore(std::vector<std::string> paths) {
  DiffOptions options;
  options.ignore = std::move(paths);
  return options;
}

DiffOptions Only(std::vector<std::string> paths) {
  DiffOptions options;
  options.only = std::move(paths);
  return options;
}

DiffOptions Near(double rtol, double atol) {
  DiffOptions options;
  options.rtol = rtol;
  options.atol = atol;
  return options;
}

DiffOptions Unordered(std::vector<std::string> paths) {
  DiffOptions options;
  options.unordered = std::move(paths);
  return options;
}

DiffOptions Keyed(std::string path, std::string field) {
  DiffOptions options;
  options.keys = {{std::move(path), std::move(field)}};
  return options;
}

Any Item(const std::string& id, Any value) { return Map<String, Any>{{"id", String(id)}, {"value", std::move(value)}}; }

// ---- Places that are ignored ----------------------------------------------------------------------------------------

TEST(DiffIgnore, LeavesOutPlacesAndWhatIsBelow) {
  const Any lhs = Map<String, Any>{{"a", Array<Any>{1, Const(2)}}, {"b", 3}};
  const Any rhs = Map<String, Any>{{"a", Array<Any>{1, Const(4)}}, {"b", 5}};
  const std::string a = "update <root>[\"a\"][1].value <root>[\"a\"][1].value\n";
  const std::string b = "update <root>[\"b\"] <root>[\"b\"]\n";
  EXPECT_EQ(Diff(lhs, rhs, {}), a + b);
  EXPECT_EQ(Diff(lhs, rhs, Ignore({"<root>[\"a\"][1].value"})), b);  // a printed path
  EXPECT_EQ(Diff(lhs, rhs, Ignore({"[\"a\"]"})), b);
  EXPECT_EQ(Diff(lhs, rhs, Ignore({"**.value"})), b);
  EXPECT_EQ(Diff(lhs, rhs, Ignore({"*[1]"})), b);
  EXPECT_EQ(Diff(lhs, rhs, Ignore({"[*][*].*"})), b);
  EXPECT_EQ(Diff(lhs, rhs, Ignore({"[\"b\"]"})), a);
  EXPECT_EQ(Diff(lhs, rhs, Ignore({"[\"b\"]", "**[1]"})), "");
  EXPECT_EQ(Diff(lhs, rhs, Ignore({"<root>"})), "");
  EXPECT_EQ(Diff(1, 2, Ignore({"**"})), "");
  EXPECT_EQ(Diff(lhs, rhs, Ignore({"[\"a\"][0]", "[\"c\"]", "**.span"})), a + b);
}

TEST(DiffIgnore, LeavesOutWhatComesAndGoes) {
  const Any lhs = Map<String, Any>{{"kept", 1}, {"gone", 2}};
  const Any rhs = Map<String, Any>{{"kept", 1}, {"new", 2}};
  EXPECT_EQ(Diff(lhs, rhs, Ignore({"[\"gone\"]", "[\"new\"]"})), "");
  EXPECT_EQ(Diff(lhs, rhs, Ignore({"[\"gone\"]"})), "insert <root>[<missing:\"new\">] <root>[\"new\"]\n");
  EXPECT_EQ(Diff(Array<Any>{1, 2}, Array<Any>{1, 2, 3}, Ignore({"[2]"})), "");
  EXPECT_EQ(Diff(Array<Any>{9, 1, 2}, Array<Any>{1, 2}, Ignore({"[0]"})), "");
  EXPECT_EQ(Diff(Array<Any>{9, 1, 2}, Array<Any>{1, 2, 3}, Ignore({"[0]"})), "insert <root>[<missing:3>] <root>[2]\n");
  EXPECT_EQ(Diff(Array<Any>{1, "a"}, Array<Any>{"b", 2, 3}, Ignore({"[*]"})), "");
}

TEST(DiffIgnore, ReachesElementsOfSequencesOfOtherLength) {
  const auto calls = [](int64_t from, int64_t to, int64_t span) {
    Array<Any> result;
    for (int64_t i = from; i < to; ++i) result = std::move(result).push_back(Call("op", {i, Const(span++)}));
    return result;
  };
  EXPECT_EQ(Diff(calls(0, 50, 100), calls(1, 50, 900), Ignore({"[*].args[1].value"})),
            "delete <root>[0] <root>[<missing:0>]\n");
  EXPECT_EQ(Diff(calls(0, 50, 100), calls(0, 51, 900), Ignore({"**.value"})),
            "insert <root>[<missing:50>] <root>[50]\n");
}

TEST(DiffIgnore, ASharedNodeCountsWhereItIsNotIgnored) {
  const Any l = Const(1), r = Const(2);
  const Any lhs = Map<String, Any>{{"a", l}, {"b", l}}, rhs = Map<String, Any>{{"a", r}, {"b", r}};
  EXPECT_EQ(Diff(lhs, rhs, {}), "update <root>[\"b\"].value <root>[\"b\"].value x2\n");
  EXPECT_EQ(Diff(lhs, rhs, Ignore({"[\"a\"].value"})), "update <root>[\"b\"].value <root>[\"b\"].value\n");
  EXPECT_EQ(Diff(lhs, rhs, Ignore({"[\"b\"].value"})), "update <root>[\"a\"].value <root>[\"a\"].value\n");
  EXPECT_EQ(Diff(lhs, rhs, Ignore({"[\"a\"]", "[\"b\"]"})), "");
  EXPECT_EQ(Diff(lhs, rhs, Ignore({"[\"a\"].value", "[\"b\"]"})), "");
  // A state of the patterns that ignores nothing here makes no second difference.
  EXPECT_EQ(Diff(lhs, rhs, Ignore({"[\"a\"].span"})), "update <root>[\"b\"].value <root>[\"b\"].value x2\n");
}

TEST(DiffIgnore, WhatIsNotLookedAtNeedNotBeComparable) {
  const Any lhs = Call("f", {Function::FromTyped([] { return 1; }), Plain(1)});
  const Any rhs = Call("g", {Function::FromTyped([] { return 2; }), Plain(2)});
  EXPECT_EQ(Diff(lhs, rhs, Ignore({".args[*]"})), "update <root>.op <root>.op\n");
  EXPECT_NE(ErrorOf([&] { StructuralDiff(lhs, rhs, Ignore({".args[0]"})); }), "no error");
}

TEST(DiffIgnore, VariablesOfIgnoredBindersPairAtTheirFirstUse) {
  const auto function = [](const char* x, const char* y, bool swap) {
    const Any a = Var(x), b = Var(y);
    return Lambda({a, b}, Call("sub", {swap ? b : a, swap ? a : b, a}));
  };
  EXPECT_EQ(Diff(function("x", "y", false), function("p", "q", false), Ignore({".params"})), "");
  // Which parameter is which is not looked at, so the first operands are a pair, and then the third ones are none.
  EXPECT_EQ(Diff(function("x", "y", false), function("p", "q", true), Ignore({".params"})),
            "rewire <root>.body.args[2] <root>.body.args[2]\n");
  DiffOptions field;
  field.ignore_fields = {"native.Lambda.params"};
  EXPECT_EQ(Diff(function("x", "y", false), function("p", "q", false), field), "");
  field.as_files = true;
  EXPECT_EQ(Diff(function("x", "y", false), function("p", "q", false), field), "");
}

TEST(DiffIgnore, TheCapCountsWhatIsNotIgnored) {
  Array<Any> lhs, rhs;
  for (int64_t i = 0; i < 1000; ++i) {
    lhs = std::move(lhs).push_back(Call("op", {i, Const(i)}));
    rhs = std::move(rhs).push_back(Call(i == 999 ? "other" : "op", {i, Const(-1 - i)}));
  }
  DiffOptions options = Ignore({"**.value"});
  options.max_edits = 1;
  const DiffResult diff = StructuralDiff(lhs, rhs, options);
  EXPECT_EQ(Lines(diff), "update <root>[999].op <root>[999].op\n");
  EXPECT_FALSE(diff.truncated);
}

// ---- Fields and types -----------------------------------------------------------------------------------------------

DiffOptions Fields(std::vector<std::string> fields) {
  DiffOptions options;
  options.ignore_fields = std::move(fields);
  return options;
}

DiffOptions Types(std::vector<std::string> types) {
  DiffOptions options;
  options.ignore_types = std::move(types);
  return options;
}

TEST(DiffIgnoreFields, OfATypeAndItsDescendants) {
  const Any lhs = Array<Any>{Call("f", {Const(1)}), Node(1)}, rhs = Array<Any>{Call("f", {Const(2)}), Node(2)};
  const std::string constant = "update <root>[0].args[0].value <root>[0].args[0].value\n";
  const std::string node = "update <root>[1].value <root>[1].value\n";
  for (const bool records : {false, true}) {
    const Any l = records ? testing::AsRecords(lhs) : lhs, r = records ? testing::AsRecords(rhs) : rhs;
    EXPECT_EQ(Diff(l, r, Fields({"native.Const.value"})), node);
    EXPECT_EQ(Diff(l, r, Fields({"native.Node.value"})), constant);
    EXPECT_EQ(Diff(l, r, Fields({"*.value"})), "");
    EXPECT_EQ(Diff(l, r, Fields({"ffi.Object.value"})), "");
    EXPECT_EQ(Diff(l, r, Fields({"native.Call.value", "native.Const.name"})), constant + node);
  }
}

TEST(DiffIgnoreFields, EnterTheAlignmentOfSequences) {
  Array<Any> lhs, rhs;
  for (int64_t i = 0; i < 100; ++i) lhs = std::move(lhs).push_back(Let(Var("v"), i, Const(i)));
  for (int64_t i = 3; i < 100; ++i) rhs = std::move(rhs).push_back(Let(Var("w"), i, Const(-i)));
  EXPECT_EQ(Diff(lhs, rhs, Fields({"native.Const.value"})),
            "delete <root>[0] <root>[<missing:0>]\n"
            "delete <root>[1] <root>[<missing:0>]\n"
            "delete <root>[2] <root>[<missing:0>]\n");
}

TEST(DiffIgnoreTypes, ObjectsAreEqualToEachOtherAndToNothingElse) {
  const Any lhs = Array<Any>{Const(1), Call("f")}, rhs = Array<Any>{Const(Const(2)), Call("g")};
  EXPECT_EQ(Diff(lhs, rhs, Types({"native.Const"})), "update <root>[1].op <root>[1].op\n");
  EXPECT_EQ(Diff(lhs, rhs, Types({"native.Const", "native.Call"})), "");
  EXPECT_EQ(Diff(lhs, rhs, Types({"ffi.Object"})), "");
  EXPECT_EQ(Diff(testing::AsRecords(lhs), testing::AsRecords(rhs), Types({"native.Call"})),
            "replace <root>[0].value <root>[0].value\n");
  EXPECT_EQ(Diff(Call("f", {Const(1)}), Call("f", {7}), Types({"native.Const"})),
            "delete <root>.args[0] <root>.args[<missing:1>]\ninsert <root>.args[<missing:1>] <root>.args[0]\n");
  EXPECT_EQ(Diff(Array<Any>{Const(1)}, Array<Any>{Const(2), Const(3)}, Types({"native.Const"})),
            "insert <root>[<missing:1>] <root>[1]\n");
}

TEST(DiffIgnoreTypes, TypesThatCannotBeComparedAreEqual) {
  EXPECT_EQ(Diff(Array<Any>{Plain(1), 1}, Array<Any>{Plain(2), 2}, Types({"native.Plain"})),
            "update <root>[1] <root>[1]\n");
}

TEST(DiffIgnoreErrors, SayWhatIsExpected) {
  const auto error = [](const DiffOptions& options) { return ErrorOf([&] { StructuralDiff(1, 1, options); }); };
  EXPECT_EQ(
      error(Fields({"span"})),
      "ValueError: ignored field \"span\": expected TYPE.FIELD, such as ir.Call.span, or *.span for the fields of "
      "that name of all types");
  EXPECT_EQ(error(Fields({"ir.Call."})).substr(0, 38), "ValueError: ignored field \"ir.Call.\": ");
  EXPECT_EQ(error(Types({""})), "ValueError: ignored type \"\": expected the key of a type, such as ir.Span");
  EXPECT_EQ(
      error(Types({"ffi.Map"})),
      "ValueError: ignored type \"ffi.Map\": only types of objects with fields can be ignored; ignore the fields or "
      "places that hold such values");
  EXPECT_EQ(error(Types({"no.SuchType"})), "no error");  // types of records need not be registered
  EXPECT_EQ(error(Near(-1, 0)), "ValueError: rtol -1: a tolerance is a finite number from 0 on");
  EXPECT_EQ(error(Near(0, std::nan(""))), "ValueError: atol nan: a tolerance is a finite number from 0 on");
  EXPECT_EQ(error(Only({".a["})),
            "ValueError: path to be compared only \".a[\": character 4: a `[` is not closed by `]`");
  EXPECT_EQ(error(Unordered({"a"})).substr(0, 56), "ValueError: path of an unordered sequence \"a\": character");
  EXPECT_EQ(error(Keyed(".a", "")),
            "ValueError: path of a sequence with a key field \".a\": the name of the field is empty");
}

// ---- Only some places -----------------------------------------------------------------------------------------------

TEST(DiffOnly, ReportsPlacesThatMatchAndWhatIsBelow) {
  const Any lhs = Map<String, Any>{{"a", Call("f", {1, Const(2)})}, {"b", Call("g")}};
  const Any rhs = Map<String, Any>{{"a", Call("h", {1, Const(3)})}, {"b", Call("i")}};
  const std::string op = "update <root>[\"a\"].op <root>[\"a\"].op\n";
  const std::string arg = "update <root>[\"a\"].args[1].value <root>[\"a\"].args[1].value\n";
  const std::string b = "update <root>[\"b\"].op <root>[\"b\"].op\n";
  EXPECT_EQ(Diff(lhs, rhs, Only({"[\"a\"]"})), op + arg);
  EXPECT_EQ(Diff(lhs, rhs, Only({"[\"a\"].args", "[\"b\"]"})), arg + b);
  EXPECT_EQ(Diff(lhs, rhs, Only({"**.op"})), op + b);
  EXPECT_EQ(Diff(lhs, rhs, Only({"[\"c\"]"})), "");
  DiffOptions both = Only({"[\"a\"]"});
  both.ignore = {"**.op"};
  EXPECT_EQ(Diff(lhs, rhs, both), arg);
}

TEST(DiffOnly, SaysWhenAPlaceIsGoneWithWhatHeldIt) {
  const Any lhs = Map<String, Any>{{"a", Call("f", {Const(1)})}, {"b", Call("g")}};
  const Any rhs = Map<String, Any>{{"a", 5}};
  EXPECT_EQ(Diff(lhs, rhs, Only({"[\"a\"].op"})), "replace <root>[\"a\"] <root>[\"a\"]\n");
  EXPECT_EQ(Diff(lhs, rhs, Only({"**.value"})), "replace <root>[\"a\"] <root>[\"a\"]\n");
  EXPECT_EQ(Diff(lhs, rhs, Only({"[\"b\"].op"})), "delete <root>[\"b\"] <root>[<missing:\"b\">]\n");
  EXPECT_EQ(Diff(lhs, rhs, Only({"[\"b\"].span.x"})), "");
  EXPECT_EQ(Diff(Call("f"), 1, Only({".op"})), "replace <root> <root>\n");
  EXPECT_EQ(Diff(Call("f"), 1, Only({".other"})), "");
}

TEST(DiffOnly, VariablesArePairedOutside) {
  const auto function = [](bool swap) {
    const Any a = Var("a"), b = Var("b");
    return Lambda({a, b}, Call("sub", {swap ? b : a, swap ? a : b}));
  };
  EXPECT_EQ(Diff(function(false), function(true), Only({".body"})),
            "rewire <root>.body.args[0] <root>.body.args[0]\n"
            "rewire <root>.body.args[1] <root>.body.args[1]\n");
  EXPECT_EQ(Diff(function(false), function(true), Only({".params"})), "");
}

// ---- Tolerance ------------------------------------------------------------------------------------------------------

Any Floats(std::vector<double> values) { return Array<Any>(values.begin(), values.end()); }

TEST(DiffTolerance, IsSymmetric) {
  EXPECT_EQ(Diff(100.0, 101.0, Near(0, 1)), "");
  EXPECT_EQ(Diff(100.0, 101.5, Near(0, 1)), "update <root> <root>\n");
  EXPECT_EQ(Diff(100.0, 110.0, Near(0.1, 0)), "");
  EXPECT_EQ(Diff(100.0, 112.0, Near(0.1, 0)), "update <root> <root>\n");
  EXPECT_EQ(Diff(-0.0, 0.0, {}), "update <root> <root>\n");
  EXPECT_EQ(Diff(-0.0, 0.0, Near(1e-9, 0)), "");
  EXPECT_EQ(Diff(1, 1.0, Near(1, 1)), "replace <root> <root>\n");
  EXPECT_EQ(Diff(1, 2, Near(1, 1)), "update <root> <root>\n");
}

TEST(DiffTolerance, NanAndInfinitiesAreThemselves) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  EXPECT_EQ(Diff(Floats({nan, inf, -inf}), Floats({nan, inf, -inf}), Near(1, 1)), "");
  for (const double other : {1.0, -inf, nan}) EXPECT_EQ(Diff(inf, other, Near(1, 1e300)), "update <root> <root>\n");
  EXPECT_EQ(Diff(nan, 1.0, Near(1, 1e300)), "update <root> <root>\n");
}

TEST(DiffTolerance, HoldsForFieldsElementsAndValues) {
  const auto value = [](double by) {
    return Call("f", {Const(1 + by), Map<String, Any>{{"x", 2 + by}}, List<Any>{3 + by}});
  };
  EXPECT_EQ(Diff(value(0), value(1e-6), Near(0, 1e-5)), "");
  EXPECT_EQ(Diff(testing::AsRecords(value(0)), testing::AsRecords(value(1e-6)), Near(0, 1e-5)), "");
  EXPECT_EQ(Diff(value(0), value(1e-4), Near(0, 1e-5)),
            "update <root>.args[0].value <root>.args[0].value\n"
            "update <root>.args[1][\"x\"] <root>.args[1][\"x\"]\n"
            "update <root>.args[2][0] <root>.args[2][0]\n");
}

TEST(DiffTolerance, SequencesAreAlignedByWhatIsNear) {
  std::vector<double> values, moved;
  for (int i = 0; i < 500; ++i) values.push_back(std::sin(i) * 100);
  for (const double value : values) moved.push_back(value + 1e-7);
  moved.insert(moved.begin() + 250, 1e6);
  EXPECT_EQ(Diff(Floats(values), Floats(moved), Near(0, 1e-6)), "insert <root>[<missing:250>] <root>[250]\n");
  const auto wrapped = [](const std::vector<double>& from) {
    Array<Any> items;
    for (const double value : from) items = std::move(items).push_back(Call("f", {Const(value)}));
    return items;
  };
  EXPECT_EQ(Diff(wrapped(values), wrapped(moved), Near(0, 1e-6)), "insert <root>[<missing:250>] <root>[250]\n");
  moved[400] += 5;
  moved[100] += 5;
  EXPECT_EQ(Diff(wrapped(values), wrapped(moved), Near(0, 1e-6)),
            "update <root>[100].args[0].value <root>[100].args[0].value\n"
            "insert <root>[<missing:250>] <root>[250]\n"
            "update <root>[399].args[0].value <root>[400].args[0].value\n");
}

TEST(DiffTolerance, IsNotTransitive) {
  // Pairs that are near prove nothing about others: one left object is near two right ones that are not near each
  // other.
  const Any a = Const(1.0), b = Const(1.9), c = Const(2.8);
  EXPECT_EQ(Diff(Array<Any>{a, b, a, a}, Array<Any>{b, c, b, c}, Near(0, 1)),
            "update <root>[3].value <root>[3].value x2\n");
}

Tensor MakeTensor(DLDataType dtype, const std::vector<uint16_t>& words) {
  const int64_t bytes = static_cast<int64_t>(words.size()) * 2;
  const int64_t n = bytes * 8 / dtype.bits;
  Tensor tensor = Tensor::Empty(Shape({n}), DataType(dtype), Device{kDLCPU, 0});
  std::memcpy(tensor.data_ptr(), words.data(), static_cast<size_t>(bytes));
  return tensor;
}

TEST(DiffTolerance, HoldsForTheElementsOfFloatTensors) {
  const DLDataType half{kDLFloat, 16, 1}, bfloat{kDLBfloat, 16, 1}, single{kDLFloat, 32, 1}, twice{kDLFloat, 64, 1},
      integer{kDLInt, 16, 1}, eight{kTransomDLFloat8_e4m3fn, 8, 1};
  // 1 and the next number up, as words of 16 bits.
  const auto diff = [&](DLDataType dtype, std::vector<uint16_t> a, std::vector<uint16_t> b, double rtol) {
    return Diff(MakeTensor(dtype, a), MakeTensor(dtype, b), Near(rtol, 0));
  };
  EXPECT_EQ(diff(half, {0x3c00, 0x0001}, {0x3c01, 0x0001}, 1e-3), "");
  EXPECT_EQ(diff(half, {0x3c00}, {0x3c01}, 1e-4), "update <root> <root>\n");
  EXPECT_EQ(diff(half, {0x7c00}, {0x7bff}, 1), "update <root> <root>\n");
  EXPECT_EQ(diff(half, {0x7e00}, {0x7e01}, 1e-3), "");  // NaN
  EXPECT_EQ(diff(bfloat, {0x3f80}, {0x3f81}, 1e-2), "");
  EXPECT_EQ(diff(bfloat, {0x3f80}, {0x3f81}, 1e-3), "update <root> <root>\n");
  EXPECT_EQ(diff(single, {0, 0x3f80}, {1, 0x3f80}, 1e-6), "");
  EXPECT_EQ(diff(single, {0, 0x3f80}, {1, 0x3f80}, 1e-8), "update <root> <root>\n");
  EXPECT_EQ(diff(twice, {0, 0, 0, 0x3ff0}, {1, 0, 0, 0x3ff0}, 1e-15), "");
  EXPECT_EQ(diff(twice, {0, 0, 0, 0x3ff0}, {1, 0, 0, 0x3ff0}, 1e-17), "update <root> <root>\n");
  EXPECT_EQ(diff(integer, {1}, {2}, 1), "update <root> <root>\n");
  EXPECT_EQ(diff(eight, {0x3838}, {0x3839}, 1), "update <root> <root>\n");
  EXPECT_EQ(Diff(MakeTensor(half, {0x3c00}), MakeTensor(half, {0x3c00, 0x3c00}), Near(1, 1)), "update <root> <root>\n");
}

TEST(DiffTolerance, TensorsWhoseContentIsSkippedAreNearAnyway) {
  const DLDataType single{kDLFloat, 32, 1};
  DiffOptions options = Near(0, 1e-3);
  options.skip_tensor_content = true;
  EXPECT_EQ(
      Diff(Array<Any>{MakeTensor(single, {0, 0x3f80}), 1}, Array<Any>{MakeTensor(single, {0, 0x4f80}), 1}, options),
      "");
}

TEST(DiffTolerance, ApplyingKeepsWhatIsNear) {
  const Any lhs = Array<Any>{Const(1.0), Const(2.0), Const(3.0)}, rhs = Array<Any>{Const(1.1), Const(5.0), Const(3.1)};
  const Any made = ApplyDiff(lhs, StructuralDiff(lhs, rhs, Near(0, 0.2)));
  EXPECT_TRUE(StructuralEqual::Equal(made, Array<Any>{Const(1.0), Const(5.0), Const(3.0)}));
}

TEST(DiffIgnoreFields, ApplyingKeepsThem) {
  const Any lhs = Array<Any>{Let(1, 1, 1), Const(1)}, rhs = Array<Any>{Let(2, 2, 1), Const(2)};
  const Any made = ApplyDiff(lhs, StructuralDiff(lhs, rhs, Fields({"native.Let.value"})));
  EXPECT_TRUE(StructuralEqual::Equal(made, Array<Any>{Let(2, 1, 1), Const(2)}));
}

TEST(DiffIgnore, IsNotApplied) {
  for (const DiffOptions& options : {Ignore({"[0]"}), Only({"[0]"}), Unordered({"<root>"}), Keyed("<root>", "id")}) {
    const Any lhs = Array<Any>{Item("a", 1)}, rhs = Array<Any>{Item("a", 2)};
    const char* name = !options.ignore.empty()      ? "ignore"
                       : !options.only.empty()      ? "only"
                       : !options.unordered.empty() ? "unordered"
                                                    : "keys";
    EXPECT_EQ(ErrorOf([&] { ApplyDiff(lhs, StructuralDiff(lhs, rhs, options)); }),
              std::string("ValueError: a diff with the option ") + name +
                  " cannot be applied: it does not say all that differs; make it without");
  }
}

// ---- Order ----------------------------------------------------------------------------------------------------------

TEST(DiffUnordered, OrderIsNoDifference) {
  const Any lhs = Array<Any>{1, 2, 2, Const("a"), Call("f")}, rhs = Array<Any>{Call("f"), 2, Const("a"), 1, 2};
  EXPECT_NE(Diff(lhs, rhs, {}), "");
  EXPECT_EQ(Diff(lhs, rhs, Unordered({"<root>"})), "");
  EXPECT_EQ(Diff(lhs, rhs, Unordered({"**"})), "");
  EXPECT_NE(Diff(Array<Any>{lhs}, Array<Any>{rhs}, Unordered({"<root>"})), "");
  EXPECT_EQ(Diff(Array<Any>{lhs}, Array<Any>{rhs}, Unordered({"[*]"})), "");
  EXPECT_EQ(Diff(Const(Array<Any>{lhs, 7}), Const(Array<Any>{7, rhs}), Unordered({"**"})), "");
}

TEST(DiffUnordered, WhatIsLeftOverPairsByLikeness) {
  const Array<Any> lhs = {Call("a", {1, 2, 3}), Call("b", {4, 5, 6}), 1};
  const Array<Any> rhs = {2, Call("b", {4, 5, 0}), Call("c"), Call("a", {1, 2, 3})};
  EXPECT_EQ(Diff(lhs, rhs, Unordered({"<root>"})),
            "update <root>[1].args[2] <root>[1].args[2]\n"
            "update <root>[2] <root>[0]\n"
            "insert <root>[<missing:3>] <root>[2]\n");
  EXPECT_EQ(Diff(Array<Any>{1, 1, 2}, Array<Any>{2, 1}, Unordered({"<root>"})),
            "delete <root>[1] <root>[<missing:2>]\n");
}

TEST(DiffUnordered, VariablesTellElementsApart) {
  const auto function = [](bool swap) {
    const Any x = Var("x"), y = Var("y");
    const Any fx = Call("f", {x}), fy = Call("f", {y});
    return Lambda({x, y}, swap ? Array<Any>{fy, fx} : Array<Any>{fx, fy});
  };
  EXPECT_NE(Diff(function(false), function(true), {}), "");
  EXPECT_EQ(Diff(function(false), function(true), Unordered({".body"})), "");
}

TEST(DiffUnordered, ASharedSequenceIsOrderedElsewhere) {
  const Any l = Array<Any>{1, 2}, r = Array<Any>{2, 1};
  const Any lhs = Map<String, Any>{{"a", l}, {"b", l}}, rhs = Map<String, Any>{{"a", r}, {"b", r}};
  EXPECT_EQ(StructuralDiff(lhs, rhs, Unordered({"[\"a\"]"})).total(), 2u);
  EXPECT_EQ(Diff(lhs, rhs, Unordered({"[*]"})), "");
}

TEST(DiffUnordered, WithATolerance) {
  DiffOptions options = Unordered({"<root>"});
  options.atol = 0.11;
  EXPECT_EQ(Diff(Floats({1.0, 1.1, 5.0}), Floats({5.05, 1.2, 1.1}), options), "");
  EXPECT_EQ(Diff(Floats({1.0, 2.0}), Floats({2.05, 3.0, 1.05}), options), "insert <root>[<missing:2>] <root>[1]\n");
}

TEST(DiffKeys, ElementsPairByAField) {
  const Array<Any> lhs = {Item("a", 1), Item("b", 2), Item("c", 3)};
  const Array<Any> rhs = {Item("c", 3), Item("d", 4), Item("b", 5)};
  EXPECT_EQ(Diff(lhs, rhs, Keyed("<root>", "id")),
            "delete <root>[0] <root>[<missing:3>]\n"
            "update <root>[1][\"value\"] <root>[2][\"value\"]\n"
            "insert <root>[<missing:3>] <root>[1]\n");
  const Any calls = Array<Any>{Call("f", {1}), Call("g", {2})}, others = Array<Any>{Call("g", {3}), Call("f", {1})};
  EXPECT_EQ(Diff(calls, others, Keyed("<root>", "op")), "update <root>[1].args[0] <root>[0].args[0]\n");
}

TEST(DiffKeys, SeveralOfOneKeyPairInOrder) {
  const Array<Any> lhs = {Item("a", 1), Item("a", 2), Item("b", 0)}, rhs = {Item("b", 0), Item("a", 1), Item("a", 3)};
  EXPECT_EQ(Diff(lhs, rhs, Keyed("<root>", "id")), "update <root>[1][\"value\"] <root>[2][\"value\"]\n");
}

TEST(DiffKeys, ElementsWithoutTheFieldPairByContent) {
  const Array<Any> lhs = {Item("a", 1), 7, 8}, rhs = {8, 7, Item("a", 1)};
  EXPECT_EQ(Diff(lhs, rhs, Keyed("<root>", "id")), "");
}

TEST(DiffKeys, NoElementHasTheField) {
  const Any lhs = Map<String, Any>{{"list", Array<Any>{Item("a", 1)}}};
  const Any rhs = Map<String, Any>{{"list", Array<Any>{Item("b", 1)}}};
  EXPECT_EQ(
      ErrorOf([&] { StructuralDiff(lhs, rhs, Keyed("[\"list\"]", "key")); }),
      "ValueError: <root>[\"list\"]: none of the elements has the field or key \"key\" that \"[\\\"list\\\"]\" pairs "
      "them by");
  EXPECT_EQ(Diff(Array<Any>{}, Array<Any>{}, Keyed("<root>", "key")), "");
}

// ---- Size -----------------------------------------------------------------------------------------------------------

Any Chain(int64_t length, int64_t span) {
  Any chain = Const(span);
  for (int64_t i = 0; i < length; ++i) chain = Call("op", {chain, Const(span)});
  return chain;
}

TEST(DiffOptionsScale, DeepChains) {
  const Any lhs = Chain(30000, 1), rhs = Chain(30000, 2);
  EXPECT_TRUE(StructuralDiff(lhs, rhs, Ignore({"**.value"})).equal());
  EXPECT_TRUE(EqualForDiff(lhs, rhs, Only({"**.op"})));
  DiffOptions near = Near(0, 1);
  EXPECT_FALSE(EqualForDiff(lhs, rhs, near));
  near.ignore_types = {"native.Const"};
  EXPECT_TRUE(StructuralDiff(lhs, rhs, near).equal());
}

// Every level twice in the next, so that the unfolding has 2^levels leaves; `copies` of each level.
Any Ladder(int levels, Any leaf, int copies) {
  std::vector<Any> level(static_cast<size_t>(copies), leaf);
  for (int i = 0; i < levels; ++i) {
    std::vector<Any> next;
    for (int k = 0; k < copies; ++k)
      next.push_back(Call("op", {level[0], level[static_cast<size_t>(copies - 1)], Const(i)}));
    level = std::move(next);
  }
  return level[0];
}

TEST(DiffOptionsScale, SharingIsNotUnfolded) {
  for (const int copies : {1, 2}) {
    const Any lhs = Ladder(3000, Const(1.0), 1), rhs = Ladder(3000, Const(1.5), copies);
    EXPECT_FALSE(EqualForDiff(lhs, rhs, Ignore({"**.other"})));
    EXPECT_TRUE(StructuralDiff(lhs, rhs, Near(0, 1)).equal());
    EXPECT_TRUE(StructuralDiff(lhs, rhs, Ignore({"**.value"})).equal());
    EXPECT_TRUE(StructuralDiff(lhs, rhs, Ignore({"**.args[1]", "**.args[0].value"})).equal());
    EXPECT_TRUE(StructuralDiff(lhs, rhs, Only({"**.op"})).equal());
    EXPECT_TRUE(StructuralDiff(lhs, Ladder(3000, Const(1.0), copies), Unordered({"**"})).equal());
  }
}

TEST(DiffOptionsScale, ManyEqualPartsAgainstMany) {
  constexpr int64_t kCopies = 300;
  std::vector<Any> lhs, rhs;
  for (int64_t i = 0; i < kCopies; ++i) {
    lhs.push_back(Chain(500, i));
    rhs.push_back(Chain(500, -i));
  }
  std::vector<Any> l, r;
  for (int64_t i = 0; i < kCopies * kCopies; ++i) {
    l.push_back(lhs[static_cast<size_t>(i % kCopies)]);
    r.push_back(rhs[static_cast<size_t>(i / kCopies)]);
  }
  EXPECT_TRUE(
      StructuralDiff(Array<Any>(l.begin(), l.end()), Array<Any>(r.begin(), r.end()), Ignore({"**.value"})).equal());
}

TEST(DiffOptionsScale, WideLists) {
  std::vector<double> values, others;
  for (int i = 0; i < 100000; ++i) values.push_back(i * 0.25);
  for (int i = 0; i < 100000; ++i) others.push_back(values[static_cast<size_t>(i * 7LL % 100000)] + 1e-9);
  DiffOptions options = Unordered({"<root>"});
  options.rtol = 1e-6;
  options.atol = 1e-6;
  EXPECT_TRUE(StructuralDiff(Floats(values), Floats(others), options).equal());
  others = values;
  others.insert(others.begin() + 3, -1);
  EXPECT_EQ(Lines(StructuralDiff(Floats(values), Floats(others), Near(0, 1e-6))),
            "insert <root>[<missing:3>] <root>[3]\n");
  EXPECT_EQ(Lines(StructuralDiff(Floats(values), Floats(others), Ignore({"[3]", "**.x"}))), "");
}

}  // namespace
}  // namespace transom
