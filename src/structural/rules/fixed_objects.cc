#include "structural/rules/fixed_objects.h"

#include <algorithm>

#include "graph/fold.h"
#include "structural/rules/comparable.h"

namespace transom::structural {
namespace {

using graph::DefRegion;
using graph::FoldFrame;
using graph::ValueClass;

// A visit in the order of comparison finds unbound variables and keys. It also finds unique instances, unless some are
// below fields that do not count: then a visit of all fields does.
class Finder {
 public:
  struct Result {};
  static constexpr bool kKeysFirst = true;

  Finder(graph::PlanTable& plans, bool all_fields) : plans_(plans), all_fields_(all_fields), fold_(plans, *this) {}
  void Run(const TVMFFIAny& root) { fold_.Run(root); }
  /*! \brief Unbound variables and keys; with all fields: none. */
  const std::vector<Any>& found() const { return found_; }
  const std::vector<Any>& unique() const { return unique_; }
  /*! \brief Whether there are objects that were not visited. */
  bool left_out_objects() const { return left_out_objects_; }

  Result Leaf(const TVMFFIAny&, ValueClass) { return {}; }
  Result Custom(const TVMFFIAny&, const graph::TypePlan&, std::string_view) { return {}; }
  void Enter(FoldFrame& frame) {
    if (!all_fields_ && !left_out_objects_) left_out_objects_ = LeavesOut(frame);
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
    if (kind == StructuralKind::kUnique) unique_.emplace_back(AnyView::FromRaw(frame.value));
    const bool unbound = kind == StructuralKind::kFreeVar && frame.region == DefRegion::kNone;
    if (unbound && !all_fields_) found_.emplace_back(AnyView::FromRaw(frame.value));
    return {};
  }

 private:
  // A dag node that is a key is found by identity, unless comparison has met it before.
  void FindKeys(const TVMFFIAny* keys, uint64_t n) {
    for (uint64_t i = 0; i < n; ++i) {
      if (graph::Classify(keys[i].type_index) != ValueClass::kObject) continue;
      if (plans_.Of(keys[i].v_obj).kind == StructuralKind::kDag) found_.emplace_back(AnyView::FromRaw(keys[i]));
    }
  }

  // Whether a field that does not count leads to something with children.
  bool LeavesOut(const FoldFrame& frame) {
    const graph::TypePlan& plan = *frame.plan;
    const std::vector<uint16_t>& counted = CountedFields(plan, frame.value.v_obj, fold_.keeper());
    if (counted.size() == plan.fields.size()) return false;
    return std::any_of(plan.all.begin(), plan.all.end(), [&](uint16_t i) {
      if (std::find(counted.begin(), counted.end(), i) != counted.end()) return false;
      const TVMFFIAny value = graph::ReadField(frame.value.v_obj, plan.fields[i], fold_.keeper());
      return graph::HasChildren(graph::Classify(value.type_index));
    });
  }

  graph::PlanTable& plans_;
  bool all_fields_;
  bool left_out_objects_ = false;
  std::vector<Any> found_;
  std::vector<Any> unique_;
  graph::Fold<Finder> fold_;
};

}  // namespace

std::vector<Any> UnboundObjects(graph::PlanTable& plans, const TVMFFIAny& root) {
  Finder finder(plans, false);
  finder.Run(root);
  return finder.found();
}

std::vector<Any> FixedObjects(graph::PlanTable& plans, const TVMFFIAny& root) {
  Finder finder(plans, false);
  finder.Run(root);
  std::vector<Any> fixed = finder.found(), unique = finder.unique();
  if (finder.left_out_objects()) {
    Finder all(plans, true);
    all.Run(root);
    unique = all.unique();
  }
  fixed.insert(fixed.end(), unique.begin(), unique.end());
  return fixed;
}

}  // namespace transom::structural
