#include <transom/structural/visit.h>

#include "structural/visit/hook_walk.h"

namespace transom {
namespace {

using graph::DefRegion;
using graph::FoldFrame;
using graph::ValueClass;
using Hooks = std::vector<detail::TypeHook<VisitResult>>;

// Ends the walk.
struct Interrupted {
  Any value;
};

class Visitor {
 public:
  struct Result {};
  static constexpr bool kKeysFirst = false;
  static constexpr bool kFieldsOnly = true;

  Visitor(const VisitOptions& options, const Hooks& pre, const Hooks& post, const TVMFFIAny& root)
      : options_(options),
        plans_(options.rules),
        pre_(pre),
        post_(post),
        regions_(plans_, root),
        fold_(plans_, *this),
        place_(fold_) {}

  void Run(const TVMFFIAny& root) { fold_.Run(root); }

  // For the walk.
  bool Lasting(const Result&) const { return !options_.every_place; }
  Result Leaf(const TVMFFIAny& value, ValueClass cls, DefRegion region) {
    if (value.type_index == kTVMFFINone) return {};
    if (!options_.every_place && structural::IsSharedLeaf(value, cls) && !leaves_.Insert(value.v_obj).second) return {};
    if (!Skips(pre_.Ask(value, region, place_))) Skips(post_.Ask(value, region, place_));
    return {};
  }
  Result Custom(const TVMFFIAny&, const graph::TypePlan&, std::string_view) { return {}; }
  bool Begin(FoldFrame& frame, Result*) {
    if (!options_.every_place) frame.region = regions_.Of(frame);
    return Skips(pre_.Ask(frame.value, frame.region, place_));
  }
  void Enter(FoldFrame& frame) { frame.Visit(structural::WalkedFields(*frame.plan, options_)); }
  Result Leave(FoldFrame& frame, const Result*) {
    Skips(post_.Ask(frame.value, frame.region, place_));
    return {};
  }

 private:
  static bool Skips(const VisitResult& result) {
    if (result.interrupt().has_value()) throw Interrupted{(*result.interrupt())->value};
    return result.skips_children();
  }

  const VisitOptions& options_;
  graph::PlanTable plans_;
  structural::HookTable<VisitResult> pre_;
  structural::HookTable<VisitResult> post_;
  structural::DefinitionRegions regions_;
  graph::PointerMap<uint8_t> leaves_;  // objects without children that were met
  graph::Fold<Visitor> fold_;
  structural::FoldPlace<graph::Fold<Visitor>> place_;
};

}  // namespace

std::optional<Any> StructuralVisit::operator()(AnyView root) const {
  try {
    Visitor(options_, pre_, post_, *root.raw()).Run(*root.raw());
  } catch (const Interrupted& interrupted) {
    return interrupted.value;
  }
  return std::nullopt;
}

}  // namespace transom
