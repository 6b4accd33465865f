#include "structural/equality/equal_walk.h"

#include <transom/runtime/any_hash.h>
#include <transom/runtime/error.h>

#include <cmath>
#include <cstring>

#include "graph/fold.h"
#include "graph/prefetch.h"
#include "structural/rules/leaf_equal.h"

namespace transom::structural {
namespace {

using graph::Classify;
using graph::DefRegion;
using graph::StrongCount;
using graph::ValueClass;
using Read = EqualPlan::Read;
using Rule = EqualPlan::Rule;

constexpr uintptr_t kOpen = 1;  // in a PartnerEntry
uintptr_t AsEntry(const TVMFFIObject* partner) { return reinterpret_cast<uintptr_t>(partner); }

template <class T>
T Load(const TVMFFIObject* obj, uint32_t offset) {
  T value;
  std::memcpy(&value, reinterpret_cast<const char*>(obj) + offset, sizeof(T));
  return value;
}

const TVMFFIObject* ObjectAt(const TVMFFIObject* obj, uint32_t offset) {
  return *reinterpret_cast<TVMFFIObject* const*>(reinterpret_cast<const char*>(obj) + offset);
}
const TVMFFIAny& AnyAt(const TVMFFIObject* obj, uint32_t offset) {
  return *reinterpret_cast<const TVMFFIAny*>(reinterpret_cast<const char*>(obj) + offset);
}

TVMFFIAny ValueOf(const TVMFFIObject* obj) { return graph::ObjectValue(const_cast<TVMFFIObject*>(obj)); }
const TVMFFISeqCell& CellOf(const TVMFFIObject* obj) { return graph::SequenceOf(ValueOf(obj)); }

bool IsPlainKey(const TVMFFIAny& key) { return Classify(key.type_index) <= ValueClass::kBytes; }
static_assert(ValueClass::kScalar < ValueClass::kBytes && ValueClass::kString < ValueClass::kBytes);

// Certainly equal, as keys of maps are.
bool SamePlainKeys(const TVMFFIAny& a, const TVMFFIAny& b) {
  if (a.type_index == kTVMFFIStr) return b.type_index == kTVMFFIStr && graph::TextOf(a) == graph::TextOf(b);
  return IsPlainKey(a) && a.type_index != kTVMFFIFloat && std::memcmp(&a, &b, sizeof(a)) == 0;
}

// Equal without a look at what the bits mean.
bool SameBits(const TVMFFIAny& a, const TVMFFIAny& b) { return std::memcmp(&a, &b, sizeof(TVMFFIAny)) == 0; }

bool EqualsItself(ValueClass cls) { return cls <= ValueClass::kShape || cls == ValueClass::kBigInt; }
static_assert(ValueClass::kScalar < ValueClass::kShape && ValueClass::kBytes < ValueClass::kShape);

bool IsSameLeaf(const TVMFFIAny& a, const TVMFFIAny& b) {
  return SameBits(a, b) && EqualsItself(Classify(a.type_index));
}

bool SameFloats(double a, double b) { return std::memcmp(&a, &b, sizeof(a)) == 0 || (std::isnan(a) && std::isnan(b)); }

bool LeafFieldsEqual(const TVMFFIObject* lhs, const TVMFFIObject* rhs, const EqualPlan::Field& field) {
  const uint32_t at = field.offset;
  switch (field.read) {
    case Read::kBool:
      return (Load<uint8_t>(lhs, at) != 0) == (Load<uint8_t>(rhs, at) != 0);
    case Read::k4Bytes:
      return Load<uint32_t>(lhs, at) == Load<uint32_t>(rhs, at);
    case Read::k8Bytes:
      return Load<uint64_t>(lhs, at) == Load<uint64_t>(rhs, at);
    case Read::kFloat32:
      return SameFloats(Load<float>(lhs, at), Load<float>(rhs, at));
    default:
      return SameFloats(Load<double>(lhs, at), Load<double>(rhs, at));
  }
}

}  // namespace

EqualWalk::EqualWalk(graph::PlanTable& plans, const StructuralOptions& options, Hooks hooks)
    : plans_(plans),
      options_(options),
      hooks_(hooks),
      equal_plans_(plans, options, hooks),
      binding_rule_(plans, options) {}

EqualWalk::Verdict EqualWalk::Run(const TVMFFIAny& lhs, const TVMFFIAny& rhs) {
  binding_rule_.SetRoots(lhs, rhs);
  try {
    return Walk(lhs, rhs);
  } catch (const Error&) {
    return Verdict::kUnknown;  // of a getter, or of a key: LockStep has the path
  }
}

EqualWalk::Verdict EqualWalk::Walk(const TVMFFIAny& lhs, const TVMFFIAny& rhs) {
  Step step = Meet(lhs, rhs, options_.map_free_vars ? DefRegion::kRecursive : DefRegion::kNone);
  while (!frames_.empty() && (step == Step::kEqual || step == Step::kEnter)) step = VisitChildren();
  if (step == Step::kEqual) return Verdict::kEqual;
  return step == Step::kUnknown || RightSideMayHaveCycle() ? Verdict::kUnknown : Verdict::kDifferent;
}

// Whether LockStep has found a cycle on the way here. Pairs that are done are equal, and what the left side is equal to
// has none, so it would be among those that are open.
bool EqualWalk::RightSideMayHaveCycle() const {
  AddressSet seen;
  for (const Frame& frame : frames_) {
    if (!seen.Insert(frame.rhs)) return true;
  }
  return false;
}

// ---- One pair of values ---------------------------------------------------------------------------------------------

EqualWalk::Step EqualWalk::Meet(const TVMFFIAny& lhs, const TVMFFIAny& rhs, DefRegion region) {
  const ValueClass cls = Classify(lhs.type_index);
  if (graph::HasChildren(cls)) {
    if (cls != Classify(rhs.type_index)) return Step::kDifferent;
    return MeetParents(lhs.v_obj, rhs.v_obj, cls, region);
  }
  if (IsSameLeaf(lhs, rhs)) return Step::kEqual;
  return cls == Classify(rhs.type_index) ? MeetLeaves(lhs, rhs, cls) : Step::kDifferent;
}

EqualWalk::Step EqualWalk::MeetLeaves(const TVMFFIAny& lhs, const TVMFFIAny& rhs, ValueClass cls) const {
  // Messages, and the contract's own rules.
  if (cls == ValueClass::kOpaque) return Step::kUnknown;
  if (cls == ValueClass::kTensor && !options_.skip_tensor_content) {
    if (hooks_ == Hooks::kRun) return Step::kUnknown;
    if (!graph::TensorRefOf(lhs).IsOnHost() || !graph::TensorRefOf(rhs).IsOnHost()) return Step::kUnknown;
  }
  return LeafEqual(lhs, rhs, cls, options_.skip_tensor_content) ? Step::kEqual : Step::kDifferent;
}

EqualWalk::Step EqualWalk::MeetParents(const TVMFFIObject* lhs, const TVMFFIObject* rhs, ValueClass cls,
                                       DefRegion region) {
  if (cls == ValueClass::kObject) {
    Frame frame;
    const Step step = MeetObjects(lhs, rhs, region, &frame);
    if (step == Step::kEnter) *frames_.Extend(1) = frame;
    return step;
  }
  if (lhs->type_index != rhs->type_index) return Step::kDifferent;
  const uint64_t count = cls == ValueClass::kSequence
                             ? static_cast<uint64_t>(std::max(CellOf(lhs).size, CellOf(rhs).size))
                             : graph::MapOf(ValueOf(lhs)).size() + graph::MapOf(ValueOf(rhs)).size();
  if (count == 0) return Step::kEqual;
  bool remembered = false;
  if (StrongCount(lhs) > 1 || StrongCount(rhs) > 1) {
    const Step step = MeetShared(lhs, rhs);
    if (step != Step::kEnter) return step;
    remembered = true;
  }
  *frames_.Extend(1) = {lhs, rhs, {.next = 0}, {.count = 0}, 0, cls, region, region, remembered, false};
  return cls == ValueClass::kMap ? EnterMaps() : EnterSequences();
}

// The pair at hand, if it is to be entered, becomes `*frame`.
[[gnu::always_inline]] inline EqualWalk::Step EqualWalk::MeetObjects(const TVMFFIObject* lhs, const TVMFFIObject* rhs,
                                                                     DefRegion region, Frame* frame) {
  const EqualPlan& plan = equal_plans_.Of(lhs);
  bool remembered = false;
  if (plan.rule == Rule::kOneToOne) {
    auto [entry, is_new] = partners_.Insert(lhs);
    if (!is_new) {
      if (*entry == AsEntry(rhs)) return Step::kEqual;
      return (*entry & kOpen) != 0 ? Step::kUnknown : Step::kDifferent;
    }
    const Step step = MeetFirst(lhs, rhs, plan, region, entry);
    if (step != Step::kEnter) return step;
    remembered = true;
  } else {
    if (!equal_plans_.IsOf(plan, lhs, rhs)) return OtherType(lhs, rhs, plan);
    if (plan.rule != Rule::kFields) {
      const Step step = MeetByRule(lhs, rhs, plan);
      if (step != Step::kEnter) return step;
    }
    if (plan.only_leaves) return CompareLeafFields(lhs, rhs, plan);
    if (StrongCount(lhs) > 1 || StrongCount(rhs) > 1) {
      const Step step = MeetShared(lhs, rhs);
      if (step != Step::kEnter) return step;
      remembered = true;
    }
  }
  const EqualPlan::Fields& fields = FieldsOf(plan, lhs);
  frame->lhs = lhs;
  frame->rhs = rhs;
  frame->field = fields.data();
  frame->end = fields.data() + fields.size();
  frame->remembered = remembered;
  frame->cls = ValueClass::kObject;
  frame->region = region;
  frame->inside = graph::FieldRegion(region, plan.kind, DefRegion::kNone);
  frame->is_variable = plan.kind == StructuralKind::kFreeVar;
  for (const Field& field : fields) {
    if (field.read == Read::kObject) PrefetchPair(ObjectAt(lhs, field.offset), ObjectAt(rhs, field.offset));
  }
  return Step::kEnter;
}

EqualWalk::Step EqualWalk::MeetByRule(const TVMFFIObject* lhs, const TVMFFIObject* rhs, const EqualPlan& plan) {
  if (plan.rule == Rule::kUnknown) return Step::kUnknown;
  if (lhs == rhs) return Step::kEqual;
  if (plan.rule == Rule::kUnique) return Step::kDifferent;
  return plan.rule == Rule::kData ? CompareData(lhs, rhs, *plan.plan) : Step::kEnter;
}

// Two type plans: two types, or two descriptions of one.
EqualWalk::Step EqualWalk::OtherType(const TVMFFIObject* lhs, const TVMFFIObject* rhs, const EqualPlan& plan) {
  if (plan.rule == Rule::kUnknown) return Step::kUnknown;
  if (Classify(rhs->type_index) != ValueClass::kObject) return Step::kDifferent;
  return plans_.Of(lhs).key == plans_.Of(rhs).key ? Step::kUnknown : Step::kDifferent;
}

EqualWalk::Step EqualWalk::CompareData(const TVMFFIObject* lhs, const TVMFFIObject* rhs, const graph::TypePlan& plan) {
  const bool same = graph::CustomDataOf(lhs, plan, keeper_) == graph::CustomDataOf(rhs, plan, keeper_);
  return same ? Step::kEqual : Step::kDifferent;
}

inline EqualWalk::Step EqualWalk::CompareLeafFields(const TVMFFIObject* lhs, const TVMFFIObject* rhs,
                                                    const EqualPlan& plan) {
  for (const Field& field : FieldsOf(plan, lhs)) {
    if (!LeafFieldsEqual(lhs, rhs, field)) return Step::kDifferent;
  }
  return Step::kEqual;
}

inline const EqualPlan::Fields& EqualWalk::FieldsOf(const EqualPlan& plan, const TVMFFIObject* obj) {
  if (!plan.conditional) return plan.fields;
  return &CountedFields(*plan.plan, obj, keeper_) == &plan.plan->compare ? plan.fields : plan.fields_then;
}

// A variable or dag node that has no partner yet.
EqualWalk::Step EqualWalk::MeetFirst(const TVMFFIObject* lhs, const TVMFFIObject* rhs, const EqualPlan& plan,
                                     DefRegion region, PartnerEntry* entry) {
  *entry = AsEntry(rhs) | kOpen;
  if (!equal_plans_.IsOf(plan, lhs, rhs)) return OtherType(lhs, rhs, plan);
  if (!bound_.Insert(rhs)) return Step::kUnknown;
  if (!plan.only_leaves) return Step::kEnter;
  const Step step = CompareLeafFields(lhs, rhs, plan);
  if (step != Step::kEqual) return step;
  if (plan.kind == StructuralKind::kFreeVar && !binding_rule_.MayBind(lhs, rhs, region)) return Step::kDifferent;
  *entry = AsEntry(rhs);
  return Step::kEqual;
}

// ---- What is shared -------------------------------------------------------------------------------------------------

EqualWalk::Step EqualWalk::MeetShared(const TVMFFIObject* lhs, const TVMFFIObject* rhs) {
  auto [entry, is_new] = partners_.Insert(lhs);
  if (!is_new && *entry == AsEntry(rhs)) return Step::kEqual;
  if (!is_new) return MeetAgain(lhs, rhs, entry);
  *entry = AsEntry(rhs) | kOpen;
  return Step::kEnter;
}

// The left object has another partner, or leads to itself.
EqualWalk::Step EqualWalk::MeetAgain(const TVMFFIObject* lhs, const TVMFFIObject* rhs, PartnerEntry* entry) {
  if ((*entry & kOpen) != 0) return Step::kUnknown;
  const uint32_t set = SetOf(lhs, true);
  sets_.Join(set, SetOf(reinterpret_cast<const TVMFFIObject*>(*entry), false));
  if (sets_.Same(set, SetOf(rhs, false))) return Step::kEqual;
  *entry |= kOpen;
  return Step::kEnter;
}

uint32_t EqualWalk::SetOf(const TVMFFIObject* obj, bool is_lhs) {
  const auto key = reinterpret_cast<uintptr_t>(obj) | (is_lhs ? 0 : 1);
  uint32_t& set = *set_of_.Insert(reinterpret_cast<const void*>(key)).first;
  if (set == 0) set = sets_.Add();
  return set;
}

// ---- A pair with children -------------------------------------------------------------------------------------------

EqualWalk::Step EqualWalk::EnterSequences() {
  const Frame& frame = frames_.back();
  const TVMFFISeqCell& lhs = CellOf(frame.lhs);
  const TVMFFISeqCell& rhs = CellOf(frame.rhs);
  constexpr int64_t kMost = 8;
  for (int64_t i = 0; i < std::min({lhs.size, rhs.size, kMost}); ++i)
    PrefetchPair(graph::ItemsOf(lhs)[i].v_obj, graph::ItemsOf(rhs)[i].v_obj);
  return Step::kEnter;
}

// What is looked at when the two are met.
void EqualWalk::PrefetchPair(const TVMFFIObject* lhs, const TVMFFIObject* rhs) {
  graph::Prefetch(lhs);
  graph::Prefetch(rhs);
}

EqualWalk::Step EqualWalk::VisitChildren() {
  switch (frames_.back().cls) {
    case ValueClass::kSequence:
      return VisitItems();
    case ValueClass::kMap:
      return VisitEntries();
    default:
      return VisitObjects();
  }
}

// Goes down and up through objects with the pair at hand in registers, until a pair of another class is on the stack.
EqualWalk::Step EqualWalk::VisitObjects() {
  Frame frame = frames_.back();
  frames_.pop_back();
  for (;;) {
    const Step step = VisitFields(&frame);
    if (step != Step::kEqual) return step;
    if (frame.remembered && !Settle(frame)) return Step::kDifferent;
    if (frames_.empty() || frames_.back().cls != ValueClass::kObject) return Step::kEqual;
    frame = frames_.back();
    frames_.pop_back();
  }
}

// Compares the fields of a pair, and of those that it enters meanwhile: then `*frame` is the last one of these, and the
// others are on the stack. kEnter: a pair of another class is on the stack.
[[gnu::always_inline]] inline EqualWalk::Step EqualWalk::VisitFields(Frame* at_hand) {
  Frame& frame = *at_hand;
  while (frame.field != frame.end) {
    const Field field = *frame.field++;
    const DefRegion region =
        field.def == DefRegion::kNone || frame.region == DefRegion::kRecursive ? frame.inside : field.def;
    if (field.read == Read::kObject) {
      const TVMFFIObject* lhs = ObjectAt(frame.lhs, field.offset);
      const TVMFFIObject* rhs = ObjectAt(frame.rhs, field.offset);
      if (lhs == nullptr || rhs == nullptr) {
        if (lhs == rhs) continue;
        return Suspend(frame, Step::kDifferent);
      }
      if (Classify(lhs->type_index) == ValueClass::kObject) {
        Frame child;
        const Step step = MeetObjects(lhs, rhs, region, &child);
        if (step == Step::kEqual) continue;
        if (step != Step::kEnter) return Suspend(frame, step);
        // Nothing waits for the end of a last child, unless the pair is remembered: chains need no stack.
        if (frame.field != frame.end || frame.remembered) frames_.push_back(frame);
        frame = child;
        continue;
      }
    } else if (field.read >= Read::kBool && field.read != Read::kGetter) {
      if (LeafFieldsEqual(frame.lhs, frame.rhs, field)) continue;
      return Suspend(frame, Step::kDifferent);
    } else if (field.read == Read::kAny && IsSameLeaf(AnyAt(frame.lhs, field.offset), AnyAt(frame.rhs, field.offset))) {
      continue;
    }
    const TVMFFIAny lhs = ReadField(frame.lhs, field), rhs = ReadField(frame.rhs, field);
    frames_.push_back(frame);
    const Step step = Meet(lhs, rhs, region);
    if (step != Step::kEqual) return step;
    frames_.pop_back();
  }
  return Step::kEqual;
}

EqualWalk::Step EqualWalk::Suspend(const Frame& frame, Step step) {
  frames_.push_back(frame);
  return step;
}

TVMFFIAny EqualWalk::ReadField(const TVMFFIObject* obj, const Field& field) {
  if (field.read == Read::kObject) return ValueOf(ObjectAt(obj, field.offset));
  if (field.read == Read::kAny) return AnyAt(obj, field.offset);
  return graph::ReadField(obj, plans_.Of(obj).fields[field.index], keeper_);
}

EqualWalk::Step EqualWalk::VisitItems() {
  const Frame frame = frames_.back();
  const TVMFFISeqCell& lhs = CellOf(frame.lhs);
  const TVMFFISeqCell& rhs = CellOf(frame.rhs);
  for (uint64_t i = frame.next; i < static_cast<uint64_t>(std::min(lhs.size, rhs.size)); ++i) {
    const TVMFFIAny& l = graph::ItemsOf(lhs)[i];
    const TVMFFIAny& r = graph::ItemsOf(rhs)[i];
    if (IsSameLeaf(l, r)) continue;
    frames_.back().next = i + 1;
    const Step step = Meet(l, r, frame.region);
    if (step != Step::kEqual) return step;
  }
  return lhs.size == rhs.size ? Finish() : Step::kDifferent;
}

EqualWalk::Step EqualWalk::VisitEntries() {
  const Frame frame = frames_.back();
  for (uint64_t i = frame.next; i < frame.count; ++i) {
    const Child child = children_[frame.first_child + i];
    frames_.back().next = i + 1;
    const Step step = Meet(child.lhs, child.rhs, child.region);
    if (step != Step::kEqual) return step;
  }
  children_.resize(frame.first_child);
  return Finish();
}

// Ends the last pair, whose children are equal.
EqualWalk::Step EqualWalk::Finish() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  return !frame.remembered || Settle(frame) ? Step::kEqual : Step::kDifferent;
}

// Remembers that a pair is equal. False: it is not, although its children are.
bool EqualWalk::Settle(const Frame& frame) {
  if (frame.is_variable && !binding_rule_.MayBind(frame.lhs, frame.rhs, frame.region)) return false;
  PartnerEntry& entry = *partners_.Find(frame.lhs);
  entry &= ~kOpen;
  if (entry != AsEntry(frame.rhs)) sets_.Join(SetOf(frame.lhs, true), SetOf(frame.rhs, false));
  return true;
}

// ---- Maps -----------------------------------------------------------------------------------------------------------

// Keys pair before anything is compared, as in LockStep; keys that have children come before all values.
EqualWalk::Step EqualWalk::EnterMaps() {
  Frame& maps = frames_.back();
  maps.first_child = children_.size();
  const Step step = PairEntries(maps);
  maps.count = children_.size() - maps.first_child;
  return step == Step::kEqual ? Step::kEnter : step;
}

EqualWalk::Step EqualWalk::PairEntries(const Frame& maps) {
  const MapBaseObj& lhs = graph::MapOf(ValueOf(maps.lhs));
  const MapBaseObj& rhs = graph::MapOf(ValueOf(maps.rhs));
  if (lhs.size() != rhs.size()) return Step::kUnknown;
  // Most maps have the same keys in the same order.
  uint64_t l = lhs.First(), r = rhs.First();
  for (; l != MapBaseObj::kEnd; l = lhs.Next(l), r = rhs.Next(r)) {
    if (!SamePlainKeys(*lhs.KeyAt(l).raw(), *rhs.KeyAt(r).raw())) break;
    children_.push_back({*lhs.ValueAt(l).raw(), *rhs.ValueAt(r).raw(), maps.region});
  }
  if (l == MapBaseObj::kEnd) return Step::kEqual;
  children_.resize(maps.first_child);
  for (l = lhs.First(); l != MapBaseObj::kEnd; l = lhs.Next(l)) {
    if (!IsPlainKey(*lhs.KeyAt(l).raw())) {
      children_.resize(maps.first_child);
      return hooks_ == Hooks::kRun ? Step::kUnknown : PairObjectKeys(lhs, rhs, maps.region);
    }
    const Any* value = rhs.Find(lhs.KeyAt(l));
    if (value == nullptr) return Step::kUnknown;
    children_.push_back({*lhs.ValueAt(l).raw(), *value->raw(), maps.region});
  }
  return Step::kEqual;
}

EqualWalk::Step EqualWalk::PairObjectKeys(const MapBaseObj& lhs_map, const MapBaseObj& rhs_map, DefRegion region) {
  const std::vector<MapEntry> lhs = EntriesOf(lhs_map), rhs = EntriesOf(rhs_map);
  Bindings bindings;
  for (const MapEntry& entry : lhs) {
    const PartnerEntry* partner = IsOneToOne(entry.key) ? partners_.Find(entry.key.v_obj) : nullptr;
    if (partner != nullptr && (*partner & kOpen) == 0)
      bindings.Bind(entry.key.v_obj, reinterpret_cast<const TVMFFIObject*>(*partner));
  }
  for (const MapEntry& entry : rhs) {
    if (!IsOneToOne(entry.key) || !bound_.Contains(entry.key.v_obj)) continue;
    if (bindings.LeftOf(entry.key.v_obj) == nullptr) return Step::kUnknown;  // its partner is elsewhere
  }
  if (keys_ == nullptr) keys_ = std::make_unique<Keys>(plans_, options_);
  MapPairing pairing(plans_, options_, bindings, keys_->lhs, keys_->rhs);
  const std::vector<Pair> pairs = pairing.Run(lhs, rhs);
  if (pairing.used_context()) return Step::kUnknown;  // there is more that may be bound
  for (const Pair& pair : pairs) {
    if (pair.lhs < 0 || pair.rhs < 0) return Step::kUnknown;
    const TVMFFIAny& key = lhs[static_cast<size_t>(pair.lhs)].key;
    if (!graph::HasChildren(Classify(key.type_index))) continue;
    children_.push_back({key, rhs[static_cast<size_t>(pair.rhs)].key, KeyRegion(plans_, region, key)});
  }
  for (const Pair& pair : pairs)
    children_.push_back({lhs[static_cast<size_t>(pair.lhs)].value, rhs[static_cast<size_t>(pair.rhs)].value, region});
  return Step::kEqual;
}

bool EqualWalk::IsOneToOne(const TVMFFIAny& key) {
  return Classify(key.type_index) == ValueClass::kObject && equal_plans_.Of(key.v_obj).rule == Rule::kOneToOne;
}

}  // namespace transom::structural
