/* A plain model of Map and Dict from int to int, with their order of entries. */
#ifndef TRANSOM_TESTS_CONTAINERS_MAP_MODEL_H_
#define TRANSOM_TESTS_CONTAINERS_MAP_MODEL_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace transom::test {

class MapModel {
 public:
  template <class M>
  explicit MapModel(const M& map) : entries_(map.begin(), map.end()) {}

  size_t size() const { return entries_.size(); }
  /* `slots` is the map's word at offset 40 before the insertion: it tells whether an overwrite keeps its place. */
  void Insert(int64_t key, int64_t value, uint64_t slots) {
    bool small = slots >> 63 != 0 && !((slots & 7) == 4 && size() == 4);
    auto at = Find(key);
    if (at != entries_.end() && small) {
      at->second = value;
      return;
    }
    if (at != entries_.end()) entries_.erase(at);
    entries_.emplace_back(key, value);
  }
  void Erase(int64_t key) {
    auto at = Find(key);
    if (at != entries_.end()) entries_.erase(at);
  }
  void Clear() { entries_.clear(); }

  /* The map has the model's entries in its order, and finds them. */
  template <class M>
  void ExpectSame(const M& map) const {
    ASSERT_EQ((std::vector<std::pair<int64_t, int64_t>>(map.begin(), map.end())), entries_);
    for (const auto& [key, value] : entries_) ASSERT_EQ(map[key], value);
  }

 private:
  std::vector<std::pair<int64_t, int64_t>>::iterator Find(int64_t key) {
    return std::find_if(entries_.begin(), entries_.end(), [key](const auto& entry) { return entry.first == key; });
  }

  std::vector<std::pair<int64_t, int64_t>> entries_;
};

}  // namespace transom::test

#endif  // TRANSOM_TESTS_CONTAINERS_MAP_MODEL_H_
