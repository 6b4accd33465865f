#include "structural/places.h"

#include <algorithm>

#include "structural/comparable.h"

namespace transom::structural {

using graph::Classify;
using graph::Step;
using graph::ValueClass;

Places::Places(graph::PlanTable& plans, const TVMFFIAny& root) : plans_(plans) {
  Add(root, {});
  for (size_t i = 0; i < objects_.size(); ++i) {
    const TVMFFIAny value = objects_[i];
    const ValueClass cls = Classify(value.type_index);
    const graph::TypePlan* plan = cls == ValueClass::kObject ? &plans.Of(value.v_obj) : nullptr;
    int64_t n = 0;
    ForEachCountedChild(value, plans, keeper_, [&](const TVMFFIAny& child, const graph::FieldPlan* field) {
      Place place{value.v_obj, Place::Kind::kItem, n};
      if (plan != nullptr) {
        place.kind = Place::Kind::kField;
        place.at = field - plan->fields.data();
      } else if (cls == ValueClass::kMap) {
        place.kind = n % 2 == 0 ? Place::Kind::kKey : Place::Kind::kValue;
        place.at = n / 2;
      }
      Add(child, place);
      ++n;
    });
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
    switch (place->kind) {
      case Place::Kind::kField:
        path.push_back(Step::Attr(plans_.Of(place->holder).fields[static_cast<size_t>(place->at)].name));
        break;
      case Place::Kind::kItem:
        path.push_back(Step::Item(place->at));
        break;
      default: {
        const auto& map = *reinterpret_cast<const MapBaseObj*>(place->holder);
        uint64_t pos = map.First();
        for (int64_t i = 0; i < place->at; ++i) pos = map.Next(pos);
        path.push_back(Step::Key(*map.KeyAt(pos).raw(), place->at));
      }
    }
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace transom::structural
