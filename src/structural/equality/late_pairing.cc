#include "structural/equality/late_pairing.h"

#include "structural/rules/comparable.h"
#include "structural/rules/part_size.h"

namespace transom::structural {

LatePairing::LatePairing(const Context& context, const std::vector<AlikeElements>& groups)
    : context_(context), groups_(groups.size()), num_bound_(context.bindings.pairs().size()) {
  for (size_t g = 0; g < groups.size(); ++g) {
    for (const int64_t i : groups[g].lhs) group_of_[i] = g;
    for (const int64_t j : groups[g].rhs) {
      elements_[j].group = g;
      Index(j);
      Put(j);
    }
  }
}

int64_t LatePairing::RightOf(int64_t lhs) {
  chose_ = false;
  const auto found = group_of_.find(lhs);
  if (found == group_of_.end()) return -1;
  FollowBindings();
  Group& group = groups_[found->second];
  const auto same = group.by_key.find(KeyNow(context_.lhs[lhs], true));
  const std::set<int64_t>& candidates = same != group.by_key.end() ? same->second : group.free;
  const int64_t rhs = *candidates.begin();
  chose_ = candidates.size() > 1;
  Take(rhs);
  return rhs;
}

// Large elements have no key, and so are all the same.
Digest LatePairing::KeyNow(const TVMFFIAny& element, bool is_lhs) {
  if (!IsSmall(element, context_.plans, keeper_)) return {};
  DigestVisitor keys(context_.plans, context_.options,
                     [this, is_lhs](const TVMFFIObject* object) { return context_.bindings.NumberOf(object, is_lhs); });
  keys.Restrict(is_lhs ? context_.lhs_scope : context_.rhs_scope, false);
  return keys.KeyOf(element);
}

void LatePairing::Index(int64_t rhs) {
  const TVMFFIAny& element = context_.rhs[rhs];
  if (!IsSmall(element, context_.plans, keeper_)) return;
  std::vector<TVMFFIAny> values{element};
  for (size_t i = 0; i < values.size(); ++i) {
    const TVMFFIAny holder = values[i];
    if (!graph::HasChildren(graph::Classify(holder.type_index))) continue;
    if (graph::Classify(holder.type_index) == graph::ValueClass::kObject &&
        HasIdentity(context_.plans.Of(holder.v_obj).kind) && context_.bindings.NumberOf(holder.v_obj, false) < 0) {
      holders_.Insert(holder.v_obj).first->push_back(rhs);
    }
    ForEachCountedChild(holder, context_.plans, keeper_,
                        [&](const TVMFFIAny& child, const graph::FieldPlan*) { values.push_back(child); });
  }
}

void LatePairing::Put(int64_t rhs) {
  Element& element = elements_.at(rhs);
  element.key = KeyNow(context_.rhs[rhs], false);
  element.free = true;
  groups_[element.group].by_key[element.key].insert(rhs);
  groups_[element.group].free.insert(rhs);
}

void LatePairing::Take(int64_t rhs) {
  Element& element = elements_.at(rhs);
  Group& group = groups_[element.group];
  const auto same = group.by_key.find(element.key);
  same->second.erase(rhs);
  if (same->second.empty()) group.by_key.erase(same);
  group.free.erase(rhs);
  element.free = false;
}

void LatePairing::FollowBindings() {
  const auto& pairs = context_.bindings.pairs();
  for (; num_bound_ < pairs.size(); ++num_bound_) {
    const std::vector<int64_t>* holders = holders_.Find(pairs[num_bound_].second);
    if (holders == nullptr) continue;
    for (const int64_t rhs : *holders) {
      if (!elements_.at(rhs).free) continue;
      Take(rhs);
      Put(rhs);
    }
  }
}

}  // namespace transom::structural
