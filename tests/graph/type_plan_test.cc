#include "graph/type_plan.h"

#include <gtest/gtest.h>
#include <transom/containers/map.h>
#include <transom/reflection/registry.h>

#include <string>
#include <thread>
#include <vector>

#include "support/native_types.h"

namespace transom::graph {
namespace {

using testing::ErrorOf;

const TypePlan& PlanOf(PlanTable& plans, const Any& value) { return plans.Of(value.raw()->v_obj); }

std::string Names(const TypePlan& plan, const std::vector<uint16_t>& indices) {
  std::string text;
  for (uint16_t i : indices) text += std::string(plan.fields[i].name) + " ";
  return text;
}

// A getter that says no, once it is told to.
class MoodyObj : public Object {
 public:
  int32_t number = 0;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("native.Moody", MoodyObj, Object);
};

TEST(TypePlan, OfARegisteredType) {
  PlanTable plans;
  const Any call = testing::Call("f"), var = testing::Var("x"), let = testing::Let(1, 2, 3);
  const TypePlan& plan = PlanOf(plans, call);
  EXPECT_EQ(plan.key, "native.Call");
  EXPECT_EQ(plan.kind, StructuralKind::kTree);
  EXPECT_EQ(Names(plan, plan.all), "op args span ");
  EXPECT_EQ(Names(plan, plan.compare), "op args ");
  EXPECT_FALSE(plan.hook);
  EXPECT_FALSE(plan.custom_data);
  EXPECT_TRUE(plan.plain);
  EXPECT_FALSE(plan.has_defaults);
  EXPECT_EQ(plan.label_field, -1);
  EXPECT_EQ(&PlanOf(plans, testing::Call("g")), &plan);
  EXPECT_EQ(PlanOf(plans, var).label_field, 0);
  EXPECT_EQ(PlanOf(plans, var).kind, StructuralKind::kFreeVar);
  EXPECT_EQ(PlanOf(plans, let).fields[1].def, DefRegion::kSimple);
  EXPECT_EQ(PlanOf(plans, testing::Lambda({}, 1)).fields[0].def, DefRegion::kRecursive);
  EXPECT_TRUE(PlanOf(plans, testing::Hooked(1)).hook);
  EXPECT_TRUE(PlanOf(plans, testing::Op("a")).custom_data);
  EXPECT_EQ(PlanOf(plans, testing::Plain(1)).kind, StructuralKind::kNone);
  for (const Any& other : {testing::Hooked(1), testing::Op("a"), testing::Plain(1)})
    EXPECT_FALSE(PlanOf(plans, other).plain) << PlanOf(plans, other).key;
  EXPECT_TRUE(PlanOf(plans, Any(make_object<testing::DefaultsObj>())).has_defaults);
}

TEST(TypePlan, KnowsWhereReferencesToObjectsLie) {
  PlanTable plans;
  const TypePlan& plan = PlanOf(plans, testing::Call("f"));
  std::vector<uint32_t> offsets;
  for (const FieldPlan& field : plan.fields) {
    if (field.storage == Storage::kObject) offsets.push_back(field.offset);
  }
  EXPECT_FALSE(offsets.empty());
  EXPECT_EQ(plan.objects, offsets);
}

TEST(TypePlan, ARecordsPlanSaysTheSame) {
  PlanTable plans;
  for (const Any& value : {testing::Call("f"), testing::Var("x"), testing::Let(1, 2, 3), testing::Lambda({}, 1),
                           testing::Op("a"), testing::Plain(1), Any(make_object<testing::DefaultsObj>())}) {
    const Any record = testing::AsRecords(value);
    const TypePlan &a = PlanOf(plans, value), &b = PlanOf(plans, record);
    EXPECT_NE(&a, &b);
    EXPECT_EQ(a.key, b.key);
    EXPECT_EQ(a.seed, b.seed);
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.label_field, b.label_field);
    EXPECT_EQ(a.custom_data, b.custom_data);
    EXPECT_EQ(a.plain, b.plain);
    EXPECT_EQ(a.has_defaults, b.has_defaults);
    EXPECT_EQ(Names(a, a.all), Names(b, b.all));
    EXPECT_EQ(Names(a, a.compare), Names(b, b.compare));
    for (size_t i = 0; i < a.fields.size(); ++i) {
      EXPECT_EQ(a.fields[i].tag, b.fields[i].tag);
      EXPECT_EQ(a.fields[i].def, b.fields[i].def);
      EXPECT_EQ(a.fields[i].has_default, b.fields[i].has_default) << a.key << "." << a.fields[i].name;
      EXPECT_TRUE(AnyEqual()(Any(a.fields[i].default_value), Any(b.fields[i].default_value))) << a.fields[i].name;
    }
    EXPECT_EQ(&PlanOf(plans, record), &b);
  }
}

TEST(ReadField, OfEveryStorage) {
  auto obj = make_object<testing::ScalarsObj>();
  obj->i = INT64_MIN;
  obj->narrow = -5;
  obj->tiny = 200;
  obj->f = 1.5;
  obj->single = 0.25f;
  obj->b = true;
  obj->dtype = DataType::Int(8);
  obj->device = Device(kDLCUDA, 2);
  obj->s = "text";
  obj->any = 4.5;
  const Any value = obj, record = testing::AsRecords(obj);
  PlanTable plans;
  Keeper keeper;
  for (const Any& v : {value, record}) {
    const TypePlan& plan = PlanOf(plans, v);
    const auto read = [&](const char* name) {
      const int32_t i = plan.FindField(name);
      EXPECT_GE(i, 0) << name;
      return Any(AnyView::FromRaw(graph::ReadField(v.raw()->v_obj, plan.fields[static_cast<size_t>(i)], keeper)));
    };
    EXPECT_EQ(read("i").cast<int64_t>(), INT64_MIN);
    EXPECT_EQ(read("narrow").cast<int64_t>(), -5);
    EXPECT_EQ(read("tiny").cast<int64_t>(), 200);
    EXPECT_EQ(read("f").cast<double>(), 1.5);
    EXPECT_EQ(read("single").cast<double>(), 0.25);
    EXPECT_EQ(read("b").type_index(), kTVMFFIBool);
    EXPECT_EQ(read("dtype").cast<DataType>(), DataType::Int(8));
    EXPECT_EQ(read("device").cast<Device>(), Device(kDLCUDA, 2));
    EXPECT_EQ(read("s").cast<std::string>(), "text");
    EXPECT_EQ(read("maybe"), nullptr);
    EXPECT_EQ(read("any").cast<double>(), 4.5);
    EXPECT_EQ(plan.FindField("none"), -1);
  }
}

TEST(ReadField, BorrowsWithoutCounting) {
  const Any inner = testing::Const(1);
  const Any outer = testing::Const(inner);
  PlanTable plans;
  Keeper keeper;
  const uint32_t before = StrongCount(inner.raw()->v_obj);
  const TVMFFIAny value = graph::ReadField(outer.raw()->v_obj, PlanOf(plans, outer).fields[0], keeper);
  EXPECT_EQ(value.v_obj, inner.raw()->v_obj);
  EXPECT_EQ(StrongCount(inner.raw()->v_obj), before);
}

TEST(PlanTable, TypesMayGainFieldsBetweenTraversals) {
  const Any value = make_object<MoodyObj>();
  {
    PlanTable plans;
    EXPECT_EQ(PlanOf(plans, value).fields.size(), 0u);
  }
  reflection::ObjectDef<MoodyObj>().def_ro("number", &MoodyObj::number);
  PlanTable plans;
  ASSERT_EQ(PlanOf(plans, value).fields.size(), 1u);
  EXPECT_EQ(PlanOf(plans, value).fields[0].name, "number");
}

TEST(PlanTable, GetterErrorsNameTheField) {
  FieldPlan field;
  field.name = "moody";
  field.storage = Storage::kGetter;
  field.getter = [](void*, TVMFFIAny*) {
    TRANSOM_SAFE_CALL_BEGIN();
    TRANSOM_THROW(RuntimeError) << "not today";
    TRANSOM_SAFE_CALL_END();
  };
  const Any value = make_object<MoodyObj>();
  Keeper keeper;
  EXPECT_EQ(ErrorOf([&] { graph::ReadField(value.raw()->v_obj, field, keeper); }).substr(0, 41),
            "ValueError: field `moody` cannot be read:");
}

TEST(PlanTable, RulesOfASchemaHoldForRegisteredTypes) {
  const schema::SchemaRef rules = schema::Schema::Parse(
      R"({"transom_schema":1,"name":"r","types":{"native.Hooked":{"structural":"dag","compare":["note","id"],"label":"note",
          "fields":[{"name":"id","type":"int"},{"name":"note","type":"Any"}]},
          "native.Call":{"structural":"tree","compare":["op"],"compare_if":{"span":"native.Const","then":["args"]},
          "fields":[{"name":"op","type":"ffi.String"},{"name":"args","type":"ffi.Array<Any>"},{"name":"span","type":"Any"}]},
          "native.Const":{"fields":[{"name":"value","type":"Any"}]}}})",
      "rules");
  PlanTable plans(rules);
  const TypePlan& hooked = PlanOf(plans, testing::Hooked(1));
  EXPECT_FALSE(hooked.hook);
  EXPECT_EQ(hooked.kind, StructuralKind::kDag);
  EXPECT_EQ(Names(hooked, hooked.compare), "note id ");
  EXPECT_EQ(hooked.label_field, 1);
  const TypePlan& call = PlanOf(plans, testing::Call("f"));
  EXPECT_EQ(call.compare_if_field, 2);
  EXPECT_EQ(call.compare_if_type, "native.Const");
  EXPECT_EQ(Names(call, call.compare_then), "args ");
  PlanTable plain;
  EXPECT_TRUE(PlanOf(plain, testing::Hooked(1)).hook);
}

TEST(PlanTable, ManyThreadsCompileAtOnce) {
  const Any native = testing::Let(1, 2, 3), record = testing::AsRecords(testing::Let(1, 2, 3));
  std::vector<const TypePlan*> seen(16);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < seen.size(); ++t) {
    threads.emplace_back([&, t] {
      PlanTable plans;
      EXPECT_EQ(PlanOf(plans, native).fields.size(), 3u);
      seen[t] = &PlanOf(plans, record);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const TypePlan* plan : seen) EXPECT_EQ(plan, seen[0]);
}

TEST(TypeKeyOf, OfEveryKind) {
  const auto key = [](const Any& value) { return std::string(TypeKeyOf(*value.raw())); };
  EXPECT_EQ(key("short"), "ffi.String");
  EXPECT_EQ(key("a text of more than seven bytes"), "ffi.String");
  EXPECT_EQ(key(Bytes(std::string("b"))), "ffi.Bytes");
  EXPECT_EQ(key(1), "int");
  EXPECT_EQ(key(nullptr), "None");
  EXPECT_EQ(key(testing::AsRecords(testing::Call("f"))), "native.Call");
}

TEST(IsInstanceOf, AlongTheAncestors) {
  const auto is = [](const Any& value, const char* key) { return IsInstanceOf(*value.raw(), key); };
  EXPECT_TRUE(is(testing::Call("f"), "native.Call"));
  EXPECT_TRUE(is(testing::Call("f"), "ffi.Object"));
  EXPECT_FALSE(is(testing::Call("f"), "native.Const"));
  EXPECT_TRUE(is(testing::AsRecords(testing::Call("f")), "native.Call"));
  EXPECT_TRUE(is(testing::AsRecords(testing::Call("f")), "ffi.Object"));
  EXPECT_FALSE(is(testing::AsRecords(testing::Call("f")), "transom.Record"));
  EXPECT_FALSE(is(1, "ffi.Object"));
}

TEST(LabelOf, TextOrAnObjectThatHasOne) {
  PlanTable plans;
  const auto label = [&](const Any& value) { return LabelOf(plans, *value.raw()); };
  EXPECT_EQ(label(testing::Var("x")), "x");
  EXPECT_EQ(label(testing::AsRecords(testing::Var("x"))), "x");
  EXPECT_EQ(label(testing::Const(1)), "");
  EXPECT_EQ(label("text"), "text");
  EXPECT_EQ(label(1), "");
}

TEST(CustomDataOf, IsTheSameForNativeObjectsAndRecords) {
  PlanTable plans;
  Keeper keeper;
  const Any op = testing::Op("a\n"), record = testing::AsRecords(op);
  EXPECT_EQ(CustomDataOf(op.raw()->v_obj, PlanOf(plans, op), keeper), R"({"name":"a\n"})");
  EXPECT_EQ(CustomDataOf(record.raw()->v_obj, PlanOf(plans, record), keeper), R"({"name":"a\n"})");
}

}  // namespace
}  // namespace transom::graph
