/*
 * What a walk knows of native types, by type index.
 */
#ifndef TRANSOM_SRC_GRAPH_TYPE_TABLE_H_
#define TRANSOM_SRC_GRAPH_TYPE_TABLE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace transom::graph {

/*! \brief Pointers by type index. Finding one is a few instructions: walks ask for every object. */
template <class T>
class TypeTable {
 public:
  /*! \brief Null: none was set. */
  const T* Find(int32_t type_index) const {
    const auto i = static_cast<uint32_t>(type_index);
    return i < size_ ? entries_[i] : nullptr;
  }
  /*! \param type_index Not negative. */
  void Set(int32_t type_index, const T* value) {
    const auto i = static_cast<uint32_t>(type_index);
    if (size_ <= i) Grow(i);
    entries_[i] = value;
  }

 private:
  void Grow(uint32_t i) {
    const uint32_t size = 2 * (i + 1);
    auto grown = std::make_unique<const T*[]>(size);
    std::copy_n(entries_.get(), size_, grown.get());
    entries_ = std::move(grown);
    size_ = size;
  }

  std::unique_ptr<const T*[]> entries_;
  uint32_t size_ = 0;
};

}  // namespace transom::graph
#endif  // TRANSOM_SRC_GRAPH_TYPE_TABLE_H_
