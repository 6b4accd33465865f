/*
 * Something per KiB of memory, found by an address: for tables of objects that walks ask all the time.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_EQUALITY_ADDRESS_PAGES_H_
#define TRANSOM_SRC_STRUCTURAL_EQUALITY_ADDRESS_PAGES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace transom::structural {

/*! \brief The bit of an object's granule in a word that stands for a page. Objects are at least 24 bytes long, so two
 * do not begin in the same 16 bytes. */
inline uint64_t GranuleBit(const void* address) {
  return uint64_t{1} << (reinterpret_cast<uintptr_t>(address) / 16 % 64);
}

/*!
 * \brief A `Page` for each KiB that has an object in it. Pages of neighbouring memory are neighbours, 64 of them at a
 * time, and those come from a hash table: what is made one after the other, as the parts of a function, is found
 * without waiting for memory. At most a 64th of the memory that objects lie in is taken for pages of 16 bytes.
 *
 * Pages do not move.
 */
template <class Page>
class AddressPages {
 public:
  /*! \brief Null: nothing near the address has one. */
  Page* Find(const void* address) {
    if (last_.number != NumberOf(address)) {
      const Region& region = regions_[SlotOf(NumberOf(address))];
      if (region.number == 0) return nullptr;
      last_ = region;
    }
    return last_.pages + PlaceOf(address);
  }
  /*! \brief Made as `Page()` when new. `address` is not null. */
  Page& At(const void* address) {
    if (last_.number != NumberOf(address)) EnterRegion(NumberOf(address));
    return last_.pages[PlaceOf(address)];
  }

 private:
  static constexpr size_t kPage = 1024;
  static constexpr size_t kPages = 64;
  static constexpr int kFirstShift = 60;

  // Of an open-addressing table, at most half full.
  struct Region {
    uint64_t number = 0;  // plus 1
    Page* pages = nullptr;
  };

  static uint64_t NumberOf(const void* address) { return reinterpret_cast<uintptr_t>(address) / (kPage * kPages) + 1; }
  static size_t PlaceOf(const void* address) { return reinterpret_cast<uintptr_t>(address) / kPage % kPages; }

  // The region's slot, or the free one where it would be.
  size_t SlotOf(uint64_t number) const {
    size_t i = (number * 0x9E3779B97F4A7C15u) >> shift_;
    while (regions_[i].number != number && regions_[i].number != 0) i = (i + 1) & (regions_.size() - 1);
    return i;
  }
  [[gnu::noinline]] void EnterRegion(uint64_t number) {
    Region* region = &regions_[SlotOf(number)];
    if (region->number == 0) {
      if (made_.size() >= regions_.size() / 2) {
        Grow();
        region = &regions_[SlotOf(number)];
      }
      made_.push_back(std::make_unique<Page[]>(kPages));
      *region = {number, made_.back().get()};
    }
    last_ = *region;
  }
  void Grow() {
    std::vector<Region> old(2 * regions_.size());
    old.swap(regions_);
    --shift_;
    for (const Region& region : old) {
      if (region.number != 0) regions_[SlotOf(region.number)] = region;
    }
  }

  std::vector<Region> regions_ = std::vector<Region>(size_t{1} << (64 - kFirstShift));
  int shift_ = kFirstShift;
  Region last_;  // that of the last address, which the next one is often in, too
  std::vector<std::unique_ptr<Page[]>> made_;
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_EQUALITY_ADDRESS_PAGES_H_
