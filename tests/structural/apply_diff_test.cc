// What an applied diff shares with the old value, and where it cannot be applied.
#include <gtest/gtest.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/formats/json_graph.h>
#include <transom/graph/resolve_path.h>
#include <transom/structural/diff.h>
#include <transom/structural/equal.h>

#include <string>

#include "support/native_types.h"
#include "support/scale.h"

namespace transom {
namespace {

using testing::AsRecords;
using testing::Call;
using testing::Const;
using testing::ErrorOf;
using testing::Lambda;
using testing::Let;
using testing::MakeToken;
using testing::Node;
using testing::Var;

DiffOptions FileOptions() {
  DiffOptions options;
  options.as_files = true;
  return options;
}

const void* At(const Any& root, const char* path) { return ResolvePath(root, path).raw()->v_obj; }

// The applied diff, which is checked to be equal to the new value.
Any Applied(const Any& old_value, const Any& new_value, const DiffOptions& options = {}) {
  const Any result = ApplyDiff(old_value, StructuralDiff(old_value, new_value, options));
  const auto mismatch = StructuralEqual::GetFirstMismatch(result, new_value, options);
  EXPECT_FALSE(mismatch) << mismatch->lhs->ToString() << " is not " << mismatch->rhs->ToString();
  return result;
}

TEST(ApplyDiff, SharesWhatDidNotChange) {
  const Any old_value = Call("f", {Call("a", {1}), Call("b", {2}), Call("c", {3})}, "old span");
  const Any new_value = Call("f", {Call("a", {1}), Call("b", {9}), Call("c", {3})}, "new span");
  const Any result = Applied(old_value, new_value);
  EXPECT_EQ(At(result, ".args[0]"), At(old_value, ".args[0]"));
  EXPECT_EQ(At(result, ".args[2]"), At(old_value, ".args[2]"));
  EXPECT_NE(At(result, ".args[1]"), At(old_value, ".args[1]"));
  EXPECT_NE(At(result, ".args[1]"), At(new_value, ".args[1]"));
  EXPECT_EQ(ResolvePath(old_value, ".args[1].args[0]").cast<int64_t>(), 2) << "the old value is not changed";
  EXPECT_EQ(ResolvePath(result, ".span").cast<std::string>(), "old span") << "what does not count stays";
}

TEST(ApplyDiff, OfEqualValuesIsTheOldValue) {
  const Any old_value = Call("f", {1}), copy = Call("f", {1});
  EXPECT_EQ(Applied(old_value, copy).raw()->v_obj, old_value.raw()->v_obj);
}

TEST(ApplyDiff, OfPlainValues) {
  EXPECT_EQ(Applied(Any(1), Any(2)).cast<int64_t>(), 2);
  EXPECT_EQ(Applied(Any("a"), Any(nullptr)), nullptr);
  EXPECT_EQ(Applied(Any(1), Call("f")).as<testing::CallObj>()->op, "f");
  EXPECT_EQ(Applied(Call("f"), Any(1)).cast<int64_t>(), 1);
}

TEST(ApplyDiff, Containers) {
  const Any a = Call("a", {1, 2, 3}), b = Call("b", {4}), c = Call("c", {5});
  Applied(Any(Array<Any>{1, 2, 3}), Any(Array<Any>{0, 1, 3, 4}));
  Applied(Any(Array<Any>{}), Any(Array<Any>{1}));
  Applied(Any(List<Any>{a, b}), Any(List<Any>{b, a, c}));
  const Map<Any, Any> map = {{Any("x"), a}, {Any(2), b}, {Any("z"), Any(1)}};
  const Map<Any, Any> other = {{Any("z"), Any(2)}, {Any("x"), a}, {Any("new"), c}};
  const Any result = Applied(Any(map), Any(other));
  EXPECT_EQ(At(result, "[\"x\"]"), a.raw()->v_obj);
  std::string keys;
  for (const auto& [key, value] : result.cast<Map<Any, Any>>()) keys += key.cast<std::string>() + " ";
  EXPECT_EQ(keys, "x z new ") << "entries keep their order, new ones follow";
  Dict<Any, Any> dict, changed;
  dict.set(Any("k"), a);
  changed.set(Any("k"), b);
  Applied(Any(dict), Any(changed));
  EXPECT_EQ(At(Any(dict), "[\"k\"]"), a.raw()->v_obj) << "the old value is not changed";
}

TEST(ApplyDiff, KeysThatAreObjects) {
  const auto module = [](int64_t value, bool with_second) {
    Map<Any, Any> map = {{Const("first"), Call("f", {value})}};
    if (with_second) map = map.set(Const("second"), Call("g"));
    return Any(map);
  };
  Applied(module(1, false), module(2, true));
  Applied(module(1, true), module(2, false));
  Applied(AsRecords(module(1, true)), AsRecords(module(1, false)), FileOptions());
}

TEST(ApplyDiff, NewPartsUseTheOldVariables) {
  const auto function = [](const char* name, const char* op) {
    const Any x = Var(name);
    return Lambda({x}, Call("f", {x, Call(op, {x, 1})}));
  };
  for (const bool records : {false, true}) {
    Any old_value = function("x", "a"), new_value = function("renamed", "b");
    if (records) old_value = AsRecords(old_value), new_value = AsRecords(new_value);
    const Any result = Applied(old_value, new_value);
    EXPECT_EQ(At(result, ".params"), At(old_value, ".params"));
    EXPECT_EQ(At(result, ".body.args[1].args[0]"), At(old_value, ".params[0]"));
  }
  // A part that is new as a whole.
  const Any x = Var("x"), y = Var("y");
  const Any result = Applied(Lambda({x}, x), Lambda({y}, Let(Var("z"), y, Call("f", {y}))));
  EXPECT_EQ(At(result, ".body.body.args[0]"), x.raw()->v_obj);
}

TEST(ApplyDiff, AnEditedVariableIsOneObjectEverywhere) {
  const auto function = [](int64_t type) {
    const Any x = Var("x", type);
    return Lambda({x}, Call("f", {Call("a", {x}), Call("b", {x})}));
  };
  const Any result = Applied(function(1), function(2));
  EXPECT_EQ(ResolvePath(result, ".params[0].type").cast<int64_t>(), 2);
  EXPECT_EQ(At(result, ".body.args[0].args[0]"), At(result, ".params[0]"));
  EXPECT_EQ(At(result, ".body.args[1].args[0]"), At(result, ".params[0]"));
}

TEST(ApplyDiff, AnEditedDagNodeIsOneObjectEverywhere) {
  const auto graph = [](int64_t value) {
    const Any node = Node(Call("leaf", {value}));
    return Any(Array<Any>{node, Call("f", {node}), Node(node)});
  };
  const Any result = Applied(graph(1), graph(2));
  EXPECT_EQ(At(result, "[1].args[0]"), At(result, "[0]"));
  EXPECT_EQ(At(result, "[2].value"), At(result, "[0]"));
}

TEST(ApplyDiff, SharingFollowsTheNewValueWhereItCounts) {
  const Any node = Node(1);
  const Any shared = Any(Array<Any>{node, node, 1}), apart = Any(Array<Any>{Node(1), Node(1), 2});
  const Any result = Applied(shared, apart);
  EXPECT_NE(At(result, "[0]"), At(result, "[1]"));
  const Any joined = Applied(apart, shared);
  EXPECT_EQ(At(joined, "[0]"), At(joined, "[1]"));
}

TEST(ApplyDiff, ASharedTreeThatChangesInOnePlaceStaysInTheOther) {
  const Any tree = Call("t", {1, 2, 3});
  const Any old_value = Any(Array<Any>{tree, tree});
  const Any result = Applied(old_value, Any(Array<Any>{Call("t", {1, 2, 3}), Call("t", {1, 9, 3})}));
  EXPECT_EQ(At(result, "[0]"), tree.raw()->v_obj);
  EXPECT_NE(At(result, "[1]"), tree.raw()->v_obj);
}

TEST(ApplyDiff, PartsThatMoveAreTheOldOnes) {
  const auto part = [](int64_t i) { return Call("part", {i, i + 1, Call("inner", {i})}); };
  const Any old_value = Any(Map<Any, Any>{{Any("a"), part(1)}, {Any("b"), part(2)}});
  const Any renamed = Any(Map<Any, Any>{{Any("b"), part(2)}, {Any("c"), part(1)}});
  EXPECT_EQ(At(Applied(old_value, renamed), "[\"c\"]"), At(old_value, "[\"a\"]"));
  const Any wrapped = Any(Map<Any, Any>{{Any("a"), Let(Var("v"), part(1), 0)}, {Any("b"), part(2)}});
  const Any result = Applied(old_value, wrapped);
  EXPECT_EQ(At(result, "[\"a\"].value"), At(old_value, "[\"a\"]"));
  EXPECT_EQ(At(Applied(wrapped, old_value), "[\"a\"]"), At(wrapped, "[\"a\"].value"));
}

TEST(ApplyDiff, AFunctionThatMovesKeepsItsVariables) {
  const auto function = [](const char* name) {
    const Any x = Var(name);
    return Lambda({x}, Call("f", {x, x, 1}));
  };
  const Any old_value = Any(Map<Any, Any>{{Any("a"), function("x")}, {Any("z"), Any(1)}});
  const Any new_value = Any(Map<Any, Any>{{Any("b"), function("y")}, {Any("z"), Any(1)}});
  EXPECT_EQ(At(Applied(old_value, new_value), "[\"b\"]"), At(old_value, "[\"a\"]"));
}

TEST(ApplyDiff, RewiredUses) {
  const auto function = [](bool swapped) {
    const Any x = Var("x"), y = Var("y");
    return Lambda({x, y}, Call("sub", {swapped ? y : x, swapped ? x : y}));
  };
  const Any old_value = function(false);
  const Any result = Applied(old_value, function(true));
  EXPECT_EQ(At(result, ".body.args[0]"), At(old_value, ".params[1]"));
}

TEST(ApplyDiff, WhatEqualsOnlyItselfStaysItself) {
  const Any x = Var("x", Call("type", {1, 2, 3})), y = Var("y", Call("type", {1, 2, 3})), token = MakeToken(1);
  const Any result = Applied(Call("f", {x, 1}), Call("f", {x, y, token}));
  EXPECT_EQ(At(result, ".args[1]"), y.raw()->v_obj);
  EXPECT_EQ(At(result, ".args[2]"), token.raw()->v_obj);
  Applied(Call("f", {x, Call("type", {1, 2, 3})}), Call("f", {y, token, 2}));
}

// As functional updates leave them: both values hold the same objects, in other places.
TEST(ApplyDiff, ValuesThatShareObjects) {
  const Any a = Call("a", {1}), b = Call("b", {1, a}), c = Call("c", {b, 2}), n = Node(b), m = Node(1);
  const std::vector<Any> values = {
      Any(Array<Any>{a, b, n}),
      Any(Array<Any>{b, c, n, m}),
      Call("f", {Let(Var("v"), a, b), n}),
      Call("f", {Let(Var("v"), b, c), m}),
      Call("a", {c}),
      Any(Array<Any>{Call("b", {1, Call("a", {2})}), n, a, Const(b)}),
      Any(Array<Any>{Node(n), n}),
      Any(Array<Any>{m, Node(m)}),
      Any(Array<Any>{Const(b), Const(c)}),
  };
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t j = 0; j < values.size(); ++j) {
      SCOPED_TRACE(std::to_string(i) + " to " + std::to_string(j));
      Applied(values[i], values[j]);
      Applied(values[i], values[j], FileOptions());
    }
  }
}

// ---- Versions of a type --------------------------------------------------------------------------------------------

Any OfVersion(const char* fields, const char* data) {
  return LoadJSON(std::string(
                      R"({"schema":{"transom_schema":1,"name":"v","types":{"v.Op":{"structural":"tree","fields":[)") +
                  fields + R"(]}}},"root_index":2,"nodes":[{"type":"v.Op","data":{)" + data +
                  R"(}},{"type":"v.Op","data":{)" + data + R"(}},{"type":"ffi.Array","data":[0,1]}]})")
      .value;
}

TEST(ApplyDiff, VersionsOfAType) {
  const char* kOne = R"({"name":"a","type":"int"})";
  const char* kTwo = R"({"name":"a","type":"int"},{"name":"b","type":"int","default":0})";
  const Any old_value = OfVersion(kOne, R"("a":1)");
  const Any same = OfVersion(kTwo, R"("a":1)");
  const Any other = OfVersion(kTwo, R"("a":1,"b":5)");
  EXPECT_EQ(Applied(old_value, same, FileOptions()).raw()->v_obj, old_value.raw()->v_obj);
  EXPECT_EQ(ResolvePath(Applied(old_value, other, FileOptions()), "[1].b").cast<int64_t>(), 5);
  EXPECT_EQ(ResolvePath(Applied(other, old_value, FileOptions()), "[1].a").cast<int64_t>(), 1);
}

// ---- What cannot be applied ----------------------------------------------------------------------------------------

TEST(ApplyDiffErrors, ADiffThatDoesNotListAllDifferences) {
  const Any lhs = Any(Array<Any>{1, 2, 3}), rhs = Any(Array<Any>{4, 5, 6});
  DiffOptions options;
  options.max_edits = 2;
  EXPECT_EQ(ErrorOf([&] { ApplyDiff(lhs, StructuralDiff(lhs, rhs, options)); }),
            "PatchError: the diff lists 2 of 3 differences or more, and is applied as a whole or not at all; make it "
            "without first_only and with "
            "max_edits of at least their number, or make a patch, which lists all");
  DiffOptions first;
  first.first_only = true;
  EXPECT_EQ(ErrorOf([&] { ApplyDiff(lhs, StructuralDiff(lhs, rhs, first)); }).substr(0, 40),
            "PatchError: the diff lists 1 of 1 differ");
}

TEST(ApplyDiffErrors, AnotherOldValue) {
  const Any lhs = Any(Array<Any>{1, 2}), rhs = Any(Array<Any>{1, 3});
  const DiffResult diff = StructuralDiff(lhs, rhs);
  EXPECT_EQ(ErrorOf([&] {
              ApplyDiff(Any(Array<Any>{7, 2}), diff);
            }),
            "PatchError: the diff was made of another value, which has at <root>[0] what this one does not have at "
            "<root>[0]; apply it to the one "
            "that it was made of");
  EXPECT_TRUE(StructuralEqual::Equal(ApplyDiff(Any(Array<Any>{1, 2}), diff), rhs)) << "an equal value will do";
}

TEST(ApplyDiffErrors, AnObjectThatCannotBeMadeAgain) {
  const Any lhs = Call("f", {testing::Hooked(1)}), rhs = Call("f", {testing::Hooked(2)});
  EXPECT_EQ(ErrorOf([&] { ApplyDiff(lhs, StructuralDiff(lhs, rhs)); }).substr(0, 24), "TypeError: <root>.args[0");
}

// ---- Size ----------------------------------------------------------------------------------------------------------

TEST(ApplyDiffScale, DeepAndWide) {
  constexpr int64_t kSize = testing::kLarge;
  const auto deep = [&](int64_t leaf) {
    Any value(leaf);
    for (int64_t i = 0; i < kSize; ++i) value = Any(Array<Any>{value});
    return value;
  };
  Applied(deep(1), deep(2));
  const auto wide = [&](int64_t changed) {
    Array<Any> items;
    for (int64_t i = 0; i < kSize; ++i) items = std::move(items).push_back(Any(i == changed ? -1 : i));
    return Any(items);
  };
  Applied(wide(10), wide(kSize - kSize / 10));
}

}  // namespace
}  // namespace transom
