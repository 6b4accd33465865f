// Every conversion of an argument that the C contract accepts, and the text of those that it does not. The texts are
// those that the package `apache-tvm-ffi` gives.
#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/optional.h>
#include <transom/containers/shape.h>
#include <transom/containers/tensor_view.h>
#include <transom/containers/tuple.h>
#include <transom/containers/variant.h>
#include <transom/runtime/function.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/error_of.h"

namespace transom {
namespace {

using testing::ErrorOf;

class BaseObj : public Object {
 public:
  TRANSOM_DECLARE_OBJECT_INFO("test.conversions.Base", BaseObj, Object);
};
class Base : public ObjectRef {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NULLABLE(Base, ObjectRef, BaseObj);
};
class DerivedObj : public BaseObj {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.conversions.Derived", DerivedObj, BaseObj);
};
class Derived : public Base {
 public:
  Derived() : Derived(make_object<DerivedObj>()) {}
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Derived, Base, DerivedObj);
};

/* Values of all kinds, as a caller passes them. */
struct Values {
  TVMFFIByteArray byte_array{"bytes", 5};
  float number = 1;
  DLTensor dl_tensor{&number, {kDLCPU, 0}, 0, {kDLFloat, 32, 1}, nullptr, nullptr, 0};
  String long_text = "a text of more than seven bytes";
  Bytes long_bytes = Bytes("bytes, more than seven of them", 30);
  Shape shape = {1, 2};
  Tensor tensor = Tensor::Empty({2}, {kDLFloat, 32, 1});
  Array<int64_t> ints = {1, 2};
  List<int64_t> int_list = {1, 2};
  Map<String, int64_t> map = {{"a", 1}};
  Dict<String, int64_t> dict = {{"a", 1}};
  Base base{make_object<BaseObj>()};
  Derived derived;
  Function function = Function::FromTyped([] {});

  std::vector<std::pair<std::string, AnyView>> All() {
    return {{"None", nullptr},
            {"int", 1},
            {"bool", true},
            {"float", 1.5},
            {"void*", static_cast<void*>(this)},
            {"DataType", DataType::Int(8)},
            {"Device", Device(1, 0)},
            {"DLTensor*", &dl_tensor},
            {"const char*", "float32"},
            {"TVMFFIByteArray*", &byte_array},
            {"ffi.SmallStr", String("int8")},
            {"ffi.SmallBytes", Bytes("abc", 3)},
            {"ffi.String", long_text},
            {"ffi.Bytes", long_bytes},
            {"ffi.Function", function},
            {"ffi.Shape", shape},
            {"ffi.Tensor", tensor},
            {"ffi.Array", ints},
            {"ffi.List", int_list},
            {"ffi.Map", map},
            {"ffi.Dict", dict},
            {"test.conversions.Base", base},
            {"test.conversions.Derived", derived}};
  }
};

/* Type keys of the values that convert to a T. For each other one the error of a call names T and the value's type. */
template <class T>
std::string AcceptedBy(const std::string& name) {
  Values values;
  std::string accepted;
  Function take = Function::FromTyped([](const T&) {}, "take");
  for (const std::pair<std::string, AnyView>& entry : values.All()) {
    const std::string& key = entry.first;
    const AnyView& value = entry.second;
    if (ErrorOf([&] { static_cast<void>(value.try_cast<T>()); }) != "no error") continue;  // malformed text
    if (value.try_cast<T>().has_value()) {
      accepted += (accepted.empty() ? "" : " ") + key;
      EXPECT_EQ(ErrorOf([&] { take(value); }), "no error");
      continue;
    }
    EXPECT_EQ(ErrorOf([&] { take(value); }), "TypeError: Mismatched type on argument #0 when calling: `take(0: " +
                                                 name + ") -> void`. Expected `" + name + "` but got `" + key + "`");
    EXPECT_EQ(ErrorOf([&] { static_cast<void>(value.cast<T>()); }),
              "TypeError: Cannot convert from type `" + key + "` to `" + name + "`");
  }
  return accepted;
}

constexpr const char* kObjects =
    "ffi.String ffi.Bytes ffi.Function ffi.Shape ffi.Tensor ffi.Array ffi.List ffi.Map ffi.Dict test.conversions.Base "
    "test.conversions.Derived";

TEST(Conversions, PlainValues) {
  EXPECT_EQ(AcceptedBy<bool>("bool"), "int bool");
  EXPECT_EQ(AcceptedBy<int64_t>("int"), "int bool");
  EXPECT_EQ(AcceptedBy<uint8_t>("int"), "int bool");
  EXPECT_EQ(AcceptedBy<double>("float"), "int bool float");
  EXPECT_EQ(AcceptedBy<float>("float"), "int bool float");
  EXPECT_EQ(AcceptedBy<void*>("void*"), "None void*");
  EXPECT_EQ(AcceptedBy<std::nullptr_t>("None"), "None");
  EXPECT_EQ(AcceptedBy<DataType>("DataType"), "DataType const char* ffi.SmallStr");
  EXPECT_EQ(AcceptedBy<DLDataType>("DataType"), "DataType const char* ffi.SmallStr");
  EXPECT_EQ(AcceptedBy<Device>("Device"), "Device");  // no text here is one
  EXPECT_EQ(AnyView("cuda:1").cast<Device>(), Device(2, 1));
  EXPECT_EQ(Any("cpu").cast<DLDevice>().device_type, kDLCPU);
}

TEST(Conversions, Text) {
  EXPECT_EQ(AcceptedBy<String>("str"), "const char* ffi.SmallStr ffi.String");
  EXPECT_EQ(AcceptedBy<Bytes>("bytes"), "TVMFFIByteArray* ffi.SmallBytes ffi.Bytes");
  EXPECT_EQ(AcceptedBy<std::string>("std::string"),
            "const char* TVMFFIByteArray* ffi.SmallStr ffi.SmallBytes ffi.String ffi.Bytes");
  EXPECT_EQ(AcceptedBy<std::string_view>("std::string_view"), "const char* ffi.SmallStr ffi.String");
  EXPECT_EQ(AcceptedBy<const char*>("const char*"), "const char* ffi.SmallStr ffi.String");
  EXPECT_EQ(AcceptedBy<TVMFFIByteArray*>("TVMFFIByteArray*"), "TVMFFIByteArray*");
}

TEST(Conversions, Tensors) {
  EXPECT_EQ(AcceptedBy<DLTensor*>("DLTensor*"), "DLTensor* ffi.Tensor");
  EXPECT_EQ(AcceptedBy<TensorView>("DLTensor*"), "DLTensor* ffi.Tensor");
  EXPECT_EQ(AcceptedBy<Tensor>("ffi.Tensor"), "ffi.Tensor");
}

TEST(Conversions, Objects) {
  EXPECT_EQ(AcceptedBy<ObjectRef>("ffi.Object"), std::string("None ") + kObjects);
  EXPECT_EQ(AcceptedBy<ObjectPtr<Object>>("ffi.Object"), std::string("None ") + kObjects);
  EXPECT_EQ(AcceptedBy<Base>("test.conversions.Base"), "None test.conversions.Base test.conversions.Derived");
  EXPECT_EQ(AcceptedBy<Derived>("test.conversions.Derived"), "test.conversions.Derived");
  EXPECT_EQ(AcceptedBy<const BaseObj*>("test.conversions.Base"), "None test.conversions.Base test.conversions.Derived");
  EXPECT_EQ(AcceptedBy<Function>("ffi.Function"), "None ffi.Function");
  EXPECT_EQ((AcceptedBy<TypedFunction<void(int, double, Function)>>("(0: int, 1: float, 2: ffi.Function) -> void")),
            "None ffi.Function");
}

TEST(Conversions, Containers) {
  EXPECT_EQ(AcceptedBy<Array<int64_t>>("Array<int>"), "ffi.Array ffi.List");
  EXPECT_EQ(AcceptedBy<Array<Any>>("Array<Any>"), "ffi.Array ffi.List");
  EXPECT_EQ(AcceptedBy<List<double>>("List<float>"), "ffi.Array ffi.List");
  EXPECT_EQ((AcceptedBy<Map<String, int64_t>>("Map<str, int>")), "ffi.Map ffi.Dict");
  EXPECT_EQ((AcceptedBy<Dict<Any, double>>("Dict<Any, float>")), "ffi.Map ffi.Dict");
  EXPECT_EQ((AcceptedBy<Tuple<int64_t, Optional<double>>>("Tuple<int, Optional<float>>")), "ffi.Array");
  EXPECT_EQ(AcceptedBy<Shape>("ffi.Shape"), "ffi.Shape ffi.Array ffi.List");
}

TEST(Conversions, Sums) {
  EXPECT_EQ(AcceptedBy<Optional<int64_t>>("Optional<int>"), "None int bool");
  EXPECT_EQ(AcceptedBy<std::optional<double>>("Optional<float>"), "None int bool float");
  EXPECT_EQ(AcceptedBy<Optional<String>>("Optional<str>"), "None const char* ffi.SmallStr ffi.String");
  EXPECT_EQ(AcceptedBy<Optional<Derived>>("Optional<test.conversions.Derived>"), "None test.conversions.Derived");
  EXPECT_EQ((AcceptedBy<Variant<int64_t, String>>("Variant<int, str>")),
            "int bool const char* ffi.SmallStr ffi.String");
  EXPECT_EQ((AcceptedBy<Variant<int64_t, String, Array<int64_t>>>("Variant<int, str, Array<int>>")),
            "int bool const char* ffi.SmallStr ffi.String ffi.Array ffi.List");
}

/* What an error says of a value that is no T. */
template <class T>
std::string MismatchOf(const Any& value) {
  std::string text = ErrorOf([&] { static_cast<void>(value.cast<T>()); });
  constexpr std::string_view kStart = "TypeError: Cannot convert from type `";
  return text.substr(0, kStart.size()) == kStart ? text.substr(kStart.size()) : text;
}

TEST(Conversions, ErrorsOfContainersSayWhichElementIsWrong) {
  EXPECT_EQ(MismatchOf<Array<int64_t>>(Array<Any>{1, 1.5}), "Array[index 1: float]` to `Array<int>`");
  EXPECT_EQ(MismatchOf<Array<String>>(List<Any>{1}), "Array[index 0: int]` to `Array<str>`");
  EXPECT_EQ(MismatchOf<List<Base>>(Array<Any>{1}), "List[index 0: int]` to `List<test.conversions.Base>`");
  EXPECT_EQ((MismatchOf<Map<String, int64_t>>(Map<Any, Any>{{1, "b"}})), "Map[some key is int, V]` to `Map<str, int>`");
  EXPECT_EQ((MismatchOf<Map<String, int64_t>>(Dict<Any, Any>{{"a", "b"}})),
            "Map[K, some value is ffi.SmallStr]` to `Map<str, int>`");
  EXPECT_EQ((MismatchOf<Dict<String, int64_t>>(Map<Any, Any>{{1, 1}})),
            "Dict[some key is int, V]` to `Dict<str, int>`");
  EXPECT_EQ((MismatchOf<Map<String, Array<int64_t>>>(Map<Any, Any>{{"a", Array<Any>{1.5}}})),
            "Map[K, some value is Array[index 0: float]]` to `Map<str, Array<int>>`");
  EXPECT_EQ((MismatchOf<Array<Tuple<int64_t, Function>>>(Array<Any>{Array<Any>{1, 2}})),
            "Array[index 0: Array[index 1: int]]` to `Array<Tuple<int, ffi.Function>>`");
  EXPECT_EQ((MismatchOf<Array<Tuple<int64_t, Function>>>(Array<Any>{Array<Any>{1, 2, 3}})),
            "Array[index 0: Array[size=3]]` to `Array<Tuple<int, ffi.Function>>`");
  EXPECT_EQ((MismatchOf<Variant<int64_t, Array<int64_t>>>(Array<Any>{1.5})),
            "ffi.Array` to `Variant<int, Array<int>>`");
  EXPECT_EQ(MismatchOf<Optional<Array<int64_t>>>(Array<Any>{1.5}), "Array[index 0: float]` to `Optional<Array<int>>`");
}

TEST(Conversions, TheSameKindWithTheSameElementsIsShared) {
  Values values;
  EXPECT_TRUE(Any(values.ints).cast<Array<int64_t>>().same_as(values.ints));
  EXPECT_TRUE(Any(values.ints).cast<Array<Any>>().same_as(values.ints));
  EXPECT_TRUE(Any(values.int_list).cast<List<int64_t>>().same_as(values.int_list));
  EXPECT_TRUE((Any(values.map).cast<Map<String, int64_t>>().same_as(values.map)));
  EXPECT_TRUE((Any(values.dict).cast<Dict<Any, Any>>().same_as(values.dict)));
  EXPECT_TRUE((Any(values.ints).cast<Tuple<int64_t, int64_t>>().same_as(values.ints)));

  EXPECT_FALSE(Any(values.ints).cast<Array<double>>().same_as(values.ints));
  EXPECT_EQ(Any(values.ints).cast<Array<double>>()[1], 2.0);
  EXPECT_FALSE(Any(values.int_list).cast<List<double>>().same_as(values.int_list));
  EXPECT_FALSE(Any(values.int_list).cast<Array<int64_t>>().same_as(values.int_list));
  EXPECT_FALSE(Any(values.ints).cast<List<int64_t>>().same_as(values.ints));
  EXPECT_FALSE((Any(values.dict).cast<Map<String, int64_t>>().same_as(values.dict)));
  EXPECT_FALSE((Any(values.map).cast<Dict<String, int64_t>>().same_as(values.map)));
  EXPECT_FALSE((Any(values.map).cast<Map<String, double>>().same_as(values.map)));
  EXPECT_EQ(values.int_list.size(), 2);
  EXPECT_EQ(values.dict.size(), 1);
}

TEST(Conversions, VariantsTakeTheExactAlternativeFirst) {
  using Number = Variant<double, int64_t, bool>;
  EXPECT_EQ(Any(1).cast<Number>().index(), 1u);
  EXPECT_EQ(Any(true).cast<Number>().index(), 2u);
  using Narrow = Variant<double, String>;
  EXPECT_EQ(Any(1).cast<Narrow>().index(), 0u);
  EXPECT_EQ(*Any(1).cast<Narrow>().as<double>(), 1.0);
}

TEST(Conversions, ReturnedValuesAndFieldsOfSmallWidthAreTruncated) {
  EXPECT_EQ(Any(300).cast<uint8_t>(), 44);
  EXPECT_EQ(Any(-1).cast<uint32_t>(), 4294967295u);
  EXPECT_EQ(ErrorOf([] { Any{~uint64_t{0}}; }),
            "OverflowError: Integer 18446744073709551615 is above the largest int64");
}

}  // namespace
}  // namespace transom
