#include "structural/deduplicate_fixed.h"

#include "graph/fold.h"
#include "structural/comparable.h"

namespace transom::structural {
namespace {

using graph::DefRegion;
using graph::FoldFrame;
using graph::ValueClass;

// One visit in the order of comparison finds unbound variables and keys; one of all fields finds unique instances.
class Finder {
 public:
  struct Result {};
  static constexpr bool kKeysFirst = true;

  Finder(graph::PlanTable& plans, bool all_fields, std::vector<Any>* found)
      : plans_(plans), all_fields_(all_fields), found_(found), fold_(plans, *this) {}
  void Run(const TVMFFIAny& root) { fold_.Run(root); }

  Result Leaf(const TVMFFIAny&, ValueClass) { return {}; }
  Result Custom(const TVMFFIAny&, const graph::TypePlan&, std::string_view) { return {}; }
  void Enter(FoldFrame& frame) {
    frame.Visit(all_fields_ ? frame.plan->all : CountedFields(*frame.plan, frame.value.v_obj, fold_.keeper()));
  }
  void MapChildren(FoldFrame& frame, std::vector<TVMFFIAny>* children) {
    const size_t begin = children->size();
    graph::PushKeysThenValues(graph::MapOf(frame.value), children);
    if (!all_fields_) FindKeys(children->data() + begin, graph::MapOf(frame.value).size());
  }
  DefRegion KeyRegion(const FoldFrame& frame, const TVMFFIAny& key) {
    return structural::KeyRegion(plans_, frame.region, key);
  }
  void KeysDone(FoldFrame&, TVMFFIAny*, Result*) {}
  Result Leave(FoldFrame& frame, Result*) {
    if (frame.cls != ValueClass::kObject) return {};
    const StructuralKind kind = frame.plan->kind;
    const bool unbound = kind == StructuralKind::kFreeVar && frame.region == DefRegion::kNone;
    if (all_fields_ ? kind == StructuralKind::kUnique : unbound) found_->emplace_back(AnyView::FromRaw(frame.value));
    return {};
  }

 private:
  // A dag node that is a key is found by identity, unless comparison has met it before.
  void FindKeys(const TVMFFIAny* keys, uint64_t n) {
    for (uint64_t i = 0; i < n; ++i) {
      if (graph::Classify(keys[i].type_index) != ValueClass::kObject) continue;
      if (plans_.Of(keys[i].v_obj).kind == StructuralKind::kDag) found_->emplace_back(AnyView::FromRaw(keys[i]));
    }
  }

  graph::PlanTable& plans_;
  bool all_fields_;
  std::vector<Any>* found_;
  graph::Fold<Finder> fold_;
};

}  // namespace

std::vector<Any> FixedObjects(graph::PlanTable& plans, const TVMFFIAny& root) {
  std::vector<Any> found;
  for (const bool all_fields : {false, true}) Finder(plans, all_fields, &found).Run(root);
  return found;
}

}  // namespace transom::structural
