/*
 * NaN as a key of maps. Maps tell NaNs apart by their bits, values do not; the rest of structural comparison follows
 * values: two maps with equally many NaN keys have these pair in the order of their bits, with another number none
 * pairs.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_RULES_NAN_KEYS_H_
#define TRANSOM_SRC_STRUCTURAL_RULES_NAN_KEYS_H_

#include <transom/containers/map.h>

#include <cmath>

#include "graph/value.h"

namespace transom::structural {

inline bool IsNan(const TVMFFIAny& value) {
  return value.type_index == kTVMFFIFloat && std::isnan(value.v_float64);
}

/*! \brief The value of a key; of the only NaN of the map for a NaN of other bits. Null: there is none. */
inline const Any* FindEntry(const MapBaseObj& map, const TVMFFIAny& key) {
  const Any* found = map.Find(AnyView::FromRaw(key));
  if (found != nullptr || !IsNan(key)) return found;
  for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos)) {
    if (!IsNan(*map.KeyAt(pos).raw())) continue;
    if (found != nullptr) return nullptr;
    found = &map.ValueAt(pos);
  }
  return found;
}

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_RULES_NAN_KEYS_H_
