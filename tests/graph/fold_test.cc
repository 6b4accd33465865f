#include "graph/fold.h"

#include <gtest/gtest.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "support/native_types.h"

namespace transom::graph {
namespace {

using testing::Call;
using testing::Const;
using testing::ErrorOf;

/*
 * Writes the walk as text, children first; a second meeting of an object has the text of the first.
 */
template <bool kKeys>
class Tracer {
 public:
  using Result = const std::string*;  // of texts_
  static constexpr bool kKeysFirst = kKeys;

  Result Leaf(const TVMFFIAny& value, ValueClass cls) {
    ++leaves;
    if (cls == ValueClass::kString) return Keep(std::string(TextOf(value)));
    return Keep(value.type_index == kTVMFFIInt ? std::to_string(value.v_int64) : std::string(TypeKeyOf(value)));
  }
  Result Custom(const TVMFFIAny&, const TypePlan&, std::string_view json) { return Keep(std::string(json)); }
  void Enter(FoldFrame& frame) { frame.Visit(frame.plan->compare); }
  void MapChildren(FoldFrame& frame, std::vector<TVMFFIAny>* children) {
    std::vector<TVMFFIAny> values;
    const MapBaseObj& map = MapOf(frame.value);
    for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos)) {
      children->push_back(*map.KeyAt(pos).raw());
      values.push_back(*map.ValueAt(pos).raw());
    }
    children->insert(children->end(), values.begin(), values.end());
  }
  DefRegion KeyRegion(const FoldFrame& frame, const TVMFFIAny&) { return frame.region; }
  // Turns the entries round, to see that the walk follows.
  void KeysDone(FoldFrame& frame, TVMFFIAny* children, Result* keys) {
    const size_t n = frame.count / 2;
    for (size_t i = 0; i < n / 2; ++i) {
      std::swap(children[i], children[n - 1 - i]);
      std::swap(children[n + i], children[2 * n - 1 - i]);
      std::swap(keys[i], keys[n - 1 - i]);
    }
  }
  Result Leave(FoldFrame& frame, Result* children) {
    ++objects;
    std::string text = frame.region == DefRegion::kNone ? "(" : frame.region == DefRegion::kSimple ? "s(" : "r(";
    for (uint64_t i = 0; i < frame.count; ++i) text += (i == 0 ? "" : " ") + *children[i];
    return Keep(text + ")");
  }

  int leaves = 0;
  int objects = 0;

 private:
  Result Keep(std::string text) { return &texts_.emplace_back(std::move(text)); }
  std::deque<std::string> texts_;
};

template <bool kKeys = false>
std::string Trace(const Any& value, DefRegion region = DefRegion::kNone) {
  PlanTable plans;
  Tracer<kKeys> tracer;
  Fold<Tracer<kKeys>> fold(plans, tracer);
  return *fold.Run(*value.raw(), region);
}

// Members of a visitor are found by their names.
struct Rememberer : Tracer<false> {
  bool RememberAll() { return true; }
  bool Known(const TVMFFIAny&, Result*) { return false; }
};
static_assert(!FoldMembers<Tracer<false>>::kKnown && !FoldMembers<Tracer<false>>::kRememberAll);
static_assert(FoldMembers<Rememberer>::kKnown && FoldMembers<Rememberer>::kRememberAll);
static_assert(!FoldMembers<Rememberer>::kBegin && !FoldMembers<Rememberer>::kRunsForeignCode);

TEST(Fold, VisitsChildrenInOrder) {
  EXPECT_EQ(Trace(7), "7");
  EXPECT_EQ(Trace(Array<Any>{1, "a", Array<Any>{}, List<Any>{2}}), "(1 a () (2))");
  EXPECT_EQ(Trace(Call("f", {1, Const(2)}, "ignored")), "(f (1 (2)))");
  EXPECT_EQ(Trace(testing::Op("add")), R"({"name":"add"})");
}

TEST(Fold, MapsInTurnOrKeysFirst) {
  const Any map = Map<String, Any>{{"a", 1}, {"b", 2}, {"c", Array<Any>{3}}};
  EXPECT_EQ(Trace(map), "(a 1 b 2 c (3))");
  EXPECT_EQ(Trace<true>(map), "(c b a (3) 2 1)");
}

TEST(Fold, EachSharedObjectOnce) {
  const Any shared = Const(1);
  PlanTable plans;
  Tracer<false> tracer;
  Fold<Tracer<false>> fold(plans, tracer);
  const Any value = Array<Any>{shared, shared, Const(shared)};
  EXPECT_EQ(*fold.Run(*value.raw()), "((1) (1) ((1)))");
  EXPECT_EQ(tracer.objects, 3);
  EXPECT_EQ(tracer.leaves, 1);
  // The memo goes on to the next run.
  EXPECT_EQ(*fold.Run(*shared.raw()), "(1)");
  EXPECT_EQ(tracer.objects, 3);
}

TEST(Fold, RegionsFollowTheFields) {
  const Any var = testing::Var("x", Const(1));
  EXPECT_EQ(Trace(testing::Lambda({var}, Const(2))), "(r(r(r(1))) (2))");
  EXPECT_EQ(Trace(testing::Let(var, Const(3), Const(2))), "((3) s((1)) (2))");
  EXPECT_EQ(Trace(testing::Let(testing::Var("y", Const(1)), 0, Const(2)), DefRegion::kRecursive), "r(0 r(r(1)) r(2))");
}

TEST(FieldRegion, Table) {
  using enum DefRegion;
  const StructuralKind tree = StructuralKind::kTree, variable = StructuralKind::kFreeVar;
  for (DefRegion field : {kNone, kSimple, kRecursive}) {
    EXPECT_EQ(FieldRegion(kRecursive, tree, field), kRecursive);
    EXPECT_EQ(FieldRegion(kRecursive, variable, field), kRecursive);
    EXPECT_EQ(FieldRegion(kNone, tree, field), field);
    EXPECT_EQ(FieldRegion(kSimple, tree, field), field == kNone ? kSimple : field);
    EXPECT_EQ(FieldRegion(kSimple, variable, field), field);
  }
}

// Refuses one number.
class Refuser : public Tracer<false> {
 public:
  explicit Refuser(PlanTable& plans) : fold(plans, *this) {}
  Result Leaf(const TVMFFIAny& value, ValueClass cls) {
    if (value.type_index == kTVMFFIInt && value.v_int64 == 13)
      TRANSOM_THROW(ValueError) << PathText(fold.CurrentPath(), false);
    return Tracer::Leaf(value, cls);
  }
  Fold<Refuser> fold;
};

TEST(Fold, KnowsWhereItIs) {
  PlanTable plans;
  const Any value = Call("f", {1, Map<String, Any>{{"a", 1}, {"k", List<Any>{0, Const(13)}}}});
  EXPECT_EQ(ErrorOf([&] { Refuser(plans).fold.Run(*value.raw()); }), "ValueError: <root>.args[1][\"k\"][1].value");
  EXPECT_EQ(ErrorOf([&] { Refuser(plans).fold.Run(*Any(13).raw()); }), "ValueError: <root>");
}

// Folds calls by itself: the text of their first argument, which a walk of its own finds.
class Nester : public Tracer<false> {
 public:
  explicit Nester(PlanTable& plans) : fold(plans, *this) {}
  bool Whole(FoldFrame& frame, Result* result) {
    if (frame.plan->FindField("args") < 0) return false;
    Keeper keeper;
    const TVMFFIAny args = ReadField(frame.value.v_obj, frame.plan->fields[static_cast<size_t>(frame.plan->FindField("args"))], keeper);
    *result = fold.Run(ItemsOf(SequenceOf(args))[0]);
    return true;
  }
  Result Leaf(const TVMFFIAny& value, ValueClass cls) {
    if (value.type_index == kTVMFFIInt && value.v_int64 == 13)
      TRANSOM_THROW(ValueError) << PathText(fold.CurrentPath(), false);
    return Tracer::Leaf(value, cls);
  }
  Fold<Nester> fold;
};

TEST(Fold, AVisitorMayStartAnotherWalk) {
  PlanTable plans;
  Any deep = 5;
  for (int i = 0; i < 200; ++i) deep = Array<Any>{deep};
  const std::string text = Trace(deep);
  const Any inner = Call("g", {deep});
  const Any value = Array<Any>{1, Call("f", {Array<Any>{2, inner, 3}}), Call("f", {inner}), 4};
  Nester nester(plans);
  EXPECT_EQ(*nester.fold.Run(*value.raw()), "(1 (2 " + text + " 3) " + text + " 4)");
  EXPECT_EQ(ErrorOf([&] { nester.fold.Run(*Any(Array<Any>{1, Call("f", {Array<Any>{13}})}).raw()); }), "ValueError: <root>[1][0]");
}

TEST(Fold, CyclesAreErrors) {
  List<Any> list;
  auto node = make_object<testing::NodeObj>();
  node->value = Array<Any>{1, list};
  list.push_back(Any(node));
  EXPECT_EQ(ErrorOf([&] { Trace(Const(list)); }).substr(0, 69),
            "ValueError: <root>.value[0].value[1]: the value contains itself; list");
  // The same object twice is no cycle.
  list.clear();
  EXPECT_EQ(Trace(Array<Any>{list, list, node}), "(() () ((1 ())))");
}

}  // namespace
}  // namespace transom::graph
