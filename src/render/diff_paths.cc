#include <transom/render/diff_report.h>

#include "graph/path.h"
#include "structural/diff/edit_steps.h"

namespace transom {

std::string DiffPaths(const DiffResult& diff) {
  std::string out;
  for (const Edit& edit : diff.edits) {
    // The place of what only one side has is that side's own.
    const std::string lhs =
        graph::PathText(structural::StepsToPath(edit.has_lhs ? edit.lhs_path : edit.rhs_path), false);
    const std::string rhs =
        graph::PathText(structural::StepsToPath(edit.has_rhs ? edit.rhs_path : edit.lhs_path), false);
    out += lhs;
    if (rhs != lhs) out += " -> " + rhs;
    out += '\n';
  }
  return out;
}

}  // namespace transom
