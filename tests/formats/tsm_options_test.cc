// Options of loading .tsm files: records, registered types only, schemas that say more or less than the file.
#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/schema/record.h>

#include <algorithm>
#include <string>
#include <vector>

#include "formats/tsm_damaged_graph.h"
#include "formats/tsm_text.h"

namespace transom {
namespace {

using testing::Call;
using testing::Const;
using testing::ErrorOf;
using testing::StoreFile;
using testing::TextOf;

LoadOptions WithSchema(const std::string& types) {
  LoadOptions options;
  options.schema = schema::Schema::Parse(R"({"transom_schema":1,"name":"mine","types":{)" + types + "}}", "mine");
  return options;
}

const RecordObj& Record(const Any& value) {
  const RecordObj* record = AsRecord(*value.raw(), RecordObj::RuntimeTypeIndex());
  EXPECT_NE(record, nullptr);
  return *record;
}

// A file with one object of a type with fields of several kinds.
std::string Thing() {
  return SaveTSM(
      LoadJSON(
          R"({"schema":{"transom_schema":1,"name":"t","types":{"t.Thing":{"structural":"tree","fields":[{"name":"a","type":"int"},
      {"name":"b","type":"ffi.String"},{"name":"c","type":"Any"},{"name":"d","type":"float"}]}}},"root_index":3,"nodes":[{"type":"ffi.String","data":"a long text of b"},
      {"type":"ffi.Array","data":[0]},{"type":"t.Thing","data":{"a":5,"b":0,"c":1,"d":1.5}},{"type":"ffi.Array","data":[2,2]}]})")
          .value);
}

Any First(const LoadResult& result) { return result.value.cast<Array<Any>>()[0]; }

TEST(TsmOptions, RecordsAlways) {
  const Any value = Array<Any>{Call("f", {Const(1), testing::Op("add")}), testing::MakeToken(1)};
  const LoadResult result = LoadTSM(SaveTSM(value), testing::RecordsAlways());
  EXPECT_EQ(result.record_types,
            (std::vector<std::string>{"native.Call", "native.Const", "native.Op", "native.Token"}));
  EXPECT_EQ(First(result).type_index(), RecordObj::RuntimeTypeIndex());
  EXPECT_EQ(TextOf(result.value), TextOf(value));
}

TEST(TsmOptions, RegisteredOnly) {
  LoadOptions options;
  options.types = LoadTypes::kRegisteredOnly;
  options.source = "store.tsm";
  EXPECT_TRUE(LoadTSM(SaveTSM(Call("f", {testing::Op("add")})), options).record_types.empty());
  EXPECT_EQ(ErrorOf([&] { LoadTSM(Thing(), options); }),
            "SchemaError: store.tsm: the file's own schema does not describe type \"t.Thing\", and no loaded library "
            "registers it; the file has no metadata "
            "that would tell its version; give the right schema with --schema FILE, or the library with --load LIB");
  EXPECT_EQ(ErrorOf([&] { LoadTSM(StoreFile(), options); }).substr(0, 34), "SchemaError: store.tsm: the file's");
}

TEST(TsmOptions, ASchemaThatSaysTheSame) {
  const LoadOptions options =
      WithSchema(R"("t.Thing":{"structural":"tree","fields":[{"name":"a","type":"int"},{"name":"b","type":"ffi.String"},
      {"name":"c","type":"Any"},{"name":"d","type":"float"}]})");
  const LoadResult result = LoadTSM(Thing(), options);
  EXPECT_EQ(result.schema->name(), "mine");
  EXPECT_TRUE(result.schema_in_file);
  EXPECT_EQ(Record(First(result)).descriptor->schema, options.schema.get());
  EXPECT_EQ(TextOf(result.value), TextOf(LoadTSM(Thing()).value));
}

TEST(TsmOptions, ASchemaWithOtherOrderAndWiderTypes) {
  const LoadResult result = LoadTSM(
      Thing(),
      WithSchema(R"("t.Thing":{"fields":[{"name":"d","type":"float"},{"name":"c","type":"ffi.Array<ffi.String>"},
      {"name":"b","type":"Any"},{"name":"a","type":"int"}]})"));
  EXPECT_EQ(Record(First(result)).Get("b").cast<std::string>(), "a long text of b");
  EXPECT_EQ(Record(First(result)).Get("d").cast<double>(), 1.5);
  EXPECT_EQ(result.value.cast<Array<Any>>()[0].raw()->v_obj, result.value.cast<Array<Any>>()[1].raw()->v_obj);
}

TEST(TsmOptions, ASchemaWithFewerFields) {
  const std::string types = R"("t.Thing":{"fields":[{"name":"a","type":"int"}]})";
  LoadOptions options = WithSchema(types);
  EXPECT_EQ(ErrorOf([&] { LoadTSM(Thing(), options); }),
            "ValueError: type t.Thing has no field \"b\" in the schema \"mine\", but in the file; give another schema, "
            "or drop such fields (--drop-unknown)");
  options.drop_unknown_fields = true;
  const LoadResult result = LoadTSM(Thing(), options);
  EXPECT_EQ(result.dropped_fields, (std::vector<std::string>{"t.Thing.b", "t.Thing.c", "t.Thing.d"}));
  EXPECT_EQ(Record(First(result)).Get("a").cast<int64_t>(), 5);
  EXPECT_EQ(Record(First(result)).descriptor->fields.size(), 1u);
}

TEST(TsmOptions, ASchemaWithMoreFields) {
  const std::string old =
      R"("t.Thing":{"fields":[{"name":"a","type":"int"},{"name":"b","type":"ffi.String"},{"name":"c","type":"Any"},{"name":"d","type":"float"},)";
  const LoadResult result = LoadTSM(
      Thing(),
      WithSchema(old +
                 R"({"name":"e","type":"int","default":7},{"name":"f","type":"ffi.String","default":"a default text"},
      {"name":"g","type":"Any","default":null},{"name":"h","type":"float","default":2},{"name":"i","type":"DataType","default":"int8"}]})"));
  const RecordObj& record = Record(First(result));
  EXPECT_EQ(record.Get("e").cast<int64_t>(), 7);
  EXPECT_EQ(record.Get("f").cast<std::string>(), "a default text");
  EXPECT_EQ(record.Get("h").cast<double>(), 2.0);
  EXPECT_EQ(record.Get("i").cast<DataType>(), DataType::Int(8));
  EXPECT_EQ(record.Get("b").cast<std::string>(), "a long text of b");
  EXPECT_EQ(ErrorOf([&] { LoadTSM(Thing(), WithSchema(old + R"({"name":"e","type":"int"}]})")); }),
            "ValueError: type t.Thing, field \"e\": the file does not have it, and it has no default that the schema "
            "\"mine\" states");
}

// What is known of one array holds for others like it, but not for what differs in elements, form or, in a tuple, size.
TEST(TsmOptions, ArraysThatLookAlikeAreCheckedTogether) {
  const std::string file =
      SaveTSM(LoadJSON(
                  R"({"schema":{"transom_schema":1,"name":"t","types":{"t.Box":{"fields":[{"name":"x","type":"Any"}]}}},
      "root_index":14,"nodes":[{"type":"int","data":1},{"type":"int","data":2},{"type":"bool","data":true},
      {"type":"ffi.Array","data":[]},{"type":"ffi.Array","data":[0,1]},{"type":"ffi.Array","data":[1,0,1]},
      {"type":"ffi.List","data":[0,1]},{"type":"ffi.Array","data":[0,2]},
      {"type":"t.Box","data":{"x":4}},{"type":"t.Box","data":{"x":4}},{"type":"t.Box","data":{"x":5}},
      {"type":"t.Box","data":{"x":3}},{"type":"t.Box","data":{"x":6}},{"type":"t.Box","data":{"x":7}},
      {"type":"ffi.Array","data":[8,9,10,11,12,13]}]})")
                  .value);
  // The places that do not fit.
  const auto misfit = [&](const std::string& type) {
    const std::string error =
        ErrorOf([&] { LoadTSM(file, WithSchema(R"("t.Box":{"fields":[{"name":"x","type":")" + type + R"("}]})")); });
    return error.substr(0, error.find(" (t.Box)")) + error.substr(std::min(error.size(), error.find(" holds")));
  };
  EXPECT_EQ(misfit("Union<ffi.Array<Any>, ffi.List<int>>"), "no error");
  EXPECT_EQ(misfit("ffi.Array<int>"), "ValueError: node 10 holds node 9, which is ffi.List");
  EXPECT_EQ(misfit("Tuple<int, int>"), "ValueError: node 6 holds node 5, which is ffi.Array");
  EXPECT_EQ(misfit("Union<ffi.Array<int>, ffi.List<int>>").substr(0, 35), "ValueError: node 13 holds node 12, ");
  EXPECT_EQ(misfit("Optional<Tuple<int, int>>").substr(0, 33), "ValueError: node 6 holds node 5, ");
}

TEST(TsmOptions, ASchemaOfOtherKinds) {
  const auto error = [](const std::string& a, const std::string& b) {
    return ErrorOf([&] {
      LoadTSM(Thing(), WithSchema(R"("t.Thing":{"fields":[{"name":"a","type":")" + a + R"("},{"name":"b","type":")" +
                                  b + R"("},{"name":"c","type":"Any"},{"name":"d","type":"float"}]})"));
    });
  };
  EXPECT_EQ(error("float", "Any"),
            "ValueError: type t.Thing, field \"a\": it is int in the file and float in the schema \"mine\"");
  EXPECT_EQ(error("Any", "Any"),
            "ValueError: type t.Thing, field \"a\": it is int in the file and Any in the schema \"mine\"");
  EXPECT_EQ(error("int", "int"),
            "ValueError: type t.Thing, field \"b\": it is ffi.String in the file and int in the schema \"mine\"");
  EXPECT_EQ(error("int", "ffi.Bytes"),
            "ValueError: node 2 (t.Thing): field \"b\" of type ffi.Bytes holds node 0, which is ffi.String");
  EXPECT_EQ(ErrorOf([&] { LoadTSM(Thing(), WithSchema(R"("t.Thing":{"data":"custom"})")); }),
            "ValueError: type t.Thing has fields in the file, and data of its own form in the schema \"mine\"");
  EXPECT_NE(ErrorOf([&] {
              LoadTSM(Thing(), WithSchema(R"("t.Other":{"fields":[]})"));
            }).find("the schema \"mine\" does not describe type \"t.Thing\""),
            std::string::npos);
}

TEST(TsmOptions, CustomDataOfAnotherForm) {
  const std::string file = SaveTSM(LoadTSM(StoreFile()).value.cast<Array<Any>>()[15]);
  EXPECT_EQ(ErrorOf([&] { LoadTSM(file, WithSchema(R"("store.Op":{"fields":[]})")); }),
            "ValueError: node 0 (store.Op): the data of the type has its own form in the file, and fields in the "
            "schema \"mine\"");
  EXPECT_EQ(ErrorOf([&] { LoadTSM(file, WithSchema(R"("store.Opus":{"fields":[]})")); }).substr(0, 80),
            "SchemaError: node 0 (store.Op): the schema \"mine\" does not describe type \"store.");
  LoadOptions registered;
  registered.types = LoadTypes::kRegisteredOnly;
  EXPECT_EQ(ErrorOf([&] { LoadTSM(file, registered); }).substr(0, 52),
            "SchemaError: node 0 (store.Op): the file's own schem");
}

// One schema stands for all descriptions in the file.
TEST(TsmOptions, ASchemaForTwoVersions) {
  const auto thing = [](const std::string& fields, const std::string& data) {
    return LoadJSON(
               R"({"schema":{"transom_schema":1,"name":"t","types":{"t.Thing":{"fields":[{"name":"a","type":"int"})" +
               fields + R"(]}}},"root_index":0,"nodes":[{"type":"t.Thing","data":{"a":1)" + data + "}}]}")
        .value;
  };
  const std::string file = SaveTSM(Array<Any>{thing("", ""), thing(R"(,{"name":"b","type":"int"})", ",\"b\":2")});
  EXPECT_EQ(LoadTSM(file).schemas.size(), 2u);
  const LoadResult result = LoadTSM(
      file, WithSchema(R"("t.Thing":{"fields":[{"name":"a","type":"int"},{"name":"b","type":"int","default":9}]})"));
  const Array<Any> things = result.value.cast<Array<Any>>();
  EXPECT_EQ(Record(things[0]).Get("b").cast<int64_t>(), 9);
  EXPECT_EQ(Record(things[1]).Get("b").cast<int64_t>(), 2);
  EXPECT_NO_THROW(SaveJSON(result.value));
}

}  // namespace
}  // namespace transom
