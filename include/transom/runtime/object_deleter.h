/*
 * Destruction of object graphs without recursion on the C stack.
 *
 * While a deleter of this header runs on a thread, further objects that die there are linked into a list of that
 * thread; the outermost deleter drains it. So a parent's destructor returns before its children are destroyed, and a
 * chain of any length needs constant stack. Each shared library that hides its symbols has its own list: where objects
 * of several libraries alternate, the nesting is bounded by the number of libraries.
 */
#ifndef TRANSOM_RUNTIME_OBJECT_DELETER_H_
#define TRANSOM_RUNTIME_OBJECT_DELETER_H_

#include <transom/runtime/c_api.h>
#include <transom/runtime/ref_count.h>

#include <cstdint>
#include <cstdlib>
#include <type_traits>

namespace transom {
class Object;

namespace detail {

/* A dead object whose destructor is still to run although its header is in use by weak references. */
struct WatchedDeath {
  TVMFFIObject* object;
  void (*destroy)(TVMFFIObject*);
  WatchedDeath* next;
};

/* Objects of this thread that wait for destruction. Constant-initialised and trivially destructible: usable at any
 * time of a thread's life. */
struct PendingDeaths {
  TVMFFIObject* head = nullptr; /* linked through the count words; `deleter` holds what is to be run */
  WatchedDeath* watched = nullptr;
  bool draining = false;
};

inline thread_local PendingDeaths pending_deaths;

inline void FinishWatchedDeath(TVMFFIObject* obj, void (*destroy)(TVMFFIObject*)) noexcept {
  destroy(obj);
  DecWeakRef(obj);
}

inline void DrainPendingDeaths(PendingDeaths* pending) noexcept {
  while (true) {
    if (TVMFFIObject* obj = pending->head) {
      pending->head = reinterpret_cast<TVMFFIObject*>(obj->combined_ref_count);
      obj->combined_ref_count = kWeakOne;
      obj->deleter(obj, kTVMFFIObjectDeleterFlagBitMaskBoth);
    } else if (WatchedDeath* death = pending->watched) {
      pending->watched = death->next;
      WatchedDeath copy = *death;
      std::free(death);
      FinishWatchedDeath(copy.object, copy.destroy);
    } else {
      return;
    }
  }
}

/* Destroys and frees a dead object that nothing watches, now or when the running deleter gets to it. */
inline void DestroyUnwatched(TVMFFIObject* obj, void (*run)(void*, int)) noexcept {
  PendingDeaths* pending = &pending_deaths;
  if (pending->draining) {
    obj->combined_ref_count = reinterpret_cast<uint64_t>(pending->head);
    obj->deleter = run;
    pending->head = obj;
    return;
  }
  pending->draining = true;
  run(obj, kTVMFFIObjectDeleterFlagBitMaskBoth);
  DrainPendingDeaths(pending);
  pending->draining = false;
}

/* Destroys a dead object that weak references watch. Its memory is freed with the last of them. */
inline void DestroyWatched(TVMFFIObject* obj, void (*destroy)(TVMFFIObject*)) noexcept {
  PendingDeaths* pending = &pending_deaths;
  if (!pending->draining) {
    pending->draining = true;
    destroy(obj);
    DrainPendingDeaths(pending);
    pending->draining = false;
    return;
  }
  auto* death = static_cast<WatchedDeath*>(std::malloc(sizeof(WatchedDeath)));
  if (death == nullptr) {
    destroy(obj);  // Out of memory: deeper stack is the lesser evil.
    return;
  }
  IncWeakRef(obj);
  *death = WatchedDeath{obj, destroy, pending->watched};
  pending->watched = death;
}

/*
 * Deleter for objects with a teardown of their own. Teardown has two static noexcept functions:
 *   Destroy(TVMFFIObject*)  ends the object's life; may drop references to any other objects
 *   Free(TVMFFIObject*)     releases the memory
 * Store `&DeferredDeleter<Teardown>::Delete` in the header.
 */
template <class Teardown>
struct DeferredDeleter {
  static void Delete(void* self, int flags) noexcept {
    auto* obj = static_cast<TVMFFIObject*>(self);
    if (flags == kTVMFFIObjectDeleterFlagBitMaskBoth) {
      DestroyUnwatched(obj, &Run);
    } else if (flags == kTVMFFIObjectDeleterFlagBitMaskStrong) {
      DestroyWatched(obj, &Teardown::Destroy);
    } else {
      Teardown::Free(obj);
    }
  }

 private:
  static void Run(void* self, int) noexcept {
    Teardown::Destroy(static_cast<TVMFFIObject*>(self));
    Teardown::Free(static_cast<TVMFFIObject*>(self));
  }
};

/* The T that an object header belongs to; NULL for NULL. */
template <class T>
T* Downcast(Object* obj) noexcept {
  if constexpr (std::is_polymorphic_v<T>) {
    // By hand: the undefined behaviour sanitizer looks for a virtual table at the header, but it lies before it.
    if (obj == nullptr) return nullptr;
    constexpr uintptr_t kProbe = 4096;
    uintptr_t offset = reinterpret_cast<uintptr_t>(static_cast<Object*>(reinterpret_cast<T*>(kProbe))) - kProbe;
    return reinterpret_cast<T*>(reinterpret_cast<char*>(obj) - offset);
  } else {
    return static_cast<T*>(obj);
  }
}

/* Teardown of a C++ object of class T in a block of malloc: the destructor, then free. */
template <class T>
struct MallocTeardown {
  static T* Body(TVMFFIObject* obj) noexcept { return Downcast<T>(reinterpret_cast<Object*>(obj)); }
  /* Of exactly T, also where T has virtual functions. */
  static void Destroy(TVMFFIObject* obj) noexcept { Body(obj)->T::~T(); }
  /* T may have a virtual table before its header, so the block starts at the body. */
  static void Free(TVMFFIObject* obj) noexcept { std::free(static_cast<void*>(Body(obj))); }
};

/* Deleter of a T in a block of malloc (or posix_memalign). What owns nothing is freed at once. */
template <class T>
struct MallocDeleter {
  static void Delete(void* self, int flags) noexcept {
    if constexpr (std::is_trivially_destructible_v<T>) {
      if (flags & kTVMFFIObjectDeleterFlagBitMaskWeak) MallocTeardown<T>::Free(static_cast<TVMFFIObject*>(self));
    } else {
      DeferredDeleter<MallocTeardown<T>>::Delete(self, flags);
    }
  }
};

}  // namespace detail
}  // namespace transom

#endif  // TRANSOM_RUNTIME_OBJECT_DELETER_H_
