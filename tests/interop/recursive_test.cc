// ffi.RecursiveHash, and ffi.RecursiveEq, Lt, Le, Gt and Ge.
#include <gtest/gtest.h>
#include <transom/containers/bigint.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/shape.h>

#include <cmath>
#include <limits>
#include <string>

#include "interop/any_pair.h"
#include "interop/call_global.h"
#include "support/scale.h"

namespace transom {
namespace {

using testing::Call;
using testing::CallError;
using testing::HookedPair;
using testing::HookedPairObj;
using testing::Pair;

int64_t Hash(const Any& value) { return Call("ffi.RecursiveHash", {value}).cast<int64_t>(); }
bool Eq(const Any& lhs, const Any& rhs) { return Call("ffi.RecursiveEq", {lhs, rhs}).cast<bool>(); }
std::string OrderError(const Any& lhs, const Any& rhs) { return CallError("ffi.RecursiveLt", {lhs, rhs}); }
// "<", "=" or ">", the same by all four functions.
std::string Order(const Any& lhs, const Any& rhs) {
  const bool lt = Call("ffi.RecursiveLt", {lhs, rhs}).cast<bool>();
  const bool gt = Call("ffi.RecursiveGt", {lhs, rhs}).cast<bool>();
  EXPECT_EQ(Call("ffi.RecursiveLe", {lhs, rhs}).cast<bool>(), !gt);
  EXPECT_EQ(Call("ffi.RecursiveGe", {lhs, rhs}).cast<bool>(), !lt);
  return lt ? "<" : gt ? ">" : "=";
}

const double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(RecursiveHash, OfPlainValuesIsThatOfTheContract) {
  EXPECT_EQ(Hash(nullptr), 2654435769);
  EXPECT_EQ(Hash(true), 2654435896);
  EXPECT_EQ(Hash(5), 2654435839);
  EXPECT_EQ(Hash(1.0), 4607182421454453370);
  EXPECT_EQ(Hash(-0.0), 2654435962);
  EXPECT_EQ(Hash(kNan), 9221120239695526522);
  EXPECT_EQ(Hash("a"), 2654439979);
  EXPECT_EQ(Hash("a long string"), 4216980543);
  EXPECT_EQ(Hash(Bytes(std::string("a long bytes"))), 3126199744);
  EXPECT_EQ(Hash(DataType::Float(32)), 11093831584875);
  EXPECT_EQ(Hash(Device(1, 1)), 175247678708);
  EXPECT_EQ(Hash(BigInt::FromDecimal("1180591620717411303424")), 64);
}

TEST(RecursiveHash, EqualValuesHaveEqualHashes) {
  const Any shared = Pair(1, "x");
  const std::pair<Any, Any> equal[] = {
      {0.0, -0.0},
      {kNan, -kNan},
      {Shape{1, 2}, Shape{1, 2}},
      {Array<Any>{1, List<Any>{"a"}}, Array<Any>{1, List<Any>{"a"}}},
      {Array<Any>{shared, shared}, Array<Any>{Pair(1, "x"), Pair(1, "x")}},
      {Map<Any, Any>{{1, 2}, {"k", 3}}, Map<Any, Any>{{"k", 3}, {1, 2}}},
      {testing::Quiet(1, 2), testing::Quiet(1, 3)},
      {Function::GetGlobalRequired("ffi.RecursiveHash"), Function::GetGlobalRequired("ffi.RecursiveEq")},
      {BigInt::FromDecimal("-99999999999999999999"), BigInt::FromDecimal("-99999999999999999999")},
  };
  for (const auto& [lhs, rhs] : equal) {
    EXPECT_TRUE(Eq(lhs, rhs)) << lhs.GetTypeKey();
    EXPECT_EQ(Hash(lhs), Hash(rhs)) << lhs.GetTypeKey();
  }
}

TEST(RecursiveHash, TellsPlacesAndTypesApart) {
  EXPECT_NE(Hash(Array<Any>{1, 2}), Hash(Array<Any>{2, 1}));
  EXPECT_NE(Hash(Array<Any>{1}), Hash(List<Any>{1}));
  EXPECT_NE(Hash(Map<Any, Any>{{"a", 0}, {"b", 1}}), Hash(Map<Any, Any>{{"a", 1}, {"b", 0}}));
  EXPECT_NE(Hash(Pair(1, 2)), Hash(Pair(2, 1)));
  EXPECT_NE(Hash(Pair(Array<Any>{}, 2)), Hash(Pair(2, Array<Any>{})));
}

TEST(RecursiveHash, Hooks) {
  HookedPairObj::hash = Function::FromTyped(
      [](const HookedPairObj* self, const Function& hash) { return hash(self->a).cast<int64_t>(); });
  EXPECT_EQ(Hash(HookedPair(5, 1)), Hash(5));
  EXPECT_EQ(Hash(Array<Any>{HookedPair(5, 1)}), Hash(Array<Any>{HookedPair(5, 2)}));
  EXPECT_EQ(CallError("ffi.RecursiveHash", {Array<Any>{make_object<testing::OwnEqualityObj>()}}),
            "ValueError: RecursiveHash: type 'test.interop.OwnEquality' defines __ffi_eq__ or __ffi_compare__ but not "
            "__ffi_hash__; add a `__ffi_hash__` hook that gives equal objects equal hashes");
}

TEST(RecursiveHash, CyclesAndDepth) {
  List<Any> a{1}, b{1};
  a.push_back(a);
  b.push_back(b);
  EXPECT_EQ(Hash(a), Hash(b));
  a.clear();
  b.clear();
  Any deep(1), dag(1);
  for (int i = 0; i < testing::kLarge; ++i) deep = List<Any>{deep};
  for (int i = 0; i < 100; ++i) dag = Array<Any>{dag, dag};
  EXPECT_NE(Hash(deep), Hash(dag));
}

TEST(RecursiveEq, DifferentKindsAreUnequal) {
  EXPECT_FALSE(Eq(1, true));
  EXPECT_FALSE(Eq(1, 1.0));
  EXPECT_FALSE(Eq(nullptr, 0));
  EXPECT_FALSE(Eq("a", Bytes(std::string("a"))));
  EXPECT_FALSE(Eq(Array<Any>{1}, List<Any>{1}));
  EXPECT_FALSE(Eq(Map<Any, Any>{}, Dict<Any, Any>{}));
  EXPECT_FALSE(Eq(Pair(1), testing::Quiet(1, nullptr)));
  EXPECT_FALSE(Eq(1, BigInt::FromDecimal("99999999999999999999")));
}

TEST(RecursiveOrder, OfPlainValues) {
  EXPECT_EQ(Order(1, 2), "<");
  EXPECT_EQ(Order(INT64_MIN, INT64_MAX), "<");
  EXPECT_EQ(Order(2.0, 1.0), ">");
  EXPECT_EQ(Order(-0.0, 0.0), "=");
  EXPECT_EQ(Order(false, true), "<");
  EXPECT_EQ(Order("abc", "abd"), "<");
  EXPECT_EQ(Order("1234567", "12345678"), "<");
  EXPECT_EQ(Order(Bytes(std::string("\x01")), Bytes(std::string("\xff"))), "<");
  EXPECT_EQ(Order(nullptr, 1), "<");
  EXPECT_EQ(Order("s", nullptr), ">");
  EXPECT_EQ(Order(DataType::Float(16), DataType::Float(32)), "<");
  EXPECT_EQ(Order(Device(1, 1), Device(2, 0)), "<");
  EXPECT_EQ(Order(Shape{1, 2}, Shape{1}), ">");
  EXPECT_EQ(Order(BigInt::FromDecimal("99999999999999999999"), 1), ">");
  EXPECT_EQ(Order(BigInt::FromDecimal("99999999999999999998"), BigInt::FromDecimal("99999999999999999999")), "<");
}

TEST(RecursiveOrder, OfContainersAndObjects) {
  EXPECT_EQ(Order(Array<Any>{1, 2}, Array<Any>{1, 3}), "<");
  EXPECT_EQ(Order(Array<Any>{1}, Array<Any>{1, 0}), "<");
  EXPECT_EQ(Order(List<Any>{2}, List<Any>{1, 9}), ">");
  EXPECT_EQ(Order(Pair(1, 2), Pair(1, 3)), "<");
  EXPECT_EQ(Order(Pair(Array<Any>{2}), Pair(Array<Any>{1})), ">");
  EXPECT_EQ(Order(testing::Quiet(1, 9), testing::Quiet(1, 2)), "=");
  EXPECT_EQ(Order(Map<Any, Any>{{1, Array<Any>{2}}}, Map<Any, Any>{{1, Array<Any>{2}}}), "=");
}

TEST(RecursiveOrder, WhatHasNoOrderIsAnError) {
  EXPECT_EQ(OrderError(1, 1.0), "TypeError: Cannot compare values of different types: int vs float");
  EXPECT_EQ(OrderError(Array<Any>{1, "x"}, Array<Any>{1, 2}),
            "TypeError: Cannot compare values of different types: ffi.String vs int");
  EXPECT_EQ(OrderError(kNan, 1.0), "TypeError: Cannot order NaN values");
  const std::string maps = "TypeError: Cannot order Map/Dict values";
  EXPECT_EQ(OrderError(Map<Any, Any>{{1, 2}}, Map<Any, Any>{{1, 3}}), maps);
  EXPECT_EQ(OrderError(Map<Any, Any>{{1, 2}}, Map<Any, Any>{{2, 2}}), maps);
  EXPECT_EQ(OrderError(Map<Any, Any>{}, Map<Any, Any>{{2, 2}}), maps);
  EXPECT_EQ(OrderError(Map<Any, Any>{{1, Array<Any>{Pair(1)}}}, Map<Any, Any>{{1, Array<Any>{Pair("x")}}}), maps);
  int one = 1, two = 2;
  EXPECT_EQ(OrderError(static_cast<void*>(&one), static_cast<void*>(&two)),
            "TypeError: Cannot order values of type void*");
}

TEST(RecursiveCompare, Cycles) {
  List<Any> a{1}, b{1}, c{2};
  a.push_back(a);
  b.push_back(b);
  c.push_back(c);
  EXPECT_TRUE(Eq(a, b));
  EXPECT_FALSE(Eq(a, c));
  EXPECT_EQ(Order(a, c), "<");
  EXPECT_EQ(OrderError(a, b), "ValueError: RecursiveCompare: cyclic reference detected in ordering");
  for (List<Any>* list : {&a, &b, &c}) list->clear();
}

TEST(RecursiveCompare, DepthAndSharing) {
  Any deep[2], dag[2] = {Any(1), Any(1)};
  for (Any& value : deep) {
    for (int i = 0; i < testing::kLarge; ++i) value = List<Any>{value};
  }
  for (Any& value : dag) {
    for (int i = 0; i < 100; ++i) value = Array<Any>{value, value};
  }
  EXPECT_TRUE(Eq(deep[0], deep[1]));
  EXPECT_EQ(Order(deep[0], deep[1]), "=");
  EXPECT_TRUE(Eq(dag[0], dag[1]));
}

TEST(RecursiveCompare, HooksDecide) {
  HookedPairObj::equal = Function::FromTyped(
      [](const HookedPairObj* l, const HookedPairObj* r, const Function& eq) { return eq(l->a, r->a).cast<bool>(); });
  HookedPairObj::compare = Function::FromTyped([](const HookedPairObj* l, const HookedPairObj* r, const Function& cmp) {
    return -7 * cmp(l->a, r->a).cast<int64_t>();
  });
  EXPECT_TRUE(Eq(Array<Any>{HookedPair(1, 2)}, Array<Any>{HookedPair(1, 3)}));
  EXPECT_FALSE(Eq(HookedPair(1), HookedPair(2)));
  EXPECT_EQ(Order(HookedPair(1), HookedPair(2)), ">");
  EXPECT_EQ(Order(Array<Any>{HookedPair(1, 2)}, Array<Any>{HookedPair(1, 3)}), "=");
}

// What a hook found equal on the way to a difference that it overrules depends on that difference.
TEST(RecursiveCompare, ADifferenceThatAHookOverrulesLeavesNothingBehind) {
  HookedPairObj::equal = Function::FromTyped([](const HookedPairObj* l, const HookedPairObj* r, const Function& eq) {
    EXPECT_FALSE(eq(l->a, r->a).cast<bool>());
    return true;
  });
  // x = [part, 1] and y = [part', 2], where the parts lead back to x and y.
  List<Any> part, other_part, x{part, 1}, y{other_part, 2};
  part.push_back(x);
  other_part.push_back(y);
  EXPECT_TRUE(Eq(Array<Any>{HookedPair(x)}, Array<Any>{HookedPair(y)}));
  EXPECT_FALSE(Eq(Array<Any>{HookedPair(x), part}, Array<Any>{HookedPair(y), other_part}));
  part.clear();
  other_part.clear();
}

TEST(RecursiveCompare, ErrorsOfHooksReachTheCaller) {
  HookedPairObj::equal = Function::FromTyped([](const Any&, const Any&, const Function&) { return String("x"); });
  EXPECT_EQ(CallError("ffi.RecursiveEq", {HookedPair(1), HookedPair(2)}),
            "TypeError: Cannot convert from type `ffi.SmallStr` to `bool`");
}

}  // namespace
}  // namespace transom
