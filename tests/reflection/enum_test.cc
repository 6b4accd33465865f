#include <gtest/gtest.h>
#include <transom/reflection/enum.h>
#include <transom/reflection/field_access.h>

#include <cstring>
#include <string>

#include "support/error_of.h"

namespace ffi = transom;
namespace refl = transom::reflection;

namespace {

using ffi::testing::ErrorOf;

class ColorObj : public ffi::EnumObj {
 public:
  int64_t rgb = 0;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.enum.Color", ColorObj, ffi::EnumObj);
};
class Color : public ffi::Enum {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Color, ffi::Enum, ColorObj);
};
class PriorityObj : public ffi::IntEnumObj {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.enum.Priority", PriorityObj, ffi::IntEnumObj);
};
class Priority : public ffi::IntEnum {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Priority, ffi::IntEnum, PriorityObj);
};
class OpCodeObj : public ffi::StrEnumObj {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.enum.OpCode", OpCodeObj, ffi::StrEnumObj);
};
class OpCode : public ffi::StrEnum {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(OpCode, ffi::StrEnum, OpCodeObj);
};

// Has no members.
class EmptyObj : public ffi::EnumObj {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.enum.Empty", EmptyObj, ffi::EnumObj);
};
class Empty : public ffi::Enum {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Empty, ffi::Enum, EmptyObj);
};

TRANSOM_STATIC_INIT_BLOCK() {
  refl::ObjectDef<ColorObj>().def_ro("rgb", &ColorObj::rgb);
  refl::ObjectDef<PriorityObj>();
  refl::ObjectDef<OpCodeObj>();
  refl::EnumDef<ColorObj>("red")->rgb = 0xff0000;
  refl::EnumDef<ColorObj>("green").attr("nice", true).attr("rank", 2)->rgb = 0x00ff00;
  refl::EnumDef<PriorityObj>("low", 10);
  refl::EnumDef<PriorityObj>("high", 20);
  refl::EnumDef<OpCodeObj>("+");
  refl::EnumDef<OpCodeObj>("*");
}

TEST(Enum, MembersAreFoundByNumberAndByName) {
  Color red = refl::EnumMember<Color>("red");
  EXPECT_EQ(red->rgb, 0xff0000);
  EXPECT_EQ(red->int_index, 0);
  EXPECT_EQ(red->str_index, "red");
  EXPECT_TRUE(refl::EnumMember<Color>(0).same_as(red));
  EXPECT_TRUE(refl::EnumMember<Color>(1).same_as(refl::EnumMember<Color>("green")));
  EXPECT_EQ(refl::EnumMember<Priority>(20)->value(), 20);
  EXPECT_EQ(refl::EnumMember<Priority>("high")->value(), 20);
  EXPECT_EQ(refl::EnumMember<OpCode>("*")->value(), "*");
  EXPECT_TRUE(refl::EnumMember<OpCode>(1).same_as(refl::EnumMember<OpCode>("*")));
  EXPECT_FALSE(refl::FindEnumMember<Color>("blue").has_value());
  EXPECT_FALSE(refl::FindEnumMember<Color>(2).has_value());
}

TEST(Enum, MembersAreListedAsRegistered) {
  std::string names;
  for (const Color& color : refl::EnumMembers<Color>()) names += std::string(color->str_index) + ";";
  EXPECT_EQ(names, "red;green;");
  EXPECT_TRUE(refl::EnumMembers<Empty>().empty());
  EXPECT_FALSE(refl::FindEnumMember<Empty>(0).has_value());
}

TEST(Enum, AttributesBelongToMembers) {
  Color green = refl::EnumMember<Color>("green");
  EXPECT_TRUE(refl::EnumAttr(green, "nice").cast<bool>());
  EXPECT_EQ(refl::EnumAttr(green, "rank").cast<int>(), 2);
  EXPECT_TRUE(refl::EnumAttr(refl::EnumMember<Color>("red"), "nice") == nullptr);
  EXPECT_TRUE(refl::EnumAttr(green, "absent") == nullptr);
}

TEST(Enum, WrongUseIsAnError) {
  EXPECT_EQ(ErrorOf([] { refl::EnumMember<Color>("blue"); }),
            "ValueError: Enum `test.enum.Color` has no member `\"blue\"`");
  EXPECT_EQ(ErrorOf([] { refl::EnumMember<Priority>(11); }),
            "ValueError: Enum `test.enum.Priority` has no member `11`");
  EXPECT_EQ(ErrorOf([] { refl::EnumDef<ColorObj>("red"); }),
            "ValueError: Enum `test.enum.Color` has a member `\"red\"` already");
  EXPECT_EQ(ErrorOf([] { refl::EnumDef<PriorityObj>("urgent", 20); }),
            "ValueError: Enum `test.enum.Priority` has a member `20` already");
  EXPECT_EQ(refl::EnumMembers<Color>().size(), 2);
  EXPECT_FALSE(refl::FindEnumMember<Priority>("urgent").has_value());
}

TEST(Enum, LayoutIsThatOfTheContract) {
  Color green = refl::EnumMember<Color>("green");
  const char* bytes = reinterpret_cast<const char*>(green.get());
  int64_t number = -1;
  std::memcpy(&number, bytes + 24, sizeof(number));
  EXPECT_EQ(number, 1);
  EXPECT_EQ(reinterpret_cast<const ffi::String*>(bytes + 32)->size(), 5u);
  ffi::EnumState state = *refl::detail::FindEnumState(ColorObj::RuntimeTypeIndex());
  bytes = reinterpret_cast<const char*>(state.get());
  EXPECT_EQ(reinterpret_cast<const ffi::ObjectRef*>(bytes + 24)->type_index(), kTVMFFIList);
  EXPECT_EQ(reinterpret_cast<const ffi::ObjectRef*>(bytes + 32)->type_index(), kTVMFFIDict);
  EXPECT_EQ(reinterpret_cast<const ffi::ObjectRef*>(bytes + 40)->type_index(), kTVMFFIDict);
}

TEST(Enum, IsDescribedToTheTypeTable) {
  struct Field {
    const char* type;
    const char* name;
    int64_t offset;
    int32_t static_index;
    int64_t flags;
  };
  constexpr int64_t kIgnore = kTVMFFIFieldFlagBitMaskSEqHashIgnore;
  constexpr int64_t kInitOff = kTVMFFIFieldFlagBitMaskInitOff;
  for (const Field& expected :
       {Field{"ffi.Enum", "_int_index", 24, kTVMFFIInt, kIgnore}, Field{"ffi.Enum", "_str_index", 32, kTVMFFIAny, 0},
        Field{"ffi.IntEnum", "value", 24, kTVMFFIInt, kIgnore | kInitOff},
        Field{"ffi.StrEnum", "value", 32, kTVMFFIAny, kIgnore | kInitOff},
        Field{"ffi.EnumState", "entries", 24, kTVMFFIList, kInitOff},
        Field{"ffi.EnumState", "indexes", 32, kTVMFFIObject, kInitOff},
        Field{"ffi.EnumState", "attrs", 40, kTVMFFIObject, kInitOff}}) {
    SCOPED_TRACE(std::string(expected.type) + "." + expected.name);
    TVMFFIByteArray key{expected.type, std::strlen(expected.type)};
    int32_t index = 0;
    ASSERT_EQ(TVMFFITypeKeyToIndex(&key, &index), 0);
    const TVMFFIFieldInfo* field = refl::FindField(TVMFFIGetTypeInfo(index), expected.name);
    ASSERT_NE(field, nullptr);
    EXPECT_EQ(field->offset, expected.offset);
    EXPECT_EQ(field->field_static_type_index, expected.static_index);
    EXPECT_EQ(field->flags, expected.flags);
  }
  EXPECT_EQ(TVMFFIGetTypeInfo(ColorObj::RuntimeTypeIndex())->metadata->structural_eq_hash_kind,
            kTVMFFISEqHashKindUniqueInstance);
}

}  // namespace
