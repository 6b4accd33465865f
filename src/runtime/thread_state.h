/* State of a thread that code may use as long as the thread runs. */
#ifndef TRANSOM_SRC_RUNTIME_THREAD_STATE_H_
#define TRANSOM_SRC_RUNTIME_THREAD_STATE_H_

#include <pthread.h>

#include <memory>
#include <new>
#include <utility>

namespace transom::runtime {

/*
 * The calling thread's T, made at its first use. It outlives the thread's objects with destructors (`thread_local`), so
 * these may use it while the thread ends. That of the main thread is not destroyed. Throws std::bad_alloc.
 */
template <class T>
T* ThreadState() {
  static thread_local T* state = nullptr;
  if (state != nullptr) return state;
  // Destructors of keys run after those of objects, and again for what is made meanwhile.
  static const pthread_key_t key = [] {
    pthread_key_t created;
    auto destroy = [](void*) { delete std::exchange(state, nullptr); };
    if (pthread_key_create(&created, destroy) != 0) throw std::bad_alloc();
    return created;
  }();
  auto created = std::make_unique<T>();
  if (pthread_setspecific(key, created.get()) != 0) throw std::bad_alloc();
  return state = created.release();
}

}  // namespace transom::runtime

#endif  // TRANSOM_SRC_RUNTIME_THREAD_STATE_H_
