#include <transom/structural/deduplicate.h>

#include "structural/deduplicate_fixed.h"
#include "structural/deduplicate_functions.h"
#include "structural/deduplicate_parts.h"

namespace transom {

int64_t DeduplicateResult::bytes_saved() const {
  int64_t saved = 0;
  for (const TypeCount& type : before.types) saved += static_cast<int64_t>(type.bytes);
  for (const TypeCount& type : after.types) saved -= static_cast<int64_t>(type.bytes);
  return saved;
}

namespace structural {

// 1. Count, which also tells that there is no cycle. 2. Outside of files: fix what equals only itself. 3. Merge closed
// parts without variables, bottom up, making again what holds them. 4. On request: merge functions. 5. Count again.
DeduplicateResult DeduplicateByHash(AnyView root, const DeduplicateOptions& options, uint64_t hash_mask) {
  DeduplicateResult result;
  result.before = Statistics(root);
  graph::PlanTable plans(options.rules);
  PartMerger merger(plans, options, hash_mask);
  std::vector<Any> fixed;
  if (!options.as_files) fixed = FixedObjects(plans, *root.raw());
  for (const Any& object : fixed) merger.Fix(*object.raw());
  result.value = merger.Run(*root.raw());
  if (options.merge_functions) result.value = MergeFunctions(plans, options, merger, hash_mask, result.value);
  result.after = result.value.raw()->v_uint64 == root.raw()->v_uint64 ? result.before : Statistics(result.value);
  return result;
}

}  // namespace structural

DeduplicateResult Deduplicate(AnyView root, const DeduplicateOptions& options) {
  return structural::DeduplicateByHash(root, options, ~uint64_t{0});
}

}  // namespace transom
