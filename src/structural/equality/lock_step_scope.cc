// The walk under options of a diff: places that are ignored or not asked for, nearly equal floats, sequences whose
// order does not count.
#include <transom/runtime/error.h>

#include "structural/equality/align.h"
#include "structural/equality/lock_step.h"
#include "structural/equality/pair_elements.h"

namespace transom::structural {

using graph::ValueClass;
using State = PathScope::State;
using Verdict = WalkScope::Verdict;

void LockStep::Restrict(DiffScope* scope) {
  diff_scope_ = scope;
  binding_rule_.Restrict(scope);
}

void LockStep::BeginScope(const TVMFFIAny& lhs, const TVMFFIAny& rhs) {
  scope_ = std::make_unique<WalkScope>(*diff_scope_, options_, lhs, rhs);
  const bool without_floats = !diff_scope_->tolerance().exact();
  if (!without_floats && !diff_scope_->has_blind_spots()) return;
  lhs_keys_.Restrict(&scope_->keys(true), without_floats);
  rhs_keys_.Restrict(&scope_->keys(false), without_floats);
}

// ---- On the way -----------------------------------------------------------------------------------------------------

void LockStep::WalkInScope(size_t base) {
  std::vector<WalkScope::Level>& levels = scope_->levels;
  const auto follow_stack = [&] {
    if (levels.size() > frames_.size()) levels.resize(frames_.size());
    if (levels.size() < frames_.size()) levels.push_back({scope_->child, scope_->enters_approximate, false});
    scope_->enters_approximate = false;
  };
  follow_stack();
  while (frames_.size() > base && !stop_) {
    if (frames_.back().next < frames_.back().count) {
      if (StepInScope()) VisitChild();
    } else {
      const WalkScope::Level level = levels.back();
      scope_->child = level.state;
      Finish();
      levels.pop_back();
      if (level.approximate) scope_->NoteApproximate(level.near);
    }
    follow_stack();
  }
}

// Finds the state of the next part of the pair on top of the stack; false when it is ignored, and left behind.
bool LockStep::StepInScope() {
  Frame& frame = frames_.back();
  const uint64_t i = frame.next;
  ChoosePartner(frame);
  // Keys of maps are no places.
  const bool is_key = frame.cls == ValueClass::kMap && i < frame.count / 2;
  scope_->child = is_key ? PathScope::kOpen : StateOfPart(frame, scope_->levels.back().state, i);
  if (is_key || !scope_->paths().Ignored(scope_->child)) return true;
  ++frame.next;
  scope_->NoteApproximate(false);
  return false;
}

// Of the next part of the pair on top of the stack, where it is an element with several that would do.
void LockStep::ChoosePartner(const Frame& frame) {
  if (late_pairings_.empty() || late_pairings_.back().first_pair != frame.first_pair || !frame.paired) return;
  LatePairing& choices = *late_pairings_.back().choices;
  if (choices.chose()) element_pairing_->NoteChoice();
  Pair& pair = pairs_[frame.first_pair + frame.next];
  const int64_t rhs = pair.lhs >= 0 ? choices.RightOf(pair.lhs) : -1;
  if (rhs >= 0) pair.rhs = rhs;
}

// State of part `i` of a pair that was met in `state`; also of the entry whose key is part `i`.
State LockStep::StateOfPart(const Frame& frame, State state, uint64_t i) const {
  PathScope& paths = scope_->paths();
  if (state == PathScope::kOpen) return state;
  const Pair pair = PairOf(frame, i);
  switch (frame.cls) {
    case ValueClass::kSequence:
      return paths.Item(state, pair.lhs, pair.rhs);
    case ValueClass::kMap: {
      const auto step = [&](int64_t place, size_t first) {
        return place >= 0 ? SideStep{place, &entries_[first + static_cast<size_t>(place)].key} : SideStep();
      };
      return paths.Entry(state, step(pair.lhs, frame.first_entry),
                         step(pair.rhs, frame.first_entry + frame.num_lhs_entries));
    }
    default:
      return paths.Field(state, pair.lhs >= 0 ? frame.lhs_plan->fields[static_cast<size_t>(pair.lhs)].name
                                              : frame.rhs_plan->fields[static_cast<size_t>(pair.rhs)].name);
  }
}

// ---- What is found --------------------------------------------------------------------------------------------------

// Whether a difference of the part that is being compared is one. If not, the pair that holds the part is equal, but
// not everywhere.
bool LockStep::CountsInScope(EditKind kind, const TVMFFIAny* lhs, const TVMFFIAny* rhs) {
  PathScope& paths = scope_->paths();
  if (frames_.empty()) {
    return !paths.Outside(paths.Root()) || scope_->Leads(*lhs, paths.Root()) || scope_->Leads(*rhs, paths.Root());
  }
  const Frame& frame = frames_.back();
  WalkScope::Level& level = scope_->levels[frames_.size() - 1];
  const State state = StateOfPart(frame, level.state, frame.next - 1);
  bool counts = !paths.Ignored(state);
  if (counts && paths.Outside(state)) {
    const bool comes_or_goes = kind == EditKind::kReplace || kind == EditKind::kInsert || kind == EditKind::kDelete;
    counts = comes_or_goes &&
             ((lhs != nullptr && scope_->Leads(*lhs, state)) || (rhs != nullptr && scope_->Leads(*rhs, state)));
  }
  if (!counts) {
    level.approximate = true;
    return false;
  }
  // A part that is met in several states differs in each of them, which is one difference.
  if (scope_->IsNew(frame.lhs.v_obj, frame.rhs.v_obj, frame.next - 1, kind)) return true;
  frames_.back().differs = true;
  return false;
}

Verdict LockStep::VerdictInScope(uint32_t lhs_set, uint32_t rhs_set) {
  bool near = false;
  const Verdict verdict = scope_->Of(lhs_set, rhs_set, scope_->child, &near);
  if (verdict == Verdict::kEqual) scope_->NoteApproximate(near);
  return verdict;
}

// The verdict on the pair whose walk ends. Says whether there is nothing more to remember.
bool LockStep::RememberInScope(uint32_t lhs_set, uint32_t rhs_set, bool differs) {
  const WalkScope::Level& level = scope_->levels.back();
  if (!differs && !level.approximate) return false;
  scope_->Remember(lhs_set, rhs_set, level, differs ? Verdict::kDifferent : Verdict::kEqual);
  return true;
}

bool LockStep::NearInScope(const TVMFFIAny& lhs, const TVMFFIAny& rhs, ValueClass cls) {
  const Tolerance& tolerance = diff_scope_->tolerance();
  if (tolerance.exact() || !NearlyEqual(lhs, rhs, cls, tolerance)) return false;
  scope_->NoteApproximate(true);
  return true;
}

// ---- Sequences ------------------------------------------------------------------------------------------------------

std::vector<Pair> LockStep::PairInScope(const TVMFFISeqCell& lhs, const TVMFFISeqCell& rhs) {
  if (scope_->paths().Unordered(scope_->child)) {
    std::vector<Pair> pairs = PairAsAsked(lhs, rhs);
    if (auto choices = element_pairing_->TakeChoices()) late_pairings_.push_back({pairs_.size(), std::move(choices)});
    return pairs;
  }
  const AlignContext context{options_, bindings_};
  const bool keys_say_all = diff_scope_->tolerance().exact() && !diff_scope_->has_blind_spots();
  if (keys_say_all) return AlignSequences(lhs, rhs, plans_, lhs_keys_, rhs_keys_, nullptr, &context);
  if (diff_scope_->tolerance().exact()) return AlignSequences(lhs, rhs, plans_, lhs_keys_, rhs_keys_);
  const Nearness nearness{KeysOf(lhs, scope_->exact_keys(true)), KeysOf(rhs, scope_->exact_keys(false)),
                          scope_->floats(true).OfElements(lhs), scope_->floats(false).OfElements(rhs)};
  return AlignSequences(lhs, rhs, plans_, lhs_keys_, rhs_keys_, &nearness);
}

std::vector<Pair> LockStep::PairAsAsked(const TVMFFISeqCell& lhs, const TVMFFISeqCell& rhs) {
  if (element_pairing_ == nullptr) {
    element_pairing_ = std::make_unique<ElementPairing>(*scope_, options_, bindings_, lhs_keys_, rhs_keys_);
  }
  scope_->enters_approximate = true;
  const std::string* field = scope_->paths().KeyField(scope_->child);
  if (field == nullptr) return element_pairing_->InAnyOrder(lhs, rhs);
  if (auto pairs = element_pairing_->ByField(lhs, rhs, *field)) return std::move(*pairs);
  graph::Path path, other;
  for (const Frame& frame : frames_) {
    if (&frame != &frames_.back()) AppendSteps(frame, &path, &other);
  }
  TRANSOM_THROW(ValueError) << graph::PathText(path, true) << ": none of the elements has the field or key "
                            << graph::Quoted(*field) << " that "
                            << graph::Quoted(scope_->paths().KeyPattern(scope_->child)) << " pairs them by";
}

}  // namespace transom::structural
