// Comparison on trial: which of several keys of one digest are alike. The digest is the one without context, or with
// numbers for what is bound; this decides, whatever collides.
#include "structural/equality/lock_step.h"

namespace transom::structural {
namespace {

// Keys of one digest in keys of one digest, and steps in all: trials inside of trials repeat what is below them.
constexpr int kMaxDepth = 16;
constexpr uint64_t kMaxSteps = 1'000'000;

}  // namespace

// When it takes too long, and where options leave out parts of keys, keys of one digest are taken to be alike.
bool LockStep::AreAlike(const TVMFFIAny& lhs, const TVMFFIAny& rhs) const {
  if (scope_ != nullptr || shared_->depth == kMaxDepth || shared_->steps >= kMaxSteps) return true;
  LockStep trial(plans_, options_, Goal::kFirst, rules_, shared_);
  trial.outer_bindings_ = &KnownBindings();
  ++shared_->depth;
  trial.Visit(lhs, rhs, graph::DefRegion::kNone);
  while (!trial.frames_.empty() && !trial.stop_ && shared_->steps < kMaxSteps) {
    ++shared_->steps;
    trial.TakeStep();
  }
  --shared_->depth;
  return !trial.stop_;
}

// Whether variables and shared nodes are bound to each other, or not at all.
bool LockStep::SameIdentity(const Frame& frame) const {
  return !HasIdentity(frame.kind) ||
         outer_bindings_->NumberOf(frame.lhs.v_obj, true) == outer_bindings_->NumberOf(frame.rhs.v_obj, false);
}

}  // namespace transom::structural
