/* How large the tests of large values are. */
#ifndef TRANSOM_SUPPORT_SCALE_H_
#define TRANSOM_SUPPORT_SCALE_H_

#include <cstdint>

namespace transom::testing {

/*! \brief Whether the address or the thread sanitizer is in this build. They multiply time and memory, and bring their
 * own allocator and address space. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TRANSOM_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TRANSOM_TEST_SANITIZED 1
#endif
#endif
#ifdef TRANSOM_TEST_SANITIZED
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

/*! \brief How deep or wide a large value is: recursion on it would not end on any usual stack, and what takes quadratic
 * time would not end. */
constexpr int64_t kLarge = kSanitized ? 100000 : 1000000;

/*! \brief How many random cases of `count` a property is checked on. Release builds check all of them. */
constexpr int Cases(int count) { return kSanitized ? count / 4 : count; }

}  // namespace transom::testing
#endif  // TRANSOM_SUPPORT_SCALE_H_
