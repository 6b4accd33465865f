#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/runtime/function.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/error_of.h"

namespace ffi = transom;

TVM_FFI_REGISTER_GLOBAL_FUNC("math.add").set_body([](int64_t a, int64_t b) { return a + b; });

namespace transom {
namespace {

using testing::ErrorOf;

class BoxObj : public Object {
 public:
  int64_t value = 0;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.function.Box", BoxObj, Object);
};
class Box : public ObjectRef {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NULLABLE(Box, ObjectRef, BoxObj);
};

TEST(Function, LayoutIsThatOfTheContract) {
  Function function = Function::FromTyped([](int x) { return x; });
  const auto* cell = reinterpret_cast<const TVMFFIFunctionCell*>(reinterpret_cast<const char*>(function.get()) + 24);
  EXPECT_NE(cell->safe_call, nullptr);
  EXPECT_EQ(cell->cpp_call, nullptr);
  EXPECT_EQ(function->type_index(), kTVMFFIFunction);
}

TEST(Function, ArgumentErrorsNameTheFunction) {
  Function add = Function::FromTyped([](int, const String& text) { return text; }, "test.add");
  EXPECT_EQ(ErrorOf([&] { add(1); }),
            "TypeError: Mismatched number of arguments when calling: `test.add(0: int, 1: str) -> str`. "
            "Expected 2 but got 1 arguments");
  EXPECT_EQ(ErrorOf([&] { add(1.5, "x"); }),
            "TypeError: Mismatched type on argument #0 when calling: `test.add(0: int, 1: str) -> str`. "
            "Expected `int` but got `float`");
  EXPECT_EQ(ErrorOf([&] { add(1, 2); }),
            "TypeError: Mismatched type on argument #1 when calling: `test.add(0: int, 1: str) -> str`. "
            "Expected `str` but got `int`");
  Function nothing = Function::FromTyped([](Box) {});
  EXPECT_EQ(ErrorOf([&] { nothing(1); }),
            "TypeError: Mismatched type on argument #0 when calling: `(0: test.function.Box) -> void`. Expected "
            "`test.function.Box` but got `int`");
}

TEST(Function, CalleesErrorsReachTheCaller) {
  Function fails = Function::FromTyped([](int x) -> int { TRANSOM_THROW(KeyError) << "no " << x; });
  EXPECT_EQ(ErrorOf([&] { fails(3); }), "KeyError: no 3");
  Function throws_standard = Function::FromTyped([] { throw std::logic_error("broken"); });
  EXPECT_EQ(ErrorOf([&] { throws_standard(); }), "InternalError: broken");
  EXPECT_EQ(ErrorOf([] { Function()(); }), "TypeError: Expected a function to call but got NULL");
}

TEST(Function, VoidGivesNone) {
  int calls = 0;
  Function count = Function::FromTyped([&calls] { ++calls; });
  EXPECT_EQ(count().type_index(), kTVMFFINone);
  EXPECT_EQ(calls, 1);
}

TEST(Function, PackedSeesArgumentsAsTheyAre) {
  Function kinds = Function::FromPacked([](PackedArgs args, Any* result) {
    std::string text;
    for (int32_t i = 0; i < args.size(); ++i) text += args[i].GetTypeKey() + ";";
    *result = text;
  });
  TVMFFIByteArray bytes{"abc", 3};
  EXPECT_EQ(kinds(1, true, 1.5, nullptr, "text", &bytes, String("abc"), Box(make_object<BoxObj>())).cast<std::string>(),
            "int;bool;float;None;const char*;TVMFFIByteArray*;ffi.SmallStr;test.function.Box;");
  Function raw = Function::FromPacked([](const AnyView*, int32_t count, Any* result) { *result = count; });
  EXPECT_EQ(raw(1, 2, 3).cast<int>(), 3);
  EXPECT_EQ(raw().cast<int>(), 0);
}

TEST(Function, StringWithEmbeddedNulArrivesWhole) {
  Function size = Function::FromTyped([](const std::string& text) { return text.size(); });
  EXPECT_EQ(size(std::string("0123456789\0abc", 14)).cast<int>(), 14);
  EXPECT_EQ(size(std::string(100, 'x')).cast<int>(), 100);
}

TEST(Function, KeepsWhatItCaptures) {
  Box box(make_object<BoxObj>());
  {
    Function holder = Function::FromTyped([box] { return box; });
    EXPECT_EQ(box.use_count(), 2u);
    EXPECT_TRUE(holder().cast<Box>().same_as(box));
    Function copy = holder;
    EXPECT_EQ(holder.use_count(), 2u);
  }
  EXPECT_EQ(box.use_count(), 1u);
}

TEST(Function, GlobalNames) {
  EXPECT_FALSE(Function::GetGlobal("test.function.absent").has_value());
  EXPECT_EQ(ErrorOf([] { Function::GetGlobalRequired("test.function.absent"); }),
            "ValueError: No function is registered under the name `test.function.absent`; load the library that "
            "registers it first");
  Function one = Function::FromTyped([] { return 1; });
  Function two = Function::FromTyped([] { return 2; });
  Function::SetGlobal("test.function.number", one);
  EXPECT_EQ(
      ErrorOf([&] { Function::SetGlobal("test.function.number", two); }),
      "RuntimeError: Global function `test.function.number` is already registered; ask for override to replace it");
  EXPECT_EQ(Function::GetGlobalRequired("test.function.number")().cast<int>(), 1);
  Function::SetGlobal("test.function.number", two, true);
  EXPECT_EQ(Function::GetGlobalRequired("test.function.number")().cast<int>(), 2);
  EXPECT_EQ(one.use_count(), 1u);
}

TEST(Function, RegistrationMacroRefusesATakenName) {
  auto again = [] {
    detail::GlobalFunctionRegistration("math.add").set_body([](int64_t a, int64_t b) { return a - b; });
  };
  EXPECT_EQ(ErrorOf(again),
            "RuntimeError: Global function `math.add` is already registered; ask for override to replace it");
  detail::GlobalFunctionRegistration("test.function.once").set_body([] { return 1; });
  detail::GlobalFunctionRegistration("test.function.once").set_override().set_body([] { return 2; });
  EXPECT_EQ(Function::GetGlobalRequired("test.function.once")().cast<int>(), 2);
}

TEST(TypedFunction, ConvertsTheResult) {
  TypedFunction<int(int, int)> add = [](int a, int b) { return a + b; };
  EXPECT_EQ(add(2, 3), 5);
  TypedFunction<double(String)> length =
      Function::FromTyped([](const String& s) { return static_cast<int>(s.size()); });
  EXPECT_EQ(length("four"), 4.0);
  TypedFunction<int()> wrong = Function::FromTyped([] { return String("x"); });
  EXPECT_EQ(ErrorOf([&] { wrong(); }), "TypeError: Cannot convert from type `ffi.SmallStr` to `int`");
  TypedFunction<void(int)> nothing = [](auto) {};
  nothing(1);
  Any value = add;
  EXPECT_EQ((value.cast<TypedFunction<int(int, int)>>()(1, 1)), 2);
  EXPECT_EQ((TypeTraits<TypedFunction<int(String)>>::Name()), "(0: str) -> int");
}

TEST(Function, CStateIsReleased) {
  static int released = 0;
  int state = 7;
  auto call = [](void* self, const TVMFFIAny*, int32_t, TVMFFIAny* result) -> int {
    result->type_index = kTVMFFIInt;
    result->v_int64 = *static_cast<int*>(self);
    return 0;
  };
  TVMFFIObjectHandle handle = nullptr;
  CheckCall(TVMFFIFunctionCreate(
      &state, call, [](void*) { ++released; }, &handle));
  {
    Function function(detail::ObjectAccess::Adopt<FunctionObj>(handle));
    EXPECT_EQ(function().cast<int>(), 7);
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
}

TEST(Function, WithoutStateTheCallbackReceivesItsHandle) {
  auto call = [](void* self, const TVMFFIAny*, int32_t, TVMFFIAny* result) -> int {
    result->type_index = kTVMFFIOpaquePtr;
    result->v_ptr = self;
    return 0;
  };
  TVMFFIObjectHandle handle = nullptr;
  CheckCall(TVMFFIFunctionCreate(nullptr, call, nullptr, &handle));
  Function function(detail::ObjectAccess::Adopt<FunctionObj>(handle));
  EXPECT_EQ(function().cast<void*>(), handle);
}

TEST(Function, CalleeRefusesAResultPlaceThatIsInUse) {
  Function one = Function::FromTyped([] { return 1; });
  TVMFFIAny result = Any(one).Release();
  EXPECT_EQ(one->safe_call(detail::ObjectAccess::Header(one), nullptr, 0, &result), -1);
  EXPECT_EQ(ErrorOf([] { CheckCall(-1); }),
            "InternalError: The place of the result holds an object already; set it to None before the call");
  Any::FromOwned(result).reset();
  EXPECT_EQ(one.use_count(), 1u);
}

TEST(Function, TablesCanBeListedByName) {
  const Array<String> keys = Function::GetGlobalRequired("ffi.GetRegisteredTypeKeys")().cast<Array<String>>();
  int32_t last = -2;
  bool has_array = false;
  for (const String& key : keys) {
    const TVMFFIByteArray bytes{key.data(), key.size()};
    int32_t index = 0;
    ASSERT_EQ(TVMFFITypeKeyToIndex(&bytes, &index), 0);
    EXPECT_GT(index, last);
    last = index;
    has_array |= key == "ffi.Array";
  }
  EXPECT_TRUE(has_array);

  Function::SetGlobal("test.listed", Function::FromTyped([] { return 1; }));
  const auto is_listed = [] {
    const Function names = Function::GetGlobalRequired("ffi.FunctionListGlobalNamesFunctor")().cast<Function>();
    for (int64_t i = 0; i < names(-1).cast<int64_t>(); ++i) {
      if (names(i).cast<String>() == "test.listed") return true;
    }
    return false;
  };
  EXPECT_TRUE(is_listed());
  const Function remove = Function::GetGlobalRequired("ffi.FunctionRemoveGlobal");
  EXPECT_TRUE(remove("test.listed").cast<bool>());
  EXPECT_FALSE(remove("test.listed").cast<bool>());
  EXPECT_FALSE(is_listed());
  EXPECT_EQ(ErrorOf([] { Function::GetGlobalRequired("ffi.GetGlobalFuncMetadata")("test.listed"); }),
            "RuntimeError: There is no global function `test.listed`");
}

TEST(Function, ThreadsRegisterAndLookUp) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([i] {
      for (int j = 0; j < 200; ++j) {
        int value = i * 1000 + j;
        Function::SetGlobal("test.thread." + std::to_string(value), Function::FromTyped([value] { return value; }));
        Function::SetGlobal("test.thread.shared", Function::FromTyped([] { return -1; }), true);
      }
    });
    threads.emplace_back([i, &wrong] {
      for (int j = 0; j < 200; ++j) {
        int value = i * 1000 + j;
        if (auto f = Function::GetGlobal("test.thread." + std::to_string(value))) wrong += (*f)().cast<int>() != value;
        if (auto f = Function::GetGlobal("test.thread.shared")) wrong += (*f)().cast<int>() != -1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Function, OfACCallback) {
  int released = 0;
  struct State {
    int number;
    int* released;
  };
  auto call = [](void* self, const TVMFFIAny*, int32_t, TVMFFIAny* result) -> int {
    result->type_index = kTVMFFIInt;
    result->v_int64 = static_cast<State*>(self)->number;
    return 0;
  };
  auto release = [](void* self) {
    ++*static_cast<State*>(self)->released;
    delete static_cast<State*>(self);
  };
  EXPECT_EQ(Function::FromExternC(new State{7, &released}, call, release)().cast<int>(), 7);
  EXPECT_EQ(released, 1);
}

TEST(Function, NamesAreListedAndRemoved) {
  Function::SetGlobal("test.function.removed", Function::FromTyped([] { return 1; }));
  auto is_listed = [] {
    for (const String& name : Function::ListGlobalNames()) {
      if (name == "test.function.removed") return true;
    }
    return false;
  };
  EXPECT_TRUE(is_listed());
  EXPECT_TRUE(Function::RemoveGlobal("test.function.removed"));
  EXPECT_FALSE(Function::RemoveGlobal("test.function.removed"));
  EXPECT_FALSE(is_listed());
  EXPECT_FALSE(Function::GetGlobal("test.function.removed").has_value());
}

TEST(Function, OneThatWasRemovedLivesAsLongAsItIsHeld) {
  Box box(make_object<BoxObj>());
  Function::SetGlobal("test.function.held", Function::FromTyped([box] { return box; }));
  Function held = Function::GetGlobalRequired("test.function.held");
  Function::RemoveGlobal("test.function.held");
  EXPECT_TRUE(held().cast<Box>().same_as(box));
  held = nullptr;
  EXPECT_EQ(box.use_count(), 1u);
}

}  // namespace
}  // namespace transom
