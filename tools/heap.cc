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
  // A page that is written before madvise makes small pages of the 2 MB around it. So the region begins so far below a
  // huge page that the block and what the allocator writes behind it end there.
  constexpr size_t kBlock = 256 << 10;  // more than what is free: the heap grows
  constexpr size_t kPage = 4096;
  const auto now = reinterpret_cast<uintptr_t>(sbrk(0));
  const uintptr_t begin = (now + kBlock + kPage + kHugePage - 1) & ~(kHugePage - 1);
  if (sbrk(static_cast<intptr_t>(begin - kBlock - kPage - now)) == reinterpret_cast<void*>(-1)) return;
  void* volatile block = std::malloc(kBlock);
  const auto end = reinterpret_cast<uintptr_t>(sbrk(0));
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  std::free(block);
  mallopt(M_TOP_PAD, kDefaultStep);
#endif
}

}  // namespace transom::tool
