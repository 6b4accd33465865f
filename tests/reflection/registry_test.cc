#include <gtest/gtest.h>
#include <transom/reflection/field_access.h>
#include <transom/reflection/registry.h>

#include <string>
#include <utility>
#include <vector>

#include "support/error_of.h"

namespace ffi = transom;
namespace refl = transom::reflection;

namespace {

using ffi::testing::ErrorOf;

class PersonObj : public ffi::Object {
 public:
  ffi::String name;
  int32_t age = 0;
  ffi::ObjectRef tag;
  bool flag = false;
  float weight = 0;
  uint8_t small = 0;
  void* pointer = nullptr;
  ffi::Device device;
  ffi::Any extra;
  ffi::Bytes bytes;
  ffi::Function function;
  ffi::TypedFunction<int(int)> typed;
  ffi::ObjectPtr<PersonObj> parent;

  PersonObj() = default;
  PersonObj(ffi::String name_text, int64_t years) : name(std::move(name_text)), age(static_cast<int32_t>(years)) {}
  int64_t AgePlus(int64_t years) const { return age + years; }
  void Rename(const ffi::String& new_name) { name = new_name; }

  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindDAGNode;
  TRANSOM_DECLARE_OBJECT_INFO("test.registry.Person", PersonObj, ffi::Object);
};
class PilotObj : public PersonObj {
 public:
  int64_t hours = 0;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.registry.Pilot", PilotObj, PersonObj);
};

// Holds a reference that is never NULL, so it has no default constructor.
class Name : public ffi::ObjectRef {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Name, ffi::ObjectRef, PersonObj);
};
class BadgeObj : public ffi::Object {
 public:
  explicit BadgeObj(Name person) : owner(std::move(person)) {}
  Name owner;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.registry.Badge", BadgeObj, ffi::Object);
};

// Front ends get objects of it from functions only.
class SealedObj : public ffi::Object {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.registry.Sealed", SealedObj, ffi::Object);
};

TRANSOM_STATIC_INIT_BLOCK() {
  refl::ObjectDef<SealedObj>().no_init();
  refl::ObjectDef<PersonObj>("A person.")
      .def_rw("name", &PersonObj::name, "What to call them.")
      .def_ro("age", &PersonObj::age, refl::DefaultValue(18), refl::KwOnly())
      .def_ro("tag", &PersonObj::tag, refl::SEqHashIgnore())
      .def_ro("flag", &PersonObj::flag, refl::SEqHashDefRecursive())
      .def_ro("weight", &PersonObj::weight, refl::SEqHashDefNonRecursive())
      .def_ro("small", &PersonObj::small, refl::ReprOff(), refl::CompareOff(), refl::HashOff(), refl::InitOff())
      .def_ro("pointer", &PersonObj::pointer)
      .def_ro("device", &PersonObj::device)
      .def_ro("extra", &PersonObj::extra, refl::DefaultFactory([] { return ffi::String("made"); }))
      .def_ro("bytes", &PersonObj::bytes)
      .def_ro("function", &PersonObj::function)
      .def_ro("typed", &PersonObj::typed)
      .def_ro("parent", &PersonObj::parent)
      .def(refl::init<ffi::String, int64_t>())
      .def("age_plus", &PersonObj::AgePlus, "Age after some years.")
      .def("rename", &PersonObj::Rename)
      .def("first_letter", [](const PersonObj* self) { return ffi::String(self->name.data(), 1); })
      .def_static("nobody", [] { return ffi::make_object<PersonObj>(); });
  refl::ObjectDef<PilotObj>().def_ro("hours", &PilotObj::hours);
  refl::ObjectDef<BadgeObj>().def_ro("owner", &BadgeObj::owner);
  refl::GlobalDef()
      .def(
          "test.registry.twice", [](int64_t x) { return 2 * x; }, "Doubles.")
      .def_packed("test.registry.count", [](ffi::PackedArgs args, ffi::Any* result) { *result = args.size(); })
      .def_method("test.registry.age_plus", &PersonObj::AgePlus);
}

const TVMFFITypeInfo* InfoOf(int32_t type_index) { return TVMFFIGetTypeInfo(type_index); }
std::string Str(const TVMFFIByteArray& bytes) {
  return std::string(bytes.data == nullptr ? "" : bytes.data, bytes.size);
}

const TVMFFIFieldInfo& FieldOf(const char* name) {
  return *refl::FindField(InfoOf(PersonObj::RuntimeTypeIndex()), name);
}
const TVMFFIMethodInfo* MethodOf(const TVMFFITypeInfo* info, const std::string& name) {
  for (int32_t i = 0; i < info->num_methods; ++i) {
    if (Str(info->methods[i].name) == name) return &info->methods[i];
  }
  return nullptr;
}
ffi::Function FunctionOf(const TVMFFIMethodInfo* method) {
  return ffi::AnyView::FromRaw(method->method).cast<ffi::Function>();
}
const TVMFFIAny* AttrOf(const char* name, int32_t type_index) {
  TVMFFIByteArray text{name, std::string(name).size()};
  const TVMFFITypeAttrColumn* column = TVMFFIGetTypeAttrColumn(&text);
  return column == nullptr || type_index >= column->size ? nullptr : &column->data[type_index];
}
TEST(ObjectDef, StaticTypesAndPlacesOfFields) {
  struct Expected {
    const char* name;
    int32_t index;
    int64_t size;
    std::string schema;
  };
  const Expected kExpected[] = {
      {"name", kTVMFFIAny, 16, R"({"type":"ffi.String"})"},
      {"age", kTVMFFIInt, 4, R"({"type":"int"})"},
      {"tag", kTVMFFIObject, 8, R"({"type":"ffi.Object"})"},
      {"flag", kTVMFFIBool, 1, R"({"type":"bool"})"},
      {"weight", kTVMFFIFloat, 4, R"({"type":"float"})"},
      {"small", kTVMFFIInt, 1, R"({"type":"int"})"},
      {"pointer", kTVMFFIOpaquePtr, 8, R"({"type":"void*"})"},
      {"device", kTVMFFIDevice, 8, R"({"type":"Device"})"},
      {"extra", kTVMFFIAny, 16, R"({"type":"Any"})"},
      {"bytes", kTVMFFIAny, 16, R"({"type":"ffi.Bytes"})"},
      {"function", kTVMFFIObject, 8, R"({"type":"ffi.Function"})"},
      {"typed", kTVMFFIFunction, 8, R"({"type":"ffi.Function","args":[{"type":"int"},{"type":"int"}]})"},
      {"parent", kTVMFFIObject, 8, R"({"type":"test.registry.Person"})"},
  };
  auto person = ffi::make_object<PersonObj>();
  for (const Expected& expected : kExpected) {
    const TVMFFIFieldInfo& field = FieldOf(expected.name);
    EXPECT_EQ(field.field_static_type_index, expected.index) << expected.name;
    EXPECT_EQ(field.size, expected.size) << expected.name;
    std::string escaped;
    for (char c : expected.schema) escaped += c == '"' ? std::string("\\\"") : std::string(1, c);
    EXPECT_EQ(Str(field.metadata), "{\"type_schema\":\"" + escaped + "\"}");
  }
  EXPECT_EQ(refl::FieldAddress(person.get(), &FieldOf("age")), &person->age);
  EXPECT_EQ(refl::FieldAddress(person.get(), &FieldOf("parent")), &person->parent);
  EXPECT_EQ(FieldOf("device").alignment, 4);
}

TEST(ObjectDef, FlagsDocsAndDefaults) {
  EXPECT_EQ(FieldOf("name").flags, kTVMFFIFieldFlagBitMaskWritable);
  EXPECT_EQ(Str(FieldOf("name").doc), "What to call them.");
  EXPECT_EQ(FieldOf("age").flags, kTVMFFIFieldFlagBitMaskHasDefault | kTVMFFIFieldFlagBitMaskKwOnly);
  EXPECT_EQ(FieldOf("age").default_value_or_factory.v_int64, 18);
  EXPECT_EQ(FieldOf("tag").flags, kTVMFFIFieldFlagBitMaskSEqHashIgnore);
  EXPECT_EQ(FieldOf("flag").flags, kTVMFFIFieldFlagBitMaskSEqHashDefRecursive);
  EXPECT_EQ(FieldOf("weight").flags, kTVMFFIFieldFlagBitMaskSEqHashDefNonRecursive);
  EXPECT_EQ(FieldOf("small").flags, kTVMFFIFieldFlagBitMaskReprOff | kTVMFFIFieldFlagBitMaskCompareOff |
                                        kTVMFFIFieldFlagBitMaskHashOff | kTVMFFIFieldFlagBitMaskInitOff);
  EXPECT_EQ(FieldOf("extra").flags, kTVMFFIFieldFlagBitMaskHasDefault | kTVMFFIFieldFlagBitMaskDefaultFromFactory);
  ffi::Function factory = ffi::AnyView::FromRaw(FieldOf("extra").default_value_or_factory).cast<ffi::Function>();
  EXPECT_EQ(factory().cast<ffi::String>(), "made");
}

TEST(ObjectDef, MetadataOfTheType) {
  const TVMFFITypeMetadata* metadata = InfoOf(PersonObj::RuntimeTypeIndex())->metadata;
  EXPECT_EQ(Str(metadata->doc), "A person.");
  EXPECT_EQ(metadata->total_size, static_cast<int32_t>(sizeof(PersonObj)));
  EXPECT_EQ(metadata->structural_eq_hash_kind, kTVMFFISEqHashKindDAGNode);
  ASSERT_NE(metadata->creator, nullptr);
  TVMFFIObjectHandle handle = nullptr;
  ASSERT_EQ(metadata->creator(&handle), 0);
  auto person = ffi::detail::ObjectAccess::Adopt<PersonObj>(handle);
  EXPECT_TRUE(person.unique());
  EXPECT_EQ(person->type_index(), PersonObj::RuntimeTypeIndex());
  EXPECT_EQ(InfoOf(BadgeObj::RuntimeTypeIndex())->metadata->creator, nullptr);
}

TEST(ObjectDef, Methods) {
  const TVMFFITypeInfo* info = InfoOf(PersonObj::RuntimeTypeIndex());
  auto person = ffi::make_object<PersonObj>("Ada", 30);
  const TVMFFIMethodInfo* age_plus = MethodOf(info, "age_plus");
  ASSERT_NE(age_plus, nullptr);
  EXPECT_EQ(age_plus->flags, 0);
  EXPECT_EQ(Str(age_plus->doc), "Age after some years.");
  EXPECT_EQ(FunctionOf(age_plus)(person, 5).cast<int>(), 35);
  EXPECT_EQ(ErrorOf([&] { FunctionOf(age_plus)(person); }),
            "TypeError: Mismatched number of arguments when calling: `test.registry.Person.age_plus(0: "
            "test.registry.Person, 1: int) -> int`. Expected 2 but got 1 arguments");
  EXPECT_EQ(ErrorOf([&] { FunctionOf(age_plus)(nullptr, 1); }),
            "TypeError: Expected a `test.registry.Person` as self but got `None`");
  FunctionOf(MethodOf(info, "rename"))(person, "Grace");
  EXPECT_EQ(person->name, "Grace");
  EXPECT_EQ(FunctionOf(MethodOf(info, "first_letter"))(person).cast<ffi::String>(), "G");
  const TVMFFIMethodInfo* nobody = MethodOf(info, "nobody");
  EXPECT_EQ(nobody->flags, kTVMFFIFieldFlagBitMaskIsStaticMethod);
  EXPECT_TRUE(FunctionOf(nobody)().as<PersonObj>() != nullptr);
}

TEST(ObjectDef, ConstructorIsMethodAndAttribute) {
  int32_t person = PersonObj::RuntimeTypeIndex();
  const TVMFFIMethodInfo* method = MethodOf(InfoOf(person), "__ffi_init__");
  ASSERT_NE(method, nullptr);
  EXPECT_EQ(method->flags, kTVMFFIFieldFlagBitMaskIsStaticMethod);
  const TVMFFIAny* attr = AttrOf("__ffi_init__", person);
  ASSERT_NE(attr, nullptr);
  EXPECT_EQ(attr->v_obj, method->method.v_obj);
  ffi::Any made = FunctionOf(method)("Ada", 30);
  EXPECT_EQ(made.as<PersonObj>()->name, "Ada");
  EXPECT_EQ(made.as<PersonObj>()->age, 30);
}

TEST(ObjectDef, CopyAndNewAttributes) {
  int32_t index = PersonObj::RuntimeTypeIndex();
  auto person = ffi::make_object<PersonObj>("Ada", 30);
  ffi::Function copy = ffi::AnyView::FromRaw(*AttrOf("__ffi_shallow_copy__", index)).cast<ffi::Function>();
  ffi::Any copied = copy(person);
  ASSERT_NE(copied.as<PersonObj>(), nullptr);
  EXPECT_NE(copied.as<PersonObj>(), person.get());
  EXPECT_EQ(copied.as<PersonObj>()->name, "Ada");
  EXPECT_TRUE(person.unique());
  EXPECT_EQ(copied.as<PersonObj>()->use_count(), 1u);
  ffi::Function create = ffi::AnyView::FromRaw(*AttrOf("__ffi_new__", index)).cast<ffi::Function>();
  EXPECT_NE(create().as<PersonObj>(), nullptr);
  const TVMFFIAny* badge_new = AttrOf("__ffi_new__", BadgeObj::RuntimeTypeIndex());
  EXPECT_TRUE(badge_new == nullptr || badge_new->type_index == kTVMFFINone);
}

class TwiceObj : public ffi::Object {
 public:
  int64_t value = 0;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.registry.Twice", TwiceObj, ffi::Object);
};

TEST(BuiltinObjectDef, RegistrationErrors) {
  EXPECT_EQ(ErrorOf([] { refl::ObjectDef<PersonObj>(); }),
            "RuntimeError: Type `test.registry.Person` is registered already; register each type once");
  EXPECT_EQ(
      ErrorOf([] { refl::ObjectDef<TwiceObj>().def_ro("value", &TwiceObj::value).def_ro("value", &TwiceObj::value); }),
      "InternalError: Type `test.registry.Twice` has a field `value` already");
}

class BadDefaultObj : public ffi::Object {
 public:
  int64_t value = 0;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.registry.BadDefault", BadDefaultObj, ffi::Object);
};

TEST(ObjectDef, DefaultsMustFitTheField) {
  EXPECT_EQ(ErrorOf([] {
              refl::ObjectDef<BadDefaultObj>().def_ro("value", &BadDefaultObj::value, refl::DefaultValue("text"));
            }),
            "TypeError: Cannot convert from type `ffi.SmallStr` to `int`");
}

TEST(ObjectDef, InheritedKindAndFields) {
  const TVMFFITypeInfo* pilot = InfoOf(PilotObj::RuntimeTypeIndex());
  EXPECT_EQ(pilot->metadata->structural_eq_hash_kind, kTVMFFISEqHashKindDAGNode);
  EXPECT_EQ(pilot->num_fields, 1);
  EXPECT_EQ(pilot->fields[0].offset, static_cast<int64_t>(sizeof(PersonObj)));
}

TEST(TypeAttrDef, ValuesAndCallables) {
  refl::TypeAttrDef<PersonObj>().def("__test_value__", 7).def("__test_method__", &PersonObj::AgePlus);
  int32_t index = PersonObj::RuntimeTypeIndex();
  EXPECT_EQ(AttrOf("__test_value__", index)->v_int64, 7);
  ffi::Function method = ffi::AnyView::FromRaw(*AttrOf("__test_method__", index)).cast<ffi::Function>();
  EXPECT_EQ(method(ffi::make_object<PersonObj>("Ada", 30), 1).cast<int>(), 31);
}

TEST(BuiltinTypeAttrDef, AValueIsGivenOnce) {
  refl::TypeAttrDef<PersonObj>().def("__test_once__", 7);
  EXPECT_EQ(ErrorOf([] { refl::TypeAttrDef<PersonObj>().def("__test_once__", 8); }),
            "RuntimeError: Type `test.registry.Person` has a value of the attribute `__test_once__` already");
}

TEST(GlobalDef, Functions) {
  EXPECT_EQ(ffi::Function::GetGlobalRequired("test.registry.twice")(4).cast<int>(), 8);
  EXPECT_EQ(ffi::Function::GetGlobalRequired("test.registry.count")(1, 2, 3).cast<int>(), 3);
  EXPECT_EQ(
      ffi::Function::GetGlobalRequired("test.registry.age_plus")(ffi::make_object<PersonObj>("A", 1), 2).cast<int>(),
      3);
}

TEST(BuiltinGlobalDef, ANameIsGivenOnce) {
  EXPECT_EQ(
      ErrorOf([] { refl::GlobalDef().def("test.registry.twice", [] {}); }),
      "RuntimeError: Global function `test.registry.twice` is already registered; ask for override to replace it");
}

TEST(ObjectDef, ATypeMayHaveNoConstructor) {
  const TVMFFIAny* init = AttrOf("__ffi_init__", SealedObj::RuntimeTypeIndex());
  EXPECT_TRUE(init == nullptr || init->type_index == kTVMFFINone);
  EXPECT_NE(AttrOf("__ffi_new__", SealedObj::RuntimeTypeIndex())->type_index, kTVMFFINone);
}

TEST(GlobalDef, ReplacesOnRequest) {
  refl::GlobalDef().def("test.registry.replaced", [] { return 1; });
  refl::GlobalDef().set_override().def("test.registry.replaced", [] { return 2; });
  EXPECT_EQ(ffi::Function::GetGlobalRequired("test.registry.replaced")().cast<int>(), 2);
}

}  // namespace
