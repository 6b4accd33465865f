/*
 * The results of the objects that a walk met last.
 */
#ifndef TRANSOM_SRC_GRAPH_RECENT_RESULTS_H_
#define TRANSOM_SRC_GRAPH_RECENT_RESULTS_H_

#include <cstddef>
#include <cstdint>

namespace transom::graph {

/*! \brief Some of the results that are known, by object: variables are used near the place that binds them, so most
 * questions end here, in a few instructions and in the first cache, before any table is asked. */
template <class Result, size_t kEntries = 128>
class RecentResults {
 public:
  void Add(const void* object, const Result& result) { entries_[PlaceOf(object)] = {object, result}; }
  /*! \brief Null says nothing. Valid until the next Add. `object` is not null. */
  const Result* Find(const void* object) const {
    const Entry& entry = entries_[PlaceOf(object)];
    return entry.object == object ? &entry.result : nullptr;
  }

 private:
  struct Entry {
    const void* object = nullptr;
    Result result{};
  };
  // Of 64 bytes, as most objects are: those of one function do not take each other's place.
  static size_t PlaceOf(const void* object) { return reinterpret_cast<uintptr_t>(object) / 64 % kEntries; }

  Entry entries_[kEntries];
};

}  // namespace transom::graph
#endif  // TRANSOM_SRC_GRAPH_RECENT_RESULTS_H_
