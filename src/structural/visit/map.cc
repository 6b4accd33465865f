#include <transom/structural/map.h>

#include "graph/rebuild.h"
#include "structural/visit/hook_walk.h"

namespace transom {
namespace {

using graph::DefRegion;
using graph::FoldFrame;
using graph::ValueClass;
using Hooks = std::vector<detail::TypeHook<MapResult>>;

bool SameBits(const TVMFFIAny& a, const TVMFFIAny& b) {
  return a.type_index == b.type_index && a.zero_padding == b.zero_padding && a.v_uint64 == b.v_uint64;
}

class Rewriter {
 public:
  // What stands in the place of a value.
  struct Result {
    TVMFFIAny value;
    bool changed;
  };
  static constexpr bool kKeysFirst = false;
  static constexpr bool kFieldsOnly = true;

  Rewriter(const WalkOptions& options, const Hooks& pre, const Hooks& post, const TVMFFIAny& root)
      : options_(options),
        plans_(options.rules),
        pre_(pre),
        post_(post),
        regions_(plans_, root),
        fold_(plans_, *this),
        place_(fold_) {}

  Any Run(const TVMFFIAny& root) { return Any(AnyView::FromRaw(fold_.Run(root).value)); }

  // For the walk.
  Result Leaf(const TVMFFIAny& value, ValueClass cls, DefRegion region);
  Result Custom(const TVMFFIAny& value, const graph::TypePlan&, std::string_view) { return {value, false}; }
  bool Begin(FoldFrame& frame, Result* result);
  void Enter(FoldFrame& frame) { frame.Visit(structural::WalkedFields(*frame.plan, options_)); }
  Result Leave(FoldFrame& frame, const Result* children);
  [[noreturn]] Result Again(const TVMFFIAny& value);

 private:
  // What a hook's answer about `value` puts in the place of `met`.
  Result Placed(const MapResult& answer, const TVMFFIAny& value, const TVMFFIAny& met) {
    const TVMFFIAny now = answer.replacement().has_value() ? rebuilder_.Keep(*answer.replacement()) : value;
    return {now, !SameBits(now, met)};
  }
  static TVMFFIAny Met(const FoldFrame& frame) { return graph::ObjectValue(const_cast<TVMFFIObject*>(frame.met)); }

  const WalkOptions& options_;
  graph::PlanTable plans_;
  structural::HookTable<MapResult> pre_;
  structural::HookTable<MapResult> post_;
  structural::DefinitionRegions regions_;
  graph::PointerMap<Result> leaves_;  // what stands for objects without children
  graph::PointerMap<uint8_t> replaced_;  // objects that something else was looked into for, before their children
  graph::Rebuilder rebuilder_{graph::Rebuilder::Children::kChecked};
  graph::Fold<Rewriter> fold_;
  structural::FoldPlace<graph::Fold<Rewriter>> place_;
};

Rewriter::Result Rewriter::Leaf(const TVMFFIAny& value, ValueClass cls, DefRegion region) {
  if (value.type_index == kTVMFFINone) return {value, false};
  const bool shared = structural::IsSharedLeaf(value, cls);
  if (shared) {
    if (const Result* known = leaves_.Find(value.v_obj)) return *known;
  }
  const MapResult before = pre_.Ask(value, region, place_);
  Result result = Placed(before, value, value);
  if (!before.is_final()) result = Placed(post_.Ask(result.value, region, place_), result.value, value);
  if (shared) *leaves_.Insert(value.v_obj).first = result;
  return result;
}

bool Rewriter::Begin(FoldFrame& frame, Result* result) {
  frame.region = regions_.Of(frame);
  const MapResult before = pre_.Ask(frame.value, frame.region, place_);
  *result = Placed(before, frame.value, frame.value);
  if (before.is_final()) return true;
  if (!result->changed) return false;
  if (graph::HasChildren(graph::Classify(result->value.type_index))) {
    *replaced_.Insert(frame.met).first = 1;
    frame.Become(result->value, plans_);
    return false;
  }
  *result = Placed(post_.Ask(result->value, frame.region, place_), result->value, frame.value);
  return true;
}

Rewriter::Result Rewriter::Leave(FoldFrame& frame, const Result* children) {
  const TVMFFIAny value = rebuilder_.Remake(frame, children, fold_.keeper(), [&] { return fold_.CurrentPath(); });
  return Placed(post_.Ask(value, frame.region, place_), value, Met(frame));
}

// A replacement is rewritten in its turn, so that one which holds what it replaces has no end.
Rewriter::Result Rewriter::Again(const TVMFFIAny& value) {
  if (replaced_.Find(value.v_obj) == nullptr) fold_.ThrowCycle();
  TRANSOM_THROW(ValueError)
      << graph::PathText(fold_.CurrentPath(), true) << ": the value of type " << graph::TypeKeyOf(value)
      << " here is the one that a hook before the children has replaced above: the replacement holds it, and is "
         "rewritten in its turn; put it there with a hook after the children (Post), or as MapResult::Final";
}

}  // namespace

Any StructuralMap::operator()(AnyView root) const {
  return Rewriter(options_, pre_, post_, *root.raw()).Run(*root.raw());
}

}  // namespace transom
