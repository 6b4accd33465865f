/*
 * Diffs as lines of text, and what holds for every one of them.
 */
#ifndef TRANSOM_TESTS_STRUCTURAL_DIFF_LINES_H_
#define TRANSOM_TESTS_STRUCTURAL_DIFF_LINES_H_

#include <gtest/gtest.h>
#include <transom/containers/string.h>
#include <transom/runtime/any_hash.h>
#include <transom/structural/diff.h>
#include <transom/structural/equal.h>

#include <string>
#include <vector>

#include "graph/path.h"

namespace transom::testing {

inline std::string DiffPathText(const std::vector<DiffStep>& steps) {
  graph::Path path;
  for (const DiffStep& from : steps) {
    graph::Step step;
    step.kind = static_cast<graph::StepKind>(from.kind);
    step.index = from.place;
    if (from.kind % 3 == 0) step.name = from.key.cast<std::string>();
    if (from.kind % 3 == 1) step.index = from.key.cast<int64_t>();
    if (from.kind % 3 == 2) step.key = from.key;
    path.push_back(step);
  }
  return graph::PathText(path, false);
}

// The value at a path that leads to one. Map keys that are objects are told apart by identity, as no text does.
inline Any ValueAt(Any value, const std::vector<DiffStep>& steps) {
  graph::PlanTable plans;
  graph::Keeper keeper;
  for (const DiffStep& step : steps) {
    const TVMFFIAny& holder = *value.raw();
    TVMFFIAny next;
    if (step.kind == 0) {
      const graph::TypePlan& plan = plans.Of(holder.v_obj);
      const int32_t field = plan.FindField(std::string(step.key.cast<String>()));
      next = graph::ReadField(holder.v_obj, plan.fields.at(static_cast<size_t>(field)), keeper);
    } else if (step.kind == 1) {
      next = graph::ItemsOf(graph::SequenceOf(holder))[step.key.cast<int64_t>()];
    } else {
      next = *graph::MapOf(holder).Find(step.key)->raw();
    }
    value = Any(AnyView::FromRaw(next));
  }
  return value;
}

// What holds for every diff: the stated places hold the stated values, and the counts and `equal` say the same.
inline void CheckDiff(const Any& lhs, const Any& rhs, const DiffResult& diff, const DiffOptions& options) {
  uint64_t total = 0;
  for (uint64_t n : diff.counts) total += n;
  EXPECT_EQ(diff.equal(), total == diff.counts[static_cast<size_t>(EditKind::kRename)]);
  EXPECT_EQ(diff.truncated, total > diff.edits.size() || (options.first_only && total != 0));
  if (!options.first_only) {
    EXPECT_EQ(diff.equal(), StructuralEqual::Equal(lhs, rhs, options));
  }
  for (const Edit& edit : diff.edits) {
    const auto check = [&edit](const Any& root, const std::vector<DiffStep>& steps, bool has, const Any& value) {
      SCOPED_TRACE(DiffPathText(steps));
      EXPECT_EQ(has || edit.around.size() != 0, steps.empty() || steps.back().kind < 3);
      if (!has) {
        EXPECT_EQ(value, nullptr);
        return;
      }
      const Any found = ValueAt(root, steps);
      EXPECT_EQ(found.type_index(), value.type_index());
      EXPECT_TRUE(AnyEqual()(found, value) || StructuralEqual::Equal(found, value));
    };
    check(lhs, edit.lhs_path, edit.has_lhs, edit.lhs);
    check(rhs, edit.rhs_path, edit.has_rhs, edit.rhs);
    EXPECT_GE(edit.places, 1u);
  }
}

inline std::string DiffLines(const DiffResult& diff) {
  std::string out;
  for (const Edit& edit : diff.edits) {
    out += std::string(EditKindName(edit.kind)) + " " + DiffPathText(edit.lhs_path) + " " + DiffPathText(edit.rhs_path);
    if (!edit.around.empty()) out += " around " + DiffPathText(edit.around).substr(6);
    if (edit.kind == EditKind::kSharing) out += edit.splits ? " splits" : " joins";
    if (edit.places != 1) out += " x" + std::to_string(edit.places);
    out += "\n";
  }
  return out;
}

// One line per edit: kind, left path, right path, and the number of places where there are several.
inline std::string Diff(const Any& lhs, const Any& rhs, const DiffOptions& options = {}) {
  const DiffResult diff = StructuralDiff(lhs, rhs, options);
  CheckDiff(lhs, rhs, diff, options);
  return DiffLines(diff);
}

inline DiffOptions DiffFileOptions() {
  DiffOptions options;
  options.as_files = true;
  return options;
}

}  // namespace transom::testing
#endif  // TRANSOM_TESTS_STRUCTURAL_DIFF_LINES_H_
