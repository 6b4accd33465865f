/*
 * Reference counting on object headers, the part that every library of the C contract compiles into itself.
 * Low-level: use ObjectPtr, WeakObjectPtr or ObjectRef of object.h.
 */
#ifndef TRANSOM_RUNTIME_REF_COUNT_H_
#define TRANSOM_RUNTIME_REF_COUNT_H_

#include <transom/runtime/c_api.h>

#if defined(__SANITIZE_THREAD__)
#define TRANSOM_DETECTS_RACES
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TRANSOM_DETECTS_RACES
#endif
#endif

namespace transom {
namespace detail {

constexpr uint64_t kStrongOne = 1;
constexpr uint64_t kWeakOne = uint64_t{1} << 32;
constexpr uint64_t kStrongMask = kWeakOne - 1;
/* Count word of an object that one strong reference owns and no weak one watches. */
constexpr uint64_t kSoleOwner = kWeakOne | kStrongOne;

/* Adds a strong reference; the caller owns one already. Thread-safe. */
inline void IncRef(TVMFFIObject* obj) noexcept {
  __atomic_fetch_add(&obj->combined_ref_count, kStrongOne, __ATOMIC_RELAXED);
}

/* Adds a weak reference; the caller owns a strong or weak one. Thread-safe. */
inline void IncWeakRef(TVMFFIObject* obj) noexcept {
  __atomic_fetch_add(&obj->combined_ref_count, kWeakOne, __ATOMIC_RELAXED);
}

/* Number of strong references; exact only when no other thread owns one. */
inline uint64_t UseCount(const TVMFFIObject* obj) noexcept {
  return __atomic_load_n(&obj->combined_ref_count, __ATOMIC_RELAXED) & kStrongMask;
}

/* Makes everything that earlier owners did to the object visible. Race detectors understand a load, not a fence;
 * elsewhere a load would wait for the release before it. */
inline void AcquireAfterRelease([[maybe_unused]] TVMFFIObject* obj) noexcept {
#ifdef TRANSOM_DETECTS_RACES
  (void)__atomic_load_n(&obj->combined_ref_count, __ATOMIC_ACQUIRE);
#else
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
#endif
}

inline void RunDeleter(TVMFFIObject* obj, int flags) noexcept {
  if (obj->deleter != nullptr) obj->deleter(obj, flags);
}

/* Drops a weak reference and frees the memory with the last one. Thread-safe. */
inline void DecWeakRef(TVMFFIObject* obj) noexcept {
  if (__atomic_fetch_sub(&obj->combined_ref_count, kWeakOne, __ATOMIC_RELEASE) == kWeakOne) {
    AcquireAfterRelease(obj);
    RunDeleter(obj, kTVMFFIObjectDeleterFlagBitMaskWeak);
  }
}

/* Destroys an object whose last strong reference was just dropped from the count `old`. Not inlined: the drop is
 * everywhere. */
[[gnu::noinline]] inline void Die(TVMFFIObject* obj, uint64_t old) noexcept {
  AcquireAfterRelease(obj);
  if (old == kSoleOwner) {
    RunDeleter(obj, kTVMFFIObjectDeleterFlagBitMaskBoth);
  } else {
    RunDeleter(obj, kTVMFFIObjectDeleterFlagBitMaskStrong);
    DecWeakRef(obj);
  }
}

/* Drops a strong reference and destroys the object with the last one. Thread-safe. It does not look at the count first:
 * most references that go are copies, and a load right after the copy's increment waits for it. */
inline void DecRef(TVMFFIObject* obj) noexcept {
  uint64_t old = __atomic_fetch_sub(&obj->combined_ref_count, kStrongOne, __ATOMIC_RELEASE);
  if ((old & kStrongMask) == kStrongOne) Die(obj, old);
}

/* Turns a weak reference into an additional strong one. False when the object is dead. Thread-safe. */
inline bool TryPromote(TVMFFIObject* obj) noexcept {
  uint64_t count = __atomic_load_n(&obj->combined_ref_count, __ATOMIC_RELAXED);
  while ((count & kStrongMask) != 0) {
    if (__atomic_compare_exchange_n(&obj->combined_ref_count, &count, count + kStrongOne, true, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED)) {
      return true;
    }
  }
  return false;
}

}  // namespace detail
}  // namespace transom

#endif  // TRANSOM_RUNTIME_REF_COUNT_H_
