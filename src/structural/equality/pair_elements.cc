#include "structural/equality/pair_elements.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "structural/equality/align.h"
#include "structural/equality/likeness.h"
#include "structural/rules/part_size.h"

namespace transom::structural {

using graph::ValueClass;

ElementPairing::ElementPairing(WalkScope& scope, const StructuralOptions& options, const Bindings& bindings,
                               DigestVisitor& lhs_keys, DigestVisitor& rhs_keys)
    : scope_(scope),
      plans_(scope.scope().plans()),
      options_(options),
      bindings_(bindings),
      lhs_keys_(lhs_keys),
      rhs_keys_(rhs_keys),
      near_(!scope.scope().tolerance().exact()) {}

void ElementPairing::Begin(const TVMFFISeqCell& lhs, const TVMFFISeqCell& rhs) {
  lhs_ = graph::ItemsOf(lhs);
  rhs_ = graph::ItemsOf(rhs);
  right_of_.assign(static_cast<size_t>(lhs.size), -1);
  taken_.assign(static_cast<size_t>(rhs.size), 0);
  choices_.clear();
  aligned_.clear();
  lhs_cell_ = &lhs;
  rhs_cell_ = &rhs;
}

std::vector<Pair> ElementPairing::InAnyOrder(const TVMFFISeqCell& lhs, const TVMFFISeqCell& rhs) {
  Begin(lhs, rhs);
  Free all{std::vector<int64_t>(right_of_.size()), std::vector<int64_t>(taken_.size())};
  std::iota(all.lhs.begin(), all.lhs.end(), 0);
  std::iota(all.rhs.begin(), all.rhs.end(), 0);
  PairRest(std::move(all));
  return Result();
}

void ElementPairing::PairRest(Free rest) {
  rest = PairEqual(rest);
  rest = PairLike(rest);
  PairByType(rest);
}

std::vector<Pair> ElementPairing::Result() const {
  const auto lhs_end = static_cast<int64_t>(right_of_.size()), rhs_end = static_cast<int64_t>(taken_.size());
  std::vector<Pair> pairs;
  pairs.reserve(std::max(right_of_.size(), taken_.size()));
  for (int64_t i = 0; i < lhs_end; ++i) {
    const int64_t j = right_of_[static_cast<size_t>(i)];
    pairs.push_back({i, j >= 0 ? j : Absent(rhs_end)});
  }
  for (int64_t j = 0; j < rhs_end; ++j) {
    if (taken_[static_cast<size_t>(j)] == 0) pairs.push_back({Absent(lhs_end), j});
  }
  return pairs;
}

// ---- By content -----------------------------------------------------------------------------------------------------

ElementPairing::Free ElementPairing::PairEqual(const Free& free) {
  std::map<Digest, Free> groups;
  for (const int64_t i : free.lhs) groups[lhs_keys_.KeyOf(lhs_[i], i)].lhs.push_back(i);
  for (const int64_t j : free.rhs) groups[rhs_keys_.KeyOf(rhs_[j], j)].rhs.push_back(j);
  Free rest, alike;  // alike: keys that several elements have; what else is known decides
  for (const auto& [key, group] : groups) {
    if (group.lhs.size() == 1 && group.rhs.size() == 1) {
      Join(group.lhs[0], group.rhs[0]);
      continue;
    }
    Free& to = group.lhs.empty() || group.rhs.empty() ? rest : alike;
    to.lhs.insert(to.lhs.end(), group.lhs.begin(), group.lhs.end());
    to.rhs.insert(to.rhs.end(), group.rhs.begin(), group.rhs.end());
  }
  if (!alike.lhs.empty()) PairEqualInContext(alike, &rest);
  std::sort(rest.lhs.begin(), rest.lhs.end());
  std::sort(rest.rhs.begin(), rest.rhs.end());
  return rest;
}

void ElementPairing::SetContext() {
  if (lhs_context_ != nullptr && num_bound_ == bindings_.pairs().size()) return;
  num_bound_ = bindings_.pairs().size();
  ++num_contexts_;
  const auto make = [this](bool is_lhs) {
    return std::make_unique<DigestVisitor>(
        plans_, options_, [this, is_lhs](const TVMFFIObject* obj) { return bindings_.NumberOf(obj, is_lhs); });
  };
  lhs_context_ = make(true);
  rhs_context_ = make(false);
  lhs_context_->Restrict(&scope_.keys(true), near_);
  rhs_context_->Restrict(&scope_.keys(false), near_);
}

// Each level of what is nested looks at all below it again. So large elements are looked at in so many contexts only;
// after that they keep the keys that they have.
Digest ElementPairing::KeyInContext(const TVMFFIAny& element, int64_t place, bool is_lhs) {
  constexpr size_t kMaxContexts = 256;
  if (num_contexts_ > kMaxContexts && !IsSmall(element, plans_, keeper_))
    return (is_lhs ? lhs_keys_ : rhs_keys_).KeyOf(element, place);
  return (is_lhs ? lhs_context_ : rhs_context_)->KeyOf(element, place);
}

void ElementPairing::PairEqualInContext(const Free& alike, Free* rest) {
  SetContext();
  std::map<Digest, Free> groups;
  for (const int64_t i : alike.lhs) groups[KeyInContext(lhs_[i], i, true)].lhs.push_back(i);
  for (const int64_t j : alike.rhs) groups[KeyInContext(rhs_[j], j, false)].rhs.push_back(j);
  for (auto& [key, group] : groups) PairAlike(std::move(group), rest);
}

// Elements of equal keys, whose bound variables are bound to each other.
void ElementPairing::PairAlike(Free group, Free* rest) {
  const bool choice = !group.lhs.empty() && !group.rhs.empty() && group.lhs.size() + group.rhs.size() > 2;
  const bool may_be_open = choice && graph::HasChildren(graph::Classify(lhs_[group.lhs[0]].type_index)) &&
                           bindings_.NumberOf(lhs_[group.lhs[0]].v_obj, true) < 0;
  if (may_be_open) PrepareColors();
  if (!may_be_open || !colors_->HoldsOpen(lhs_[group.lhs[0]], true)) return PairGroup(std::move(group), rest);
  PairByColors(std::move(group), rest);
}

// Makes colours, and makes them again when what was bound since tells more elements apart: after a choice; and where
// the two sides differ, now and then, since colours that a difference has changed do not matter for what is bound.
void ElementPairing::PrepareColors() {
  constexpr size_t kManyPairs = 16;
  const size_t num_bound = bindings_.pairs().size();
  if (colors_ == nullptr) {
    const auto input = [this](bool is_lhs, DigestVisitor& keys) {
      return FlatSide::Input{scope_.scope(), options_, scope_.keys(is_lhs), keys, scope_.root(is_lhs)};
    };
    colors_ = std::make_unique<ColorRefinement>(input(true, lhs_keys_), input(false, rhs_keys_), bindings_);
  } else if (!chose_ && (colors_->agrees() || num_bound < num_colored_ + std::max(kManyPairs, num_colored_ / 16))) {
    return;
  }
  colors_->Refresh();
  chose_ = false;
  num_colored_ = num_bound;
}

void ElementPairing::PairByColors(Free group, Free* rest) {
  for (int depth = 0; depth < ColorRefinement::kNumDepths; ++depth) {
    std::map<uint64_t, Free> colors;
    for (const int64_t i : group.lhs) colors[colors_->Of(lhs_[i], true, depth)].lhs.push_back(i);
    for (const int64_t j : group.rhs) colors[colors_->Of(rhs_[j], false, depth)].rhs.push_back(j);
    group = {};
    for (auto& [color, same] : colors) {
      Free& left = group;
      const bool is_choice = same.lhs.size() == same.rhs.size() && same.lhs.size() > 1 && !near_;
      if (is_choice) choices_.push_back(same);
      PairGroup(std::move(same), &left);
    }
    if (group.lhs.empty() || group.rhs.empty()) break;
    std::sort(group.lhs.begin(), group.lhs.end());
    std::sort(group.rhs.begin(), group.rhs.end());
    if (depth + 1 == ColorRefinement::kNumDepths) group = PairInOrder(group);
  }
  PairGroup(std::move(group), rest);
}

// What differs inside may still be in order.
ElementPairing::Free ElementPairing::PairInOrder(const Free& group) {
  if (group.lhs.empty() || group.rhs.empty()) return group;
  const std::vector<int64_t>& aligned = Aligned();
  const std::set<int64_t> rhs(group.rhs.begin(), group.rhs.end());
  Free rest;
  for (const int64_t i : group.lhs) {
    const int64_t j = aligned[static_cast<size_t>(i)];
    if (rhs.count(j) != 0) {
      Join(i, j);
    } else {
      rest.lhs.push_back(i);
    }
  }
  for (const int64_t j : group.rhs) {
    if (taken_[static_cast<size_t>(j)] == 0) rest.rhs.push_back(j);
  }
  return rest;
}

// Partners of the elements of the left side if order counted.
const std::vector<int64_t>& ElementPairing::Aligned() {
  if (!aligned_.empty()) return aligned_;
  aligned_.assign(right_of_.size(), -1);
  const AlignContext context{options_, bindings_};
  for (const Pair& pair : AlignSequences(*lhs_cell_, *rhs_cell_, plans_, lhs_keys_, rhs_keys_, nullptr, &context)) {
    if (pair.lhs >= 0 && pair.rhs >= 0) aligned_[static_cast<size_t>(pair.lhs)] = pair.rhs;
  }
  return aligned_;
}

std::unique_ptr<LatePairing> ElementPairing::TakeChoices() {
  if (choices_.empty()) return nullptr;
  const LatePairing::Context context{plans_, options_, bindings_, &scope_.keys(true), &scope_.keys(false), lhs_, rhs_};
  auto late = std::make_unique<LatePairing>(context, choices_);
  choices_.clear();
  return late;
}

// Elements that nothing but floats can tell apart: in their order, or in that of their floats.
void ElementPairing::PairGroup(Free group, Free* rest) {
  size_t i = 0, j = 0;
  if (near_ && !group.lhs.empty() && !group.rhs.empty()) {
    std::map<int64_t, FloatSketch> l, r;
    for (const int64_t at : group.lhs) l[at] = scope_.floats(true).Of(lhs_[at]);
    for (const int64_t at : group.rhs) r[at] = scope_.floats(false).Of(rhs_[at]);
    const auto sort = [](std::vector<int64_t>* places, const std::map<int64_t, FloatSketch>& sketches) {
      std::stable_sort(places->begin(), places->end(),
                       [&](int64_t a, int64_t b) { return sketches.at(a).sum < sketches.at(b).sum; });
    };
    sort(&group.lhs, l);
    sort(&group.rhs, r);
    while (group.lhs.size() != group.rhs.size() && i < group.lhs.size() && j < group.rhs.size()) {
      const FloatSketch &a = l[group.lhs[i]], &b = r[group.rhs[j]];
      if (a.MayBeNear(b)) {
        Join(group.lhs[i++], group.rhs[j++]);
      } else if (a.sum < b.sum) {
        rest->lhs.push_back(group.lhs[i++]);
      } else {
        rest->rhs.push_back(group.rhs[j++]);
      }
    }
  }
  while (i < group.lhs.size() && j < group.rhs.size()) Join(group.lhs[i++], group.rhs[j++]);
  rest->lhs.insert(rest->lhs.end(), group.lhs.begin() + static_cast<ptrdiff_t>(i), group.lhs.end());
  rest->rhs.insert(rest->rhs.end(), group.rhs.begin() + static_cast<ptrdiff_t>(j), group.rhs.end());
}

// ---- By likeness ----------------------------------------------------------------------------------------------------

ElementPairing::Free ElementPairing::PairLike(const Free& free) {
  const auto n = static_cast<int64_t>(free.lhs.size()), m = static_cast<int64_t>(free.rhs.size());
  if (n == 0 || m == 0 || n > kMaxLikenessCells / m) return free;
  Sketches sketches(plans_);
  std::vector<Sketch> lhs, rhs;
  for (const int64_t i : free.lhs) lhs.push_back(sketches.Of(lhs_[i], lhs_keys_, true));
  for (const int64_t j : free.rhs) rhs.push_back(sketches.Of(rhs_[j], rhs_keys_, true));
  // Of equally alike ones, those whose places are closest; so that it does not matter which side is left.
  std::vector<std::tuple<int64_t, int64_t, int64_t, size_t, size_t>> candidates;
  for (size_t i = 0; i < lhs.size(); ++i) {
    for (size_t j = 0; j < rhs.size(); ++j) {
      const int64_t like = Likeness(lhs[i], rhs[j]);
      const int64_t away = std::abs(free.lhs[i] - free.rhs[j]);
      if (like != 0) candidates.emplace_back(-like, away, static_cast<int64_t>(i + j), i, j);
    }
  }
  std::sort(candidates.begin(), candidates.end());
  std::vector<uint8_t> lhs_done(lhs.size(), 0), rhs_done(rhs.size(), 0);
  for (const auto& [like, away, sum, i, j] : candidates) {
    if (lhs_done[i] != 0 || rhs_done[j] != 0) continue;
    lhs_done[i] = rhs_done[j] = 1;
    Join(free.lhs[i], free.rhs[j]);
  }
  Free rest;
  for (size_t i = 0; i < lhs.size(); ++i) {
    if (lhs_done[i] == 0) rest.lhs.push_back(free.lhs[i]);
  }
  for (size_t j = 0; j < rhs.size(); ++j) {
    if (rhs_done[j] == 0) rest.rhs.push_back(free.rhs[j]);
  }
  return rest;
}

void ElementPairing::PairByType(const Free& free) {
  if (free.lhs.empty() || free.rhs.empty()) return;
  Sketches sketches(plans_);
  std::map<uint64_t, Free> types;
  for (const int64_t i : free.lhs) types[sketches.Of(lhs_[i], lhs_keys_, false).type].lhs.push_back(i);
  for (const int64_t j : free.rhs) types[sketches.Of(rhs_[j], rhs_keys_, false).type].rhs.push_back(j);
  for (const auto& [type, group] : types) JoinInOrder(group);
}

// ---- By a field -----------------------------------------------------------------------------------------------------

std::optional<TVMFFIAny> ElementPairing::FieldOf(const TVMFFIAny& element, const std::string& field) {
  switch (graph::Classify(element.type_index)) {
    case ValueClass::kObject: {
      const graph::TypePlan& plan = plans_.Of(element.v_obj);
      const int32_t i = plan.custom_data ? -1 : plan.FindField(field);
      if (i < 0) return std::nullopt;
      return graph::ReadField(element.v_obj, plan.fields[static_cast<size_t>(i)], keeper_);
    }
    case ValueClass::kMap: {
      const MapBaseObj& map = graph::MapOf(element);
      for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos)) {
        const TVMFFIAny& key = *map.KeyAt(pos).raw();
        if (graph::Classify(key.type_index) == ValueClass::kString && graph::TextOf(key) == field)
          return *map.ValueAt(pos).raw();
      }
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

Digest ElementPairing::KeyOfField(const TVMFFIAny& value, DigestVisitor& keys, int64_t place) const {
  const ValueClass cls = graph::Classify(value.type_index);
  const bool plain = cls == ValueClass::kScalar || cls == ValueClass::kString || cls == ValueClass::kBytes;
  return plain ? LeafDigest(value, cls, false) : keys.KeyOf(value, place);
}

std::optional<std::vector<Pair>> ElementPairing::ByField(const TVMFFISeqCell& lhs, const TVMFFISeqCell& rhs,
                                                         const std::string& field) {
  Begin(lhs, rhs);
  std::map<Digest, Free> groups;
  Free without;
  for (int64_t i = 0; i < lhs.size; ++i) {
    const std::optional<TVMFFIAny> key = FieldOf(lhs_[i], field);
    (key ? groups[KeyOfField(*key, lhs_keys_, i)] : without).lhs.push_back(i);
  }
  for (int64_t j = 0; j < rhs.size; ++j) {
    const std::optional<TVMFFIAny> key = FieldOf(rhs_[j], field);
    (key ? groups[KeyOfField(*key, rhs_keys_, j)] : without).rhs.push_back(j);
  }
  if (groups.empty() && lhs.size + rhs.size != 0) return std::nullopt;
  for (const auto& [key, group] : groups) {
    const bool choice = group.lhs.size() + group.rhs.size() > 2 && !group.lhs.empty() && !group.rhs.empty();
    JoinInOrder(choice ? PairEqual(group) : group);
  }
  PairRest(std::move(without));
  return Result();
}

}  // namespace transom::structural
