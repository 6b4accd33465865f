/*
 * Where the objects of a graph lie: the shortest way to each, for references to them from outside.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_RULES_PLACES_H_
#define TRANSOM_SRC_STRUCTURAL_RULES_PLACES_H_

#include <vector>

#include "graph/path.h"
#include "graph/pointer_map.h"
#include "graph/type_plan.h"
#include "structural/rules/comparable.h"

namespace transom::structural {

/*! \brief One step from the object that holds another. */
struct Place {
  enum class Kind : uint8_t { kRoot, kField, kItem, kValue, kKey };
  const TVMFFIObject* holder = nullptr;  // null: the root
  Kind kind = Kind::kRoot;
  int64_t at = 0;  // number of the field in its plan, index, or place of the entry in iteration order
};

/*! \brief Calls `fn(child, place)` for each child that comparison looks at. */
template <class Fn>
void ForEachPlace(const TVMFFIAny& value, graph::PlanTable& plans, graph::Keeper& keeper, Fn&& fn) {
  const graph::ValueClass cls = graph::Classify(value.type_index);
  const graph::TypePlan* plan = cls == graph::ValueClass::kObject ? &plans.Of(value.v_obj) : nullptr;
  int64_t n = 0;
  ForEachCountedChild(value, plans, keeper, [&](const TVMFFIAny& child, const graph::FieldPlan* field) {
    Place place{value.v_obj, Place::Kind::kItem, n};
    if (plan != nullptr) {
      place.kind = Place::Kind::kField;
      place.at = field - plan->fields.data();
    } else if (cls == graph::ValueClass::kMap) {
      place.kind = n % 2 == 0 ? Place::Kind::kKey : Place::Kind::kValue;
      place.at = n / 2;
    }
    fn(child, place);
    ++n;
  });
}

/*! \brief The step that leads from the holder to the place; for keys the one to their values. */
graph::Step StepAt(graph::PlanTable& plans, const Place& place);

/*! \brief The first place, breadth first, of every object that comparison reaches. Borrows the graph. Linear. */
class Places {
 public:
  Places(graph::PlanTable& plans, const TVMFFIAny& root);
  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;

  /*! \brief Null: not an object of the graph. */
  const Place* Find(const TVMFFIObject* object) const { return places_.Find(object); }
  /*! \brief All objects but strings, breadth first. */
  const std::vector<TVMFFIAny>& objects() const { return objects_; }
  /*! \brief Path of an object of the graph, for messages; empty for others. */
  graph::Path PathTo(const TVMFFIObject* object) const;

 private:
  void Add(const TVMFFIAny& value, const Place& place);

  graph::PlanTable& plans_;
  graph::Keeper keeper_;
  graph::PointerMap<Place> places_;
  std::vector<TVMFFIAny> objects_;
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_RULES_PLACES_H_
