/*
 * Hash map from object addresses, for the memo tables of walks: one lookup per visit of a shared object.
 */
#ifndef TRANSOM_SRC_GRAPH_POINTER_MAP_H_
#define TRANSOM_SRC_GRAPH_POINTER_MAP_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

namespace transom::graph {

/*!
 * \brief Entries in the order of their insertion, and a table of small slots that leads to them: open addressing with
 * linear probing, half empty. No erasure. References to values are valid until the next insertion.
 */
// What a walk does at shared nodes is wait for this memory. Small slots are less of it than the entries would be, and
// growing writes them alone.
template <class V>
class PointerMap {
 public:
  PointerMap() = default;
  PointerMap(const PointerMap&) = delete;
  PointerMap& operator=(const PointerMap&) = delete;
  PointerMap(PointerMap&& other) noexcept { Swap(other); }
  PointerMap& operator=(PointerMap&& other) noexcept {
    Swap(other);
    return *this;
  }
  ~PointerMap() {
    if (limit_ != 0) std::free(slots_);
  }

  V* Find(const void* key) {
    const size_t i = SlotOf(key);
    return slots_[i] == 0 ? nullptr : &EntryOf(slots_[i]).value;
  }
  const V* Find(const void* key) const { return const_cast<PointerMap*>(this)->Find(key); }

  /*! \brief The value of `key`, inserted as `V()` when new; `second` says whether it was. `key` is not null. */
  std::pair<V*, bool> Insert(const void* key) {
    const size_t i = SlotOf(key);
    if (slots_[i] != 0) return {&EntryOf(slots_[i]).value, false};
    return {Add(i, key), true};
  }

  size_t size() const { return entries_.size(); }

  /*! \brief Where a value that Insert gave lies, for FindAt. */
  size_t PlaceOf(const V* value) const {
    return static_cast<size_t>(
        reinterpret_cast<const Entry*>(reinterpret_cast<const char*>(value) - offsetof(Entry, value)) -
        entries_.data());
  }
  /*! \brief Find for a key that is there, by its place; a place that is wrong costs time only. */
  V* FindAt(size_t place, const void* key) {
    return place < entries_.size() && entries_[place].key == key ? &entries_[place].value : Find(key);
  }

 private:
  struct Entry {
    const void* key = nullptr;
    V value{};
  };
  // A slot is 0, or a tag of the key above 1 + the number of its entry.
  static constexpr int kNumberBits = 40;
  static constexpr uint64_t kNumber = (uint64_t{1} << kNumberBits) - 1;

  static uint64_t TagOf(const void* key) { return reinterpret_cast<uintptr_t>(key) >> 4 << kNumberBits; }
  // Neighbours in memory, which are often met together, are neighbours here: runs of 64 granules of 64 bytes stay in
  // order, and the runs are spread. So a line of slots is met several times while it is in the cache.
  size_t Home(const void* key) const {
    const auto address = reinterpret_cast<uintptr_t>(key);
    return ((((address >> 12) * 0x9E3779B97F4A7C15u) >> shift_) ^ (address >> 6 & 63)) & mask_;
  }
  Entry& EntryOf(uint64_t slot) { return entries_[(slot & kNumber) - 1]; }

  // The key's slot, or the free one where it would be.
  size_t SlotOf(const void* key) {
    const uint64_t tag = TagOf(key);
    for (size_t i = Home(key);; i = (i + 1) & mask_) {
      const uint64_t slot = slots_[i];
      if (slot == 0 || ((slot ^ tag) <= kNumber && EntryOf(slot).key == key)) return i;
    }
  }

  [[gnu::noinline]] V* Add(size_t i, const void* key) {
    if (entries_.size() >= limit_) {
      Grow();
      i = SlotOf(key);
    }
    Entry& entry = entries_.emplace_back();
    entry.key = key;
    slots_[i] = TagOf(key) | entries_.size();
    return &entry.value;
  }

  [[gnu::noinline]] void Grow() {
    const size_t size = limit_ == 0 ? 16 : (mask_ + 1) * 2;
    auto* slots = static_cast<uint64_t*>(std::calloc(size, sizeof(uint64_t)));
    if (slots == nullptr) throw std::bad_alloc();
    if (limit_ != 0) std::free(slots_);
    slots_ = slots;
    mask_ = size - 1;
    limit_ = size / 2;
    shift_ = 64;
    for (size_t n = size; n > 1; n >>= 1) --shift_;
    for (size_t number = 0; number < entries_.size();) {
      const void* key = entries_[number].key;
      size_t i = Home(key);
      while (slots_[i] != 0) i = (i + 1) & mask_;
      slots_[i] = TagOf(key) | ++number;
    }
  }

  void Swap(PointerMap& other) noexcept {
    std::swap(entries_, other.entries_);
    std::swap(slots_, other.slots_);
    std::swap(limit_, other.limit_);
    std::swap(mask_, other.mask_);
    std::swap(shift_, other.shift_);
  }

  // What an empty map looks into. Never written.
  static inline uint64_t no_slots_[1] = {0};

  std::vector<Entry> entries_;
  uint64_t* slots_ = no_slots_;
  size_t limit_ = 0;  // entries that the slots take
  size_t mask_ = 0;
  int shift_ = 63;
};

}  // namespace transom::graph
#endif  // TRANSOM_SRC_GRAPH_POINTER_MAP_H_
