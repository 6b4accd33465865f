#include "render/neighbours.h"

#include <algorithm>

#include "structural/rules/comparable.h"

namespace transom::render {
namespace {

using graph::Path;
using graph::Step;
using graph::StepKind;
using graph::ValueClass;

// The part that a step leads to; None where there is none.
Any Follow(graph::PlanTable& plans, const Any& from, const Step& step) {
  const TVMFFIAny& value = *from.raw();
  const ValueClass cls = graph::Classify(value.type_index);
  if (step.kind == StepKind::kItem && cls == ValueClass::kSequence) {
    const TVMFFISeqCell& cell = graph::SequenceOf(value);
    if (step.index < cell.size) return Any(AnyView::FromRaw(graph::ItemsOf(cell)[step.index]));
  } else if (step.kind == StepKind::kKey && cls == ValueClass::kMap) {
    const Any* found = graph::MapOf(value).Find(AnyView(step.key));
    if (found != nullptr) return *found;
  } else if (step.kind == StepKind::kAttr && cls == ValueClass::kObject) {
    const graph::TypePlan& plan = plans.Of(value.v_obj);
    const int32_t i = plan.FindField(step.name);
    graph::Keeper keeper;
    if (i >= 0)
      return Any(AnyView::FromRaw(graph::ReadField(value.v_obj, plan.fields[static_cast<size_t>(i)], keeper)));
  }
  return Any();
}

}  // namespace

Neighbours::Neighbours(const Any& root, const Path& path, size_t steps) {
  graph::PlanTable plans;
  Any holder = root;
  for (size_t i = 0; i < steps; ++i) holder = Follow(plans, holder, path[i]);
  const TVMFFIAny& value = *holder.raw();
  graph::Keeper keeper;
  switch (graph::Classify(value.type_index)) {
    case ValueClass::kSequence: {
      const TVMFFISeqCell& cell = graph::SequenceOf(value);
      for (int64_t i = 0; i < cell.size; ++i) Add(Step::Item(i), graph::ItemsOf(cell)[i]);
      return;
    }
    case ValueClass::kMap: {
      const MapBaseObj& map = graph::MapOf(value);
      int64_t place = 0;
      for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos))
        Add(Step::Key(*map.KeyAt(pos).raw(), place++), *map.ValueAt(pos).raw());
      return;
    }
    default:
      structural::ForEachCountedChild(value, plans, keeper, [&](const TVMFFIAny& part, const graph::FieldPlan* field) {
        Add(Step::Attr(field->name), part);
      });
  }
}

size_t Neighbours::PlaceOf(const Step& step) const {
  if (step.kind == StepKind::kItem || step.kind == StepKind::kItemMissing || step.kind == StepKind::kKey)
    return std::min(static_cast<size_t>(step.index), parts_.size());
  if (step.kind != StepKind::kAttr) return parts_.size();
  const auto found =
      std::find_if(parts_.begin(), parts_.end(), [&](const Part& part) { return part.step.name == step.name; });
  return static_cast<size_t>(found - parts_.begin());
}

void Neighbours::Change(const Step& step) {
  const size_t place = PlaceOf(step);
  if (step.kind >= StepKind::kAttrMissing) {
    gaps_.push_back(place);
  } else if (place < parts_.size()) {
    parts_[place].changed = true;
  }
}

void Neighbours::Show(uint64_t context) {
  const uint64_t reach = std::min<uint64_t>(context, parts_.size());
  std::vector<int64_t> shown(parts_.size() + 1, 0);  // differences of the number of changes that reach a part
  const auto show = [&](size_t begin, size_t end) {
    ++shown[begin - std::min<size_t>(begin, reach)];
    --shown[std::min(end + reach, parts_.size())];
  };
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].changed) show(i, i + 1);
  }
  for (const size_t gap : gaps_) show(gap, gap);
  int64_t reached = 0;
  for (size_t i = 0; i < parts_.size(); ++i) {
    reached += shown[i];
    parts_[i].shown = reached > 0 && !parts_[i].changed;
  }
}

}  // namespace transom::render
