/*
 * Which fields a job over objects takes: fields carry flags that switch them off for text, comparison and hashing.
 */
#ifndef TRANSOM_SRC_INTEROP_FIELD_LISTS_H_
#define TRANSOM_SRC_INTEROP_FIELD_LISTS_H_

#include <transom/reflection/field_access.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "graph/type_plan.h"

namespace transom::interop {

/*! \brief The fields of types that have none of some flags (bits of TVMFFIFieldFlagBitMask); all fields of a record. */
class FieldLists {
 public:
  explicit FieldLists(int64_t flags_off) : flags_off_(flags_off) {}

  /*! \brief Indices into the plan's fields. Lives as long as this. */
  const std::vector<uint16_t>& Of(const graph::TypePlan& plan) {
    if (plan.type_index < 0) return plan.all;
    const auto [entry, is_new] = lists_.try_emplace(&plan);
    std::vector<uint16_t>& list = entry->second;
    if (is_new) {
      uint16_t i = 0;
      reflection::ForEachField(TVMFFIGetTypeInfo(plan.type_index), [&](const TVMFFIFieldInfo* field) {
        if (i < plan.fields.size() && (field->flags & flags_off_) == 0) list.push_back(i);
        ++i;
      });
    }
    return list;
  }

 private:
  int64_t flags_off_;
  std::unordered_map<const graph::TypePlan*, std::vector<uint16_t>> lists_;
};

}  // namespace transom::interop
#endif  // TRANSOM_SRC_INTEROP_FIELD_LISTS_H_
