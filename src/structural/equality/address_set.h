/*
 * Set of object addresses.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_EQUALITY_ADDRESS_SET_H_
#define TRANSOM_SRC_STRUCTURAL_EQUALITY_ADDRESS_SET_H_

#include "structural/equality/address_pages.h"

namespace transom::structural {

/*! \brief A bit per 16 bytes of memory, a word per KiB: several times smaller than a table of addresses. */
class AddressSet {
 public:
  /*! \brief Whether the object is new here; it is in the set now. `object` is not null. */
  bool Insert(const void* object) {
    uint64_t& word = words_.At(object);
    const bool is_new = (word & GranuleBit(object)) == 0;
    word |= GranuleBit(object);
    return is_new;
  }
  bool Contains(const void* object) {
    const uint64_t* word = words_.Find(object);
    return word != nullptr && (*word & GranuleBit(object)) != 0;
  }

 private:
  AddressPages<uint64_t> words_;
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_EQUALITY_ADDRESS_SET_H_
