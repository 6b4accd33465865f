#include <transom/structural/diff.h>

#include <transom/structural/equal.h>
#include <transom/structural/hash.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "graph/saturating.h"
#include "structural/diff/edit_steps.h"
#include "structural/diff/move_finder.h"
#include "structural/diff/path_counts.h"
#include "structural/diff/rename_edits.h"
#include "structural/equality/equal_walk.h"
#include "structural/equality/lock_step.h"

namespace transom {
namespace {

using graph::Path;
using graph::Step;
using graph::StepKind;
using structural::Difference;
using structural::DiffScope;
using structural::EqualWalk;
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

// Of all differences the first one is asked for.
void KeepFirst(std::vector<Difference>* found, DiffResult* result) {
  if (found->size() > 1) found->erase(found->begin() + 1, found->end());
  result->counts = {};
  for (const Difference& difference : *found) ++result->counts[static_cast<size_t>(difference.kind)];
}

// Few values have the same key and are not equal.
bool IsSwappedByKeys(structural::SideKeys* keys, const TVMFFIAny& lhs, const TVMFFIAny& rhs,
                     const DiffOptions& options) {
  const Digest left = keys->lhs.KeyOf(lhs), right = keys->rhs.KeyOf(rhs);
  if (left != right) return right < left;
  const auto digest = [&](const TVMFFIAny& value) { return StructuralDigest(AnyView::FromRaw(value), options); };
  return digest(rhs) < digest(lhs);
}

// Orders the sides, whatever they are asked for as: the keys of whole values decide, which a diff of them needs anyway;
// where parts that are left out have none, keys without these. `keys` of a scope that leaves out nothing; else unused.
bool IsSwapped(DiffScope* scope, structural::SideKeys* keys, const TVMFFIAny& lhs, const TVMFFIAny& rhs,
               const DiffOptions& options) {
  if (scope->plain()) return IsSwappedByKeys(keys, lhs, rhs, options);
  try {
    graph::PlanTable plans(options.rules);
    structural::SideKeys whole(plans, options);
    return IsSwappedByKeys(&whole, lhs, rhs, options);
  } catch (const Error&) {
    return structural::KeyIn(scope, rhs, options) < structural::KeyIn(scope, lhs, options);
  }
}

// What equality alone says of values of which nothing is left out.
EqualWalk::Verdict CompareAtOnce(DiffScope* scope, const TVMFFIAny& lhs, const TVMFFIAny& rhs,
                                 const DiffOptions& options) {
  if (!scope->plain()) return EqualWalk::Verdict::kUnknown;
  EqualWalk walk(scope->plans(), options, structural::Hooks::kRefuse);
  const EqualWalk::Verdict verdict = walk.Run(lhs, rhs);
  return walk.met_hooks() ? EqualWalk::Verdict::kUnknown : verdict;
}

// All differences, listed in the order of the left side.
std::vector<Difference> AllDifferences(graph::PlanTable& plans, LockStep* walk, bool swap, const TVMFFIAny& lhs,
                                       const TVMFFIAny& rhs, const DiffOptions& options, DiffResult* result) {
  // Some more than are listed, so that the first ones in the left side's order are among them.
  constexpr uint64_t kFoundAtLeast = 20'000;
  std::vector<Difference> found;
  std::vector<structural::LooseEnd> loose;
  if (options.find_moves && !options.first_only) walk->FindMoves(&loose);
  walk->Run(swap ? rhs : lhs, swap ? lhs : rhs, std::max(options.max_edits, kFoundAtLeast), &found);
  result->counts = walk->counts();
  structural::FindMoves(plans, loose, walk, &result->counts, &found);
  if (swap) {
    std::swap(result->counts[static_cast<size_t>(EditKind::kInsert)],
              result->counts[static_cast<size_t>(EditKind::kDelete)]);
    for (Difference& difference : found) Mirror(&difference);
  }
  result->renamed = structural::Renamed(plans, walk->bindings(), swap);
  if (options.names && !options.first_only)
    structural::AddRenames(plans, std::max(options.max_edits, kFoundAtLeast), result, &found);
  std::stable_sort(found.begin(), found.end(), Before);
  if (options.first_only) KeepFirst(&found, result);
  if (found.size() > options.max_edits) found.resize(options.max_edits);
  return found;
}

// Outside of files, a variable that is met before what binds it equals itself only. In maps that depends on the order
// of the entries: equality has the left side's, a diff that of the keys. Where only that can have made or hidden a
// difference, equality decides.
void AgreeWithEquality(graph::PlanTable& plans, const DiffOptions& options, std::vector<Difference>* found,
                       DiffResult* result) {
  const bool rewired_only = result->total() == result->counts[static_cast<size_t>(EditKind::kRewire)];
  if (options.as_files || !rewired_only) return;
  LockStep walk(plans, options, LockStep::Goal::kFirst);
  std::vector<Difference> first;
  const uint64_t listed = std::min<uint64_t>(options.max_edits, 1);
  const bool equal = walk.Run(*result->old_value.raw(), *result->new_value.raw(), listed, &first);
  if (equal == result->equal()) return;
  *found = std::move(first);
  result->counts = walk.counts();
}

Edit ToEdit(const Difference& difference) {
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
  return edit;
}

// One object of a side may have become several of the other: each of these has its own places.
void CountPlaces(DiffScope* scope, const std::vector<Difference>& found, DiffResult* result) {
  const TVMFFIAny &lhs = *result->old_value.raw(), &rhs = *result->new_value.raw();
  const auto count = [&](const auto& places_of) {
    for (size_t i = 0; i < found.size(); ++i) result->edits[i].places = places_of(found[i]);
  };
  if (!scope->has_paths()) {
    std::vector<const TVMFFIObject*> left, right;
    for (const Difference& d : found) {
      left.push_back(d.lhs_holder);
      right.push_back(d.rhs_holder);
      for (const auto& [lhs_holder, rhs_holder] : d.more_holders) {
        left.push_back(lhs_holder);
        right.push_back(rhs_holder);
      }
    }
    const structural::PathCounts l(scope->plans(), lhs, left), r(scope->plans(), rhs, right);
    return count([&](const Difference& d) {
      uint64_t places = std::min(l.Of(d.lhs_holder), r.Of(d.rhs_holder));
      for (const auto& [lhs_holder, rhs_holder] : d.more_holders) {
        places = graph::SaturatingAdd(places, std::min(l.Of(lhs_holder), r.Of(rhs_holder)));
      }
      return places;
    });
  }
  structural::PathCountsInScope l(scope->plans(), scope->paths(), lhs), r(scope->plans(), scope->paths(), rhs);
  count([&](const Difference& d) -> uint64_t {
    // Patterns speak of places, so others that are told of together count once each.
    if (d.lhs_path.empty() || d.kind == EditKind::kRename) return 1;
    return std::min(l.Of(d.lhs_holder, d.lhs_path.back()), r.Of(d.rhs_holder, d.rhs_path.back())) +
           d.more_holders.size();
  });
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
  DiffScope scope(options);
  graph::PlanTable& plans = scope.plans();
  DiffResult result;
  result.old_value = Any(lhs);
  result.new_value = Any(rhs);
  result.options = options;
  // Most comparisons are of values that did not change. With names, equal values may have something to list.
  const EqualWalk::Verdict verdict = CompareAtOnce(&scope, *lhs.raw(), *rhs.raw(), options);
  if (verdict == EqualWalk::Verdict::kEqual && !options.names) return result;
  std::vector<Difference> found;
  // Where paths count, whether there is a difference depends on how sequences are aligned.
  const bool first = options.first_only && !scope.has_paths();
  structural::SideKeys keys(plans, options);
  // The side with the smaller key is walked first, whichever is asked for first: so the two diffs are mirror images.
  const bool swap = !first && IsSwapped(&scope, &keys, *lhs.raw(), *rhs.raw(), options);
  LockStep walk(plans, options, first ? LockStep::Goal::kFirst : LockStep::Goal::kAll, keys, swap);
  walk.Restrict(&scope);
  if (first) {
    walk.Run(*lhs.raw(), *rhs.raw(), options.max_edits, &found);
    result.counts = walk.counts();
    result.renamed = structural::Renamed(plans, walk.bindings(), false);
  } else {
    found = AllDifferences(plans, &walk, swap, *lhs.raw(), *rhs.raw(), options, &result);
    const bool agrees = verdict == EqualWalk::Verdict::kDifferent && !result.equal();
    if (scope.plain() && !agrees) AgreeWithEquality(plans, options, &found, &result);
  }
  result.hook_types.assign(walk.hook_types().begin(), walk.hook_types().end());
  if (result.total() == 0) return result;
  result.truncated = result.total() > found.size() || options.first_only;
  for (const Difference& difference : found) result.edits.push_back(ToEdit(difference));
  CountPlaces(&scope, found, &result);
  return result;
}

bool EqualForDiff(AnyView lhs, AnyView rhs, const DiffOptions& options) {
  DiffScope scope(options);
  if (scope.plain()) return StructuralEqual::Equal(lhs, rhs, options);
  LockStep walk(scope.plans(), options, scope.has_paths() ? LockStep::Goal::kAll : LockStep::Goal::kFirst);
  walk.Restrict(&scope);
  walk.StopAtAny();
  // As in a diff: how sequences are aligned must not depend on the order of the sides.
  const bool swap = scope.has_paths() && IsSwapped(&scope, nullptr, *lhs.raw(), *rhs.raw(), options);
  return walk.Run(*(swap ? rhs : lhs).raw(), *(swap ? lhs : rhs).raw(), 0, nullptr);
}

}  // namespace transom
