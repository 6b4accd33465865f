/*
 * Reference counting on object headers, the part that every library of the C contract compiles into itself.
 * Low-level: use ObjectPtr, WeakObjectPtr or ObjectRef of object.h.
 */
#ifndef TRANSOM_RUNTIME_REF_COUNT_H_
#define TRANSOM_RUNTIME_REF_COUNT_H_

#include <transom/runtime/c_api.h>

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

/* Makes everything that earlier owners did to the object visible. A load, not a fence: race detectors understand it. */
inline void AcquireAfterRelease(TVMFFIObject* obj) noexcept {
  (void)__atomic_load_n(&obj->combined_ref_count, __ATOMIC_ACQUIRE);
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

/* Drops a strong reference and destroys the object with the last one. Thread-safe. */
inline void DecRef(TVMFFIObject* obj) noexcept {
  // A sole owner has no rival, so the common last release needs no atomic read-modify-write.
  if (__atomic_load_n(&obj->combined_ref_count, __ATOMIC_ACQUIRE) == kSoleOwner) {
    __atomic_store_n(&obj->combined_ref_count, kWeakOne, __ATOMIC_RELAXED);
    RunDeleter(obj, kTVMFFIObjectDeleterFlagBitMaskBoth);
    return;
  }
  uint64_t old = __atomic_fetch_sub(&obj->combined_ref_count, kStrongOne, __ATOMIC_RELEASE);
  if (old == kSoleOwner) {
    AcquireAfterRelease(obj);
    RunDeleter(obj, kTVMFFIObjectDeleterFlagBitMaskBoth);
  } else if ((old & kStrongMask) == kStrongOne) {
    AcquireAfterRelease(obj);
    RunDeleter(obj, kTVMFFIObjectDeleterFlagBitMaskStrong);
    DecWeakRef(obj);
  }
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
