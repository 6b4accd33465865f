// Registered types through .tsm files: fields of every kind, constructors and setters that fail, files that disagree
// with the library.
#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/bigint.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/optional.h>
#include <transom/reflection/registry.h>
#include <transom/schema/record.h>

#include <string>
#include <vector>

#include "formats/graph_text.h"
#include "formats/tsm_text.h"
#include "support/native_types.h"
#include "support/tsm_file.h"

namespace transom {
namespace {

namespace refl = reflection;
using testing::ErrorOf;
using testing::Graph;
using testing::TextOf;
using testing::TsmParts;
using tsm::Form;

// Counts its objects, and fails on request.
class CountedObj : public Object {
 public:
  CountedObj() { Start(); }
  CountedObj(const CountedObj& other) : Object(other), id(other.id), next(other.next) { Start(); }
  ~CountedObj() { --alive; }
  int64_t id = 0;
  Any next;
  static int64_t alive;
  static int64_t until_failure;  // objects that can still be made
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("native.tsm.Counted", CountedObj, Object);

 private:
  static void Start() {
    if (until_failure == 0) TRANSOM_THROW(RuntimeError) << "no more of these";
    --until_failure;
    ++alive;
  }
};
int64_t CountedObj::alive = 0;
int64_t CountedObj::until_failure = INT64_MAX;

Any Counted(int64_t id, Any next = nullptr) {
  auto obj = make_object<CountedObj>();
  obj->id = id;
  obj->next = std::move(next);
  return Any(std::move(obj));
}

class Strict : public ObjectRef {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Strict, ObjectRef, CountedObj);
};

// Not to be made without arguments.
class SealedObj : public Object {
 public:
  explicit SealedObj(int64_t i) : id(i) {}
  int64_t id;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("native.tsm.Sealed", SealedObj, Object);
};
class Sealed : public ObjectRef {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NULLABLE(Sealed, ObjectRef, SealedObj);
};

// Fields of every kind, some of which hold objects from the start.
class HolderObj : public Object {
 public:
  Array<int64_t> numbers{1, 2, 3};
  Array<double> floats;
  Array<Strict> stricts;
  List<Any> list{Any(1)};
  Map<String, Any> attrs{{"a default key", 1}};
  Map<String, int64_t> counts;
  Dict<Any, Any> dict;
  Optional<String> text;
  Optional<int64_t> number;
  Optional<Strict> maybe;
  String name = "a default name of some length";
  testing::Token token;
  Sealed sealed;
  int32_t narrow = -1;
  float single = 0.5f;
  Any any = Array<Any>{1};
  ObjectRef object;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("native.tsm.Holder", HolderObj, Object);
};

class SealedHolderObj : public Object {
 public:
  Sealed sealed;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("native.tsm.SealedHolder", SealedHolderObj, Object);
};

class StrictHolderObj : public Object {
 public:
  Strict strict{make_object<CountedObj>()};
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("native.tsm.StrictHolder", StrictHolderObj, Object);
};

TRANSOM_STATIC_INIT_BLOCK() {
  refl::ObjectDef<CountedObj>().def_ro("id", &CountedObj::id).def_ro("next", &CountedObj::next);
  refl::ObjectDef<SealedObj>().def_ro("id", &SealedObj::id);
  refl::ObjectDef<HolderObj>()
      .def_ro("numbers", &HolderObj::numbers)
      .def_ro("floats", &HolderObj::floats)
      .def_ro("stricts", &HolderObj::stricts)
      .def_ro("list", &HolderObj::list)
      .def_ro("attrs", &HolderObj::attrs)
      .def_ro("counts", &HolderObj::counts)
      .def_ro("dict", &HolderObj::dict)
      .def_ro("text", &HolderObj::text)
      .def_ro("number", &HolderObj::number)
      .def_ro("maybe", &HolderObj::maybe)
      .def_ro("name", &HolderObj::name)
      .def_ro("token", &HolderObj::token)
      .def_ro("sealed", &HolderObj::sealed)
      .def_ro("narrow", &HolderObj::narrow)
      .def_ro("single", &HolderObj::single)
      .def_ro("any", &HolderObj::any)
      .def_ro("object", &HolderObj::object);
  refl::ObjectDef<SealedHolderObj>().def_ro("sealed", &SealedHolderObj::sealed);
  refl::ObjectDef<StrictHolderObj>().def_ro("strict", &StrictHolderObj::strict);
}

// No object outlives a test.
class TsmNative : public ::testing::Test {
 protected:
  void SetUp() override { before_ = CountedObj::alive; }
  void TearDown() override {
    CountedObj::until_failure = INT64_MAX;
    EXPECT_EQ(CountedObj::alive, before_);
  }

 private:
  int64_t before_ = 0;
};

ObjectPtr<HolderObj> FullHolder() {
  auto holder = make_object<HolderObj>();
  holder->numbers = Array<int64_t>{7, INT64_MIN};
  holder->floats = Array<double>{0.5, -0.0};
  holder->stricts = Array<Strict>{Counted(1).cast<Strict>(), Counted(2).cast<Strict>()};
  holder->list = List<Any>{"x", nullptr};
  holder->attrs = Map<String, Any>{{"k", Counted(3)}, {"none", nullptr}};
  holder->counts = Map<String, int64_t>{{"a", 1}};
  holder->dict = Dict<Any, Any>{{1, Counted(4)}};
  holder->text = String("an optional text of some length");
  holder->number = 5;
  holder->maybe = Counted(5).cast<Strict>();
  holder->name = "short";
  holder->token = testing::MakeToken(3).cast<testing::Token>();
  holder->narrow = INT32_MIN;
  holder->single = 0.1f;
  holder->any = Counted(6);
  holder->object = Counted(7).cast<ObjectRef>();
  return holder;
}

TEST_F(TsmNative, FieldsOfEveryKind) {
  auto empty = make_object<HolderObj>();
  empty->list = List<Any>();
  empty->attrs = Map<String, Any>();
  empty->numbers = Array<int64_t>();
  empty->any = nullptr;
  for (const Any& value : {Any(FullHolder()), Any(empty), Any(make_object<HolderObj>()),
                           Any(Array<Any>{FullHolder(), empty, make_object<HolderObj>()})}) {
    testing::ExpectRoundTrip(value);
    EXPECT_TRUE(LoadTSM(SaveTSM(value)).record_types.empty());
  }
  const Any again = LoadTSM(SaveTSM(Any(FullHolder()))).value;
  const auto* holder = again.as<HolderObj>();
  ASSERT_NE(holder, nullptr);
  EXPECT_EQ(holder->numbers[1], INT64_MIN);
  EXPECT_EQ(holder->stricts[1]->id, 2);
  EXPECT_EQ(holder->narrow, INT32_MIN);
  EXPECT_EQ(holder->single, 0.1f);
  EXPECT_EQ(std::string(holder->name), "short");
}

TEST_F(TsmNative, ManyObjectsThatSharePartsOfADefault) {
  Array<Any> all;
  for (int64_t i = 0; i < 3000; ++i)
    all = std::move(all).push_back(i % 3 == 0 ? Any(FullHolder()) : Any(make_object<HolderObj>()));
  const std::string bytes = SaveTSM(all);
  const Any again = LoadTSM(bytes).value;
  EXPECT_TRUE(SaveTSM(again) == bytes);
}

TEST_F(TsmNative, SharedObjectsAreCountedRight) {
  const Any shared = Counted(1);
  const std::string bytes = SaveTSM(Array<Any>{shared, Counted(2, shared), shared, List<Any>{shared},
                                               Map<Any, Any>{{shared, shared}}, testing::Call("f", {shared}, shared)});
  Any again = LoadTSM(bytes).value;
  const Any kept = again.cast<Array<Any>>()[0];
  EXPECT_EQ(CountedObj::alive, 3);
  again = nullptr;
  EXPECT_EQ(CountedObj::alive, 2);
  EXPECT_EQ(kept.as<CountedObj>()->id, 1);
}

// ---- Values that a registered field does not take

// A graph of registered types as JSON, whatever their fields say of None, as the bytes of a file.
std::string FileOf(const std::string& nodes, int root) {
  return SaveTSM(LoadJSON(Graph(nodes, root), testing::RecordsAlways()).value);
}

TEST_F(TsmNative, NoneWhereAReferenceMustBe) {
  const std::string file = FileOf(R"({"type":"None"},{"type":"native.tsm.StrictHolder","data":{"strict":0}})", 1);
  EXPECT_EQ(ErrorOf([&] { LoadTSM(file); }).substr(0, 66),
            "ValueError: node 1 (native.tsm.StrictHolder): field \"strict\": Cann");
  EXPECT_EQ(TextOf(LoadTSM(file, testing::RecordsAlways()).value),
            Graph(R"({"type":"None"},{"type":"native.tsm.StrictHolder","data":{"strict":0}})", 1));
}

TEST_F(TsmNative, ValuesThatFitTheDeclaredTypeButNotTheField) {
  const std::string holder = SaveTSM(Any(FullHolder()));
  const auto with = [&](const std::function<void(TsmParts&)>& change) {
    TsmParts parts = TsmParts::Of(holder);
    change(parts);
    const std::string file = parts.ToFile();
    return ErrorOf([&] { LoadTSM(file); });
  };
  EXPECT_EQ(with([](TsmParts&) {}), "no error");
  // Beyond 32 bits.
  const auto field = [](TsmParts& parts, size_t i) -> tsm::ColumnT& {
    for (auto& group : parts.graph.groups) {
      if (group->form == Form::Object && group->columns.size() == 17) return *group->columns[i];
    }
    throw std::runtime_error("no holder");
  };
  const std::string narrow =
      "(native.tsm.Holder): the object cannot be made: field \"narrow\" of 4 bytes cannot hold 1099511627776";
  EXPECT_NE(with([&](TsmParts& p) { field(p, 13).i64 = {int64_t{1} << 40}; }).find(narrow), std::string::npos);
}

TEST_F(TsmNative, NoneInsideAContainerOfReferences) {
  Any value = testing::AsRecords(Any(FullHolder()));
  TsmParts parts = TsmParts::Of(SaveTSM(value));
  // The first element of "stricts" becomes None; its object is still named by "object".
  const tsm::GroupT* holder = nullptr;
  for (auto& group : parts.graph.groups) {
    if (group->form == Form::Object && group->columns.size() == 17) holder = group.get();
  }
  ASSERT_NE(holder, nullptr);
  const uint32_t stricts = holder->columns[2]->u32[0];
  uint32_t none = 0, row = 0;
  for (uint32_t i = 0; i < parts.graph.node_groups8.size(); ++i) {
    if (parts.graph.groups[parts.graph.node_groups8[i]]->form == Form::None) none = i;
    if (i < stricts && parts.graph.node_groups8[i] == parts.graph.node_groups8[stricts]) ++row;
  }
  tsm::ColumnT& arrays = *parts.Group(Form::Array).columns[0];
  uint32_t& element = arrays.u32[row == 0 ? 0 : arrays.ends[row - 1]];
  const uint32_t object = element;
  ASSERT_LT(none, stricts);
  element = none;
  const_cast<tsm::GroupT*>(holder)->columns[16]->u32 = {object};
  // What "object" named is lost else.
  const std::string file = parts.ToFile();
  const std::string error = ErrorOf([&] { LoadTSM(file); });
  EXPECT_EQ(error.rfind("ValueError: node ", 0), 0u) << error;
}

// ---- Failures in the middle

TEST_F(TsmNative, AConstructorThatFails) {
  Array<Any> all;
  for (int64_t i = 0; i < 1000; ++i) all = std::move(all).push_back(Counted(i, i == 0 ? Any() : all[i - 1]));
  const std::string file = SaveTSM(all);
  all = Array<Any>();
  for (const int64_t made : {0, 1, 2, 500, 999}) {
    CountedObj::until_failure = made;
    const std::string error = ErrorOf([&] { LoadTSM(file); });
    EXPECT_EQ(error.substr(0, 17), "ValueError: node ") << error;
    EXPECT_NE(error.find("(native.tsm.Counted): the object cannot be made: no more of these"), std::string::npos)
        << error;
    EXPECT_EQ(CountedObj::alive, 0);
  }
  CountedObj::until_failure = 1001;  // one may stand for the others
  EXPECT_EQ(ErrorOf([&] { LoadTSM(file); }), "no error");
}

// What was made before a node that fails goes away, whatever holds it.
Any HoldersOfCounted(Any last) {
  const Any shared = Counted(1);
  auto defaults = make_object<testing::DefaultsObj>();
  defaults->items = Array<Any>{shared, Counted(2)};
  const Any record =
      LoadJSON(
          R"({"schema":{"transom_schema":1,"name":"t","types":{"t.R":{"fields":[{"name":"a","type":"Any"},{"name":"b","type":"int"}]}}},
      "root_index":1,"nodes":[{"type":"None"},{"type":"t.R","data":{"a":0,"b":1}}]})")
          .value;
  const_cast<RecordObj*>(AsRecord(*record.raw(), RecordObj::RuntimeTypeIndex()))->Init(0, shared);
  return Array<Any>{Array<Any>{shared, Counted(3)},
                    List<Any>{shared, shared},
                    Map<Any, Any>{{shared, Counted(4)}},
                    Dict<Any, Any>{{"k", shared}},
                    testing::Call("f", {shared}, shared),
                    Any(FullHolder()),
                    defaults,
                    record,
                    testing::Op("add"),
                    std::move(last)};
}

void ExpectNothingLeft(const Any& last, const std::function<void(TsmParts&)>& damage, const std::string& message) {
  for (const bool natives : {true, false}) {
    std::string file;
    {
      // Without the record all types of the file are native.
      Array<Any> all = HoldersOfCounted(last).cast<Array<Any>>();
      if (natives) all = std::move(all).erase(7);
      TsmParts parts = TsmParts::Of(SaveTSM(all));
      damage(parts);
      file = parts.ToFile();
    }
    const int64_t before = CountedObj::alive;
    const std::string error = ErrorOf([&] { LoadTSM(file); });
    EXPECT_NE(error.find(message), std::string::npos) << error;
    EXPECT_EQ(ErrorOf([&] { LoadTSM(file, testing::RecordsAlways()); }).substr(0, 12), "ValueError: ");
    EXPECT_EQ(CountedObj::alive, before) << message;
  }
}

TEST_F(TsmNative, NothingIsLeftAfterANodeThatFails) {
  ExpectNothingLeft(
      Array<Any>{Counted(8), BigInt::FromDecimal("-9223372036854775809")},
      [](TsmParts& p) {
        p.Group(Form::BigInt).columns[0]->i64 = {5, 0};
      },
      "an integer of 2 words that fits in fewer");
  ExpectNothingLeft(
      Array<Any>{Counted(8), testing::Op("last")},
      [](TsmParts& p) { p.Group(Form::Custom).columns[0]->u8.back() = '['; }, "malformed JSON");
}

TEST_F(TsmNative, AMapWithAKeyTwiceLeavesNothing) {
  std::string file;
  {
    TsmParts parts = TsmParts::Of(SaveTSM(Array<Any>{1, 2, Counted(1), Map<Any, Any>{{1, Counted(2)}, {2, Counted(3)}},
                                                     Dict<Any, Any>{{1, Counted(4)}}}));
    parts.Group(Form::Map).columns[0]->u32[2] = parts.Group(Form::Map).columns[0]->u32[0];
    file = parts.ToFile();
  }
  for (const LoadOptions& options : {LoadOptions(), testing::RecordsAlways()}) {
    EXPECT_NE(ErrorOf([&] { LoadTSM(file, options); }).find("(ffi.Map): a key is there twice"), std::string::npos);
    EXPECT_EQ(CountedObj::alive, 0);
  }
}

// ---- Files that disagree with the library

TEST_F(TsmNative, RecordsInsideNatives) {
  const Any record =
      LoadJSON(R"({"schema":{"transom_schema":1,"name":"t","types":{"t.R":{"fields":[{"name":"a","type":"int"}]}}},
      "root_index":0,"nodes":[{"type":"t.R","data":{"a":1}}]})")
          .value;
  const Any value = testing::Call("f", {record, Counted(1, record)}, record);
  const LoadResult result = LoadTSM(SaveTSM(value));
  EXPECT_EQ(result.value.type_index(), value.type_index());
  EXPECT_EQ(result.record_types, std::vector<std::string>{"t.R"});
  EXPECT_EQ(TextOf(result.value), TextOf(value));
}

TEST_F(TsmNative, AFieldThatCannotHoldARecordMakesItsHolderARecord) {
  const std::string text =
      R"({"schema":{"transom_schema":1,"name":"e","types":{)"
      R"("native.Box":{"structural":"tree","fields":[{"name":"token","type":"native.Special"},{"name":"size","type":"int"}]},)"
      R"("native.Special":{"structural":"tree","fields":[{"name":"id","type":"int"}]}}},)"
      R"("root_index":2,"nodes":[{"type":"native.Special","data":{"id":4}},{"type":"native.Box","data":{"token":0,"size":1}},)"
      R"({"type":"ffi.Array","data":[1]}]})";
  const LoadResult result = LoadTSM(SaveTSM(LoadJSON(text).value));
  EXPECT_EQ(result.record_types, (std::vector<std::string>{"native.Box", "native.Special"}));
}

// The holder is native or a record; its field never holds what it is not made for.
void ExpectSound(const std::string& file) {
  Any value;
  if (ErrorOf([&] { value = LoadTSM(file).value; }) != "no error") return;
  for (const Any& item : value.cast<Array<Any>>()) {
    if (const auto* box = item.as<testing::BoxObj>()) {
      EXPECT_TRUE(box->token == nullptr || Any(box->token).type_index() == testing::TokenObj::RuntimeTypeIndex());
    }
    if (const auto* holder = item.as<SealedHolderObj>()) {
      EXPECT_TRUE(holder->sealed == nullptr || Any(holder->sealed).type_index() == SealedObj::RuntimeTypeIndex());
    }
  }
}

Any BoxOf(Any token) {
  auto box = make_object<testing::BoxObj>();
  box->token = token.cast<testing::Token>();
  return Any(std::move(box));
}

tsm::GroupT& GroupOf(TsmParts& parts, const std::string& key, uint32_t* type) {
  std::vector<std::string> keys;
  parts.EditSchema(0, [&](tsm::SchemaT& schema) {
    for (auto& t : schema.types) keys.push_back(t->key);
  });
  for (auto& group : parts.graph.groups) {
    if (group->form < Form::Object || keys[group->type] != key) continue;
    *type = group->type;
    return *group;
  }
  throw std::runtime_error("no group of " + key);
}

TEST_F(TsmNative, ATypeThatTheFileGivesDataOfItsOwnForm) {
  TsmParts parts = TsmParts::Of(SaveTSM(Array<Any>{BoxOf(testing::MakeToken(5))}));
  uint32_t type = 0;
  tsm::GroupT& group = GroupOf(parts, "native.Token", &type);
  group.form = Form::Custom;
  group.columns.clear();
  for (int i = 0; i < 2; ++i) group.columns.push_back(std::make_unique<tsm::ColumnT>());
  group.columns[0]->u8 = {'1'};
  group.columns[0]->ends = {1};
  group.columns[1]->u32 = {0};
  parts.EditSchema(0, [&](tsm::SchemaT& schema) {
    schema.types[type]->fields.clear();
    schema.types[type]->custom_data = true;
  });
  ExpectSound(parts.ToFile());
}

// The number of the first node of a type.
uint32_t NodeOf(TsmParts& parts, const std::string& key) {
  uint32_t unused = 0;
  const tsm::GroupT* wanted = &GroupOf(parts, key, &unused);
  for (uint32_t i = 0; i < parts.graph.node_groups8.size(); ++i) {
    if (parts.graph.groups[parts.graph.node_groups8[i]].get() == wanted) return i;
  }
  throw std::runtime_error("no node of " + key);
}

TEST_F(TsmNative, ATypeThatTheFileGivesAnotherParent) {
  std::string file;
  {
    TsmParts parts = TsmParts::Of(SaveTSM(Array<Any>{Counted(1), BoxOf(testing::MakeToken(5))}));
    uint32_t type = 0, unused = 0;
    GroupOf(parts, "native.tsm.Counted", &type);
    parts.EditSchema(0, [&](tsm::SchemaT& schema) {
      ASSERT_EQ(schema.types[type]->fields[0]->name, "id");  // a field of the token too
      schema.types[type]->fields.erase(schema.types[type]->fields.begin());
      schema.types[type]->parent = "native.Token";
    });
    GroupOf(parts, "native.Box", &unused).columns[0]->u32 = {NodeOf(parts, "native.tsm.Counted")};
    parts.Group(Form::Array).columns[0]->u32 = {NodeOf(parts, "native.Box"), NodeOf(parts, "native.Token")};
    file = parts.ToFile();
  }
  ExpectSound(file);
  EXPECT_EQ(ErrorOf([&] { LoadTSM(file, testing::RecordsAlways()); }), "no error") << "a good file of records";
}

TEST_F(TsmNative, ATypeThatCannotBeMade) {
  auto holder = make_object<SealedHolderObj>();
  holder->sealed = Sealed(make_object<SealedObj>(5));
  const Array<Any> value{holder, Any(make_object<SealedObj>(6))};
  const std::string file = SaveTSM(value);
  ExpectSound(file);
  const LoadResult result = LoadTSM(file);
  EXPECT_EQ(result.record_types, (std::vector<std::string>{"native.tsm.Sealed", "native.tsm.SealedHolder"}));
  EXPECT_EQ(TextOf(result.value), TextOf(value));
}

// A file of native.Call whose schema has these fields; the object has the data.
std::string CallWith(const std::string& fields, const std::string& data) {
  return R"({"schema":{"transom_schema":1,"name":"v","types":{"native.Call":{"structural":"tree","fields":[{"name":"op","type":"ffi.String"},{"name":"args","type":"ffi.Array<Any>"})" +
         fields +
         R"(]}}},"root_index":3,"nodes":[{"type":"ffi.String","data":"f"},{"type":"ffi.Array","data":[]},{"type":"native.Call","data":{"op":0,"args":1)" +
         data + R"(}},{"type":"ffi.Array","data":[2]}]})";
}

TEST_F(TsmNative, FieldsThatTheLibraryDoesNotHave) {
  const std::string json = CallWith(
      R"(,{"name":"span","type":"Any","ignore":true},{"name":"more","type":"Any"},{"name":"size","type":"int"})",
      R"(,"span":0,"more":1,"size":5)");
  const std::string tsm = SaveTSM(LoadJSON(json, testing::RecordsAlways()).value);
  const std::string wanted =
      "node 2 (native.Call): the object cannot be made: the registered type native.Call has no field \"more\", which "
      "the file's type has; load records (--records), or drop such fields (--drop-unknown)";
  EXPECT_EQ(ErrorOf([&] { LoadTSM(tsm); }), "ValueError: " + wanted);
  EXPECT_NE(ErrorOf([&] { LoadJSON(json); }).find(wanted), std::string::npos);
  LoadOptions options;
  options.drop_unknown_fields = true;
  for (const LoadResult& result : {LoadTSM(tsm, options), LoadJSON(json, options)}) {
    EXPECT_EQ(result.dropped_fields, (std::vector<std::string>{"native.Call.more", "native.Call.size"}));
    const auto* call = result.value.cast<Array<Any>>()[0].as<testing::CallObj>();
    ASSERT_NE(call, nullptr);
    EXPECT_EQ(call->span.cast<std::string>(), "f");
  }
}

TEST_F(TsmNative, FieldsThatTheFileDoesNotHave) {
  const std::string json = CallWith("", "");
  const std::string tsm = SaveTSM(LoadJSON(json, testing::RecordsAlways()).value);
  for (const LoadResult& result : {LoadTSM(tsm), LoadJSON(json)}) {
    const auto* call = result.value.cast<Array<Any>>()[0].as<testing::CallObj>();
    ASSERT_NE(call, nullptr);
    EXPECT_EQ(call->span, nullptr);
  }
  const std::string without_id =
      R"({"schema":{"transom_schema":1,"name":"v","types":{"native.Token":{"structural":"unique","fields":[]}}},"root_index":0,"nodes":[{"type":"native.Token","data":{}}]})";
  const std::string wanted =
      "node 0 (native.Token): the object cannot be made: the registered type native.Token has a field \"id\" without a "
      "default, which the file does not know";
  EXPECT_NE(ErrorOf([&] { LoadJSON(without_id); }).find(wanted), std::string::npos);
  EXPECT_EQ(ErrorOf([&] { LoadTSM(SaveTSM(LoadJSON(without_id, testing::RecordsAlways()).value)); }),
            "ValueError: " + wanted);
}

// The schema of the library reads a file of an older one; each object gets a default of its own.
TEST_F(TsmNative, DefaultsFromFactories) {
  const std::string json =
      R"({"schema":{"transom_schema":1,"name":"old","types":{"native.Defaults":{"structural":"tree","fields":[{"name":"count","type":"int"}]}}},
      "root_index":2,"nodes":[{"type":"native.Defaults","data":{"count":1}},{"type":"native.Defaults","data":{"count":2}},{"type":"ffi.Array","data":[0,1]}]})";
  LoadOptions options;
  const std::string file = SaveTSM(LoadJSON(json, testing::RecordsAlways()).value);
  for (const bool given : {false, true}) {
    if (given) options.schema = schema::Schema::FromRegistry("registered types", {"native.Defaults"});
    const Any value = LoadTSM(file, options).value;
    const Array<Any> items = value.cast<Array<Any>>();
    const auto* a = items[0].as<testing::DefaultsObj>();
    const auto* b = items[1].as<testing::DefaultsObj>();
    ASSERT_NE(b, nullptr);
    EXPECT_EQ(b->count, 2);
    EXPECT_EQ(b->items.size(), 2u);
    EXPECT_EQ(b->made.size(), 1u);
    EXPECT_NE(Any(a->made).raw()->v_obj, Any(b->made).raw()->v_obj);
  }
}

TEST_F(TsmNative, WhatDroppedFieldsHeldGoesAway) {
  std::string file;
  {
    const Any record =
        LoadJSON(
            R"({"schema":{"transom_schema":1,"name":"t","types":{"t.R":{"fields":[{"name":"a","type":"Any"},{"name":"b","type":"Any"},{"name":"c","type":"int"}]}}},
        "root_index":1,"nodes":[{"type":"None"},{"type":"t.R","data":{"a":0,"b":0,"c":1}}]})")
            .value;
    auto* r = const_cast<RecordObj*>(AsRecord(*record.raw(), RecordObj::RuntimeTypeIndex()));
    const Any shared = Counted(1);
    r->Init(0, shared);
    r->Init(1, Array<Any>{shared, Counted(2)});
    file = SaveTSM(Array<Any>{record, shared});
  }
  EXPECT_EQ(CountedObj::alive, 0);
  LoadOptions options;
  options.drop_unknown_fields = true;
  options.schema =
      schema::Schema::Parse(R"({"transom_schema":1,"name":"t","types":{"t.R":{"fields":[{"name":"a","type":"Any"}]},
      "native.tsm.Counted":{"fields":[{"name":"id","type":"int"},{"name":"next","type":"Any"}]}}})",
                            "t");
  LoadResult result = LoadTSM(file, options);
  EXPECT_EQ(result.dropped_fields, (std::vector<std::string>{"t.R.b", "t.R.c"}));
  EXPECT_EQ(CountedObj::alive, 1);
  result.value = nullptr;
  EXPECT_EQ(CountedObj::alive, 0);
}

}  // namespace
}  // namespace transom
