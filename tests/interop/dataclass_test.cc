// Objects that front ends make by reflection: automatic constructors, types that a front end lays out, named values.
#include <gtest/gtest.h>
#include <transom/containers/list.h>
#include <transom/reflection/field_access.h>
#include <transom/reflection/registry.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "interop/call_global.h"

namespace transom {
namespace {

namespace refl = reflection;
using testing::Call;
using testing::CallError;
using testing::ErrorOf;
using testing::TypeAttr;

class PointObj : public Object {
 public:
  int64_t hidden = 7, x = 0, y = 0, z = 0;
  Any note;
  TRANSOM_DECLARE_OBJECT_INFO("test.dataclass.Point", PointObj, Object);
};

class ClosedObj : public Object {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.dataclass.Closed", ClosedObj, Object);
};

TRANSOM_STATIC_INIT_BLOCK() {
  refl::ObjectDef<PointObj>()
      .no_init()
      .def_rw("x", &PointObj::x)
      .def_rw("hidden", &PointObj::hidden, refl::InitOff())
      .def_rw("y", &PointObj::y, refl::DefaultValue(5))
      .def_rw("z", &PointObj::z, refl::KwOnly())
      .def_rw("note", &PointObj::note, refl::DefaultFactory([] { return List<Any>(); }), refl::KwOnly());
  refl::ObjectDef<ClosedObj>().no_init();
}

Any Kwargs() { return Call("ffi.GetKwargsObject", {}); }

const Function& PointInit() {
  static const Function init = [] {
    Call("ffi._RegisterFFIInit", {PointObj::RuntimeTypeIndex()});
    return TypeAttr(PointObj::RuntimeTypeIndex(), "__ffi_init__").cast<Function>();
  }();
  return init;
}

Any MakePoint(std::vector<Any> args) {
  std::vector<AnyView> views(args.begin(), args.end());
  return PointInit().CallPacked(views.data(), static_cast<int32_t>(views.size()));
}
std::string PointError(std::vector<Any> args) {
  return ErrorOf([&] { MakePoint(std::move(args)); });
}
std::string Text(const Any& value) { return Call("ffi.ReprPrint", {value}).cast<std::string>(); }

TEST(AutoInit, TakesFieldsByPositionAndByName) {
  EXPECT_EQ(Text(MakePoint({1, Kwargs(), "z", 3})), "test.dataclass.Point(x=1, hidden=7, y=5, z=3, note=[])");
  EXPECT_EQ(Text(MakePoint({1, 2, Kwargs(), "z", 3, "note", "n"})),
            "test.dataclass.Point(x=1, hidden=7, y=2, z=3, note=\"n\")");
  EXPECT_EQ(Text(MakePoint({Kwargs(), "z", 3, "y", 2, "x", 1})),
            "test.dataclass.Point(x=1, hidden=7, y=2, z=3, note=[])");
}

TEST(AutoInit, ADefaultFromAFactoryIsNotShared) {
  const Any one = MakePoint({1, Kwargs(), "z", 3});
  const Any other = MakePoint({1, Kwargs(), "z", 3});
  EXPECT_FALSE(one.as<PointObj>()->note.same_as(other.as<PointObj>()->note));
}

TEST(AutoInit, WrongCallsAreErrorsThatNameTheConstructor) {
  const std::string name = "TypeError: test.dataclass.Point.__ffi_init__() ";
  EXPECT_EQ(PointError({}), name + "missing required argument: 'x'");
  EXPECT_EQ(PointError({1}), name + "missing required keyword-only argument: 'z'");
  EXPECT_EQ(PointError({1, Kwargs()}), name + "missing required keyword-only argument: 'z'");
  EXPECT_EQ(PointError({1, 2, 3}), name + "takes at most 2 positional argument(s), but 3 were given");
  EXPECT_EQ(PointError({1, Kwargs(), "z"}), name + "KWARGS requires an even number of key-value arguments");
  EXPECT_EQ(PointError({1, Kwargs(), 2, 3}), name + "expected the name of an argument but got a value of type `int`");
  EXPECT_EQ(PointError({1, Kwargs(), "w", 3}), name + "got an unexpected keyword argument 'w'");
  EXPECT_EQ(PointError({1, Kwargs(), "hidden", 3}), name + "got an unexpected keyword argument 'hidden'");
  EXPECT_EQ(PointError({1, Kwargs(), "x", 3}), name + "got multiple values for argument 'x'");
  EXPECT_EQ(PointError({1, Kwargs(), "z", 3, "z", 3}), name + "got multiple values for argument 'z'");
  EXPECT_EQ(PointError({"one", Kwargs(), "z", 3}),
            name + "field 'x':\n  Cannot convert from type `ffi.SmallStr` to `int`");
}

TEST(AutoInit, IsRegisteredOnceAndForTypesThatExist) {
  PointInit();
  EXPECT_EQ(CallError("ffi._RegisterFFIInit", {PointObj::RuntimeTypeIndex()}),
            "RuntimeError: Type `test.dataclass.Point` has a value of the attribute `__ffi_init__` already");
  EXPECT_EQ(CallError("ffi._RegisterFFIInit", {-1}), "InternalError: Expected the index of a type but got -1");
  EXPECT_EQ(CallError("ffi._RegisterFFIInit", {int64_t{1} << 40}),
            "InternalError: Expected the index of a type but got 1099511627776");
  EXPECT_NE(CallError("ffi._RegisterFFIInit", {100000}), "no error");
}

TEST(MakeObject, SetsNamedFieldsAndDefaults) {
  constexpr const char* kMake = "ffi.MakeObjectFromPackedArgs";
  const Any by_key = Call(kMake, {"test.dataclass.Point", "x", 1, "hidden", 2, "z", 3});
  EXPECT_EQ(Text(by_key), "test.dataclass.Point(x=1, hidden=2, y=5, z=3, note=[])");
  const Any by_index = Call(kMake, {PointObj::RuntimeTypeIndex(), "x", 1, "hidden", 2, "z", 3, "y", 4});
  EXPECT_EQ(Text(by_index), "test.dataclass.Point(x=1, hidden=2, y=4, z=3, note=[])");
}

TEST(MakeObject, WrongCallsAreErrors) {
  constexpr const char* kMake = "ffi.MakeObjectFromPackedArgs";
  const Any key = "test.dataclass.Point";
  EXPECT_EQ(CallError(kMake, {}),
            "TypeError: Expected a type, then names and values of fields in turns, but got 0 arguments");
  EXPECT_EQ(CallError(kMake, {key, "x"}),
            "TypeError: Expected a type, then names and values of fields in turns, but got 2 arguments");
  EXPECT_EQ(CallError(kMake, {key, "x", 1}),
            "TypeError: Required field `hidden` not set in type `test.dataclass.Point`");
  EXPECT_EQ(CallError(kMake, {key, "w", 1}), "TypeError: Type `test.dataclass.Point` does not have field `w`");
  EXPECT_EQ(CallError(kMake, {key, "x", 1, "x", 1}),
            "TypeError: Field `x` of type `test.dataclass.Point` is given twice");
  EXPECT_EQ(CallError(kMake, {key, 1, 1}), "TypeError: Cannot convert from type `int` to `str`");
  EXPECT_EQ(CallError(kMake, {key, "x", "one"}), "TypeError: Cannot convert from type `ffi.SmallStr` to `int`");
  EXPECT_EQ(CallError(kMake, {1.5}), "TypeError: Cannot convert from type `float` to `str`");
  EXPECT_EQ(CallError(kMake, {"ffi.Function"}),
            "RuntimeError: Type `ffi.Function` cannot be created: it has no creator and no `__ffi_new__`");
  EXPECT_NE(CallError(kMake, {100000}), "no error");
}

// ---- Types that a front end lays out --------------------------------------------------------------------------------

int32_t NewType(const char* key) {
  const TVMFFIByteArray text = detail::ToByteArray(key);
  return TVMFFITypeGetOrAllocIndex(&text, -1, 1, 0, 1, kTVMFFIObject);
}

// As converters of front ends: `converter` is what to add to integers; strings are refused.
int Convert(void* converter, const TVMFFIAny* value, TVMFFIAny* result) {
  if (value->type_index == kTVMFFISmallStr) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "expected something else");
    return -1;
  }
  TVMFFIAnyViewToOwnedAny(value, result);
  if (result->type_index == kTVMFFIInt) result->v_int64 += reinterpret_cast<int64_t>(converter);
  return 0;
}

void DefField(int32_t type_index, const char* name, int64_t offset, int64_t size, int32_t static_type) {
  const Any setter = Call("ffi.MakeFieldSetter", {static_type, 100, reinterpret_cast<int64_t>(&Convert)});
  TVMFFIFieldInfo info{};
  info.name = detail::ToByteArray(name);
  info.flags = kTVMFFIFieldFlagBitMaskWritable | kTVMFFIFieldFlagBitSetterIsFunctionObj;
  info.size = size;
  info.alignment = 8;
  info.offset = offset;
  info.getter = reinterpret_cast<TVMFFIFieldGetter>(Call("ffi.MakeFieldGetter", {static_type}).cast<int64_t>());
  info.setter = setter.raw()->v_obj;
  info.field_static_type_index = static_type;
  CheckCall(TVMFFITypeRegisterField(type_index, &info));
}

// One of each kind of field.
int32_t NodeType() {
  static const int32_t index = [] {
    const int32_t type = NewType("test.dataclass.Node");
    DefField(type, "number", 24, 8, kTVMFFIInt);
    DefField(type, "value", 32, 16, kTVMFFIAny);
    DefField(type, "child", 48, 8, kTVMFFIObject);
    DefField(type, "flag", 56, 1, kTVMFFIBool);
    Call("ffi._PyClassRegisterTypeAttrColumns", {type, 64});
    return type;
  }();
  return index;
}
Any NewNode() { return TypeAttr(NodeType(), "__ffi_new__").cast<Function>()(); }
const TVMFFIFieldInfo* FieldOf(const char* name) { return refl::FindField(TVMFFIGetTypeInfo(NodeType()), name); }
Any Get(const Any& node, const char* name) { return refl::GetField(node.as<Object>(), FieldOf(name)); }
void Set(const Any& node, const char* name, const Any& value) {
  refl::SetField(const_cast<Object*>(node.as<Object>()), FieldOf(name), value);
}

TEST(FrontEndType, NewObjectsAreEmpty) {
  const Any node = NewNode();
  EXPECT_EQ(Get(node, "number").cast<int64_t>(), 0);
  EXPECT_TRUE(Get(node, "value") == nullptr);
  EXPECT_TRUE(Get(node, "child") == nullptr);
  EXPECT_FALSE(Get(node, "flag").cast<bool>());
}

TEST(FrontEndType, SettersConvertAndReleaseWhatWasThere) {
  const Any node = NewNode();
  const List<Any> held{1};
  Set(node, "number", 5);
  Set(node, "value", held);
  Set(node, "child", held);
  Set(node, "flag", true);
  EXPECT_EQ(Get(node, "number").cast<int64_t>(), 105);
  EXPECT_EQ(held.use_count(), 3u);
  EXPECT_EQ(ErrorOf([&] { Set(node, "value", "text"); }), "TypeError: expected something else");
  EXPECT_EQ(held.use_count(), 3u);
  Set(node, "value", 1);
  Set(node, "child", nullptr);
  EXPECT_EQ(held.use_count(), 1u);
}

TEST(FrontEndType, ObjectsOwnTheirFields) {
  const List<Any> held{1};
  Any node = NewNode();
  Set(node, "value", held);
  Set(node, "child", held);
  Any copy = TypeAttr(NodeType(), "__ffi_shallow_copy__").cast<Function>()(node);
  EXPECT_EQ(held.use_count(), 5u);
  EXPECT_FALSE(copy.same_as(node));
  EXPECT_TRUE(Get(copy, "value").same_as(Any(held)));
  node.reset();
  EXPECT_EQ(held.use_count(), 3u);
  copy.reset();
  EXPECT_EQ(held.use_count(), 1u);
}

TEST(FrontEndType, LongChainsAreDestroyedWithoutRecursion) {
  Any chain;
  for (int i = 0; i < 1000000; ++i) {
    Any node = NewNode();
    Set(node, "value", chain);
    chain = std::move(node);
  }
  chain.reset();
}

TEST(FrontEndType, WrongLayoutsAreErrors) {
  const std::string name = "ffi._PyClassRegisterTypeAttrColumns";
  const int32_t type = NewType("test.dataclass.Outside");
  DefField(type, "far", 64, 16, kTVMFFIAny);
  EXPECT_EQ(
      CallError(name.c_str(), {type, 64}),
      "ValueError: Field `far` of type `test.dataclass.Outside` has 16 bytes at 64, which is not inside an object "
      "of 64 bytes");
  EXPECT_EQ(CallError(name.c_str(), {type, 8}),
            "ValueError: Expected the size of an object, header included, but got 8");
  EXPECT_EQ(CallError(name.c_str(), {-1, 64}), "InternalError: Expected the index of a type but got -1");
  EXPECT_EQ(ErrorOf([] { TypeAttr(NodeType(), "__ffi_shallow_copy__").cast<Function>()(make_object<ClosedObj>()); }),
            "TypeError: Expected a `test.dataclass.Node` to copy but got `test.dataclass.Closed`");
}

TEST(FieldFunctions, ExistForTheTypesThatFieldsHave) {
  for (const int type : {-1, 0, 1, 2, 3, 4, 5, 6, 64, 65, 71, 128, 99999}) {
    EXPECT_NE(Call("ffi.MakeFieldGetter", {type}).cast<int64_t>(), 0) << type;
    EXPECT_NO_THROW(Call("ffi.MakeFieldSetter", {type, 0, 0}).cast<Function>()) << type;
  }
  for (const int type : {-2, 7, 8, 9, 10, 11, 12, 13, 63}) {
    const std::string message =
        "ValueError: Expected -1 or the index of a type that a field can have (int, float, bool, void*, DataType, "
        "Device "
        "or an object) but got " +
        std::to_string(type);
    EXPECT_EQ(CallError("ffi.MakeFieldGetter", {type}), message);
    EXPECT_EQ(CallError("ffi.MakeFieldSetter", {type, 0, 0}), message);
  }
}

}  // namespace
}  // namespace transom
