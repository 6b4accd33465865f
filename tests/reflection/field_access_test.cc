#include <gtest/gtest.h>
#include <transom/reflection/field_access.h>
#include <transom/reflection/registry.h>

#include <string>
#include <vector>

namespace transom {
namespace reflection {
namespace {

class BaseObj : public Object {
 public:
  int64_t first = 1;
  String second = "two";
  TRANSOM_DECLARE_OBJECT_INFO("test.field_access.Base", BaseObj, Object);
};
class MiddleObj : public BaseObj {
 public:
  TRANSOM_DECLARE_OBJECT_INFO("test.field_access.Middle", MiddleObj, BaseObj);
};
class DerivedObj : public MiddleObj {
 public:
  ObjectRef third;
  uint64_t large = 0;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.field_access.Derived", DerivedObj, MiddleObj);
};

TRANSOM_STATIC_INIT_BLOCK() {
  ObjectDef<BaseObj>().def_ro("first", &BaseObj::first).def_rw("second", &BaseObj::second);
  ObjectDef<MiddleObj>();
  ObjectDef<DerivedObj>().def_ro("third", &DerivedObj::third).def_ro("large", &DerivedObj::large);
}

const TVMFFITypeInfo* Derived() { return TVMFFIGetTypeInfo(DerivedObj::RuntimeTypeIndex()); }

TEST(FieldAccess, AncestorsFieldsComeFirst) {
  std::vector<std::string> names;
  ForEachField(Derived(), [&](const TVMFFIFieldInfo* field) { names.emplace_back(field->name.data); });
  EXPECT_EQ(names, (std::vector<std::string>{"first", "second", "third", "large"}));
  names.clear();
  ForEachField(TVMFFIGetTypeInfo(kTVMFFIObject),
               [&](const TVMFFIFieldInfo* field) { names.emplace_back(field->name.data); });
  EXPECT_TRUE(names.empty());
}

TEST(FieldAccess, FindsInheritedFields) {
  EXPECT_EQ(FindField(Derived(), "second"), FindField(TVMFFIGetTypeInfo(BaseObj::RuntimeTypeIndex()), "second"));
  EXPECT_EQ(FindField(Derived(), "absent"), nullptr);
}

TEST(FieldAccess, GetsAndSets) {
  auto obj = make_object<DerivedObj>();
  EXPECT_EQ(GetField(obj.get(), FindField(Derived(), "first")).cast<int>(), 1);
  EXPECT_EQ(GetField(obj.get(), FindField(Derived(), "second")).cast<String>(), "two");
  EXPECT_EQ(GetField(obj.get(), FindField(Derived(), "third")).type_index(), kTVMFFINone);
  SetField(obj.get(), FindField(Derived(), "first"), true);
  EXPECT_EQ(obj->first, 1);
  SetField(obj.get(), FindField(Derived(), "second"), "a longer text than before");
  EXPECT_EQ(obj->second, "a longer text than before");
  auto other = make_object<BaseObj>();
  SetField(obj.get(), FindField(Derived(), "third"), other);
  EXPECT_EQ(other.use_count(), 2u);
  SetField(obj.get(), FindField(Derived(), "third"), nullptr);
  EXPECT_EQ(other.use_count(), 1u);
}

TEST(FieldAccess, ErrorsOfGettersAndSettersReachTheCaller) {
  auto obj = make_object<DerivedObj>();
  try {
    SetField(obj.get(), FindField(Derived(), "first"), "text");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "TypeError: Cannot convert from type `const char*` to `int`");
  }
  obj->large = UINT64_MAX;
  EXPECT_THROW(GetField(obj.get(), FindField(Derived(), "large")), Error);
}

TEST(FieldAccess, SetterMayBeAFunction) {
  Function setter =
      Function::FromTyped([](void* address, int64_t value) { *static_cast<int64_t*>(address) = value + 1; });
  TVMFFIFieldInfo field = *FindField(Derived(), "first");
  field.flags |= kTVMFFIFieldFlagBitSetterIsFunctionObj;
  field.setter = transom::detail::ObjectAccess::Header(setter);
  auto obj = make_object<DerivedObj>();
  SetField(obj.get(), &field, 41);
  EXPECT_EQ(obj->first, 42);
}

}  // namespace
}  // namespace reflection
}  // namespace transom
