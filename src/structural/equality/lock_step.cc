#include "structural/equality/lock_step.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "graph/fold.h"
#include "structural/equality/align.h"
#include "structural/rules/leaf_equal.h"

namespace transom::structural {
namespace {

using graph::Classify;
using graph::DefRegion;
using graph::Path;
using graph::Step;
using graph::TypePlan;
using graph::ValueClass;

constexpr uint64_t kMaxListedSteps = 1'000'000;

// An entry whose keys turned out to differ: both halves were reported.
constexpr int64_t kReported = std::numeric_limits<int64_t>::min();

bool SameType(const TypePlan& lhs, const TypePlan& rhs) { return &lhs == &rhs || lhs.key == rhs.key; }

bool IsShared(const TVMFFIAny& value) { return graph::StrongCount(value.v_obj) > 1; }

}  // namespace

LockStep::LockStep(graph::PlanTable& plans, const StructuralOptions& options, Goal goal, Rules rules)
    : LockStep(plans, options, goal, rules, std::make_shared<Shared>(plans, options, rules == Rules::kTransom ? Hooks::kRefuse : Hooks::kRun)) {
  TellPathsOfKeys();
}

LockStep::LockStep(graph::PlanTable& plans, const StructuralOptions& options, Goal goal, SideKeys& keys, bool swapped)
    : LockStep(plans, options, goal, Rules::kTransom, std::make_shared<Shared>(plans, options, keys, swapped)) {
  TellPathsOfKeys();
}

void LockStep::TellPathsOfKeys() {
  lhs_keys_.SetPathOf([this](const TVMFFIAny& part, int64_t place) { return PathOfPart(part, place, true); });
  rhs_keys_.SetPathOf([this](const TVMFFIAny& part, int64_t place) { return PathOfPart(part, place, false); });
}

LockStep::LockStep(graph::PlanTable& plans, const StructuralOptions& options, Goal goal, Rules rules,
                   std::shared_ptr<Shared> shared)
    : plans_(plans),
      options_(options),
      goal_(goal),
      rules_(rules),
      shared_(std::move(shared)),
      binding_rule_(shared_->binding_rule),
      lhs_keys_(shared_->lhs_keys),
      rhs_keys_(shared_->rhs_keys),
      context_(plans) {}

bool LockStep::Run(const TVMFFIAny& lhs, const TVMFFIAny& rhs, uint64_t max_listed, std::vector<Difference>* sink) {
  binding_rule_.SetRoots(lhs, rhs);
  max_listed_ = max_listed;
  sink_ = sink;
  if (diff_scope_ != nullptr && diff_scope_->guides_walk()) BeginScope(lhs, rhs);
  RunMore(lhs, rhs);
  for (const uint64_t n : counts_) {
    if (n != 0) return false;
  }
  return true;
}

void LockStep::RunMore(const TVMFFIAny& lhs, const TVMFFIAny& rhs) {
  if (scope_ != nullptr && !scope_->BeginAtRoot()) return;
  Visit(lhs, rhs, options_.map_free_vars ? DefRegion::kRecursive : DefRegion::kNone);
  if (scope_ != nullptr) {
    WalkInScope(0);
  } else {
    WalkAbove(0);
  }
}

// Goes on until only `base` pairs are on the stack.
void LockStep::WalkAbove(size_t base) {
  while (frames_.size() > base && !stop_) TakeStep();
}

void LockStep::TakeStep() {
  if (frames_.back().next < frames_.back().count) {
    VisitChild();
  } else {
    Finish();
  }
}

// ---- One pair of values ---------------------------------------------------------------------------------------------

void LockStep::Visit(const TVMFFIAny& lhs, const TVMFFIAny& rhs, DefRegion region) {
  const ValueClass cls = Classify(lhs.type_index);
  if (loose_ != nullptr && VisitWrapped(lhs, rhs, region)) return;
  if (cls != Classify(rhs.type_index)) return Differ(EditKind::kReplace, &lhs, &rhs);
  if (!graph::HasChildren(cls)) return VisitLeaf(lhs, rhs, cls);
  Frame frame;
  frame.lhs = lhs;
  frame.rhs = rhs;
  frame.cls = cls;
  frame.region = region;
  if (cls == ValueClass::kObject) return VisitObject(frame);
  if (lhs.type_index != rhs.type_index) return Differ(EditKind::kReplace, &lhs, &rhs);
  if (EnterShared(frame)) Push(frame);
}

void LockStep::VisitLeaf(const TVMFFIAny& lhs, const TVMFFIAny& rhs, ValueClass cls) {
  const bool same = lhs.type_index == rhs.type_index && lhs.v_uint64 == rhs.v_uint64;
  if (same && cls == ValueClass::kScalar) return;
  if (rules_ == Rules::kContract && cls == ValueClass::kOpaque && lhs.type_index != rhs.type_index) {
    return Differ(EditKind::kReplace, &lhs, &rhs);
  }
  if (rules_ == Rules::kContract && same && (cls == ValueClass::kTensor || !graph::IsObject(lhs))) return;
  for (const TVMFFIAny* side : {&lhs, &rhs}) {
    CheckLeaf(*side, cls, options_, rules_ == Rules::kContract ? Opaque::kPointersCompare : Opaque::kRefuse, [&] {
      Path l, r;
      PathTo(&l, &r);
      return side == &lhs ? l : r;
    });
  }
  if (cls != ValueClass::kOpaque && LeafEqual(lhs, rhs, cls, options_.skip_tensor_content)) return;
  if (scope_ != nullptr && NearInScope(lhs, rhs, cls)) return;
  const bool same_type = cls != ValueClass::kScalar || lhs.type_index == rhs.type_index;
  Differ(same_type ? EditKind::kUpdate : EditKind::kReplace, &lhs, &rhs);
}

void LockStep::VisitObject(Frame& frame) {
  frame.lhs_plan = &plans_.Of(frame.lhs.v_obj);
  frame.rhs_plan = &plans_.Of(frame.rhs.v_obj);
  const TypePlan& plan = *frame.lhs_plan;
  if (!SameType(plan, *frame.rhs_plan)) return Differ(EditKind::kReplace, &frame.lhs, &frame.rhs);
  CheckTypes(frame);
  const TVMFFIObject* lhs = frame.lhs.v_obj;
  const TVMFFIObject* rhs = frame.rhs.v_obj;
  if (plan.custom_data && rules_ != Rules::kContract) {
    if (CustomDataDiffers(frame)) Differ(EditKind::kUpdate, &frame.lhs, &frame.rhs);
    return;
  }
  frame.kind = EffectiveKind(plan, options_);
  if (outer_bindings_ != nullptr) {
    if (!SameIdentity(frame)) return Differ(EditKind::kRewire, &frame.lhs, &frame.rhs);
    if (EnterShared(frame)) Push(frame);
    return;
  }
  switch (frame.kind) {
    case StructuralKind::kUnique:
      if (lhs != rhs) Differ(EditKind::kRewire, &frame.lhs, &frame.rhs);
      return;
    case StructuralKind::kConstTree:
      if (lhs == rhs) {
        if (record_ != nullptr) record_->pairs.push_back({lhs, rhs, true, false, true});
        return;
      }
      break;
    case StructuralKind::kFreeVar:
    case StructuralKind::kDag:
      if (const TVMFFIObject* partner = bindings_.RightOf(lhs)) {
        if (partner != rhs) MeetAnother(frame);
        return;
      }
      if (bindings_.LeftOf(rhs) != nullptr) return MeetAnother(frame);
      break;
    default:
      break;
  }
  if (EnterShared(frame)) Push(frame);
}

void LockStep::CheckTypes(const Frame& frame) {
  for (const TypePlan* side : {frame.lhs_plan, frame.rhs_plan}) {
    // A hook takes two objects of its own type, and no record.
    const bool one_form = frame.lhs_plan == frame.rhs_plan;
    CheckComparable(*side, options_, one_form ? hooks() : Hooks::kRefuse, [&] {
      Path l, r;
      PathTo(&l, &r);
      return side == frame.lhs_plan ? l : r;
    });
    if (side->hook) hook_types_.emplace(side->key);
  }
}

bool LockStep::CustomDataDiffers(const Frame& frame) {
  const TVMFFIObject* lhs = frame.lhs.v_obj;
  const TVMFFIObject* rhs = frame.rhs.v_obj;
  return lhs != rhs &&
         graph::CustomDataOf(lhs, *frame.lhs_plan, keeper_) != graph::CustomDataOf(rhs, *frame.rhs_plan, keeper_);
}

// Whether the pair is to be looked into: not when it is known to be equal, or was reported already. One shared side is
// enough to come here again.
bool LockStep::EnterShared(Frame& frame) {
  frame.shared = IsShared(frame.lhs) || IsShared(frame.rhs);
  if (!frame.shared) return true;
  Known* lhs = lhs_known_.Insert(frame.lhs.v_obj).first;
  Known* rhs = rhs_known_.Insert(frame.rhs.v_obj).first;
  if (lhs->open) ThrowCycle(true);
  if (rhs->open) ThrowCycle(false);
  const uint32_t l = SetOf(*lhs), r = SetOf(*rhs);
  if (sets_.Same(l, r)) return false;
  const WalkScope::Verdict verdict = scope_ != nullptr ? VerdictInScope(l, r) : WalkScope::Verdict::kUnknown;
  if (verdict == WalkScope::Verdict::kEqual) return false;
  if (goal_ == Goal::kAll && (verdict == WalkScope::Verdict::kDifferent || different_.Contains(l, r))) {
    if (num_in_keys_ != 0) {
      KeysDiffer();
      return false;
    }
    MeetKnownDifference();
    return false;
  }
  lhs->open = true;
  rhs->open = true;
  frame.lhs_known = lhs_known_.PlaceOf(lhs);
  frame.rhs_known = rhs_known_.PlaceOf(rhs);
  return true;
}

uint32_t LockStep::SetOf(Known& known) {
  if (known.set == 0) known.set = sets_.Add();
  return known.set;
}

// ---- A pair with children -------------------------------------------------------------------------------------------

void LockStep::Push(Frame& frame) {
  frame.first_pair = pairs_.size();
  frame.first_entry = entries_.size();
  frame.first_state = states_.size();
  frame.way_in = std::exchange(way_in_, 0);
  frames_.push_back(frame);
  switch (frame.cls) {
    case ValueClass::kSequence:
      EnterSequence(frames_.back());
      break;
    case ValueClass::kMap:
      EnterMap(frames_.back());
      break;
    default:
      EnterFields(frames_.back());
  }
  if (record_ != nullptr) states_.resize(states_.size() + frames_.back().count, Slot::State::kSame);
}

void LockStep::EnterSequence(Frame& frame) {
  const TVMFFISeqCell& lhs = graph::SequenceOf(frame.lhs);
  const TVMFFISeqCell& rhs = graph::SequenceOf(frame.rhs);
  if (goal_ == Goal::kFirst) {
    frame.count = static_cast<uint64_t>(std::max(lhs.size, rhs.size));
    graph::PrefetchItems(lhs);
    graph::PrefetchItems(rhs);
    return;
  }
  const AlignContext context{options_, bindings_};
  const std::vector<Pair> pairs = scope_ != nullptr
                                      ? PairInScope(lhs, rhs)
                                      : AlignSequences(lhs, rhs, plans_, lhs_keys_, rhs_keys_, nullptr, &context);
  frame.paired = true;
  frame.count = pairs.size();
  pairs_.insert(pairs_.end(), pairs.begin(), pairs.end());
  if (loose_ != nullptr) PairMovedItems(frame);
}

void LockStep::EnterMap(Frame& frame) {
  if (rules_ == Rules::kContract) return EnterMapByIdentity(frame);
  const std::vector<MapEntry> lhs = EntriesOf(graph::MapOf(frame.lhs));
  const std::vector<MapEntry> rhs = EntriesOf(graph::MapOf(frame.rhs));
  const bool on_trial = outer_bindings_ != nullptr;
  if (on_trial) shared_->steps += lhs.size() + rhs.size();
  const auto alike = [this](const TVMFFIAny& l, const TVMFFIAny& r) { return AreAlike(l, r); };
  MapPairing pairing(plans_, options_, KnownBindings(), lhs_keys_, rhs_keys_, alike, on_trial);
  const std::vector<Pair> pairs = goal_ == Goal::kFirst ? pairing.Run(lhs, rhs) : pairing.RunByContent(lhs, rhs);
  frame.paired = true;
  frame.num_lhs_entries = lhs.size();
  frame.count = 2 * pairs.size();
  pairs_.insert(pairs_.end(), pairs.begin(), pairs.end());
  entries_.insert(entries_.end(), lhs.begin(), lhs.end());
  entries_.insert(entries_.end(), rhs.begin(), rhs.end());
}

void LockStep::EnterFields(Frame& frame) {
  if (ComparesByHook(*frame.lhs_plan)) return RunHook();
  const std::vector<uint16_t>& counted = CountedFields(*frame.lhs_plan, frame.lhs.v_obj, keeper_);
  if (frame.lhs_plan == frame.rhs_plan) {
    frame.list = counted.data();
    frame.count = counted.size();
    graph::PrefetchFields(frame.lhs.v_obj, *frame.lhs_plan);
    graph::PrefetchFields(frame.rhs.v_obj, *frame.rhs_plan);
    return;
  }
  const std::vector<Pair> pairs =
      PairFields(*frame.lhs_plan, counted, *frame.rhs_plan, CountedFields(*frame.rhs_plan, frame.rhs.v_obj, keeper_));
  frame.paired = true;
  frame.count = pairs.size();
  pairs_.insert(pairs_.end(), pairs.begin(), pairs.end());
}

Pair LockStep::PairOf(const Frame& frame, uint64_t i) const {
  const uint64_t n = frame.cls == ValueClass::kMap ? frame.count / 2 : frame.count;
  if (frame.paired) return pairs_[frame.first_pair + (i < n ? i : i - n)];
  if (frame.cls == ValueClass::kObject) return {frame.list[i], frame.list[i]};
  const int64_t at = static_cast<int64_t>(i);
  const int64_t lhs_size = graph::SequenceOf(frame.lhs).size, rhs_size = graph::SequenceOf(frame.rhs).size;
  return {at < lhs_size ? at : Absent(at), at < rhs_size ? at : Absent(at)};
}

void LockStep::VisitChild() {
  Frame& frame = frames_.back();
  const uint64_t i = frame.next++;
  switch (frame.cls) {
    case ValueClass::kSequence:
      return VisitItem(frame, i);
    case ValueClass::kMap:
      return VisitEntry(frame, i);
    default:
      return VisitField(frame, i);
  }
}

void LockStep::VisitItem(Frame& frame, uint64_t i) {
  const Pair pair = PairOf(frame, i);
  const TVMFFIAny* lhs = pair.lhs >= 0 ? &graph::ItemsOf(graph::SequenceOf(frame.lhs))[pair.lhs] : nullptr;
  const TVMFFIAny* rhs = pair.rhs >= 0 ? &graph::ItemsOf(graph::SequenceOf(frame.rhs))[pair.rhs] : nullptr;
  if (lhs != nullptr && rhs != nullptr)
    return VisitMovedItem(frame, *lhs, *rhs) ? void() : Visit(*lhs, *rhs, frame.region);
  Differ(lhs != nullptr ? EditKind::kDelete : EditKind::kInsert, lhs, rhs);
}

void LockStep::VisitEntry(Frame& frame, uint64_t i) {
  const uint64_t n = frame.count / 2;
  if (rules_ == Rules::kContract) return VisitEntryByIdentity(frame, i - n);
  const Pair pair = PairOf(frame, i);
  const MapEntry* lhs = pair.lhs >= 0 ? &entries_[frame.first_entry + static_cast<size_t>(pair.lhs)] : nullptr;
  const MapEntry* rhs =
      pair.rhs >= 0 ? &entries_[frame.first_entry + frame.num_lhs_entries + static_cast<size_t>(pair.rhs)] : nullptr;
  const bool both = lhs != nullptr && rhs != nullptr;
  if (i < n) {
    if (!both || !graph::HasChildren(Classify(lhs->key.type_index))) return;
    if (!frame.in_keys) ++num_in_keys_;
    frame.in_keys = true;
    return Visit(TVMFFIAny(lhs->key), TVMFFIAny(rhs->key), KeyRegion(plans_, frame.region, lhs->key));
  }
  if (frame.in_keys) --num_in_keys_;
  frame.in_keys = false;
  if (pair.lhs == kReported) return;
  if (both) return Visit(TVMFFIAny(lhs->value), TVMFFIAny(rhs->value), frame.region);
  Differ(lhs != nullptr ? EditKind::kDelete : EditKind::kInsert, lhs != nullptr ? &lhs->value : nullptr,
         rhs != nullptr ? &rhs->value : nullptr);
}

void LockStep::VisitField(Frame& frame, uint64_t i) {
  const Pair pair = PairOf(frame, i);
  const graph::FieldPlan* lhs = pair.lhs >= 0 ? &frame.lhs_plan->fields[static_cast<size_t>(pair.lhs)] : nullptr;
  const graph::FieldPlan* rhs = pair.rhs >= 0 ? &frame.rhs_plan->fields[static_cast<size_t>(pair.rhs)] : nullptr;
  if (lhs != nullptr && rhs != nullptr) {
    const DefRegion region = graph::FieldRegion(frame.region, frame.lhs_plan->kind, lhs->def);
    const TVMFFIAny lhs_value = graph::ReadField(frame.lhs.v_obj, *lhs, keeper_);
    return Visit(lhs_value, graph::ReadField(frame.rhs.v_obj, *rhs, keeper_), region);
  }
  if (lhs != nullptr) {
    LoneField(graph::ReadField(frame.lhs.v_obj, *lhs, keeper_), *lhs, true);
  } else {
    LoneField(graph::ReadField(frame.rhs.v_obj, *rhs, keeper_), *rhs, false);
  }
}

// A field that one version of the type has: where the other lacks it, its declared default stands.
void LockStep::LoneField(const TVMFFIAny& value, const graph::FieldPlan& field, bool is_lhs) {
  const TVMFFIAny& stands = *field.default_value.raw();
  const ValueClass cls = Classify(value.type_index);
  // A default that counts has no children.
  if (field.has_default && cls == Classify(stands.type_index) && !graph::HasChildren(cls)) {
    if (cls != ValueClass::kOpaque && LeafEqual(value, stands, cls, options_.skip_tensor_content)) return;
    if (scope_ != nullptr && NearInScope(value, stands, cls)) return;
  }
  Differ(is_lhs ? EditKind::kDelete : EditKind::kInsert, is_lhs ? &value : nullptr, is_lhs ? nullptr : &value);
}

void LockStep::Close(const Frame& frame) {
  if (frame.in_keys) --num_in_keys_;
  if (frame.shared) LhsKnown(frame).open = RhsKnown(frame).open = false;
  pairs_.resize(frame.first_pair);
  while (!moved_items_.empty() && moved_items_.back().at >= frame.first_pair) moved_items_.pop_back();
  while (!late_pairings_.empty() && late_pairings_.back().first_pair >= frame.first_pair) {
    if (late_pairings_.back().choices->chose()) element_pairing_->NoteChoice();
    late_pairings_.pop_back();
  }
  entries_.resize(frame.first_entry);
  if (record_ != nullptr) states_.resize(frame.first_state);
  // Dropped with the next hook or at the end: whoever closes a pair still looks at it.
  num_held_frames_ = std::min(num_held_frames_, frames_.size() - 1);
  num_held_entries_ = std::min(num_held_entries_, entries_.size());
}

void LockStep::CloseAbove(size_t base) {
  while (frames_.size() > base) {
    Close(frames_.back());
    frames_.pop_back();
  }
}

void LockStep::Finish() {
  const Frame frame = frames_.back();
  const bool one_to_one =
      outer_bindings_ == nullptr && (frame.kind == StructuralKind::kFreeVar || frame.kind == StructuralKind::kDag);
  // After a difference inside, the pair is still the best one: uses of the two are no further differences.
  const bool binds = one_to_one && (frame.kind == StructuralKind::kDag ||
                                    binding_rule_.MayBind(frame.lhs.v_obj, frame.rhs.v_obj, frame.region));
  if (record_ != nullptr && one_to_one == binds) RecordPair(frame);
  Close(frame);
  frames_.pop_back();
  if (frame.differs && !frames_.empty()) frames_.back().differs = true;
  if (frame.differs) MarkSlot(Slot::State::kInside);
  const bool differs = frame.differs || one_to_one != binds;
  if (frame.shared && (differs || !one_to_one)) Remember(frame, differs);
  if (binds) bindings_.Bind(frame.lhs.v_obj, frame.rhs.v_obj);
  if (differs && !frame.differs) Differ(EditKind::kRewire, &frame.lhs, &frame.rhs);
}

// The verdict on a pair, for its other places.
void LockStep::Remember(const Frame& frame, bool differs) {
  const uint32_t l = SetOf(LhsKnown(frame)), r = SetOf(RhsKnown(frame));
  if (scope_ != nullptr && RememberInScope(l, r, differs)) return;
  if (differs) {
    if (goal_ == Goal::kAll) NoteDifferent(l, r);
  } else {
    sets_.Join(l, r);
  }
}

void LockStep::RecordPair(const Frame& frame) {
  PairRecord pair{frame.lhs.v_obj, frame.rhs.v_obj, !frame.differs};
  pair.one_to_one = frame.kind == StructuralKind::kFreeVar || frame.kind == StructuralKind::kDag;
  pair.first_slot = record_->slots.size();
  const bool is_map = frame.cls == ValueClass::kMap;
  const bool with_slots = frame.differs || (is_map && HasOtherKeyOrder(frame));
  const uint64_t n = !with_slots ? 0 : is_map ? frame.count / 2 : frame.count;
  for (uint64_t i = 0; i < n; ++i) {
    const Pair slot = PairOf(frame, i);
    const Slot::State* state = &states_[frame.first_state + i];
    if (slot.lhs == kReported) continue;
    record_->slots.push_back(is_map ? Slot{slot, state[n], *state} : Slot{slot, *state});
  }
  pair.num_slots = record_->slots.size() - pair.first_slot;
  record_->pairs.push_back(pair);
}

// Whether keys that are objects have another order on the right side.
bool LockStep::HasOtherKeyOrder(const Frame& frame) const {
  std::vector<int64_t> right_of(frame.num_lhs_entries, -1);
  for (uint64_t i = 0; i < frame.count / 2; ++i) {
    const Pair pair = PairOf(frame, i);
    if (pair.lhs < 0 || pair.rhs < 0) continue;
    const TVMFFIAny& key = entries_[frame.first_entry + static_cast<size_t>(pair.lhs)].key;
    if (graph::HasChildren(Classify(key.type_index))) right_of[static_cast<size_t>(pair.lhs)] = pair.rhs;
  }
  right_of.erase(std::remove(right_of.begin(), right_of.end(), -1), right_of.end());
  return !std::is_sorted(right_of.begin(), right_of.end());
}

// Says how the part that is being compared differs.
void LockStep::MarkSlot(Slot::State state) {
  if (record_ == nullptr || frames_.empty()) return;
  const Frame& frame = frames_.back();
  Slot::State& slot = states_[frame.first_state + frame.next - 1];
  slot = std::max(slot, state);
}

// ---- Differences ----------------------------------------------------------------------------------------------------

void LockStep::Differ(EditKind kind, const TVMFFIAny* lhs, const TVMFFIAny* rhs) {
  if (num_in_keys_ != 0) return KeysDiffer();
  Report(kind, lhs, rhs);
}

// Returns where it is listed, if it is.
size_t LockStep::Report(EditKind kind, const TVMFFIAny* lhs, const TVMFFIAny* rhs) {
  if (scope_ != nullptr && !CountsInScope(kind, lhs, rhs)) return LooseEnd::kNotListed;
  ++counts_[static_cast<size_t>(kind)];
  stop_ = goal_ == Goal::kFirst || stop_at_any_;
  if (!frames_.empty()) frames_.back().differs = true;
  MarkSlot(Slot::State::kSet);
  if (record_ != nullptr && rhs != nullptr) record_->arrivals.push_back(*rhs);
  const size_t listed = List(kind, lhs, rhs);
  if (loose_ != nullptr) NoteLooseEnd(kind, lhs, rhs, listed);
  return listed;
}

size_t LockStep::List(EditKind kind, const TVMFFIAny* lhs, const TVMFFIAny* rhs) {
  if (sink_ == nullptr || sink_->size() >= max_listed_) return LooseEnd::kNotListed;
  // Deep places have long paths: what is listed must not outgrow the graphs.
  if (!sink_->empty() && listed_steps_ + frames_.size() > kMaxListedSteps) return LooseEnd::kNotListed;
  listed_steps_ += frames_.size();
  Difference difference;
  difference.kind = kind;
  difference.has_lhs = lhs != nullptr;
  difference.has_rhs = rhs != nullptr;
  difference.lhs = lhs != nullptr ? *lhs : graph::NoneValue();
  difference.rhs = rhs != nullptr ? *rhs : graph::NoneValue();
  if (!frames_.empty()) {
    difference.lhs_holder = frames_.back().lhs.v_obj;
    difference.rhs_holder = frames_.back().rhs.v_obj;
  }
  PathTo(&difference.lhs_path, &difference.rhs_path);
  sink_->push_back(std::move(difference));
  return sink_->size() - 1;
}

// Keys that were to be a pair differ inside: then neither map has the other's key.
void LockStep::KeysDiffer() {
  size_t outermost = hook_base_;
  while (!frames_[outermost].in_keys) ++outermost;
  CloseAbove(outermost + 1);
  Frame& frame = frames_.back();
  frame.in_keys = false;
  --num_in_keys_;
  Pair& pair = pairs_[frame.first_pair + frame.next - 1];
  const Pair both = pair;
  const MapEntry lhs = entries_[frame.first_entry + static_cast<size_t>(both.lhs)];
  const MapEntry rhs = entries_[frame.first_entry + frame.num_lhs_entries + static_cast<size_t>(both.rhs)];
  pair = {both.lhs, Absent(0)};
  Report(EditKind::kDelete, &lhs.value, nullptr);
  if (!stop_) {
    pair = {Absent(0), both.rhs};
    Report(EditKind::kInsert, nullptr, &rhs.value);
  }
  pair = {kReported, kReported};
}

// Where a part of the container lies that is being entered, or the value of a field that is being compared.
Path LockStep::PathOfPart(const TVMFFIAny& part, int64_t place, bool is_lhs) const {
  Path lhs, rhs;
  if (frames_.empty()) return lhs;
  const Frame& holder = frames_[frames_.size() - 1];
  for (const Frame& frame : frames_) {
    if (&frame != &holder || holder.next != 0) AppendSteps(frame, &lhs, &rhs);
  }
  Path& path = is_lhs ? lhs : rhs;
  if (holder.next == 0) path.push_back(holder.cls == ValueClass::kMap ? Step::Key(part, place) : Step::Item(place));
  return std::move(path);
}

void LockStep::PathTo(Path* lhs, Path* rhs) const {
  lhs->reserve(frames_.size());
  rhs->reserve(frames_.size());
  for (const Frame& frame : frames_) AppendSteps(frame, lhs, rhs);
  AppendWayIn(way_in_, lhs, rhs);
}

void LockStep::AppendSteps(const Frame& frame, Path* lhs, Path* rhs) const {
  AppendWayIn(frame.way_in, lhs, rhs);
  if (frame.hooked) {
    if (frame.hook_name.empty()) return;
    lhs->push_back(Step::Attr(frame.hook_name));
    rhs->push_back(Step::Attr(frame.hook_name));
    return;
  }
  const Pair pair = PairOf(frame, frame.next - 1);
  const auto push = [](Path* path, Step step, bool missing) {
    path->push_back(missing ? step.Missing() : std::move(step));
  };
  switch (frame.cls) {
    case ValueClass::kSequence:
      push(lhs, Step::Item(pair.lhs >= 0 ? pair.lhs : Absent(pair.lhs)), pair.lhs < 0);
      push(rhs, Step::Item(pair.rhs >= 0 ? pair.rhs : Absent(pair.rhs)), pair.rhs < 0);
      return;
    case ValueClass::kMap: {
      const TVMFFIAny lhs_key =
          pair.lhs >= 0 ? entries_[frame.first_entry + static_cast<size_t>(pair.lhs)].key : graph::NoneValue();
      const TVMFFIAny rhs_key =
          pair.rhs >= 0 ? entries_[frame.first_entry + frame.num_lhs_entries + static_cast<size_t>(pair.rhs)].key
                        : graph::NoneValue();
      push(lhs, Step::Key(pair.lhs >= 0 ? lhs_key : PartnerKey(rhs_key, false), pair.lhs >= 0 ? pair.lhs : -1),
           pair.lhs < 0);
      push(rhs, Step::Key(pair.rhs >= 0 ? rhs_key : PartnerKey(lhs_key, true), pair.rhs >= 0 ? pair.rhs : -1),
           pair.rhs < 0);
      return;
    }
    default: {
      const std::string_view name = pair.lhs >= 0 ? frame.lhs_plan->fields[static_cast<size_t>(pair.lhs)].name
                                                  : frame.rhs_plan->fields[static_cast<size_t>(pair.rhs)].name;
      const auto place = static_cast<int64_t>(frame.next - 1);
      push(lhs, Step::Attr(name, place), pair.lhs < 0);
      push(rhs, Step::Attr(name, place), pair.rhs < 0);
    }
  }
}

// The key that would stand on the other side: what the key is bound to there, else the key itself.
TVMFFIAny LockStep::PartnerKey(const TVMFFIAny& key, bool is_lhs) const {
  if (!graph::IsObject(key)) return key;
  const TVMFFIObject* partner = is_lhs ? bindings_.RightOf(key.v_obj) : bindings_.LeftOf(key.v_obj);
  return partner != nullptr ? graph::ObjectValue(const_cast<TVMFFIObject*>(partner)) : key;
}

void LockStep::ThrowCycle(bool is_lhs) {
  Path lhs, rhs;
  PathTo(&lhs, &rhs);
  TRANSOM_THROW(ValueError) << graph::PathText(is_lhs ? lhs : rhs, true) << ": the " << (is_lhs ? "left" : "right")
                            << " value contains itself; values with cycles cannot be compared";
}

}  // namespace transom::structural
