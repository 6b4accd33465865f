#include <transom/structural/map.h>

#include <gtest/gtest.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/formats/load.h>
#include <transom/graph/resolve_path.h>
#include <transom/schema/record.h>
#include <transom/structural/equal.h>
#include <transom/structural/visit.h>

#include <string>
#include <vector>

#include "support/graph_gen.h"
#include "support/library.h"
#include "support/native_types.h"

namespace transom {
namespace {

using schema::DefRegion;
using testing::BoxObj;
using testing::Call;
using testing::CallObj;
using testing::Const;
using testing::ConstObj;
using testing::ErrorOf;
using testing::Lambda;
using testing::LambdaObj;
using testing::Let;
using testing::LetObj;
using testing::Var;
using testing::VarObj;

using Lines = std::vector<std::string>;

StructuralMap PlusOne() {
  StructuralMap map;
  map.Post<int64_t>([](int64_t i) { return i + 1; });
  return map;
}

const CallObj* CallAt(const Any& call) { return call.as<CallObj>(); }

TEST(StructuralMap, WhatHoldsAReplacementIsMadeAnew) {
  const Any kept = Call("kept", {"x"});
  const Any root = Call("f", {kept, Call("g", {1}, "note")}, "span");
  const Any result = PlusOne()(root);
  EXPECT_TRUE(StructuralEqual::Equal(result, Call("f", {kept, Call("g", {2})})));
  EXPECT_TRUE(StructuralEqual::Equal(root, Call("f", {kept, Call("g", {1})}))) << "the input stays";
  EXPECT_TRUE(CallAt(result)->args[0].same_as(kept)) << "what does not change stays the same object";
  EXPECT_EQ(CallAt(result)->span.cast<String>(), "span") << "fields that are not visited come along";
  EXPECT_EQ(CallAt(CallAt(result)->args[1])->span.cast<String>(), "note");
}

TEST(StructuralMap, NothingReplacedGivesTheInput) {
  const Any root = Call("f", {Array<Any>{1}, Map<Any, Any>{{"k", List<Any>{"text that is long"}}}});
  StructuralMap identity;
  identity.Pre<Any>([](const Any& value) { return value; });
  identity.Post<Any>([](const Any& value) -> MapResult { return value; });
  EXPECT_TRUE(identity(root).same_as(root));
  EXPECT_TRUE(StructuralMap()(root).same_as(root));
  EXPECT_TRUE(StructuralMap()(nullptr) == nullptr);
  StructuralMap silent;
  int calls = 0;
  silent.Post<Any>([&](const Any&) { ++calls; });
  EXPECT_TRUE(silent(root).same_as(root)) << "a hook that returns nothing keeps";
  EXPECT_EQ(calls, 9);
}

TEST(StructuralMap, ContainersOfEveryKind) {
  const List<Any> list{1};
  const Dict<Any, Any> dict{{1, 2}};
  const Any root = Array<Any>{list, dict, Map<Any, Any>{{"k", 3}}, Array<Any>{4}};
  const Any result = PlusOne()(root);
  EXPECT_TRUE(StructuralEqual::Equal(
      result, Array<Any>{List<Any>{2}, Dict<Any, Any>{{2, 3}}, Map<Any, Any>{{"k", 4}}, Array<Any>{5}}));
  EXPECT_EQ(list[0].cast<int64_t>(), 1);
  EXPECT_EQ(dict.at(1).cast<int64_t>(), 2);
}

TEST(StructuralMap, SharingIsKept) {
  const Any shared = Call("s", {1});
  int calls = 0;
  StructuralMap map;
  map.Post<CallObj>([&](const CallObj*) { ++calls; });
  map.Post<int64_t>([](int64_t i) { return i + 1; });
  const Any result = map(Array<Any>{shared, Const(shared), shared});
  const auto items = result.cast<Array<Any>>();
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(items[0].same_as(items[2]));
  EXPECT_TRUE(items[1].as<ConstObj>()->value.same_as(items[0]));
  EXPECT_EQ(CallAt(items[0])->args[0].cast<int64_t>(), 2);
}

TEST(StructuralMap, ObjectsWithoutChildrenAreReplacedOnce) {
  const Any function = Function::FromTyped([] { return 1; });
  int calls = 0;
  StructuralMap map;
  map.Post<Function>([&](const Function&) { return Any(Const(++calls)); });
  const auto items = map(Array<Any>{function, function}).cast<Array<Any>>();
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(items[0].same_as(items[1]));
}

TEST(StructuralMap, AfterTheChildrenAHookSeesWhatTheyBecame) {
  // Folds sums from the leaves up.
  StructuralMap fold;
  fold.Post<CallObj>([](const CallObj* call) -> MapResult {
    int64_t sum = 0;
    for (const Any& arg : call->args) {
      const auto number = arg.try_cast<int64_t>();
      if (call->op != "add" || !number.has_value()) return MapResult::Keep();
      sum += *number;
    }
    return sum;
  });
  const Any x = Var("x");
  EXPECT_EQ(fold(Call("add", {Call("add", {1, 2}), 3})).cast<int64_t>(), 6);
  const Any partly = fold(Call("add", {Call("add", {1, 2}), x}));
  EXPECT_TRUE(StructuralEqual::Equal(partly, Call("add", {3, x})));
}

TEST(StructuralMap, BeforeTheChildrenAReplacementIsLookedInto) {
  Lines trace;
  StructuralMap map;
  map.Pre<CallObj>([&](const CallObj* call) -> MapResult {
    trace.push_back(call->op);
    if (call->op == "twice") return Call("add", {call->args[0], call->args[0]});
    return MapResult::Keep();
  });
  map.Post<int64_t>([](int64_t i) { return i + 1; });
  EXPECT_TRUE(StructuralEqual::Equal(map(Call("twice", {Call("twice", {1})})),
                                     Call("add", {Call("add", {2, 2}), Call("add", {2, 2})})));
  EXPECT_EQ(trace, (Lines{"twice", "twice"})) << "the replacement itself is not asked about again";
}

TEST(StructuralMap, SkipAndFinal) {
  StructuralMap map = PlusOne();
  map.Pre<CallObj>([](const CallObj* call) -> MapResult {
    if (call->op == "leave") return MapResult::Skip();
    if (call->op == "final") return MapResult::Final(Call("made", {1}));
    return {};
  });
  const Any leave = Call("leave", {1});
  const Any result = map(Array<Any>{leave, Call("final"), 1});
  EXPECT_TRUE(StructuralEqual::Equal(result, Array<Any>{leave, Call("made", {1}), 2}));
  EXPECT_TRUE(result.cast<Array<Any>>()[0].same_as(leave));
}

TEST(StructuralMap, BothHooksOfAValue) {
  StructuralMap map;
  map.Pre<int64_t>([](int64_t i) -> MapResult { return i == 0 ? MapResult::Final(100) : MapResult(i * 10); });
  map.Post<int64_t>([](int64_t i) { return i + 1; });
  map.Pre<String>([](const String&) { return Call("made", {5}); });
  EXPECT_TRUE(StructuralEqual::Equal(map(Array<Any>{0, 1, "s"}), Array<Any>{100, 11, Call("made", {5})}))
      << "what has no children has nothing to be looked into, nor has its replacement";
}

TEST(StructuralMap, ABinderIsReplacedWhereItIsUsed) {
  const Any x = Var("x"), y = Var("y"), free = Var("free");
  const Any root = Array<Any>{x, Lambda({x}, Let(y, x, Call("f", {x, y, free})))};
  int definitions = 0;
  StructuralMap rename;
  rename.Post<VarObj>([&](const VarObj* var, const WalkPlace& place) -> MapResult {
    if (place.region() == DefRegion::kNone) return MapResult::Keep();
    ++definitions;
    return Var(std::string(var->name) + "1");
  });
  const auto items = rename(root).cast<Array<Any>>();
  EXPECT_EQ(definitions, 2) << "one call per variable";
  const auto* lambda = items[1].as<LambdaObj>();
  const auto* let = lambda->body.as<LetObj>();
  const Any x1 = lambda->params[0], y1 = let->var;
  EXPECT_EQ(x1.as<VarObj>()->name, "x1");
  EXPECT_EQ(y1.as<VarObj>()->name, "y1");
  EXPECT_TRUE(items[0].same_as(x1)) << "a use that comes first";
  EXPECT_TRUE(let->value.same_as(x1));
  EXPECT_TRUE(CallAt(let->body)->args[0].same_as(x1));
  EXPECT_TRUE(CallAt(let->body)->args[1].same_as(y1));
  EXPECT_TRUE(CallAt(let->body)->args[2].same_as(free));
  EXPECT_TRUE(StructuralEqual::Equal(items[1], root.cast<Array<Any>>()[1]));
}

TEST(StructuralMap, VariablesAsKeysOfMaps) {
  const Any x = Var("x");
  StructuralMap rename;
  rename.Post<VarObj>([](const VarObj*) { return Var("z"); });
  const auto items = rename(Array<Any>{Map<Any, Any>{{x, 1}}, x}).cast<Array<Any>>();
  EXPECT_EQ((items[0].cast<Map<Any, Any>>().at(items[1]).cast<int64_t>()), 1);
}

TEST(StructuralMap, RecordsAreRewrittenAsObjects) {
  const Any native = Lambda({Var("x")}, Call("f", {1, Const(2)}));
  const Any result = PlusOne()(testing::AsRecords(native));
  EXPECT_EQ(result.GetTypeKey(), "transom.Record");
  EXPECT_TRUE(StructuralEqual::Equal(result, testing::AsRecords(PlusOne()(native))));
  StructuralMap swap;
  swap.Post("native.Const",
            [](const Any& value) { return Any(static_cast<const RecordObj*>(value.as<Object>())->Get("value")); });
  EXPECT_TRUE(StructuralEqual::Equal(swap(testing::AsRecords(native)),
                                     testing::AsRecords(Lambda({Var("x")}, Call("f", {1, 2})))));
}

TEST(StructuralMap, FieldsThatRefuseAreNamed) {
  auto box = make_object<BoxObj>();
  box->token = testing::MakeToken(1).cast<testing::Token>();
  const Array<Any> root{Any(box)};
  StructuralMap map;
  map.Post<testing::TokenObj>([](const testing::TokenObj*) { return 5; });
  EXPECT_EQ(ErrorOf([&] { map(root); }),
            "ValueError: <root>[0]: the native.Box there cannot be made again with other parts: field `token`: Cannot "
            "convert from type `int` to `native.Token`");
  StructuralMap text;
  text.Post<int64_t>([](int64_t) { return String("seven"); });
  EXPECT_EQ(ErrorOf([&] { text(Const(Lambda({}, Call("f", {}, nullptr)))); }), "no error");
  const Any params = Lambda({Var("x")}, 1);
  StructuralMap array;
  array.Post<Array<Any>>([](const Array<Any>&) { return 3; });
  EXPECT_EQ(ErrorOf([&] { array(params); }),
            "ValueError: <root>: the native.Lambda there cannot be made again with other parts: field `params`: Cannot "
            "convert from type `int` to `Array<Any>`");
}

TEST(StructuralMap, FieldsOfRecordsRefuseByTheirDeclaredTypes) {
  const schema::SchemaRef schema = schema::Schema::Parse(
      R"({"transom_schema":1,"name":"s","types":{"s.Leaf":{"structural":"tree","fields":[]},
          "s.Pair":{"structural":"tree","fields":[{"name":"leaves","type":"ffi.Array<s.Leaf>"},{"name":"n","type":"int"}]}}})",
      "pairs");
  ObjectPtr<RecordObj> pair = RecordObj::Create(*schema->Find("s.Pair"));
  pair->Init(0, Array<Any>{Any(RecordObj::Create(*schema->Find("s.Leaf")))});
  pair->Init(1, 4);
  StructuralMap map;
  map.Post("s.Leaf", [](const Any&) { return 1.5; });
  EXPECT_EQ(ErrorOf([&] { map(Any(pair)); }),
            "ValueError: <root>: the s.Pair there cannot be made again with other parts: field `leaves` takes "
            "ffi.Array<s.Leaf>, got ffi.Array whose element 0 is float");
  StructuralMap text;
  text.Post<int64_t>([](int64_t) { return "t"; });
  EXPECT_EQ(ErrorOf([&] { text(Array<Any>{Any(pair)}); }),
            "ValueError: <root>[0]: the s.Pair there cannot be made again with other parts: field `n` takes int, got "
            "ffi.String");
}

TEST(StructuralMap, KeysThatBecomeEqualAreAnError) {
  StructuralMap map;
  map.Post<int64_t>([](int64_t) { return 0; });
  EXPECT_EQ(ErrorOf([&] {
              map(Call("f", {Map<Any, Any>{{1, "a"}, {2, "b"}}}));
            }),
            "ValueError: <root>.args[0]: the ffi.Map there cannot be made again with other parts: two of its keys are "
            "equal");
}

TEST(StructuralMap, ErrorsOfHooksHaveThePath) {
  StructuralMap map;
  map.Post<int64_t>([](int64_t i) {
    TRANSOM_CHECK(i != 2, IndexError) << "no " << i;
    return i;
  });
  EXPECT_EQ(ErrorOf([&] { map(Call("f", {1, Const(2)})); }), "IndexError: <root>.args[1].value: no 2");
}

TEST(StructuralMap, BeforeTheChildrenAReplacementMustNotHoldWhatItReplaces) {
  const auto wrap = [](const CallObj* call) { return Call("wrap", {Any(GetRef<ObjectRef>(call))}); };
  const Any root = Const(Call("f", {1}));
  StructuralMap before;
  before.Pre<CallObj>([&](const CallObj* call) -> MapResult { return wrap(call); });
  EXPECT_EQ(
      ErrorOf([&] { before(root); }),
      "ValueError: <root>.value.args[0].args[0]: the value of type native.Call here is the one that a hook before the "
      "children has replaced above: the replacement holds it, and is rewritten in its turn; put it there with a "
      "hook after the children (Post), or as MapResult::Final");
  StructuralMap final;
  final.Pre<CallObj>([&](const CallObj* call) { return MapResult::Final(wrap(call)); });
  EXPECT_TRUE(StructuralEqual::Equal(final(root), Const(Call("wrap", {Call("f", {1})}))));
  StructuralMap after;
  after.Post<CallObj>([&](const CallObj* call) -> MapResult { return wrap(call); });
  EXPECT_TRUE(StructuralEqual::Equal(after(root), Const(Call("wrap", {Call("f", {1})}))));
}

TEST(StructuralMap, CyclesAreErrorsWithThePath) {
  List<Any> list{1};
  list.push_back(list);
  EXPECT_EQ(ErrorOf([&] { PlusOne()(list); }),
            "ValueError: <root>[1]: the value contains itself; lists, dicts and fields that lead back to an object "
            "above them can be neither compared nor saved");
  list.clear();
  // A replacement before the children that holds what it replaces would be rewritten without end.
  const Any shared = Const(1);
  StructuralMap wrap;
  wrap.Pre<ConstObj>([&](const ConstObj*) { return Const(shared); });
  EXPECT_EQ(ErrorOf([&] { wrap(shared); }).substr(0, 50), "ValueError: <root>.value.value: the value of type ");
}

TEST(StructuralMap, IgnoredFieldsOnRequest) {
  WalkOptions options;
  options.ignored_fields = true;
  StructuralMap all(options);
  all.Post<int64_t>([](int64_t i) { return i + 1; });
  const Any root = Call("f", {1}, 5);
  EXPECT_EQ(CallAt(all(root))->span.cast<int64_t>(), 6);
  EXPECT_EQ(CallAt(PlusOne()(root))->span.cast<int64_t>(), 5);
}

// Copies of all objects and containers; every copy is made with its own kind's means.
StructuralMap MarkAndUnmark(int64_t by) {
  StructuralMap map;
  map.Post<int64_t>(
      [by](int64_t i) { return static_cast<int64_t>(static_cast<uint64_t>(i) + static_cast<uint64_t>(by)); });
  map.Post<bool>([](bool b) { return !b; });
  return map;
}

TEST(StructuralMap, RandomGraphs) {
  int changed = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    testing::GenOptions generate;
    generate.well_scoped = seed % 2 == 0;
    const Any root = testing::LoadTable(testing::RandomGraph(seed, generate)).value;
    StructuralMap identity;
    identity.Pre<Any>([](const Any& value) { return value; });
    identity.Post<Any>([](const Any& value) { return value; });
    ASSERT_TRUE(identity(root).same_as(root));
    // There and back again is equal, and keeps all sharing.
    StructuralOptions files;
    files.as_files = true;
    Any there, back;
    try {
      there = MarkAndUnmark(7)(root);
      back = MarkAndUnmark(-7)(there);
    } catch (const Error& error) {
      // Keys 0 and 1, true and false may meet.
      ASSERT_NE(std::string(error.what()).find("two of its keys are equal"), std::string::npos) << error.what();
      continue;
    }
    changed += there.same_as(root) ? 0 : 1;
    ASSERT_TRUE(StructuralEqual::Equal(root, back, files));
    const auto count = [](const Any& value) {
      size_t n = 0;
      StructuralVisit().Pre<Object>([&](const Object*) { ++n; })(value);
      return n;
    };
    ASSERT_EQ(count(root), count(back));
  }
  EXPECT_GT(changed, 100);
}

TEST(WithField, CopiesWithOneFieldChanged) {
  const Any native = Call("f", {1}, "span");
  for (const Any& call : {native, testing::AsRecords(native)}) {
    const Any renamed = WithField(call, "op", "g");
    EXPECT_FALSE(renamed.same_as(call));
    EXPECT_TRUE(StructuralEqual::Equal(renamed, WithField(call, "op", "g")));
    EXPECT_FALSE(StructuralEqual::Equal(renamed, call));
    EXPECT_EQ(ErrorOf([&] { WithField(call, "operator", "g"); }),
              "AttributeError: type native.Call has no field `operator`; it has op, args, span");
  }
  EXPECT_EQ(CallAt(WithField(native, "op", "g"))->span.cast<String>(), "span");
  EXPECT_EQ(ErrorOf([&] { WithField(native, "args", 1); }),
            "TypeError: field `args`: Cannot convert from type `int` to `Array<Any>`");
  EXPECT_EQ(ErrorOf([&] { WithField(testing::AsRecords(native), "args", 1); }),
            "TypeError: field `args` takes ffi.Array<Any>, got int");
  EXPECT_EQ(ErrorOf([&] { WithField(Array<Any>{}, "args", 1); }),
            "TypeError: expected an object with fields, got ffi.Array");
  EXPECT_EQ(ErrorOf([&] { WithField(nullptr, "args", 1); }), "TypeError: expected an object with fields, got None");
}

// A pass over IR of a compiler that is not here.
TEST(StructuralMap, RenamesTheVariablesOfARealModule) {
  const Any module = LoadFromFile(TRANSOM_TEST_DATA_DIR "/tvm-0.27/lm2.0-import.json").value;
  int renamed = 0;
  StructuralMap rename;
  rename.Post("ir.Var", [&](const Any& var, const WalkPlace& place) -> MapResult {
    if (place.region() == DefRegion::kNone) return MapResult::Keep();
    return WithField(var, "name", "v" + std::to_string(renamed++));
  });
  const Any result = rename(module);
  StructuralOptions files;
  files.as_files = true;
  EXPECT_TRUE(StructuralEqual::Equal(module, result, files));
  Lines names;
  StructuralVisit list;
  list.Pre("ir.Var", [&](const Any& var) { names.push_back(ResolvePath(var, ".name").cast<String>()); });
  list(result);
  EXPECT_GT(renamed, 50);
  EXPECT_EQ(names.size(), static_cast<size_t>(renamed)) << "all are defined, and each is one object";
  for (const std::string& name : names) EXPECT_EQ(name[0], 'v');
}

TEST(StructuralMap, RunsAgainAndAgain) {
  const StructuralMap map = PlusOne();
  Any value = Array<Any>{0};
  for (int i = 0; i < 3; ++i) value = map(value);
  EXPECT_EQ(value.cast<Array<Any>>()[0].cast<int64_t>(), 3);
}

TEST(StructuralMap, AnyDepthAndWidth) {
  constexpr int kDepth = 1'000'000;
  Any deep = 1;
  for (int i = 0; i < kDepth; ++i) deep = Const(std::move(deep));
  const Any result = PlusOne()(deep);
  const Any* leaf = &result;
  int depth = 0;
  for (; leaf->as<ConstObj>() != nullptr; leaf = &leaf->as<ConstObj>()->value) ++depth;
  EXPECT_EQ(depth, kDepth);
  EXPECT_EQ(leaf->cast<int64_t>(), 2);

  std::vector<Any> items;
  for (int i = 0; i < kDepth; ++i) items.push_back(Const(i));
  const auto wide = PlusOne()(Array<Any>(items.begin(), items.end())).cast<Array<Any>>();
  EXPECT_EQ(wide[kDepth - 1].as<ConstObj>()->value.cast<int64_t>(), kDepth);

  Any ladder = 1;
  for (int i = 0; i < 100'000; ++i) ladder = Array<Any>{ladder, ladder};
  size_t arrays = 0;
  StructuralVisit().Pre<Array<Any>>([&](const Array<Any>&) { ++arrays; })(PlusOne()(ladder));
  EXPECT_EQ(arrays, 100'000u);
}

}  // namespace
}  // namespace transom
