/*
 * List: a mutable sequence that all copies of the reference share. It keeps its identity when it grows.
 */
#ifndef TRANSOM_CONTAINERS_LIST_H_
#define TRANSOM_CONTAINERS_LIST_H_

#include <transom/containers/detail/seq_base.h>

#include <initializer_list>

namespace transom {

/* What a List refers to. The values lie in a block of `operator new`, which every library of the contract may replace.
 */
class ListObj : public SeqBaseObj {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_STATIC("ffi.List", kTVMFFIList, ListObj, Object);

  ListObj() noexcept { cell_.data_deleter = &FreeBuffer; }

  /* New empty object with room for `capacity` values. Throws std::bad_alloc. */
  static ObjectPtr<ListObj> Create(int64_t capacity) {
    ObjectPtr<ListObj> result = make_object<ListObj>();
    result->SetCapacity(std::max<int64_t>(capacity, 0));
    return result;
  }

  /* Appends, in amortised constant time. */
  void PushOwned(Any&& value) {
    EnsureRoom(1);
    InsertOwned(cell_.size, std::move(value));
  }
  /* Replaces the value at `index`. IndexError: out of range. */
  void Set(int64_t index, Any&& value) {
    CheckIndex(index, cell_.size);
    SetOwned(index, std::move(value));
  }

 private:
  template <class T>
  friend class List;

  static void FreeBuffer(void* data) { ::operator delete(data); }
  void EnsureRoom(int64_t extra) {
    if (extra > cell_.capacity - cell_.size) SetCapacity(GrownCapacity(cell_.size, cell_.capacity, extra));
  }
  /* Moves the values to a new block. Its deleter stays the one that the list was made with: it frees any such block. */
  void SetCapacity(int64_t capacity) {
    if (capacity <= cell_.capacity) return;
    if (capacity > INT64_MAX / static_cast<int64_t>(sizeof(Any))) throw std::bad_alloc();
    void* data = ::operator new(static_cast<size_t>(capacity) * sizeof(Any));
    MoveBits(static_cast<Any*>(data), begin(), cell_.size);
    cell_.data_deleter(std::exchange(cell_.data, data));
    cell_.capacity = capacity;
  }
};

static_assert(sizeof(ListObj) == 56, "layout of the C contract");

namespace detail {

/* Where an element of a List is assigned to: keeps the list alive. */
struct ListSlot {
  ObjectPtr<Object> list;
  int64_t index;

  void Assign(Any&& value) const { static_cast<ListObj*>(list.get())->Set(index, std::move(value)); }
};

/*
 * What `list[i]` gives: the element's value, as a T. Assigning to the expression itself (`list[i] = x`) sets the
 * element; a named copy (`auto e = list[i]; e = x`) is a plain value of its own.
 */
template <class T, bool kDerive = std::is_class_v<T> && !std::is_final_v<T>>
class ListElement : public T {
 public:
  ListElement(T value, ListSlot slot) : T(std::move(value)), slot_(std::move(slot)) {}
  ListElement(const ListElement&) = default;
  ListElement& operator=(T value) && {
    slot_.Assign(Any(value));
    T::operator=(std::move(value));
    return *this;
  }
  ListElement& operator=(const ListElement& other) && { return std::move(*this) = static_cast<const T&>(other); }
  ListElement& operator=(T value) & {
    T::operator=(std::move(value));
    return *this;
  }
  ListElement& operator=(const ListElement& other) & { return *this = static_cast<const T&>(other); }

 private:
  ListSlot slot_;
};

template <class T>
class ListElement<T, false> {
 public:
  ListElement(T value, ListSlot slot) : value_(std::move(value)), slot_(std::move(slot)) {}
  ListElement(const ListElement&) = default;
  operator const T&() const noexcept { return value_; }  // NOLINT: stands for the element
  ListElement& operator=(T value) && {
    slot_.Assign(Any(value));
    value_ = std::move(value);
    return *this;
  }
  ListElement& operator=(const ListElement& other) && { return std::move(*this) = other.value_; }
  ListElement& operator=(T value) & {
    value_ = std::move(value);
    return *this;
  }
  ListElement& operator=(const ListElement& other) & { return *this = other.value_; }

 private:
  T value_;
  ListSlot slot_;
};

}  // namespace detail

/*
 * Mutable sequence of T; one pointer. Copies of a List are the same list. Not safe for concurrent use while one thread
 * changes it. A moved-from List is empty and becomes a new list when it is changed.
 *
 * Indices that are out of range are an IndexError. Changing members invalidate iterators.
 */
template <class T = Any>
class List : public ObjectRef {
 public:
  static_assert(TypeTraits<T>::kStorable, "T cannot be an element of a container");
  using ContainerType = ListObj;
  using value_type = T;
  using iterator = detail::SeqIterator<T>;
  using const_iterator = iterator;
  static constexpr bool _type_is_nullable = false;

  /* New empty list. */
  List() : List(ListObj::Create(0)) {}
  List(std::initializer_list<T> values) : List(values.begin(), values.end()) {}
  List(const std::vector<T>& values) : List(values.begin(), values.end()) {}  // NOLINT
  /* `count` times `value`. */
  List(int64_t count, const T& value) : List(ListObj::Create(count)) {
    for (int64_t i = 0; i < count; ++i) Writable(1)->PushOwned(Any(value));
  }
  template <class It, class = std::enable_if_t<detail::kIsIterator<It>>>
  List(It first, It last) : List(ListObj::Create(0)) {
    insert(0, first, last);
  }
  /* The list of an object whose values are all T. */
  explicit List(ObjectPtr<ListObj> obj) noexcept : ObjectRef(std::move(obj)) {}

  const ListObj* get() const noexcept { return static_cast<const ListObj*>(data_.get()); }
  const ListObj* operator->() const noexcept { return get(); }

  int64_t size() const noexcept { return defined() ? get()->size() : 0; }
  bool empty() const noexcept { return size() == 0; }
  int64_t capacity() const noexcept { return defined() ? get()->capacity() : 0; }
  iterator begin() const noexcept { return iterator(defined() ? get()->begin() : nullptr); }
  iterator end() const noexcept { return iterator(defined() ? get()->end() : nullptr); }
  std::reverse_iterator<iterator> rbegin() const noexcept { return std::reverse_iterator<iterator>(end()); }
  std::reverse_iterator<iterator> rend() const noexcept { return std::reverse_iterator<iterator>(begin()); }

  T operator[](int64_t index) const { return at(index); }
  /* The element; assign to it to set it. */
  detail::ListElement<T> operator[](int64_t index) {
    return detail::ListElement<T>(at(index), detail::ListSlot{data_, index});
  }
  T at(int64_t index) const {
    SeqBaseObj::CheckIndex(index, size());
    return detail::GetElement<T>((*get())[index]);
  }
  T front() const { return at(0); }
  T back() const { return at(size() - 1); }

  void push_back(T value) {
    Any owned(std::move(value));
    Writable(1)->PushOwned(std::move(owned));
  }
  /* Removes the last element. IndexError: the list is empty. */
  void pop_back() { erase(size() - 1); }
  /* Inserts before the element at `index`, which may be size(). */
  void insert(int64_t index, T value) {
    SeqBaseObj::CheckRange(index, index, size());
    Any owned(std::move(value));
    Writable(1)->InsertOwned(index, std::move(owned));
  }
  /* The same with the values of a range, which may be of this list. */
  template <class It, class = std::enable_if_t<detail::kIsIterator<It>>>
  void insert(int64_t index, It first, It last) {
    SeqBaseObj::CheckRange(index, index, size());
    std::vector<Any> values = detail::OwnedValues<T>(first, last);
    Writable(static_cast<int64_t>(values.size()))->InsertOwned(index, std::move(values));
  }
  void set(int64_t index, T value) {
    SeqBaseObj::CheckIndex(index, size());
    Any owned(std::move(value));
    Writable(0)->Set(index, std::move(owned));
  }
  void erase(int64_t index) {
    SeqBaseObj::CheckIndex(index, size());
    Writable(0)->EraseRange(index, index + 1);
  }
  /* Removes the elements in [first, last). */
  void erase(int64_t first, int64_t last) {
    SeqBaseObj::CheckRange(first, last, size());
    if (first != last) Writable(0)->EraseRange(first, last);
  }
  /* The elements in [first, last) as a list of their own. */
  List slice(int64_t first, int64_t last) const {
    SeqBaseObj::CheckRange(first, last, size());
    return List(begin() + first, begin() + last);
  }
  /* Puts the values of a range, which may be of this list, in the place of the elements in [first, last). */
  template <class It, class = std::enable_if_t<detail::kIsIterator<It>>>
  void replace(int64_t first, int64_t last, It values_first, It values_last) {
    SeqBaseObj::CheckRange(first, last, size());
    std::vector<Any> values = detail::OwnedValues<T>(values_first, values_last);
    Writable(static_cast<int64_t>(values.size()))->InsertOwned(last, std::move(values));
    Writable(0)->EraseRange(first, last);
  }
  /* Cuts or extends (with T()) to `count` elements. */
  void resize(int64_t count) {
    TRANSOM_CHECK(count >= 0, ValueError) << "Expected a size of at least 0 but got " << count;
    int64_t old = size();
    if (count <= old) return erase(count, old);
    std::vector<Any> values(static_cast<size_t>(count - old), Any(T()));
    Writable(count - old)->InsertOwned(old, std::move(values));
  }
  /* Removes all elements; the capacity stays. */
  void clear() { erase(0, size()); }
  /* Makes room for `capacity` elements. */
  void reserve(int64_t capacity) { Writable(0)->SetCapacity(capacity); }

 private:
  ListObj* Writable(int64_t extra) {
    if (!defined()) data_ = ListObj::Create(extra);
    auto* obj = static_cast<ListObj*>(data_.get());
    obj->EnsureRoom(extra);
    return obj;
  }
};

namespace detail {

template <class T>
inline constexpr bool kHasOwnTraits<List<T>> = true;
template <class T, bool kDerive>
inline constexpr bool kHasOwnTraits<ListElement<T, kDerive>> = true;

}  // namespace detail

/* From a List or Array whose elements all convert. A list whose elements are T already is the same list; otherwise it
 * is a new one, which does not follow changes of the first. */
template <class T>
struct TypeTraits<List<T>> : detail::SeqTraits<List<T>, T, kTVMFFIList, kTVMFFIArray> {};

/* As the element itself. */
template <class T, bool kDerive>
struct TypeTraits<detail::ListElement<T, kDerive>> : TypeTraits<T> {
  static constexpr bool kStorable = false;
  static void ToOwned(const detail::ListElement<T, kDerive>& src, TVMFFIAny* out) {
    const T& value = src;
    TypeTraits<T>::ToOwned(value, out);
  }
};

}  // namespace transom

#endif  // TRANSOM_CONTAINERS_LIST_H_
