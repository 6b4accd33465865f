#include "structural/equality/pairing.h"

#include <transom/runtime/any_hash.h>

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>

#include "graph/fold.h"
#include "structural/rules/comparable.h"
#include "structural/rules/nan_keys.h"

namespace transom::structural {
namespace {

using graph::TypePlan;
using graph::ValueClass;

// Keys by the equality of maps: values by content, objects by address.
using KeyIndex = std::unordered_map<Any, int64_t, AnyHash, AnyEqual>;

bool Counts(const std::vector<uint16_t>& counted, int32_t field) {
  return std::find(counted.begin(), counted.end(), static_cast<uint16_t>(field)) != counted.end();
}

// The entries whose keys are NaN, in the order of the keys' bits.
std::vector<size_t> NansOf(const std::vector<MapEntry>& entries) {
  std::vector<size_t> nans;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (IsNan(entries[i].key)) nans.push_back(i);
  }
  std::sort(nans.begin(), nans.end(),
            [&](size_t a, size_t b) { return entries[a].key.v_uint64 < entries[b].key.v_uint64; });
  return nans;
}

}  // namespace

std::vector<Pair> PairFields(const TypePlan& lhs, const std::vector<uint16_t>& lhs_counted, const TypePlan& rhs,
                             const std::vector<uint16_t>& rhs_counted) {
  std::vector<Pair> pairs;
  for (const uint16_t i : lhs_counted) {
    const int32_t j = rhs.FindField(lhs.fields[i].name);
    pairs.push_back({i, j >= 0 && Counts(rhs_counted, j) ? j : -1});
  }
  for (const uint16_t j : rhs_counted) {
    const int32_t i = lhs.FindField(rhs.fields[j].name);
    if (i < 0 || !Counts(lhs_counted, i)) pairs.push_back({-1, j});
  }
  return pairs;
}

std::vector<MapEntry> EntriesOf(const MapBaseObj& map) {
  std::vector<MapEntry> entries;
  entries.reserve(map.size());
  for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos)) {
    entries.push_back({*map.KeyAt(pos).raw(), *map.ValueAt(pos).raw()});
  }
  return entries;
}

bool MapPairing::MayPairByContent(const TVMFFIAny& key) {
  if (graph::Classify(key.type_index) != ValueClass::kObject) return true;  // arrays, shapes and the like
  const TypePlan& plan = plans_.Of(key.v_obj);
  if (plan.custom_data || options_.as_files) return true;
  return PairsByFields(plan) || plan.kind == StructuralKind::kTree || plan.kind == StructuralKind::kConstTree;
}

std::vector<Pair> MapPairing::Run(const std::vector<MapEntry>& lhs, const std::vector<MapEntry>& rhs) {
  KeyIndex index;
  index.reserve(rhs.size());
  for (size_t j = 0; j < rhs.size(); ++j) index.emplace(Any(AnyView::FromRaw(rhs[j].key)), static_cast<int64_t>(j));

  right_of_.assign(lhs.size(), -1);
  taken_.assign(rhs.size(), 0);
  bool open_keys = false, has_nans = false;
  for (size_t i = 0; i < lhs.size(); ++i) {
    TVMFFIAny wanted = lhs[i].key;
    if (IsNan(wanted)) {
      has_nans = true;
      continue;
    }
    const bool is_object = graph::IsObject(wanted);
    const TVMFFIObject* partner = is_object ? bindings_.RightOf(wanted.v_obj) : nullptr;
    if (partner != nullptr) wanted = graph::ObjectValue(const_cast<TVMFFIObject*>(partner));
    const auto found = index.find(Any(AnyView::FromRaw(wanted)));
    if (found != index.end() && taken_[static_cast<size_t>(found->second)] == 0) {
      Join(i, static_cast<size_t>(found->second));
    } else if (is_object && partner == nullptr) {
      open_keys = true;
    }
  }
  if (has_nans) PairNans(lhs, rhs);
  if (open_keys) PairByContent(lhs, rhs);

  std::vector<Pair> pairs;
  pairs.reserve(std::max(lhs.size(), rhs.size()));
  for (size_t i = 0; i < lhs.size(); ++i) pairs.push_back({static_cast<int64_t>(i), right_of_[i]});
  for (size_t j = 0; j < rhs.size(); ++j) {
    if (taken_[j] == 0) pairs.push_back({-1, static_cast<int64_t>(j)});
  }
  return pairs;
}

std::vector<Pair> MapPairing::RunByContent(const std::vector<MapEntry>& lhs, const std::vector<MapEntry>& rhs) {
  std::vector<std::pair<Digest, Pair>> keyed;
  for (const Pair& pair : Run(lhs, rhs)) {
    const Digest key = pair.lhs >= 0 ? lhs_keys_.KeyOf(lhs[static_cast<size_t>(pair.lhs)].key)
                                     : rhs_keys_.KeyOf(rhs[static_cast<size_t>(pair.rhs)].key);
    keyed.emplace_back(key, pair);
  }
  std::stable_sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Pair> pairs;
  pairs.reserve(keyed.size());
  for (const auto& [key, pair] : keyed) pairs.push_back(pair);
  return pairs;
}

void MapPairing::PairNans(const std::vector<MapEntry>& lhs, const std::vector<MapEntry>& rhs) {
  const std::vector<size_t> left = NansOf(lhs), right = NansOf(rhs);
  for (size_t i = 0; i < left.size() && left.size() == right.size(); ++i) Join(left[i], right[i]);
}

void MapPairing::PairByContent(const std::vector<MapEntry>& lhs, const std::vector<MapEntry>& rhs) {
  struct Group {
    std::vector<size_t> left, right;  // in iteration order
  };
  std::map<Digest, Group> groups;
  for (size_t i = 0; i < lhs.size(); ++i) {
    const TVMFFIAny& key = lhs[i].key;
    if (right_of_[i] >= 0 || !graph::IsObject(key) || bindings_.RightOf(key.v_obj) != nullptr || !MayPairByContent(key)) continue;
    groups[lhs_keys_.KeyOf(key, static_cast<int64_t>(i))].left.push_back(i);
  }
  for (size_t j = 0; j < rhs.size(); ++j) {
    const TVMFFIAny& key = rhs[j].key;
    if (taken_[j] != 0 || !graph::IsObject(key) || bindings_.LeftOf(key.v_obj) != nullptr || !MayPairByContent(key)) continue;
    groups[rhs_keys_.KeyOf(key, static_cast<int64_t>(j))].right.push_back(j);
  }
  for (const auto& [key, group] : groups) {
    if (group.left.empty() || group.right.empty()) continue;
    if (group.left.size() == 1 && group.right.size() == 1) {
      Join(group.left[0], group.right[0]);
    } else {
      used_context_ = true;
      if (alike_) PairAlike(lhs, rhs, group.left, group.right);
    }
  }
}

// Keys that are alike but for their variables: what is bound already tells them apart.
void MapPairing::PairAlike(const std::vector<MapEntry>& lhs, const std::vector<MapEntry>& rhs,
                           const std::vector<size_t>& left, const std::vector<size_t>& right) {
  DigestVisitor lhs_context(
      plans_, options_, [this](const TVMFFIObject* obj) { return bindings_.NumberOf(obj, true); }, lhs_keys_.hooks());
  DigestVisitor rhs_context(
      plans_, options_, [this](const TVMFFIObject* obj) { return bindings_.NumberOf(obj, false); }, rhs_keys_.hooks());
  const auto key_of = [&](const TVMFFIAny& key, DigestVisitor& context) {
    return on_trial_ ? Digest() : context.KeyOf(key);
  };
  std::map<Digest, std::deque<size_t>> open;
  for (const size_t j : right) open[key_of(rhs[j].key, rhs_context)].push_back(j);
  for (const size_t i : left) {
    std::deque<size_t>& same = open[key_of(lhs[i].key, lhs_context)];
    const auto found = std::find_if(same.begin(), same.end(), [&](size_t j) { return alike_(lhs[i].key, rhs[j].key); });
    if (found == same.end()) continue;
    Join(i, *found);
    same.erase(found);
  }
}

}  // namespace transom::structural
