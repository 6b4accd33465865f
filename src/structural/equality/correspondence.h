/*
 * Which objects of two graphs belong together, as the walk over both found it: what patches are made from.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_EQUALITY_CORRESPONDENCE_H_
#define TRANSOM_SRC_STRUCTURAL_EQUALITY_CORRESPONDENCE_H_

#include <vector>

#include "structural/equality/pairing.h"

namespace transom::structural {

/*! \brief Two parts of a pair of objects that differ: fields by their number, elements and entries by their place. */
struct Slot {
  enum class State : uint8_t {
    kSame,    // equal
    kInside,  // a pair of objects that differ inside
    kSet,     // something else stands there, or only one side has such a part
  };
  Pair pair;
  State state = State::kSame;
  State key_state = State::kSame;  // entries: of their keys; kSame or kInside
};

/*! \brief Two objects with children that were compared with each other. */
struct PairRecord {
  const TVMFFIObject* lhs = nullptr;
  const TVMFFIObject* rhs = nullptr;
  bool equal = false;
  bool one_to_one = false;  // variables and dag nodes, which were bound to each other
  bool untouched = false;   // one object on both sides, which was not looked into
  size_t first_slot = 0;    // of pairs that differ, and of maps whose keys have another order
  size_t num_slots = 0;
};

/*! \brief Objects are borrowed from the two graphs. */
struct Correspondence {
  std::vector<PairRecord> pairs;  // parts before what holds them
  /*! \brief Parts of pairs. Entries of a map that are in no slot stand on their side only. */
  std::vector<Slot> slots;
  std::vector<TVMFFIAny> arrivals;  // values of the right side that stand where the left has nothing or something else
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_EQUALITY_CORRESPONDENCE_H_
