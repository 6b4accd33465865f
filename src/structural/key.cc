#include <transom/structural/equal.h>
#include <transom/structural/hash.h>
#include <transom/structural/key.h>
#include <xxhash.h>

#include <utility>
#include <vector>

#include "graph/pointer_map.h"
#include "structural/bound_variables.h"
#include "structural/comparable.h"
#include "structural/digest_visitor.h"

namespace transom {
namespace {

using graph::StructuralKind;
using graph::ValueClass;

// Objects of the value that equal themselves only, as one number; equal values have the same ones, in whatever order
// their maps are.
uint64_t IdentityHash(const TVMFFIAny& root) {
  graph::PlanTable plans;
  graph::Keeper keeper;
  graph::PointerMap<uint8_t> seen;
  std::vector<const TVMFFIObject*> variables, unique;
  std::vector<TVMFFIAny> stack{root};
  while (!stack.empty()) {
    const TVMFFIAny value = stack.back();
    stack.pop_back();
    const ValueClass cls = graph::Classify(value.type_index);
    if (!graph::HasChildren(cls) || !seen.Insert(value.v_obj).second) continue;
    if (cls == ValueClass::kObject) {
      const graph::TypePlan& plan = plans.Of(value.v_obj);
      if (plan.custom_data) continue;  // compares by its data
      if (plan.kind == StructuralKind::kFreeVar) variables.push_back(value.v_obj);
      if (plan.kind == StructuralKind::kUnique) unique.push_back(value.v_obj);
    }
    structural::ForEachCountedChild(value, plans, keeper,
                                    [&](const TVMFFIAny& child, const graph::FieldPlan*) { stack.push_back(child); });
  }
  uint64_t sum = 0;
  const auto add = [&](const TVMFFIObject* object) { sum += XXH3_64bits(&object, sizeof(object)); };
  for (const TVMFFIObject* object : unique) add(object);
  if (variables.empty()) return sum;
  const structural::BoundVariables bound(plans, root, StructuralOptions());
  for (const TVMFFIObject* variable : variables) {
    if (!bound.Contains(variable)) add(variable);
  }
  return sum;
}

}  // namespace

StructuralKey::StructuralKey(Any value)
    : value_(std::move(value)),
      hash_((StructuralHash::Hash(value_) + IdentityHash(*value_.raw())) & structural::DigestVisitor::key_mask) {}

bool operator==(const StructuralKey& lhs, const StructuralKey& rhs) {
  if (lhs.hash_ != rhs.hash_) return false;
  return lhs.value_.same_as(rhs.value_) || StructuralEqual::Equal(lhs.value_, rhs.value_);
}

}  // namespace transom
