#include <dlfcn.h>
#include <gtest/gtest.h>
#include <transom/runtime/any.h>
#include <transom/runtime/function.h>

#include <cstdlib>
#include <string>

namespace transom {
namespace {

const std::string kPath = TRANSOM_TEST_LIB_DIR "/registering_lib.so";

void LoadAndClose() {
  void* handle = dlopen(kPath.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
  ASSERT_EQ(dlclose(handle), 0);
}

TEST(RegisteringLibrary, StaysWhenItIsClosed) {
  LoadAndClose();
  const Any note = Function::GetGlobalRequired("test.registering.make")();
  EXPECT_EQ(note.GetTypeKey(), "test.registering.Note");
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(note.type_index());
  ASSERT_EQ(info->num_fields, 1);
  TVMFFIAny text{};
  ASSERT_EQ(info->fields[0].getter(reinterpret_cast<char*>(note.raw()->v_obj) + info->fields[0].offset, &text), 0);
  EXPECT_EQ(Any::FromOwned(text).cast<String>(), "a text that is an object");
  void* again = dlopen(kPath.c_str(), RTLD_NOW | RTLD_NOLOAD);
  EXPECT_NE(again, nullptr);
}

TEST(RegisteringLibraryDeathTest, ItsObjectsOutliveItAtTheEndOfTheProcess) {
  EXPECT_EXIT(
      {
        LoadAndClose();
        static Any note = Function::GetGlobalRequired("test.registering.make")();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace transom
