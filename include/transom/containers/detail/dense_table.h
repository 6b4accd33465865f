/*
 * The dense layout of Map and Dict: an open hash table with chained slots and a list of the entries in insertion order.
 *
 * Every library of the C contract reads and writes tables of every other, so layout and lookup are fixed: 16 metadata
 * bytes and 16 items per block; chains whose links are indices into a table of jump distances. Entries are moved
 * bitwise.
 */
#ifndef TRANSOM_CONTAINERS_DETAIL_DENSE_TABLE_H_
#define TRANSOM_CONTAINERS_DETAIL_DENSE_TABLE_H_

#include <transom/runtime/any.h>
#include <transom/runtime/any_hash.h>
#include <transom/runtime/error.h>

#include <cstdint>
#include <cstring>
#include <new>

namespace transom {
namespace detail {

/* Key and value of a map in the small layout. */
struct MapPair {
  TVMFFIAny key;
  TVMFFIAny value;
};

/* Entry of a dense table. `prev` and `next` are slots in insertion order, or DenseTable::kEnd. */
struct MapItem {
  MapPair pair;
  uint64_t prev;
  uint64_t next;
};

static_assert(sizeof(MapPair) == 32 && sizeof(MapItem) == 48, "layout of the C contract");

constexpr uint8_t kNumJumps = 126;

/* Distance of each jump index; index 0 ends a chain. */
inline constexpr uint64_t kJumpDistances[kNumJumps] = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
    // Triangular numbers: modulo a power of two they reach every slot.
    21, 28, 36, 45, 55, 66, 78, 91, 105, 120, 136, 153, 171, 190, 210, 231, 253, 276, 300, 325, 351, 378, 406, 435, 465,
    496, 528, 561, 595, 630, 666, 703, 741, 780, 820, 861, 903, 946, 990, 1035, 1081, 1128, 1176, 1225, 1275, 1326,
    1378, 1431, 1485, 1540, 1596, 1653, 1711, 1770, 1830, 1891, 1953, 2016, 2080, 2145, 2211, 2278, 2346, 2415, 2485,
    2556, 2628,
    // Far jumps, for tables where the neighbourhood is full.
    8515, 19110, 42778, 96141, 216153, 486591, 1092981, 2458653, 5532801, 12442566, 27993903, 62983476, 141717030,
    318844378, 717352503, 1614057336, 3631522476, 8170957530, 18384510628, 41364789378, 93070452520, 209408356380,
    471168559170, 1060128894105, 2385289465695, 5366898840628, 12075518705635, 27169915244790, 61132312065111,
    137547689707000, 309482283181501, 696335127828753, 1566753995631385, 3525196511162271, 7931691992677701,
    17846306936293605, 40154190677507445, 90346928918121501, 203280589587557251, 457381325854679626,
    1029107982097042876, 2315492959180353330, 5209859154120846435};

/* Longest chain that insertion builds. Keys of real data stay far below, so longer ones are made to collide. */
constexpr uint64_t kMaxChain = 1024;

[[noreturn]] inline void ThrowCollidingKeys(uint64_t size) {
  TRANSOM_THROW(ValueError) << "Expected map keys with spread hashes, but so many of the " << size
                            << " keys share one place that lookups would be slow; they seem made to collide";
}

/*
 * A dense table as a value: where it lies and its state. Owns nothing; the map that holds it does.
 * Slots are named by their number. Not safe for concurrent use while one thread changes the table.
 */
class DenseTable {
 public:
  static constexpr uint64_t kEnd = ~uint64_t{0};
  static constexpr uint64_t kMinSlots = 8;
  static constexpr uint64_t kBlockSlots = 16;
  static constexpr uint64_t kBlockBytes = kBlockSlots * (1 + sizeof(MapItem));
  static_assert(kBlockBytes == 784, "layout of the C contract");

  enum class Insertion { kDone, kNoRoom };

  void* blocks = nullptr;
  uint64_t slots = 0;
  uint64_t size = 0;
  uint64_t head = kEnd;
  uint64_t tail = kEnd;
  uint32_t fib_shift = 64;

  /* New empty table; free it with FreeBlocks. `num_slots` is a power of two, at least kMinSlots. */
  static DenseTable Allocate(uint64_t num_slots) {
    if (num_slots > SIZE_MAX / kBlockBytes) throw std::bad_alloc();
    size_t bytes = NumBlocks(num_slots) * kBlockBytes;
    DenseTable table;
    table.blocks = ::operator new(bytes);
    table.slots = num_slots;
    table.fib_shift = 64;
    for (uint64_t s = num_slots; s > 1; s >>= 1) --table.fib_shift;
    table.MarkAllEmpty();
    return table;
  }
  static void FreeBlocks(void* blocks) { ::operator delete(blocks); }

  static uint64_t NumBlocks(uint64_t num_slots) { return (num_slots + kBlockSlots - 1) / kBlockSlots; }

  /* Slots for a table that is made for `size` entries at once. */
  static uint64_t SlotsForSize(uint64_t size) {
    uint64_t result = 1;
    for (uint64_t c = size; c != 0; c >>= 1) result *= 2;
    return result < 2 * size ? 2 * result : result;
  }

  static MapItem& ItemAt(void* blocks, uint64_t slot) {
    auto* block = static_cast<unsigned char*>(blocks) + slot / kBlockSlots * kBlockBytes;
    return reinterpret_cast<MapItem*>(block + kBlockSlots)[slot % kBlockSlots];
  }
  MapItem& Item(uint64_t slot) const { return ItemAt(blocks, slot); }
  bool IsEmpty(uint64_t slot) const { return Meta(slot) >= kProtectedSlot; }

  /* Slot of the key, or kEnd. Throws what the key's hash and equality hooks throw. */
  uint64_t Find(const TVMFFIAny& key) const {
    if (size == 0) return kEnd;
    uint64_t slot = Home(key);
    if (Meta(slot) & kBodyBit) return kEnd;
    // The count ends the walk in a table whose chain was damaged into a ring.
    for (uint64_t probes = 0; probes < slots; ++probes) {
      if (AnyEqual()(&Item(slot).pair.key, &key)) return slot;
      if (Jump(slot) == 0) break;
      slot = Next(slot, Jump(slot));
    }
    return kEnd;
  }

  /*
   * Inserts the pair as the last entry, or gives an equal key the value and moves its entry to the end.
   * On kDone the pair is consumed: `pair` holds what to destroy (the old value and the spare key, or None).
   * On kNoRoom nothing changed; a larger table is needed. ValueError: the keys collide by design; nothing changed.
   */
  Insertion Insert(MapPair* pair) {
    if (slots == 0) return Insertion::kNoRoom;
    uint64_t home = Home(pair->key);
    uint8_t meta = Meta(home);
    if (meta == kEmptySlot) {
      PlaceNew(home, kHead, pair);
      return Insertion::kDone;
    }
    if (meta & kBodyBit) {
      if (IsFull() || !Evict(home)) return Insertion::kNoRoom;
      PlaceNew(home, kHead, pair);
      return Insertion::kDone;
    }
    return InsertIntoChain(home, pair);
  }

  /* Removes the entry at `slot` and returns its pair, which the caller then owns. */
  MapPair Erase(uint64_t slot) {
    MapPair removed = Item(slot).pair;
    if (Jump(slot) == 0) {
      if (Meta(slot) & kBodyBit) SetJump(Predecessor(slot), 0);
      Unlink(slot);
      Meta(slot) = kEmptySlot;
    } else {
      uint64_t before_last = slot;
      uint64_t last = Next(slot, Jump(slot));
      while (Jump(last) != 0) {
        before_last = last;
        last = Next(last, Jump(last));
      }
      Unlink(slot);
      MoveItem(last, slot);
      Meta(last) = kEmptySlot;
      SetJump(before_last, 0);
    }
    --size;
    return removed;
  }

  /* New table with the same bits as `other`. */
  static DenseTable CopyBits(const DenseTable& other) {
    size_t bytes = NumBlocks(other.slots) * kBlockBytes;
    DenseTable table = other;
    table.blocks = ::operator new(bytes);
    std::memcpy(table.blocks, other.blocks, bytes);
    return table;
  }

  /* Makes the table empty without destroying entries. */
  void MarkAllEmpty() {
    for (uint64_t b = 0; b < NumBlocks(slots); ++b) {
      std::memset(static_cast<unsigned char*>(blocks) + b * kBlockBytes, kEmptySlot, kBlockSlots);
    }
    size = 0;
    head = tail = kEnd;
  }

 private:
  static constexpr uint8_t kEmptySlot = 0xFF;
  static constexpr uint8_t kProtectedSlot = 0xFE;
  static constexpr uint8_t kBodyBit = 0x80;
  static constexpr uint8_t kJumpMask = 0x7F;
  static constexpr uint8_t kHead = 0x00;
  static constexpr uint8_t kBody = 0x80;

  // What an empty slot holds while an eviction is planned: the occupant that will move there, and the next planned
  // slot.
  struct PlannedMove {
    uint64_t from;
    uint64_t next;
    uint64_t jump;  // from the element before it in the chain
  };
  static_assert(sizeof(PlannedMove) <= sizeof(MapItem), "fits into the empty item");

  unsigned char* Block(uint64_t slot) const {
    return static_cast<unsigned char*>(blocks) + slot / kBlockSlots * kBlockBytes;
  }
  uint8_t& Meta(uint64_t slot) const { return Block(slot)[slot % kBlockSlots]; }
  uint8_t Jump(uint64_t slot) const { return Meta(slot) & kJumpMask; }
  void SetJump(uint64_t slot, uint8_t jump) { Meta(slot) = static_cast<uint8_t>((Meta(slot) & kBodyBit) | jump); }
  uint64_t Next(uint64_t slot, uint8_t jump) const { return (slot + kJumpDistances[jump]) & (slots - 1); }
  uint64_t Home(const TVMFFIAny& key) const { return (AnyHash()(&key) * 11400714819323198485ULL) >> fib_shift; }
  // Full at 99%: a little air keeps the chains short.
  bool IsFull() const { return (size + 1) * 100 > slots * 99; }

  Insertion InsertIntoChain(uint64_t home, MapPair* pair) {
    uint64_t slot = home;
    for (uint64_t length = 1;; ++length) {
      if (AnyEqual()(&Item(slot).pair.key, &pair->key)) {
        std::swap(Item(slot).pair.value, pair->value);
        Unlink(slot);
        LinkLast(slot);
        return Insertion::kDone;
      }
      if (Jump(slot) == 0 && length < kMaxChain) break;
      if (Jump(slot) == 0 || length > slots) ThrowCollidingKeys(size);
      slot = Next(slot, Jump(slot));
    }
    uint8_t jump;
    uint64_t target;
    if (IsFull() || !FindEmpty(slot, &target, &jump)) return Insertion::kNoRoom;
    PlaceNew(target, kBody, pair);
    SetJump(slot, jump);
    return Insertion::kDone;
  }

  void PlaceNew(uint64_t slot, uint8_t meta, MapPair* pair) {
    Meta(slot) = meta;
    Item(slot).pair = *pair;
    *pair = MapPair{};
    LinkLast(slot);
    ++size;
  }

  /* The nearest empty slot that one jump reaches from `slot`. */
  bool FindEmpty(uint64_t slot, uint64_t* target, uint8_t* jump) const {
    for (*jump = 1; *jump < kNumJumps; ++*jump) {
      *target = Next(slot, *jump);
      if (Meta(*target) == kEmptySlot) return true;
    }
    return false;
  }

  uint64_t Predecessor(uint64_t slot) const {
    uint64_t before = Home(Item(slot).pair.key);
    for (uint64_t probes = 0; probes < slots; ++probes) {
      uint64_t next = Next(before, Jump(before));
      if (next == slot) return before;
      before = next;
    }
    TRANSOM_THROW(InternalError) << "The hash of a map key changed while it was in the map";
  }

  /*
   * Frees `home`, which an element of another chain occupies: that element and those after it in its chain move
   * to other slots. All targets are chosen first, so that a failure (false) leaves the table as it was.
   */
  bool Evict(uint64_t home) {
    uint64_t before = Predecessor(home);
    uint64_t first;
    if (!PlanEviction(home, before, &first)) return false;
    for (uint64_t target = first; target != kEnd;) {
      PlannedMove move = Planned(target);
      MoveItem(move.from, target);
      Meta(move.from) = kEmptySlot;
      Meta(target) = kBody;
      SetJump(before, static_cast<uint8_t>(move.jump));
      before = target;
      target = move.next;
    }
    return true;
  }

  bool PlanEviction(uint64_t from, uint64_t before, uint64_t* first) {
    *first = kEnd;
    while (true) {
      uint64_t target;
      uint8_t jump;
      if (!FindEmpty(before, &target, &jump)) {
        for (uint64_t t = *first; t != kEnd; t = Planned(t).next) Meta(t) = kEmptySlot;
        return false;
      }
      Meta(target) = kProtectedSlot;
      SetPlanned(target, PlannedMove{from, kEnd, jump});
      if (*first == kEnd) {
        *first = target;
      } else {
        PlannedMove previous = Planned(before);
        previous.next = target;
        SetPlanned(before, previous);
      }
      if (Jump(from) == 0) return true;
      before = target;
      from = Next(from, Jump(from));
    }
  }
  PlannedMove Planned(uint64_t slot) const {
    PlannedMove move;
    std::memcpy(&move, &Item(slot), sizeof(move));
    return move;
  }
  void SetPlanned(uint64_t slot, const PlannedMove& move) {
    std::memcpy(static_cast<void*>(&Item(slot)), &move, sizeof(move));
  }

  /* Moves an entry to an unused slot, keeping its place in the order. */
  void MoveItem(uint64_t from, uint64_t to) {
    MapItem item = Item(from);
    Item(to) = item;
    (item.prev == kEnd ? head : Item(item.prev).next) = to;
    (item.next == kEnd ? tail : Item(item.next).prev) = to;
  }
  void Unlink(uint64_t slot) {
    const MapItem& item = Item(slot);
    (item.prev == kEnd ? head : Item(item.prev).next) = item.next;
    (item.next == kEnd ? tail : Item(item.next).prev) = item.prev;
  }
  void LinkLast(uint64_t slot) {
    MapItem& item = Item(slot);
    item.prev = tail;
    item.next = kEnd;
    (tail == kEnd ? head : Item(tail).next) = slot;
    tail = slot;
  }
};

}  // namespace detail
}  // namespace transom
#endif  // TRANSOM_CONTAINERS_DETAIL_DENSE_TABLE_H_
