/* Keys made to collide in hash tables of the C contract. */
#ifndef TRANSOM_TESTS_CONTAINERS_COLLIDING_KEYS_H_
#define TRANSOM_TESTS_CONTAINERS_COLLIDING_KEYS_H_

#include <transom/containers/string.h>

#include <cstdint>
#include <cstring>

namespace transom::test {

/* Different strings of 8 bytes with one key hash: their words are equal modulo the prime of the hash. */
class CollidingKeys {
 public:
  String Next() {
    uint64_t word = 5 + detail::kHashPrime * ++count_;
    char bytes[8];
    std::memcpy(bytes, &word, sizeof(bytes));
    return String(bytes, sizeof(bytes));
  }

 private:
  uint64_t count_ = 0;
};

/* The integer whose key hash, scattered over the table by the multiplication of the contract, is `low`. */
inline int64_t IntWithScatteredHash(uint64_t low) {
  // Multiplication by an odd number modulo 2^64 has an inverse; Newton's iteration doubles its correct bits.
  uint64_t multiplier = 11400714819323198485ULL;
  uint64_t inverse = multiplier;
  for (int i = 0; i < 6; ++i) inverse *= 2 - multiplier * inverse;
  // HashCombine(1, v) = 1 ^ (v + 0x9e3779b9 + 64).
  return static_cast<int64_t>(((low * inverse) ^ 1) - 0x9e3779b9 - 64);
}

}  // namespace transom::test

#endif  // TRANSOM_TESTS_CONTAINERS_COLLIDING_KEYS_H_
