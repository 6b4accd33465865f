#include "structural/equality/context_check.h"

#include <utility>
#include <vector>

#include "graph/pointer_map.h"
#include "structural/rules/comparable.h"
#include "structural/rules/nan_keys.h"

namespace transom::structural {
namespace {

using graph::Classify;
using graph::ValueClass;

using ValuePair = std::pair<TVMFFIAny, TVMFFIAny>;

// The children of two values that look alike, pair by pair. Entries of maps pair by plain keys; others are left out.
std::vector<ValuePair> ChildrenOf(const ValuePair& values, graph::PlanTable& plans, graph::Keeper& keeper) {
  const auto& [lhs, rhs] = values;
  std::vector<ValuePair> pairs;
  if (Classify(lhs.type_index) == ValueClass::kMap) {
    const MapBaseObj& map = graph::MapOf(lhs);
    for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos)) {
      const TVMFFIAny& key = *map.KeyAt(pos).raw();
      const Any* value =
          graph::HasChildren(Classify(key.type_index)) ? nullptr : FindEntry(graph::MapOf(rhs), key);
      if (value != nullptr) pairs.emplace_back(*map.ValueAt(pos).raw(), *value->raw());
    }
    return pairs;
  }
  ForEachCountedChild(lhs, plans, keeper,
                      [&](const TVMFFIAny& child, const graph::FieldPlan*) { pairs.emplace_back(child, child); });
  size_t n = 0;
  ForEachCountedChild(rhs, plans, keeper, [&](const TVMFFIAny& child, const graph::FieldPlan*) {
    if (n < pairs.size()) pairs[n].second = child;
    ++n;
  });
  if (n != pairs.size()) pairs.clear();  // two versions of a type
  return pairs;
}

}  // namespace

bool ContextCheck::Agrees(const TVMFFIAny& lhs, const TVMFFIAny& rhs, const Meet& meet) {
  graph::PointerMap<const TVMFFIObject*> right_of, left_of;
  std::vector<ValuePair> stack{{lhs, rhs}};
  while (!stack.empty() && values_left_ != 0) {
    --values_left_;
    const ValuePair pair = stack.back();
    const auto& [l, r] = pair;
    stack.pop_back();
    const ValueClass cls = Classify(l.type_index);
    if (cls != Classify(r.type_index)) return false;
    if (!graph::HasChildren(cls)) continue;
    const bool one_to_one = cls == ValueClass::kObject && HasIdentity(plans_.Of(l.v_obj).kind);
    if (one_to_one) {
      const Met met = meet(l.v_obj, r.v_obj);
      if (met == Met::kOther) return false;
      if (met == Met::kSame) continue;
    }
    if (one_to_one || graph::StrongCount(l.v_obj) > 1) {
      auto [right, is_new] = right_of.Insert(l.v_obj);
      if (is_new) *right = r.v_obj;
      if (one_to_one && *right != r.v_obj) return false;
      if (!is_new) continue;
    }
    if (one_to_one) {
      auto [left, is_new] = left_of.Insert(r.v_obj);
      if (!is_new) return false;
      *left = l.v_obj;
    }
    for (const ValuePair& child : ChildrenOf(pair, plans_, keeper_)) stack.push_back(child);
  }
  return true;
}

}  // namespace transom::structural
