#include "structural/hash/mix.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace transom::structural {
namespace {

[[gnu::always_inline]] inline Digest Xxh3(const void* bytes, size_t size, uint64_t seed) {
  const XXH128_hash_t h = XXH3_128bits_withSeed(bytes, size, seed);
  return {h.low64, h.high64};
}

}  // namespace

Digest Mix(const void* bytes, size_t size, uint64_t seed) { return Xxh3(bytes, size, seed); }

// Most nodes are mixed from so few. Of the function of a size that is known little is left.
[[gnu::flatten]] Digest MixDigests(const Digest* digests, size_t count, uint64_t seed) {
  switch (count) {
    case 1:
      return Xxh3(digests, sizeof(Digest), seed);
    case 2:
      return Xxh3(digests, 2 * sizeof(Digest), seed);
    case 3:
      return Xxh3(digests, 3 * sizeof(Digest), seed);
    default:
      return Mix(digests, count * sizeof(Digest), seed);
  }
}

}  // namespace transom::structural
