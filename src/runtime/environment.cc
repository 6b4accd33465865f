#include <transom/runtime/c_env_api.h>
#include <transom/runtime/error.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime/thread_state.h"

namespace transom::runtime {
namespace {

struct CurrentStream {
  int32_t device_type;
  int32_t device_id;
  TVMFFIStreamHandle stream;
};

/* Streams of a thread. Most threads have one or two. */
struct ThreadStreams {
  std::vector<CurrentStream> streams;

  CurrentStream* Find(int32_t device_type, int32_t device_id) noexcept {
    auto it = std::find_if(streams.begin(), streams.end(), [&](const CurrentStream& entry) {
      return entry.device_type == device_type && entry.device_id == device_id;
    });
    return it == streams.end() ? nullptr : &*it;
  }
  CurrentStream* FindOrAdd(int32_t device_type, int32_t device_id) {
    if (CurrentStream* found = Find(device_type, device_id)) return found;
    return &streams.emplace_back(CurrentStream{device_type, device_id, nullptr});
  }
};

thread_local DLPackManagedTensorAllocator thread_allocator = nullptr;
std::atomic<DLPackManagedTensorAllocator> global_allocator{nullptr};

/* The functions of an interpreter, as its headers declare them. */
std::atomic<void*> check_signals{nullptr};
std::atomic<void*> ensure_gil{nullptr};
std::atomic<void*> release_gil{nullptr};
using CheckSignals = int (*)();
using EnsureGil = int (*)();
using ReleaseGil = void (*)(int state);

std::atomic<void*>* InterpreterFunction(std::string_view name) {
  if (name == "PyErr_CheckSignals") return &check_signals;
  if (name == "PyGILState_Ensure") return &ensure_gil;
  if (name == "PyGILState_Release") return &release_gil;
  TRANSOM_THROW(ValueError) << "Expected PyErr_CheckSignals, PyGILState_Ensure or PyGILState_Release but got `" << name
                            << "`";
}

/* What an allocator calls to say why it failed. */
void SetAllocatorError(void*, const char* kind, const char* message) { TVMFFIErrorSetRaisedFromCStr(kind, message); }

}  // namespace
}  // namespace transom::runtime

using transom::runtime::CurrentStream;
using transom::runtime::ThreadState;
using transom::runtime::ThreadStreams;

int TVMFFIEnvSetStream(int32_t device_type, int32_t device_id, TVMFFIStreamHandle stream,
                       TVMFFIStreamHandle* opt_out_original_stream) {
  TRANSOM_SAFE_CALL_BEGIN();
  TRANSOM_CHECK(device_type >= 0 && device_id >= 0, ValueError)
      << "Expected a device type and number of at least 0 but got " << device_type << " and " << device_id;
  CurrentStream* entry = ThreadState<ThreadStreams>()->FindOrAdd(device_type, device_id);
  if (opt_out_original_stream != nullptr) *opt_out_original_stream = entry->stream;
  entry->stream = stream;
  TRANSOM_SAFE_CALL_END();
}

TVMFFIStreamHandle TVMFFIEnvGetStream(int32_t device_type, int32_t device_id) {
  const CurrentStream* entry = ThreadState<ThreadStreams>()->Find(device_type, device_id);
  return entry == nullptr ? nullptr : entry->stream;
}

int TVMFFIEnvSetDLPackManagedTensorAllocator(DLPackManagedTensorAllocator allocator, int write_to_global_context,
                                             DLPackManagedTensorAllocator* opt_out_original_allocator) {
  if (opt_out_original_allocator != nullptr) *opt_out_original_allocator = transom::runtime::thread_allocator;
  transom::runtime::thread_allocator = allocator;
  if (write_to_global_context != 0) transom::runtime::global_allocator.store(allocator, std::memory_order_release);
  return 0;
}

DLPackManagedTensorAllocator TVMFFIEnvGetDLPackManagedTensorAllocator() {
  if (transom::runtime::thread_allocator != nullptr) return transom::runtime::thread_allocator;
  return transom::runtime::global_allocator.load(std::memory_order_acquire);
}

int TVMFFIEnvTensorAlloc(DLTensor* prototype, TVMFFIObjectHandle* out) {
  TRANSOM_SAFE_CALL_BEGIN();
  DLPackManagedTensorAllocator allocator = TVMFFIEnvGetDLPackManagedTensorAllocator();
  TRANSOM_CHECK(allocator != nullptr, RuntimeError)
      << "No allocator of tensors is set; set one with TVMFFIEnvSetDLPackManagedTensorAllocator";
  TRANSOM_CHECK(prototype != nullptr, RuntimeError) << "Expected a tensor that describes the new one but got NULL";
  DLManagedTensorVersioned* record = nullptr;
  int code = allocator(prototype, &record, nullptr, &transom::runtime::SetAllocatorError);
  if (code != 0) return code;
  TRANSOM_CHECK(record != nullptr, RuntimeError) << "The allocator of tensors succeeded without a tensor";
  code = TVMFFITensorFromDLPackVersioned(record, 0, 0, out);
  if (code != 0 && record->deleter != nullptr) record->deleter(record);
  return code;
  TRANSOM_SAFE_CALL_END();
}

int TVMFFIEnvCheckSignals() {
  using namespace transom::runtime;
  auto check = reinterpret_cast<CheckSignals>(check_signals.load(std::memory_order_acquire));
  if (check == nullptr) return 0;
  auto ensure = reinterpret_cast<EnsureGil>(ensure_gil.load(std::memory_order_acquire));
  auto release = reinterpret_cast<ReleaseGil>(release_gil.load(std::memory_order_acquire));
  bool lock = ensure != nullptr && release != nullptr;
  int state = lock ? ensure() : 0;
  bool pending = check() != 0;
  if (lock) release(state);
  return pending ? -1 : 0;
}

int TVMFFIEnvRegisterCAPI(const char* name, void* symbol) {
  TRANSOM_SAFE_CALL_BEGIN();
  TRANSOM_CHECK(name != nullptr, ValueError) << "Expected the name of a function of the interpreter but got NULL";
  transom::runtime::InterpreterFunction(name)->store(symbol, std::memory_order_release);
  TRANSOM_SAFE_CALL_END();
}
