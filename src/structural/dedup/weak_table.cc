#include "structural/dedup/weak_table.h"

namespace transom::structural {

// ---- TagIndex ------------------------------------------------------------------------------------------------------

void TagIndex::Place(uint32_t tag, uint32_t number) {
  size_t i = tag & mask_;
  while (slots_[i].number != kNone) i = (i + 1) & mask_;
  slots_[i] = {tag, number};
}

void TagIndex::Resize(size_t num_slots) {
  std::vector<Slot> old(num_slots);
  old.swap(slots_);
  mask_ = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.number != kNone) Place(slot.tag, slot.number);
  }
}

void TagIndex::Shrink() {
  size_t needed = 16;
  while (needed / 4 * 3 <= size_) needed *= 2;
  if (needed < slots_.size()) Resize(needed);
}

void TagIndex::Erase(uint32_t tag, uint32_t number) {
  size_t gap = Seek(tag, [&](uint32_t n) { return n == number; });
  --size_;
  // What stands behind moves up, unless that were before its home.
  for (size_t i = (gap + 1) & mask_; slots_[i].number != kNone; i = (i + 1) & mask_) {
    const size_t home = slots_[i].tag & mask_;
    if (((i - home) & mask_) < ((i - gap) & mask_)) continue;
    slots_[gap] = slots_[i];
    gap = i;
  }
  slots_[gap] = {};
}

void TagIndex::Rename(uint32_t tag, uint32_t from, uint32_t to) {
  slots_[Seek(tag, [&](uint32_t n) { return n == from; })].number = to;
}

// ---- WeakTable -----------------------------------------------------------------------------------------------------

WeakTable::~WeakTable() {
  for (const Entry& entry : entries_) detail::DecWeakRef(entry.object);
}

void WeakTable::Add(TVMFFIObject* object, uint64_t hash, bool flag) {
  Sweep();
  by_hash_.Reserve();
  by_address_.Reserve();
  entries_.push_back({object, hash & hash_mask_, flag});
  detail::IncWeakRef(object);
  const auto i = static_cast<uint32_t>(entries_.size() - 1);
  by_hash_.Insert(static_cast<uint32_t>(entries_[i].hash), i);
  by_address_.Insert(AddressTag(object), i);
}

// The last entry takes the place.
void WeakTable::Remove(uint32_t i) {
  const Entry gone = entries_[i];
  by_hash_.Erase(static_cast<uint32_t>(gone.hash), i);
  by_address_.Erase(AddressTag(gone.object), i);
  const auto last = static_cast<uint32_t>(entries_.size() - 1);
  if (i != last) {
    const Entry& moved = entries_[i] = entries_[last];
    by_hash_.Rename(static_cast<uint32_t>(moved.hash), last, i);
    by_address_.Rename(AddressTag(moved.object), last, i);
  }
  entries_.pop_back();
  detail::DecWeakRef(gone.object);
}

// Two for each new one: the hand gets round before the table has doubled, so at most half of it is dead for long.
void WeakTable::Sweep() {
  for (int looked = 0; looked < 2 && !entries_.empty(); ++looked) {
    if (hand_ >= entries_.size()) hand_ = 0;
    if (detail::UseCount(entries_[hand_].object) == 0) {
      Remove(hand_);
    } else {
      ++hand_;
    }
  }
}

void WeakTable::Compact() {
  for (uint32_t i = 0; i < entries_.size();) {
    if (detail::UseCount(entries_[i].object) == 0) {
      Remove(i);
    } else {
      ++i;
    }
  }
  entries_.shrink_to_fit();
  by_hash_.Shrink();
  by_address_.Shrink();
}

}  // namespace transom::structural
