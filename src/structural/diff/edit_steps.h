/*
 * Paths of edits: the walk's form and the public one.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_DIFF_EDIT_STEPS_H_
#define TRANSOM_SRC_STRUCTURAL_DIFF_EDIT_STEPS_H_

#include <transom/structural/diff.h>

#include <vector>

#include "graph/path.h"

namespace transom::structural {

std::vector<DiffStep> PathToSteps(const graph::Path& path);
graph::Path StepsToPath(const std::vector<DiffStep>& steps);

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_DIFF_EDIT_STEPS_H_
