/*
 * Set of object addresses.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_EQUALITY_ADDRESS_SET_H_
#define TRANSOM_SRC_STRUCTURAL_EQUALITY_ADDRESS_SET_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace transom::structural {

/*! \brief A bit per 16 bytes of memory, a word per KiB that has some: objects that are made one after the other, as the
 * variables of a function, share words, so that the set is several times smaller than a table of addresses. */
class AddressSet {
 public:
  /*! \brief Whether the object is new here; it is in the set now. `object` is not null. */
  bool Insert(const void* object) {
    Page* page = last_;
    if (page->number != NumberOf(object)) page = PageOf(object);
    const bool is_new = (page->bits & Bit(object)) == 0;
    page->bits |= Bit(object);
    return is_new;
  }
  bool Contains(const void* object) const {
    const Page& page = pages_[SlotOf(NumberOf(object))];
    return (page.bits & Bit(object)) != 0;
  }

 private:
  static constexpr int kGranule = 4;          // bits of an address: two objects do not begin in the same 16 bytes
  static constexpr int kPage = kGranule + 6;  // a bit of a word per granule
  static constexpr int kFirstShift = 60;

  // Of an open-addressing table, at most half full.
  struct Page {
    uint64_t number = 0;  // plus 1
    uint64_t bits = 0;
  };

  static uint64_t NumberOf(const void* object) { return (reinterpret_cast<uintptr_t>(object) >> kPage) + 1; }
  static uint64_t Bit(const void* object) {
    return uint64_t{1} << (reinterpret_cast<uintptr_t>(object) >> kGranule & 63);
  }

  // The page's slot, or the free one where it would be.
  size_t SlotOf(uint64_t number) const {
    size_t i = (number * 0x9E3779B97F4A7C15u) >> shift_;
    while (pages_[i].number != number && pages_[i].number != 0) i = (i + 1) & (pages_.size() - 1);
    return i;
  }
  [[gnu::noinline]] Page* PageOf(const void* object) {
    const uint64_t number = NumberOf(object);
    size_t i = SlotOf(number);
    if (pages_[i].number == 0) {
      if (num_pages_ >= pages_.size() / 2) {
        Grow();
        i = SlotOf(number);
      }
      ++num_pages_;
      pages_[i].number = number;
    }
    return last_ = &pages_[i];
  }
  void Grow() {
    std::vector<Page> old(2 * pages_.size());
    old.swap(pages_);
    --shift_;
    for (const Page& page : old) {
      if (page.number != 0) pages_[SlotOf(page.number)] = page;
    }
  }

  std::vector<Page> pages_ = std::vector<Page>(size_t{1} << (64 - kFirstShift));
  int shift_ = kFirstShift;
  Page* last_ = pages_.data();  // the page of the last object, which the next one is often on, too
  size_t num_pages_ = 0;
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_EQUALITY_ADDRESS_SET_H_
