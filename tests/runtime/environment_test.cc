#include <gtest/gtest.h>
#include <transom/containers/tensor.h>
#include <transom/runtime/c_env_api.h>
#include <transom/runtime/error.h>

#include <string>
#include <thread>
#include <vector>

#include "support/error_of.h"

namespace transom {
namespace {

using testing::ErrorOf;

void* Stream(uintptr_t number) { return reinterpret_cast<void*>(number); }

TEST(Environment, StreamsBelongToADeviceAndAThread) {
  void* before = Stream(1);
  ASSERT_EQ(TVMFFIEnvSetStream(kDLCUDA, 3, Stream(7), &before), 0);
  EXPECT_EQ(before, nullptr);
  ASSERT_EQ(TVMFFIEnvSetStream(kDLCUDA, 3, Stream(8), &before), 0);
  EXPECT_EQ(before, Stream(7));
  EXPECT_EQ(TVMFFIEnvGetStream(kDLCUDA, 3), Stream(8));
  EXPECT_EQ(TVMFFIEnvGetStream(kDLCUDA, 2), nullptr);
  EXPECT_EQ(TVMFFIEnvGetStream(kDLROCM, 3), nullptr);
  EXPECT_EQ(TVMFFIEnvGetStream(-1, -1), nullptr);
  std::thread([] {
    EXPECT_EQ(TVMFFIEnvGetStream(kDLCUDA, 3), nullptr);
    EXPECT_EQ(TVMFFIEnvSetStream(kDLCUDA, 3, Stream(9), nullptr), 0);
  }).join();
  EXPECT_EQ(TVMFFIEnvGetStream(kDLCUDA, 3), Stream(8));
  ASSERT_EQ(TVMFFIEnvSetStream(kDLCUDA, 3, nullptr, nullptr), 0);
}

TEST(Environment, StreamsOfDevicesThatCannotBe) {
  EXPECT_EQ(ErrorOf([] { CheckCall(TVMFFIEnvSetStream(kDLCUDA, -1, nullptr, nullptr)); }),
            "ValueError: Expected a device type and number of at least 0 but got 2 and -1");
  EXPECT_EQ(ErrorOf([] { CheckCall(TVMFFIEnvSetStream(-2, 0, nullptr, nullptr)); }),
            "ValueError: Expected a device type and number of at least 0 but got -2 and 0");
}

TEST(Environment, StreamsCanBeReadWhileAThreadEnds) {
  static void* read = Stream(1);
  struct AtEnd {
    bool used = false;
    ~AtEnd() { read = TVMFFIEnvGetStream(kDLCUDA, 0); }
  };
  std::thread([] {
    thread_local AtEnd at_end;
    at_end.used = true;
    TVMFFIEnvSetStream(kDLCUDA, 0, Stream(7), nullptr);
  }).join();
  EXPECT_TRUE(read == nullptr || read == Stream(7));
}

// An allocator for the host; it fails as it is told.
enum class Failure { kNone, kError, kNoTensor, kNoData };
Failure failure = Failure::kNone;
int64_t live_tensors = 0;

int Allocate(DLTensor* prototype, DLManagedTensorVersioned** out, void* error_ctx,
             void (*set_error)(void* error_ctx, const char* kind, const char* message)) {
  if (failure == Failure::kError) {
    set_error(error_ctx, "MemoryError", "no memory on this device");
    return 3;
  }
  if (failure == Failure::kNoTensor) return 0;
  const ShapeView shape(prototype->shape, static_cast<size_t>(prototype->ndim));
  DLManagedTensorVersioned* record = Tensor::Empty(shape, prototype->dtype).ToDLPackVersioned();
  static void (*release)(DLManagedTensorVersioned*) = record->deleter;
  record->deleter = [](DLManagedTensorVersioned* self) {
    --live_tensors;
    release(self);
  };
  if (failure == Failure::kNoData) record->dl_tensor.data = nullptr;
  ++live_tensors;
  *out = record;
  return 0;
}
int AllocateOtherwise(DLTensor* prototype, DLManagedTensorVersioned** out, void* error_ctx,
                      void (*set_error)(void*, const char*, const char*)) {
  return Allocate(prototype, out, error_ctx, set_error);
}

class TensorAllocator : public ::testing::Test {
 protected:
  ~TensorAllocator() override { TVMFFIEnvSetDLPackManagedTensorAllocator(nullptr, 1, nullptr); }

  int Alloc(TVMFFIObjectHandle* out) {
    int64_t shape[] = {2, 3};
    DLTensor prototype{nullptr, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, nullptr, 0};
    return TVMFFIEnvTensorAlloc(&prototype, out);
  }
  std::string AllocError() {
    TVMFFIObjectHandle handle = nullptr;
    return ErrorOf([&] { CheckCall(Alloc(&handle)); });
  }
};

TEST_F(TensorAllocator, IsOfTheThreadElseOfTheProcess) {
  EXPECT_EQ(TVMFFIEnvGetDLPackManagedTensorAllocator(), nullptr);
  DLPackManagedTensorAllocator before = &Allocate;
  ASSERT_EQ(TVMFFIEnvSetDLPackManagedTensorAllocator(&Allocate, 0, &before), 0);
  EXPECT_EQ(before, nullptr);
  std::thread([] { EXPECT_EQ(TVMFFIEnvGetDLPackManagedTensorAllocator(), nullptr); }).join();
  ASSERT_EQ(TVMFFIEnvSetDLPackManagedTensorAllocator(&AllocateOtherwise, 1, &before), 0);
  EXPECT_EQ(before, &Allocate);
  std::thread([] {
    EXPECT_EQ(TVMFFIEnvGetDLPackManagedTensorAllocator(), &AllocateOtherwise);
    DLPackManagedTensorAllocator own = &Allocate;
    TVMFFIEnvSetDLPackManagedTensorAllocator(&Allocate, 0, &own);
    EXPECT_EQ(own, nullptr);  // The thread's own one, not that of the process.
    EXPECT_EQ(TVMFFIEnvGetDLPackManagedTensorAllocator(), &Allocate);
  }).join();
  ASSERT_EQ(TVMFFIEnvSetDLPackManagedTensorAllocator(nullptr, 0, nullptr), 0);
  EXPECT_EQ(TVMFFIEnvGetDLPackManagedTensorAllocator(), &AllocateOtherwise);
}

TEST_F(TensorAllocator, MakesTensors) {
  failure = Failure::kNone;
  TVMFFIEnvSetDLPackManagedTensorAllocator(&Allocate, 0, nullptr);
  TVMFFIObjectHandle handle = nullptr;
  ASSERT_EQ(Alloc(&handle), 0);
  {
    const Tensor tensor(detail::ObjectAccess::Adopt<TensorObj>(handle));
    EXPECT_EQ(tensor.shape(), ShapeView({2, 3}));
    EXPECT_EQ(tensor.strides(), ShapeView({3, 1}));
    EXPECT_EQ(live_tensors, 1);
  }
  EXPECT_EQ(live_tensors, 0);
}

TEST_F(TensorAllocator, FailuresAreErrors) {
  EXPECT_EQ(AllocError(),
            "RuntimeError: No allocator of tensors is set; set one with TVMFFIEnvSetDLPackManagedTensorAllocator");
  TVMFFIEnvSetDLPackManagedTensorAllocator(&Allocate, 0, nullptr);
  TVMFFIObjectHandle handle = nullptr;
  EXPECT_EQ(ErrorOf([&] { CheckCall(TVMFFIEnvTensorAlloc(nullptr, &handle)); }),
            "RuntimeError: Expected a tensor that describes the new one but got NULL");
  failure = Failure::kError;
  EXPECT_EQ(Alloc(&handle), 3);
  EXPECT_EQ(AllocError(), "MemoryError: no memory on this device");
  failure = Failure::kNoTensor;
  EXPECT_EQ(AllocError(), "RuntimeError: The allocator of tensors succeeded without a tensor");
  failure = Failure::kNoData;
  EXPECT_EQ(AllocError(), "RuntimeError: Expected the data of a tensor with elements but got NULL");
  EXPECT_EQ(live_tensors, 0);
}

// An interpreter whose lock and signals are counted.
int lock_depth = 0;
bool signal_is_pending = false;
int CheckInterpreter() { return signal_is_pending && lock_depth == 1 ? -1 : 0; }
int Ensure() { return ++lock_depth + 41; }
void Release(int state) {
  EXPECT_EQ(state, 42);
  --lock_depth;
}

TEST(Signals, AreThoseOfTheInterpreter) {
  EXPECT_EQ(TVMFFIEnvCheckSignals(), 0);
  ASSERT_EQ(TVMFFIEnvRegisterCAPI("PyGILState_Ensure", reinterpret_cast<void*>(&Ensure)), 0);
  ASSERT_EQ(TVMFFIEnvRegisterCAPI("PyGILState_Release", reinterpret_cast<void*>(&Release)), 0);
  EXPECT_EQ(TVMFFIEnvCheckSignals(), 0);
  ASSERT_EQ(TVMFFIEnvRegisterCAPI("PyErr_CheckSignals", reinterpret_cast<void*>(&CheckInterpreter)), 0);
  EXPECT_EQ(TVMFFIEnvCheckSignals(), 0);
  signal_is_pending = true;
  EXPECT_EQ(TVMFFIEnvCheckSignals(), -1);
  EXPECT_EQ(lock_depth, 0);
  TVMFFIObjectHandle error = nullptr;
  TVMFFIErrorMoveFromRaised(&error);
  EXPECT_EQ(error, nullptr);
  for (const char* name : {"PyErr_CheckSignals", "PyGILState_Ensure", "PyGILState_Release"}) {
    ASSERT_EQ(TVMFFIEnvRegisterCAPI(name, nullptr), 0);
  }
  EXPECT_EQ(TVMFFIEnvCheckSignals(), 0);
}

TEST(Signals, OtherFunctionsAreRefused) {
  EXPECT_EQ(ErrorOf([] { CheckCall(TVMFFIEnvRegisterCAPI("PyErr_Print", nullptr)); }),
            "ValueError: Expected PyErr_CheckSignals, PyGILState_Ensure or PyGILState_Release but got `PyErr_Print`");
  EXPECT_EQ(ErrorOf([] { CheckCall(TVMFFIEnvRegisterCAPI(nullptr, nullptr)); }),
            "ValueError: Expected the name of a function of the interpreter but got NULL");
}

}  // namespace
}  // namespace transom
