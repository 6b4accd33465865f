#include <transom/structural/diff.h>

#include <gtest/gtest.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/shape.h>
#include <transom/formats/json_graph.h>
#include <transom/graph/resolve_path.h>
#include <transom/structural/equal.h>

#include <limits>
#include <string>
#include <vector>

#include "graph/path.h"
#include "structural/diff_lines.h"
#include "support/native_types.h"

namespace transom {
namespace {

using testing::AsRecords;
using testing::Call;
using testing::CheckDiff;
using testing::Const;
using testing::Diff;
using testing::DiffFileOptions;
using testing::DiffLines;
using testing::ErrorOf;
using testing::Lambda;
using testing::Let;
using testing::Node;
using testing::Var;

Array<Any> Calls(const std::vector<int64_t>& ids) {
  Array<Any> items;
  for (int64_t id : ids) items = std::move(items).push_back(Call("op", {id}));
  return items;
}

Array<Any> Ints(const std::vector<int64_t>& ids) { return Array<Any>(ids.begin(), ids.end()); }

std::vector<int64_t> Range(int64_t n) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < n; ++i) out.push_back(i);
  return out;
}

// ---- Sequences -----------------------------------------------------------------------------------------------------

TEST(DiffSequences, OneInsertionIsOneEdit) {
  for (int64_t at : {0, 1, 50, 99, 100}) {
    std::vector<int64_t> longer = Range(100);
    longer.insert(longer.begin() + at, 1000);
    const std::string i = std::to_string(at);
    EXPECT_EQ(Diff(Calls(Range(100)), Calls(longer)), "insert <root>[<missing:" + i + ">] <root>[" + i + "]\n");
    EXPECT_EQ(Diff(Calls(longer), Calls(Range(100))), "delete <root>[" + i + "] <root>[<missing:" + i + ">]\n");
    EXPECT_EQ(Diff(Ints(Range(100)), Ints(longer)), "insert <root>[<missing:" + i + ">] <root>[" + i + "]\n");
  }
}

TEST(DiffSequences, InsertionAmongEqualElementsIsOneEdit) {
  const DiffResult diff = StructuralDiff(Ints({7, 7, 7, 7}), Ints({7, 7, 7, 7, 7}));
  ASSERT_EQ(diff.edits.size(), 1u);
  EXPECT_EQ(diff.edits[0].kind, EditKind::kInsert);
}

TEST(DiffSequences, AnInsertionBetweenChangesIsFound) {
  Array<Any> lhs = Calls({1, 2, 3, 4, 5, 6}), rhs = Calls({1, 2, 30, 4, 5, 9, 6});
  EXPECT_EQ(Diff(lhs, rhs),
            "update <root>[2].args[0] <root>[2].args[0]\n"
            "insert <root>[<missing:5>] <root>[5]\n");
}

TEST(DiffSequences, ASwapOfSmallElementsIsAnInsertionAndADeletion) {
  const DiffResult diff = StructuralDiff(Ints({1, 2, 3, 4}), Ints({1, 3, 2, 4}));
  CheckDiff(Ints({1, 2, 3, 4}), Ints({1, 3, 2, 4}), diff, {});
  EXPECT_EQ(diff.edits.size(), 2u);
  EXPECT_EQ(diff.counts[static_cast<size_t>(EditKind::kInsert)], 1u);
  EXPECT_EQ(diff.counts[static_cast<size_t>(EditKind::kDelete)], 1u);
}

TEST(DiffSequences, ElementsOfOtherTypesAreNoPairs) {
  EXPECT_EQ(Diff(Array<Any>{Call("f"), Const(1)}, Array<Any>{Const(1), Call("g")}),
            "delete <root>[0] <root>[<missing:0>]\n"
            "insert <root>[<missing:2>] <root>[1]\n");
}

TEST(DiffSequences, LikeElementsPairWhereAllDiffer) {
  const Array<Any> lhs = {Call("a", {1, 2, 3}), Call("b", {4, 5, 6})};
  const Array<Any> rhs = {Call("z", {7, 8, 9}), Call("a", {1, 2, 0}), Call("b", {4, 5, 0})};
  EXPECT_EQ(Diff(lhs, rhs),
            "insert <root>[<missing:0>] <root>[0]\n"
            "update <root>[0].args[2] <root>[1].args[2]\n"
            "update <root>[1].args[2] <root>[2].args[2]\n");
}

TEST(DiffSequences, TwoUnlikeLongOnesGiveAResult) {
  std::vector<int64_t> lhs = Range(3000), rhs;
  for (int64_t i : lhs) rhs.push_back(-1 - i);
  const DiffResult diff = StructuralDiff(Ints(lhs), Ints(rhs));
  EXPECT_EQ(diff.edits.size(), 1000u);
  EXPECT_EQ(diff.counts[static_cast<size_t>(EditKind::kUpdate)], 3000u);
}

TEST(DiffSequences, OneEarlyInsertionIntoAMillion) {
  std::vector<int64_t> ids = Range(1000000);
  const Array<Any> lhs = Ints(ids);
  ids.insert(ids.begin() + 3, -1);
  EXPECT_EQ(Diff(lhs, Ints(ids)), "insert <root>[<missing:3>] <root>[3]\n");
}

// ---- Maps, fields, types -------------------------------------------------------------------------------------------

TEST(DiffMaps, EntriesPairByKey) {
  EXPECT_EQ(Diff(Map<String, Any>{{"a", 1}, {"b", 2}, {"c", 3}}, Map<String, Any>{{"d", 4}, {"c", 5}, {"a", 1}}),
            "delete <root>[\"b\"] <root>[<missing:\"b\">]\n"
            "update <root>[\"c\"] <root>[\"c\"]\n"
            "insert <root>[<missing:\"d\">] <root>[\"d\"]\n");
  EXPECT_EQ(Diff(Map<Any, Any>{{1, "a"}, {true, "b"}}, Map<Any, Any>{{1.0, "a"}, {true, "c"}}),
            "delete <root>[1] <root>[<missing:1>]\n"
            "update <root>[True] <root>[True]\n"
            "insert <root>[<missing:1.0>] <root>[1.0]\n");
}

TEST(DiffMaps, KeysThatAreObjectsHaveTheirPlace) {
  EXPECT_EQ(Diff(Map<Any, Any>{{0, 0}, {Const(1), "a"}}, Map<Any, Any>{{Const(1), "b"}, {0, 0}}),
            "update <root>[#1] <root>[#0]\n");
  EXPECT_EQ(Diff(Map<Any, Any>{{Const(1), "a"}}, Map<Any, Any>{{Const(2), "a"}}),
            "delete <root>[#0] <root>[<missing:native.Const>]\n"
            "insert <root>[<missing:native.Const>] <root>[#0]\n");
}

TEST(DiffTypes, OtherTypesAreReplaced) {
  EXPECT_EQ(Diff(1, 1.0), "replace <root> <root>\n");
  EXPECT_EQ(Diff(Const(Array<Any>{1}), Const(List<Any>{1})), "replace <root>.value <root>.value\n");
  EXPECT_EQ(Diff(Const(Call("f")), Const(nullptr)), "replace <root>.value <root>.value\n");
  EXPECT_EQ(Diff(Const("a"), Const("a long text of the same type")), "update <root>.value <root>.value\n");
  EXPECT_EQ(Diff(Const(Shape{1, 2}), Const(Shape{1, 3})), "update <root>.value <root>.value\n");
}

TEST(DiffTypes, FieldsThatOneVersionLacksAreInsertedOrDeleted) {
  const auto load = [](const std::string& fields, const std::string& data) {
    LoadOptions options;
    options.schema = schema::Schema::Parse(
        R"({"transom_schema":1,"name":"v","types":{"v.Item":{"structural":"tree","fields":[)" + fields + "]}}}",
        "versions");
    return LoadJSON(R"({"root_index":0,"nodes":[{"type":"v.Item","data":)" + data + "}]}", options).value;
  };
  const std::string a = R"({"name":"a","type":"int"})", b = R"({"name":"b","type":"int","default":5})";
  const Any old = load(a, R"({"a":1})");
  EXPECT_EQ(Diff(old, load(a + "," + b, R"({"a":1})")), "");
  EXPECT_EQ(Diff(old, load(a + "," + b, R"({"a":1,"b":6})")), "insert <root>[<missing:\"b\">] <root>.b\n");
  EXPECT_EQ(Diff(load(b + "," + a, R"({"a":2,"b":6})"), old),
            "delete <root>.b <root>[<missing:\"b\">]\n"
            "update <root>.a <root>.a\n");
}

// ---- Variables and sharing -----------------------------------------------------------------------------------------

TEST(DiffVariables, RenamedBindersAreNoDifference) {
  const auto function = [](const char* x, const char* y) {
    const Any a = Var(x), b = Var(y);
    return Lambda({a, b}, Array<Any>{Let(Var("t"), a, b), Call("f", {a, b, a})});
  };
  EXPECT_EQ(Diff(function("x", "y"), function("p", "q")), "");
}

TEST(DiffVariables, AUseOfAnotherVariableIsRewired) {
  const auto function = [](bool swap) {
    const Any x = Var("x"), y = Var("y");
    return Lambda({x, y}, Call("f", swap ? Array<Any>{y, x} : Array<Any>{x, y}));
  };
  EXPECT_EQ(Diff(function(false), function(true)),
            "rewire <root>.body.args[0] <root>.body.args[0]\n"
            "rewire <root>.body.args[1] <root>.body.args[1]\n");
}

TEST(DiffVariables, AnInsertedBinderDoesNotDisturbTheOthers) {
  const auto block = [](bool more) {
    const Any x = Var("x"), y = Var("y"), z = Var("z");
    Array<Any> body = {Let(x, 1, nullptr)};
    if (more) body = std::move(body).push_back(Let(z, Call("new"), nullptr));
    body = std::move(body).push_back(Let(y, Call("g", {x}), nullptr)).push_back(Call("h", {x, y}));
    return Any(body);
  };
  EXPECT_EQ(Diff(block(false), block(true), DiffFileOptions()), "insert <root>[<missing:1>] <root>[1]\n");
}

TEST(DiffVariables, ADifferenceInABinderIsReportedOnce) {
  const auto function = [](int bits) {
    const Any x = Var("x", DataType::Int(bits));
    return Lambda({x}, Call("f", {x, x, x}));
  };
  EXPECT_EQ(Diff(function(32), function(64)), "update <root>.params[0].type <root>.params[0].type x4\n");
}

TEST(DiffSharing, AChangedSharedPartIsReportedOnceWithItsPlaces) {
  const auto value = [](int64_t leaf) {
    const Any shared = Call("f", {Const(leaf)});
    return Array<Any>{shared, Const(shared), Array<Any>{shared, 1}};
  };
  EXPECT_EQ(Diff(value(1), value(2)), "update <root>[0].args[0].value <root>[0].args[0].value x3\n");
}

TEST(DiffSharing, PlacesOfALadderAreCountedAndSaturate) {
  const auto ladder = [](int levels, int64_t leaf) {
    Any last = Const(leaf);
    for (int i = 0; i < levels; ++i) last = Call("add", {last, last});
    return last;
  };
  DiffResult diff = StructuralDiff(ladder(40, 1), ladder(40, 2));
  ASSERT_EQ(diff.edits.size(), 1u);
  EXPECT_EQ(diff.edits[0].places, uint64_t{1} << 40);
  diff = StructuralDiff(ladder(100000, 1), ladder(100000, 2));
  ASSERT_EQ(diff.edits.size(), 1u);
  EXPECT_EQ(diff.edits[0].places, std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(diff.edits[0].lhs_path.size(), 200001u);
}

// ---- Options -------------------------------------------------------------------------------------------------------

TEST(DiffOptions, MaxEditsLimitsTheListAndNotTheCounts) {
  DiffOptions options;
  options.max_edits = 3;
  const DiffResult diff = StructuralDiff(Ints({0, 0, 0, 0, 0}), Ints({1, 2, 3, 4, 5}), options);
  EXPECT_EQ(diff.edits.size(), 3u);
  EXPECT_TRUE(diff.truncated);
  EXPECT_EQ(diff.counts[static_cast<size_t>(EditKind::kUpdate)], 5u);
  options.max_edits = 5;
  EXPECT_FALSE(StructuralDiff(Ints({0, 0, 0, 0, 0}), Ints({1, 2, 3, 4, 5}), options).truncated);
  options.max_edits = 0;
  const DiffResult none = StructuralDiff(1, 2, options);
  EXPECT_TRUE(none.edits.empty());
  EXPECT_TRUE(none.truncated);
  EXPECT_FALSE(none.equal());
}

TEST(DiffOptions, FirstOnlyIsTheFirstMismatch) {
  DiffOptions options;
  options.first_only = true;
  std::vector<int64_t> ids = Range(10);
  ids.insert(ids.begin() + 4, 99);
  EXPECT_EQ(Diff(Calls(Range(10)), Calls(ids), options), "update <root>[4].args[0] <root>[4].args[0]\n");
  EXPECT_EQ(Diff(Calls(Range(10)), Calls(Range(10)), options), "");
}

TEST(DiffOptions, HookTypesAreNamed) {
  DiffOptions options = DiffFileOptions();
  const Any lhs = AsRecords(Array<Any>{testing::Hooked(1, "a")}), rhs = AsRecords(Array<Any>{testing::Hooked(1, "b")});
  const DiffResult diff = StructuralDiff(lhs, rhs, options);
  EXPECT_EQ(DiffLines(diff), "update <root>[0].note <root>[0].note\n");
  EXPECT_EQ(diff.hook_types, std::vector<std::string>{"native.Hooked"});
}

TEST(Diff, AccessPathsAreThoseOfTheSteps) {
  const DiffResult diff =
      StructuralDiff(Const(Map<String, Any>{{"k", Array<Any>{1}}}), Const(Map<String, Any>{{"k", Array<Any>{2}}}));
  ASSERT_EQ(diff.edits.size(), 1u);
  EXPECT_EQ(diff.edits[0].LhsAccessPath().ToString(), "<root>.value[\"k\"][0]");
  EXPECT_EQ(diff.edits[0].RhsAccessPath().ToString(), "<root>.value[\"k\"][0]");
  EXPECT_EQ(diff.edits[0].lhs_path[1].place, 0);
}

TEST(Diff, NamesOfKinds) {
  std::string names;
  for (int i = 0; i < kNumEditKinds; ++i) names += std::string(EditKindName(static_cast<EditKind>(i))) + " ";
  EXPECT_EQ(names, "update insert delete replace move rewire rename sharing ");
}

TEST(Diff, ValuesOutliveTheirGraphs) {
  DiffResult diff;
  {
    const Any lhs = Array<Any>{Call("f")}, rhs = Array<Any>{Const(1)};
    diff = StructuralDiff(lhs, rhs);
  }
  ASSERT_EQ(diff.edits.size(), 2u);
  EXPECT_EQ(std::string(diff.edits[0].lhs.as<testing::CallObj>()->op), "f");
}

// ---- Errors and size -----------------------------------------------------------------------------------------------

TEST(DiffErrors, NameThePlaceFromTheRoot) {
  const Any function = Function::FromTyped([] {});
  const Any bad = Call("f", {1, Const(function)}), good = Call("f", {2, Const(1)});
  const std::string what = ": values of type ffi.Function have no structure to compare; ignore the field that holds it";
  EXPECT_EQ(ErrorOf([&] { StructuralDiff(Const(bad), Const(good)); }), "ValueError: <root>.value.args[1].value" + what);
  EXPECT_EQ(ErrorOf([&] { StructuralDiff(Const(good), Const(bad)); }), "ValueError: <root>.value.args[1].value" + what);
  const Map<Any, Any> keys = {{0, 0}, {Const(function), 1}};
  EXPECT_EQ(ErrorOf([&] {
              StructuralDiff(Const(keys), Const(Map<Any, Any>{{0, 0}}));
            }),
            "ValueError: <root>.value[#1].value" + what);
}

TEST(DiffErrors, CyclesNameThePlaceFromTheRoot) {
  List<Any> list;
  list.push_back(Const(list));
  const std::string error = ErrorOf([&] {
    StructuralDiff(Const(Array<Any>{0, list}), Const(Array<Any>{0, List<Any>{}}));
  });
  EXPECT_EQ(error.substr(0, error.find("itself")), "ValueError: <root>.value[1][0].value: the value contains ");
  list.clear();
}

TEST(DiffErrors, WhatIsIgnoredIsNotLookedAt) {
  auto call = make_object<testing::CallObj>();
  call->op = "f";
  call->args = {1};
  call->span = Any(call);
  EXPECT_EQ(Diff(Array<Any>{call}, Array<Any>{Call("f", {2}, Function::FromTyped([] {}))}),
            "update <root>[0].args[0] <root>[0].args[0]\n");
  call->span = nullptr;
}

// What their keys are bound to tells the entries apart, not the order in which each map has them.
TEST(DiffMaps, EqualElementsThatCrossWithoutContext) {
  const auto make = [](bool turned) {
    const Any a = Var("a"), b = Var("b");
    const auto map = [&](int64_t of_a, int64_t of_b) {
      return turned ? Map<Any, Any>{{b, of_b}, {a, of_a}} : Map<Any, Any>{{a, of_a}, {b, of_b}};
    };
    return Lambda({a, b}, Array<Any>{map(1, 2), map(2, 1), map(3, 4)});
  };
  EXPECT_EQ(Diff(make(false), make(true)), "");
  EXPECT_EQ(Diff(make(true), make(false)), "");
}

TEST(Diff, AChainOfAMillion) {
  const auto chain = [](int64_t leaf) {
    Any last = leaf;
    for (int i = 0; i < 1000000; ++i) last = Const(std::move(last));
    return last;
  };
  const DiffResult diff = StructuralDiff(chain(1), chain(2));
  ASSERT_EQ(diff.edits.size(), 1u);
  EXPECT_EQ(diff.edits[0].lhs_path.size(), 1000000u);
  EXPECT_TRUE(StructuralDiff(chain(1), chain(1)).equal());
}

}  // namespace
}  // namespace transom
