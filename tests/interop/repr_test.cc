// ffi.ReprPrint.
#include <gtest/gtest.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/shape.h>
#include <transom/containers/tensor.h>
#include <transom/reflection/access_path.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "interop/any_pair.h"
#include "interop/call_global.h"

namespace transom {
namespace {

using testing::Call;
using testing::CallError;
using testing::HookedPair;
using testing::HookedPairObj;
using testing::Pair;

std::string Repr(const Any& value) { return Call("ffi.ReprPrint", {value}).cast<std::string>(); }

TEST(Repr, PlainValues) {
  EXPECT_EQ(Repr(nullptr), "None");
  EXPECT_EQ(Repr(true), "True");
  EXPECT_EQ(Repr(-5), "-5");
  EXPECT_EQ(Repr(1.0), "1");
  EXPECT_EQ(Repr(1.0 / 3), "0.333333");
  EXPECT_EQ(Repr(1e300), "1e+300");
  EXPECT_EQ(Repr(-0.0), "-0");
  EXPECT_EQ(Repr(std::nan("")), "nan");
  EXPECT_EQ(Repr(-INFINITY), "-inf");
  EXPECT_EQ(Repr(DataType::Float(32)), "float32");
  EXPECT_EQ(Repr(Device(2, 3)), "cuda:3");
  EXPECT_EQ(Repr(Shape{1, 2}), "Shape(1, 2)");
  EXPECT_EQ(Repr(Shape{}), "Shape()");
  EXPECT_EQ(Repr(Tensor::Empty({2, 3}, DataType::Int(8))), "int8[2, 3]@cpu:0");
  EXPECT_EQ(Repr(static_cast<void*>(nullptr)), "void*");
  EXPECT_EQ(Repr(Function::GetGlobalRequired("ffi.ReprPrint")), "ffi.Function");
  EXPECT_EQ(Repr(Call("ffi.GetInvalidObject", {})), "<MISSING>");
  EXPECT_EQ(Repr(Call("ffi.GetKwargsObject", {})), "<KWARGS>");
}

TEST(Repr, TextIsQuotedInAscii) {
  EXPECT_EQ(Repr("a\"b\\c\n\t\r"), "\"a\\\"b\\\\c\\n\\t\\r\"");
  EXPECT_EQ(Repr(String(std::string("\0\x7f", 2))), "\"\\x00\\x7f\"");
  EXPECT_EQ(Repr("\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80"), "\"\\u00e9\\u6f22\\U0001f600\"");
  EXPECT_EQ(Repr("\xff\xc3"), "\"\\xff\\xc3\"");
  EXPECT_EQ(Repr("\x1b[31m"), "\"\\x1b[31m\"");
  EXPECT_EQ(Repr(Bytes(std::string("a\"\\\n\xff", 5))), "b\"a\\x22\\x5c\\x0a\\xff\"");
}

TEST(Repr, Containers) {
  EXPECT_EQ(Repr(Array<Any>{}), "()");
  EXPECT_EQ(Repr(Array<Any>{1}), "(1,)");
  EXPECT_EQ(Repr(Array<Any>{1, "x", Array<Any>{2.5}}), "(1, \"x\", (2.5,))");
  EXPECT_EQ(Repr(List<Any>{1}), "[1]");
  EXPECT_EQ(Repr(Map<Any, Any>{{1, "a"}, {"k", Array<Any>{}}}), "{1: \"a\", \"k\": ()}");
  EXPECT_EQ(Repr(Dict<Any, Any>{}), "{}");
}

TEST(Repr, ObjectsShowTheFieldsThatAreNotOff) {
  EXPECT_EQ(Repr(Pair(1, List<Any>{})), "test.interop.Pair(a=1, b=[])");
  EXPECT_EQ(Repr(testing::Quiet(1, 2)), "test.interop.Quiet(a=1)");
  EXPECT_EQ(Repr(make_object<testing::UncopyableObj>()), "test.interop.Uncopyable");
}

TEST(Repr, PathsShowTheTextOfTheirKeys) {
  using reflection::AccessPath;
  const AccessPath path = AccessPath::Root()->Attr("a")->ArrayItem(3)->MapItem("k")->MapItem(Array<Any>{1});
  EXPECT_EQ(Repr(path), "<root>.a[3][\"k\"][(1,)]");
  EXPECT_EQ(Repr(path->AttrMissing("q")), "<root>.a[3][\"k\"][(1,)][<missing:\"q\">]");
  EXPECT_EQ(Repr(reflection::AccessStep::ArrayItem(7)), "[7]");
}

TEST(Repr, SharedPartsAreWrittenAtEachPlace) {
  const Any shared = Pair(1);
  EXPECT_EQ(Repr(Array<Any>{shared, shared}), "(test.interop.Pair(a=1, b=None), test.interop.Pair(a=1, b=None))");
}

TEST(Repr, WhatLeadsBackIsDots) {
  List<Any> list{1};
  list.push_back(list);
  EXPECT_EQ(Repr(list), "[1, ...]");
  // Seen from outside, both are written in full.
  List<Any> a, b{a};
  a.push_back(b);
  EXPECT_EQ(Repr(Array<Any>{a, b}), "([[...]], [[...]])");
  EXPECT_EQ(Repr(Array<Any>{b, List<Any>{a, b}}), "([[...]], [[[...]], [[...]]])");
  list.clear();
  a.clear();
}

TEST(Repr, AddressesOnRequest) {
  setenv("TVM_FFI_REPR_WITH_ADDR", "1", 1);
  List<Any> list{1};
  list.push_back(list);
  const std::string text = Repr(list);
  const std::string address = text.substr(text.rfind('@'));
  EXPECT_EQ(text, "[1, ..." + address + "]" + address);
  EXPECT_EQ(Repr(Pair(1)).substr(0, 20), "test.interop.Pair@0x");
  EXPECT_EQ(Repr("text"), "\"text\"");
  setenv("TVM_FFI_REPR_WITH_ADDR", "0", 1);
  EXPECT_EQ(Repr(Array<Any>{1}), "(1,)");
  unsetenv("TVM_FFI_REPR_WITH_ADDR");
  list.clear();
}

TEST(Repr, HooksPrintParts) {
  HookedPairObj::repr = Function::FromTyped([](const HookedPairObj* self, const Function& print) {
    return String("<" + print(self->a).cast<std::string>() + ">");
  });
  EXPECT_EQ(Repr(Array<Any>{HookedPair(Array<Any>{1})}), "(<(1,)>,)");
  ObjectPtr<HookedPairObj> cycle = HookedPair(1);
  cycle->a = List<Any>{cycle};
  EXPECT_EQ(Repr(cycle), "<[...]>");
  EXPECT_EQ(Repr(List<Any>{cycle->a, cycle}), "[[<...>], <[...]>]");
  cycle->a = 1;
}

TEST(Repr, ErrorsOfHooksReachTheCaller) {
  static Function kept;
  HookedPairObj::repr = Function::FromTyped([](const Any&, const Function& print) {
    kept = print;
    return 3;
  });
  EXPECT_EQ(CallError("ffi.ReprPrint", {HookedPair(1)}), "TypeError: Cannot convert from type `int` to `str`");
  EXPECT_EQ(testing::ErrorOf([] { kept(1); }),
            "RuntimeError: a comparison callback was called after its hook had returned");
  kept = Function();
  HookedPairObj::repr =
      Function::FromTyped([](const Any&, const Function&) -> String { TRANSOM_THROW(ValueError) << "no text"; });
  EXPECT_EQ(CallError("ffi.ReprPrint", {Array<Any>{HookedPair(1)}}), "ValueError: no text");
}

TEST(Repr, DeepValuesNeedNoDeepStack) {
  Any value(1);
  for (int i = 0; i < 1000000; ++i) value = List<Any>{value};
  EXPECT_EQ(Repr(value).size(), 2000001u);
}

TEST(Repr, TextThatWouldNotEndIsAnError) {
  Any value(1);
  for (int i = 0; i < 60; ++i) value = Array<Any>{value, value};
  EXPECT_EQ(CallError("ffi.ReprPrint", {value}),
            "ValueError: The text of the value would have more than 1073741824 bytes: parts of it that occur several "
            "times are written as often");
}

}  // namespace
}  // namespace transom
