#include <transom/runtime/error.h>
#include <transom/structural/map.h>

#include <string>
#include <vector>

#include "graph/rebuild.h"
#include "graph/type_plan.h"

namespace transom {

Any WithField(const Any& object, std::string_view name, const Any& value) {
  const TVMFFIAny& raw = *object.raw();
  TRANSOM_CHECK(graph::Classify(raw.type_index) == graph::ValueClass::kObject, TypeError)
      << "expected an object with fields, got " << graph::TypeKeyOf(raw);
  graph::PlanTable plans;
  graph::Keeper keeper;
  const graph::TypePlan& plan = plans.Of(raw.v_obj);
  std::vector<TVMFFIAny> children;
  std::string names;
  for (const graph::FieldPlan& field : plan.fields) {
    children.push_back(graph::ReadField(raw.v_obj, field, keeper));
    names.append(names.empty() ? "" : ", ").append(field.name);
  }
  const int32_t i = plan.FindField(name);
  TRANSOM_CHECK(i >= 0, AttributeError) << "type " << plan.key << " has no field `" << name << "`; it has "
                                        << (names.empty() ? "none" : names);
  children[static_cast<size_t>(i)] = *value.raw();
  graph::TypeChecks checks;
  return graph::Rebuild(raw, &plan, children.data(), &checks);
}

}  // namespace transom
