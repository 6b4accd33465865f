/*
 * Counts that stay at their limit.
 */
#ifndef TRANSOM_SRC_GRAPH_SATURATING_H_
#define TRANSOM_SRC_GRAPH_SATURATING_H_

#include <cstdint>
#include <limits>

namespace transom::graph {

/*! \brief The sum, or the largest number where that is larger. */
inline uint64_t SaturatingAdd(uint64_t a, uint64_t b) {
  return a > std::numeric_limits<uint64_t>::max() - b ? std::numeric_limits<uint64_t>::max() : a + b;
}

}  // namespace transom::graph
#endif  // TRANSOM_SRC_GRAPH_SATURATING_H_
