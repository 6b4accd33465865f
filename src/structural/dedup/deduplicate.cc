#include <transom/structural/deduplicate.h>

#include <memory>
#include <vector>

#include "structural/rules/fixed_objects.h"
#include "structural/dedup/deduplicate_functions.h"
#include "structural/dedup/deduplicate_parts.h"

namespace transom {
namespace structural {

// 1. Outside of files: fix what equals only itself, if there is any. 2. Merge closed parts without variables, bottom
// up, making again what holds them. 3. On request: merge functions.
DeduplicateResult DeduplicateByHash(AnyView root, const DeduplicateOptions& options, uint64_t hash_mask) {
  DeduplicateResult result;
  result.input = Any(root);
  graph::PlanTable plans(options.rules);
  std::vector<Any> fixed;
  auto merger = std::make_unique<PartMerger>(plans, options, hash_mask);
  if (options.as_files) {
    result.value = merger->Run(*root.raw());
  } else if (!merger->RunUnfixed(*root.raw(), &result.value)) {
    merger = std::make_unique<PartMerger>(plans, options, hash_mask);
    fixed = FixedObjects(plans, *root.raw());
    for (const Any& object : fixed) merger->Fix(*object.raw());
    result.value = merger->Run(*root.raw());
  }
  if (options.merge_functions) result.value = MergeFunctions(plans, options, *merger, hash_mask, result.value);
  return result;
}

}  // namespace structural

DeduplicateResult Deduplicate(AnyView root, const DeduplicateOptions& options) {
  return structural::DeduplicateByHash(root, options, ~uint64_t{0});
}

}  // namespace transom
