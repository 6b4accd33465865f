/*
 * What Array and List share: the object with its run of values, changes in place, and iteration as T.
 */
#ifndef TRANSOM_CONTAINERS_DETAIL_SEQ_BASE_H_
#define TRANSOM_CONTAINERS_DETAIL_SEQ_BASE_H_

#include <transom/runtime/any.h>
#include <transom/runtime/error.h>
#include <transom/runtime/object.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

namespace transom {

/* A run of values: base of ArrayObj and ListObj. Reads borrow from the object. */
class SeqBaseObj : public Object {
 public:
  ~SeqBaseObj() {
    DropRange(0, cell_.size);
    if (cell_.data_deleter != nullptr) cell_.data_deleter(cell_.data);
  }
  SeqBaseObj(const SeqBaseObj&) = delete;
  SeqBaseObj& operator=(const SeqBaseObj&) = delete;

  const Any* begin() const noexcept { return static_cast<const Any*>(cell_.data); }
  const Any* end() const noexcept { return begin() + cell_.size; }
  int64_t size() const noexcept { return cell_.size; }
  int64_t capacity() const noexcept { return cell_.capacity; }
  bool empty() const noexcept { return cell_.size == 0; }
  /* Value at `index`, which must be in range. */
  const Any& operator[](int64_t index) const noexcept { return begin()[index]; }
  /* Value at `index`. IndexError: out of range. */
  const Any& at(int64_t index) const {
    CheckIndex(index, cell_.size);
    return begin()[index];
  }

  /* IndexError unless 0 <= index < limit. */
  static void CheckIndex(int64_t index, int64_t limit) {
    // One comparison: a negative index is a huge unsigned one.
    if (static_cast<uint64_t>(index) >= static_cast<uint64_t>(limit)) ThrowIndex(index, limit);
  }
  /* IndexError unless 0 <= first <= last <= size. */
  static void CheckRange(int64_t first, int64_t last, int64_t size) {
    TRANSOM_CHECK(first >= 0 && first <= last && last <= size, IndexError)
        << "Expected a range within [0, " << size << "] but got [" << first << ", " << last << ")";
  }

 protected:
  SeqBaseObj() noexcept : cell_{nullptr, 0, 0, nullptr} {}

  Any* mutable_begin() noexcept { return static_cast<Any*>(cell_.data); }

  /* Opens room for `count` values before `pos`: raw memory that the caller fills at once. Capacity suffices. */
  Any* OpenGap(int64_t pos, int64_t count) noexcept {
    Any* gap = mutable_begin() + pos;
    MoveBits(gap + count, gap, cell_.size - pos);
    cell_.size += count;
    return gap;
  }
  void InsertOwned(int64_t pos, Any&& value) noexcept { new (OpenGap(pos, 1)) Any(std::move(value)); }
  void InsertOwned(int64_t pos, std::vector<Any>&& values) noexcept {
    Any* gap = OpenGap(pos, static_cast<int64_t>(values.size()));
    for (Any& value : values) new (gap++) Any(std::move(value));
  }
  void SetOwned(int64_t pos, Any&& value) noexcept {
    // What was there dies last: its destructor may look at this very container.
    Any old = std::exchange(mutable_begin()[pos], std::move(value));
  }
  void EraseRange(int64_t first, int64_t last) {
    if (first == last) return;
    std::vector<Any> removed(static_cast<size_t>(last - first));
    for (int64_t i = first; i < last; ++i) removed[static_cast<size_t>(i - first)].swap(mutable_begin()[i]);
    MoveBits(mutable_begin() + first, begin() + last, cell_.size - last);
    cell_.size -= last - first;
  }
  /* Constructs copies of the values of `other` at the end. Capacity suffices. */
  void AppendCopies(const SeqBaseObj& other) noexcept {
    for (const Any& value : other) new (mutable_begin() + cell_.size++) Any(value);
  }
  /* Takes all values of `other`, which becomes empty. This one is empty and has the capacity. */
  void TakeAll(SeqBaseObj* other) noexcept {
    MoveBits(mutable_begin(), other->begin(), other->cell_.size);
    cell_.size = std::exchange(other->cell_.size, 0);
  }
  /* Values are relocated bit by bit: owning a value is owning its bits. */
  static void MoveBits(Any* to, const Any* from, int64_t count) noexcept {
    if (count > 0) std::memmove(static_cast<void*>(to), from, static_cast<size_t>(count) * sizeof(Any));
  }
  /* Capacity after growth for `extra` more values. Throws std::bad_alloc beyond the address space. */
  static int64_t GrownCapacity(int64_t size, int64_t capacity, int64_t extra) {
    constexpr int64_t kMax = INT64_MAX / 2 / static_cast<int64_t>(sizeof(Any));
    if (extra > kMax - size) throw std::bad_alloc();
    return std::max(2 * capacity, size + extra);
  }

  TVMFFISeqCell cell_;

 private:
  [[noreturn, gnu::cold, gnu::noinline]] static void ThrowIndex(int64_t index, int64_t limit) {
    TRANSOM_THROW(IndexError) << "Expected an index in [0, " << limit << ") but got " << index;
  }
  void DropRange(int64_t first, int64_t last) noexcept {
    for (Any *value = mutable_begin() + first, *end = mutable_begin() + last; value != end; ++value) value->~Any();
  }
};

static_assert(sizeof(SeqBaseObj) == 56, "layout of the C contract");

namespace detail {

/* Result of operator-> of an iterator whose elements are made on the fly. */
template <class T>
struct ArrowHolder {
  T value;
  T* operator->() { return &value; }
};

/* The T in a value that is known to hold one. */
template <class T>
T GetElement(const Any& value) {
  return TypeTraits<T>::Get(value.raw());
}

/* Iterates over values as T (made on the fly: a reference counts as one). Valid until the container changes or dies. */
template <class T>
class SeqIterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = int64_t;
  using pointer = ArrowHolder<T>;
  using reference = T;

  SeqIterator() noexcept = default;
  explicit SeqIterator(const Any* pos) noexcept : pos_(pos) {}

  T operator*() const { return GetElement<T>(*pos_); }
  ArrowHolder<T> operator->() const { return ArrowHolder<T>{**this}; }
  T operator[](int64_t offset) const { return GetElement<T>(pos_[offset]); }
  SeqIterator& operator++() { return *this += 1; }
  SeqIterator& operator--() { return *this += -1; }
  SeqIterator operator++(int) { return SeqIterator(pos_++); }
  SeqIterator operator--(int) { return SeqIterator(pos_--); }
  SeqIterator& operator+=(int64_t offset) {
    pos_ += offset;
    return *this;
  }
  SeqIterator& operator-=(int64_t offset) { return *this += -offset; }
  friend SeqIterator operator+(SeqIterator it, int64_t offset) { return it += offset; }
  friend SeqIterator operator+(int64_t offset, SeqIterator it) { return it += offset; }
  friend SeqIterator operator-(SeqIterator it, int64_t offset) { return it -= offset; }
  friend int64_t operator-(SeqIterator lhs, SeqIterator rhs) { return lhs.pos_ - rhs.pos_; }
  friend bool operator==(SeqIterator lhs, SeqIterator rhs) { return lhs.pos_ == rhs.pos_; }
  friend bool operator!=(SeqIterator lhs, SeqIterator rhs) { return lhs.pos_ != rhs.pos_; }
  friend bool operator<(SeqIterator lhs, SeqIterator rhs) { return lhs.pos_ < rhs.pos_; }
  friend bool operator>(SeqIterator lhs, SeqIterator rhs) { return lhs.pos_ > rhs.pos_; }
  friend bool operator<=(SeqIterator lhs, SeqIterator rhs) { return lhs.pos_ <= rhs.pos_; }
  friend bool operator>=(SeqIterator lhs, SeqIterator rhs) { return lhs.pos_ >= rhs.pos_; }

 private:
  const Any* pos_ = nullptr;
};

template <class It, class = void>
inline constexpr bool kIsIterator = false;
template <class It>
inline constexpr bool kIsIterator<It, std::void_t<typename std::iterator_traits<It>::iterator_category>> = true;

/* Owned values of a range, each converted to T first. Made before a container changes, so ranges of its own are fine.
 */
template <class T, class It>
std::vector<Any> OwnedValues(It first, It last) {
  std::vector<Any> values;
  for (; first != last; ++first) values.emplace_back(static_cast<T>(*first));
  return values;
}

/* Every U other than T is a T as it stands, so an immutable container of U is one of T. */
template <class U, class T>
constexpr bool IsSubtype() {
  if constexpr (std::is_same_v<U, T>) {
    return false;
  } else if constexpr (std::is_same_v<T, Any>) {
    return true;
  } else if constexpr (std::is_base_of_v<ObjectRef, T> && std::is_base_of_v<T, U>) {
    return T::_type_is_nullable || !U::_type_is_nullable;
  } else {
    return false;
  }
}

/* Conversion of the elements of a sequence value to a container Seq of T. */
template <class Seq, class T, int32_t kOwnIndex, int32_t kOtherIndex>
struct SeqTraits : ReferenceTraits<Seq, typename Seq::ContainerType, false> {
  static constexpr int32_t kFieldTypeIndex = kOwnIndex;
  static void ToView(const Seq& src, TVMFFIAny* out) { SetObject(ObjectAccess::Header(src), out); }
  static void ToOwned(Seq src, TVMFFIAny* out) { SetObject(ObjectAccess::Release(&src), out); }
  static bool Is(const TVMFFIAny* value) {
    return value->type_index == kOwnIndex &&
           FindOther(value, [](const Any& v) { return TypeTraits<T>::Is(v.raw()); }) == nullptr;
  }
  static std::optional<Seq> TryCast(const TVMFFIAny* value) {
    if (value->type_index != kOwnIndex && value->type_index != kOtherIndex) return std::nullopt;
    if (Is(value)) return ReferenceTraits<Seq, typename Seq::ContainerType, false>::Get(value);
    std::vector<T> converted;
    for (const Any& element : *Sequence(value)) {
      std::optional<T> one = TypeTraits<T>::TryCast(element.raw());
      if (!one.has_value()) return std::nullopt;
      converted.push_back(*std::move(one));
    }
    return Seq(std::make_move_iterator(converted.begin()), std::make_move_iterator(converted.end()));
  }
  static std::string Mismatch(const TVMFFIAny* value) {
    if (value->type_index != kOwnIndex && value->type_index != kOtherIndex) return TypeKeyOfIndex(value->type_index);
    const Any* bad = FindOther(value, [](const Any& v) { return TypeTraits<T>::TryCast(v.raw()).has_value(); });
    if (bad == nullptr) return TypeKeyOfIndex(value->type_index);
    return ShortName(Seq::ContainerType::_type_key) + "[index " + std::to_string(bad - Sequence(value)->begin()) +
           ": " + TypeTraits<T>::Mismatch(bad->raw()) + "]";
  }
  static std::string Name() { return ShortName(Seq::ContainerType::_type_key) + "<" + TypeTraits<T>::Name() + ">"; }
  static std::string Schema() { return SchemaOf(Seq::ContainerType::_type_key, TypeTraits<T>::Schema()); }

 private:
  static const SeqBaseObj* Sequence(const TVMFFIAny* value) {
    return static_cast<const SeqBaseObj*>(ObjectAccess::FromHeader(value->v_obj));
  }
  /* First element that does not pass, or NULL. */
  template <class Pass>
  static const Any* FindOther(const TVMFFIAny* value, Pass pass) {
    if constexpr (!std::is_same_v<T, Any>) {
      for (const Any& element : *Sequence(value)) {
        if (!pass(element)) return &element;
      }
    }
    return nullptr;
  }
};

}  // namespace detail
}  // namespace transom

#endif  // TRANSOM_CONTAINERS_DETAIL_SEQ_BASE_H_
