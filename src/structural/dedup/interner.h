/*
 * The walk that interns a value and its parts.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_DEDUP_INTERNER_H_
#define TRANSOM_SRC_STRUCTURAL_DEDUP_INTERNER_H_

#include <transom/structural/interner.h>

#include <vector>

#include "graph/fold.h"
#include "graph/rebuild.h"
#include "structural/dedup/equal_parts.h"
#include "structural/dedup/weak_table.h"

namespace transom {

/*! \brief What an interner has from call to call. The flag of an object in its table: nothing below equals itself only.
 */
class Interner::Impl {
 public:
  /*! \param hash_mask For tests: bits of hashes that are used. */
  explicit Impl(InternerOptions options, uint64_t hash_mask = ~uint64_t{0});

  Any Intern(const TVMFFIAny& root);
  void Compact() { table_.Compact(); }
  InternerStatistics statistics() const;

 private:
  class Walk;

  const bool merge_ignored_;
  StructuralOptions compare_;
  graph::PlanTable plans_;
  structural::WeakTable table_;
  std::vector<uint64_t> words_;
  uint64_t entered_ = 0;
  uint64_t hits_ = 0;
};

}  // namespace transom
#endif  // TRANSOM_SRC_STRUCTURAL_DEDUP_INTERNER_H_
