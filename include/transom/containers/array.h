/*
 * Array: an immutable sequence. Its changing members return the changed array; the old one stays as it was, unless it
 * is a temporary that nothing shares: `a = std::move(a).push_back(x)` appends in place, in amortised constant time.
 */
#ifndef TRANSOM_CONTAINERS_ARRAY_H_
#define TRANSOM_CONTAINERS_ARRAY_H_

#include <transom/containers/detail/seq_base.h>

#include <initializer_list>

namespace transom {

/* What an Array refers to. The values follow the object, or lie elsewhere where another library made it. */
class ArrayObj : public SeqBaseObj {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_STATIC("ffi.Array", kTVMFFIArray, ArrayObj, Object);

  /* New empty object with room for `capacity` values. Throws std::bad_alloc. */
  static ObjectPtr<ArrayObj> Create(int64_t capacity) {
    capacity = std::max<int64_t>(capacity, 0);
    ObjectPtr<ArrayObj> result = make_inplace_array_object<ArrayObj, Any>(static_cast<size_t>(capacity));
    result->cell_.data = result.get() + 1;
    result->cell_.capacity = capacity;
    return result;
  }

  /* Bytes of an object with room for `capacity` values. */
  static size_t SizeFor(uint32_t capacity) noexcept { return sizeof(ArrayObj) + size_t{capacity} * sizeof(Any); }
  /* The same in memory of SizeFor(capacity) bytes, which `deleter` frees. */
  static ObjectPtr<ArrayObj> Place(void* memory, uint32_t capacity, void (*deleter)(void*, int)) noexcept {
    auto* array = new (memory) ArrayObj();
    array->cell_.data = array + 1;
    array->cell_.capacity = capacity;
    detail::ObjectAccess::Init(array, kTVMFFIArray, deleter);
    return detail::ObjectAccess::Adopt<ArrayObj>(detail::ObjectAccess::Header(array));
  }

  /* Appends while the object is being built: nobody else refers to it, and the size is below the capacity. */
  void PushOwned(Any&& value) noexcept { InsertOwned(cell_.size, std::move(value)); }

 private:
  template <class T>
  friend class Array;

  static ArrayObj* Of(const ObjectPtr<Object>& ref) noexcept { return static_cast<ArrayObj*>(ref.get()); }
  /* Makes `*ref` (an ArrayObj or NULL) an object that it alone owns, with room for `extra` more values. */
  static ArrayObj* MakeWritable(ObjectPtr<Object>* ref, int64_t extra) {
    ArrayObj* old = Of(*ref);
    if (old == nullptr) {
      *ref = Create(std::max<int64_t>(kDefaultCapacity, extra));
      return Of(*ref);
    }
    bool fits = extra <= old->cell_.capacity - old->cell_.size;
    if (fits && ref->unique()) return old;
    Relocate(ref, fits ? old->cell_.capacity : GrownCapacity(old->cell_.size, old->cell_.capacity, extra));
    return Of(*ref);
  }
  /* Makes `*ref` a new object of that capacity with the same values. */
  static void Relocate(ObjectPtr<Object>* ref, int64_t capacity) {
    ObjectPtr<ArrayObj> result = Create(capacity);
    if (ref->unique()) {
      result->TakeAll(Of(*ref));
    } else if (*ref != nullptr) {
      result->AppendCopies(*Of(*ref));
    }
    *ref = std::move(result);
  }

  static constexpr int64_t kDefaultCapacity = 4;
};

static_assert(sizeof(ArrayObj) == 56, "layout of the C contract");

/*
 * Immutable sequence of T; one pointer. Copies share the values. Different arrays may be used from any thread, also
 * where they share. A moved-from array is empty.
 *
 * Elements are read as copies of T. Indices that are out of range are an IndexError.
 */
template <class T = Any>
class Array : public ObjectRef {
 public:
  static_assert(TypeTraits<T>::kStorable, "T cannot be an element of a container");
  using ContainerType = ArrayObj;
  using value_type = T;
  using iterator = detail::SeqIterator<T>;
  using const_iterator = iterator;
  static constexpr bool _type_is_nullable = false;

  /* Empty array. */
  Array() : Array(ArrayObj::Create(ArrayObj::kDefaultCapacity)) {}
  Array(std::initializer_list<T> values) : Array(values.begin(), values.end()) {}
  Array(const std::vector<T>& values) : Array(values.begin(), values.end()) {}  // NOLINT
  /* `count` times `value`. */
  Array(int64_t count, const T& value) {
    ObjectPtr<ArrayObj> obj = ArrayObj::Create(count);
    for (int64_t i = 0; i < count; ++i) obj->PushOwned(Any(value));
    data_ = std::move(obj);
  }
  template <class It, class = std::enable_if_t<detail::kIsIterator<It>>>
  Array(It first, It last) {
    std::vector<Any> values = detail::OwnedValues<T>(first, last);
    ObjectPtr<ArrayObj> obj = ArrayObj::Create(static_cast<int64_t>(values.size()));
    obj->InsertOwned(0, std::move(values));
    data_ = std::move(obj);
  }
  /* Shares the values of an array of a narrower type. */
  template <class U, class = std::enable_if_t<detail::IsSubtype<U, T>()>>
  Array(Array<U> other) noexcept : ObjectRef(std::move(detail::ObjectAccess::Ptr(&other))) {}  // NOLINT
  /* Array over an object whose values are all T. */
  explicit Array(ObjectPtr<ArrayObj> obj) noexcept : ObjectRef(std::move(obj)) {}

  const ArrayObj* get() const noexcept { return static_cast<const ArrayObj*>(data_.get()); }
  const ArrayObj* operator->() const noexcept { return get(); }

  int64_t size() const noexcept { return defined() ? get()->size() : 0; }
  bool empty() const noexcept { return size() == 0; }
  int64_t capacity() const noexcept { return defined() ? get()->capacity() : 0; }
  iterator begin() const noexcept { return iterator(defined() ? get()->begin() : nullptr); }
  iterator end() const noexcept { return iterator(defined() ? get()->end() : nullptr); }
  std::reverse_iterator<iterator> rbegin() const noexcept { return std::reverse_iterator<iterator>(end()); }
  std::reverse_iterator<iterator> rend() const noexcept { return std::reverse_iterator<iterator>(begin()); }

  T operator[](int64_t index) const { return at(index); }
  T at(int64_t index) const {
    SeqBaseObj::CheckIndex(index, size());
    return detail::GetElement<T>((*get())[index]);
  }
  T front() const { return at(0); }
  T back() const { return at(size() - 1); }

  /* The array with `value` at the end. */
  [[nodiscard]] Array push_back(T value) const& { return Array(*this).Inserted(size(), std::move(value)); }
  [[nodiscard]] Array push_back(T value) && { return std::move(*this).Inserted(size(), std::move(value)); }
  /* The array with `value` before the element at `index`; `index` may be size(). */
  [[nodiscard]] Array insert(int64_t index, T value) const& { return Array(*this).Inserted(index, std::move(value)); }
  [[nodiscard]] Array insert(int64_t index, T value) && { return std::move(*this).Inserted(index, std::move(value)); }
  /* The same with the values of a range, which may be of this array. */
  template <class It, class = std::enable_if_t<detail::kIsIterator<It>>>
  [[nodiscard]] Array insert(int64_t index, It first, It last) const& {
    return Array(*this).insert(index, first, last);
  }
  template <class It, class = std::enable_if_t<detail::kIsIterator<It>>>
  [[nodiscard]] Array insert(int64_t index, It first, It last) && {
    SeqBaseObj::CheckRange(index, index, size());
    std::vector<Any> values = detail::OwnedValues<T>(first, last);
    Writable(static_cast<int64_t>(values.size()))->InsertOwned(index, std::move(values));
    return std::move(*this);
  }
  /* The array with `value` in the place of the element at `index`. */
  [[nodiscard]] Array set(int64_t index, T value) const& { return Array(*this).set(index, std::move(value)); }
  [[nodiscard]] Array set(int64_t index, T value) && {
    SeqBaseObj::CheckIndex(index, size());
    Any owned(std::move(value));
    Writable()->SetOwned(index, std::move(owned));
    return std::move(*this);
  }
  /* The array without the element at `index`. */
  [[nodiscard]] Array erase(int64_t index) const& { return Array(*this).erase(index); }
  [[nodiscard]] Array erase(int64_t index) && {
    SeqBaseObj::CheckIndex(index, size());
    return std::move(*this).erase(index, index + 1);
  }
  /* The array without the elements in [first, last). */
  [[nodiscard]] Array erase(int64_t first, int64_t last) const& { return Array(*this).erase(first, last); }
  [[nodiscard]] Array erase(int64_t first, int64_t last) && {
    SeqBaseObj::CheckRange(first, last, size());
    if (first != last) Writable()->EraseRange(first, last);
    return std::move(*this);
  }
  /* The elements in [first, last) as an array of their own. */
  Array slice(int64_t first, int64_t last) const {
    SeqBaseObj::CheckRange(first, last, size());
    return Array(begin() + first, begin() + last);
  }
  /* The array without its last element. IndexError: it is empty. */
  [[nodiscard]] Array pop_back() const& { return erase(size() - 1); }
  [[nodiscard]] Array pop_back() && {
    int64_t last = size() - 1;
    return std::move(*this).erase(last);
  }
  /* The array cut or extended (with T()) to `count` elements. */
  [[nodiscard]] Array resize(int64_t count) const& { return Array(*this).resize(count); }
  [[nodiscard]] Array resize(int64_t count) && {
    TRANSOM_CHECK(count >= 0, ValueError) << "Expected a size of at least 0 but got " << count;
    int64_t old = size();
    if (count < old) return std::move(*this).erase(count, old);
    if (count == old) return std::move(*this);
    std::vector<Any> values(static_cast<size_t>(count - old), Any(T()));
    Writable(count - old)->InsertOwned(old, std::move(values));
    return std::move(*this);
  }
  /* The empty array; one that nothing shares keeps its capacity. */
  [[nodiscard]] Array clear() const& { return Array(); }
  [[nodiscard]] Array clear() && {
    int64_t count = size();
    return std::move(*this).erase(0, count);
  }
  /* Makes room for `capacity` elements. The values stay the same, so this changes no other array. */
  void reserve(int64_t capacity) {
    if (capacity > this->capacity()) ArrayObj::Relocate(&data_, capacity);
  }

 private:
  Array Inserted(int64_t index, T value) && {
    SeqBaseObj::CheckRange(index, index, size());
    Any owned(std::move(value));
    Writable(1)->InsertOwned(index, std::move(owned));
    return std::move(*this);
  }
  ArrayObj* Writable(int64_t extra = 0) { return ArrayObj::MakeWritable(&data_, extra); }
};

template <class T>
inline constexpr bool detail::kHasOwnTraits<Array<T>> = true;

/* From an Array or List whose elements all convert; where they are T already, the array is shared. */
template <class T>
struct TypeTraits<Array<T>> : detail::SeqTraits<Array<T>, T, kTVMFFIArray, kTVMFFIList> {};

/* The elements of one array after those of the other. */
template <class T>
Array<T> Concat(Array<T> lhs, const Array<T>& rhs) {
  int64_t size = lhs.size();
  return std::move(lhs).insert(size, rhs.begin(), rhs.end());
}

}  // namespace transom

#endif  // TRANSOM_CONTAINERS_ARRAY_H_
