/*
 * Random numbers for tests: the same on every machine and standard library, unlike the distributions of <random>.
 */
#ifndef TRANSOM_SUPPORT_RNG_H_
#define TRANSOM_SUPPORT_RNG_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace transom::testing {

/*! \brief SplitMix64. */
class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  /*! \brief A number below `n`; n > 0. */
  size_t Below(size_t n) { return static_cast<size_t>(Next() % n); }
  /*! \brief True once in `n` calls on average. */
  bool OneIn(size_t n) { return Below(n) == 0; }

  template <class T>
  const T& Pick(const std::vector<T>& items) {
    return items[Below(items.size())];
  }
  template <class T>
  void Shuffle(std::vector<T>* items) {
    for (size_t i = items->size(); i > 1; --i) std::swap((*items)[i - 1], (*items)[Below(i)]);
  }

 private:
  uint64_t state_;
};

}  // namespace transom::testing
#endif  // TRANSOM_SUPPORT_RNG_H_
