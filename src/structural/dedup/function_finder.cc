#include "structural/dedup/function_finder.h"

#include <xxhash.h>

namespace transom::structural {
namespace {

using graph::DefRegion;
using graph::FoldFrame;
using graph::ValueClass;

// Counts the references to every object.
class ReferenceCounter {
 public:
  using Result = const TVMFFIObject*;
  static constexpr bool kKeysFirst = false;
  explicit ReferenceCounter(graph::PointerMap<int64_t>* references) : references_(references) {}

  Result Leaf(const TVMFFIAny&, ValueClass) { return nullptr; }
  Result Custom(const TVMFFIAny&, const graph::TypePlan&, std::string_view) { return nullptr; }
  void Enter(FoldFrame& frame) { frame.Visit(frame.plan->all); }
  Result Leave(FoldFrame& frame, const Result* children) {
    for (uint64_t i = 0; i < frame.count; ++i) {
      if (children[i] != nullptr) ++*references_->Insert(children[i]).first;
    }
    return frame.value.v_obj;
  }

 private:
  graph::PointerMap<int64_t>* references_;
};

}  // namespace

FunctionFinder::FunctionFinder(graph::PlanTable& plans, const DeduplicateOptions& options, const PartMerger& parts,
                               uint64_t hash_mask)
    : plans_(plans),
      merge_ignored_(options.merge_ignored),
      compare_(ComparisonOf(options)),
      parts_(parts),
      hash_mask_(hash_mask),
      text_(plans, orders_, *this, options.merge_ignored),
      fold_(plans, *this) {}

void FunctionFinder::Run(const TVMFFIAny& root) {
  ReferenceCounter counter(&references_);
  graph::Fold<ReferenceCounter>(plans_, counter).Run(root);
  fold_.Run(root);
}

uint32_t FunctionFinder::ClassOf(const TVMFFIObject* object) const {
  const uint32_t* found = class_of_.Find(object);
  return found != nullptr ? *found : kNoClass;
}

bool FunctionFinder::IsOpen(const TVMFFIObject* object) const {
  const uint8_t* open = open_.Find(object);
  return open != nullptr && *open != 0;
}

const TVMFFIObject* FunctionFinder::StandIn(const TVMFFIObject* closed) const {
  if (const auto* found = stand_ins_.Find(closed)) return *found;
  const TVMFFIObject* part = parts_.FixedPart(closed);
  return part != nullptr ? part : closed;
}

// Custom data is compared by its text, whatever the kind.
FunctionFinder::Result FunctionFinder::Custom(const TVMFFIAny& value, const graph::TypePlan& plan,
                                              std::string_view json) {
  const TVMFFIObject* first =
      customs_.try_emplace(std::string(plan.key) + '\0' + std::string(json), value.v_obj).first->second;
  if (first != value.v_obj) *stand_ins_.Insert(value.v_obj).first = first;
  return {0, IsMergeable(plan, compare_), false};
}

void FunctionFinder::Enter(FoldFrame& frame) {
  frame.Visit(orders_.Of(*frame.plan, frame.value.v_obj, fold_.keeper()).fields);
}

FunctionFinder::Result FunctionFinder::Leave(FoldFrame& frame, const Result* children) {
  if (frame.cls == ValueClass::kMap) KeepKeys(graph::MapOf(frame.value));
  Result parts = Gather(frame, children);
  const StructuralKind kind = frame.plan != nullptr ? frame.plan->kind : StructuralKind::kTree;
  const bool variable = kind == StructuralKind::kFreeVar;
  if (CannotMerge(frame) || (kind == StructuralKind::kUnique && parts.scope != 0))
    parts.scope = Join(parts.scope, kNeverClosed);
  parts.has_variable |= variable;
  if (variable || (kind == StructuralKind::kDag && !parts.has_variable)) return Open(frame, parts);
  if (parts.scope != 0) {
    const bool ends =
        parts.scope != kNeverClosed && scopes_[parts.scope].to_come == 0 && frame.region == DefRegion::kNone;
    if (!ends) return Open(frame, parts);
  }
  parts.flat = IsFlat(frame, parts);
  parts.scope = 0;
  if (!parts.flat && kind != StructuralKind::kUnique) Close(frame, parts.has_variable);
  return parts;
}

// Functions that are keys stay apart from equal ones, as a map tells its keys apart.
void FunctionFinder::KeepKeys(const MapBaseObj& map) {
  for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos)) {
    const TVMFFIAny& key = *map.KeyAt(pos).raw();
    uint32_t* set = graph::IsObject(key) ? class_of_.Find(key.v_obj) : nullptr;
    if (set != nullptr) *set = kNoClass;
  }
}

// What the children say together; references to open ones have now been met.
FunctionFinder::Result FunctionFinder::Gather(const FoldFrame& frame, const Result* children) {
  Result all;
  uint64_t num_counted = frame.count;
  if (frame.plan != nullptr && merge_ignored_) {
    num_counted = orders_.Of(*frame.plan, frame.value.v_obj, fold_.keeper()).num_counted;
  }
  for (uint64_t i = 0; i < frame.count; ++i) {
    const Result& child = children[i];
    all.has_variable |= child.has_variable;
    if (i < num_counted) all.flat &= child.flat;
    if (child.scope == 0) continue;
    const uint32_t scope = Root(child.scope);
    --scopes_[scope].to_come;
    all.scope = Join(all.scope, scope);
  }
  return all;
}

// Mutable containers, types that compare by code of their own or not at all, and variables that nothing binds before
// they are used.
bool FunctionFinder::CannotMerge(const FoldFrame& frame) const {
  if (frame.plan == nullptr) return frame.value.type_index == kTVMFFIList || frame.value.type_index == kTVMFFIDict;
  if (ComparesByHook(*frame.plan)) return true;
  const StructuralKind kind = EffectiveKind(*frame.plan, compare_);
  return kind == StructuralKind::kNone || (kind == StructuralKind::kFreeVar && frame.region == DefRegion::kNone);
}

bool FunctionFinder::IsFlat(const FoldFrame& frame, const Result& parts) const {
  return parts.flat && parts.scope == 0 && (frame.plan == nullptr || IsMergeable(*frame.plan, compare_));
}

FunctionFinder::Result FunctionFinder::Open(const FoldFrame& frame, Result parts) {
  if (parts.scope == 0) {
    parts.scope = static_cast<uint32_t>(scopes_.size());
    scopes_.push_back({parts.scope, 0});
  }
  const int64_t* references = references_.Find(frame.value.v_obj);
  scopes_[parts.scope].to_come += references != nullptr ? *references : 0;
  *open_.Insert(frame.value.v_obj).first = 1;
  return {parts.scope, false, parts.has_variable};
}

void FunctionFinder::Close(const FoldFrame& frame, bool has_variable) {
  const TVMFFIObject* object = frame.value.v_obj;
  *open_.Insert(object).first = 1;
  std::vector<uint64_t> words = text_.Write(frame.value);
  *open_.Insert(object).first = 0;
  const uint64_t hash = XXH3_64bits(words.data(), words.size() * sizeof(uint64_t)) & hash_mask_;
  uint32_t number = kNoClass;
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto it = begin; it != end && number == kNoClass; ++it) {
    if (classes_[it->second].words == words) number = it->second;
  }
  if (number == kNoClass) {
    number = static_cast<uint32_t>(classes_.size());
    classes_.push_back({std::move(words), object});
    by_hash_.emplace(hash, number);
  }
  *stand_ins_.Insert(object).first = classes_[number].first;
  if (has_variable) *class_of_.Insert(object).first = number;
}

uint32_t FunctionFinder::Root(uint32_t scope) {
  while (scopes_[scope].parent != scope) {
    scopes_[scope].parent = scopes_[scopes_[scope].parent].parent;
    scope = scopes_[scope].parent;
  }
  return scope;
}

// Both are roots or 0. What is joined with the scope that never closes never closes.
uint32_t FunctionFinder::Join(uint32_t a, uint32_t b) {
  if (a == 0 || b == 0 || a == b) return a | b;
  if (b == kNeverClosed) std::swap(a, b);
  scopes_[b].parent = a;
  scopes_[a].to_come += scopes_[b].to_come;
  return a;
}

}  // namespace transom::structural
