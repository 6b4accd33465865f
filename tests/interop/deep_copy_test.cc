// ffi.DeepCopy.
#include <gtest/gtest.h>
#include <transom/containers/bigint.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/shape.h>
#include <transom/containers/tensor.h>
#include <transom/structural/visit.h>

#include <string>

#include "interop/any_pair.h"
#include "interop/call_global.h"

namespace transom {
namespace {

using testing::Call;
using testing::CallError;
using testing::Pair;
using testing::PairObj;

Any Copy(const Any& value) { return Call("ffi.DeepCopy", {value}); }
std::string Repr(const Any& value) { return Call("ffi.ReprPrint", {value}).cast<std::string>(); }

TEST(DeepCopy, WhatCannotChangeIsKept) {
  const Any kept[] = {nullptr,
                      1,
                      2.5,
                      "a string that lies in an object",
                      Bytes(std::string("bytes in an object")),
                      Shape{1},
                      DataType::Int(8),
                      BigInt::FromDecimal("99999999999999999999")};
  for (const Any& value : kept) EXPECT_TRUE(Copy(value).same_as(value)) << value.GetTypeKey();
}

TEST(DeepCopy, EverythingElseIsNew) {
  const Any inner = List<Any>{1};
  for (const Any& value : {Any(Array<Any>{inner}), Any(List<Any>{inner}), Any(Map<Any, Any>{{"k", inner}}),
                           Any(Dict<Any, Any>{{"k", inner}}), Any(Pair(inner, 2)), Any(Array<Any>{})}) {
    const Any copy = Copy(value);
    EXPECT_FALSE(copy.same_as(value)) << value.GetTypeKey();
    EXPECT_EQ(copy.type_index(), value.type_index());
    EXPECT_EQ(Repr(copy), Repr(value));
  }
  EXPECT_EQ(inner.as<Object>()->use_count(), 1u);
}

TEST(DeepCopy, LargeMapsKeepTheirOrder) {
  Map<Any, Any> map;
  for (int i = 0; i < 100; ++i) map = map.insert(97 * i % 100, Array<Any>{i});
  EXPECT_EQ(Repr(Copy(map)), Repr(map));
}

TEST(DeepCopy, SharingStays) {
  const Any shared = List<Any>{1};
  const auto copy = Copy(Array<Any>{shared, Pair(shared)}).cast<Array<Any>>();
  EXPECT_TRUE(copy[0].same_as(copy[1].as<PairObj>()->a));
  EXPECT_FALSE(copy[0].same_as(shared));
}

// A value of each kind that leads back to itself through a list, and what its copy leads to.
TEST(DeepCopy, WhatLeadsBackLeadsToTheCopy) {
  const auto check = [](const Any& value, List<Any> link, const char* text) {
    link.push_back(value);
    EXPECT_EQ(Repr(value), text);
    Any copy = Copy(value);
    EXPECT_EQ(Repr(copy), text);
    link.clear();
    EXPECT_EQ(Repr(copy), text) << "the copy shares a part with its original";
    StructuralVisit first_list;  // cuts the circle, which nobody would free
    first_list.Pre<List<Any>>([](const List<Any>& list) { return VisitResult::Interrupt(list); });
    first_list(copy)->cast<List<Any>>().clear();
  };
  const List<Any> links[6];
  check(links[0], links[0], "[...]");
  check(Array<Any>{links[1]}, links[1], "([...],)");
  check(Map<Any, Any>{{"k", links[2]}}, links[2], "{\"k\": [...]}");
  check(Dict<Any, Any>{{"k", links[3]}}, links[3], "{\"k\": [...]}");
  check(Pair(links[4]), links[4], "test.interop.Pair(a=[...], b=None)");
  check(Array<Any>{Array<Any>{links[5]}}, links[5], "(([...],),)");
}

TEST(DeepCopy, KeysThatLeadBackAreCopiedToo) {
  List<Any> link;
  const Any value = Array<Any>{link};
  link.push_back(Map<Any, Any>{{value, 1}});
  const auto copy = Copy(value).cast<Array<Any>>();
  const auto map = copy[0].cast<List<Any>>()[0].cast<Map<Any, Any>>();
  EXPECT_TRUE(map.get(Any(copy)).has_value());
  link.clear();
  copy[0].cast<List<Any>>().clear();
}

TEST(DeepCopy, DeepValuesNeedNoDeepStack) {
  Any lists(1), pairs(1);
  for (int i = 0; i < 300000; ++i) {
    lists = List<Any>{lists};
    pairs = Pair(pairs);
  }
  const Any copy = Copy(Array<Any>{lists, pairs});
  EXPECT_EQ(Call("ffi.RecursiveHash", {copy}).cast<int64_t>(),
            Call("ffi.RecursiveHash", {Array<Any>{lists, pairs}}).cast<int64_t>());
}

TEST(DeepCopy, WhatCannotBeCopiedIsAnError) {
  const auto text = [](const char* key) {
    return "InternalError: Cannot deep copy object of type \"" + std::string(key) +
           "\" because it is not copy-constructible";
  };
  EXPECT_EQ(CallError("ffi.DeepCopy", {Array<Any>{make_object<testing::UncopyableObj>()}}),
            text("test.interop.Uncopyable"));
  EXPECT_EQ(CallError("ffi.DeepCopy", {Function::GetGlobalRequired("ffi.DeepCopy")}), text("ffi.Function"));
  EXPECT_EQ(CallError("ffi.DeepCopy", {Tensor::Empty({1}, DataType::Int(8))}), text("ffi.Tensor"));
}

}  // namespace
}  // namespace transom
