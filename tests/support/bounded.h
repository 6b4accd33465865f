/*
 * Work in a process of its own that may take little memory and no long time.
 */
#ifndef TRANSOM_SUPPORT_BOUNDED_H_
#define TRANSOM_SUPPORT_BOUNDED_H_

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "support/scale.h"

namespace transom::testing {

// Sanitizers reserve more address space than any limit would allow.
constexpr bool kLimitMemory = !kSanitized;

/*! \brief Ends the process when it lives longer than anything here takes, and gives it that much more memory than it
 * has. */
inline void LimitProcess(uint64_t more_bytes) {
  constexpr unsigned kSeconds = 60;
  alarm(kSeconds);
  if (!kLimitMemory) return;
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit limit{};
  limit.rlim_cur = limit.rlim_max = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) + more_bytes;
  setrlimit(RLIMIT_AS, &limit);
}

/*! \brief Runs `fn` in such a process; the text that it returns must match the regular expression. */
template <class Fn>
void ExpectBounded(Fn fn, const std::string& pattern, uint64_t more_bytes = uint64_t{512} << 20) {
  const auto run = [&] {
    LimitProcess(more_bytes);
    std::fputs(std::string(fn()).c_str(), stderr);
    std::fflush(stderr);
    std::_Exit(0);
  };
  EXPECT_EXIT(run(), ::testing::ExitedWithCode(0), pattern);
}

}  // namespace transom::testing
#endif  // TRANSOM_SUPPORT_BOUNDED_H_
