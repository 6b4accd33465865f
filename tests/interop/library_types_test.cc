// Types that the library brings for front ends: structural keys, enums, error contexts, and conversion to built-in
// types.
#include <gtest/gtest.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/shape.h>
#include <transom/reflection/access_path.h>
#include <transom/reflection/field_access.h>

#include <string>

#include "interop/any_pair.h"
#include "interop/call_global.h"

namespace transom {
namespace {

using testing::Call;
using testing::CallError;
using testing::Pair;
using testing::TypeAttr;

constexpr const char* kMake = "ffi.MakeObjectFromPackedArgs";

std::string Repr(const Any& value) { return Call("ffi.ReprPrint", {value}).cast<std::string>(); }
int32_t IndexOf(const char* key) {
  const TVMFFIByteArray text = detail::ToByteArray(key);
  int32_t index = 0;
  CheckCall(TVMFFITypeKeyToIndex(&text, &index));
  return index;
}

// ---- Structural keys ------------------------------------------------------------------------------------------------

Any Key(const Any& value) { return Call("ffi.StructuralKey", {value}); }

TEST(StructuralKey, CountsByTheStructureOfItsValue) {
  const Any one = Key(Array<Any>{1, "a"}), same = Key(Array<Any>{1, "a"}), other = Key(Array<Any>{2, "a"});
  EXPECT_TRUE(Call("ffi.StructuralKeyEqual", {one, same}).cast<bool>());
  EXPECT_TRUE(Call("ffi.StructuralKeyEqual", {one, one}).cast<bool>());
  EXPECT_FALSE(Call("ffi.StructuralKeyEqual", {one, other}).cast<bool>());
  const Map<Any, Any> map{{one, 1}, {other, 2}};
  EXPECT_EQ(map.get(same).value_or(Any()).cast<int64_t>(), 1);
  EXPECT_FALSE(map.get(Key(3)).has_value());
}

TEST(StructuralKey, StatesValueAndHash) {
  const TVMFFITypeInfo* type = TVMFFIGetTypeInfo(IndexOf("ffi.StructuralKey"));
  const Any key = TypeAttr(type->type_index, "__ffi_init__").cast<Function>()(5);
  EXPECT_EQ(reflection::GetField(key.as<Object>(), reflection::FindField(type, "key")).cast<int64_t>(), 5);
  EXPECT_EQ(reflection::GetField(key.as<Object>(), reflection::FindField(type, "hash_i64")).cast<int64_t>(),
            Call("ffi.StructuralHash", {5, false, false}).cast<int64_t>());
}

TEST(StructuralKey, WrongUseIsAnError) {
  EXPECT_EQ(CallError("ffi.StructuralKeyEqual", {Key(1), 1}),
            "TypeError: Expected two keys of type `ffi.StructuralKey` but got `ffi.StructuralKey` and `int`");
  EXPECT_EQ(CallError("ffi.StructuralKey", {Pair(1)}).substr(0, 10), "TypeError:");
}

// ---- Enums ----------------------------------------------------------------------------------------------------------

TEST(Enums, HaveTheFieldsOfTheContract) {
  const Any member = Call(kMake, {"ffi.IntEnum", "_int_index", 3, "_str_index", "three", "value", 3});
  EXPECT_EQ(Repr(member), "ffi.IntEnum.three");
  EXPECT_TRUE(Call("ffi.DeepCopy", {Array<Any>{member}}).cast<Array<Any>>()[0].same_as(member));
  EXPECT_FALSE(
      Call("ffi.StructuralEqual",
           {member, Call(kMake, {"ffi.IntEnum", "_int_index", 3, "_str_index", "three", "value", 3}), false, false})
          .cast<bool>());
  const Any text = Call(kMake, {"ffi.StrEnum", "_int_index", 0, "_str_index", "plus", "value", "+"});
  EXPECT_EQ(Repr(text), "ffi.StrEnum.+") << "the value of a StrEnum is its string index";
}

TEST(Enums, TheStateIsMadeEmpty) {
  const Any state = TypeAttr(IndexOf("ffi.EnumState"), "__ffi_init__").cast<Function>()();
  EXPECT_EQ(Repr(state), "ffi.EnumState(entries=[], indexes={}, attrs={})");
  for (const char* key : {"ffi.Enum", "ffi.IntEnum", "ffi.StrEnum", "ffi.VisitErrorContext", "ffi.VisitInterrupt",
                          "ffi.reflection.AccessPath", "ffi.reflection.AccessStep"}) {
    EXPECT_TRUE(TypeAttr(IndexOf(key), "__ffi_init__") == nullptr) << key;
    EXPECT_TRUE(TypeAttr(IndexOf(key), "__ffi_new__") != nullptr) << key;
  }
}

// ---- Conversion -----------------------------------------------------------------------------------------------------

Any Convert(const char* key, const Any& value) {
  return TypeAttr(IndexOf(key), "__ffi_convert__").cast<Function>()(value);
}
std::string ConvertError(const char* key, const Any& value) {
  return testing::ErrorOf([&] { Convert(key, value); });
}

TEST(Convert, MakesInstancesAsArgumentsAreConverted) {
  EXPECT_EQ(Repr(Convert("ffi.List", Array<Any>{1})), "[1]");
  EXPECT_EQ(Repr(Convert("ffi.Array", List<Any>{1})), "(1,)");
  EXPECT_EQ(Convert("ffi.Dict", Map<Any, Any>{{1, 2}}).type_index(), kTVMFFIDict);
  EXPECT_EQ(Convert("ffi.Map", Dict<Any, Any>{{1, 2}}).type_index(), kTVMFFIMap);
  EXPECT_EQ(Repr(Convert("ffi.Shape", Array<Any>{1, 2})), "Shape(1, 2)");
  EXPECT_EQ(Repr(Convert("ffi.String", "text")), "\"text\"");
  EXPECT_EQ(Repr(Convert("ffi.Bytes", Bytes(std::string("text")))), "b\"text\"");
  EXPECT_EQ(Convert("ffi.Error", Error("text")).type_index(), kTVMFFIError);
  const Any pair = Pair(1);
  EXPECT_TRUE(Convert("ffi.Object", pair).same_as(pair));
  for (const char* key : {"ffi.Object", "ffi.Function", "ffi.Tensor", "ffi.IntEnum", "ffi.StrEnum"}) {
    EXPECT_TRUE(Convert(key, nullptr) == nullptr) << key;
  }
}

TEST(Convert, OtherValuesAreErrors) {
  EXPECT_EQ(ConvertError("ffi.Object", 1), "TypeError: Cannot cast from `int` to `ffi.Object`");
  EXPECT_EQ(ConvertError("ffi.String", Bytes(std::string("b"))),
            "TypeError: Cannot cast from `ffi.SmallBytes` to `str`");
  EXPECT_EQ(ConvertError("ffi.Array", Map<Any, Any>{}),
            "TypeError: Cannot cast from `ffi.Map` to `" + TypeTraits<Array<Any>>::Name() + "`");
  EXPECT_EQ(ConvertError("ffi.Shape", Array<Any>{"x"}), "TypeError: Cannot cast from `ffi.Array` to `ffi.Shape`");
  EXPECT_EQ(ConvertError("ffi.Tensor", 1), "TypeError: Cannot cast from `int` to `ffi.Tensor`");
  EXPECT_EQ(ConvertError("ffi.IntEnum", Pair(1)), "TypeError: Cannot cast from `test.interop.Pair` to `ffi.IntEnum`");
}

// ---- Places of errors -----------------------------------------------------------------------------------------------

std::string Paths(const Any& root, List<Any> reverse_pattern, bool allow_prefix = false) {
  const Any context =
      Call(kMake, {"ffi.VisitErrorContext", "reverse_visit_pattern", reverse_pattern, "prev_error_context", nullptr});
  return Repr(Call("ffi.VisitErrorContext.FindAccessPaths", {root, context, allow_prefix}));
}

TEST(FindAccessPaths, FindsEachWayThroughThePattern) {
  const Any x = Pair(1), y = Pair(x), z = Pair(y, x);
  EXPECT_EQ(Paths(z, {}), "()");
  EXPECT_EQ(Paths(z, {z}), "(<root>,)");
  EXPECT_EQ(Paths(z, {x}), "(<root>.a.a, <root>.b)");
  EXPECT_EQ(Paths(z, {x, z}), "(<root>.a.a, <root>.b)");
  EXPECT_EQ(Paths(z, {x, y}), "(<root>.a.a,)");
  EXPECT_EQ(Paths(z, {y, x}), "()");
  EXPECT_EQ(Paths(z, {Pair(1), z}), "()");
}

TEST(FindAccessPaths, APrefixLeadsToTheDeepestObjects) {
  const Any x = Pair(1), y = Pair(x), z = Pair(y, x);
  EXPECT_EQ(Paths(z, {x, y, z}, true), "(<root>.a.a, <root>.b)");
  EXPECT_EQ(Paths(z, {Pair(1), z}, true), "(<root>.a.a, <root>.b)");
  EXPECT_EQ(Paths(z, {z, Pair(1)}, true), "()");
}

TEST(FindAccessPaths, LooksIntoContainers) {
  const Any x = Pair(1);
  EXPECT_EQ(Paths(Pair(List<Any>{x, x}, Map<Any, Any>{{"k", x}, {2, Array<Any>{x}}}), {x}),
            "(<root>.a[0], <root>.a[1], <root>.b[\"k\"], <root>.b[2][0])");
}

TEST(FindAccessPaths, EndsInCyclesAndDenseGraphs) {
  List<Any> cycle;
  cycle.push_back(cycle);
  EXPECT_EQ(Paths(cycle, {Pair(1)}), "()");
  cycle.push_back(Pair(2));
  EXPECT_EQ(Paths(cycle, {cycle[1]}), "(<root>[1],)");
  cycle.clear();
  const Any x = Pair(1);
  Any dense = x;
  for (int i = 0; i < 100; ++i) dense = Array<Any>{dense, dense};
  EXPECT_EQ(Paths(dense, {Pair(1)}), "()");
  const Any context =
      Call(kMake, {"ffi.VisitErrorContext", "reverse_visit_pattern", List<Any>{x}, "prev_error_context", nullptr});
  EXPECT_EQ(Call("ffi.VisitErrorContext.FindAccessPaths", {dense, context, false}).cast<Array<Any>>().size(), 4096);
}

}  // namespace
}  // namespace transom
