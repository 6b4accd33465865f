/*
 * Map: an immutable hash map in insertion order. Its changing members return the changed map; the old one stays as it
 * was, unless it is a temporary that nothing shares: `m = std::move(m).insert(k, v)` works in place.
 *
 * Keys are equal as AnyEqual says: text by content, numbers by type and bits, objects by identity unless their type has
 * a hook. Giving a key a new value keeps its place in a map of up to 4 entries and moves it to the end of a larger one.
 */
#ifndef TRANSOM_CONTAINERS_MAP_H_
#define TRANSOM_CONTAINERS_MAP_H_

#include <transom/containers/detail/map_base.h>
#include <transom/containers/optional.h>

#include <initializer_list>

namespace transom {

/* What a Map refers to. */
class MapObj : public MapBaseObj {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_STATIC("ffi.Map", kTVMFFIMap, MapObj, Object);

  /* New empty object. Throws std::bad_alloc. */
  static ObjectPtr<MapObj> Create() { return CreateSmall<MapObj>(0); }
  /* New object with the pairs k0, v0, k1, v1, ..., which are moved from. Of equal keys the last value stays.
   * ValueError: the keys are made to collide. */
  static ObjectPtr<MapObj> CreateFromPairs(Any* keys_and_values, size_t num_pairs) {
    return CreateFrom<MapObj>(keys_and_values, num_pairs);
  }
  /* Gives the key the value while the object is being built: nobody has looked at it yet. ValueError: the keys are made
   * to collide. */
  void Init(Any key, Any value) { SetInPlace(std::move(key), std::move(value)); }

 private:
  template <class K, class V>
  friend class Map;

  static MapObj* Of(const ObjectPtr<Object>& ref) noexcept { return static_cast<MapObj*>(ref.get()); }
  /* Makes `*ref` (a MapObj or NULL) an object that it alone owns. */
  static MapObj* MakeWritable(ObjectPtr<Object>* ref) {
    if (*ref == nullptr) {
      *ref = Create();
    } else if (!ref->unique()) {
      *ref = CopyOf<MapObj>(*Of(*ref));
    }
    return Of(*ref);
  }
  static void Insert(ObjectPtr<Object>* ref, Any key, Any value) {
    MapObj* obj = MakeWritable(ref);
    detail::MapPair pair{key.Release(), value.Release()};
    PairOwner owner(&pair);
    if (obj->TryInsert(&pair)) return;
    ObjectPtr<MapObj> grown = Create();
    obj->Grow(grown.get(), &pair);
    *ref = std::move(grown);
  }
  static void Erase(ObjectPtr<Object>* ref, AnyView key) {
    if (*ref == nullptr || Of(*ref)->FindPosition(key) == kEnd) return;
    MapObj* obj = MakeWritable(ref);
    obj->EraseAt(obj->FindPosition(key));
  }
};

static_assert(sizeof(MapObj) == 56, "layout of the C contract");

/*
 * Immutable map from K to V; one pointer. Copies share the entries. Different maps may be used from any thread, also
 * where they share. A moved-from map is empty. Entries are read as copies.
 */
template <class K = Any, class V = Any>
class Map : public ObjectRef {
 public:
  static_assert(TypeTraits<K>::kStorable && TypeTraits<V>::kStorable, "K or V cannot be an element of a container");
  using ContainerType = MapObj;
  using key_type = K;
  using mapped_type = V;
  using value_type = std::pair<K, V>;
  using iterator = detail::MapIterator<K, V>;
  using const_iterator = iterator;
  static constexpr bool _type_is_nullable = false;

  /* Empty map. */
  Map() : Map(MapObj::Create()) {}
  /* Of equal keys the last value stays, here and below. */
  Map(std::initializer_list<value_type> pairs) : Map(pairs.begin(), pairs.end()) {}
  /* Entries of a range of pairs, such as a std::unordered_map's. */
  template <class It, class = std::enable_if_t<detail::kIsIterator<It>>>
  Map(It first, It last) {
    std::vector<Any> values = detail::OwnedPairs<K, V>(first, last);
    data_ = MapObj::CreateFromPairs(values.data(), values.size() / 2);
  }
  /* Shares the entries of a map of narrower types. */
  template <
      class K2, class V2,
      class = std::enable_if_t<(detail::IsSubtype<K2, K>() || std::is_same_v<K2, K>)&&(
          detail::IsSubtype<V2, V>() || std::is_same_v<V2, V>)&&!(std::is_same_v<K2, K> && std::is_same_v<V2, V>)>>
  Map(Map<K2, V2> other) noexcept : ObjectRef(std::move(detail::ObjectAccess::Ptr(&other))) {}  // NOLINT
  /* Map over an object whose entries are all K and V. */
  explicit Map(ObjectPtr<MapObj> obj) noexcept : ObjectRef(std::move(obj)) {}

  const MapObj* get() const noexcept { return static_cast<const MapObj*>(data_.get()); }
  const MapObj* operator->() const noexcept { return get(); }

  int64_t size() const noexcept { return defined() ? static_cast<int64_t>(get()->size()) : 0; }
  bool empty() const noexcept { return size() == 0; }
  iterator begin() const noexcept { return defined() ? iterator(get(), get()->First()) : iterator(); }
  iterator end() const noexcept { return iterator(); }

  /* Value of the key. KeyError: it is not in the map. */
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
  /* 1 when the key is in the map, else 0. */
  int64_t count(const K& key) const { return contains(key) ? 1 : 0; }

  /* The map with `value` for `key`, whether or not it had one. ValueError: the keys are made to collide. */
  [[nodiscard]] Map insert(K key, V value) const& { return Map(*this).insert(std::move(key), std::move(value)); }
  [[nodiscard]] Map insert(K key, V value) && {
    MapObj::Insert(&data_, Any(std::move(key)), Any(std::move(value)));
    return std::move(*this);
  }
  [[nodiscard]] Map set(K key, V value) const& { return insert(std::move(key), std::move(value)); }
  [[nodiscard]] Map set(K key, V value) && { return std::move(*this).insert(std::move(key), std::move(value)); }
  /* The map without the key; the same map when it is not in it. */
  [[nodiscard]] Map erase(const K& key) const& { return Map(*this).erase(key); }
  [[nodiscard]] Map erase(const K& key) && {
    MapObj::Erase(&data_, AnyView(key));
    return std::move(*this);
  }
  /* The empty map. */
  [[nodiscard]] Map clear() const { return Map(); }
};

template <class K, class V>
inline constexpr bool detail::kHasOwnTraits<Map<K, V>> = true;

/* From a Map or Dict whose entries all convert; where they are K and V already, the map is shared. */
template <class K, class V>
struct TypeTraits<Map<K, V>> : detail::MapTraits<Map<K, V>, K, V, kTVMFFIMap, kTVMFFIDict> {};

/* The entries of `lhs`, then those of `rhs`, whose values win. */
template <class K, class V>
Map<K, V> Merge(Map<K, V> lhs, const Map<K, V>& rhs) {
  for (std::pair<K, V> entry : rhs) lhs = std::move(lhs).insert(std::move(entry.first), std::move(entry.second));
  return lhs;
}

}  // namespace transom

#endif  // TRANSOM_CONTAINERS_MAP_H_
