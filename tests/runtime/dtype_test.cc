#include <gtest/gtest.h>
#include <transom/runtime/dtype.h>
#include <transom/runtime/function.h>

#include <sstream>
#include <string>

namespace transom {
namespace {

TEST(DataType, TextOfTypes) {
  EXPECT_EQ(DataType().ToString(), "");
  EXPECT_EQ(DataType::Bool().ToString(), "bool");
  EXPECT_EQ(DataType::Bool(4).ToString(), "boolx4");
  EXPECT_EQ(DataType(kTransomDLBool, 1, 1).ToString(), "bool1");
  EXPECT_EQ(DataType::Int(8).ToString(), "int8");
  EXPECT_EQ(DataType::UInt(64, 2).ToString(), "uint64x2");
  EXPECT_EQ(DataType::Float(32, -4).ToString(), "float32xvscalex4");
  EXPECT_EQ(DataType(kTransomDLBfloat, 16, 1).ToString(), "bfloat16");
  EXPECT_EQ(DataType(kTransomDLFloat8_e4m3fn, 8, 4).ToString(), "float8_e4m3fnx4");
  EXPECT_EQ(DataType(kTransomDLFloat4_e2m1fn, 4, 2).ToString(), "float4_e2m1fnx2");
  EXPECT_EQ(DataType(kTransomDLOpaqueHandle, 64, 1).ToString(), "handle");
  EXPECT_THROW(DataType(kTransomDLComplex, 64, 1).ToString(), Error);
  EXPECT_THROW(DataType(99, 8, 1).ToString(), Error);
  std::ostringstream stream;
  stream << DataType::Int(32);
  EXPECT_EQ(stream.str(), "int32");
}

TEST(DataType, TypesOfText) {
  auto parse = [](const char* text) { return DataType::FromString(text); };
  EXPECT_EQ(parse(""), DataType());
  EXPECT_EQ(parse("void"), DataType());
  EXPECT_EQ(parse("int"), DataType::Int(32));
  EXPECT_EQ(parse("int0"), DataType::Int(32));
  EXPECT_EQ(parse("i8x4"), DataType::Int(8, 4));
  EXPECT_EQ(parse("u16"), DataType::UInt(16));
  EXPECT_EQ(parse("f64"), DataType::Float(64));
  EXPECT_EQ(parse("bf16"), DataType(kTransomDLBfloat, 16, 1));
  EXPECT_EQ(parse("bfloat"), DataType(kTransomDLBfloat, 16, 1));
  EXPECT_EQ(parse("bool"), DataType::Bool());
  EXPECT_EQ(parse("handle"), DataType(kTransomDLOpaqueHandle, 64, 1));
  EXPECT_EQ(parse("fp8_e5m2"), DataType(kTransomDLFloat8_e5m2, 8, 1));
  EXPECT_EQ(parse("f6_e2m3fnx8"), DataType(kTransomDLFloat6_e2m3fn, 6, 8));
  EXPECT_EQ(parse("float4_e2m1fn_x2"), DataType(kTransomDLFloat4_e2m1fn, 4, 2));
  EXPECT_EQ(parse("int8xvscalex16"), DataType(kTransomDLInt, 8, -16));
  EXPECT_EQ(parse("int32x65535").lanes, 65535);
}

TEST(DataType, EveryNamedTypeSurvivesItsText) {
  for (int code = 0; code <= kTransomDLFloat4_e2m1fn; ++code) {
    if (code == kTransomDLComplex || code == kTransomDLOpaqueHandle) continue;
    for (int lanes : {1, 2, 16, 32767}) {
      int bits = code < 5 ? 16 : code < kTransomDLFloat6_e2m3fn ? 8 : code == kTransomDLFloat4_e2m1fn ? 4 : 6;
      DataType dtype(code, bits, lanes);
      EXPECT_EQ(DataType::FromString(dtype.ToString()), dtype) << dtype.ToString();
    }
  }
}

TEST(DataType, BadTextIsAValueErrorThatShowsIt) {
  for (const char* text : {"int99999",
                           "int256",
                           "float32x0",
                           "float32x",
                           "float32x65536",
                           "float32 ",
                           " float32",
                           "float32x4x4",
                           "foo",
                           "float8_",
                           "float8_e4m3fn16",
                           "float8_e4m3fnxvscalex4",
                           "float8_e4m3fn_x2",
                           "float4_e2m1fn_",
                           "i",
                           "f",
                           "bf",
                           "u",
                           "int-8",
                           "int8xvscalex0",
                           "int8xvscalex40000",
                           "voidx2",
                           "Int32",
                           "custom[",
                           "custom[x]",
                           "x4"}) {
    try {
      DataType::FromString(text);
      ADD_FAILURE() << text << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), "ValueError") << text;
      EXPECT_NE(error.message().find("`" + std::string(text) + "`"), std::string_view::npos) << error.message();
    }
  }
}

TEST(DataType, CustomTypesHaveRegisteredNames) {
  Function::SetGlobal("dtype.get_custom_type_code", Function::FromTyped([](const String& name) {
                        TRANSOM_CHECK(name == "posit", ValueError) << "unknown";
                        return 130;
                      }));
  Function::SetGlobal("dtype.get_custom_type_name", Function::FromTyped([](int64_t code) {
                        TRANSOM_CHECK(code == 130, ValueError) << "unknown";
                        return String("posit");
                      }));
  EXPECT_EQ(DataType::FromString("custom[posit]16x2"), DataType(130, 16, 2));
  EXPECT_EQ(DataType(130, 32, 2).ToString(), "custom[posit]x2");
  EXPECT_THROW(DataType::FromString("custom[other]"), Error);
}

}  // namespace
}  // namespace transom
