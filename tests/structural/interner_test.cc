#include <transom/structural/interner.h>

#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/bigint.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/shape.h>
#include <transom/containers/tensor.h>
#include <transom/formats/json_graph.h>
#include <transom/runtime/function.h>
#include <transom/structural/equal.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "support/native_types.h"
#include "support/small_stack.h"

namespace transom {
namespace {

using testing::AsRecords;
using testing::Call;
using testing::CallObj;
using testing::Const;
using testing::ErrorOf;
using testing::Lambda;
using testing::MakeToken;
using testing::Node;
using testing::Token;
using testing::TokenObj;
using testing::Var;

Any ArgOf(const Any& call, int64_t i = 0) { return call.as<CallObj>()->args[i]; }

// Whether both, which are different objects, become the first one.
::testing::AssertionResult BecomesOne(Interner& interner, const Any& first, const Any& second) {
  if (first.same_as(second)) return ::testing::AssertionFailure() << "one object from the start";
  if (!interner.Intern(first).same_as(first)) return ::testing::AssertionFailure() << "the first is another now";
  if (!interner.Intern(second).same_as(first)) return ::testing::AssertionFailure() << "the second stays another";
  return ::testing::AssertionSuccess();
}
::testing::AssertionResult BecomesOne(const Any& first, const Any& second) {
  Interner interner;
  return BecomesOne(interner, first, second);
}

TEST(Interner, TheFirstStandsForAll) {
  Interner interner;
  const Any first = interner.Intern(Call("f", {1, "a longer text"}));
  EXPECT_TRUE(interner.Intern(first).same_as(first));
  EXPECT_TRUE(interner.Intern(Call("f", {1, "a longer text"})).same_as(first));
  EXPECT_FALSE(interner.Intern(Call("g", {1, "a longer text"})).same_as(first));
  EXPECT_FALSE(interner.Intern(Call("f", {1})).same_as(first));
  EXPECT_EQ(interner.statistics().entered, 5u);  // three calls, and two arrays of arguments
  EXPECT_EQ(interner.statistics().hits, 3u);     // a call and its arguments; the arguments of g
  interner.Compact();
  EXPECT_EQ(interner.statistics().entries, 2u) << "the first call and its arguments live";
}

TEST(Interner, EveryFieldCounts) {
  const auto scalars = [] {
    auto obj = make_object<testing::ScalarsObj>();
    obj->s = "text";
    return obj;
  };
  const auto differs = [&](auto change) {
    Interner interner;
    auto changed = scalars();
    change(changed.get());
    const auto first = interner.Intern(scalars()), second = interner.Intern(changed);
    return first != second && interner.Intern(scalars()) == first;
  };
  using Obj = testing::ScalarsObj;
  EXPECT_TRUE(BecomesOne(Any(scalars()), Any(scalars())));
  EXPECT_TRUE(differs([](Obj* o) { o->i = 1; }));
  EXPECT_TRUE(differs([](Obj* o) { o->narrow = -1; }));
  EXPECT_TRUE(differs([](Obj* o) { o->tiny = 1; }));
  EXPECT_TRUE(differs([](Obj* o) { o->f = -0.0; }));
  EXPECT_TRUE(differs([](Obj* o) { o->single = 1; }));
  EXPECT_TRUE(differs([](Obj* o) { o->b = true; }));
  EXPECT_TRUE(differs([](Obj* o) { o->dtype = DataType::Int(8); }));
  EXPECT_TRUE(differs([](Obj* o) { o->s = "texts"; }));
  EXPECT_TRUE(differs([](Obj* o) { o->bytes = Bytes(std::string("b")); }));
  EXPECT_TRUE(differs([](Obj* o) { o->maybe = 0; }));
  EXPECT_TRUE(differs([](Obj* o) { o->any = 0.0; }));
}

TEST(Interner, PartsAreInternedOnTheWay) {
  Interner interner;
  const Any leaf = interner.Intern(Call("leaf"));
  const Any root = interner.Intern(Call("root", {Call("leaf"), Call("mid", {Call("leaf")})}));
  EXPECT_TRUE(ArgOf(root).same_as(leaf));
  EXPECT_TRUE(ArgOf(ArgOf(root, 1)).same_as(leaf));
  EXPECT_TRUE(interner.Intern(Call("mid", {leaf})).same_as(ArgOf(root, 1)));
  EXPECT_TRUE(StructuralEqual::Equal(root, Call("root", {Call("leaf"), Call("mid", {Call("leaf")})})));
}

TEST(Interner, TheInputIsNotChanged) {
  Interner interner;
  const Any leaf = interner.Intern(Call("leaf")), other = Call("leaf"), root = Call("root", {other});
  EXPECT_FALSE(interner.Intern(root).same_as(root)) << "it is made anew, with the leaf that is there";
  EXPECT_TRUE(ArgOf(root).same_as(other));
}

TEST(Interner, TypedReferences) {
  Interner interner;
  Array<int64_t> a = interner.Intern(Array<int64_t>{1, 2}), b = interner.Make<Array<int64_t>>(Array<int64_t>{1, 2});
  EXPECT_TRUE(a.same_as(b));
  ObjectPtr<CallObj> call = interner.Make<CallObj>(), same = interner.Intern(make_object<CallObj>());
  EXPECT_EQ(call, same);
  ObjectRef none;
  EXPECT_FALSE(interner.Intern(none).defined());
  EXPECT_EQ(interner.Intern(ObjectPtr<CallObj>()), nullptr);
  Token token(make_object<TokenObj>());
  EXPECT_TRUE(interner.Intern(token).same_as(token));
}

TEST(Interner, PlainValuesComeBack) {
  Interner interner;
  EXPECT_TRUE(interner.Intern(nullptr) == nullptr);
  EXPECT_EQ(interner.Intern(5).cast<int64_t>(), 5);
  EXPECT_EQ(interner.Intern("borrowed text, long").cast<std::string>(), "borrowed text, long");
  const Any text = String("a text of its own"), bytes = Bytes(std::string("bytes of their own"));
  EXPECT_TRUE(interner.Intern(text).same_as(text));
  EXPECT_TRUE(interner.Intern(bytes).same_as(bytes));
  EXPECT_EQ(interner.statistics().entries, 0u);
}

TEST(Interner, ContainersByContent) {
  EXPECT_TRUE(BecomesOne(Array<Any>{1, "x", Call("f")}, Array<Any>{1, "x", Call("f")}));
  EXPECT_FALSE(BecomesOne(Array<Any>{1, 2}, Array<Any>{2, 1}));
  EXPECT_FALSE(BecomesOne(Array<Any>{1}, Array<Any>{true}));
  EXPECT_TRUE(BecomesOne(Map<Any, Any>{{"a", 1}, {"b", Call("f")}}, Map<Any, Any>{{"b", Call("f")}, {"a", 1}}));
  EXPECT_FALSE(BecomesOne(Map<Any, Any>{{"a", 1}, {"b", 2}}, Map<Any, Any>{{"a", 2}, {"b", 1}}));
  EXPECT_FALSE(BecomesOne(Map<Any, Any>{{"a", 1}}, Map<Any, Any>{{"a", 1}, {"b", 2}}));
  EXPECT_TRUE(BecomesOne(Map<Any, Any>{{Call("key"), 1}}, Map<Any, Any>{{Call("key"), 1}}));
}

TEST(Interner, LeafObjects) {
  EXPECT_TRUE(BecomesOne(Shape{1, 2}, Shape{1, 2}));
  EXPECT_FALSE(BecomesOne(Shape{1, 2}, Shape{2, 1}));
  const auto big = [] {
    return LoadJSON(R"({"root_index":0,"nodes":[{"type":"ffi.BigInt","data":"99999999999999999999"}]})");
  };
  EXPECT_TRUE(BecomesOne(big().value, big().value));
  const auto tensor = [](float x) {
    Tensor t = Tensor::Empty({2}, DataType::Float(32));
    static_cast<float*>(t.data_ptr())[0] = x;
    static_cast<float*>(t.data_ptr())[1] = 1;
    return t;
  };
  EXPECT_TRUE(BecomesOne(tensor(1), tensor(1)));
  EXPECT_FALSE(BecomesOne(tensor(1), tensor(2)));
}

TEST(Interner, RecordsAndNativeObjectsApart) {
  const Any native = Call("f", {Const(1)});
  EXPECT_TRUE(BecomesOne(AsRecords(native), AsRecords(native)));
  EXPECT_FALSE(BecomesOne(native, AsRecords(native)));
  Interner interner;
  const Any of_record = interner.Intern(AsRecords(Array<Any>{Const(1)}));
  EXPECT_FALSE(interner.Intern(Any(Array<Any>{Const(1)})).same_as(of_record));
}

TEST(Interner, WhatEqualsOnlyItselfStaysWhatItIs) {
  Interner interner;
  for (const Any& value :
       {Var("x"), Node(Call("f")), MakeToken(1), testing::Op("op"), Any(List<Any>{Call("f")}),
        Any(Dict<Any, Any>{{"a", Call("f")}}), testing::Plain(1), testing::Hooked(1),
        Any(Function::FromTyped([] { return 1; })), Const(Var("x")), Const(Array<Any>{List<Any>{}})}) {
    SCOPED_TRACE(value.GetTypeKey());
    EXPECT_TRUE(interner.Intern(value).same_as(value));
    // Once more, and what holds the same object is the same.
    EXPECT_TRUE(interner.Intern(value).same_as(value));
    EXPECT_TRUE(BecomesOne(interner, Call("holder", {value}), Call("holder", {value})));
  }
  EXPECT_FALSE(BecomesOne(interner, Call("f", {Var("x")}), Call("f", {Var("x")})));
  EXPECT_FALSE(BecomesOne(interner, Const(Var("x")), Const(Var("x"))));
  EXPECT_FALSE(BecomesOne(interner, Call("f", {Node(1)}), Call("f", {Node(1)})));
}

// Functions that are equal but for their variables stay two; what is the same in all parts becomes one.
TEST(Interner, Binders) {
  const Any x = Var("x"), y = Var("y");
  EXPECT_FALSE(BecomesOne(Lambda({x}, Call("f", {x})), Lambda({y}, Call("f", {y}))));
  const Array<Any> params = {x};
  EXPECT_TRUE(BecomesOne(Lambda(params, Call("f", {x})), Lambda(params, Call("f", {x}))));
  // Where variables are defined, nothing becomes another object, not even one that is equal.
  Interner interner;
  const Any uses = interner.Intern(Any(Array<Any>{x}));
  const Any lambda = interner.Intern(Lambda(params, Call("f", {x})));
  EXPECT_TRUE(lambda.as<testing::LambdaObj>()->params.same_as(params));
  EXPECT_TRUE(lambda.as<testing::LambdaObj>()->body.as<CallObj>()->args.same_as(uses.cast<Array<Any>>()));
}

// In a constant tree a variable could be paired otherwise on the other side, which one object would hide.
TEST(Interner, ConstantTreesWithVariablesStayApart) {
  const Any x = Var("x"), y = Var("y");
  const Any lhs = Lambda({x}, Const(x)), rhs = Lambda({y}, Const(x));
  EXPECT_FALSE(StructuralEqual::Equal(lhs, rhs));
  Interner interner;
  EXPECT_FALSE(StructuralEqual::Equal(interner.Intern(lhs), interner.Intern(rhs)));
  EXPECT_TRUE(BecomesOne(interner, Const(Call("f")), Const(Call("f"))));
}

TEST(Interner, EqualKeysOfAMapStayApart) {
  Interner interner;
  const Any map = Map<Any, Any>{{Call("k"), 1}, {Call("k"), 2}};
  EXPECT_TRUE(interner.Intern(map).same_as(map));
  EXPECT_TRUE(interner.Intern(Call("f", {map})).same_as(interner.Intern(Call("f", {map}))));
  const Any key = interner.Intern(Call("key"));
  const Map<Any, Any> one = interner.Intern(Map<Any, Any>{{Call("key"), 1}, {Call("other"), 2}});
  EXPECT_EQ(one.at(key).cast<int64_t>(), 1);
}

TEST(Interner, IgnoredFields) {
  const auto at = [](int line) { return Call("f", {}, Call("line", {line})); };
  EXPECT_TRUE(BecomesOne(at(1), at(1)));
  EXPECT_FALSE(BecomesOne(at(1), at(2)));
  InternerOptions options;
  options.merge_ignored = true;
  Interner interner(options);
  EXPECT_TRUE(BecomesOne(interner, at(1), at(2)));
}

TEST(Interner, TypesWithoutKindAreTreesOnRequest) {
  InternerOptions options;
  options.as_files = true;
  Interner interner(options);
  EXPECT_TRUE(BecomesOne(interner, testing::Plain(1), testing::Plain(1)));
  EXPECT_FALSE(BecomesOne(testing::Plain(1), testing::Plain(1)));
}

TEST(Interner, RulesOfASchema) {
  InternerOptions options;
  options.rules = schema::Schema::Parse(
      R"({"transom_schema": 1, "name": "rules", "types": {"native.Hooked": {"structural": "tree", "compare": ["id"],
          "fields": [{"name": "id", "type": "int"}, {"name": "note", "type": "Any"}]}}})",
      "rules");
  Interner interner(options);
  EXPECT_TRUE(BecomesOne(interner, testing::Hooked(1, 2), testing::Hooked(1, 2)));
  EXPECT_FALSE(BecomesOne(interner, testing::Hooked(1, 2), testing::Hooked(1, 3))) << "fields that do not count differ";
  options.merge_ignored = true;
  interner = Interner(options);
  EXPECT_TRUE(BecomesOne(interner, testing::Hooked(1, 2), testing::Hooked(1, 3)));
}

// ---- Weak entries --------------------------------------------------------------------------------------------------

TEST(Interner, KeepsNothingAlive) {
  Interner interner;
  Any call = interner.Intern(Call("f", {Call("g")}));
  const WeakObjectPtr<CallObj> watch(call.cast<ObjectPtr<CallObj>>());
  EXPECT_EQ(watch.use_count(), 1u);
  call = nullptr;
  EXPECT_TRUE(watch.expired());
  interner.Compact();
  EXPECT_EQ(interner.statistics().entries, 0u);
  Any again = interner.Intern(Call("f", {Call("g")}));
  EXPECT_EQ(interner.statistics().entries, 4u);
  EXPECT_EQ(interner.statistics().hits, 0u) << "the dead are not found";
}

TEST(Interner, ObjectsOutliveTheInterner) {
  Any call;
  {
    Interner interner;
    call = interner.Intern(Call("f", {1}));
    Interner other = std::move(interner);
    EXPECT_TRUE(other.Intern(Call("f", {1})).same_as(call));
  }
  EXPECT_EQ(ArgOf(call).cast<int64_t>(), 1);
}

TEST(Interner, DeadEntriesGoOnTheWay) {
  Interner interner;
  const Any kept = interner.Intern(Call("kept"));
  for (int i = 0; i < 10000; ++i) {
    interner.Intern(Call("f", {i}));
    ASSERT_LE(interner.statistics().entries, 16u) << i;
  }
  EXPECT_TRUE(interner.Intern(Call("kept")).same_as(kept));
}

TEST(Interner, SomeOfManyDie) {
  Interner interner;
  std::vector<Any> calls;
  for (int i = 0; i < 3000; ++i) calls.push_back(interner.Intern(Call("f", {i})));
  for (int i = 0; i < 3000; ++i) {
    if (i % 3 != 0) calls[static_cast<size_t>(i)] = nullptr;
  }
  for (int pass = 0; pass < 3; ++pass) {
    for (int i = 0; i < 3000; i += 3)
      ASSERT_TRUE(interner.Intern(Call("f", {i})).same_as(calls[static_cast<size_t>(i)]));
    if (pass == 0) {
      for (int i = 3000; i < 5000; ++i) calls.push_back(interner.Intern(Call("f", {i})));  // sweeps
    }
    if (pass == 1) {
      interner.Compact();
      ASSERT_EQ(interner.statistics().entries, 6000u);  // calls and their arguments
    }
  }
}

// The last reference goes on another thread while equal values are interned here.
TEST(Interner, ObjectsDieOnOtherThreads) {
  Interner interner;
  constexpr int kValues = 64, kRounds = 300;
  std::vector<std::atomic<TVMFFIObject*>> slots(kValues);
  for (auto& slot : slots) slot = nullptr;
  std::atomic<bool> done{false};
  const auto drop = [](TVMFFIObject* object) {
    if (object != nullptr) detail::DecRef(object);
  };
  std::vector<std::thread> droppers;
  for (int t = 0; t < 2; ++t) {
    droppers.emplace_back([&] {
      while (!done) {
        for (auto& slot : slots) drop(slot.exchange(nullptr));
      }
    });
  }
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kValues; ++i) {
      Any value = interner.Intern(Call("f", {Call("g", {i % 16}), i}));
      ASSERT_TRUE(StructuralEqual::Equal(value, Call("f", {Call("g", {i % 16}), i})));
      drop(slots[static_cast<size_t>(i)].exchange(value.Release().v_obj));
    }
  }
  done = true;
  for (std::thread& thread : droppers) thread.join();
  for (auto& slot : slots) drop(slot.exchange(nullptr));
  interner.Compact();
  EXPECT_EQ(interner.statistics().entries, 0u);
}

// ---- Errors and size -----------------------------------------------------------------------------------------------

TEST(Interner, CyclesAreErrors) {
  auto call = make_object<CallObj>();
  call->span = Any(call);
  Interner interner;
  EXPECT_EQ(ErrorOf([&] { interner.Intern(call); }),
            "ValueError: <root>.span: the value contains itself; lists, dicts and fields that lead back to an object "
            "above them can be neither compared nor saved");
  call->span = nullptr;
  EXPECT_TRUE(interner.Intern(Any(call)).same_as(Any(call)));
}

TEST(Interner, DeepWideAndExponentialGraphs) {
  const auto deep = [] {
    Any chain = Call("end");
    for (int i = 0; i < 100000; ++i) chain = Call("f", {chain, chain});
    return chain;
  };
  testing::RunOnSmallStack([&] {
    Interner interner;
    const Any first = interner.Intern(deep());
    EXPECT_TRUE(interner.Intern(deep()).same_as(first));
    EXPECT_EQ(interner.statistics().entered, 200002u);
  });
}

// A bottom-up build looks at own fields only.
TEST(Interner, BottomUpBuildsAreLinear) {
  Interner interner;
  Any chain = interner.Intern(Call("end"));
  for (int i = 0; i < 100000; ++i) chain = interner.Intern(Call("f", {chain}));
  Any again = interner.Intern(Call("end"));
  for (int i = 0; i < 100000; ++i) again = interner.Intern(Call("f", {again}));
  EXPECT_TRUE(again.same_as(chain));
}

TEST(Interner, MovedFromIsEmptyWithTheSameOptions) {
  InternerOptions options;
  options.merge_ignored = true;
  Interner from(options);
  const Any call = from.Intern(Any(Call("f", {1})));
  Interner to = std::move(from);
  from.Compact();
  EXPECT_EQ(from.statistics().entries, 0u);
  EXPECT_GT(to.statistics().entries, 0u);
  EXPECT_TRUE(to.Intern(Any(Call("f", {1}))).same_as(call));
  const Any again = from.Intern(Any(Call("f", {1})));
  EXPECT_FALSE(again.same_as(call));
  EXPECT_TRUE(from.Intern(Any(Call("f", {1}))).same_as(again));
  from = std::move(to);
  EXPECT_TRUE(from.Intern(Any(Call("f", {1}))).same_as(call));
  to.Compact();
  EXPECT_EQ(to.statistics().hits, 0u);
}

}  // namespace
}  // namespace transom
