/*
 * What Map and Dict share: the object with its entries in the small or the dense layout, the cursor over them, changes
 * in place, and iteration as pairs.
 */
#ifndef TRANSOM_CONTAINERS_DETAIL_MAP_BASE_H_
#define TRANSOM_CONTAINERS_DETAIL_MAP_BASE_H_

#include <transom/containers/detail/dense_table.h>
#include <transom/containers/detail/seq_base.h>
#include <transom/runtime/any.h>
#include <transom/runtime/any_hash.h>
#include <transom/runtime/error.h>
#include <transom/runtime/object.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace transom {

/*
 * Entries in insertion order: base of MapObj and DictObj. Up to 4 entries are an array of pairs (small layout); more
 * are a hash table (dense layout). Reads borrow from the object; concurrent reads are safe.
 *
 *   for (uint64_t pos = map->First(); pos != MapBaseObj::kEnd; pos = map->Next(pos)) Use(map->KeyAt(pos));
 */
class MapBaseObj : public Object {
 public:
  static constexpr uint64_t kEnd = detail::DenseTable::kEnd;

  ~MapBaseObj() {
    DropEntries();
    if (data_deleter_ != nullptr) data_deleter_(data_);
  }
  MapBaseObj(const MapBaseObj&) = delete;
  MapBaseObj& operator=(const MapBaseObj&) = delete;

  /* Number of entries. */
  uint64_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }

  /* Position of the first entry, or kEnd. Positions stay valid until the map is changed. */
  uint64_t First() const noexcept {
    if (size_ == 0) return kEnd;
    return IsSmall() ? 0 : dense().iter_head;
  }
  /* Position of the entry after the one at `pos`, or kEnd. */
  uint64_t Next(uint64_t pos) const noexcept {
    if (IsSmall()) return pos + 1 < size_ ? pos + 1 : kEnd;
    return detail::DenseTable::ItemAt(data_, pos).next;
  }
  /* Whether there is an entry at `pos`, which may be a position from before a change. */
  bool IsEntry(uint64_t pos) const noexcept {
    if (IsSmall()) return pos < size_;
    return pos < slots_ && !Table().IsEmpty(pos);
  }
  const Any& KeyAt(uint64_t pos) const noexcept { return AsAny(PairAt(pos).key); }
  const Any& ValueAt(uint64_t pos) const noexcept { return AsAny(PairAt(pos).value); }

  /* Position of the entry with that key, or kEnd. Constant time on average. Throws what the key's hooks throw. */
  uint64_t FindPosition(AnyView key) const {
    if (key.type_index() == kTVMFFIRawStr || key.type_index() == kTVMFFIByteArrayPtr) {
      return FindPosition(AnyView(Any(key)));  // As it would be stored.
    }
    if (!IsSmall()) return Table().Find(*key.raw());
    for (uint64_t i = 0; i < size_; ++i) {
      if (AnyEqual()(&pairs()[i].key, key.raw())) return i;
    }
    return kEnd;
  }
  /* State of the slots of an object that is made of that many pairs with different keys. */
  static uint64_t SlotsFor(uint64_t num_pairs) noexcept {
    if (num_pairs >= kMaxSmallSlots) return detail::DenseTable::SlotsForSize(num_pairs);
    return std::max(num_pairs, kMinSmallSlots) | kSmallBit;
  }
  /* Value of that key, or NULL. */
  const Any* Find(AnyView key) const {
    uint64_t pos = FindPosition(key);
    return pos == kEnd ? nullptr : &ValueAt(pos);
  }
  /* Value of that key. KeyError: there is none. */
  const Any& At(AnyView key) const {
    const Any* value = Find(key);
    TRANSOM_CHECK(value != nullptr, KeyError) << "key is not in Map";
    return *value;
  }

 protected:
  MapBaseObj() noexcept = default;

  static constexpr uint64_t kSmallBit = uint64_t{1} << 63;
  static constexpr uint64_t kMinSmallSlots = 2;
  static constexpr uint64_t kMaxSmallSlots = 4;

  /* New empty object of class Obj in the small layout, its pairs in its own block. */
  template <class Obj>
  static ObjectPtr<Obj> CreateSmall(uint64_t slots) {
    slots = std::max(slots, kMinSmallSlots);
    ObjectPtr<Obj> result = make_inplace_array_object<Obj, detail::MapPair>(slots);
    result->data_ = static_cast<MapBaseObj*>(result.get()) + 1;
    result->slots_ = slots | kSmallBit;
    result->Store(detail::DenseTable());  // No state of a table, but no raw memory either.
    return result;
  }
  /* New object of class Obj with the given pairs, which are moved from. A later equal key overwrites. */
  template <class Obj>
  static ObjectPtr<Obj> CreateFrom(Any* keys_and_values, size_t num_pairs) {
    ObjectPtr<Obj> result = CreateSmall<Obj>(num_pairs < kMaxSmallSlots ? num_pairs : 0);
    if (num_pairs >= kMaxSmallSlots) {
      result->Adopt(detail::DenseTable::Allocate(detail::DenseTable::SlotsForSize(num_pairs)));
    }
    for (size_t i = 0; i < num_pairs; ++i) {
      detail::MapPair pair{keys_and_values[2 * i].Release(), keys_and_values[2 * i + 1].Release()};
      PairOwner owner(&pair);
      if (!result->TryInsert(&pair)) result->Grow(result.get(), &pair);
    }
    return result;
  }
  /* New object of class Obj with the same entries and layout. */
  template <class Obj>
  static ObjectPtr<Obj> CopyOf(const MapBaseObj& other) {
    ObjectPtr<Obj> result = CreateSmall<Obj>(other.IsSmall() ? other.num_slots() : 0);
    if (other.IsSmall()) {
      std::copy(other.pairs(), other.pairs() + other.size_, result->pairs());
      result->size_ = other.size_;
    } else if (other.slots_ != 0) {
      result->Adopt(detail::DenseTable::CopyBits(other.Table()));
    }
    result->ForEachPair([](detail::MapPair* pair) {
      AddRef(pair->key);
      AddRef(pair->value);
    });
    return result;
  }

  /* Gives the key the value in this object. ValueError: the keys are made to collide; nothing changed. */
  void SetInPlace(Any key, Any value) {
    detail::MapPair pair{key.Release(), value.Release()};
    PairOwner owner(&pair);
    if (!TryInsert(&pair)) Grow(this, &pair);
  }
  /* Inserts where the storage has room. True: done, and `pair` holds what to destroy. False: nothing changed. */
  bool TryInsert(detail::MapPair* pair) {
    return IsSmall() ? TryInsertSmall(pair) : ChangeTable([&](detail::DenseTable* table) {
      return table->Insert(pair) == detail::DenseTable::Insertion::kDone;
    });
  }
  /* Moves all entries of this map and the pair, which found no room, to larger storage of `target`: this map itself, or
   * an empty one. On an exception nothing changed. */
  void Grow(MapBaseObj* target, detail::MapPair* pair) {
    if (IsSmall() && num_slots() < kMaxSmallSlots) {
      uint64_t slots = std::min(std::max(2 * num_slots(), kMinSmallSlots), kMaxSmallSlots);
      auto* grown = static_cast<detail::MapPair*>(::operator new(slots * sizeof(detail::MapPair)));
      std::copy(pairs(), pairs() + size_, grown);
      grown[size_] = std::exchange(*pair, detail::MapPair{});
      uint64_t size = size_ + 1;
      ForgetEntries();
      target->ReplaceStorage(grown, size, slots | kSmallBit, &FreePairs);
      return;
    }
    detail::DenseTable table = GrownTable(pair);
    ForgetEntries();
    target->Adopt(table);
  }
  /* Removes the entry at `pos`. */
  void EraseAt(uint64_t pos) {
    detail::MapPair removed{};
    if (IsSmall()) {
      removed = pairs()[pos];
      --size_;
      std::copy(pairs() + pos + 1, pairs() + size_ + 1, pairs() + pos);
    } else {
      ChangeTable([&](detail::DenseTable* table) { return removed = table->Erase(pos), true; });
    }
    PairOwner owner(&removed);  // Destroyed when the map is whole again: a destructor may look at it.
  }
  /* Removes all entries; slots and layout stay. */
  void EraseAll() {
    std::vector<Any> removed;
    removed.reserve(2 * size_);
    ForEachPair([&](detail::MapPair* pair) {
      removed.push_back(Any::FromOwned(pair->key));
      removed.push_back(Any::FromOwned(pair->value));
    });
    ForgetEntries();
  }

  /* Owns a pair outside a map. */
  class PairOwner {
   public:
    explicit PairOwner(detail::MapPair* pair) noexcept : pair_(pair) {}
    PairOwner(const PairOwner&) = delete;
    PairOwner& operator=(const PairOwner&) = delete;
    ~PairOwner() {
      Any::FromOwned(pair_->key);
      Any::FromOwned(pair_->value);
    }

   private:
    detail::MapPair* pair_;
  };

 private:
  /* State of the dense layout; part of the pairs in the small one. */
  struct Dense {
    uint32_t fib_shift;
    uint32_t padding;
    uint64_t iter_head;
    uint64_t iter_tail;
  };

  bool IsSmall() const noexcept { return (slots_ & kSmallBit) != 0; }
  uint64_t num_slots() const noexcept { return slots_ & ~kSmallBit; }
  detail::MapPair* pairs() const noexcept { return static_cast<detail::MapPair*>(data_); }
  Dense& dense() const noexcept { return *reinterpret_cast<Dense*>(const_cast<MapBaseObj*>(this) + 1); }
  const detail::MapPair& PairAt(uint64_t pos) const noexcept {
    return IsSmall() ? pairs()[pos] : detail::DenseTable::ItemAt(data_, pos).pair;
  }
  static const Any& AsAny(const TVMFFIAny& raw) noexcept { return reinterpret_cast<const Any&>(raw); }
  static void AddRef(const TVMFFIAny& raw) noexcept {
    if (raw.type_index >= kTVMFFIStaticObjectBegin) detail::IncRef(raw.v_obj);
  }
  static void FreePairs(void* data) { ::operator delete(data); }

  /* The dense layout as a table. A map whose storage was given away has no slots, and no state to read. */
  detail::DenseTable Table() const noexcept {
    detail::DenseTable table;
    if (slots_ == 0) return table;
    table.blocks = data_;
    table.slots = slots_;
    table.size = size_;
    table.head = dense().iter_head;
    table.tail = dense().iter_tail;
    table.fib_shift = dense().fib_shift;
    return table;
  }
  void Store(const detail::DenseTable& table) noexcept {
    size_ = table.size;
    dense() = Dense{table.fib_shift, 0, table.head, table.tail};
  }
  template <class Change>
  bool ChangeTable(Change change) {
    detail::DenseTable table = Table();
    if (table.slots == 0) return false;
    bool result = change(&table);
    Store(table);
    return result;
  }
  /* Takes over a table with its entries in the place of the storage so far, which holds no entries. */
  void Adopt(const detail::DenseTable& table) noexcept {
    ReplaceStorage(table.blocks, table.size, table.slots, &detail::DenseTable::FreeBlocks);
    Store(table);
  }
  void ReplaceStorage(void* data, uint64_t size, uint64_t slots, void (*deleter)(void*)) noexcept {
    if (data_deleter_ != nullptr) data_deleter_(data_);
    data_ = data;
    size_ = size;
    slots_ = slots;
    data_deleter_ = deleter;
  }

  bool TryInsertSmall(detail::MapPair* pair) {
    if (num_slots() >= kMaxSmallSlots && size_ >= num_slots()) return false;
    for (uint64_t i = 0; i < size_; ++i) {
      if (!AnyEqual()(&pairs()[i].key, &pair->key)) continue;
      std::swap(pairs()[i].value, pair->value);
      return true;
    }
    if (size_ >= num_slots()) return false;
    pairs()[size_++] = std::exchange(*pair, detail::MapPair{});
    return true;
  }

  /* A larger table with copies of the bits of all entries and of the pair. */
  detail::DenseTable GrownTable(detail::MapPair* pair) const {
    // Keys with spread hashes need at most four slots each; far beyond, more slots do not help.
    uint64_t max_slots = std::max<uint64_t>(1024, 16 * (size_ + 1));
    uint64_t slots = IsSmall() ? detail::DenseTable::SlotsForSize(size_) : 2 * slots_;
    for (slots = std::max(slots, detail::DenseTable::kMinSlots); slots <= max_slots; slots *= 2) {
      struct Blocks {
        detail::DenseTable table;
        ~Blocks() { detail::DenseTable::FreeBlocks(table.blocks); }
      } grown{detail::DenseTable::Allocate(slots)};
      if (InsertBitsInto(&grown.table) && grown.table.Insert(pair) == detail::DenseTable::Insertion::kDone) {
        detail::DenseTable result = grown.table;
        grown.table.blocks = nullptr;
        return result;
      }
    }
    detail::ThrowCollidingKeys(size_);
  }
  bool InsertBitsInto(detail::DenseTable* table) const {
    for (uint64_t pos = First(); pos != kEnd; pos = Next(pos)) {
      detail::MapPair pair = PairAt(pos);
      if (table->Insert(&pair) != detail::DenseTable::Insertion::kDone) return false;
    }
    return true;
  }

  /* Makes the map empty without destroying entries; slots and layout stay. */
  void ForgetEntries() noexcept {
    if (IsSmall()) {
      size_ = 0;
    } else if (slots_ != 0) {
      detail::DenseTable table = Table();
      table.MarkAllEmpty();
      Store(table);
    }
  }
  /* Calls `visit` on all entries, in the order in which they lie in memory. */
  template <class Visit>
  void ForEachPair(Visit visit) {
    if (IsSmall()) {
      for (uint64_t i = 0; i < size_; ++i) visit(&pairs()[i]);
    } else if (size_ != 0) {
      detail::DenseTable table = Table();
      for (uint64_t slot = 0; slot < slots_; ++slot) {
        if (!table.IsEmpty(slot)) visit(&table.Item(slot).pair);
      }
    }
  }
  void DropEntries() noexcept {
    ForEachPair([](detail::MapPair* pair) { PairOwner owner(pair); });
  }

  void* data_ = nullptr;
  uint64_t size_ = 0;
  uint64_t slots_ = kSmallBit;
  void (*data_deleter_)(void*) = nullptr;
};

static_assert(sizeof(MapBaseObj) == 56, "layout of the C contract");

namespace detail {

/* Iterates over the entries of a map as pairs of K and V, made on the fly. Valid until the map changes or dies. */
template <class K, class V>
class MapIterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = std::pair<K, V>;
  using difference_type = int64_t;
  using pointer = ArrowHolder<value_type>;
  using reference = value_type;

  MapIterator() noexcept = default;
  MapIterator(const MapBaseObj* map, uint64_t pos) noexcept : map_(map), pos_(pos) {}

  value_type operator*() const {
    return value_type(GetElement<K>(map_->KeyAt(pos_)), GetElement<V>(map_->ValueAt(pos_)));
  }
  ArrowHolder<value_type> operator->() const { return ArrowHolder<value_type>{**this}; }
  MapIterator& operator++() {
    pos_ = map_->Next(pos_);
    return *this;
  }
  MapIterator operator++(int) {
    MapIterator old = *this;
    ++*this;
    return old;
  }
  friend bool operator==(const MapIterator& lhs, const MapIterator& rhs) { return lhs.pos_ == rhs.pos_; }
  friend bool operator!=(const MapIterator& lhs, const MapIterator& rhs) { return lhs.pos_ != rhs.pos_; }

 private:
  const MapBaseObj* map_ = nullptr;
  uint64_t pos_ = MapBaseObj::kEnd;
};

/* Owned keys and values, alternating, of a range of pairs. */
template <class K, class V, class It>
std::vector<Any> OwnedPairs(It first, It last) {
  std::vector<Any> values;
  for (; first != last; ++first) {
    auto&& pair = *first;
    values.emplace_back(static_cast<K>(pair.first));
    values.emplace_back(static_cast<V>(pair.second));
  }
  return values;
}

/* Conversion of the entries of a map value to a container Ref of K and V. */
template <class Ref, class K, class V, int32_t kOwnIndex, int32_t kOtherIndex>
struct MapTraits : ReferenceTraits<Ref, typename Ref::ContainerType, false> {
  static void ToView(const Ref& src, TVMFFIAny* out) { SetObject(ObjectAccess::Header(src), out); }
  static void ToOwned(Ref src, TVMFFIAny* out) { SetObject(ObjectAccess::Release(&src), out); }
  static bool Is(const TVMFFIAny* value) {
    if (value->type_index != kOwnIndex) return false;
    if constexpr (!std::is_same_v<K, Any> || !std::is_same_v<V, Any>) {
      const MapBaseObj* map = AsMap(value);
      for (uint64_t pos = map->First(); pos != MapBaseObj::kEnd; pos = map->Next(pos)) {
        if (!TypeTraits<K>::Is(map->KeyAt(pos).raw()) || !TypeTraits<V>::Is(map->ValueAt(pos).raw())) return false;
      }
    }
    return true;
  }
  static std::optional<Ref> TryCast(const TVMFFIAny* value) {
    if (value->type_index != kOwnIndex && value->type_index != kOtherIndex) return std::nullopt;
    if (Is(value)) return ReferenceTraits<Ref, typename Ref::ContainerType, false>::Get(value);
    std::vector<Any> converted;
    const MapBaseObj* map = AsMap(value);
    for (uint64_t pos = map->First(); pos != MapBaseObj::kEnd; pos = map->Next(pos)) {
      std::optional<K> k = TypeTraits<K>::TryCast(map->KeyAt(pos).raw());
      std::optional<V> v = TypeTraits<V>::TryCast(map->ValueAt(pos).raw());
      if (!k.has_value() || !v.has_value()) return std::nullopt;
      converted.emplace_back(*std::move(k));
      converted.emplace_back(*std::move(v));
    }
    return Ref(Ref::ContainerType::CreateFromPairs(converted.data(), converted.size() / 2));
  }
  static std::string Mismatch(const TVMFFIAny* value) {
    if (value->type_index != kOwnIndex && value->type_index != kOtherIndex) return TypeKeyOfIndex(value->type_index);
    const std::string name = ShortName(Ref::ContainerType::_type_key);
    const MapBaseObj* map = AsMap(value);
    for (uint64_t pos = map->First(); pos != MapBaseObj::kEnd; pos = map->Next(pos)) {
      const TVMFFIAny* k = map->KeyAt(pos).raw();
      const TVMFFIAny* v = map->ValueAt(pos).raw();
      if (!TypeTraits<K>::TryCast(k).has_value()) return name + "[some key is " + TypeTraits<K>::Mismatch(k) + ", V]";
      if (!TypeTraits<V>::TryCast(v).has_value()) return name + "[K, some value is " + TypeTraits<V>::Mismatch(v) + "]";
    }
    return TypeKeyOfIndex(value->type_index);
  }
  static std::string Name() { return ShortName(Ref::ContainerType::_type_key) + "<" + JoinNames<K, V>(", ") + ">"; }
  static std::string Schema() { return SchemaOf(Ref::ContainerType::_type_key, JoinSchemas<K, V>()); }

 private:
  static const MapBaseObj* AsMap(const TVMFFIAny* value) {
    return static_cast<const MapBaseObj*>(ObjectAccess::FromHeader(value->v_obj));
  }
};

}  // namespace detail
}  // namespace transom

#endif  // TRANSOM_CONTAINERS_DETAIL_MAP_BASE_H_
