#include "structural/dedup/deduplicate_parts.h"

#include <xxhash.h>

#include <algorithm>

#include "graph/children.h"

namespace transom::structural {

using graph::Classify;
using graph::FoldFrame;
using graph::IsObject;
using graph::TypePlan;
using graph::ValueClass;

StructuralOptions ComparisonOf(const DeduplicateOptions& options) {
  StructuralOptions compare;
  compare.skip_tensor_content = options.skip_tensor_content;
  compare.as_files = options.as_files;
  compare.rules = options.rules;
  return compare;
}

PartMerger::PartMerger(graph::PlanTable& plans, const DeduplicateOptions& options, uint64_t hash_mask)
    : plans_(plans),
      merge_ignored_(options.merge_ignored),
      compare_(ComparisonOf(options)),
      table_(hash_mask),
      fold_(plans, *this) {}

void PartMerger::Fix(const TVMFFIAny& object) {
  fixing_ = true;
  fold_.Run(object);
  fixing_ = false;
}

Any PartMerger::Run(const TVMFFIAny& root) { return Any(AnyView::FromRaw(fold_.Run(root).value)); }

bool PartMerger::RunUnfixed(const TVMFFIAny& root, Any* result) {
  unfixed_ = true;
  try {
    *result = Run(root);
    return true;
  } catch (const SomethingIsFixed&) {
    return false;
  } catch (const Error&) {
    return false;  // what is fixed need not be made again
  }
}

const TVMFFIObject* PartMerger::FixedPart(const TVMFFIObject* object) const {
  const Fixed* fixed = FindFixed(object);
  return fixed != nullptr ? fixed->part : nullptr;
}

// ---- Leaves --------------------------------------------------------------------------------------------------------

PartMerger::Result PartMerger::Leaf(const TVMFFIAny& value, ValueClass cls) {
  if (!IsLeafPart(value, cls)) return {value, nullptr, true, false};
  auto [part, is_new] = leaf_parts_.Insert(value.v_obj);
  if (is_new) *part = LeafPart(value, cls);
  return Place(value, part->v_obj, *part, true);
}

TVMFFIAny PartMerger::LeafPart(const TVMFFIAny& leaf, ValueClass cls) {
  const bool skip_content = compare_.skip_tensor_content;
  if (!IsReadable(leaf, cls, skip_content)) return leaf;
  const uint64_t hash = ValueHash(leaf, cls, skip_content);
  const Entry* found =
      table_.Find(hash, [&](const Entry& entry) { return SameLeafPart(leaf, cls, entry.value, skip_content); });
  if (found != nullptr) return found->value;
  table_.Add(hash, {leaf});
  return leaf;
}

PartMerger::Result PartMerger::Custom(const TVMFFIAny& value, const TypePlan& plan, std::string_view json) {
  if (!IsMergeable(plan, compare_)) return Place(value, nullptr, value, false);
  const uint64_t hash = XXH3_64bits_withSeed(json.data(), json.size(), plan.seed);
  const Entry* found = table_.Find(hash, [&](const Entry& entry) {
    return Interchangeable(plan, entry.plan) &&
           graph::CustomDataOf(entry.value.v_obj, *entry.plan, fold_.keeper()) == json;
  });
  const TVMFFIAny part = found != nullptr ? found->value : value;
  if (found == nullptr) table_.Add(hash, {value, &plan});
  return Place(value, part.v_obj, part, true);
}

// A value that is fixed stays in its place, whatever stands for it elsewhere.
PartMerger::Result PartMerger::Place(const TVMFFIAny& value, const TVMFFIObject* part, const TVMFFIAny& stand_in,
                                     bool closed) {
  if (fixing_) *fixed_.Insert(value.v_obj).first = {part, closed};
  if (fixing_ || IsFixed(value.v_obj)) return {value, part, closed, false};
  return {stand_in, part, closed, stand_in.v_obj != value.v_obj};
}

// ---- Values with parts ---------------------------------------------------------------------------------------------

void PartMerger::Enter(FoldFrame& frame) { frame.Visit(frame.plan->all); }

PartMerger::Result PartMerger::Leave(FoldFrame& frame, Result* children) {
  if (unfixed_ && MayFixSomething(frame, children)) throw SomethingIsFixed();
  if (const Fixed* fixed = FindFixed(frame.value.v_obj)) return {frame.value, fixed->part, fixed->closed, false};
  const std::vector<uint16_t>* fields = nullptr;
  if (frame.cls == ValueClass::kObject) {
    fields = merge_ignored_ ? &CountedFields(*frame.plan, frame.value.v_obj, fold_.keeper()) : &frame.plan->all;
  }
  const bool separate = frame.cls != ValueClass::kMap || SeparateKeys(frame, children);
  if (!separate || !Closed(frame, fields, children)) return Place(frame.value, nullptr, Remake(frame, children), false);
  const uint64_t hash = HashOf(frame, fields, children);
  const Entry* found = table_.Find(hash, [&](const Entry& entry) { return Same(frame, fields, children, entry); });
  const TVMFFIAny part = found != nullptr ? found->value : Remake(frame, children);
  if (found == nullptr) table_.Add(hash, {part, frame.plan, fields});
  return Place(frame.value, part.v_obj, part, true);
}

// The value with the parts that it has now: itself when they are all the same.
TVMFFIAny PartMerger::Remake(const FoldFrame& frame, const Result* children) {
  return rebuilder_.Remake(frame, children, fold_.keeper(), [&] { return fold_.CurrentPath(); });
}

bool PartMerger::Closed(const FoldFrame& frame, const std::vector<uint16_t>* fields, const Result* children) const {
  if (fields != nullptr) {
    return IsMergeable(*frame.plan, compare_) &&
           std::all_of(fields->begin(), fields->end(), [&](uint16_t i) { return children[i].closed; });
  }
  const bool immutable = frame.value.type_index == kTVMFFIArray || frame.value.type_index == kTVMFFIMap;
  return immutable && std::all_of(children, children + frame.count, [](const Result& child) { return child.closed; });
}

uint64_t PartMerger::HashOf(const FoldFrame& frame, const std::vector<uint16_t>* fields, const Result* children) {
  return PartHash(frame, fields, children, &words_, [](const Result& child) {
    if (child.part != nullptr) return static_cast<uint64_t>(reinterpret_cast<uintptr_t>(child.part));
    return ValueHash(child.value, Classify(child.value.type_index), false);
  });
}

bool PartMerger::Same(const FoldFrame& frame, const std::vector<uint16_t>* fields, const Result* children,
                      const Entry& entry) {
  return SamePart(
      frame, fields, children, entry, fold_.keeper(),
      [&](const Result& child, const TVMFFIAny& other) { return SameChild(child, other); },
      [](const Result& key) {
        return key.part != nullptr ? graph::ObjectValue(const_cast<TVMFFIObject*>(key.part)) : key.value;
      });
}

// Whether a child equals one of a part that has its final children: then equal ones are the same object.
bool PartMerger::SameChild(const Result& child, const TVMFFIAny& other) const {
  if (child.part == nullptr) return SameValue(child.value, other);
  if (!IsObject(other)) return false;
  if (other.v_obj == child.part) return true;
  return FixedPart(other.v_obj) == child.part;
}

// ---- What is fixed -------------------------------------------------------------------------------------------------

// As long as this says no, the walk visits in the order of FixedObjects, and that finds nothing.
bool PartMerger::MayFixSomething(const FoldFrame& frame, const Result* children) {
  if (frame.cls == ValueClass::kSequence) return false;
  if (frame.cls == ValueClass::kMap) {
    for (uint64_t i = 0; i < frame.count; i += 2) {
      if (graph::HasChildren(Classify(children[i].value.type_index))) return true;
    }
    return false;
  }
  const StructuralKind kind = frame.plan->kind;
  const bool unbound = kind == StructuralKind::kFreeVar && frame.region == graph::DefRegion::kNone;
  return unbound || kind == StructuralKind::kUnique || !ComparesInOrder(*frame.plan, frame.value.v_obj);
}

// Whether the fields that count are all that lead to something with children, in the order of the fields.
bool PartMerger::ComparesInOrder(const TypePlan& plan, const TVMFFIObject* object) {
  if (plan.compare_if_field >= 0) return false;
  size_t next = 0;
  for (size_t i = 0; i < plan.fields.size(); ++i) {
    if (next < plan.compare.size() && plan.compare[next] == i) {
      ++next;
    } else if (graph::HasChildren(Classify(graph::ReadField(object, plan.fields[i], fold_.keeper()).type_index))) {
      return false;
    }
  }
  return next == plan.compare.size();
}

// ---- Keys ----------------------------------------------------------------------------------------------------------

// Equal keys of one map must not become one object: all but one stay apart. Returns whether there were none.
bool PartMerger::SeparateKeys(const FoldFrame& frame, Result* children) {
  graph::PointerMap<uint8_t> seen;
  bool any = false, distinct = true;
  for (uint64_t i = 0; i < frame.count && !any; i += 2) {
    const Result& key = children[i];
    any = key.part != nullptr && (key.changed || key.part != key.value.v_obj);
  }
  if (!any) return true;
  // What stands for the others stays itself, wherever it comes in the map.
  for (uint64_t i = 0; i < frame.count; i += 2) {
    if (children[i].part != nullptr && !children[i].changed) distinct &= seen.Insert(children[i].part).second;
  }
  const MapBaseObj& map = graph::MapOf(frame.value);
  uint64_t i = 0;
  for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos), i += 2) {
    Result& key = children[i];
    if (!key.changed || key.part == nullptr || seen.Insert(key.part).second) continue;
    distinct = false;
    const TVMFFIAny& original = *map.KeyAt(pos).raw();
    key.value = OwnKey(original, key.value);
    key.changed = key.value.v_obj != original.v_obj;
  }
  return distinct;
}

// A key with the parts of the equal one that stands for it, but an object of its own: the original when it has these
// parts.
TVMFFIAny PartMerger::OwnKey(const TVMFFIAny& original, const TVMFFIAny& merged) {
  auto [own, is_new] = own_keys_.Insert(original.v_obj);
  if (!is_new) return *own;
  *own = original;
  const ValueClass cls = Classify(original.type_index);
  if (!graph::HasChildren(cls)) return original;
  FoldFrame frame{};
  frame.value = original;
  frame.cls = cls;
  if (cls == ValueClass::kObject) frame.plan = &plans_.Of(original.v_obj);
  if (frame.plan != nullptr && frame.plan->custom_data) return original;
  std::vector<TVMFFIAny> before, after;
  const auto children_of = [&](const TVMFFIAny& value, std::vector<TVMFFIAny>* out) {
    graph::ForEachChild(value, plans_, fold_.keeper(),
                        [&](const TVMFFIAny& child, const graph::FieldPlan*) { out->push_back(child); });
  };
  children_of(original, &before);
  children_of(merged, &after);
  const auto same = [](const TVMFFIAny& a, const TVMFFIAny& b) {
    const ValueClass c = Classify(a.type_index);
    if (graph::HasChildren(c) || IsLeafPart(a, c)) return a.type_index == b.type_index && a.v_obj == b.v_obj;
    return SameValue(a, b);
  };
  if (std::equal(before.begin(), before.end(), after.begin(), after.end(), same)) return original;
  return *own = rebuilder_.Make(frame, after.data(), [&] { return fold_.CurrentPath(); });
}

}  // namespace transom::structural
