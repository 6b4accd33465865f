/*
 * In how many places of the unfolded tree each object of a graph stands.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_DIFF_PATH_COUNTS_H_
#define TRANSOM_SRC_STRUCTURAL_DIFF_PATH_COUNTS_H_

#include <map>
#include <vector>

#include "graph/path.h"
#include "graph/pointer_map.h"
#include "graph/type_plan.h"
#include "structural/rules/path_scope.h"

namespace transom::structural {

/*! \brief Distinct paths from the root to some objects, saturating at 2^64-1. Linear. */
class PathCounts {
 public:
  /*! \param asked The objects; nulls do not count. */
  PathCounts(graph::PlanTable& plans, const TVMFFIAny& root, const std::vector<const TVMFFIObject*>& asked);
  /*! \brief Of an object that was asked for; 1 for null, which stands for the root's own place. */
  uint64_t Of(const TVMFFIObject* obj) const;

 private:
  graph::PointerMap<uint64_t> counts_;
};

/*!
 * \brief The same where patterns leave out places: paths are told apart by what the patterns say of them. Linear, times
 * the states that an object is met in.
 */
class PathCountsInScope {
 public:
  PathCountsInScope(graph::PlanTable& plans, PathScope& paths, const TVMFFIAny& root);
  /*! \brief Distinct paths to a part of `holder` that are asked for and not ignored; 1 at least. */
  uint64_t Of(const TVMFFIObject* holder, const graph::Step& part);

 private:
  using Counts = std::map<PathScope::State, uint64_t>;
  PathScope::State After(PathScope::State state, const graph::Step& step);

  PathScope& paths_;
  graph::PointerMap<Counts> counts_;
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_DIFF_PATH_COUNTS_H_
