// Functions of the C contract that make objects and handles: allocators, opaque objects, handles made once, tensor
// views.
#include <gtest/gtest.h>
#include <transom/containers/tensor.h>
#include <transom/runtime/any.h>
#include <transom/runtime/c_api.h>
#include <transom/runtime/error.h>
#include <transom/runtime/function.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "support/error_of.h"

namespace transom {
namespace {

using testing::ErrorOf;

TVMFFIObjectAllocHeader* AllocHeader(void* body) { return static_cast<TVMFFIObjectAllocHeader*>(body) - 1; }

TEST(CustomAllocator, DefaultGivesAlignedBodiesWithAHeader) {
  TVMFFICustomAllocator* allocator = TVMFFIGetCustomAllocator();
  ASSERT_NE(allocator, nullptr);
  for (size_t alignment : {8, 16, 32, 64, 4096}) {
    for (size_t size : {0, 1, 40, 5000}) {
      void* body = allocator->allocate(size, alignment, kTVMFFIObject, allocator->context);
      ASSERT_NE(body, nullptr);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(body) % alignment, 0u);
      std::memset(body, 0xff, size);
      ASSERT_NE(AllocHeader(body)->delete_space, nullptr);
      AllocHeader(body)->delete_space(body);
    }
  }
}

TEST(CustomAllocator, ShortMemoryIsAnError) {
  TVMFFICustomAllocator* allocator = TVMFFIGetCustomAllocator();
  EXPECT_EQ(allocator->allocate(SIZE_MAX, 16, kTVMFFIObject, allocator->context), nullptr);
  EXPECT_EQ(ErrorOf([] { CheckCall(-1); }), "MemoryError: Out of memory");
}

TEST(CustomAllocator, AlignmentsArePowersOfTwo) {
  TVMFFICustomAllocator* allocator = TVMFFIGetCustomAllocator();
  for (size_t alignment : {0, 24, 48}) {
    EXPECT_EQ(allocator->allocate(8, alignment, kTVMFFIObject, allocator->context), nullptr);
    EXPECT_EQ(ErrorOf([] { CheckCall(-1); }), "ValueError: Expected an alignment that is a power of 2");
  }
}

TEST(CustomAllocator, CanBeReplacedAndRestored) {
  TVMFFICustomAllocator* original = TVMFFIGetCustomAllocator();
  static TVMFFICustomAllocator other = *original;
  ASSERT_EQ(TVMFFISetCustomAllocator(&other), 0);
  EXPECT_EQ(TVMFFIGetCustomAllocator(), &other);
  ASSERT_EQ(TVMFFISetCustomAllocator(nullptr), 0);
  EXPECT_EQ(TVMFFIGetCustomAllocator(), original);
}

TEST(OpaqueObject, HoldsAHandleUntilItDies) {
  static std::vector<void*> deleted;
  int value = 0;
  TVMFFIObjectHandle handle = nullptr;
  ASSERT_EQ(TVMFFIObjectCreateOpaque(
                &value, kTVMFFIOpaquePyObject, [](void* opaque) { deleted.push_back(opaque); }, &handle),
            0);
  auto* header = static_cast<TVMFFIObject*>(handle);
  EXPECT_EQ(header->type_index, kTVMFFIOpaquePyObject);
  EXPECT_EQ(reinterpret_cast<TVMFFIOpaqueObjectCell*>(header + 1)->handle, &value);
  ASSERT_EQ(TVMFFIObjectIncRef(handle), 0);
  TVMFFIObjectDecRef(handle);
  EXPECT_TRUE(deleted.empty());
  TVMFFIObjectDecRef(handle);
  EXPECT_EQ(deleted, std::vector<void*>{&value});
}

TEST(OpaqueObject, NeedsNoDeleterButTheOneType) {
  TVMFFIObjectHandle handle = nullptr;
  ASSERT_EQ(TVMFFIObjectCreateOpaque(nullptr, kTVMFFIOpaquePyObject, nullptr, &handle), 0);
  TVMFFIObjectDecRef(handle);
  EXPECT_EQ(ErrorOf([&] { CheckCall(TVMFFIObjectCreateOpaque(nullptr, kTVMFFIModule, nullptr, &handle)); }),
            "RuntimeError: Expected the type index of `ffi.OpaquePyObject`, 74, but got 73");
}

std::atomic<int> inits{0};
int a_handle = 0;

TEST(HandleInitOnce, RunsOnceForAllThreads) {
  static void* handle = nullptr;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([] {
      EXPECT_EQ(TVMFFIHandleInitOnce(&handle,
                                     [](void** out) {
                                       ++inits;
                                       *out = &a_handle;
                                       return 0;
                                     }),
                0);
      EXPECT_EQ(__atomic_load_n(&handle, __ATOMIC_ACQUIRE), &a_handle);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(inits, 1);
  static void* released = nullptr;
  EXPECT_EQ(TVMFFIHandleDeinitOnce(&handle, [](void* old) { return (released = old, 5); }), 5);
  EXPECT_EQ(released, &a_handle);
  EXPECT_EQ(handle, nullptr);
  EXPECT_EQ(TVMFFIHandleDeinitOnce(&handle, [](void*) { return 5; }), 0);
}

TEST(HandleInitOnce, FailuresCanBeTriedAgain) {
  void* handle = nullptr;
  EXPECT_EQ(TVMFFIHandleInitOnce(&handle, [](void**) { return 7; }), 7);
  EXPECT_EQ(handle, nullptr);
  EXPECT_EQ(ErrorOf([&] { CheckCall(TVMFFIHandleInitOnce(&handle, [](void**) { return 0; })); }),
            "RuntimeError: The initialisation of a handle succeeded with NULL");
  EXPECT_EQ(TVMFFIHandleInitOnce(&handle, [](void** out) { return (*out = &a_handle, 0); }), 0);
  EXPECT_EQ(handle, &a_handle);
}

void* outer = nullptr;
void* inner = nullptr;

TEST(HandleInitOnce, MayNeedOtherHandlesButNotItself) {
  ASSERT_EQ(TVMFFIHandleInitOnce(&outer,
                                 [](void** out) {
                                   *out = &a_handle;
                                   return TVMFFIHandleInitOnce(&inner,
                                                               [](void** made) { return (*made = &a_handle, 0); });
                                 }),
            0);
  EXPECT_EQ(inner, &a_handle);
  outer = nullptr;
  EXPECT_EQ(ErrorOf([] {
              CheckCall(TVMFFIHandleInitOnce(
                  &outer, [](void**) { return TVMFFIHandleInitOnce(&outer, [](void**) { return 0; }); }));
            }),
            "RuntimeError: The initialisation of a handle needs the handle itself");
  EXPECT_EQ(outer, nullptr);
}

TEST(TensorView, KeepsItsSourceAndCopiesTheShape) {
  Tensor source = Tensor::Empty({4, 6}, {kDLFloat, 32, 1});
  TVMFFIObjectHandle handle = nullptr;
  {
    int64_t shape[] = {2, 3};
    int64_t strides[] = {12, 2};
    DLTensor prototype = *source.get();
    prototype.ndim = 2;
    prototype.shape = shape;
    prototype.strides = strides;
    prototype.byte_offset = 8;
    ASSERT_EQ(TVMFFITensorCreateUnsafeView(detail::ObjectAccess::Header(source), &prototype, &handle), 0);
    shape[0] = strides[0] = 0;
  }
  const Tensor view(detail::ObjectAccess::Adopt<TensorObj>(handle));
  EXPECT_EQ(view.shape(), ShapeView({2, 3}));
  EXPECT_EQ(view.strides(), ShapeView({12, 2}));
  EXPECT_EQ(view->data, source->data);
  EXPECT_EQ(view->byte_offset, 8u);
  EXPECT_EQ(source.use_count(), 2u);
  source = Tensor();
  static_cast<float*>(view.data_ptr())[0] = 1.0f;  // The memory is still there.
}

TEST(TensorView, WrongUse) {
  const Tensor source = Tensor::Empty({4}, {kDLFloat, 32, 1});
  TVMFFIObjectHandle out = nullptr;
  auto error = [&](TVMFFIObjectHandle from, const DLTensor* prototype) {
    return ErrorOf([&] { CheckCall(TVMFFITensorCreateUnsafeView(from, prototype, &out)); });
  };
  TVMFFIObjectHandle handle = detail::ObjectAccess::Header(source);
  EXPECT_EQ(error(handle, nullptr), "RuntimeError: Expected a tensor that describes the view but got NULL");
  EXPECT_EQ(error(nullptr, source.get()), "TypeError: Expected a `ffi.Tensor` object");
  const Any text = String("no tensor, but an object");
  EXPECT_EQ(error(text.raw()->v_obj, source.get()), "TypeError: Expected a `ffi.Tensor` object");
  DLTensor prototype = *source.get();
  prototype.strides = nullptr;
  EXPECT_EQ(error(handle, &prototype), "InternalError: Expected the strides of the view but got NULL");
  prototype = *source.get();
  prototype.ndim = -1;
  EXPECT_EQ(error(handle, &prototype), "RuntimeError: Expected a tensor of rank 0 or more but got -1");
  prototype = *source.get();
  prototype.device.device_type = static_cast<DLDeviceType>(0);
  EXPECT_EQ(error(handle, &prototype),
            "RuntimeError: Expected the number of a DLPack device type, which is above 0, but got 0");
}

TEST(WrongUse, NullWhereSomethingMustBe) {
  TVMFFIAny value{};
  TVMFFIObjectHandle handle = nullptr;
  int32_t index = 0;
  DLDataType dtype{};
  const TVMFFIByteArray name{"f", 1};
  const TVMFFIByteArray null_bytes{nullptr, 3};
  auto error = [](int code) { return ErrorOf([&] { CheckCall(code); }); };
  EXPECT_EQ(error(TVMFFIObjectIncRef(nullptr)), "TypeError: Expected an object but got NULL");
  EXPECT_EQ(TVMFFIObjectDecRef(nullptr), 0);
  EXPECT_EQ(error(TVMFFIAnyViewToOwnedAny(nullptr, &value)), "TypeError: Expected a value but got NULL");
  EXPECT_EQ(error(TVMFFIAnyViewToOwnedAny(&value, nullptr)), "TypeError: Expected a place for the result but got NULL");
  EXPECT_EQ(error(TVMFFIStringFromByteArray(nullptr, &value)), "TypeError: Expected a text but got NULL");
  EXPECT_EQ(error(TVMFFIStringFromByteArray(&null_bytes, &value)), "TypeError: Expected a text but got NULL");
  EXPECT_EQ(error(TVMFFIBytesFromByteArray(&null_bytes, &value)), "TypeError: Expected bytes but got NULL");
  EXPECT_EQ(error(TVMFFIBigIntFromByteArray(nullptr, &value)),
            "TypeError: Expected the bytes of an integer but got NULL");
  EXPECT_EQ(TVMFFIBigIntGetContentByteArray(nullptr).data, nullptr);
  EXPECT_EQ(error(TVMFFIDataTypeFromString(nullptr, &dtype)),
            "TypeError: Expected the text of a data type but got NULL");
  EXPECT_EQ(error(TVMFFIDataTypeToString(nullptr, &value)), "TypeError: Expected a data type but got NULL");
  EXPECT_EQ(error(TVMFFITypeKeyToIndex(nullptr, &index)), "TypeError: Expected the key of a type but got NULL");
  EXPECT_EQ(error(TVMFFITypeRegisterField(kTVMFFIObject, nullptr)),
            "TypeError: Expected the record of a field but got NULL");
  EXPECT_EQ(error(TVMFFITypeRegisterMethod(kTVMFFIObject, nullptr)),
            "TypeError: Expected the record of a method but got NULL");
  EXPECT_EQ(error(TVMFFITypeRegisterMetadata(kTVMFFIObject, nullptr)), "TypeError: Expected metadata but got NULL");
  EXPECT_EQ(error(TVMFFITypeRegisterAttr(kTVMFFIObject, nullptr, &value)),
            "TypeError: Expected the name of an attribute but got NULL");
  EXPECT_EQ(error(TVMFFIFunctionCreate(nullptr, nullptr, nullptr, &handle)),
            "TypeError: Expected a function to call but got NULL");
  EXPECT_EQ(error(TVMFFIFunctionGetGlobal(nullptr, &handle)),
            "TypeError: Expected the name of a function but got NULL");
  EXPECT_EQ(error(TVMFFIFunctionSetGlobal(nullptr, nullptr, 0)),
            "TypeError: Expected the name of a function but got NULL");
  EXPECT_EQ(error(TVMFFIFunctionSetGlobal(&name, nullptr, 0)), "TypeError: Cannot register NULL as the function `f`");
  EXPECT_EQ(error(TVMFFIFunctionSetGlobalFromMethodInfo(nullptr, 0)),
            "TypeError: Expected the record of a function but got NULL");
  EXPECT_EQ(error(TVMFFIHandleInitOnce(nullptr, nullptr)), "TypeError: Expected the place of a handle but got NULL");
  EXPECT_EQ(error(TVMFFIHandleInitOnce(&handle, nullptr)),
            "TypeError: Expected a function that makes the handle but got NULL");
  TVMFFIErrorSetRaisedFromCStr(nullptr, nullptr);
  EXPECT_EQ(error(-1), "RuntimeError: ");
  TVMFFIErrorSetRaisedFromCStrParts("ValueError", nullptr, 2);
  EXPECT_EQ(error(-1), "ValueError: ");
}

TEST(WrongUse, CallsOfWhatIsNoFunction) {
  TVMFFIAny result{};
  EXPECT_EQ(ErrorOf([&] { CheckCall(TVMFFIFunctionCall(nullptr, nullptr, 0, &result)); }),
            "TypeError: Expected a `ffi.Function` to call but got NULL");
  const Any text = String("no function, but an object");
  EXPECT_EQ(ErrorOf([&] { CheckCall(TVMFFIFunctionCall(text.raw()->v_obj, nullptr, 0, &result)); }),
            "TypeError: Expected a `ffi.Function` to call but got `ffi.String`");
}

TEST(WrongUse, TypeIndicesThatWereNeverGivenOut) {
  const Function twice = Function::FromTyped([](int64_t x) { return 2 * x; }, "twice");
  for (int32_t index : {-5, 14, 63}) {
    TVMFFIAny value{};
    value.type_index = index;
    const AnyView view = AnyView::FromRaw(value);
    EXPECT_EQ(ErrorOf([&] { twice(view); }),
              "TypeError: Mismatched type on argument #0 when calling: `twice(0: int) -> int`. Expected `int` but got "
              "`unknown type " +
                  std::to_string(index) + "`");
  }
  TVMFFIFieldInfo field{};
  field.name = {"x", 1};
  for (int32_t index : {-5, 14, 63, 100, INT32_MAX}) {
    EXPECT_EQ(ErrorOf([&] { CheckCall(TVMFFITypeRegisterField(index, &field)); }),
              "InternalError: No type has the index " + std::to_string(index));
  }
}

TEST(WrongUse, TextsWithAnEmbeddedNulAreWholeTexts) {
  const TVMFFIByteArray name{"test.nul\0tail", 13};
  const Function one = Function::FromTyped([] { return 1; });
  ASSERT_EQ(TVMFFIFunctionSetGlobal(&name, detail::ObjectAccess::Header(one), 0), 0);
  EXPECT_FALSE(Function::GetGlobal("test.nul").has_value());
  EXPECT_TRUE(Function::GetGlobal(std::string_view("test.nul\0tail", 13)).has_value());
  const TVMFFIByteArray dtype_text{"int8\0x4", 7};
  DLDataType dtype;
  EXPECT_EQ(ErrorOf([&] { CheckCall(TVMFFIDataTypeFromString(&dtype_text, &dtype)); }).rfind("ValueError: ", 0), 0u);
}

TEST(FrontEnd, SymbolOfTheTestLibraryIsThere) { EXPECT_EQ(TVMFFITestingDummyTarget(), 0); }

}  // namespace
}  // namespace transom
