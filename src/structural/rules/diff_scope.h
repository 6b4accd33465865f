/*
 * What the options of a diff leave out or take otherwise, ready for walks.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_RULES_DIFF_SCOPE_H_
#define TRANSOM_SRC_STRUCTURAL_RULES_DIFF_SCOPE_H_

#include <transom/structural/diff.h>

#include "structural/rules/comparable.h"
#include "structural/rules/path_scope.h"
#include "structural/rules/tolerance.h"

namespace transom::structural {

/*! \brief The fields and types that options leave out. ValueError: a text that is none. */
graph::LeftOut LeftOutBy(const DiffOptions& options);

class DiffScope {
 public:
  /*! \brief ValueError: options that make no sense. */
  explicit DiffScope(const DiffOptions& options);

  /*! \brief Plans for the diff; they leave out fields and types. */
  graph::PlanTable& plans() { return plans_; }
  PathScope& paths() { return paths_; }
  const Tolerance& tolerance() const { return tolerance_; }

  bool has_paths() const { return !paths_.empty(); }
  /*! \brief Whether patterns change what is the same: keys of parts leave that out. */
  bool has_blind_spots() const { return has_blind_spots_; }
  /*! \brief Whether the walk has anything to ask here: what plans leave out it does not see. */
  bool guides_walk() const { return has_paths() || !tolerance_.exact(); }
  /*! \brief Whether no option of a diff changes what is the same: then equality and digests say it, too. */
  bool plain() const { return !guides_walk() && !leaves_out_; }

 private:
  const bool leaves_out_;  // fields or types
  graph::PlanTable plans_;
  PathScope paths_;
  Tolerance tolerance_;
  bool has_blind_spots_ = false;
};

/*! \brief ForEachCountedChild without what is ignored: `fn(child, state, field, is_key)`. Keys of maps are no places:
 * they count as they do without patterns. */
template <class Fn>
void ForEachChildInScope(const TVMFFIAny& value, PathScope::State state, PathScope& paths, graph::PlanTable& plans,
                         graph::Keeper& keeper, Fn&& fn) {
  const graph::FieldPlan* no_field = nullptr;
  const auto visit = [&](const TVMFFIAny& child, PathScope::State at, const graph::FieldPlan* field) {
    if (!paths.Ignored(at)) fn(child, at, field, false);
  };
  switch (graph::Classify(value.type_index)) {
    case graph::ValueClass::kSequence: {
      const TVMFFISeqCell& cell = graph::SequenceOf(value);
      for (int64_t i = 0; i < cell.size; ++i) visit(graph::ItemsOf(cell)[i], paths.Item(state, i, i), no_field);
      return;
    }
    case graph::ValueClass::kMap: {
      const MapBaseObj& map = graph::MapOf(value);
      int64_t place = 0;
      for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos), ++place) {
        const SideStep step{place, map.KeyAt(pos).raw()};
        const PathScope::State at = paths.Entry(state, step, step);
        fn(*step.key, PathScope::kOpen, no_field, true);
        visit(*map.ValueAt(pos).raw(), at, no_field);
      }
      return;
    }
    default:
      ForEachCountedChild(value, plans, keeper, [&](const TVMFFIAny& child, const graph::FieldPlan* field) {
        visit(child, paths.Field(state, field->name), field);
      });
  }
}

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_RULES_DIFF_SCOPE_H_
