#include <transom/structural/diff.h>

#include <algorithm>
#include <memory>

#include "structural/lock_step.h"
#include "structural/path_counts.h"

namespace transom {
namespace {

using graph::Path;
using graph::Step;
using graph::StepKind;
using structural::Difference;
using structural::LockStep;

std::vector<DiffStep> ToSteps(const Path& path) {
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

Path FromSteps(const std::vector<DiffStep>& steps) {
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

Edit ToEdit(const Difference& difference, const structural::PathCounts& lhs, const structural::PathCounts& rhs) {
  Edit edit;
  edit.kind = difference.kind;
  edit.lhs_path = ToSteps(difference.lhs_path);
  edit.rhs_path = ToSteps(difference.rhs_path);
  edit.has_lhs = difference.has_lhs;
  edit.has_rhs = difference.has_rhs;
  edit.lhs = Any(AnyView::FromRaw(difference.lhs));
  edit.rhs = Any(AnyView::FromRaw(difference.rhs));
  // One object of a side may have become several of the other: each of these has its own places.
  edit.places = std::min(lhs.Of(difference.lhs_holder), rhs.Of(difference.rhs_holder));
  return edit;
}

}  // namespace

std::string_view EditKindName(EditKind kind) {
  constexpr std::string_view kNames[kNumEditKinds] = {"update", "insert", "delete", "replace", "move", "rewire", "rename", "sharing"};
  return kNames[static_cast<size_t>(kind)];
}

reflection::AccessPath Edit::LhsAccessPath() const { return graph::ToAccessPath(FromSteps(lhs_path)); }
reflection::AccessPath Edit::RhsAccessPath() const { return graph::ToAccessPath(FromSteps(rhs_path)); }

DiffResult StructuralDiff(AnyView lhs, AnyView rhs, const DiffOptions& options) {
  graph::PlanTable plans(options.rules);
  DiffResult result;
  std::vector<Difference> found;
  LockStep walk(plans, options, options.first_only ? LockStep::Goal::kFirst : LockStep::Goal::kAll);
  const bool equal = walk.Run(*lhs.raw(), *rhs.raw(), options.max_edits, &found);
  result.counts = walk.counts();
  result.hook_types.assign(walk.hook_types().begin(), walk.hook_types().end());
  if (equal) return result;
  uint64_t total = 0;
  for (const uint64_t n : result.counts) total += n;
  result.truncated = total > found.size();
  const structural::PathCounts lhs_counts(plans, *lhs.raw());
  const structural::PathCounts rhs_counts(plans, *rhs.raw());
  for (const Difference& difference : found) result.edits.push_back(ToEdit(difference, lhs_counts, rhs_counts));
  return result;
}

}  // namespace transom
