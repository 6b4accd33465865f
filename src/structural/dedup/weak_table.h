/*
 * Hash table of objects that it does not keep alive.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_DEDUP_WEAK_TABLE_H_
#define TRANSOM_SRC_STRUCTURAL_DEDUP_WEAK_TABLE_H_

#include <transom/runtime/object.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace transom::structural {

/*! \brief Numbers by 32-bit tags, several of one tag too. Linear probing; a removal leaves no gap. */
class TagIndex {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  /*! \brief The first number of that tag for which `match(number)`, or kNone. */
  template <class Match>
  uint32_t Find(uint32_t tag, Match&& match) const {
    const size_t at = Seek(tag, match);
    return at == kNowhere ? kNone : slots_[at].number;
  }
  /*! \brief Makes room, so that the next Insert does not throw. */
  void Reserve() {
    if (size_ >= slots_.size() / 4 * 3) Resize(slots_.empty() ? 16 : slots_.size() * 2);
  }
  void Insert(uint32_t tag, uint32_t number) {
    Reserve();
    Place(tag, number);
    ++size_;
  }
  /*! \brief Removes a number that is there. */
  void Erase(uint32_t tag, uint32_t number);
  /*! \brief Calls a number that is there by another. */
  void Rename(uint32_t tag, uint32_t from, uint32_t to);
  /*! \brief Gives back what memory is not needed. */
  void Shrink();

 private:
  static constexpr size_t kNowhere = ~size_t{0};
  struct Slot {
    uint32_t tag = 0;
    uint32_t number = kNone;
  };

  template <class Match>
  size_t Seek(uint32_t tag, Match&& match) const {
    if (slots_.empty()) return kNowhere;
    for (size_t i = tag & mask_; slots_[i].number != kNone; i = (i + 1) & mask_) {
      if (slots_[i].tag == tag && match(slots_[i].number)) return i;
    }
    return kNowhere;
  }
  void Place(uint32_t tag, uint32_t number);
  void Resize(size_t num_slots);

  std::vector<Slot> slots_;
  size_t size_ = 0;
  size_t mask_ = 0;
};

/*!
 * \brief Objects by hash and by address. Watches them by weak references: their memory stays until the entry goes, so
 * an address in the table is never that of another object. Objects may die at any time, on any thread; the table itself
 * is for one thread at a time. Dead entries go on the way: each new one looks at a few old ones.
 */
class WeakTable {
 public:
  /*! \param hash_mask Bits of hashes that are used: fewer, more candidates, the same answers. */
  explicit WeakTable(uint64_t hash_mask) : hash_mask_(hash_mask) {}
  ~WeakTable();
  WeakTable(const WeakTable&) = delete;
  WeakTable& operator=(const WeakTable&) = delete;

  /*! \brief Entries, those of objects that have died since included. */
  size_t size() const { return entries_.size(); }

  /*! \brief Whether that object, which lives, is in the table; its flag. */
  bool Contains(const TVMFFIObject* object, bool* flag) const {
    const uint32_t found = FindAddress(object);
    if (found == TagIndex::kNone) return false;
    *flag = entries_[found].flag;
    return true;
  }
  /*! \brief A living object of that hash for which `same(object)`, or null. */
  template <class Same>
  ObjectPtr<Object> Find(uint64_t hash, bool* flag, Same&& same) {
    hash &= hash_mask_;
    ObjectPtr<Object> result;
    uint32_t dead = TagIndex::kNone;
    by_hash_.Find(static_cast<uint32_t>(hash), [&](uint32_t i) {
      if (entries_[i].hash != hash) return false;
      ObjectPtr<Object> object = Lock(entries_[i].object);
      if (object == nullptr) {
        dead = i;
        return false;
      }
      if (!same(detail::ObjectAccess::Header(object.get()))) return false;
      *flag = entries_[i].flag;
      result = std::move(object);
      return true;
    });
    if (dead != TagIndex::kNone) Remove(dead);
    return result;
  }
  /*! \brief Enters an object that is not in the table. */
  void Add(TVMFFIObject* object, uint64_t hash, bool flag);
  /*! \brief Drops all dead entries and gives back what memory is not needed. */
  void Compact();

 private:
  struct Entry {
    TVMFFIObject* object;  // a weak reference
    uint64_t hash;
    bool flag;
  };

  // The owner of the object, when it lives.
  static ObjectPtr<Object> Lock(TVMFFIObject* object) {
    return detail::TryPromote(object) ? detail::ObjectAccess::Adopt<Object>(object) : nullptr;
  }
  // Objects that were made together lie together, and are looked for together.
  static uint32_t AddressTag(const TVMFFIObject* object) {
    const auto address = reinterpret_cast<uintptr_t>(object);
    return static_cast<uint32_t>(((address >> 10) * 0x9E3779B97F4A7C15u) >> 32) ^ (address >> 4 & 63);
  }
  uint32_t FindAddress(const TVMFFIObject* object) const {
    return by_address_.Find(AddressTag(object), [&](uint32_t i) { return entries_[i].object == object; });
  }
  void Remove(uint32_t i);
  void Sweep();

  uint64_t hash_mask_;
  std::vector<Entry> entries_;
  TagIndex by_hash_;
  TagIndex by_address_;
  uint32_t hand_ = 0;  // where the next sweep looks
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_DEDUP_WEAK_TABLE_H_
