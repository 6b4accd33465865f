/*
 * String and Bytes: immutable byte sequences of 16 bytes, bit-identical to a value of the C contract. Up to 7 bytes lie
 * inside; longer ones are objects that copies share. Embedded NUL is legal. String is meant as UTF-8 but never checked
 * or changed. Copies may be used from any thread.
 */
#ifndef TRANSOM_CONTAINERS_STRING_H_
#define TRANSOM_CONTAINERS_STRING_H_

#include <transom/runtime/error.h>
#include <transom/runtime/object.h>

#include <cstring>
#include <ostream>
#include <string>
#include <string_view>

namespace transom {

/* Heap form of String. The bytes follow the object or lie elsewhere: use data() and size(). */
class StringObj : public Object, public TVMFFIByteArray {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_STATIC("ffi.String", kTVMFFIStr, StringObj, Object);
};

/* Heap form of Bytes. */
class BytesObj : public Object, public TVMFFIByteArray {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_STATIC("ffi.Bytes", kTVMFFIBytes, BytesObj, Object);
};

static_assert(sizeof(StringObj) == 40 && sizeof(BytesObj) == 40, "layout of the C contract");

namespace detail {

/* Longest sequence that lies inside the value. */
constexpr size_t kMaxSmallLength = 7;

/* Combines a hash with a further word; part of the C contract. */
constexpr uint64_t HashCombine(uint64_t key, uint64_t value) noexcept {
  return key ^ (value + 0x9e3779b9 + (key << 6) + (key >> 2));
}

constexpr uint64_t kHashPrime = 2147483647;

/* Key hash of a byte sequence; part of the C contract. */
inline uint64_t HashBytes(const char* data, size_t size) noexcept {
  constexpr uint64_t kMultiplier = 1099511628211ULL;
  uint64_t result = 0;
  const char* end = data + size;
  for (; end - data >= 8; data += 8) {
    uint64_t word;
    std::memcpy(&word, data, 8);
    result = (result * kMultiplier + word) % kHashPrime;
  }
  if (data != end) {
    uint64_t word = 0;
    std::memcpy(&word, data, static_cast<size_t>(end - data));
    result = (result * kMultiplier + word) % kHashPrime;
  }
  return result;
}

/* Bytes of a value of either form of text. `value` must be one, and a small one lends its own memory. */
inline TVMFFIByteArray TextOf(const TVMFFIAny* value) noexcept {
  if (value->type_index < kTVMFFIStaticObjectBegin) {
    return TVMFFIByteArray{value->v_bytes, value->small_str_len};
  }
  return *reinterpret_cast<const TVMFFIByteArray*>(value->v_obj + 1);
}

/* Writes the header of an object with room for `size` bytes and a NUL; returns where the bytes go. */
template <class Obj>
char* NewText(size_t size, TVMFFIAny* out) {
  if (size == SIZE_MAX) throw std::bad_alloc();
  ObjectPtr<Obj> obj = make_inplace_array_object<Obj, char>(size + 1);
  char* bytes = reinterpret_cast<char*>(obj.get() + 1);
  obj->data = bytes;
  obj->size = size;
  bytes[size] = '\0';
  out->type_index = Obj::_type_index;
  out->zero_padding = 0;
  out->v_obj = ObjectAccess::Release(&obj);
  return bytes;
}

/* What String and Bytes have in common. kSmallIndex and Obj tell the two apart. */
template <int32_t kSmallIndex, class Obj>
class Text {
 public:
  using value_type = char;
  using const_iterator = const char*;
  /* What find and rfind give for "nowhere", and "up to the end" for substr. */
  static constexpr size_t npos = std::string_view::npos;

  Text() noexcept { SetEmpty(); }
  Text(const Text& other) noexcept : value_(other.value_) {
    if (IsHeap()) IncRef(value_.v_obj);
  }
  Text(Text&& other) noexcept : value_(other.value_) { other.SetEmpty(); }
  ~Text() {
    if (IsHeap()) DecRef(value_.v_obj);
  }
  Text& operator=(const Text& other) noexcept {
    Text copy(other);
    std::swap(value_, copy.value_);
    return *this;
  }
  Text& operator=(Text&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }

  /* First byte; a NUL follows the last one. For a short text it points into this value. */
  const char* data() const noexcept { return TextOf(&value_).data; }
  const char* c_str() const noexcept { return data(); }
  size_t size() const noexcept { return TextOf(&value_).size; }
  size_t length() const noexcept { return size(); }
  bool empty() const noexcept { return size() == 0; }
  const_iterator begin() const noexcept { return data(); }
  const_iterator end() const noexcept { return data() + size(); }
  /* Byte at `pos`, which must be less than size(). */
  char operator[](size_t pos) const noexcept { return data()[pos]; }
  /* The same. IndexError: `pos` is not less than size(). */
  char at(size_t pos) const {
    TRANSOM_CHECK(pos < size(), IndexError) << "Expected a position below " << size() << " but got " << pos;
    return data()[pos];
  }
  operator std::string_view() const noexcept {  // NOLINT: as std::string
    TVMFFIByteArray bytes = TextOf(&value_);
    return std::string_view(bytes.data, bytes.size);
  }
  operator std::string() const { return std::string(std::string_view(*this)); }  // NOLINT

  /* Negative, 0 or positive as this text sorts before, equals or sorts after `other`, by unsigned bytes. */
  int compare(std::string_view other) const noexcept { return std::string_view(*this).compare(other); }

  /* Place of the first byte of the first (last) occurrence of `part` that begins at `pos` or later (earlier); npos when
   * there is none. */
  size_t find(std::string_view part, size_t pos = 0) const noexcept { return std::string_view(*this).find(part, pos); }
  size_t rfind(std::string_view part, size_t pos = npos) const noexcept {
    return std::string_view(*this).rfind(part, pos);
  }
  bool starts_with(std::string_view part) const noexcept {
    return std::string_view(*this).substr(0, part.size()) == part;
  }
  bool ends_with(std::string_view part) const noexcept {
    return size() >= part.size() && std::string_view(*this).substr(size() - part.size()) == part;
  }

  /* The value as the C contract sees it, borrowed. */
  const TVMFFIAny* raw() const noexcept { return &value_; }
  /* Takes over an owned value that holds text of this kind. */
  explicit Text(TVMFFIAny owned) noexcept : value_(owned) {}
  /* Gives the value away; this text becomes empty. */
  TVMFFIAny Release() noexcept {
    TVMFFIAny result = value_;
    SetEmpty();
    return result;
  }

 protected:
  Text(const char* data, size_t size) { std::memcpy(Allocate(size), data, size); }
  /* The two byte sequences one after the other. */
  struct Joined {
    std::string_view lhs;
    std::string_view rhs;
  };
  explicit Text(const Joined& parts) {
    size_t total = 0;
    if (__builtin_add_overflow(parts.lhs.size(), parts.rhs.size(), &total)) total = SIZE_MAX;
    char* bytes = Allocate(total);
    if (!parts.lhs.empty()) std::memcpy(bytes, parts.lhs.data(), parts.lhs.size());
    if (!parts.rhs.empty()) std::memcpy(bytes + parts.lhs.size(), parts.rhs.data(), parts.rhs.size());
  }
  /* Up to `count` bytes from `pos` on, borrowed. IndexError: `pos` is beyond the end. */
  std::string_view Part(size_t pos, size_t count) const {
    TRANSOM_CHECK(pos <= size(), IndexError) << "Expected a position of at most " << size() << " but got " << pos;
    return std::string_view(*this).substr(pos, count);
  }

  TVMFFIAny value_;

 private:
  bool IsHeap() const noexcept { return value_.type_index >= kTVMFFIStaticObjectBegin; }
  void SetEmpty() noexcept {
    value_.type_index = kSmallIndex;
    value_.small_str_len = 0;
    value_.v_uint64 = 0;
  }
  char* Allocate(size_t size) {
    if (size > kMaxSmallLength) return NewText<Obj>(size, &value_);
    SetEmpty();
    value_.small_str_len = static_cast<uint32_t>(size);
    return value_.v_bytes;
  }
};

/* `data` may be NULL when `size` is 0. */
inline const char* NotNull(const char* data) noexcept { return data != nullptr ? data : ""; }

}  // namespace detail

/* Text. Construction copies; std::bad_alloc where memory is short. */
class String : public detail::Text<kTVMFFISmallStr, StringObj> {
 public:
  using ContainerType = StringObj;

  String() noexcept = default;
  /* `text` is NUL-terminated and not NULL. */
  String(const char* text) : Text(text, std::strlen(text)) {}  // NOLINT
  String(const char* data, size_t size) : Text(detail::NotNull(data), size) {}
  String(const std::string& text) : Text(text.data(), text.size()) {}                 // NOLINT
  String(std::string_view text) : Text(detail::NotNull(text.data()), text.size()) {}  // NOLINT
  explicit String(TVMFFIAny owned) noexcept : Text(owned) {}
  String(std::nullptr_t) = delete;

  /* The two texts one after the other. */
  static String Concat(std::string_view lhs, std::string_view rhs) { return String(Joined{lhs, rhs}); }
  /* Up to `count` bytes from `pos` on. IndexError: `pos` is beyond the end. */
  String substr(size_t pos, size_t count = npos) const { return String(Part(pos, count)); }

 private:
  explicit String(const Joined& parts) : Text(parts) {}
};

/* Raw bytes. */
class Bytes : public detail::Text<kTVMFFISmallBytes, BytesObj> {
 public:
  using ContainerType = BytesObj;

  Bytes() noexcept = default;
  Bytes(const char* data, size_t size) : Text(detail::NotNull(data), size) {}
  Bytes(const std::string& bytes) : Text(bytes.data(), bytes.size()) {}            // NOLINT
  Bytes(TVMFFIByteArray bytes) : Text(detail::NotNull(bytes.data), bytes.size) {}  // NOLINT
  explicit Bytes(std::string_view bytes) : Text(detail::NotNull(bytes.data()), bytes.size()) {}
  explicit Bytes(TVMFFIAny owned) noexcept : Text(owned) {}

  /* The two sequences one after the other. */
  static Bytes Concat(std::string_view lhs, std::string_view rhs) { return Bytes(Joined{lhs, rhs}); }
  /* Up to `count` bytes from `pos` on. IndexError: `pos` is beyond the end. */
  Bytes substr(size_t pos, size_t count = npos) const { return Bytes(Part(pos, count)); }

 private:
  explicit Bytes(const Joined& parts) : Text(parts) {}
};

static_assert(sizeof(String) == sizeof(TVMFFIAny) && sizeof(Bytes) == sizeof(TVMFFIAny), "layout of the C contract");

inline String operator+(const String& lhs, const String& rhs) { return String::Concat(lhs, rhs); }
inline String operator+(const String& lhs, std::string_view rhs) { return String::Concat(lhs, rhs); }
inline String operator+(std::string_view lhs, const String& rhs) { return String::Concat(lhs, rhs); }
inline String operator+(const String& lhs, const char* rhs) { return String::Concat(lhs, rhs); }
inline String operator+(const char* lhs, const String& rhs) { return String::Concat(lhs, rhs); }
inline String operator+(const String& lhs, const std::string& rhs) { return String::Concat(lhs, rhs); }
inline String operator+(const std::string& lhs, const String& rhs) { return String::Concat(lhs, rhs); }
inline Bytes operator+(const Bytes& lhs, const Bytes& rhs) { return Bytes::Concat(lhs, rhs); }

inline std::ostream& operator<<(std::ostream& os, const String& text) { return os << std::string_view(text); }

namespace detail {
/* Things that compare with a String as text. */
template <class T>
constexpr bool kIsTextLike = std::is_same_v<std::decay_t<T>, const char*> || std::is_same_v<std::decay_t<T>, char*> ||
                             std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view>;
/* A String must take part as it stands: comparisons of other texts are not ours, not even by conversion. */
template <class L, class R>
constexpr bool kComparesAsText = (std::is_base_of_v<String, L> && (std::is_base_of_v<String, R> || kIsTextLike<R>)) ||
                                 (kIsTextLike<L> && std::is_base_of_v<String, R>) ||
                                 (std::is_base_of_v<Bytes, L> && std::is_base_of_v<Bytes, R>);
}  // namespace detail

#define TRANSOM_TEXT_COMPARE(Op)                                                       \
  template <class L, class R, class = std::enable_if_t<detail::kComparesAsText<L, R>>> \
  bool operator Op(const L& lhs, const R& rhs) noexcept {                              \
    return std::string_view(lhs) Op std::string_view(rhs);                             \
  }
TRANSOM_TEXT_COMPARE(==)
TRANSOM_TEXT_COMPARE(!=)
TRANSOM_TEXT_COMPARE(<)
TRANSOM_TEXT_COMPARE(<=)
TRANSOM_TEXT_COMPARE(>)
TRANSOM_TEXT_COMPARE(>=)
#undef TRANSOM_TEXT_COMPARE

}  // namespace transom

namespace std {
/* The key hash of the C contract: equal in every process. */
template <>
struct hash<transom::String> {
  size_t operator()(const transom::String& text) const noexcept {
    return transom::detail::HashCombine(kTVMFFIStr, transom::detail::HashBytes(text.data(), text.size()));
  }
};
template <>
struct hash<transom::Bytes> {
  size_t operator()(const transom::Bytes& bytes) const noexcept {
    return transom::detail::HashCombine(kTVMFFIBytes, transom::detail::HashBytes(bytes.data(), bytes.size()));
  }
};
}  // namespace std

#endif  // TRANSOM_CONTAINERS_STRING_H_
