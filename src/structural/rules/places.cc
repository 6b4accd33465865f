#include "structural/rules/places.h"

#include <algorithm>

namespace transom::structural {

using graph::Classify;
using graph::Step;
using graph::ValueClass;

graph::Step StepAt(graph::PlanTable& plans, const Place& place) {
  switch (place.kind) {
    case Place::Kind::kField:
      return Step::Attr(plans.Of(place.holder).fields[static_cast<size_t>(place.at)].name, place.at);
    case Place::Kind::kItem:
      return Step::Item(place.at);
    default: {
      const auto& map = *reinterpret_cast<const MapBaseObj*>(place.holder);
      uint64_t pos = map.First();
      for (int64_t i = 0; i < place.at; ++i) pos = map.Next(pos);
      return Step::Key(*map.KeyAt(pos).raw(), place.at);
    }
  }
}

Places::Places(graph::PlanTable& plans, const TVMFFIAny& root) : plans_(plans) {
  Add(root, {});
  for (size_t i = 0; i < objects_.size(); ++i) {
    const TVMFFIAny value = objects_[i];
    ForEachPlace(value, plans, keeper_, [&](const TVMFFIAny& child, const Place& place) { Add(child, place); });
  }
}

void Places::Add(const TVMFFIAny& value, const Place& place) {
  const ValueClass cls = Classify(value.type_index);
  if (!graph::IsObject(value) || cls == ValueClass::kString || cls == ValueClass::kBytes) return;
  auto [entry, is_new] = places_.Insert(value.v_obj);
  if (!is_new) return;
  *entry = place;
  objects_.push_back(value);
}

graph::Path Places::PathTo(const TVMFFIObject* object) const {
  graph::Path path;
  for (const Place* place = Find(object); place != nullptr && place->holder != nullptr; place = Find(place->holder)) {
    path.push_back(StepAt(plans_, *place));
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace transom::structural
