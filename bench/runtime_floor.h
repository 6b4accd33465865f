/*
 * What the operations of runtime_jobs.h cost at least: the same work on plain memory, without an object model.
 */
#ifndef TRANSOM_BENCH_RUNTIME_FLOOR_H_
#define TRANSOM_BENCH_RUNTIME_FLOOR_H_

#include "runtime_jobs.h"

namespace runtime_bench {

/*! \brief Jobs named "floor_" and what they do, for the same arguments as LibraryJobs. */
Jobs FloorJobs(uint64_t operations, uint64_t seed);

}  // namespace runtime_bench
#endif  // TRANSOM_BENCH_RUNTIME_FLOOR_H_
