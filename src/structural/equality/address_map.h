/*
 * Hash map from object addresses that is small: for walks whose time is waiting for memory.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_EQUALITY_ADDRESS_MAP_H_
#define TRANSOM_SRC_STRUCTURAL_EQUALITY_ADDRESS_MAP_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace transom::structural {

/*!
 * \brief Keys are addresses of objects, which are at least 24 bytes long. A page of 1 KiB that has some is an entry of
 * an open-addressing table, with a bit per 16 bytes, and its values lie packed in the order of the bits. Objects that
 * are made one after the other, as the variables of a function, share pages: then a value takes about 16 bytes in all,
 * and neighbours share cache lines. (graph::PointerMap takes 24 bytes and more besides the value.)
 *
 * No erasure. References to values are valid until the next insertion.
 */
template <class V>
class AddressMap {
 public:
  static_assert(std::is_trivially_copyable_v<V>);

  V* Find(const void* key) {
    Page* page = PageOf(key);
    return page != nullptr && (page->bits & Bit(key)) != 0 ? page->values + Rank(*page, key) : nullptr;
  }

  /*! \brief The value of `key`, inserted as `V()` when new; `second` says whether it was. `key` is not null. */
  std::pair<V*, bool> Insert(const void* key) {
    Page* page = PageOf(key);
    if (page == nullptr) page = AddPage(key);
    if ((page->bits & Bit(key)) != 0) return {page->values + Rank(*page, key), false};
    return {AddValue(page, key), true};
  }

  size_t size() const { return size_; }

 private:
  static constexpr int kGranule = 4;          // bits of an address: two objects do not begin in the same 16 bytes
  static constexpr int kPage = kGranule + 6;  // a bit of a word per granule
  static constexpr size_t kFirstValues = 4;   // room of a page, which doubles
  static constexpr size_t kChunk = 8192;      // values

  struct Page {
    uint64_t number = 0;  // plus 1
    uint64_t bits = 0;
    V* values = nullptr;
  };

  static uint64_t NumberOf(const void* key) { return (reinterpret_cast<uintptr_t>(key) >> kPage) + 1; }
  static uint64_t Bit(const void* key) { return uint64_t{1} << (reinterpret_cast<uintptr_t>(key) >> kGranule & 63); }
  static size_t Rank(const Page& page, const void* key) { return Count(page.bits & (Bit(key) - 1)); }
  // Processors without an instruction for it are supported, and a call of the compiler's function costs more than this.
  static size_t Count(uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    return ((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56;
  }
  size_t Home(uint64_t number) const { return (number * 0x9E3779B97F4A7C15u) >> shift_; }

  Page* PageOf(const void* key) {
    const uint64_t number = NumberOf(key);
    if (last_->number == number) return last_;
    Page* const pages = pages_.data();
    for (size_t i = Home(number);; i = (i + 1) & mask_) {
      if (pages[i].number == number) return last_ = &pages[i];
      if (pages[i].number == 0) return nullptr;
    }
  }

  size_t FreePlaceOf(uint64_t number) const {
    size_t i = Home(number);
    while (pages_[i].number != 0) i = (i + 1) & mask_;
    return i;
  }
  [[gnu::noinline]] Page* AddPage(const void* key) {
    if (num_pages_ > mask_ / 2) Grow();
    ++num_pages_;
    Page& page = pages_[FreePlaceOf(NumberOf(key))];
    page.number = NumberOf(key);
    return last_ = &page;
  }
  void Grow() {
    std::vector<Page> old(2 * pages_.size());
    old.swap(pages_);
    mask_ = pages_.size() - 1;
    --shift_;
    for (const Page& page : old) {
      if (page.number != 0) pages_[FreePlaceOf(page.number)] = page;
    }
    last_ = pages_.data();
  }

  [[gnu::noinline]] V* AddValue(Page* page, const void* key) {
    const size_t count = Count(page->bits), rank = Rank(*page, key);
    if (count == 0 || (count >= kFirstValues && (count & (count - 1)) == 0)) {
      V* values = Allocate(count == 0 ? kFirstValues : 2 * count);
      if (count != 0) std::memcpy(values, page->values, count * sizeof(V));
      page->values = values;
    }
    V* value = page->values + rank;
    for (V* last = page->values + count; last != value; --last) *last = last[-1];  // mostly none
    *value = V();
    page->bits |= Bit(key);
    ++size_;
    return value;
  }
  // Room that was outgrown stays where it is: it is no more than what is in use.
  V* Allocate(size_t count) {
    if (room_ < count) {
      chunks_.push_back(std::make_unique<V[]>(kChunk));
      free_ = chunks_.back().get();
      room_ = kChunk;
    }
    V* values = free_;
    free_ += count;
    room_ -= count;
    return values;
  }

  static constexpr int kFirstShift = 60;
  std::vector<Page> pages_ = std::vector<Page>(size_t{1} << (64 - kFirstShift));
  size_t mask_ = pages_.size() - 1;
  int shift_ = kFirstShift;
  Page* last_ = pages_.data();  // the page of the last key, which the next one is often on, too
  size_t num_pages_ = 0;
  size_t size_ = 0;
  std::vector<std::unique_ptr<V[]>> chunks_;
  V* free_ = nullptr;
  size_t room_ = 0;
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_EQUALITY_ADDRESS_MAP_H_
