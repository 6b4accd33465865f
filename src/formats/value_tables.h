/*
 * Plain values and texts that were written already, by content.
 */
#ifndef TRANSOM_SRC_FORMATS_VALUE_TABLES_H_
#define TRANSOM_SRC_FORMATS_VALUE_TABLES_H_

#include <transom/runtime/c_api.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace transom::formats {

/*! \brief Index of a plain value's node, by type and bits: 0.0 and -0.0 are two values. */
class ScalarTable {
 public:
  /*! \brief The index, -1 when new. */
  int64_t* Insert(const TVMFFIAny& value) {
    return &indices_.try_emplace(Key{value.type_index, value.v_uint64}, -1).first->second;
  }

 private:
  struct Key {
    int32_t type;
    uint64_t bits;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& k) const { return (k.bits ^ static_cast<uint64_t>(k.type) << 56) * 0x9E3779B97F4A7C15u >> 16; }
  };
  std::unordered_map<Key, int64_t, Hash> indices_;
};

/*! \brief Index of a text's node, by content. The texts live as long as the graph. */
class TextTable {
 public:
  int64_t* Insert(std::string_view text) {
    // A text inside a value is a copy of the walk's; keep short ones here.
    if (text.size() > kInline) return &long_.try_emplace(text, -1).first->second;
    return &short_.try_emplace(std::string(text), -1).first->second;
  }

 private:
  static constexpr size_t kInline = 7;
  std::unordered_map<std::string_view, int64_t> long_;
  std::unordered_map<std::string, int64_t> short_;
};

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_VALUE_TABLES_H_
