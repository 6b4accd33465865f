/*
 * Set of object addresses.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_EQUALITY_ADDRESS_SET_H_
#define TRANSOM_SRC_STRUCTURAL_EQUALITY_ADDRESS_SET_H_

#include <cstdint>

#include "graph/pointer_map.h"

namespace transom::structural {

/*! \brief A bit per 16 bytes of memory, a word per KiB that has some: objects that are made one after the other, as the
 * variables of a function, share words, so that the set is several times smaller than a table of addresses. */
class AddressSet {
 public:
  /*! \brief Whether the object is new here; it is in the set now. */
  bool Insert(const void* object) {
    uint64_t& word = *words_.Insert(Page(object)).first;
    const bool is_new = (word & Bit(object)) == 0;
    word |= Bit(object);
    return is_new;
  }
  bool Contains(const void* object) const {
    const uint64_t* word = words_.Find(Page(object));
    return word != nullptr && (*word & Bit(object)) != 0;
  }

 private:
  static constexpr int kGranule = 4;  // bits of an address: two objects do not begin in the same 16 bytes
  static constexpr int kPage = kGranule + 6;

  // What the map takes for the address of an object: of 64 bytes, as most are, so that neighbours do not meet.
  static const void* Page(const void* object) {
    constexpr int kObject = 6;
    return reinterpret_cast<const void*>((reinterpret_cast<uintptr_t>(object) >> kPage << kObject) + 1);
  }
  static uint64_t Bit(const void* object) {
    return uint64_t{1} << (reinterpret_cast<uintptr_t>(object) >> kGranule & 63);
  }

  graph::PointerMap<uint64_t> words_;
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_EQUALITY_ADDRESS_SET_H_
