// The kinds of edits that say more than that something is new, gone or other: moves, objects around others, sharing,
// rewired uses and renamed variables.
#include <gtest/gtest.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/structural/diff.h>

#include <limits>
#include <string>
#include <vector>

#include "structural/diff_lines.h"
#include "support/native_types.h"

namespace transom {
namespace {

using testing::Call;
using testing::CheckDiff;
using testing::Const;
using testing::Diff;
using testing::DiffFileOptions;
using testing::DiffLines;
using testing::Lambda;
using testing::Let;
using testing::Node;
using testing::Var;

DiffOptions NoMoves() {
  DiffOptions options;
  options.find_moves = false;
  return options;
}

uint64_t Count(const DiffResult& diff, EditKind kind) { return diff.counts[static_cast<size_t>(kind)]; }

// A part of six nodes.
Any Big(int64_t id) { return Call("big", {id, Call("x")}); }

// ---- Moves within a sequence ----------------------------------------------------------------------------------------

TEST(DiffMoves, AnElementThatChangedItsOrderMoved) {
  const Array<Any> lhs = {Big(1), Big(2), Big(3), Big(4)}, rhs = {Big(2), Big(3), Big(1), Big(4)};
  EXPECT_EQ(Diff(lhs, rhs), "move <root>[0] <root>[2]\n");
  EXPECT_EQ(Diff(rhs, lhs), "move <root>[2] <root>[0]\n");
  EXPECT_EQ(Diff(lhs, rhs, NoMoves()),
            "delete <root>[0] <root>[<missing:0>]\n"
            "insert <root>[<missing:3>] <root>[2]\n");
}

TEST(DiffMoves, SmallPartsDoNotMove) {
  const Array<Any> lhs = {Const(1), Big(2), Big(3)}, rhs = {Big(2), Big(3), Const(1)};
  EXPECT_EQ(Diff(lhs, rhs),
            "delete <root>[0] <root>[<missing:0>]\n"
            "insert <root>[<missing:3>] <root>[2]\n");
}

TEST(DiffMoves, EqualElementsMoveInOrder) {
  const Array<Any> lhs = {Big(1), Big(1), Big(2), Big(3), Big(4)}, rhs = {Big(2), Big(3), Big(4), Big(1), Big(1)};
  EXPECT_EQ(Diff(lhs, rhs),
            "move <root>[0] <root>[3]\n"
            "move <root>[1] <root>[4]\n");
}

TEST(DiffMoves, AStatementTakesItsVariablesAlong) {
  const auto block = [](bool late) {
    const Any x = Var("x"), y = Var("y"), z = Var("z");
    const Any a = Let(x, Call("f", {1, 2, 3}), nullptr), b = Let(y, Call("g", {4, 5}), nullptr),
              c = Let(z, Call("h", {6}), nullptr), use = Call("use", {x, y, z});
    return Any(late ? Array<Any>{b, c, a, use} : Array<Any>{a, b, c, use});
  };
  for (const DiffOptions& options : {DiffOptions(), DiffFileOptions()})
    EXPECT_EQ(Diff(block(false), block(true), options), "move <root>[0] <root>[2]\n");
}

TEST(DiffMoves, AnElementWithOtherVariablesDidNotMove) {
  const auto function = [](bool other) {
    const Any x = Var("x"), y = Var("y");
    const Any first = Call("f", {x, 1, 2}), moved = Call("f", {other ? y : x, 1, 2});
    return Lambda({x, y}, other ? Array<Any>{Big(1), Big(2), moved} : Array<Any>{first, Big(1), Big(2)});
  };
  EXPECT_EQ(Diff(function(false), function(true)),
            "delete <root>.body[0] <root>.body[<missing:0>]\n"
            "insert <root>.body[<missing:3>] <root>.body[2]\n");
}

TEST(DiffMoves, AShuffledListIsMovesOnly) {
  Array<Any> lhs, rhs;
  for (int64_t i = 0; i < 500; ++i) {
    lhs = std::move(lhs).push_back(Big(i));
    rhs = std::move(rhs).push_back(Big(i * 7 % 500));
  }
  const DiffResult diff = StructuralDiff(lhs, rhs);
  CheckDiff(lhs, rhs, diff, {});
  EXPECT_EQ(diff.total(), Count(diff, EditKind::kMove));
}

// ---- Moves from one place to another --------------------------------------------------------------------------------

TEST(DiffMoves, FromOneContainerToAnother) {
  const Map<String, Any> lhs = {{"a", Array<Any>{Big(1), Big(2)}}, {"b", Array<Any>{Big(3)}}};
  const Map<String, Any> rhs = {{"a", Array<Any>{Big(2)}}, {"b", Array<Any>{Big(3), Big(1)}}};
  EXPECT_EQ(Diff(lhs, rhs), "move <root>[\"a\"][0] <root>[\"b\"][1]\n");
  EXPECT_EQ(Diff(rhs, lhs), "move <root>[\"b\"][1] <root>[\"a\"][0]\n");
}

TEST(DiffMoves, AMapEntryUnderAnotherKeyMoved) {
  EXPECT_EQ(Diff(Map<String, Any>{{"a", Big(1)}}, Map<String, Any>{{"b", Big(1)}}),
            "move <root>[\"a\"] <root>[\"b\"]\n");
}

TEST(DiffMoves, ReplacedValuesThatChangedPlaces) {
  const Array<Any> list = {1, 2, 3};
  EXPECT_EQ(Diff(Map<String, Any>{{"a", Big(1)}, {"b", list}}, Map<String, Any>{{"a", list}, {"b", Big(1)}}),
            "move <root>[\"a\"] <root>[\"b\"]\n"
            "move <root>[\"b\"] <root>[\"a\"]\n");
}

TEST(DiffMoves, AReplacedValueThatWasInsertedElsewhere) {
  const Map<String, Any> lhs = {{"a", Big(1)}}, rhs = {{"a", 5}, {"b", Big(1)}};
  EXPECT_EQ(Diff(lhs, rhs),
            "replace <root>[\"a\"] <root>[\"a\"]\n"
            "move <root>[\"a\"] <root>[\"b\"]\n");
}

TEST(DiffMoves, MovesOnTopOfReplacementsAreNotTold) {
  const Map<String, Any> lhs = {{"a", Big(1)}, {"b", 1}}, rhs = {{"a", 2.5}, {"b", Big(1)}};
  EXPECT_EQ(Diff(lhs, rhs),
            "replace <root>[\"a\"] <root>[\"a\"]\n"
            "replace <root>[\"b\"] <root>[\"b\"]\n");
}

TEST(DiffMoves, IntoSomethingNew) {
  const Array<Any> lhs = {Big(1), Big(2), Big(3)}, rhs = {Big(1), Const(Array<Any>{Big(2), 7}), Big(3)};
  EXPECT_EQ(Diff(lhs, rhs),
            "move <root>[1] <root>[1].value[0]\n"
            "insert <root>[<missing:2>] <root>[1]\n");
  EXPECT_EQ(Diff(rhs, lhs),
            "delete <root>[1] <root>[<missing:2>]\n"
            "move <root>[1].value[0] <root>[1]\n");
}

TEST(DiffMoves, WhatIsAmbiguousIsNoMove) {
  const Map<String, Any> lhs = {{"a", Array<Any>{Big(1), 0}}, {"b", Array<Any>{Big(1), 0}}, {"c", Array<Any>{0}}};
  const Map<String, Any> rhs = {{"a", Array<Any>{0}}, {"b", Array<Any>{0}}, {"c", Array<Any>{Big(1), 0}}};
  const DiffResult diff = StructuralDiff(lhs, rhs);
  CheckDiff(lhs, rhs, diff, {});
  EXPECT_EQ(Count(diff, EditKind::kMove), 0u);
  EXPECT_EQ(diff.total(), 3u);
}

TEST(DiffMoves, CountsAreExactBeyondTheList) {
  Array<Any> list;
  for (int64_t i = 0; i < 30000; ++i) list = std::move(list).push_back(Big(i));
  DiffOptions options;
  options.max_edits = 2;
  const Map<String, Any> lhs = {{"a", list}, {"b", Array<Any>{}}}, rhs = {{"a", Array<Any>{}}, {"b", list}};
  const DiffResult diff = StructuralDiff(lhs, rhs, options);
  CheckDiff(lhs, rhs, diff, options);
  EXPECT_EQ(Count(diff, EditKind::kMove), 30000u);
  EXPECT_EQ(diff.total(), 30000u);
  EXPECT_TRUE(diff.truncated);
}

// ---- Objects around others ------------------------------------------------------------------------------------------

TEST(DiffAround, AnObjectAroundAnotherIsOneInsertion) {
  const Any before = Const(Big(1)), after = Const(Call("relu", {Big(1)}));
  EXPECT_EQ(Diff(before, after), "insert <root>.value <root>.value around .args[0]\n");
  EXPECT_EQ(Diff(after, before), "delete <root>.value <root>.value around .args[0]\n");
  EXPECT_EQ(Diff(before, Const(Lambda({}, Big(1)))), "insert <root>.value <root>.value around .body\n");
  EXPECT_EQ(StructuralDiff(before, after).edits[0].lhs, nullptr);
}

TEST(DiffAround, InTheMiddleOfAChain) {
  const auto chain = [](int at) {
    Any last = Big(0);
    for (int i = 0; i < 20; ++i) {
      last = Call("f" + std::to_string(i), {last});
      if (i == at) last = Call("new", {last, 5});
    }
    return last;
  };
  const DiffResult diff = StructuralDiff(chain(-1), chain(17));
  EXPECT_EQ(DiffLines(diff), "insert <root>.args[0].args[0] <root>.args[0].args[0] around .args[0]\n");
  EXPECT_GT(StructuralDiff(chain(-1), chain(17), NoMoves()).total(), 15u);
}

TEST(DiffAround, WhatIsInsideIsCompared) {
  const auto function = [](bool wrapped, bool swapped) {
    const Any x = Var("x"), y = Var("y");
    const Any call = Call("f", swapped ? Array<Any>{y, x, 1} : Array<Any>{x, y, 1});
    return Lambda({x, y}, wrapped ? Call("g", {call}) : call);
  };
  EXPECT_EQ(Diff(function(false, false), function(true, true)),
            "insert <root>.body <root>.body around .args[0]\n"
            "rewire <root>.body.args[0] <root>.body.args[0].args[0]\n"
            "rewire <root>.body.args[1] <root>.body.args[0].args[1]\n");
}

TEST(DiffAround, SharedPlacesCountOnce) {
  const auto value = [](bool wrapped) {
    const Any part = wrapped ? Call("g", {Big(1)}) : Big(1);
    return Array<Any>{Const(part), Const(part), Lambda({}, part)};
  };
  EXPECT_EQ(Diff(value(false), value(true)), "insert <root>[0].value <root>[0].value around .args[0]\n");
}

// ---- Sharing and rewired uses ---------------------------------------------------------------------------------------

TEST(DiffSharing, ADagNodeThatBecameSeveralIsOneDifference) {
  const Any shared = Node(1);
  const Array<Any> lhs = {shared, shared, shared, shared};
  const Array<Any> rhs = {Node(1), Node(1), Node(1), Node(1)};
  EXPECT_EQ(Diff(lhs, rhs), "sharing <root>[1] <root>[1] splits x3\n");
  EXPECT_EQ(Diff(rhs, lhs), "sharing <root>[1] <root>[1] joins x3\n");
}

TEST(DiffSharing, EachObjectHasItsOwn) {
  const Any a = Node(1), b = Node(2);
  EXPECT_EQ(Diff(Array<Any>{a, b, a, b}, Array<Any>{Node(1), Node(2), Node(1), Node(2)}),
            "sharing <root>[2] <root>[2] splits\n"
            "sharing <root>[3] <root>[3] splits\n");
}

TEST(DiffSharing, ASharedCopyIsMetOnce) {
  const Any shared = Node(1), p = Node(1), r = Node(1);
  EXPECT_EQ(Diff(Array<Any>{shared, shared, shared, shared}, Array<Any>{p, r, r, p}),
            "sharing <root>[1] <root>[1] splits x2\n");
}

TEST(DiffSharing, OtherContentIsRewired) {
  const Any shared = Node(1);
  EXPECT_EQ(Diff(Array<Any>{shared, shared}, Array<Any>{Node(1), Node(2)}), "rewire <root>[1] <root>[1]\n");
  const auto function = [](bool other) {
    const Any x = Var("x"), y = Var("y"), first = Node(x);
    return Lambda({x, y}, Array<Any>{first, other ? Node(y) : first});
  };
  EXPECT_EQ(Diff(function(false), function(true)), "rewire <root>.body[1] <root>.body[1]\n");
}

TEST(DiffSharing, AnotherBoundNodeIsRewired) {
  const Any a = Node(1), b = Node(1), c = Node(1), d = Node(1);
  EXPECT_EQ(Diff(Array<Any>{a, b, a}, Array<Any>{c, d, d}), "rewire <root>[2] <root>[2]\n");
}

TEST(DiffSharing, AVariableThatWasCopied) {
  const auto function = [](bool copied) {
    const Any x = Var("x");
    return Lambda({x}, Call("f", {x, copied ? Var("x") : x, copied ? Var("x") : x}));
  };
  EXPECT_EQ(Diff(function(false), function(true), DiffFileOptions()),
            "sharing <root>.body.args[1] <root>.body.args[1] splits x2\n");
}

TEST(DiffSharing, TreesMayBeSharedOrNot) {
  const Any part = Big(1);
  EXPECT_EQ(Diff(Array<Any>{part, part}, Array<Any>{Big(1), Big(1)}), "");
}

TEST(DiffSharing, ManyCopiesAreLinear) {
  const Any shared = Node(Big(1));
  Array<Any> lhs, rhs;
  for (int i = 0; i < 20000; ++i) {
    lhs = std::move(lhs).push_back(shared);
    rhs = std::move(rhs).push_back(Node(Big(1)));
  }
  EXPECT_EQ(Diff(lhs, rhs), "sharing <root>[1] <root>[1] splits x19999\n");
}

// ---- Renamed variables ----------------------------------------------------------------------------------------------

DiffOptions Names() {
  DiffOptions options;
  options.names = true;
  return options;
}

TEST(DiffNames, RenamedVariablesAreListedAndNoDifference) {
  const auto function = [](const char* x, const char* y, int64_t leaf) {
    const Any a = Var(x), b = Var(y);
    return Lambda({a, b}, Call("f", {a, b, a, leaf}));
  };
  EXPECT_EQ(Diff(function("x", "y", 1), function("p", "y", 1)), "");
  const DiffResult diff = StructuralDiff(function("x", "y", 1), function("p", "y", 1), Names());
  EXPECT_EQ(DiffLines(diff), "rename <root>.params[0] <root>.params[0] x3\n");
  EXPECT_TRUE(diff.equal());
  EXPECT_EQ(diff.total(), 1u);
  EXPECT_FALSE(diff.truncated);
  EXPECT_EQ(Diff(function("x", "y", 1), function("p", "q", 2), Names()),
            "rename <root>.params[0] <root>.params[0] x3\n"
            "rename <root>.params[1] <root>.params[1] x2\n"
            "update <root>.body.args[3] <root>.body.args[3]\n");
}

TEST(DiffNames, MaxEditsLimitsThemToo) {
  Array<Any> lhs, rhs;
  for (int i = 0; i < 10; ++i) {
    lhs = std::move(lhs).push_back(Var("a" + std::to_string(i)));
    rhs = std::move(rhs).push_back(Var("b" + std::to_string(i)));
  }
  DiffOptions options = Names();
  options.max_edits = 3;
  const DiffResult diff = StructuralDiff(Lambda(lhs, 1), Lambda(rhs, 1), options);
  EXPECT_EQ(diff.edits.size(), 3u);
  EXPECT_EQ(Count(diff, EditKind::kRename), 10u);
  EXPECT_TRUE(diff.truncated);
  EXPECT_TRUE(diff.equal());
}

}  // namespace
}  // namespace transom
