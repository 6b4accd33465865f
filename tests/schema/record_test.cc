#include <transom/schema/record.h>

#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/reflection/access_path.h>

#include <string>

#include "schema_support.h"
#include "support/small_stack.h"

namespace transom {
namespace {

using schema::ErrorOf;
using schema::ParseTypes;
using schema::SchemaRef;

SchemaRef ShopSchema() {
  return ParseTypes(R"("shop.Item":{"fields":[{"name":"flag","type":"bool"},{"name":"count","type":"int"},
      {"name":"price","type":"float"},{"name":"dtype","type":"DataType"},{"name":"device","type":"Device"},
      {"name":"text","type":"ffi.String"},{"name":"any","type":"Any"},{"name":"next","type":"Optional<shop.Item>"},
      {"name":"list","type":"ffi.Array<int>"},{"name":"none","type":"None"}]},
      "shop.Op":{"data":"custom","fields":[{"name":"name","type":"ffi.String"}]})");
}

ObjectPtr<RecordObj> MakeItem(const SchemaRef& schema) { return RecordObj::Create(*schema->Find("shop.Item")); }

TEST(Record, IsRegistered) {
  EXPECT_GE(RecordObj::RuntimeTypeIndex(), kTVMFFIDynObjectBegin);
  ObjectPtr<RecordObj> record = MakeItem(ShopSchema());
  EXPECT_EQ(record->GetTypeKey(), "transom.Record");
  EXPECT_EQ(record->type_index(), RecordObj::RuntimeTypeIndex());
  EXPECT_EQ(record->use_count(), 1u);
}

TEST(Record, FieldsStartAsZero) {
  ObjectPtr<RecordObj> record = MakeItem(ShopSchema());
  EXPECT_EQ(*record->Get("flag").as<bool>(), false);
  EXPECT_EQ(*record->Get("count").as<int64_t>(), 0);
  EXPECT_EQ(*record->Get("price").as<double>(), 0.0);
  EXPECT_EQ(record->Get("dtype").type_index(), kTVMFFIDataType);
  EXPECT_EQ(record->Get("device").type_index(), kTVMFFIDevice);
  for (const char* name : {"text", "any", "next", "list", "none"}) EXPECT_EQ(record->Get(name), nullptr) << name;
}

TEST(Record, ReadsAsItsOwnTypeInPaths) {
  SchemaRef schema = ParseTypes(R"("shop.Item":{"fields":[{"name":"name","type":"ffi.String"}]},
      "shop.Op":{"data":"custom","fields":[]})");
  auto text = [](const ObjectPtr<RecordObj>& key) { return reflection::AccessPath::Root()->MapItem(key)->ToString(); };
  ObjectPtr<RecordObj> item = RecordObj::Create(*schema->Find("shop.Item"));
  EXPECT_EQ(text(item), "<root>[shop.Item]");
  item->Init(0, String("pump"));
  EXPECT_EQ(text(item), "<root>[shop.Item(\"pump\")]");
  ObjectPtr<RecordObj> op = RecordObj::Create(*schema->Find("shop.Op"));
  op->InitData(String("\"add\""));
  EXPECT_EQ(text(op), "<root>[shop.Op(\"add\")]");
}

TEST(Record, GivesBackWhatItWasGiven) {
  SchemaRef schema = ShopSchema();
  ObjectPtr<RecordObj> record = MakeItem(schema);
  ObjectPtr<RecordObj> other = MakeItem(schema);
  Array<int64_t> list = {1, 2};
  const Any values[] = {true,
                        int64_t{-5},
                        2.5,
                        DataType::Float(16, 4),
                        DLDevice{kDLCUDA, 3},
                        String("a text of some length"),
                        String("short"),
                        other,
                        list,
                        Any()};
  uint32_t index = 0;
  for (const Any& value : values) record->Init(index++, value);
  index = 0;
  for (const Any& value : values) {
    const TVMFFIAny got = *record->Get(index).raw();
    EXPECT_EQ(got.type_index, value.raw()->type_index) << index;
    EXPECT_EQ(got.zero_padding, value.raw()->zero_padding) << index;
    EXPECT_EQ(got.v_uint64, value.raw()->v_uint64) << index;
    ++index;
  }
}

TEST(Record, OwnsItsValues) {
  SchemaRef schema = ShopSchema();
  ObjectPtr<RecordObj> child = MakeItem(schema);
  Array<int64_t> list = {1, 2};
  Any text = String("a text of some length");
  ObjectPtr<RecordObj> record = MakeItem(schema);
  record->Init(5, text);
  record->Init(6, child);
  record->Init(7, child);
  record->Init(8, list);
  EXPECT_EQ(child->use_count(), 3u);
  EXPECT_EQ(list.use_count(), 2u);
  record->Init(7, Any());  // setting again releases what was there
  EXPECT_EQ(child->use_count(), 2u);
  record.reset();
  EXPECT_EQ(child->use_count(), 1u);
  EXPECT_EQ(list.use_count(), 1u);
  EXPECT_EQ(text.as<StringObj>()->use_count(), 1u);
}

TEST(Record, RefusesWhatAFieldCannotStore) {
  ObjectPtr<RecordObj> record = MakeItem(ShopSchema());
  EXPECT_EQ(ErrorOf([&] { record->Init(1, 2.5); }),
            "TypeError: type \"shop.Item\", field \"count\": expected int, got float");
  EXPECT_EQ(ErrorOf([&] { record->Init(0, int64_t{1}); }),
            "TypeError: type \"shop.Item\", field \"flag\": expected bool, got int");
  EXPECT_EQ(ErrorOf([&] { record->Init(7, int64_t{1}); }),
            "TypeError: type \"shop.Item\", field \"next\": expected Optional<shop.Item>, got int");
  EXPECT_EQ(ErrorOf([&] { record->Init(9, int64_t{1}); }),
            "TypeError: type \"shop.Item\", field \"none\": expected None, got int");
  EXPECT_EQ(ErrorOf([&] { record->Get("cuont"); }),
            "AttributeError: a record of type \"shop.Item\" has no field \"cuont\"; it has flag, count, price, dtype, "
            "device, text, any, next, list, none");
}

TEST(Record, KeepsCustomData) {
  SchemaRef schema = ShopSchema();
  ObjectPtr<RecordObj> op = RecordObj::Create(*schema->Find("shop.Op"));
  EXPECT_EQ(op->data(), "");
  Any text = String(R"({"name":"relax.add"})");
  op->InitData(text);
  EXPECT_EQ(op->data(), R"({"name":"relax.add"})");
  EXPECT_EQ(text.as<StringObj>()->use_count(), 2u);
  EXPECT_EQ(ErrorOf([&] { op->Get("name"); }),
            "AttributeError: a record of type \"shop.Op\" has no field \"name\"; it has data of its writer's own form: "
            "use data()");
  EXPECT_EQ(ErrorOf([&] { op->InitData(int64_t{1}); }),
            "TypeError: the custom data of type \"shop.Op\" is JSON text, got int");
  op.reset();
  EXPECT_EQ(text.as<StringObj>()->use_count(), 1u);

  ObjectPtr<RecordObj> item = MakeItem(schema);
  EXPECT_EQ(item->data(), "");
  EXPECT_EQ(ErrorOf([&] { item->InitData(text); }), "TypeError: type \"shop.Item\" has fields, not custom data");
}

TEST(Record, KeepsShortCustomData) {
  ObjectPtr<RecordObj> op = RecordObj::Create(*ShopSchema()->Find("shop.Op"));
  op->InitData(String("\"x\""));
  EXPECT_EQ(op->data(), "\"x\"");
}

TEST(Record, KeepsItsSchemaAlive) {
  ObjectPtr<RecordObj> record;
  {
    SchemaRef schema = ParseTypes(R"("only.here":{"fields":[{"name":"x","type":"int","default":7}]})");
    record = RecordObj::Create(*schema->Find("only.here"));
  }
  EXPECT_EQ(record->descriptor->key, "only.here");
  EXPECT_EQ(record->descriptor->schema->Find("only.here"), record->descriptor);
}

// Counted by the release of the plan that the graph layer hangs on a descriptor.
int released_plans = 0;

TEST(Record, TheLastRecordEndsTheSchema) {
  SchemaRef schema = ParseTypes(R"("counted.here":{"fields":[{"name":"x","type":"int"}]})");
  const schema::TypeDescriptor& type = *schema->Find("counted.here");
  type.plan_slot.release = [](const void*) { ++released_plans; };
  type.plan_slot.plan = &type;
  type.schema->AddRefs(1);
  ObjectPtr<RecordObj> adopting = RecordObj::Create(type, /*adopt_schema_ref=*/true);
  ObjectPtr<RecordObj> other = RecordObj::Create(type);
  released_plans = 0;
  schema = SchemaRef();
  adopting.reset();
  EXPECT_EQ(released_plans, 0);
  other.reset();
  EXPECT_EQ(released_plans, 1);
}

TEST(Record, WeakReferencesOutliveIt) {
  ObjectPtr<RecordObj> record = MakeItem(ShopSchema());
  WeakObjectPtr<RecordObj> weak(record);
  EXPECT_NE(weak.lock(), nullptr);
  record.reset();
  EXPECT_EQ(weak.lock(), nullptr);
}

TEST(AsRecord, TellsRecordsFromOtherValues) {
  int32_t record_type = RecordObj::RuntimeTypeIndex();
  ObjectPtr<RecordObj> record = MakeItem(ShopSchema());
  Any value = record;
  EXPECT_EQ(AsRecord(*value.raw(), record_type), record.get());
  EXPECT_EQ(AsRecord(*Any(int64_t{1}).raw(), record_type), nullptr);
}

void DestroyLongChains() {
  constexpr int kLength = 10000000;
  SchemaRef schema = ParseTypes(R"("chain.Node":{"fields":[{"name":"next","type":"Any"}]},
      "chain.Link":{"fields":[{"name":"next","type":"chain.Link"}]})");
  for (const char* key : {"chain.Node", "chain.Link"}) {
    const schema::TypeDescriptor& type = *schema->Find(key);
    schema->AddRefs(kLength);
    ObjectPtr<RecordObj> head;
    for (int i = 0; i < kLength; ++i) {
      ObjectPtr<RecordObj> node = RecordObj::Create(type, /*adopt_schema_ref=*/true);
      if (head != nullptr) node->Init(0, std::move(head));
      head = std::move(node);
    }
    head.reset();
  }
}

TEST(Record, AChainOfAnyLengthIsDestroyedOnASmallStack) { testing::RunOnSmallStack(&DestroyLongChains); }

}  // namespace
}  // namespace transom
