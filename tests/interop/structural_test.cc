// Walks, visits and rewritings of the C contract, with hooks and visitors as other libraries bring them.
#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/tuple.h>
#include <transom/reflection/registry.h>
#include <transom/runtime/visit_interrupt.h>
#include <transom/structural/equal.h>

#include <string>
#include <utility>
#include <vector>

#include "interop/structural_objects.h"
#include "support/native_types.h"

namespace transom::interop {
namespace {

using testing::Call;
using testing::CallObj;
using testing::Const;
using testing::ConstObj;
using testing::ErrorOf;
using testing::Lambda;
using testing::LambdaObj;
using testing::Let;
using testing::LetObj;
using testing::Node;
using testing::NodeObj;
using testing::Var;
using testing::VarObj;

using Lines = std::vector<std::string>;
using Callbacks = Array<Tuple<int64_t, Function>>;
using MutateCallbacks = Array<Tuple<int64_t, Function, bool>>;

constexpr int64_t kPre = 0, kPost = 1;
constexpr const char* kTooDeep = "RuntimeError: the stack of the thread is nearly full of hooks";

template <class... Args>
Any CallGlobal(const char* name, const Args&... args) {
  return Function::GetGlobalRequired(name)(args...);
}

Callbacks On(int64_t type_index, Function function) {
  return {Tuple<int64_t, Function>(type_index, std::move(function))};
}
MutateCallbacks OnMutate(int64_t type_index, Function function, bool wants_mode = false) {
  return {Tuple<int64_t, Function, bool>(type_index, std::move(function), wants_mode)};
}

// What callbacks on all values see: type and region.
Lines Trace(const Any& root, int64_t order) {
  Lines lines;
  const Function note = Function::FromTyped(
      [&](const Any& value, int64_t region) { lines.push_back(value.GetTypeKey() + " " + std::to_string(region)); });
  CallGlobal("ffi.StructuralWalk", root, Callbacks(), On(kTVMFFIAny, note), order);
  return lines;
}

Function PlusOne() {
  return Function::FromTyped([](int64_t i) { return i + 1; });
}
Any MapInts(const Any& root, const Function& function = PlusOne()) {
  return CallGlobal("ffi.StructuralMap", root, On(kTVMFFIInt, function), Callbacks(), kPost);
}

TEST(ContractWalk, OrderRegionsAndWhatIsLeftOut) {
  const Any x = Var("a variable", Var("type"));
  const Any root = Lambda({x}, Call("f", {x, nullptr, Map<Any, Any>{{"key", 1}}}, "span"));
  EXPECT_EQ(Trace(root, kPre),
            (Lines{"native.Lambda 0", "ffi.Array 1", "native.Var 1", "native.Var 1", "native.Call 0", "ffi.SmallStr 0",
                   "ffi.Array 0", "native.Var 0", "native.Var 0", "ffi.Map 0", "int 0"}));
  EXPECT_EQ(Trace(Array<Any>{Const(1)}, kPost), (Lines{"int 0", "native.Const 0", "ffi.Array 0"}));
  EXPECT_EQ(Trace(Let(Var("y", Var("z")), 1, 2), kPre),
            (Lines{"native.Let 0", "int 0", "native.Var 2", "native.Var 0", "int 0"}));
  EXPECT_TRUE(Trace(nullptr, kPre).empty());
}

TEST(ContractWalk, EveryPlaceOfAnObject) {
  const Any shared = Const(1);
  EXPECT_EQ(Trace(Array<Any>{shared, shared}, kPre).size(), 5u);
}

TEST(ContractWalk, ResultsOfCallbacks) {
  const Any root = Array<Any>{Array<Any>{1}, 2};
  const auto count = [&](Any result, int64_t order) {
    int calls = 0;
    const Function callback = Function::FromTyped([&](const Any&) {
      ++calls;
      return result;
    });
    const Any end = CallGlobal("ffi.StructuralWalk", root, On(kTVMFFIAny, callback), Callbacks(), order);
    EXPECT_TRUE(end == nullptr);
    return calls;
  };
  EXPECT_EQ(count(nullptr, kPre), 4);
  EXPECT_EQ(count(0, kPre), 4);
  EXPECT_EQ(count(1, kPre), 1);
  EXPECT_EQ(count(1, kPost), 4);
  EXPECT_EQ(
      ErrorOf([&] { count("x", kPre); }),
      "TypeError: a callback of a structural walk gave a value of type ffi.SmallStr; expected None or 0 (go on), 1 "
      "(skip the children) or ffi.VisitInterrupt (stop)");
}

TEST(ContractWalk, Interrupts) {
  const Function stop = Function::FromTyped([](int64_t i) { return i == 2 ? Any(VisitInterrupt("two")) : Any(); });
  const Any found =
      CallGlobal("ffi.StructuralWalk", Array<Any>{1, Const(2), 3}, On(kTVMFFIInt, stop), Callbacks(), kPre);
  ASSERT_NE(found.as<VisitInterruptObj>(), nullptr);
  EXPECT_EQ(found.as<VisitInterruptObj>()->value.cast<String>(), "two");
}

TEST(ContractWalk, WrongTypeIndex) {
  EXPECT_EQ(ErrorOf([&] { CallGlobal("ffi.StructuralWalk", 1, On(-2, PlusOne()), Callbacks(), kPre); }),
            "ValueError: Expected the index of a type, or -1 for all values, but got -2");
}

TEST(ContractWalk, CyclesAndListsThatChange) {
  List<Any> list{1};
  list.push_back(list);
  EXPECT_EQ(ErrorOf([&] { Trace(list, kPre); }).substr(0, 39), "ValueError: <root>[1]: the value contai");
  EXPECT_EQ(ErrorOf([&] { MapInts(list); }).substr(0, 39), "ValueError: <root>[1]: the value contai");
  list.clear();
  const auto changed = [&](const char* name, bool is_map) {
    List<Any> items{Const(1), Const(2)};
    const Function clear = Function::FromTyped([&](const Any& value) {
      items.clear();
      return is_map ? value : Any();
    });
    return ErrorOf([&] { CallGlobal(name, items, On(ConstObj::RuntimeTypeIndex(), clear), Callbacks(), kPost); });
  };
  EXPECT_EQ(changed("ffi.StructuralWalk", false),
            "RuntimeError: <root>[1]: the list that holds this was changed from 2 to 0 elements while it was visited");
  EXPECT_EQ(changed("ffi.StructuralMap", true), changed("ffi.StructuralWalk", false));
  Dict<Any, Any> dict{{1, Const(1)}, {2, Const("text that is long")}};
  const Function empty = Function::FromTyped([&](const Any& value) {
    dict.clear();
    return value;
  });
  EXPECT_EQ(ErrorOf([&] {
              CallGlobal("ffi.StructuralMap", dict, On(ConstObj::RuntimeTypeIndex(), empty), Callbacks(), kPre);
            }),
            "no error")
      << "nothing was replaced";
  dict.set(1, Const(1));
  const Function replace = Function::FromTyped([&](const Any&) {
    dict.clear();
    return Const(5);
  });
  EXPECT_EQ(ErrorOf([&] {
              CallGlobal("ffi.StructuralMap", dict, On(ConstObj::RuntimeTypeIndex(), replace), Callbacks(), kPost);
            }),
            "RuntimeError: a ffi.Dict was changed by a callback while its elements were rewritten");
}

TEST(ContractWalk, AnyDepth) {
  Any deep = 1;
  constexpr int kDepth = 1'000'000;
  for (int i = 0; i < kDepth; ++i) deep = Const(std::move(deep));
  int calls = 0;
  const Function count = Function::FromTyped([&](const Any&) { ++calls; });
  CallGlobal("ffi.StructuralWalk", deep, On(ConstObj::RuntimeTypeIndex(), count), Callbacks(), kPost);
  EXPECT_EQ(calls, kDepth);
  const Any mapped = MapInts(deep);
  EXPECT_FALSE(mapped.same_as(deep));
  EXPECT_TRUE(MapInts(deep, Function::FromTyped([](int64_t i) { return i; })).same_as(deep));
}

// ---- Callbacks that go on by themselves -----------------------------------------------------------------------------

TEST(ContractVisit, CallbacksOwnTheDescent) {
  Lines lines;
  const Function on_call = Function::FromTyped([&](const Any& value, const StructuralVisitor& visitor) {
    lines.push_back(value.as<CallObj>()->op);
    return CallGlobal("ffi.StructuralVisitorDefaultVisit", visitor, value.as<CallObj>()->args);
  });
  const Function on_const = Function::FromTyped([&](const Any& value, const StructuralVisitor& visitor) {
    lines.push_back("const");
    return CallGlobal("ffi.StructuralVisitorVisit", visitor, value.as<ConstObj>()->value);
  });
  const Function on_int = Function::FromTyped([&](int64_t i, const StructuralVisitor&) {
    lines.push_back(std::to_string(i));
    return i == 2 ? Any(VisitInterrupt(i)) : Any();
  });
  const auto entry = [](int64_t type_index, const Function& f) { return Tuple<int64_t, Function>(type_index, f); };
  const Callbacks callbacks{entry(CallObj::RuntimeTypeIndex(), on_call), entry(ConstObj::RuntimeTypeIndex(), on_const),
                            entry(kTVMFFIInt, on_int)};
  const Any end = CallGlobal("ffi.StructuralVisit", Call("f", {Const(1), Call("g", {2}), 3}), callbacks);
  EXPECT_EQ(lines, (Lines{"f", "const", "1", "g", "2"}));
  EXPECT_EQ(end.as<VisitInterruptObj>()->value.cast<int64_t>(), 2);
}

TEST(ContractVisit, RegionsAsked) {
  Lines lines;
  const Function on_array = Function::FromTyped([&](const Any& value, const StructuralVisitor& visitor) {
    const Function inside = Function::FromTyped(
        [&] { return CallGlobal("ffi.StructuralVisitorVisit", visitor, value.cast<Array<Any>>()[0]); });
    return CallGlobal("ffi.StructuralVisitorWithDefRegionKind", visitor, 2, inside);
  });
  const Function on_var = Function::FromTyped([&](const Any& value, const StructuralVisitor& visitor) {
    lines.push_back(std::string(value.as<VarObj>()->name) +
                    std::to_string(CallGlobal("ffi.StructuralVisitorDefRegionKind", visitor).cast<int64_t>()));
    return Any();
  });
  const Callbacks callbacks{Tuple<int64_t, Function>(kTVMFFIArray, on_array),
                            Tuple<int64_t, Function>(VarObj::RuntimeTypeIndex(), on_var)};
  CallGlobal("ffi.StructuralVisit", Array<Any>{Var("x")}, callbacks);
  CallGlobal("ffi.StructuralVisit", Lambda({Var("y")}, 1), callbacks);
  EXPECT_EQ(lines, (Lines{"x2", "y1"})) << "inside a recursive region all regions are recursive";
  const Function bad = Function::FromTyped([&](const Any&, const StructuralVisitor& visitor) {
    return CallGlobal("ffi.StructuralVisitorWithDefRegionKind", visitor, 7, Function::FromTyped([] {}));
  });
  EXPECT_EQ(ErrorOf([&] { CallGlobal("ffi.StructuralVisit", 1, On(kTVMFFIInt, bad)); }),
            "ValueError: expected 0, 1 or 2 as the kind of a definition region, found 7");
}

TEST(ContractVisit, AnErrorInsideDoesNotEndTheVisitor) {
  int ints = 0;
  const Function on_call = Function::FromTyped([&](const Any& value, const StructuralVisitor& visitor) {
    EXPECT_EQ(ErrorOf([&] { CallGlobal("ffi.StructuralVisitorDefaultVisit", visitor, value); }), "KeyError: no 2");
    EXPECT_EQ(ErrorOf([&] { CallGlobal("ffi.StructuralVisitorVisit", visitor, 1); }), "no error");
    return Any();
  });
  const Function on_int = Function::FromTyped([&](int64_t i, const StructuralVisitor&) {
    TRANSOM_CHECK(i != 2, KeyError) << "no 2";
    ++ints;
    return Any();
  });
  const Callbacks callbacks{Tuple<int64_t, Function>(CallObj::RuntimeTypeIndex(), on_call),
                            Tuple<int64_t, Function>(kTVMFFIInt, on_int)};
  CallGlobal("ffi.StructuralVisit", Array<Any>{Call("f", {1, Const(Const(2))}), 3}, callbacks);
  EXPECT_EQ(ints, 3);
}

TEST(ContractVisit, EndlessVisitsAreAnError) {
  const Function again = Function::FromTyped([](const Any& value, const StructuralVisitor& visitor) {
    return CallGlobal("ffi.StructuralVisitorVisit", visitor, value);
  });
  EXPECT_NE(ErrorOf([&] { CallGlobal("ffi.StructuralVisit", Const(1), On(kTVMFFIAny, again)); }).find(kTooDeep),
            std::string::npos);
}

TEST(ContractMutate, CallbacksOwnTheResult) {
  Lines lines;
  const Function on_array = Function::FromTyped([&](const Any& value, const StructuralMutator& mutator, int64_t mode) {
    lines.push_back("mode " + std::to_string(mode));
    return CallGlobal("ffi.StructuralMutatorDefaultMutate", mutator, value);
  });
  const Function on_int = Function::FromTyped([](int64_t i, const StructuralMutator&) { return i + 1; });
  const MutateCallbacks callbacks{Tuple<int64_t, Function, bool>(kTVMFFIArray, on_array, true),
                                  Tuple<int64_t, Function, bool>(kTVMFFIInt, on_int, false)};
  const Array<Any> root{1, Const(2)};
  const Any result = CallGlobal("ffi.StructuralMutate", root, callbacks);
  EXPECT_TRUE(StructuralEqual::Equal(result, Array<Any>{2, Const(3)}));
  EXPECT_TRUE(StructuralEqual::Equal(root, Array<Any>{1, Const(2)}));
  EXPECT_EQ(lines, (Lines{"mode 0"}));
}

TEST(ContractMutate, RecordOfVariables) {
  const Any x = Var("x");
  const Function on_var = Function::FromTyped([](const Any& value, const StructuralMutator& mutator) {
    if (CallGlobal("ffi.StructuralMutatorDefRegionKind", mutator).cast<int64_t>() == 0) {
      return CallGlobal("ffi.StructuralMutatorVarRemapGet", mutator, value);
    }
    EXPECT_TRUE(CallGlobal("ffi.StructuralMutatorVarRemapGet", mutator, value) == nullptr);
    const Any renamed = Var("renamed");
    CallGlobal("ffi.StructuralMutatorVarRemapSet", mutator, value, renamed);
    return renamed;
  });
  const Any result =
      CallGlobal("ffi.StructuralMutate", Lambda({x}, Const(x)), OnMutate(VarObj::RuntimeTypeIndex(), on_var));
  const auto* lambda = result.as<LambdaObj>();
  EXPECT_EQ(lambda->params[0].as<VarObj>()->name, "renamed");
  EXPECT_TRUE(lambda->body.as<ConstObj>()->value.same_as(lambda->params[0]));
  const Function on_int = Function::FromTyped([](int64_t i, const StructuralMutator& mutator) {
    return CallGlobal("ffi.StructuralMutatorVarRemapGet", mutator, i);
  });
  EXPECT_EQ(ErrorOf([&] { CallGlobal("ffi.StructuralMutate", 1, OnMutate(kTVMFFIInt, on_int)); }),
            "TypeError: Variable-remap key must be an object-backed value, but got int");
}

// ---- Rewriting ------------------------------------------------------------------------------------------------------

TEST(ContractMap, EveryPlaceButVariablesAndDagNodesOnce) {
  const Any node = Node(1), plain = Const(1), x = Var("x", 1);
  const auto map = [](const Any& root, int* calls) {
    return MapInts(root, Function::FromTyped([calls](int64_t i) {
                     ++*calls;
                     return i + 1;
                   }));
  };
  int calls = 0;
  auto items = map(Array<Any>{node, node}, &calls).cast<Array<Any>>();
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(items[0].same_as(items[1]));
  calls = 0;
  items = map(Array<Any>{plain, plain}, &calls).cast<Array<Any>>();
  EXPECT_EQ(calls, 2);
  EXPECT_FALSE(items[0].same_as(items[1]));
  calls = 0;
  const Any lambda = map(Lambda({x, x}, Call("f", {x})), &calls);
  EXPECT_EQ(calls, 1);
  const auto* as = lambda.as<LambdaObj>();
  EXPECT_TRUE(as->params[0].same_as(as->params[1]));
  EXPECT_TRUE(as->body.as<CallObj>()->args[0].same_as(as->params[0]));
  EXPECT_EQ(as->params[0].as<VarObj>()->type.cast<int64_t>(), 2);
  calls = 0;
  const Array<Any> unbound{x, Lambda({x}, 0)};
  items = map(unbound, &calls).cast<Array<Any>>();
  EXPECT_TRUE(items[0].same_as(x)) << "before its definition a variable stays";
  EXPECT_FALSE(items[1].as<LambdaObj>()->params[0].same_as(x));
}

TEST(ContractMap, ASimpleDefinitionThatStaysIsLookedIntoAgain) {
  const Any x = Var("x", 1);
  int calls = 0;
  const Function keep = Function::FromTyped([&](int64_t i) {
    ++calls;
    return i;
  });
  const Array<Any> twice{Let(x, 0.5, 0.5), Let(x, 0.5, 0.5)};
  EXPECT_TRUE(MapInts(twice, keep).same_as(twice));
  EXPECT_EQ(calls, 2);
  calls = 0;
  const Any pattern = Lambda({x, x}, 0.5);
  EXPECT_TRUE(MapInts(pattern, keep).same_as(pattern));
  EXPECT_EQ(calls, 1);
}

TEST(ContractMap, Orders) {
  Lines lines;
  const Function on_array = Function::FromTyped([&](const Any& value) {
    lines.push_back("array " + std::to_string(value.cast<Array<Any>>().size()));
    return value.cast<Array<Any>>().size() == 1 ? Any(Array<Any>{2, 3}) : value;
  });
  const Callbacks callbacks{Tuple<int64_t, Function>(kTVMFFIArray, on_array),
                            Tuple<int64_t, Function>(kTVMFFIInt, PlusOne())};
  EXPECT_TRUE(StructuralEqual::Equal(CallGlobal("ffi.StructuralMap", Array<Any>{1}, callbacks, Callbacks(), kPre),
                                     Array<Any>{3, 4}));
  EXPECT_TRUE(StructuralEqual::Equal(CallGlobal("ffi.StructuralMap", Array<Any>{1}, callbacks, Callbacks(), kPost),
                                     Array<Any>{2, 3}));
  EXPECT_EQ(lines, (Lines{"array 1", "array 1"}));
}

TEST(ContractMap, NoneReachesCallbacksAndKeysDoNot) {
  const Function fill = Function::FromTyped([](const Any& value) { return value == nullptr ? Any(5) : value; });
  const Any result = CallGlobal("ffi.StructuralMap", Array<Any>{nullptr}, On(kTVMFFIAny, fill), Callbacks(), kPost);
  EXPECT_TRUE(StructuralEqual::Equal(result, Array<Any>{5}));
  const Map<Any, Any> map{{1, 1}};
  EXPECT_TRUE(StructuralEqual::Equal(MapInts(map), Map<Any, Any>{{1, 2}}));
}

TEST(ContractMap, TextThatIsMadeAnewIsNoChange) {
  const Array<Any> root{"a text that is long", Bytes("bytes that are long", 19)};
  const Function copy = Function::FromTyped([](const Any& value) {
    if (const auto* text = value.as<String>()) return Any(String(std::string(*text)));
    if (const auto* bytes = value.as<Bytes>()) return Any(Bytes(bytes->data(), bytes->size()));
    return value;
  });
  EXPECT_TRUE(CallGlobal("ffi.StructuralMap", root, On(kTVMFFIAny, copy), Callbacks(), kPost).same_as(root));
}

// Calls with the root given away.
Any MapMoved(Any root) {
  TVMFFIObject* object = root.Release().v_obj;
  TVMFFIAny moved{};
  moved.type_index = kTVMFFIObjectRValueRef;
  moved.v_ptr = &object;
  const Callbacks callbacks = On(kTVMFFIInt, PlusOne()), none;
  const AnyView args[] = {AnyView::FromRaw(moved), AnyView(callbacks), AnyView(none), AnyView(kPost)};
  return Function::GetGlobalRequired("ffi.StructuralMap").CallPacked(args, 4);
}

TEST(ContractMap, WhatNobodyElseHoldsIsChangedItself) {
  Any inner = Array<Any>{1};
  const void* inner_object = inner.raw()->v_obj;
  Any outer = Array<Any>{std::move(inner), Map<Any, Any>{{"k", 1}}};
  const void* outer_object = outer.raw()->v_obj;
  const Any result = MapMoved(std::move(outer));
  EXPECT_EQ(result.raw()->v_obj, outer_object);
  EXPECT_EQ(result.cast<Array<Any>>()[0].raw()->v_obj, inner_object);
  EXPECT_TRUE(StructuralEqual::Equal(result, Array<Any>{Array<Any>{2}, Map<Any, Any>{{"k", 2}}}));

  const Any kept = Array<Any>{1};
  const Any copy = MapMoved(Array<Any>{kept});
  EXPECT_TRUE(StructuralEqual::Equal(kept, Array<Any>{1}));
  EXPECT_TRUE(StructuralEqual::Equal(copy, Array<Any>{Array<Any>{2}}));
  Any also_held = Array<Any>{1};
  const Any holder = also_held;
  EXPECT_FALSE(MapMoved(std::move(also_held)).same_as(holder));
  EXPECT_TRUE(StructuralEqual::Equal(holder, Array<Any>{1}));
}

// ---- Hooks of types -------------------------------------------------------------------------------------------------

/* A pair whose hooks look at `second` only, in a recursive region: as functions, or as C functions. */
class PairObj : public Object {
 public:
  Any first;
  Any second;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  PairObj() = default;
  TRANSOM_DECLARE_OBJECT_INFO("contract_test.Pair", PairObj, Object);
};
class CPairObj : public PairObj {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("contract_test.CPair", CPairObj, PairObj);
};
/* Hooks that misbehave by `mode`. */
class BadObj : public Object {
 public:
  int64_t mode = 0;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("contract_test.Bad", BadObj, Object);
};
class WrongFormObj : public Object {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("contract_test.WrongForm", WrongFormObj, Object);
};

template <class T>
Any MakePair(Any first, Any second) {
  auto pair = make_object<T>();
  pair->first = std::move(first);
  pair->second = std::move(second);
  return Any(std::move(pair));
}

TVMFFIAny VisitSecond(StructuralVisitorObj* visitor, TVMFFIAny value) {
  const auto* pair = AnyView::FromRaw(value).as<PairObj>();
  const int32_t before = std::exchange(visitor->region, 1);
  const TVMFFIAny result = visitor->vtable->visit(visitor, *pair->second.raw());
  visitor->region = before;
  return result;
}
TVMFFIAny MutateSecond(StructuralMutatorObj* mutator, TVMFFIAny value) {
  const auto* pair = AnyView::FromRaw(value).as<PairObj>();
  Any second = Any::FromOwned(mutator->vtable->mutate(mutator, *pair->second.raw()));
  if (second.type_index() == kTVMFFIError) return second.Release();
  if (second.same_as(pair->second)) {
    TVMFFIAny unchanged{};
    unchanged.type_index = kTVMFFIUnchanged;
    return unchanged;
  }
  return MakePair<CPairObj>(pair->first, std::move(second)).Release();
}

TRANSOM_STATIC_INIT_BLOCK() {
  namespace refl = reflection;
  refl::ObjectDef<PairObj>().def_ro("first", &PairObj::first).def_ro("second", &PairObj::second);
  refl::TypeAttrDef<PairObj>()
      .def("__s_visit__", Function::FromTyped([](const StructuralVisitor& visitor, const Any& value) {
             const Function inside = Function::FromTyped(
                 [&] { return CallGlobal("ffi.StructuralVisitorVisit", visitor, value.as<PairObj>()->second); });
             return CallGlobal("ffi.StructuralVisitorWithDefRegionKind", visitor, 1, inside);
           }))
      .def("__s_mutate__", Function::FromTyped([](const StructuralMutator& mutator, const Any& value) {
             const auto* pair = value.as<PairObj>();
             const Any second = CallGlobal("ffi.StructuralMutatorMutate", mutator, pair->second);
             return second.same_as(pair->second) ? value : MakePair<PairObj>(pair->first, second);
           }));
  refl::ObjectDef<CPairObj>();
  refl::TypeAttrDef<CPairObj>()
      .def("__s_visit__", reinterpret_cast<void*>(&VisitSecond))
      .def("__s_mutate__", reinterpret_cast<void*>(&MutateSecond));
  refl::ObjectDef<BadObj>().def_ro("mode", &BadObj::mode);
  refl::TypeAttrDef<BadObj>().def(
      "__s_visit__", Function::FromTyped([](const StructuralVisitor& visitor, const Any& v) {
        return v.as<BadObj>()->mode == 0 ? Any(5) : CallGlobal("ffi.StructuralVisitorDefaultVisit", visitor, v);
      }));
  refl::ObjectDef<WrongFormObj>();
  refl::TypeAttrDef<WrongFormObj>().def("__s_visit__", 5).def("__s_mutate__", 5);
}

template <class T>
void CheckHooks() {
  Lines lines;
  const Function note = Function::FromTyped([&](int64_t i, int64_t region) {
    lines.push_back(std::to_string(i) + " in " + std::to_string(region));
    return i == 9 ? Any(VisitInterrupt("nine")) : Any();
  });
  const auto walk = [&](const Any& root) {
    return CallGlobal("ffi.StructuralWalk", root, Callbacks(), On(kTVMFFIInt, note), kPost);
  };
  EXPECT_TRUE(walk(Array<Any>{MakePair<T>(1, Const(2)), 3}) == nullptr);
  EXPECT_EQ(lines, (Lines{"2 in 1", "3 in 0"}));
  EXPECT_EQ(
      walk(Array<Any>{MakePair<T>(1, Const(9)), 3}).template as<VisitInterruptObj>()->value.template cast<String>(),
      "nine");
  const Any pair = MakePair<T>(1, Const(2));
  const Any mapped = MapInts(Array<Any>{pair}).template cast<Array<Any>>()[0];
  EXPECT_EQ(mapped.as<T>()->first.template cast<int64_t>(), 1);
  EXPECT_EQ(mapped.as<T>()->second.template as<ConstObj>()->value.template cast<int64_t>(), 3);
  const Array<Any> root{pair};
  EXPECT_TRUE(MapInts(root, Function::FromTyped([](int64_t i) { return i; })).same_as(root));
  const Function fail = Function::FromTyped([](int64_t) -> Any { TRANSOM_THROW(KeyError) << "mine"; });
  EXPECT_EQ(ErrorOf([&] { MapInts(root, fail); }), "KeyError: mine");
  EXPECT_EQ(ErrorOf([&] { CallGlobal("ffi.StructuralWalk", root, On(kTVMFFIInt, fail), Callbacks(), kPost); }),
            "KeyError: mine");
}

TEST(ContractHooks, Functions) { CheckHooks<PairObj>(); }
TEST(ContractHooks, CFunctions) { CheckHooks<CPairObj>(); }

TEST(ContractHooks, Misbehaviour) {
  EXPECT_EQ(ErrorOf([&] { Trace(Array<Any>{Any(make_object<BadObj>())}, kPre); }),
            "TypeError: the `__s_visit__` hook of type contract_test.Bad gave a value of type int; expected None or "
            "ffi.VisitInterrupt");
  auto endless = make_object<BadObj>();
  endless->mode = 1;
  EXPECT_NE(ErrorOf([&] { Trace(Any(endless), kPre); }).find(kTooDeep), std::string::npos);
  const Any wrong(make_object<WrongFormObj>());
  EXPECT_EQ(ErrorOf([&] { Trace(wrong, kPre); }),
            "TypeError: the attribute `__s_visit__` of type contract_test.WrongForm is of type int; a function or the "
            "address of one is expected");
  EXPECT_EQ(ErrorOf([&] { MapInts(wrong); }),
            "TypeError: the attribute `__s_mutate__` of type contract_test.WrongForm is of type int; a function or the "
            "address of one is expected");
}

// ---- Visitors and mutators of another library -----------------------------------------------------------------------

/* Notes what it visits, and goes on by the default visit. */
struct ForeignVisitor : StructuralVisitorObj {
  Lines lines;
  ForeignVisitor() : StructuralVisitorObj(&kTable) {}
  static TVMFFIAny Visit(StructuralVisitorObj* self, TVMFFIAny value) {
    try {
      auto* visitor = static_cast<ForeignVisitor*>(self);
      visitor->lines.push_back(AnyView::FromRaw(value).GetTypeKey() + " " + std::to_string(self->region));
      const StructuralVisitor ref{GetObjectPtr<StructuralVisitorObj>(self)};
      return CallGlobal("ffi.StructuralVisitorDefaultVisit", ref, AnyView::FromRaw(value)).Release();
    } catch (const Error& error) {
      return Any(error).Release();
    }
  }
  static constexpr VTable kTable{&Visit};
};

TEST(ContractForeign, VisitorSeesWhatTheWalkSees) {
  const Any x = Var("x", Var("type"));
  const Any root = Lambda({x}, Call("f", {Let(Var("y", Var("z")), 1, x), List<Any>{nullptr, 2},
                                          Dict<Any, Any>{{"k", MakePair<CPairObj>(1, 2.5)}}}));
  auto visitor = make_object<ForeignVisitor>();
  const StructuralVisitor ref{ObjectPtr<StructuralVisitorObj>(visitor)};
  EXPECT_TRUE(CallGlobal("ffi.StructuralVisitorVisit", ref, root) == nullptr);
  EXPECT_EQ(visitor->lines, Trace(root, kPre));
}

/* Adds one to integers, else goes on by the default. */
struct ForeignMutator : StructuralMutatorObj {
  std::vector<std::pair<Any, Any>> remap;
  ForeignMutator() : StructuralMutatorObj(&kTable) {}
  static TVMFFIAny Mutate(StructuralMutatorObj* self, TVMFFIAny value) {
    try {
      if (value.type_index == kTVMFFIInt) return Any(value.v_int64 + 1).Release();
      const StructuralMutator ref{GetObjectPtr<StructuralMutatorObj>(self)};
      return CallGlobal("ffi.StructuralMutatorDefaultMutate", ref, AnyView::FromRaw(value)).Release();
    } catch (const Error& error) {
      return Any(error).Release();
    }
  }
  static TVMFFIAny Get(StructuralMutatorObj* self, TVMFFIAny variable) {
    for (const auto& [key, value] : static_cast<ForeignMutator*>(self)->remap) {
      if (key.raw()->v_obj == variable.v_obj) return Any(value).Release();
    }
    return Any().Release();
  }
  static TVMFFIAny Set(StructuralMutatorObj* self, TVMFFIAny variable, TVMFFIAny value) {
    static_cast<ForeignMutator*>(self)->remap.emplace_back(AnyView::FromRaw(variable), AnyView::FromRaw(value));
    return Any().Release();
  }
  static constexpr VTable kTable{&Mutate, &Mutate, &Get, &Set};
};

TEST(ContractForeign, MutatorGivesWhatMapGives) {
  const Any x = Var("x", 1);
  const Any node = Node(1);
  const Any roots[] = {Lambda({x, x}, Call("f", {x, node, node, "text that is long"}, 1)),
                       Array<Any>{List<Any>{1, nullptr}, Dict<Any, Any>{{1, 1}}, Map<Any, Any>{{"k", Const(1)}}},
                       Array<Any>{x, 2.5, MakePair<CPairObj>(1, 2)}, Let(x, 0.5, x)};
  for (const Any& root : roots) {
    const StructuralMutator mutator{ObjectPtr<StructuralMutatorObj>(make_object<ForeignMutator>())};
    const Any result = CallGlobal("ffi.StructuralMutatorMutate", mutator, root);
    EXPECT_TRUE(StructuralEqual::Equal(result, MapInts(root)));
    EXPECT_FALSE(result.same_as(root));
  }
  const StructuralMutator mutator{ObjectPtr<StructuralMutatorObj>(make_object<ForeignMutator>())};
  const Any same = Call("f", {Map<Any, Any>{{"k", x}}, List<Any>{"text"}});
  EXPECT_TRUE(CallGlobal("ffi.StructuralMutatorMutate", mutator, same).same_as(same));
}

}  // namespace
}  // namespace transom::interop
