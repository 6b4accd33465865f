/*
 * What comparing and hashing the benchmark's IR costs at least: functions written by hand for its types, without
 * reflection.
 */
#ifndef TRANSOM_BENCH_IR_FLOOR_H_
#define TRANSOM_BENCH_IR_FLOOR_H_

#include <cstddef>
#include <cstdint>

#include "ir_transom.h"

namespace ir_bench {

/*!
 * \brief Whether two graphs are equal, by recursion over both: variables pair one to one, all other objects are
 * compared wherever they are met. Exact on graphs of the builder, whose shared parts are small; recursion as deep as
 * the graph. `num_variables`: at least as many as a graph has.
 */
bool EqualByHand(const Graph& lhs, const Graph& rhs, size_t num_variables);

/*!
 * \brief A number from all fields that count in comparison, by recursion: a multiplication per field, and none of what
 * a hash is asked for besides (variables have no numbers, map entries no order). Shared parts are small and folded
 * wherever they are met.
 */
uint64_t FoldByHand(const Graph& graph);

}  // namespace ir_bench
#endif  // TRANSOM_BENCH_IR_FLOOR_H_
