/*
 * What comparing the benchmark's IR costs at least: functions written by hand for its types, without reflection.
 */
#ifndef TRANSOM_BENCH_IR_FLOOR_H_
#define TRANSOM_BENCH_IR_FLOOR_H_

#include <cstddef>

#include "ir_transom.h"

namespace ir_bench {

/*!
 * \brief Whether two graphs are equal, by recursion over both: variables pair one to one, all other objects are compared
 * wherever they are met. Exact on graphs of the builder, whose shared parts are small; recursion as deep as the graph.
 * `num_variables`: at least as many as a graph has.
 */
bool EqualByHand(const Graph& lhs, const Graph& rhs, size_t num_variables);

}  // namespace ir_bench
#endif  // TRANSOM_BENCH_IR_FLOOR_H_
