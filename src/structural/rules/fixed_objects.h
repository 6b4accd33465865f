/*
 * Objects that a rewritten graph must go on holding themselves.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_RULES_FIXED_OBJECTS_H_
#define TRANSOM_SRC_STRUCTURAL_RULES_FIXED_OBJECTS_H_

#include <vector>

#include "graph/type_plan.h"

namespace transom::structural {

/*!
 * \brief The objects of a graph that equal only themselves when it is not compared as a file: variables that comparison
 * meets before anything binds them, unique instances with fields, and dag nodes that are map keys. A copy of one would
 * make the graph another. Linear; cycles are the walk's error.
 */
std::vector<Any> FixedObjects(graph::PlanTable& plans, const TVMFFIAny& root);

/*! \brief The same without the unique instances. */
std::vector<Any> UnboundObjects(graph::PlanTable& plans, const TVMFFIAny& root);

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_RULES_FIXED_OBJECTS_H_
