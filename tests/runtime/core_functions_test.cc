#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/shape.h>
#include <transom/runtime/function.h>
#include <transom/runtime/visit_interrupt.h>

#include <string>

#include "support/error_of.h"

namespace transom {
namespace {

using testing::ErrorOf;

Function Global(const char* name) { return Function::GetGlobalRequired(name); }

std::string Metadata(const char* name) { return Global("ffi.GetGlobalFuncMetadata")(name).cast<String>(); }

TEST(CoreFunctions, TextsAndBytesAreOwned) {
  EXPECT_EQ(Global("ffi.String")("a text that is an object").type_index(), kTVMFFIStr);
  EXPECT_EQ(Global("ffi.String")("short").type_index(), kTVMFFISmallStr);
  const TVMFFIByteArray bytes{"a\0b", 3};
  TVMFFIAny view{};
  view.type_index = kTVMFFIByteArrayPtr;
  view.v_ptr = const_cast<TVMFFIByteArray*>(&bytes);
  EXPECT_EQ(Global("ffi.Bytes")(AnyView::FromRaw(view)).cast<Bytes>(), Bytes("a\0b", 3));
  EXPECT_EQ(ErrorOf([] { Global("ffi.String")(1); }),
            "TypeError: Mismatched type on argument #0 when calling: `ffi.String(0: str) -> str`. Expected `str` but "
            "got `int`");
}

TEST(CoreFunctions, Shapes) {
  EXPECT_EQ(Global("ffi.Shape")(2, 3, true).cast<Shape>(), Shape({2, 3, 1}));
  EXPECT_EQ(Global("ffi.Shape")().cast<Shape>(), Shape());
  EXPECT_EQ(ErrorOf([] { Global("ffi.Shape")(2, "x"); }),
            "ValueError: Expected the extents of a shape as integers but argument #1 is a `const char*`");
  EXPECT_EQ(ErrorOf([] { Global("ffi.Shape")(2.5); }),
            "ValueError: Expected the extents of a shape as integers but argument #0 is a `float`");
}

TEST(CoreFunctions, SentinelsAreTwoObjects) {
  const ObjectRef invalid = Global("ffi.GetInvalidObject")().cast<ObjectRef>();
  const ObjectRef kwargs = Global("ffi.GetKwargsObject")().cast<ObjectRef>();
  EXPECT_EQ(invalid.type_index(), kTVMFFIObject);
  EXPECT_EQ(kwargs.type_index(), kTVMFFIObject);
  EXPECT_FALSE(invalid.same_as(kwargs));
  EXPECT_TRUE(Global("ffi.GetInvalidObject")().cast<ObjectRef>().same_as(invalid));
}

int deleted_states = 0;

TEST(CoreFunctions, FunctionsOfCallbacks) {
  struct Callback {
    static int Call(void* self, const TVMFFIAny*, int32_t num_args, TVMFFIAny* result) {
      result->type_index = kTVMFFIInt;
      result->v_int64 = *static_cast<int*>(self) + num_args;
      return 0;
    }
    static void Delete(void*) { ++deleted_states; }
  };
  int state = 40;
  {
    const Function made =
        Global("ffi.FunctionFromExternC")(static_cast<void*>(&state), reinterpret_cast<void*>(&Callback::Call),
                                          reinterpret_cast<void*>(&Callback::Delete))
            .cast<Function>();
    EXPECT_EQ(made(0, 0).cast<int64_t>(), 42);
    EXPECT_EQ(deleted_states, 0);
  }
  EXPECT_EQ(deleted_states, 1);
  EXPECT_EQ(ErrorOf([] { Global("ffi.FunctionFromExternC")(nullptr, nullptr, nullptr); }),
            "TypeError: Expected a function to call but got NULL");
}

TEST(CoreFunctions, HaveSchemas) {
  EXPECT_EQ(Metadata("ffi.Shape"), R"({"type_schema":"{\"type\":\"ffi.Function\"}"})");
  EXPECT_EQ(
      Metadata("ffi.FunctionRemoveGlobal"),
      R"({"type_schema":"{\"type\":\"ffi.Function\",\"args\":[{\"type\":\"bool\"},{\"type\":\"ffi.String\"}]}"})");
  EXPECT_EQ(
      Metadata("ffi.ListEraseRange"),
      R"({"type_schema":"{\"type\":\"ffi.Function\",\"args\":[{\"type\":\"None\"},{\"type\":\"ffi.List\",\"args\":[{\"type\":\"Any\"}]},{\"type\":\"int\"},{\"type\":\"int\"}]}"})");
}

TEST(VisitInterrupt, IsReflectedWithADefault) {
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(kTVMFFIVisitInterrupt);
  ASSERT_NE(info->metadata, nullptr);
  EXPECT_EQ(info->metadata->total_size, 40);
  EXPECT_NE(info->metadata->creator, nullptr);
  ASSERT_EQ(info->num_fields, 1);
  EXPECT_STREQ(info->fields[0].name.data, "value");
  EXPECT_EQ(info->fields[0].offset, 24);
  EXPECT_EQ(info->fields[0].flags, kTVMFFIFieldFlagBitMaskHasDefault);
  EXPECT_EQ(info->fields[0].default_value_or_factory.type_index, kTVMFFINone);
  EXPECT_EQ(VisitInterrupt(5)->value.cast<int64_t>(), 5);
  EXPECT_EQ(VisitInterrupt()->value, nullptr);
}

}  // namespace
}  // namespace transom
