// Schemas of types that are registered in this process.
#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/map.h>
#include <transom/containers/optional.h>
#include <transom/reflection/registry.h>

#include <string>

#include "schema_support.h"

namespace transom {
namespace {

namespace refl = transom::reflection;

class SpanObj : public Object {
 public:
  int64_t line = 0;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindConstTreeNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("regtest.Span", SpanObj, Object);
};
class Span : public ObjectRef {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NULLABLE(Span, ObjectRef, SpanObj);
};

class BaseObj : public Object {
 public:
  Span span;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TRANSOM_DECLARE_OBJECT_INFO("regtest.Base", BaseObj, Object);
};
class Base : public ObjectRef {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NULLABLE(Base, ObjectRef, BaseObj);
};

class VarObj : public BaseObj {
 public:
  String name;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindFreeVar;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("regtest.Var", VarObj, BaseObj);
};
class Var : public Base {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NULLABLE(Var, Base, VarObj);
};

class LetObj : public BaseObj {
 public:
  Var var;
  Array<Var> params;
  Base body;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("regtest.Let", LetObj, BaseObj);
};

class DefaultsObj : public Object {
 public:
  int32_t narrow;
  bool flag;
  double number;
  DataType dtype;
  String text;
  Optional<int64_t> maybe;
  Any any;
  Array<int64_t> list;
  Base object;
  DLDevice device;
  int64_t made;
  Map<String, Any> attrs;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindDAGNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("regtest.Defaults", DefaultsObj, Object);
};

class HookObj : public Object {
 public:
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("regtest.Hook", HookObj, Object);
};

class OpObj : public Object {
 public:
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindUniqueInstance;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("regtest.Op", OpObj, Object);
};

TRANSOM_STATIC_INIT_BLOCK() {
  refl::ObjectDef<SpanObj>().def_ro("line", &SpanObj::line);
  refl::ObjectDef<BaseObj>().def_ro("span", &BaseObj::span, refl::SEqHashIgnore(), refl::DefaultValue(Span(nullptr)));
  refl::ObjectDef<VarObj>().def_ro("name", &VarObj::name);
  refl::ObjectDef<LetObj>()
      .def_ro("var", &LetObj::var, refl::SEqHashDefRecursive())
      .def_ro("params", &LetObj::params, refl::SEqHashDefNonRecursive())
      .def_ro("body", &LetObj::body);
  refl::ObjectDef<DefaultsObj>()
      .def_ro("narrow", &DefaultsObj::narrow, refl::DefaultValue(-1))
      .def_ro("flag", &DefaultsObj::flag, refl::DefaultValue(true))
      .def_ro("number", &DefaultsObj::number, refl::DefaultValue(2))
      .def_ro("dtype", &DefaultsObj::dtype, refl::DefaultValue(DataType::Float(32)))
      .def_ro("text", &DefaultsObj::text, refl::DefaultValue(String("a text of some length")))
      .def_ro("maybe", &DefaultsObj::maybe, refl::DefaultValue(Any()))
      .def_ro("any", &DefaultsObj::any, refl::DefaultValue(DataType::Int(8)))
      .def_ro("list", &DefaultsObj::list, refl::DefaultValue(Array<int64_t>{1}))
      .def_ro("object", &DefaultsObj::object)
      .def_ro("device", &DefaultsObj::device, refl::DefaultValue(DLDevice{kDLCPU, 0}))
      .def_ro("made", &DefaultsObj::made, refl::DefaultFactory([] { return int64_t{3}; }))
      .def_ro("attrs", &DefaultsObj::attrs);
  refl::ObjectDef<HookObj>();
  refl::TypeAttrDef<HookObj>().def("__s_equal__", Function::FromTyped([](Any, Any, Any) { return true; }));
  refl::ObjectDef<OpObj>();
  refl::TypeAttrDef<OpObj>().def("__data_to_json__", Function::FromTyped([](Any) { return String("op"); }));
}

using schema::ErrorOf;
using schema::Schema;
using schema::SchemaRef;

TEST(FromRegistry, DescribesATypeWithAllThatItNames) {
  SchemaRef schema = Schema::FromRegistry("live", {"regtest.Let"});
  EXPECT_EQ(schema->ToJSON(),
            R"({"transom_schema":1,"name":"live","types":{
"regtest.Base":{"structural":"tree","fields":[{"name":"span","type":"regtest.Span","ignore":true,"default":null}]},
"regtest.Let":{"parent":"regtest.Base","structural":"tree","fields":[{"name":"var","type":"regtest.Var","def":"recursive"},{"name":"params","type":"ffi.Array<regtest.Var>","def":"simple"},{"name":"body","type":"regtest.Base"}]},
"regtest.Span":{"structural":"const_tree","fields":[{"name":"line","type":"int"}]},
"regtest.Var":{"parent":"regtest.Base","structural":"free_var","fields":[{"name":"name","type":"ffi.String"}]}}})");
}

TEST(FromRegistry, WritesDefaultsWhereTheyCanBeWritten) {
  SchemaRef schema = Schema::FromRegistry("live", {"regtest.Defaults"});
  EXPECT_EQ(schema->Find("regtest.Defaults")->structural, schema::StructuralKind::kDag);
  std::string text = schema->ToJSON();
  std::string expected =
      R"({"name":"narrow","type":"int","default":-1},{"name":"flag","type":"bool","default":true},)"
      R"({"name":"number","type":"float","default":2.0},{"name":"dtype","type":"DataType","default":"float32"},)"
      R"({"name":"text","type":"ffi.String","default":"a text of some length"},)"
      R"({"name":"maybe","type":"Optional<int>","default":null},{"name":"any","type":"Any","has_default":true},)"
      R"({"name":"list","type":"ffi.Array<int>","has_default":true},{"name":"object","type":"regtest.Base"},)"
      R"({"name":"device","type":"Device","has_default":true},{"name":"made","type":"int","has_default":true},)"
      R"({"name":"attrs","type":"ffi.Map<ffi.String, Any>"}])";
  EXPECT_NE(text.find(expected), std::string::npos) << text;
}

TEST(FromRegistry, ItsTextReadsBack) {
  SchemaRef schema = Schema::FromRegistry("live", {"regtest.Let", "regtest.Defaults", "regtest.Hook", "regtest.Op"});
  SchemaRef again = Schema::Parse(schema->ToJSON(), "again");
  ASSERT_EQ(again->types().size(), schema->types().size());
  for (const auto& type : schema->types()) {
    const schema::TypeDescriptor* same = again->Find(type->key);
    ASSERT_NE(same, nullptr);
    EXPECT_EQ(same->digest[0], type->digest[0]) << type->key;
    EXPECT_EQ(same->digest[1], type->digest[1]) << type->key;
  }
}

TEST(FromRegistry, SeesHooks) {
  SchemaRef schema = Schema::FromRegistry("live", {"regtest.Hook", "regtest.Op"});
  EXPECT_TRUE(schema->Find("regtest.Hook")->hook);
  EXPECT_FALSE(schema->Find("regtest.Hook")->custom_data);
  EXPECT_FALSE(schema->Find("regtest.Op")->hook);
  EXPECT_TRUE(schema->Find("regtest.Op")->custom_data);
  EXPECT_EQ(schema->Find("regtest.Op")->structural, schema::StructuralKind::kUnique);
}

TEST(FromRegistry, WithoutKeysTakesEveryTypeWithMetadata) {
  SchemaRef schema = Schema::FromRegistry("live", {});
  for (const char* key : {"regtest.Span", "regtest.Let", "regtest.Op"}) {
    EXPECT_NE(schema->Find(key), nullptr) << key;
  }
  for (const char* key : {"ffi.Object", "ffi.Array", "int", "transom.Record"})
    EXPECT_EQ(schema->Find(key), nullptr) << key;
  EXPECT_EQ(Schema::Parse(schema->ToJSON(), "again")->types().size(), schema->types().size());
}

TEST(FromRegistry, UnknownKeyIsAnError) {
  EXPECT_EQ(ErrorOf([] {
              Schema::FromRegistry("live", {"regtest.Span", "regtest.Spam"});
            }),
            "KeyError: no type is registered as \"regtest.Spam\"; load the library that registers it");
}

TEST(FromRegistry, BuiltInKeysNeedNoDescription) {
  EXPECT_TRUE(Schema::FromRegistry("live", {"ffi.Array", "int", "ffi.Object"})->types().empty());
}

}  // namespace
}  // namespace transom
