/*
 * Variables that a graph binds somewhere.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_RULES_BOUND_VARIABLES_H_
#define TRANSOM_SRC_STRUCTURAL_RULES_BOUND_VARIABLES_H_

#include <transom/structural/options.h>

#include "graph/pointer_map.h"
#include "graph/type_plan.h"
#include "structural/rules/comparable.h"

namespace transom::structural {

class PathScope;

/*!
 * \brief The free-variable objects that are reached in a definition region, or are keys of a map that pair by their
 * fields. Found in one walk; only asked for when a comparison meets a variable that no binder has introduced, which is
 * rare. Linear: an object is visited once per kind of region.
 */
class BoundVariables {
 public:
  /*! \param hooks kRun: objects that compare by code of their own have the parts that their `__s_hash__` tells of (whose
   * errors this throws), none without; else those in their fields. */
  BoundVariables(graph::PlanTable& plans, const TVMFFIAny& root, const StructuralOptions& options,
                 Hooks hooks = Hooks::kRefuse);
  /*! \brief Those that are not bound in ignored places only. */
  BoundVariables(graph::PlanTable& plans, const TVMFFIAny& root, const StructuralOptions& options, PathScope& paths);
  bool Contains(const TVMFFIObject* variable) const { return bound_.Find(variable) != nullptr; }
  /*! \brief The region that binds a variable, a recursive one before a simple one; kNone for others. */
  graph::DefRegion RegionOf(const TVMFFIObject* variable) const {
    const graph::DefRegion* region = bound_.Find(variable);
    return region != nullptr ? *region : graph::DefRegion::kNone;
  }

 private:
  /*! \brief Binds what the value itself binds, and says of which kind it is. */
  schema::StructuralKind Visit(graph::PlanTable& plans, const TVMFFIAny& value, graph::DefRegion region);
  void Bind(const TVMFFIObject* variable, graph::DefRegion region);
  void BindKeys(graph::PlanTable& plans, const MapBaseObj& map);
  graph::PointerMap<graph::DefRegion> bound_;
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_RULES_BOUND_VARIABLES_H_
