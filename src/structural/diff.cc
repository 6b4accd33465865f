#include <transom/structural/diff.h>

#include <transom/structural/hash.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "structural/edit_steps.h"
#include "structural/lock_step.h"
#include "structural/move_finder.h"
#include "structural/path_counts.h"
#include "structural/rename_edits.h"

namespace transom {
namespace {

using graph::Path;
using graph::Step;
using graph::StepKind;
using structural::Difference;
using structural::LockStep;
using structural::PathToSteps;
using structural::StepsToPath;

// Order of two paths in the left value; what the left lacks comes before what stands at its place, new map entries
// last.
int ComparePaths(const Path& a, const Path& b) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    const auto place = [](const Step& step) {
      return step.index < 0 ? std::numeric_limits<int64_t>::max() : step.index;
    };
    if (place(a[i]) != place(b[i])) return place(a[i]) < place(b[i]) ? -1 : 1;
    const bool a_missing = a[i].kind >= StepKind::kAttrMissing, b_missing = b[i].kind >= StepKind::kAttrMissing;
    if (a_missing != b_missing) return a_missing ? -1 : 1;
  }
  return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

bool Before(const Difference& a, const Difference& b) {
  const int lhs = ComparePaths(a.lhs_path, b.lhs_path);
  return lhs != 0 ? lhs < 0 : ComparePaths(a.rhs_path, b.rhs_path) < 0;
}

void Mirror(Difference* difference) {
  std::swap(difference->lhs_path, difference->rhs_path);
  std::swap(difference->lhs, difference->rhs);
  std::swap(difference->has_lhs, difference->has_rhs);
  std::swap(difference->lhs_holder, difference->rhs_holder);
  if (difference->kind == EditKind::kInsert || difference->kind == EditKind::kDelete) {
    difference->kind = difference->kind == EditKind::kInsert ? EditKind::kDelete : EditKind::kInsert;
  }
  difference->splits = difference->kind == EditKind::kSharing && !difference->splits;
  for (auto& [lhs, rhs] : difference->more_holders) std::swap(lhs, rhs);
}

// All differences, listed in the order of the left side.
std::vector<Difference> AllDifferences(graph::PlanTable& plans, LockStep* walk, const TVMFFIAny& lhs,
                                       const TVMFFIAny& rhs, const DiffOptions& options, DiffResult* result) {
  // The side with the smaller digest is walked first, whichever is asked for first: so the two diffs are mirror images.
  const Digest l = StructuralDigest(AnyView::FromRaw(lhs), options),
               r = StructuralDigest(AnyView::FromRaw(rhs), options);
  const bool swap = r < l;
  // Some more than are listed, so that the first ones in the left side's order are among them.
  constexpr uint64_t kFoundAtLeast = 20'000;
  std::vector<Difference> found;
  std::vector<structural::LooseEnd> loose;
  if (options.find_moves) walk->FindMoves(&loose);
  walk->Run(swap ? rhs : lhs, swap ? lhs : rhs, std::max(options.max_edits, kFoundAtLeast), &found);
  result->counts = walk->counts();
  structural::FindMoves(plans, loose, walk, &result->counts, &found);
  if (swap) {
    std::swap(result->counts[static_cast<size_t>(EditKind::kInsert)],
              result->counts[static_cast<size_t>(EditKind::kDelete)]);
    for (Difference& difference : found) Mirror(&difference);
  }
  result->renamed = structural::Renamed(plans, walk->bindings(), swap);
  if (options.names) structural::AddRenames(plans, std::max(options.max_edits, kFoundAtLeast), result, &found);
  std::stable_sort(found.begin(), found.end(), Before);
  if (found.size() > options.max_edits) found.resize(options.max_edits);
  return found;
}

Edit ToEdit(const Difference& difference, const structural::PathCounts& lhs, const structural::PathCounts& rhs) {
  Edit edit;
  edit.kind = difference.kind;
  edit.lhs_path = PathToSteps(difference.lhs_path);
  edit.rhs_path = PathToSteps(difference.rhs_path);
  edit.has_lhs = difference.has_lhs;
  edit.has_rhs = difference.has_rhs;
  edit.lhs = Any(AnyView::FromRaw(difference.lhs));
  edit.rhs = Any(AnyView::FromRaw(difference.rhs));
  edit.around = PathToSteps(difference.around);
  edit.splits = difference.splits;
  // One object of a side may have become several of the other: each of these has its own places.
  edit.places = std::min(lhs.Of(difference.lhs_holder), rhs.Of(difference.rhs_holder));
  for (const auto& [lhs_holder, rhs_holder] : difference.more_holders) {
    const uint64_t more = std::min(lhs.Of(lhs_holder), rhs.Of(rhs_holder));
    if (__builtin_add_overflow(edit.places, more, &edit.places)) edit.places = std::numeric_limits<uint64_t>::max();
  }
  return edit;
}

}  // namespace

std::string_view EditKindName(EditKind kind) {
  constexpr std::string_view kNames[kNumEditKinds] = {"update", "insert", "delete", "replace",
                                                      "move",   "rewire", "rename", "sharing"};
  return kNames[static_cast<size_t>(kind)];
}

reflection::AccessPath Edit::LhsAccessPath() const { return graph::ToAccessPath(StepsToPath(lhs_path)); }
reflection::AccessPath Edit::RhsAccessPath() const { return graph::ToAccessPath(StepsToPath(rhs_path)); }

DiffResult StructuralDiff(AnyView lhs, AnyView rhs, const DiffOptions& options) {
  graph::PlanTable plans(options.rules);
  DiffResult result;
  result.old_value = Any(lhs);
  result.new_value = Any(rhs);
  result.options = options;
  std::vector<Difference> found;
  LockStep walk(plans, options, options.first_only ? LockStep::Goal::kFirst : LockStep::Goal::kAll);
  if (options.first_only) {
    walk.Run(*lhs.raw(), *rhs.raw(), options.max_edits, &found);
    result.counts = walk.counts();
    result.renamed = structural::Renamed(plans, walk.bindings(), false);
  } else {
    found = AllDifferences(plans, &walk, *lhs.raw(), *rhs.raw(), options, &result);
  }
  result.hook_types.assign(walk.hook_types().begin(), walk.hook_types().end());
  if (result.total() == 0) return result;
  result.truncated = result.total() > found.size() || options.first_only;
  const structural::PathCounts lhs_counts(plans, *lhs.raw());
  const structural::PathCounts rhs_counts(plans, *rhs.raw());
  for (const Difference& difference : found) result.edits.push_back(ToEdit(difference, lhs_counts, rhs_counts));
  return result;
}

}  // namespace transom
