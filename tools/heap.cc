#include "heap.h"

#include <cstdint>
#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace transom::tool {

void PrepareHeap() {
#ifdef __GLIBC__
  constexpr int kFirstStep = 64 << 20;
  constexpr int kDefaultStep = 128 << 10;
  constexpr uintptr_t kHugePage = 2 << 20;
  // Large buffers come from the same region, and it is not given back before the end.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 2 * kFirstStep);
  mallopt(M_TOP_PAD, kFirstStep);
  const auto begin = (reinterpret_cast<uintptr_t>(sbrk(0)) + kHugePage - 1) & ~(kHugePage - 1);
  void* volatile block = std::malloc(1 << 20);  // more than what is free: the heap grows
  std::free(block);
  const auto end = reinterpret_cast<uintptr_t>(sbrk(0));
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  mallopt(M_TOP_PAD, kDefaultStep);
#endif
}

}  // namespace transom::tool
