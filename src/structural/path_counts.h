/*
 * In how many places of the unfolded tree each object of a graph stands.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_PATH_COUNTS_H_
#define TRANSOM_SRC_STRUCTURAL_PATH_COUNTS_H_

#include "graph/pointer_map.h"
#include "graph/type_plan.h"

namespace transom::structural {

/*! \brief Distinct paths from the root to every object, saturating at 2^64-1. Linear. */
class PathCounts {
 public:
  PathCounts(graph::PlanTable& plans, const TVMFFIAny& root);
  /*! \brief 1 for null, which stands for the root's own place. */
  uint64_t Of(const TVMFFIObject* obj) const;

 private:
  graph::PointerMap<uint64_t> counts_;
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_PATH_COUNTS_H_
