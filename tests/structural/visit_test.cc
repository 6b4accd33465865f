#include <transom/structural/visit.h>

#include <gtest/gtest.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/schema/record.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "support/graph_gen.h"
#include "support/library.h"
#include "support/native_types.h"
#include "support/visit_model.h"

namespace transom {
namespace {

using schema::DefRegion;
using testing::Call;
using testing::CallObj;
using testing::Const;
using testing::ConstObj;
using testing::ErrorOf;
using testing::Lambda;
using testing::Let;
using testing::Var;
using testing::VarObj;

using Lines = std::vector<std::string>;

VisitOptions EveryPlace() {
  VisitOptions options;
  options.every_place = true;
  return options;
}

// The types in the order in which hooks before the children see them.
Lines Types(const Any& root, const VisitOptions& options = {}) {
  Lines types;
  StructuralVisit(options).Pre<Any>([&](const Any& value) { types.push_back(value.GetTypeKey()); })(root);
  return types;
}

// Paths, with the region of each variable: "<root>.body 0".
Lines Variables(const Any& root, const VisitOptions& options = {}) {
  Lines lines;
  StructuralVisit visit(options);
  visit.Pre<VarObj>([&](const VarObj* var, const WalkPlace& place) {
    lines.push_back(std::string(var->name) + " " + place.path().ToString() + " " +
                    std::to_string(static_cast<int>(place.region())));
  });
  visit(root);
  return lines;
}

TEST(StructuralVisit, HooksBeforeAndAfterTheChildren) {
  Lines trace;
  StructuralVisit visit;
  visit.Pre<CallObj>([&](const CallObj* call) { trace.push_back("pre " + std::string(call->op)); });
  visit.Post<CallObj>([&](const CallObj* call) { trace.push_back("post " + std::string(call->op)); });
  visit.Pre<int64_t>([&](int64_t i) { trace.push_back(std::to_string(i)); });
  visit(Call("f", {Call("g", {1}), 2}));
  EXPECT_EQ(trace, (Lines{"pre f", "pre g", "1", "post g", "2", "post f"}));
}

TEST(StructuralVisit, TheFirstHookForTheTypeIsCalled) {
  Lines trace;
  StructuralVisit visit;
  visit.Pre<VarObj>([&](const VarObj*) { trace.push_back("var"); });
  visit.Pre<Object>([&](const Object* object) { trace.push_back(object->GetTypeKey()); });
  visit.Pre<VarObj>([&](const VarObj*) { trace.push_back("never"); });
  visit.Pre<Any>([&](const Any& value) { trace.push_back("any " + value.GetTypeKey()); });
  visit(Array<Any>{Var("x"), Const(1), 2.5});
  EXPECT_EQ(trace, (Lines{"ffi.Array", "var", "native.Const", "any int", "any float"}));
}

class BaseObj : public Object {
 public:
  int64_t id = 0;
  TRANSOM_DECLARE_OBJECT_INFO("visit_test.Base", BaseObj, Object);
};
class DerivedObj : public BaseObj {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("visit_test.Derived", DerivedObj, BaseObj);
};
class Base : public ObjectRef {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NULLABLE(Base, ObjectRef, BaseObj);
};

TEST(StructuralVisit, HooksGetSubclassesToo) {
  auto derived = make_object<DerivedObj>();
  derived->id = 7;
  const Array<Any> root{Any(derived), Any(make_object<BaseObj>())};
  int by_class = 0, by_reference = 0, by_key = 0;
  StructuralVisit().Pre<BaseObj>([&](const BaseObj*) { ++by_class; })(root);
  StructuralVisit().Pre<Base>([&](const Base& ref) { by_reference += ref.defined() ? 1 : 0; })(root);
  StructuralVisit().Pre("visit_test.Base", [&](const Any&) { ++by_key; })(root);
  EXPECT_EQ(by_class, 2);
  EXPECT_EQ(by_reference, 2);
  EXPECT_EQ(by_key, 2);
}

TEST(StructuralVisit, HooksByKeyGetRecordsAndObjects) {
  const Any native = Call("f", {Var("x")});
  const Array<Any> both{native, testing::AsRecords(native)};
  Lines trace;
  StructuralVisit visit;
  visit.Pre("native.Call", [&](const Any& value) { trace.push_back(value.GetTypeKey()); });
  visit.Post("native.Var", [&](const Any& value, const WalkPlace& place) {
    trace.push_back(value.GetTypeKey() + " " + place.path_text());
  });
  visit(both);
  EXPECT_EQ(trace, (Lines{"native.Call", "native.Var <root>[0].args[0]", "transom.Record",
                          "transom.Record <root>[1].args[0]"}));
}

TEST(StructuralVisit, KeysOfBuiltInTypes) {
  Lines trace;
  StructuralVisit visit;
  visit.Pre("ffi.String", [&](const Any& value) { trace.push_back(value.cast<String>()); });
  visit.Pre("int", [&](const Any& value) { trace.push_back(std::to_string(value.cast<int64_t>())); });
  visit.Pre("no.such.Type", [&](const Any&) { trace.push_back("never"); });
  visit(Array<Any>{"a", "a long string", 3, 2.5});
  EXPECT_EQ(trace, (Lines{"a", "a long string", "3"}));
}

TEST(StructuralVisit, ValuesOfEveryClass) {
  Lines trace;
  StructuralVisit visit;
  visit.Pre<String>([&](const String& s) { trace.push_back(s); });
  visit.Pre<bool>([&](bool b) { trace.push_back(b ? "true" : "false"); });
  visit.Pre<double>([&](double d) { trace.push_back(std::to_string(d).substr(0, 3)); });
  visit.Pre<Bytes>([&](const Bytes& b) { trace.push_back("bytes " + std::to_string(b.size())); });
  visit.Pre<DataType>([&](DataType t) { trace.push_back(t.ToString()); });
  visit.Pre<Device>([&](Device d) { trace.push_back("device " + std::to_string(d.device_id)); });
  visit.Pre<Map<String, int64_t>>(
      [&](const Map<String, int64_t>& m) { trace.push_back("map " + std::to_string(m.size())); });
  visit(Array<Any>{"s", true, 1.5, Bytes("xy", 2), DataType::FromString("float32"), Device{kDLCPU, 3},
                   Map<String, int64_t>{{"k", 1}}, nullptr});
  EXPECT_EQ(trace, (Lines{"s", "true", "1.5", "bytes 2", "float32", "device 3", "map 1", "k"}));
}

TEST(StructuralVisit, ContainersAndIgnoredFields) {
  const Any root = Call("f", {Map<Any, Any>{{1, 2.5}}, Dict<Any, Any>{{true, nullptr}}, List<Any>{1}}, "span");
  EXPECT_EQ(Types(root), (Lines{"native.Call", "ffi.SmallStr", "ffi.Array", "ffi.Map", "int", "float", "ffi.Dict",
                                "bool", "ffi.List", "int"}));
  VisitOptions options;
  options.ignored_fields = true;
  EXPECT_EQ(Types(root, options).back(), "ffi.SmallStr");
  EXPECT_EQ(Types(root, options).size(), Types(root).size() + 1);
  EXPECT_TRUE(Types(nullptr).empty());
}

TEST(StructuralVisit, SkipChildren) {
  Lines trace;
  StructuralVisit visit;
  visit.Pre<CallObj>([&](const CallObj* call) {
    trace.push_back(call->op);
    return call->op == "g" ? VisitResult::SkipChildren() : VisitResult::Continue();
  });
  visit.Post<CallObj>([&](const CallObj* call) {
    trace.push_back("post " + std::string(call->op));
    return VisitResult::SkipChildren();  // says nothing any more
  });
  EXPECT_FALSE(visit(Call("f", {Call("g", {Call("h")}), Call("i")})).has_value());
  EXPECT_EQ(trace, (Lines{"f", "g", "i", "post i", "post f"}));
}

TEST(StructuralVisit, InterruptWithAValue) {
  int seen = 0;
  StructuralVisit visit;
  visit.Pre<int64_t>([&](int64_t i) {
    ++seen;
    return i == 2 ? VisitResult::Interrupt(String("two")) : VisitResult();
  });
  std::optional<Any> found = visit(Array<Any>{1, Array<Any>{2}, 3});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->cast<String>(), "two");
  EXPECT_EQ(seen, 2);
  EXPECT_FALSE(visit(Array<Any>{1, 3}).has_value());
  // The contract's object says the same.
  StructuralVisit after;
  after.Post<Array<Any>>([](const Array<Any>&) { return VisitInterrupt(); });
  found = after(Array<Any>{Array<Any>{}});
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(*found == nullptr);
}

TEST(StructuralVisit, SharedObjectsOnceOrAtEveryPlace) {
  const Any shared = Call("g");
  const Array<Any> root{shared, shared, "text", "text"};
  EXPECT_EQ(Types(root),
            (Lines{"ffi.Array", "native.Call", "ffi.SmallStr", "ffi.Array", "ffi.SmallStr", "ffi.SmallStr"}))
      << "strings are values";
  EXPECT_EQ(Types(root, EveryPlace()).size(), 9u);
  Lines paths;
  StructuralVisit(EveryPlace()).Pre<CallObj>([&](const CallObj*, const WalkPlace& place) {
    paths.push_back(place.path_text());
  })(root);
  EXPECT_EQ(paths, (Lines{"<root>[0]", "<root>[1]"}));
}

TEST(StructuralVisit, ObjectsWithoutChildrenAreSharedToo) {
  const Any function = Function::FromTyped([] { return 1; });
  const Array<Any> root{function, function};
  EXPECT_EQ(Types(root), (Lines{"ffi.Array", "ffi.Function"}));
  EXPECT_EQ(Types(root, EveryPlace()), (Lines{"ffi.Array", "ffi.Function", "ffi.Function"}));
}

TEST(StructuralVisit, RegionsOfPlaces) {
  const Any x = Var("x", Var("type")), y = Var("y", Var("inner"));
  const Any root = Lambda({x}, Let(y, x, Call("f", {x, y})));
  EXPECT_EQ(Variables(root, EveryPlace()),
            (Lines{"x <root>.params[0] 1", "type <root>.params[0].type 1", "x <root>.body.value 0",
                   "type <root>.body.value.type 0", "y <root>.body.var 2", "inner <root>.body.var.type 0",
                   "x <root>.body.body.args[0] 0", "type <root>.body.body.args[0].type 0",
                   "y <root>.body.body.args[1] 0", "inner <root>.body.body.args[1].type 0"}));
}

TEST(StructuralVisit, AVariableThatIsVisitedOnceHasTheRegionOfItsDefinition) {
  const Any x = Var("x"), free = Var("free");
  EXPECT_EQ(Variables(Array<Any>{free, x, Lambda({x}, x)}), (Lines{"free <root>[0] 0", "x <root>[1] 1"}));
  EXPECT_EQ(Variables(Array<Any>{x, Let(x, 1, x)}), (Lines{"x <root>[0] 2"}));
}

TEST(StructuralVisit, OrderIsThatOfTheModel) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    testing::GenOptions generate;
    generate.well_scoped = seed % 2 == 0;
    generate.wild_keys = seed % 3 == 0;
    const Any root = testing::LoadTable(testing::RandomGraph(seed, generate)).value;
    for (const bool every_place : {false, true}) {
      VisitOptions options;
      options.every_place = every_place;
      options.ignored_fields = seed % 5 == 0;
      const Lines model = testing::ModelVisit(root, options);
      if (every_place && model.size() > 100'000) continue;
      ASSERT_EQ(testing::LibraryVisit(root, options), model) << "seed " << seed << ", every place " << every_place;
    }
  }
}

TEST(StructuralVisit, ErrorsOfHooksHaveThePath) {
  StructuralVisit visit;
  visit.Pre<int64_t>([](int64_t i) { TRANSOM_CHECK(i != 2, KeyError) << "no " << i; });
  const Any root = Call("f", {1, Const(2)});
  EXPECT_EQ(ErrorOf([&] { visit(root); }), "KeyError: <root>.args[1].value: no 2");
  try {
    visit(root);
    FAIL();
  } catch (const Error& error) {
    ASSERT_TRUE(error.cause().has_value());
    EXPECT_EQ(error.cause()->message(), "no 2");
  }
  StructuralVisit after;
  after.Post<ConstObj>([](const ConstObj*) { TRANSOM_THROW(ValueError) << "bad"; });
  EXPECT_EQ(ErrorOf([&] { after(root); }), "ValueError: <root>.args[1]: bad");
  // Others come out as they are.
  StructuralVisit other;
  other.Pre<int64_t>([](int64_t) { throw std::logic_error("mine"); });
  EXPECT_THROW(other(root), std::logic_error);
}

TEST(StructuralVisit, ElementsOfAnotherTypeThanTheHooks) {
  StructuralVisit visit;
  visit.Pre<Array<int64_t>>([](const Array<int64_t>&) {});
  EXPECT_EQ(ErrorOf([&] {
              visit(Array<Any>{Array<Any>{1}, "x"});
            }),
            "TypeError: <root>: Cannot convert from type `Array[index 0: ffi.Array]` to `Array<int>`");
}

TEST(StructuralVisit, CyclesAreErrorsWithThePath) {
  List<Any> list{1};
  list.push_back(Call("f", {list}));
  for (const VisitOptions& options : {VisitOptions(), EveryPlace()}) {
    EXPECT_EQ(ErrorOf([&] { Types(list, options); }),
              "ValueError: <root>[1].args[0]: the value contains itself; lists, dicts and fields that lead back to an "
              "object above them can be neither compared nor saved");
  }
  list.clear();
}

TEST(StructuralVisit, HooksMayStartVisitsOfTheirOwn) {
  int inner = 0;
  StructuralVisit count;
  count.Pre<int64_t>([&](int64_t) { ++inner; });
  StructuralVisit visit;
  visit.Pre<CallObj>([&](const CallObj* call) { count(call->args); });
  visit(Call("f", {1, Call("g", {2})}));
  EXPECT_EQ(inner, 3);
}

TEST(StructuralVisit, AnyDepthAndWidth) {
  Any deep = 1;
  constexpr int kDepth = 1'000'000;
  for (int i = 0; i < kDepth; ++i) deep = Const(std::move(deep));
  int64_t pre = 0, post = 0, steps = 0;
  StructuralVisit visit;
  visit.Pre<ConstObj>([&](const ConstObj*) { ++pre; });
  visit.Post<ConstObj>([&](const ConstObj*) { ++post; });
  visit.Pre<int64_t>([&](int64_t, const WalkPlace& place) {
    steps = place.path()->depth;
    return VisitResult();
  });
  visit(deep);
  EXPECT_EQ(pre, kDepth);
  EXPECT_EQ(post, kDepth);
  EXPECT_EQ(steps, kDepth);
  EXPECT_EQ(Types(deep, EveryPlace()).size(), kDepth + 1u);

  std::vector<Any> items;
  for (int i = 0; i < kDepth; ++i) items.emplace_back(i);
  const Array<Any> wide(items.begin(), items.end());
  EXPECT_EQ(Types(wide).size(), kDepth + 1u);

  Any ladder = 1;
  for (int i = 0; i < 100'000; ++i) ladder = Array<Any>{ladder, ladder};
  EXPECT_EQ(Types(ladder).size(), 100'002u);
}

}  // namespace
}  // namespace transom
