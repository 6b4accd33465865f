#include <transom/structural/equal.h>
#include <transom/structural/hash.h>
#include <transom/structural/key.h>
#include <xxhash.h>

#include <string_view>
#include <utility>
#include <vector>

#include "graph/fold.h"
#include "structural/hash/digest_visitor.h"
#include "structural/rules/bound_variables.h"
#include "structural/rules/comparable.h"
#include "structural/rules/hook_parts.h"

namespace transom {
namespace {

using graph::StructuralKind;
using graph::ValueClass;

// Finds the objects of a value that may equal themselves only.
class OwnIdentities {
 public:
  struct Result {};
  static constexpr bool kKeysFirst = false;

  explicit OwnIdentities(graph::PlanTable& plans) : fold_(plans, *this) {}
  void Run(const TVMFFIAny& root) { fold_.Run(root); }
  const std::vector<const TVMFFIObject*>& variables() const { return variables_; }
  const std::vector<const TVMFFIObject*>& unique() const { return unique_; }

  // For the walk.
  Result Leaf(const TVMFFIAny&, ValueClass) { return {}; }
  Result Custom(const TVMFFIAny&, const graph::TypePlan&, std::string_view) { return {}; }
  void Enter(graph::FoldFrame& frame) {
    if (structural::ComparesByHook(*frame.plan)) {
      const auto parts = structural::HookPartsOf(*frame.plan, frame.value);
      return fold_.VisitParts(frame, parts.value_or(std::vector<structural::HookPart>()));
    }
    frame.Visit(structural::CountedFields(*frame.plan, frame.value.v_obj, fold_.keeper()));
  }
  Result Leave(graph::FoldFrame& frame, Result*) {
    if (frame.plan == nullptr) return {};
    if (frame.plan->kind == StructuralKind::kFreeVar) variables_.push_back(frame.value.v_obj);
    if (frame.plan->kind == StructuralKind::kUnique) unique_.push_back(frame.value.v_obj);
    return {};
  }

 private:
  std::vector<const TVMFFIObject*> variables_, unique_;
  graph::Fold<OwnIdentities> fold_;
};

// Objects of the value that equal themselves only, as one number; equal values have the same ones, in whatever order
// their maps are.
uint64_t IdentityHash(const TVMFFIAny& root) {
  graph::PlanTable plans;
  OwnIdentities found(plans);
  found.Run(root);
  uint64_t sum = 0;
  const auto add = [&](const TVMFFIObject* object) { sum += XXH3_64bits(&object, sizeof(object)); };
  for (const TVMFFIObject* object : found.unique()) add(object);
  if (found.variables().empty()) return sum;
  const structural::BoundVariables bound(plans, root, StructuralOptions(), structural::Hooks::kRun);
  for (const TVMFFIObject* variable : found.variables()) {
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
