// Parts that stand elsewhere, as far as the walk sees them: elements that changed their order, and what an object was
// put around or taken away from.
#include <algorithm>
#include <unordered_map>

#include "graph/fold.h"
#include "structural/equality/lock_step.h"
#include "structural/rules/part_size.h"
#include "structural/rules/places.h"

namespace transom::structural {

using graph::Classify;
using graph::DefRegion;
using graph::Path;
using graph::ValueClass;

// ---- Trying a pair --------------------------------------------------------------------------------------------------

bool LockStep::SameElsewhere(const TVMFFIAny& lhs, const TVMFFIAny& rhs) {
  if (!SameInContext(lhs, rhs)) return false;
  // Patterns say what counts at a place. What moved is the same at any.
  std::unique_ptr<WalkScope> scope;
  if (PlacesCount()) scope = std::move(scope_);
  const bool same = EqualHere(lhs, rhs, options_.map_free_vars ? DefRegion::kRecursive : DefRegion::kNone);
  if (scope != nullptr) scope_ = std::move(scope);
  return same;
}

bool LockStep::SameInContext(const TVMFFIAny& lhs, const TVMFFIAny& rhs) {
  return context_.Agrees(lhs, rhs, [&](const TVMFFIObject* l, const TVMFFIObject* r) {
    const TVMFFIObject* right = bindings_.RightOf(l);
    if (right == r) return ContextCheck::Met::kSame;
    return right == nullptr && bindings_.LeftOf(r) == nullptr ? ContextCheck::Met::kOpen : ContextCheck::Met::kOther;
  });
}

// Compares two values now, down to the end. What differs is not noted; what was bound stays bound.
bool LockStep::EqualHere(const TVMFFIAny& lhs, const TVMFFIAny& rhs, DefRegion region) {
  const size_t base = frames_.size();
  const bool differed = base != 0 && frames_.back().differs;
  const Found before = FoundSoFar();
  std::vector<std::pair<uint32_t, uint32_t>> tried;
  tried_pairs_ = &tried;
  Visit(lhs, rhs, region);
  WalkAbove(base);
  tried_pairs_ = nullptr;
  if (base != 0) frames_.back().differs = differed;
  if (counts_ == before.counts && num_known_differences_ == before.known) return true;
  for (const auto& [l, r] : tried) different_.Erase(l, r);
  ForgetDifferences(before);
  return false;
}

void LockStep::NoteDifferent(uint32_t lhs_set, uint32_t rhs_set) {
  if (different_.Insert(lhs_set, rhs_set) && tried_pairs_ != nullptr) tried_pairs_->emplace_back(lhs_set, rhs_set);
}

void LockStep::MeetKnownDifference() {
  ++num_known_differences_;
  if (!frames_.empty()) frames_.back().differs = true;
  MarkSlot(Slot::State::kInside);
}

// ---- Elements that moved --------------------------------------------------------------------------------------------

namespace {

// Entries of a list of pairs, of elements that look alike and stand on one side only.
struct Alike {
  std::vector<size_t> deleted, inserted;
  size_t next = 0;  // of `inserted`
};

}  // namespace

// Deleted and inserted elements of a sequence that look alike become pairs, in order. Such a pair is compared at the
// later of its two places: what the element uses was introduced before it on both sides.
void LockStep::PairMovedItems(Frame& frame) {
  if (PlacesCount()) return;  // an element may count at one place only
  const auto begin = pairs_.begin() + static_cast<ptrdiff_t>(frame.first_pair);
  const auto is_lone = [](const Pair& pair) { return pair.lhs < 0 || pair.rhs < 0; };
  if (std::count_if(begin, pairs_.end(), is_lone) < 2) return;
  const std::vector<Pair> pairs(begin, pairs_.end());
  std::unordered_map<Digest, Alike, DigestHash> alike;
  std::vector<size_t> runs(pairs.size());  // of entries without a pair of both sides between them
  const auto key_of = [&](const Pair& pair) {
    const bool is_lhs = pair.lhs >= 0;
    const TVMFFIAny& holder = is_lhs ? frame.lhs : frame.rhs;
    const TVMFFIAny& item = graph::ItemsOf(graph::SequenceOf(holder))[is_lhs ? pair.lhs : pair.rhs];
    return std::make_pair(IsWorthMoving(item, plans_, keeper_), (is_lhs ? lhs_keys_ : rhs_keys_).KeyOf(item));
  };
  for (size_t k = 0; k < pairs.size(); ++k) {
    runs[k] = k == 0 ? 0 : runs[k - 1] + (is_lone(pairs[k]) ? 0 : 1);
    if (!is_lone(pairs[k])) continue;
    const auto [large, key] = key_of(pairs[k]);
    if (large) (pairs[k].lhs >= 0 ? alike[key].deleted : alike[key].inserted).push_back(k);
  }
  constexpr size_t kNone = SIZE_MAX;
  std::vector<size_t> partner(pairs.size(), kNone);
  for (const auto& [key, entries] : alike) {
    for (size_t i = 0; i < std::min(entries.deleted.size(), entries.inserted.size()); ++i) {
      partner[entries.deleted[i]] = entries.inserted[i];
      partner[entries.inserted[i]] = entries.deleted[i];
    }
  }
  pairs_.resize(frame.first_pair);
  std::vector<MovedItem> moved;
  size_t run = kNone;
  int64_t last_rhs = -1;  // in this run, of what turned out to have kept its order
  for (size_t k = 0; k < pairs.size(); ++k) {
    if (partner[k] == kNone || partner[k] < k) {
      const size_t other = partner[k];
      if (other == kNone) {
        pairs_.push_back(pairs[k]);
        continue;
      }
      const MovedItem item{pairs_.size(), pairs[k].lhs >= 0 ? pairs[k] : pairs[other],
                           pairs[k].lhs >= 0 ? pairs[other] : pairs[k]};
      pairs_.push_back({item.deleted.lhs, item.inserted.rhs});
      if (std::exchange(run, runs[k]) != runs[k]) last_rhs = -1;
      if (runs[k] == runs[other] && item.inserted.rhs > last_rhs) {
        last_rhs = item.inserted.rhs;
      } else {
        moved.push_back(item);
      }
    }
  }
  frame.count = pairs_.size() - frame.first_pair;
  moved_items_.insert(moved_items_.end(), moved.rbegin(), moved.rend());
}

// Whether the pair that is visited is one of elements that moved.
bool LockStep::VisitMovedItem(const Frame& frame, const TVMFFIAny& lhs, const TVMFFIAny& rhs) {
  const size_t at = frame.first_pair + frame.next - 1;
  if (moved_items_.empty() || moved_items_.back().at != at) return false;
  const MovedItem item = moved_items_.back();
  moved_items_.pop_back();
  if (SameInContext(lhs, rhs) && EqualHere(lhs, rhs, frame.region)) {
    Report(EditKind::kMove, &lhs, &rhs);
    return true;
  }
  pairs_[at] = item.deleted;
  Report(EditKind::kDelete, &lhs, nullptr);
  pairs_[at] = item.inserted;
  Report(EditKind::kInsert, nullptr, &rhs);
  return true;
}

// ---- Objects around others ------------------------------------------------------------------------------------------

// Whether one of the two was put around the other, which then is compared with what is inside.
bool LockStep::VisitWrapped(const TVMFFIAny& lhs, const TVMFFIAny& rhs, DefRegion region) {
  if (PlacesCount()) return false;  // also those on the way in
  if (num_in_keys_ != 0 || wrappers_looked_at_ >= kMaxWrapperValues || !MayBeWrapped(lhs, rhs)) return false;
  for (const bool in_lhs : {false, true}) {
    WayIn way;
    way.in_lhs = in_lhs;
    const TVMFFIAny &outer = in_lhs ? lhs : rhs, &inner = in_lhs ? rhs : lhs;
    DefRegion inner_region = region;
    TVMFFIAny part;
    if (!FindPartAlike(outer, inner, in_lhs, &inner_region, &part, &way.steps)) continue;
    if (graph::StrongCount(lhs.v_obj) > 1 || graph::StrongCount(rhs.v_obj) > 1) {
      const uint32_t l = SetOf(*lhs_known_.Insert(lhs.v_obj).first), r = SetOf(*rhs_known_.Insert(rhs.v_obj).first);
      if (different_.Contains(l, r)) {
        MeetKnownDifference();
        return true;
      }
      NoteDifferent(l, r);
    }
    // Not a loose end: what it is around has its partner.
    std::vector<LooseEnd>* loose = std::exchange(loose_, nullptr);
    const size_t listed = in_lhs ? Report(EditKind::kDelete, &lhs, nullptr) : Report(EditKind::kInsert, nullptr, &rhs);
    loose_ = loose;
    if (listed != LooseEnd::kNotListed) (*sink_)[listed].around = way.steps;
    ways_in_.push_back(std::move(way));
    way_in_ = static_cast<uint32_t>(ways_in_.size() - 1);
    in_lhs ? Visit(part, rhs, inner_region) : Visit(lhs, part, inner_region);
    way_in_ = 0;
    return true;
  }
  return false;
}

bool LockStep::MayBeWrapped(const TVMFFIAny& lhs, const TVMFFIAny& rhs) {
  for (const TVMFFIAny* side : {&lhs, &rhs}) {
    if (Classify(side->type_index) != ValueClass::kObject) return false;
    const graph::TypePlan& plan = plans_.Of(side->v_obj);
    if (plan.kind == StructuralKind::kFreeVar || plan.custom_data) return false;
  }
  if (lhs.v_obj == rhs.v_obj || bindings_.RightOf(lhs.v_obj) != nullptr || bindings_.LeftOf(rhs.v_obj) != nullptr)
    return false;
  return lhs_keys_.KeyOf(lhs) != rhs_keys_.KeyOf(rhs);
}

// Whether `outer` holds something that looks like `inner`, among what is nearest to it. Sets the region there.
bool LockStep::FindPartAlike(const TVMFFIAny& outer, const TVMFFIAny& inner, bool in_lhs, DefRegion* region,
                             TVMFFIAny* part, Path* way) {
  constexpr size_t kMaxValues = 32;
  struct Inside {
    TVMFFIAny value;
    DefRegion region;
    size_t holder;
    Place place;
  };
  if (!IsWorthMoving(inner, plans_, keeper_)) return false;
  const Digest wanted = (in_lhs ? rhs_keys_ : lhs_keys_).KeyOf(inner);
  DigestVisitor& keys = in_lhs ? lhs_keys_ : rhs_keys_;
  std::vector<Inside> inside{{outer, *region, 0, {}}};
  for (size_t i = 0; i < inside.size(); ++i) {
    const Inside at = inside[i];
    ++wrappers_looked_at_;
    if (i != 0 && at.value.type_index == inner.type_index && keys.KeyOf(at.value) == wanted) {
      *region = at.region;
      *part = at.value;
      for (size_t k = i; k != 0; k = inside[k].holder) way->push_back(StepAt(plans_, inside[k].place));
      std::reverse(way->begin(), way->end());
      return true;
    }
    const bool is_object = Classify(at.value.type_index) == ValueClass::kObject;
    const StructuralKind kind = is_object ? plans_.Of(at.value.v_obj).kind : StructuralKind::kNone;
    if (kind == StructuralKind::kFreeVar) continue;
    ForEachPlace(at.value, plans_, keeper_, [&](const TVMFFIAny& child, const Place& place) {
      if (inside.size() >= kMaxValues || place.kind == Place::Kind::kKey) return;
      if (!graph::HasChildren(Classify(child.type_index))) return;
      const DefRegion inner_region =
          place.kind != Place::Kind::kField
              ? at.region
              : graph::FieldRegion(at.region, kind,
                                   plans_.Of(at.value.v_obj).fields[static_cast<size_t>(place.at)].def);
      inside.push_back({child, inner_region, i, place});
    });
  }
  return false;
}

void LockStep::AppendWayIn(uint32_t way_in, Path* lhs, Path* rhs) const {
  const WayIn& way = ways_in_[way_in];
  Path* path = way.in_lhs ? lhs : rhs;
  path->insert(path->end(), way.steps.begin(), way.steps.end());
}

// ---- Loose ends -----------------------------------------------------------------------------------------------------

void LockStep::NoteLooseEnd(EditKind kind, const TVMFFIAny* lhs, const TVMFFIAny* rhs, size_t listed) {
  if (kind != EditKind::kInsert && kind != EditKind::kDelete && kind != EditKind::kReplace) return;
  const auto has_parts = [](const TVMFFIAny* value) {
    return value != nullptr && graph::HasChildren(Classify(value->type_index));
  };
  if (!has_parts(lhs) && !has_parts(rhs)) return;
  LooseEnd end;
  end.kind = kind;
  end.lhs = lhs != nullptr ? *lhs : graph::NoneValue();
  end.rhs = rhs != nullptr ? *rhs : graph::NoneValue();
  if (!frames_.empty()) {
    end.lhs_holder = frames_.back().lhs.v_obj;
    end.rhs_holder = frames_.back().rhs.v_obj;
  }
  end.listed = listed;
  loose_->push_back(end);
}

}  // namespace transom::structural
