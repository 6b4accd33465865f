#include "structural/diff/edit_steps.h"

namespace transom::structural {

using graph::Path;
using graph::Step;
using graph::StepKind;

std::vector<DiffStep> PathToSteps(const Path& path) {
  std::vector<DiffStep> steps;
  steps.reserve(path.size());
  for (const Step& step : path) {
    const int kind = static_cast<int>(step.kind);
    switch (step.kind) {
      case StepKind::kAttr:
      case StepKind::kAttrMissing:
        steps.push_back({kind, Any(String(step.name)), 0});
        break;
      case StepKind::kItem:
      case StepKind::kItemMissing:
        steps.push_back({kind, Any(step.index), 0});
        break;
      default:
        steps.push_back({kind, step.key, step.index});
    }
  }
  return steps;
}

Path StepsToPath(const std::vector<DiffStep>& steps) {
  Path path;
  path.reserve(steps.size());
  for (const DiffStep& from : steps) {
    Step step;
    step.kind = static_cast<StepKind>(from.kind);
    if (step.kind == StepKind::kAttr || step.kind == StepKind::kAttrMissing) {
      step.name = std::string(graph::TextOf(*from.key.raw()));
    } else if (step.kind == StepKind::kItem || step.kind == StepKind::kItemMissing) {
      step.index = from.key.raw()->v_int64;
    } else {
      step.key = from.key;
      step.index = from.place;
    }
    path.push_back(std::move(step));
  }
  return path;
}

}  // namespace transom::structural
