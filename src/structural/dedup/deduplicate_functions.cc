#include "structural/dedup/deduplicate_functions.h"

#include "graph/fold.h"
#include "graph/rebuild.h"
#include "structural/dedup/function_finder.h"

namespace transom::structural {
namespace {

using graph::FoldFrame;
using graph::ValueClass;

// Puts the first function of each set in the place of the others.
class FunctionMerger {
 public:
  struct Result {
    TVMFFIAny value;
    bool changed = false;
  };
  static constexpr bool kKeysFirst = false;

  FunctionMerger(graph::PlanTable& plans, const FunctionFinder& finder, const PartMerger& parts)
      : finder_(finder), parts_(parts), first_(finder.num_classes(), graph::NoneValue()), fold_(plans, *this) {}

  Any Run(const TVMFFIAny& root) { return Any(AnyView::FromRaw(fold_.Run(root).value)); }

  bool Known(const TVMFFIAny& value, Result* result) const {
    const uint32_t set = finder_.ClassOf(value.v_obj);
    if (set == FunctionFinder::kNoClass || parts_.IsFixed(value.v_obj) || first_[set].type_index == kTVMFFINone)
      return false;
    *result = {first_[set], first_[set].v_obj != value.v_obj};
    return true;
  }
  Result Leaf(const TVMFFIAny& value, ValueClass) { return {value, false}; }
  Result Custom(const TVMFFIAny& value, const graph::TypePlan&, std::string_view) { return {value, false}; }
  void Enter(FoldFrame& frame) { frame.Visit(frame.plan->all); }
  Result Leave(FoldFrame& frame, const Result* children) {
    const TVMFFIAny value = rebuilder_.Remake(frame, children, fold_.keeper(), [&] { return fold_.CurrentPath(); });
    const uint32_t set = finder_.ClassOf(frame.value.v_obj);
    if (set != FunctionFinder::kNoClass && first_[set].type_index == kTVMFFINone) first_[set] = value;
    return {value, value.v_obj != frame.value.v_obj};
  }

 private:
  const FunctionFinder& finder_;
  const PartMerger& parts_;
  graph::Rebuilder rebuilder_;
  std::vector<TVMFFIAny> first_;  // by set: what stands for all; None: not met yet
  graph::Fold<FunctionMerger> fold_;
};

}  // namespace

Any MergeFunctions(graph::PlanTable& plans, const DeduplicateOptions& options, const PartMerger& parts,
                   uint64_t hash_mask, const Any& value) {
  FunctionFinder finder(plans, options, parts, hash_mask);
  finder.Run(*value.raw());
  return FunctionMerger(plans, finder, parts).Run(*value.raw());
}

}  // namespace transom::structural
