/*
 * Plain values and texts that were written already, by content.
 */
#ifndef TRANSOM_SRC_FORMATS_NODES_VALUE_TABLES_H_
#define TRANSOM_SRC_FORMATS_NODES_VALUE_TABLES_H_

#include <xxhash.h>

#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/value.h"

namespace transom::formats {

/*!
 * \brief Numbers by content: open addressing, no erasure, like graph::PointerMap for keys that are no addresses.
 * Key has `uint64_t Hash() const` and `==`.
 */
template <class Key>
class NumberTable {
 public:
  /*! \brief The number of a key, -1 when it is new: the caller sets it. Valid until the next call. */
  int64_t* Insert(const Key& key) {
    if ((size_ + 1) * 2 > slots_.size()) Grow();
    Slot& slot = slots_[Place(key)];
    if (slot.number == kEmpty) {
      slot = {key, -1};
      ++size_;
    }
    return &slot.number;
  }

 private:
  static constexpr int64_t kEmpty = -2;
  struct Slot {
    Key key{};
    int64_t number = kEmpty;
  };

  size_t Place(const Key& key) const {
    const size_t mask = slots_.size() - 1;
    size_t i = key.Hash() & mask;
    while (slots_[i].number != kEmpty && !(slots_[i].key == key)) i = (i + 1) & mask;
    return i;
  }
  void Grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number != kEmpty) slots_[Place(slot.key)] = slot;
    }
  }

  std::vector<Slot> slots_;
  size_t size_ = 0;
};

/*! \brief Numbers of plain values, by type and bits: 0.0 and -0.0 are two values. */
class ScalarTable {
 public:
  int64_t* Insert(const TVMFFIAny& value) {
    return table_.Insert({static_cast<uint64_t>(value.type_index), value.v_uint64});
  }

 private:
  struct Key {
    uint64_t type;
    uint64_t bits;
    bool operator==(const Key&) const = default;
    uint64_t Hash() const {
      const uint64_t h = (bits ^ type << 56) * 0x9E3779B97F4A7C15u;
      return h ^ h >> 32;
    }
  };
  NumberTable<Key> table_;
};

/*! \brief Numbers of texts, by content. Texts of more than 7 bytes stay where they are until the table ends. */
class TextTable {
 public:
  /*! \param value A string or bytes, small or heap. */
  int64_t* Insert(const TVMFFIAny& value) {
    const std::string_view text = graph::TextOf(value);
    if (text.size() > kSmall) return long_.Insert({text, XXH3_64bits(text.data(), text.size())});
    // A short text may lie in a copy of its value.
    TVMFFIAny bits{};
    bits.type_index = static_cast<int32_t>(text.size());
    if (graph::IsObject(value)) {
      if (!text.empty()) std::memcpy(bits.v_bytes, text.data(), text.size());
    } else {
      bits.v_uint64 = value.v_uint64 & ((uint64_t{1} << 8 * text.size()) - 1);
    }
    return short_.Insert(bits);
  }

 private:
  static constexpr size_t kSmall = 7;
  struct Key {
    std::string_view text;
    uint64_t hash;
    bool operator==(const Key& other) const { return hash == other.hash && text == other.text; }
    uint64_t Hash() const { return hash; }
  };
  NumberTable<Key> long_;
  ScalarTable short_;
};

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_NODES_VALUE_TABLES_H_
