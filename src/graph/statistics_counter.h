/*
 * Statistics, counted value by value, children first, wherever the values come from.
 */
#ifndef TRANSOM_SRC_GRAPH_STATISTICS_COUNTER_H_
#define TRANSOM_SRC_GRAPH_STATISTICS_COUNTER_H_

#include <transom/export.h>
#include <transom/graph/statistics.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace transom::graph {

class StatisticsCounter {
 public:
  /*! \brief What a parent needs to know of a child. */
  struct Result {
    int64_t object = -1;  // number of an object, -1: a plain value or text
    uint64_t depth = 0;   // longest path below
    uint64_t size = 0;    // values in the unfolded tree; None has none
  };

  /*! \brief A place that holds None, a plain value or a text. `bytes`: memory of a text's object, at the first such
   * place only. */
  TRANSOM_API Result Place(std::string_view key, bool is_none, uint64_t bytes = 0);
  /*! \brief An object without children, once. */
  TRANSOM_API Result Object(std::string_view key, uint64_t bytes);
  TRANSOM_API Result Tensor(std::string_view key, uint64_t bytes, uint64_t content_bytes);
  /*! \brief An object with children, once. */
  TRANSOM_API Result Parent(std::string_view key, uint64_t bytes, const Result* children, uint64_t n);
  /*! \brief The sums, for the root's result; once. */
  TRANSOM_API GraphStatistics Finish(const Result& root);

 private:
  struct Recent {
    const char* key = nullptr;
    size_t size = 0;
    size_t index = 0;
  };

  TypeCount& Of(std::string_view key);
  size_t IndexOf(std::string_view key);
  int64_t NewObject(std::string_view key, uint64_t bytes);

  GraphStatistics stats_;
  std::map<std::string_view, size_t, std::less<>> index_;  // of stats_.types; keys live as long as the types
  std::array<Recent, 64> recent_;                          // of index_, by the address of the text
  std::vector<uint8_t> uses_;                              // by object: 0, 1, or 2 for more
};

/*! \brief Bytes of objects of built-in types, by the layouts of the C contract. */
TRANSOM_API uint64_t TextBytes(uint64_t size);
TRANSOM_API uint64_t TensorBytes(uint64_t rank, uint64_t content_bytes);
TRANSOM_API uint64_t SequenceBytes(uint64_t capacity);
TRANSOM_API uint64_t ShapeBytes(uint64_t rank);
TRANSOM_API uint64_t BigIntBytes(uint64_t content_bytes);
/*! \brief The same of a map or dict with a state of slots as in its object, or as made with `n` entries at once. */
TRANSOM_API uint64_t MapBytes(uint64_t slots);
TRANSOM_API uint64_t FreshMapBytes(uint64_t n);
/*! \brief Bytes of an object of a registered type as the registry states them, else `otherwise`. */
TRANSOM_API uint64_t RegisteredBytes(int32_t type_index, uint64_t otherwise);

}  // namespace transom::graph
#endif  // TRANSOM_SRC_GRAPH_STATISTICS_COUNTER_H_
