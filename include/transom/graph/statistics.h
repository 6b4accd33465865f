/*
 * Statistics of a graph: what it is made of.
 */
#ifndef TRANSOM_GRAPH_STATISTICS_H_
#define TRANSOM_GRAPH_STATISTICS_H_

#include <transom/export.h>
#include <transom/runtime/any.h>

#include <cstdint>
#include <string>
#include <vector>

namespace transom {

struct TypeCount {
  std::string type_key;
  uint64_t count = 0;  // distinct objects; for plain values and strings, places that hold one
  uint64_t bytes = 0;  // memory of the distinct objects, contents included; values within their holder count there
};

struct GraphStatistics {
  std::vector<TypeCount> types;  // by bytes, then count, largest first; ties by key
  uint64_t objects = 0;          // distinct objects, containers and tensors included, strings not
  uint64_t edges = 0;            // references from them to objects and plain values; None is none
  uint64_t shared = 0;           // objects that more than one edge leads to
  uint64_t max_depth = 0;        // longest path from the root, in steps
  uint64_t tree_size = 0;        // values in the unfolded tree, saturating
  uint64_t tensors = 0;
  uint64_t tensor_bytes = 0;  // of their elements

  /*! \brief Memory of all distinct objects, contents included. */
  uint64_t bytes() const {
    uint64_t sum = 0;
    for (const TypeCount& type : types) sum += type.bytes;
    return sum;
  }
};

/*! \brief Walks the graph once. ValueError: a cycle (names the path). Linear; no recursion; thread-safe while nobody
 * changes it. */
TRANSOM_API GraphStatistics Statistics(AnyView value);

}  // namespace transom
#endif  // TRANSOM_GRAPH_STATISTICS_H_
