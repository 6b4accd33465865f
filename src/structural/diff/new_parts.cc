#include "structural/diff/new_parts.h"

#include "graph/children.h"
#include "structural/rules/comparable.h"
#include "structural/rules/leaf_equal.h"
#include "structural/rules/places.h"

namespace transom::structural {

using graph::Classify;
using graph::FoldFrame;
using graph::ValueClass;

NewParts::NewParts(graph::PlanTable& plans, const StructuralOptions& options, const TVMFFIAny& old_root,
                   const Partners& partners, const Bindings& bindings,
                   const IdentityConflicts& conflicts)
    : plans_(plans),
      options_(options),
      old_root_(old_root),
      partners_(partners),
      bindings_(bindings),
      conflicts_(conflicts),
      fold_(plans, *this) {}

bool NewParts::Known(const TVMFFIAny& value, Result* result) {
  const TVMFFIObject* partner = partners_.Of(value.v_obj);
  if (partner != nullptr && partners_.in_place_only.Find(value.v_obj) == nullptr) {
    *result = {graph::ObjectValue(const_cast<TVMFFIObject*>(partner)), partner != value.v_obj};
    return true;
  }
  if (!StaysItself(value)) return false;
  *result = {value, false};
  return true;
}

// What equals only itself, outside of files.
bool NewParts::StaysItself(const TVMFFIAny& value) {
  if (options_.as_files || options_.map_free_vars || Classify(value.type_index) != ValueClass::kObject) return false;
  const StructuralKind kind = plans_.Of(value.v_obj).kind;
  return kind == StructuralKind::kFreeVar ? conflicts_.StaysItself(value.v_obj) : kind == StructuralKind::kUnique;
}

NewParts::Result NewParts::Leaf(const TVMFFIAny& value, ValueClass cls) {
  if (cls != ValueClass::kTensor) return {value, false};
  const TVMFFIAny* old = OldTensor(value);
  return old != nullptr ? Result{*old, old->v_obj != value.v_obj} : Result{value, false};
}

void NewParts::Enter(FoldFrame& frame) {
  if (!frame.plan->custom_data) frame.Visit(frame.plan->all);
}

NewParts::Result NewParts::Leave(FoldFrame& frame, Result* children) {
  if (frame.cls == ValueClass::kMap) SeparateKeys(frame, children);
  const auto path = [&] { return fold_.CurrentPath(); };
  const TVMFFIAny made = rebuilder_.Remake(frame, children, fold_.keeper(), path);
  if (made.v_obj != frame.value.v_obj) return {made, true};
  if (!MeansAnother(frame.value.v_obj)) return {made, false};
  std::vector<TVMFFIAny> parts;
  graph::GatherChildren(frame, children, fold_.keeper(), &parts);
  return {rebuilder_.Make(frame, parts.data(), path), true};
}

// Whether the object is in the old graph too and has become something else there.
bool NewParts::MeansAnother(const TVMFFIObject* object) const {
  if (conflicts_.Contains(object)) return false;  // the old one is not in the result
  const Partners::Role* role = partners_.roles.Find(object);
  return (role != nullptr && *role == Partners::Role::kEdited) || bindings_.RightOf(object) != nullptr;
}

// Equal keys of one map must not become one object: all but one stay apart.
void NewParts::SeparateKeys(const FoldFrame& frame, Result* children) {
  graph::PointerMap<uint8_t> seen;
  for (const bool changed : {false, true}) {
    const MapBaseObj& map = graph::MapOf(frame.value);
    Result* key = children;
    for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos), key += 2) {
      if (!graph::IsObject(key->value) || key->changed != changed || seen.Insert(key->value.v_obj).second) continue;
      key->value = rebuilder_.Keep(Fresh(*map.KeyAt(pos).raw()));
    }
  }
}

Any NewParts::Fresh(const TVMFFIAny& value) {
  FoldFrame frame{};
  frame.value = value;
  frame.cls = Classify(value.type_index);
  if (frame.cls == ValueClass::kObject) frame.plan = &plans_.Of(value.v_obj);
  if (!graph::HasChildren(frame.cls) || (frame.plan != nullptr && frame.plan->custom_data))
    return Any(AnyView::FromRaw(value));
  std::vector<TVMFFIAny> children;
  graph::ForEachChild(value, plans_, fold_.keeper(),
                      [&](const TVMFFIAny& child, const graph::FieldPlan*) { children.push_back(child); });
  for (TVMFFIAny& child : children) child = fold_.Run(child).value;
  return Any(AnyView::FromRaw(rebuilder_.Make(frame, children.data(), [&] { return fold_.CurrentPath(); })));
}

// A tensor of the old graph with the same content: weights are large.
const TVMFFIAny* NewParts::OldTensor(const TVMFFIAny& tensor) {
  constexpr int64_t kMinBytes = 64;
  const auto is_large = [](const TVMFFIAny& value) {
    return graph::TensorRefOf(value).IsOnHost() && graph::TensorRefOf(value).NumBytes() >= kMinBytes;
  };
  if (!is_large(tensor)) return nullptr;
  if (!has_old_tensors_) {
    has_old_tensors_ = true;
    const Places places(plans_, old_root_);
    for (const TVMFFIAny& value : places.objects()) {
      if (Classify(value.type_index) != ValueClass::kTensor || !is_large(value)) continue;
      old_tensors_.emplace(LeafDigest(value, ValueClass::kTensor, false), value);
    }
  }
  const auto found = old_tensors_.find(LeafDigest(tensor, ValueClass::kTensor, false));
  const bool same = found != old_tensors_.end() && LeafEqual(tensor, found->second, ValueClass::kTensor, false);
  return same ? &found->second : nullptr;
}

}  // namespace transom::structural
