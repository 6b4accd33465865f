/*
 * Dict: a mutable hash map in insertion order that all copies of the reference share. It keeps its identity when it
 * grows. Keys and order are those of Map.
 */
#ifndef TRANSOM_CONTAINERS_DICT_H_
#define TRANSOM_CONTAINERS_DICT_H_

#include <transom/containers/detail/map_base.h>
#include <transom/containers/optional.h>

#include <initializer_list>

namespace transom {

/* What a Dict refers to. */
class DictObj : public MapBaseObj {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_STATIC("ffi.Dict", kTVMFFIDict, DictObj, Object);

  /* New empty object. Throws std::bad_alloc. */
  static ObjectPtr<DictObj> Create() { return CreateSmall<DictObj>(0); }
  /* New object with the pairs k0, v0, k1, v1, ..., which are moved from. Of equal keys the last value stays.
   * ValueError: the keys are made to collide. */
  static ObjectPtr<DictObj> CreateFromPairs(Any* keys_and_values, size_t num_pairs) {
    return CreateFrom<DictObj>(keys_and_values, num_pairs);
  }

  /* Gives the key the value. ValueError: the keys are made to collide; nothing changed. */
  void Set(Any key, Any value) { SetInPlace(std::move(key), std::move(value)); }
  /* Removes the key. False when it is not there. */
  bool Erase(AnyView key) {
    uint64_t pos = FindPosition(key);
    if (pos == kEnd) return false;
    EraseAt(pos);
    return true;
  }
  /* Removes all entries. */
  void Clear() { EraseAll(); }
};

static_assert(sizeof(DictObj) == 56, "layout of the C contract");

/*
 * Mutable map from K to V; one pointer. Copies of a Dict are the same dict. Not safe for concurrent use while one
 * thread changes it. A moved-from Dict is empty and becomes a new dict when it is changed. Changing members invalidate
 * iterators.
 */
template <class K = Any, class V = Any>
class Dict : public ObjectRef {
 public:
  static_assert(TypeTraits<K>::kStorable && TypeTraits<V>::kStorable, "K or V cannot be an element of a container");
  using ContainerType = DictObj;
  using key_type = K;
  using mapped_type = V;
  using value_type = std::pair<K, V>;
  using iterator = detail::MapIterator<K, V>;
  using const_iterator = iterator;
  static constexpr bool _type_is_nullable = false;

  /* New empty dict. */
  Dict() : Dict(DictObj::Create()) {}
  /* Of equal keys the last value stays, here and below. */
  Dict(std::initializer_list<value_type> pairs) : Dict(pairs.begin(), pairs.end()) {}
  /* Entries of a range of pairs, such as a std::unordered_map's. */
  template <class It, class = std::enable_if_t<detail::kIsIterator<It>>>
  Dict(It first, It last) {
    std::vector<Any> values = detail::OwnedPairs<K, V>(first, last);
    data_ = DictObj::CreateFromPairs(values.data(), values.size() / 2);
  }
  /* The dict of an object whose entries are all K and V. */
  explicit Dict(ObjectPtr<DictObj> obj) noexcept : ObjectRef(std::move(obj)) {}

  const DictObj* get() const noexcept { return static_cast<const DictObj*>(data_.get()); }
  const DictObj* operator->() const noexcept { return get(); }

  int64_t size() const noexcept { return defined() ? static_cast<int64_t>(get()->size()) : 0; }
  bool empty() const noexcept { return size() == 0; }
  iterator begin() const noexcept { return defined() ? iterator(get(), get()->First()) : iterator(); }
  iterator end() const noexcept { return iterator(); }

  /* Value of the key. KeyError: it is not in the dict. */
  V at(const K& key) const {
    TRANSOM_CHECK(defined(), KeyError) << "key is not in Map";
    return detail::GetElement<V>(get()->At(AnyView(key)));
  }
  V operator[](const K& key) const { return at(key); }
  /* Value of the key, or nothing. */
  Optional<V> get(const K& key) const {
    const Any* value = defined() ? get()->Find(AnyView(key)) : nullptr;
    return value == nullptr ? Optional<V>() : Optional<V>(detail::GetElement<V>(*value));
  }
  iterator find(const K& key) const {
    return defined() ? iterator(get(), get()->FindPosition(AnyView(key))) : iterator();
  }
  bool contains(const K& key) const { return defined() && get()->Find(AnyView(key)) != nullptr; }
  /* 1 when the key is in the dict, else 0. */
  int64_t count(const K& key) const { return contains(key) ? 1 : 0; }

  /* Gives `key` the value, whether or not it had one. ValueError: the keys are made to collide; nothing changed. */
  void set(K key, V value) { Writable()->Set(Any(std::move(key)), Any(std::move(value))); }
  void insert(K key, V value) { set(std::move(key), std::move(value)); }
  /* Removes the key. False when it is not in the dict. */
  bool erase(const K& key) { return defined() && Writable()->Erase(AnyView(key)); }
  /* Removes all entries. */
  void clear() {
    if (defined()) Writable()->Clear();
  }

 private:
  DictObj* Writable() {
    if (!defined()) data_ = DictObj::Create();
    return static_cast<DictObj*>(data_.get());
  }
};

template <class K, class V>
inline constexpr bool detail::kHasOwnTraits<Dict<K, V>> = true;

/* From a Dict or Map whose entries all convert. A dict whose entries are K and V already is the same dict; otherwise it
 * is a new one, which does not follow changes of the first. */
template <class K, class V>
struct TypeTraits<Dict<K, V>> : detail::MapTraits<Dict<K, V>, K, V, kTVMFFIDict, kTVMFFIMap> {};

}  // namespace transom

#endif  // TRANSOM_CONTAINERS_DICT_H_
