/* State of a thread that code may use as long as the thread runs. */
#ifndef TRANSOM_SRC_RUNTIME_THREAD_STATE_H_
#define TRANSOM_SRC_RUNTIME_THREAD_STATE_H_

#include <pthread.h>

#include <cstddef>
#include <new>
#include <utility>

namespace transom::runtime {

/* Where a thread has its T. Plain memory, which nothing destroys before the thread's end. */
template <class T>
struct ThreadSlot {
  alignas(T) std::byte memory[sizeof(T)];
  bool is_alive;

  T* get() noexcept { return std::launder(reinterpret_cast<T*>(memory)); }
  void Destroy() noexcept {
    T last = std::move(*get());  // Its end may ask for the thread's T, which is a new one then.
    get()->~T();
    is_alive = false;
  }
};

/*
 * The calling thread's T, made at its first use without memory of its own. It outlives the thread's objects with
 * destructors (`thread_local`), so these may use it while the thread ends. That of the main thread is not destroyed.
 */
template <class T>
T* ThreadState() noexcept {
  static thread_local ThreadSlot<T> slot;
  if (slot.is_alive) return slot.get();
  // Destructors of keys run after those of objects, and again for what is made meanwhile. Where there is no key left,
  // the state is not destroyed.
  static const pthread_key_t key = [] {
    pthread_key_t created = 0;
    const bool ok = pthread_key_create(&created, [](void* used) { static_cast<ThreadSlot<T>*>(used)->Destroy(); }) == 0;
    return ok ? created : static_cast<pthread_key_t>(-1);
  }();
  new (slot.memory) T();
  slot.is_alive = true;
  static_cast<void>(pthread_setspecific(key, &slot));
  return slot.get();
}

}  // namespace transom::runtime

#endif  // TRANSOM_SRC_RUNTIME_THREAD_STATE_H_
