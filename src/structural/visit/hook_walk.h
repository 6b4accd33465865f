/*
 * What visits and rewritings with hooks have in common: the choice of a hook, its call, the region and path that it
 * sees.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_VISIT_HOOK_WALK_H_
#define TRANSOM_SRC_STRUCTURAL_VISIT_HOOK_WALK_H_

#include <transom/runtime/error.h>
#include <transom/structural/hook.h>

#include <memory>
#include <string>
#include <vector>

#include "graph/fold.h"
#include "structural/rules/bound_variables.h"
#include "structural/visit/type_dispatch.h"

namespace transom::structural {

/*! \brief The hooks of one list, ready for one traversal. */
template <class Result>
class HookTable {
 public:
  using Hook = transom::detail::TypeHook<Result>;

  explicit HookTable(const std::vector<Hook>& hooks) : hooks_(hooks) {
    for (const Hook& hook : hooks) {
      if (hook.type_key.empty()) {
        dispatch_.Add(hook.type_index);
      } else {
        dispatch_.Add(hook.type_key);
      }
    }
  }

  /*! \brief What the value's hook says; Result() when it has none. An Error gets the path before its message. */
  Result Ask(const TVMFFIAny& value, graph::DefRegion region, const WalkPlace::Source& source) {
    const int32_t i = dispatch_.Find(value);
    if (i < 0) return Result();
    const WalkPlace place(region, &source);
    try {
      return hooks_[static_cast<size_t>(i)].call(AnyView::FromRaw(value), place);
    } catch (const Error& error) {
      std::string message = place.path_text();
      message.append(": ").append(error.message());
      throw Error(error.kind(), message, error.backtrace(), error);
    }
  }

 private:
  const std::vector<Hook>& hooks_;
  TypeDispatch dispatch_;
};

/*! \brief The place that a walk is at. */
template <class Fold>
class FoldPlace final : public WalkPlace::Source {
 public:
  explicit FoldPlace(const Fold& fold) : fold_(fold) {}
  reflection::AccessPath CurrentAccessPath() const override { return graph::ToAccessPath(fold_.CurrentPath()); }
  std::string CurrentPathText() const override { return graph::PathText(fold_.CurrentPath(), true); }

 private:
  const Fold& fold_;
};

/*! \brief Regions of variables that are visited once: those of their definitions, which may come later. */
class DefinitionRegions {
 public:
  DefinitionRegions(graph::PlanTable& plans, const TVMFFIAny& root) : plans_(plans), root_(root) {}

  graph::DefRegion Of(const graph::FoldFrame& frame) {
    const bool used_first = frame.plan != nullptr && frame.plan->kind == graph::StructuralKind::kFreeVar &&
                            frame.region == graph::DefRegion::kNone;
    if (!used_first) return frame.region;
    if (bound_ == nullptr) bound_ = std::make_unique<BoundVariables>(plans_, root_, StructuralOptions());
    return bound_->RegionOf(frame.value.v_obj);
  }

 private:
  graph::PlanTable& plans_;
  const TVMFFIAny& root_;
  std::unique_ptr<BoundVariables> bound_;
};

/*! \brief Whether an object without children counts as one, wherever it is met; strings and bytes are values. */
inline bool IsSharedLeaf(const TVMFFIAny& value, graph::ValueClass cls) {
  return graph::IsObject(value) && cls != graph::ValueClass::kString && cls != graph::ValueClass::kBytes &&
         graph::StrongCount(value.v_obj) > 1;
}

inline const std::vector<uint16_t>& WalkedFields(const graph::TypePlan& plan, const WalkOptions& options) {
  return options.ignored_fields ? plan.all : plan.structural;
}

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_VISIT_HOOK_WALK_H_
