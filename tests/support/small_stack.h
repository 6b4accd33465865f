/* Running code where deep recursion would not go unnoticed. */
#ifndef TRANSOM_SUPPORT_SMALL_STACK_H_
#define TRANSOM_SUPPORT_SMALL_STACK_H_

#include <gtest/gtest.h>
#include <pthread.h>

#include <cstddef>
#include <functional>

namespace transom::testing {

/*! \brief Runs `body` to its end in a thread with a stack of 1 MiB. */
inline void RunOnSmallStack(std::function<void()> body) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, size_t{1} << 20), 0);
  pthread_t thread;
  auto run = [](void* argument) -> void* {
    (*static_cast<std::function<void()>*>(argument))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &body), 0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&attributes);
}

}  // namespace transom::testing
#endif  // TRANSOM_SUPPORT_SMALL_STACK_H_
