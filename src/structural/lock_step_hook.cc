// Comparison by a type's own code: its hook asks the walk, part by part, whether two values are equal.
#include <transom/containers/string.h>
#include <transom/runtime/function.h>

#include "graph/fold.h"
#include "graph/hook.h"
#include "structural/hook_lease.h"
#include "structural/lock_step.h"

namespace transom::structural {

using graph::DefRegion;

// The pair on top of the stack is what the hook decides about.
void LockStep::RunHook() {
  const size_t hook = frames_.size() - 1;
  frames_[hook].hooked = true;
  const TVMFFIAny lhs = frames_[hook].lhs, rhs = frames_[hook].rhs;
  const Found before = FoundSoFar();
  bool equal = false;
  {
    const HookLease<LockStep> lease(this);
    const Function compare = Function::FromTyped(
        [walk = lease.get(), hook](const Any& l, const Any& r, int region, const Any& name) {
          return (*walk).CompareForHook(hook, l, r, HookRegion(region), name);
        },
        "__s_equal__ callback");
    const AnyView args[] = {AnyView::FromRaw(lhs), AnyView::FromRaw(rhs), AnyView(compare)};
    equal = graph::FunctionHookOf(frames_[hook].lhs_plan->type_index, "__s_equal__")->CallPacked(args, 3).cast<bool>();
  }
  if (equal) return ForgetDifferences(before);
  stop_ = true;
  frames_[hook].differs = true;
  if (counts_ != before.counts) return;  // what the hook asked for last has its place
  frames_[hook].hook_name = {};
  Differ(EditKind::kUpdate, &lhs, &rhs);
}

bool LockStep::CompareForHook(size_t hook, const AnyView& lhs, const AnyView& rhs, DefRegion region, const AnyView& name) {
  TRANSOM_CHECK(frames_.size() == hook + 1, RuntimeError)
      << "a comparison callback was called from the hook of another object";
  const Found before = FoundSoFar();
  // Kept to the end: what is known of objects is known by their addresses.
  const TVMFFIAny l = keeper_.Keep(Any(lhs)), r = keeper_.Keep(Any(rhs));
  Frame& frame = frames_[hook];
  frame.hook_name = {};
  if (name.try_cast<String>().has_value()) {
    keeper_.Keep(Any(name));
    frame.hook_name = keeper_.LastText();
  }
  Visit(l, r, graph::FieldRegion(frame.region, frame.kind, region));
  WalkAbove(hook + 1);
  while (frames_.size() > hook + 1) {
    Close(frames_.back());
    frames_.pop_back();
  }
  // The hook may go on: it decides what a difference means.
  stop_ = false;
  frames_[hook].differs = false;
  return counts_ == before.counts;
}

void LockStep::ForgetDifferences(const Found& before) {
  counts_ = before.counts;
  if (sink_ != nullptr) sink_->erase(sink_->begin() + static_cast<ptrdiff_t>(before.listed), sink_->end());
}

}  // namespace transom::structural
