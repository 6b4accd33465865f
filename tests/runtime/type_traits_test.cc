#include <gtest/gtest.h>
#include <transom/runtime/any.h>
#include <transom/runtime/function.h>
#include <transom/runtime/type_traits.h>

#include <optional>
#include <string>

namespace transom {
namespace {

class NodeObj : public Object {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.traits.Node", NodeObj, Object);
};
class Node : public ObjectRef {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NULLABLE(Node, ObjectRef, NodeObj);
};
// A type of a user, who says how it travels.
struct Celsius {
  double degrees;
};

}  // namespace

template <>
struct TypeTraits<Celsius> : detail::PodTraits<Celsius, TypeTraits<Celsius>> {
  static constexpr int32_t kFieldTypeIndex = kTVMFFIFloat;
  static void ToView(Celsius src, TVMFFIAny* out) { TypeTraits<double>::ToView(src.degrees, out); }
  static bool Is(const TVMFFIAny* value) { return TypeTraits<double>::Is(value); }
  static Celsius Get(const TVMFFIAny* value) { return {TypeTraits<double>::Get(value)}; }
  static std::optional<Celsius> TryCast(const TVMFFIAny* value) {
    std::optional<double> degrees = TypeTraits<double>::TryCast(value);
    if (!degrees || *degrees < -273.15) return std::nullopt;
    return Celsius{*degrees};
  }
  static std::string Name() { return "Celsius"; }
  static std::string Schema() { return detail::SchemaOf("float"); }
};

namespace {

TEST(TypeTraits, NamesInErrors) {
  EXPECT_EQ(TypeTraits<int8_t>::Name(), "int");
  EXPECT_EQ(TypeTraits<float>::Name(), "float");
  EXPECT_EQ(TypeTraits<std::nullptr_t>::Name(), "None");
  EXPECT_EQ(TypeTraits<String>::Name(), "str");
  EXPECT_EQ(TypeTraits<std::string>::Name(), "std::string");
  EXPECT_EQ(TypeTraits<const char*>::Name(), "const char*");
  EXPECT_EQ(TypeTraits<ObjectRef>::Name(), "ffi.Object");
  EXPECT_EQ(TypeTraits<Node>::Name(), "test.traits.Node");
  EXPECT_EQ(TypeTraits<ObjectPtr<NodeObj>>::Name(), "test.traits.Node");
  EXPECT_EQ(TypeTraits<std::optional<Node>>::Name(), "Optional<test.traits.Node>");
  EXPECT_EQ(TypeTraits<Any>::Name(), "Any");
}

TEST(TypeTraits, Schemas) {
  EXPECT_EQ(TypeTraits<bool>::Schema(), R"({"type":"bool"})");
  EXPECT_EQ(TypeTraits<std::string>::Schema(), R"({"type":"ffi.String"})");
  EXPECT_EQ(TypeTraits<std::optional<int>>::Schema(), R"({"type":"Optional","args":[{"type":"int"}]})");
  EXPECT_EQ((TypeTraits<TypedFunction<void(Node)>>::Schema()),
            R"({"type":"ffi.Function","args":[{"type":"None"},{"type":"test.traits.Node"}]})");
}

TEST(TypeTraits, WhatMayBeStored) {
  EXPECT_TRUE(TypeTraits<int64_t>::kStorable && TypeTraits<String>::kStorable && TypeTraits<Node>::kStorable &&
              TypeTraits<Any>::kStorable);
  EXPECT_FALSE(TypeTraits<std::string>::kStorable || TypeTraits<const char*>::kStorable ||
               TypeTraits<AnyView>::kStorable || TypeTraits<std::optional<int>>::kStorable);
  struct Unknown {};
  EXPECT_FALSE(TypeTraits<Unknown>::kConvertible);
}

TEST(TypeTraits, UsersTypesTravelEverywhere) {
  Any value = Celsius{20.5};
  EXPECT_EQ(value.type_index(), kTVMFFIFloat);
  EXPECT_EQ(value.cast<Celsius>().degrees, 20.5);
  EXPECT_EQ(TypeTraits<Celsius>::kFieldTypeIndex, value.type_index());
  Function warmer = Function::FromTyped([](Celsius t) { return Celsius{t.degrees + 1}; }, "warmer");
  EXPECT_EQ(warmer(1).cast<double>(), 2.0);
  try {
    warmer(-300);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(
        error.message(),
        "Mismatched type on argument #0 when calling: `warmer(0: Celsius) -> Celsius`. Expected `Celsius` but got "
        "`int`");
  }
}

}  // namespace
}  // namespace transom
