#include <transom/structural/group_edits.h>

#include <gtest/gtest.h>
#include <transom/containers/map.h>
#include <transom/runtime/function.h>

#include <string>

#include "structural/diff_lines.h"
#include "support/native_types.h"

namespace transom {
namespace {

using testing::Call;
using testing::Const;
using testing::Node;

// One line per group: kind and left path of the first edit, number of edits and places.
std::string Groups(const DiffResult& diff) {
  std::string out;
  for (const EditGroup& group : GroupEdits(diff)) {
    const Edit& first = diff.edits[group.edits[0]];
    out += std::string(EditKindName(first.kind)) + " " + testing::DiffPathText(first.lhs_path) + " " +
           std::to_string(group.edits.size()) + " in " + std::to_string(group.places) + "\n";
  }
  return out;
}

std::string Groups(const Any& lhs, const Any& rhs) { return Groups(StructuralDiff(lhs, rhs)); }

TEST(GroupEdits, OneChangeAtManyPlaces) {
  Array<Any> lhs, rhs;
  for (int64_t i = 0; i < 48; ++i) {
    lhs = std::move(lhs).push_back(Call("f", {i, Const(1)}));
    rhs = std::move(rhs).push_back(Call("f", {i, Const(2)}));
  }
  EXPECT_EQ(Groups(lhs, rhs), "update <root>[0].args[1].value 48 in 48\n");
}

TEST(GroupEdits, ValuesKindsAndFieldsTellApart) {
  const Array<Any> lhs = {Call("f", {1}), Call("f", {1}), Call("f", {2}), Const(1)};
  const Array<Any> rhs = {Call("f", {5}), Call("f", {6}), Call("f", {5}), Const(5)};
  EXPECT_EQ(Groups(lhs, rhs),
            "update <root>[0].args[0] 1 in 1\n"
            "update <root>[1].args[0] 1 in 1\n"
            "update <root>[2].args[0] 1 in 1\n"
            "update <root>[3].value 1 in 1\n");
  EXPECT_EQ(Groups(Array<Any>{Const(1), Const(1)}, Array<Any>{Const(1.5), Const(2)}),
            "replace <root>[0].value 1 in 1\n"
            "update <root>[1].value 1 in 1\n");
}

TEST(GroupEdits, PlainKeysCountAndKeysThatAreObjectsDoNot) {
  EXPECT_EQ(Groups(Map<Any, Any>{{"a", 1}, {"b", 1}}, Map<Any, Any>{{"a", 2}, {"b", 2}}),
            "update <root>[\"a\"] 1 in 1\n"
            "update <root>[\"b\"] 1 in 1\n");
  const Any a = Const(1), b = Const(2);
  EXPECT_EQ(Groups(Map<Any, Any>{{a, 1}, {b, 1}}, Map<Any, Any>{{a, 2}, {b, 2}}), "update <root>[#0] 2 in 2\n");
}

TEST(GroupEdits, PlacesAddUp) {
  const auto value = [](int64_t leaf) {
    const Any twice = Call("f", {leaf}), once = Call("f", {leaf, 9});
    return Array<Any>{twice, twice, once};
  };
  EXPECT_EQ(Groups(value(1), value(2)), "update <root>[0].args[0] 2 in 3\n");
}

TEST(GroupEdits, InsertionsByWhatIsNew) {
  const Array<Any> lhs = {Array<Any>{1, 2}, Array<Any>{3, 4}, Array<Any>{5, 6}};
  const Array<Any> rhs = {Array<Any>{1, Const(7), 2}, Array<Any>{3, 4, Const(7)}, Array<Any>{Const(8), 5, 6}};
  EXPECT_EQ(Groups(lhs, rhs),
            "insert <root>[0][<missing:1>] 2 in 2\n"
            "insert <root>[2][<missing:0>] 1 in 1\n");
}

TEST(GroupEdits, WhatHasNoDigestIsAlone) {
  DiffResult diff;
  const Any function = Function::FromTyped([] {});
  for (int64_t i = 0; i < 2; ++i) {
    Edit edit;
    edit.lhs = function;
    edit.rhs = i;
    diff.edits.push_back(edit);
    diff.edits.push_back(edit);
  }
  EXPECT_EQ(GroupEdits(diff).size(), 4u);
  EXPECT_TRUE(GroupEdits(DiffResult()).empty());
}

}  // namespace
}  // namespace transom
