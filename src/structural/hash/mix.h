/*
 * The hash function under digests (docs/digest.md): XXH3 with 128 bits.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_HASH_MIX_H_
#define TRANSOM_SRC_STRUCTURAL_HASH_MIX_H_

#include <transom/structural/hash.h>

#include <cstddef>
#include <cstdint>

namespace transom::structural {

/*! \brief X of docs/digest.md. */
Digest Mix(const void* bytes, size_t size, uint64_t seed);

/*! \brief Mix of the bytes of some digests; fast for a few. */
Digest MixDigests(const Digest* digests, size_t count, uint64_t seed);

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_HASH_MIX_H_
