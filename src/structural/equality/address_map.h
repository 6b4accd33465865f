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

#include "structural/equality/address_pages.h"

namespace transom::structural {

/*!
 * \brief Keys are addresses of objects. A page has a bit per 16 bytes, and its values lie packed in the order of the
 * bits. Objects that are made one after the other, as the variables of a function, share pages: then a value takes
 * about 16 bytes in all, and neighbours share cache lines. (graph::PointerMap takes 24 bytes and more besides the
 * value.)
 *
 * No erasure. References to values are valid until the next insertion.
 */
template <class V>
class AddressMap {
 public:
  static_assert(std::is_trivially_copyable_v<V>);

  V* Find(const void* key) {
    const Page* page = pages_.Find(key);
    return page != nullptr && (page->bits & GranuleBit(key)) != 0 ? page->values + Rank(*page, key) : nullptr;
  }

  /*! \brief The value of `key`, inserted as `V()` when new; `second` says whether it was. `key` is not null. */
  std::pair<V*, bool> Insert(const void* key) {
    Page& page = pages_.At(key);
    const bool is_new = (page.bits & GranuleBit(key)) == 0;
    return {is_new ? AddValue(&page, key) : page.values + Rank(page, key), is_new};
  }

  size_t size() const { return size_; }

 private:
  static constexpr size_t kFirstValues = 4;  // room of a page, which doubles
  static constexpr size_t kChunk = 8192;     // values

  struct Page {
    uint64_t bits = 0;
    V* values = nullptr;
  };

  static size_t Rank(const Page& page, const void* key) { return Count(page.bits & (GranuleBit(key) - 1)); }
  // Processors without an instruction for it are supported, and a call of the compiler's function costs more than this.
  static size_t Count(uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    return ((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56;
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
    page->bits |= GranuleBit(key);
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

  AddressPages<Page> pages_;
  size_t size_ = 0;
  std::vector<std::unique_ptr<V[]>> chunks_;
  V* free_ = nullptr;
  size_t room_ = 0;
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_EQUALITY_ADDRESS_MAP_H_
