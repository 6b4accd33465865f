#include <transom/runtime/c_api.h>
#include <transom/runtime/error.h>

#include <algorithm>
#include <mutex>
#include <vector>

namespace transom::runtime {
namespace {

/* Handles that the thread which holds the lock is making, the innermost last. Never destroyed: libraries initialise
 * handles while the process ends. */
class RunningInits {
 public:
  static RunningInits* Global() {
    static RunningInits* const running = new RunningInits();
    return running;
  }

  int Run(void** handle_addr, int (*init)(void** out)) {
    std::lock_guard lock(mutex_);
    if (__atomic_load_n(handle_addr, __ATOMIC_ACQUIRE) != nullptr) return 0;
    TRANSOM_CHECK(std::find(addresses_.begin(), addresses_.end(), handle_addr) == addresses_.end(), RuntimeError)
        << "The initialisation of a handle needs the handle itself";
    addresses_.push_back(handle_addr);
    struct Pop {
      std::vector<void**>* addresses;
      ~Pop() { addresses->pop_back(); }
    } pop{&addresses_};
    void* handle = nullptr;
    if (int code = init(&handle); code != 0) return code;
    TRANSOM_CHECK(handle != nullptr, RuntimeError) << "The initialisation of a handle succeeded with NULL";
    __atomic_store_n(handle_addr, handle, __ATOMIC_RELEASE);
    return 0;
  }

 private:
  std::recursive_mutex mutex_;
  std::vector<void**> addresses_;
};

}  // namespace
}  // namespace transom::runtime

int TVMFFIHandleInitOnce(void** handle_addr, int (*init)(void** out)) {
  if (handle_addr != nullptr && __atomic_load_n(handle_addr, __ATOMIC_ACQUIRE) != nullptr) return 0;
  TRANSOM_SAFE_CALL_BEGIN();
  TRANSOM_CHECK(handle_addr != nullptr, TypeError) << "Expected the place of a handle but got NULL";
  TRANSOM_CHECK(init != nullptr, TypeError) << "Expected a function that makes the handle but got NULL";
  return transom::runtime::RunningInits::Global()->Run(handle_addr, init);
  TRANSOM_SAFE_CALL_END();
}

int TVMFFIHandleDeinitOnce(void** handle_addr, int (*deinit)(void* handle)) {
  void* handle = __atomic_exchange_n(handle_addr, nullptr, __ATOMIC_ACQ_REL);
  return handle == nullptr ? 0 : deinit(handle);
}
