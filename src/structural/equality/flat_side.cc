#include "structural/equality/flat_side.h"

#include <memory>

#include "structural/rules/bound_variables.h"

namespace transom::structural {

using graph::Classify;
using graph::ValueClass;
using State = PathScope::State;

FlatSide::FlatSide(const Input& input)
    : scope_(input.scope), options_(input.options), side_(input.side), keys_(input.keys) {
  if (Number(input.root) == kNone) return;
  stack_.push_back({input.root, 0, false});
  while (!stack_.empty()) {
    const Visit at = stack_.back();
    stack_.pop_back();
    if (at.leaves) {
      order_.push_back(at.number);
    } else if (!nodes_[at.number].entered) {
      nodes_[at.number].entered = true;
      stack_.push_back({at.value, at.number, true});
      Enter(at);
    }
  }
  SetStarts(input.root);
}

// Objects that describe themselves by a text have no parts to look into.
uint32_t FlatSide::Number(const TVMFFIAny& value) {
  const ValueClass cls = Classify(value.type_index);
  if (!graph::HasChildren(cls)) return kNone;
  if (const uint32_t* known = numbers_.Find(value.v_obj)) return *known;
  Node node;
  node.object = value.v_obj;
  node.container = cls != ValueClass::kObject;
  node.seed = static_cast<uint64_t>(value.type_index);
  if (!node.container) {
    const graph::TypePlan& plan = scope_.plans().Of(value.v_obj);
    if (plan.custom_data) return kNone;
    node.seed = plan.seed;
    node.identity = HasIdentity(plan.kind);
  }
  const auto number = static_cast<uint32_t>(nodes_.size());
  *numbers_.Insert(value.v_obj).first = number;
  nodes_.push_back(node);
  return number;
}

void FlatSide::Enter(const Visit& at) {
  nodes_[at.number].first_edge = static_cast<uint32_t>(edges_.size());
  const State state = side_.StateOf(at.value);
  const ValueClass cls = Classify(at.value.type_index);
  if (cls == ValueClass::kMap) {
    EnterMap(at, state);
  } else {
    const bool ordered = cls == ValueClass::kSequence && !scope_.paths().Unordered(state);
    uint64_t place = 0;
    ForEachChildInScope(at.value, state, scope_.paths(), scope_.plans(), keeper_,
                        [&](const TVMFFIAny& part, State, const graph::FieldPlan* field, bool) {
                          place += ordered ? 1 : 0;
                          const bool absent = field != nullptr && field->has_default &&
                                              keys_.KeyOf(part) == keys_.KeyOf(*field->default_value.raw());
                          if (!absent) AddPart(part, field != nullptr ? field->tag : place, at.number);
                        });
  }
  nodes_[at.number].num_edges = static_cast<uint32_t>(edges_.size()) - nodes_[at.number].first_edge;
}

// The key of an entry tells where its value stands, and the other way round.
void FlatSide::EnterMap(const Visit& at, State state) {
  constexpr uint64_t kKey = 1, kValue = 2;
  TVMFFIAny key = graph::NoneValue();
  ForEachChildInScope(at.value, state, scope_.paths(), scope_.plans(), keeper_,
                      [&](const TVMFFIAny& part, State, const graph::FieldPlan*, bool is_key) {
                        if (is_key) {
                          key = part;
                          return;
                        }
                        const uint32_t k = Number(key), v = Number(part);
                        if (k == kNone) return AddPart(part, MixTwo(kValue, keys_.KeyOf(key).low), at.number);
                        if (v == kNone) return AddPart(key, MixTwo(kKey, keys_.KeyOf(part).low), at.number);
                        AddEdge(key, k, v, kKey);
                        AddEdge(part, v, k, kValue);
                      });
}

void FlatSide::AddPart(const TVMFFIAny& part, uint64_t slot, uint32_t holder) {
  const uint32_t number = Number(part);
  if (number != kNone) return AddEdge(part, number, kNone, slot);
  nodes_[holder].leaves += MixTwo(slot, keys_.KeyOf(part).low);
}

void FlatSide::AddEdge(const TVMFFIAny& child, uint32_t number, uint32_t beside, uint64_t slot) {
  edges_.push_back({number, beside, slot});
  if (!nodes_[number].entered) stack_.push_back({child, number, false});
}

// A variable that nothing binds equals itself only, but in files; a unique instance likewise.
void FlatSide::SetStarts(const TVMFFIAny& root) {
  constexpr uint64_t kShared = 1, kItself = 2, kFree = 3, kBound = 4;
  std::unique_ptr<BoundVariables> bound;
  for (Node& node : nodes_) {
    if (!node.identity) continue;
    node.start = kShared;
    const StructuralKind kind = scope_.plans().Of(node.object).kind;
    bool itself = kind == StructuralKind::kUnique;
    if (kind == StructuralKind::kFreeVar) {
      if (bound == nullptr) bound = std::make_unique<BoundVariables>(scope_.plans(), root, options_, scope_.paths());
      const bool is_free = !bound->Contains(node.object);
      node.start = is_free ? kFree : kBound;
      itself = is_free && !options_.map_free_vars;
    }
    if (itself && !options_.as_files) node.start = MixTwo(kItself, reinterpret_cast<uintptr_t>(node.object));
  }
}

}  // namespace transom::structural
