// The rules of the C contract that differ from the library's own: maps whose keys pair by identity while the walk goes
// on, and types that compare by code of their own.
#include <transom/containers/string.h>
#include <transom/runtime/function.h>

#include <utility>

#include "graph/fold.h"
#include "graph/hook.h"
#include "structural/equality/lock_step.h"
#include "structural/rules/hook_lease.h"

namespace transom::structural {

using graph::DefRegion;

// ---- Maps -----------------------------------------------------------------------------------------------------------

// Keys are looked up one by one, since comparing the value of one entry may bind the key of the next. The right side's
// entries lie in the order of the left side's; one more pair stands for what only the right side has.
void LockStep::EnterMapByIdentity(Frame& frame) {
  const std::vector<MapEntry> lhs = EntriesOf(graph::MapOf(frame.lhs));
  const bool rhs_is_larger = graph::MapOf(frame.rhs).size() > lhs.size();
  const uint64_t n = lhs.size() + (rhs_is_larger ? 1 : 0);
  frame.paired = true;
  frame.num_lhs_entries = lhs.size();
  frame.count = 2 * n;
  frame.next = n;  // the keys themselves are not compared
  pairs_.insert(pairs_.end(), n, Pair{Absent(0), Absent(0)});
  entries_.insert(entries_.end(), lhs.begin(), lhs.end());
  entries_.insert(entries_.end(), n, MapEntry{graph::NoneValue(), graph::NoneValue()});
}

void LockStep::VisitEntryByIdentity(Frame& frame, uint64_t entry) {
  if (entry == frame.num_lhs_entries) return VisitExtraEntry(frame);
  const MapEntry lhs = entries_[frame.first_entry + entry];
  const TVMFFIAny key = PartnerKey(lhs.key, true);
  const Any* value = graph::MapOf(frame.rhs).Find(AnyView::FromRaw(key));
  Pair& pair = pairs_[frame.first_pair + entry];
  pair.lhs = static_cast<int64_t>(entry);
  if (value == nullptr) return Differ(EditKind::kDelete, &lhs.value, nullptr);
  pair.rhs = pair.lhs;
  const TVMFFIAny rhs_value = *value->raw();
  entries_[frame.first_entry + frame.num_lhs_entries + entry] = {key, rhs_value};
  Visit(lhs.value, rhs_value, frame.region);
}

// The first entry of the right side whose key the left side lacks.
void LockStep::VisitExtraEntry(Frame& frame) {
  const uint64_t place = frame.num_lhs_entries;
  for (const MapEntry& rhs : EntriesOf(graph::MapOf(frame.rhs))) {
    if (graph::MapOf(frame.lhs).Find(AnyView::FromRaw(PartnerKey(rhs.key, false))) != nullptr) continue;
    pairs_[frame.first_pair + place].rhs = static_cast<int64_t>(place);
    entries_[frame.first_entry + frame.num_lhs_entries + place] = rhs;
    return Differ(EditKind::kInsert, nullptr, &rhs.value);
  }
  // Two keys of the right side lead back to one: no entry is to be named.
  const Frame maps = frame;
  Close(maps);
  frames_.pop_back();
  Differ(EditKind::kUpdate, &maps.lhs, &maps.rhs);
}

// ---- Hooks ----------------------------------------------------------------------------------------------------------

// Each frame and entry is held once in its time on the stack, however many hooks run above it.
void LockStep::HoldForHook() {
  const auto hold = [](std::vector<Any>* held, const TVMFFIAny& value) { held->emplace_back(AnyView::FromRaw(value)); };
  held_frames_.resize(2 * num_held_frames_);
  for (; num_held_frames_ < frames_.size(); ++num_held_frames_) {
    hold(&held_frames_, frames_[num_held_frames_].lhs);
    hold(&held_frames_, frames_[num_held_frames_].rhs);
  }
  held_entries_.resize(2 * num_held_entries_);
  for (; num_held_entries_ < entries_.size(); ++num_held_entries_) {
    hold(&held_entries_, entries_[num_held_entries_].key);
    hold(&held_entries_, entries_[num_held_entries_].value);
  }
}

// The pair on top of the stack is what the hook decides about.
void LockStep::RunHook() {
  HoldForHook();
  const size_t hook = frames_.size() - 1;
  frames_[hook].hooked = true;
  const TVMFFIAny lhs = frames_[hook].lhs, rhs = frames_[hook].rhs;
  const Found before = FoundSoFar();
  if (AskHook(hook)) return ForgetDifferences(before);
  if (num_in_keys_ != 0) {
    ForgetDifferences(before);
    return KeysDiffer();
  }
  stop_ = true;
  frames_[hook].differs = true;
  if (counts_ != before.counts) return;  // what the hook asked for last has its place
  frames_[hook].hook_name = {};
  Differ(EditKind::kUpdate, &lhs, &rhs);
}

// What the hook says. Below its callbacks the pairs that are on the stack now stay: keys that differ there end at them.
bool LockStep::AskHook(size_t hook) {
  struct Outer {
    LockStep* walk;
    uint64_t num_in_keys;
    size_t hook_base;
    ~Outer() {
      walk->num_in_keys_ = num_in_keys;
      walk->hook_base_ = hook_base;
    }
  } const outer{this, std::exchange(num_in_keys_, 0), std::exchange(hook_base_, hook + 1)};
  const HookLease<LockStep> lease(this, "__s_equal__");
  const Function compare = Function::FromTyped(
      [walk = lease.get(), hook](const Any& l, const Any& r, int region, const Any& name) {
        return (*walk).CompareForHook(hook, l, r, HookRegion(region), name);
      },
      "__s_equal__ callback");
  const AnyView args[] = {AnyView::FromRaw(frames_[hook].lhs), AnyView::FromRaw(frames_[hook].rhs), AnyView(compare)};
  return graph::FunctionHookOf(frames_[hook].lhs_plan->type_index, "__s_equal__")->CallPacked(args, 3).cast<bool>();
}

bool LockStep::CompareForHook(size_t hook, const AnyView& lhs, const AnyView& rhs, DefRegion region,
                              const AnyView& name) {
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
  const DefRegion inner = graph::FieldRegion(frame.region, frame.kind, region);
  try {
    Visit(l, r, inner);
    WalkAbove(hook + 1);
  } catch (...) {
    // The hook may catch this.
    CloseAbove(hook + 1);
    throw;
  }
  CloseAbove(hook + 1);
  // The hook may go on: it decides what a difference means.
  stop_ = false;
  frames_[hook].differs = false;
  return counts_ == before.counts;
}

void LockStep::ForgetDifferences(const Found& before) {
  counts_ = before.counts;
  if (sink_ != nullptr) sink_->erase(sink_->begin() + static_cast<ptrdiff_t>(before.listed), sink_->end());
  if (loose_ != nullptr) loose_->erase(loose_->begin() + static_cast<ptrdiff_t>(before.loose), loose_->end());
}

}  // namespace transom::structural
