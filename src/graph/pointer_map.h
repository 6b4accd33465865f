/*
 * Hash map from object addresses, for the memo tables of walks: one lookup per visit of a shared object.
 */
#ifndef TRANSOM_SRC_GRAPH_POINTER_MAP_H_
#define TRANSOM_SRC_GRAPH_POINTER_MAP_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace transom::graph {

/*!
 * \brief Open addressing with linear probing; keys are addresses, spread by a multiplicative hash. No erasure.
 * References to values are valid until the next insertion. (A node-based std::unordered_map costs a cache miss more per
 * lookup, which is most of what a walk does at shared nodes.)
 */
template <class V>
class PointerMap {
 public:
  V* Find(const void* key) {
    if (slots_.empty()) return nullptr;
    for (size_t i = Home(key);; i = (i + 1) & mask_) {
      if (slots_[i].key == key) return &slots_[i].value;
      if (slots_[i].key == nullptr) return nullptr;
    }
  }
  const V* Find(const void* key) const { return const_cast<PointerMap*>(this)->Find(key); }

  /*! \brief The value of `key`, inserted as `V()` when new; `second` says whether it was. `key` is not null. */
  std::pair<V*, bool> Insert(const void* key) {
    if (size_ >= limit_) Grow();
    size_t i = Home(key);
    for (; slots_[i].key != nullptr; i = (i + 1) & mask_) {
      if (slots_[i].key == key) return {&slots_[i].value, false};
    }
    slots_[i].key = key;
    ++size_;
    return {&slots_[i].value, true};
  }

  size_t size() const { return size_; }

  /*! \brief Where Find and Insert look first: to ask memory for it. */
  const void* HomeOf(const void* key) const { return slots_.data() + Home(key); }

  /*! \brief Where a value that Insert gave lies, for FindAt. */
  size_t PlaceOf(const V* value) const {
    return static_cast<size_t>(
        reinterpret_cast<const Slot*>(reinterpret_cast<const char*>(value) - offsetof(Slot, value)) - slots_.data());
  }
  /*! \brief Find for a key that is there, and was at that place once. */
  V* FindAt(size_t place, const void* key) {
    return place < slots_.size() && slots_[place].key == key ? &slots_[place].value : Find(key);
  }

 private:
  struct Slot {
    const void* key = nullptr;
    V value{};
  };

  // Neighbours in memory, which are often met together, are neighbours here: runs of 64 granules of 16 bytes stay in
  // order, and the runs are spread.
  size_t Home(const void* key) const {
    const auto address = reinterpret_cast<uintptr_t>(key);
    return ((((address >> 10) * 0x9E3779B97F4A7C15u) >> shift_) ^ (address >> 4 & 63)) & mask_;
  }

  [[gnu::noinline]] void Grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    limit_ = slots_.size() / 4 * 3;
    shift_ = 64;
    for (size_t n = slots_.size(); n > 1; n >>= 1) --shift_;
    for (Slot& slot : old) {
      if (slot.key == nullptr) continue;
      size_t i = Home(slot.key);
      while (slots_[i].key != nullptr) i = (i + 1) & mask_;
      slots_[i] = std::move(slot);
    }
  }

  std::vector<Slot> slots_;
  size_t size_ = 0;
  size_t limit_ = 0;  // entries that the slots take
  size_t mask_ = 0;
  int shift_ = 64;
};

}  // namespace transom::graph
#endif  // TRANSOM_SRC_GRAPH_POINTER_MAP_H_
