#include "structural/rules/hook_stack.h"

#include <pthread.h>
#include <transom/runtime/error.h>

#include <algorithm>
#include <cstddef>

namespace transom::structural {
namespace {

// For what runs between two checks, and for the error.
constexpr size_t kReserve = size_t{256} << 10;

struct StackBounds {
  const char* low = nullptr;
  size_t size = 0;
};

StackBounds BoundsOfThisThread() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* low = nullptr;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  return {static_cast<const char*>(low), size};
}

}  // namespace

bool StackIsNearlyFull() {
  thread_local const StackBounds bounds = BoundsOfThisThread();
  const auto* here = static_cast<const char*>(__builtin_frame_address(0));
  if (here < bounds.low || here >= bounds.low + bounds.size) return false;
  return static_cast<size_t>(here - bounds.low) <= std::min(kReserve, bounds.size / 4);
}

void CheckStackForHook(std::string_view hook) {
  TRANSOM_CHECK(!StackIsNearlyFull(), RuntimeError)
      << "the stack of the thread is nearly full of hooks (here `" << hook << "`) that run inside each other; a hook "
      << "that asks about its own object never ends, and values may have any depth where their types have no hooks";
}

}  // namespace transom::structural
