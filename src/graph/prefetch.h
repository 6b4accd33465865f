/*
 * Asking memory for what a walk will visit next: objects lie anywhere, and waiting for them is a large part of its
 * time.
 */
#ifndef TRANSOM_SRC_GRAPH_PREFETCH_H_
#define TRANSOM_SRC_GRAPH_PREFETCH_H_

#include <algorithm>
#include <cstdint>

#include "graph/type_plan.h"
#include "graph/value.h"

namespace transom::graph {

inline void Prefetch(const void* address) {
  __builtin_prefetch(address);
  asm volatile("" : : "r"(address));  // else a loop of nothing but this is removed
}

/*! \brief The objects that an object's fields refer to. */
inline void PrefetchFields(const TVMFFIObject* object, const TypePlan& plan) {
  for (const uint32_t offset : plan.objects)
    Prefetch(*reinterpret_cast<void* const*>(reinterpret_cast<const char*>(object) + offset));
}

/*! \brief The first elements. */
inline void PrefetchItems(const TVMFFISeqCell& sequence) {
  constexpr int64_t kMost = 8;
  const TVMFFIAny* items = ItemsOf(sequence);
  for (int64_t i = 0; i < std::min(sequence.size, kMost); ++i) Prefetch(items[i].v_ptr);
}

}  // namespace transom::graph
#endif  // TRANSOM_SRC_GRAPH_PREFETCH_H_
