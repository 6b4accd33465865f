/*
 * The pairs of objects that were found to be equal last.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_EQUALITY_RECENT_PAIRS_H_
#define TRANSOM_SRC_STRUCTURAL_EQUALITY_RECENT_PAIRS_H_

#include <transom/runtime/c_api.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace transom::structural {

/*! \brief A few of the pairs that are equal for good: variables are used near the place that binds them, so most
 * questions end here, in a few instructions and in the first cache, before any table is asked. */
class RecentPairs {
 public:
  void Add(const TVMFFIObject* lhs, const TVMFFIObject* rhs) { pairs_[PlaceOf(lhs)] = {lhs, rhs}; }
  /*! \brief False says nothing. */
  bool Has(const TVMFFIObject* lhs, const TVMFFIObject* rhs) const {
    const Pair& pair = pairs_[PlaceOf(lhs)];
    return pair.lhs == lhs && pair.rhs == rhs;
  }

 private:
  struct Pair {
    const TVMFFIObject* lhs = nullptr;
    const TVMFFIObject* rhs = nullptr;
  };
  static constexpr size_t kPairs = 256;

  // Of 64 bytes, as most objects are: those of one function do not take each other's place.
  static size_t PlaceOf(const TVMFFIObject* lhs) { return reinterpret_cast<uintptr_t>(lhs) / 64 % kPairs; }

  std::array<Pair, kPairs> pairs_;
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_EQUALITY_RECENT_PAIRS_H_
