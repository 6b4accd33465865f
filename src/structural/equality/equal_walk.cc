#include "structural/equality/equal_walk.h"

#include <transom/runtime/any_hash.h>
#include <transom/runtime/error.h>

#include <cmath>
#include <cstring>

#include "graph/fold.h"
#include "graph/prefetch.h"
#include "structural/rules/leaf_equal.h"
#include "structural/rules/nan_keys.h"

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

// Equal without a look at what the bits mean.
bool SameBits(const TVMFFIAny& a, const TVMFFIAny& b) {
  return a.type_index == b.type_index && a.small_str_len == b.small_str_len && a.v_uint64 == b.v_uint64;
}

// Most texts are short: two overlapping words.
bool SameText(std::string_view a, std::string_view b) {
  constexpr size_t kWord = sizeof(uint64_t);
  if (a.size() != b.size()) return false;
  if (a.size() < kWord || a.size() > 2 * kWord) return a == b;
  uint64_t words[4];
  std::memcpy(&words[0], a.data(), kWord);
  std::memcpy(&words[1], b.data(), kWord);
  std::memcpy(&words[2], a.data() + a.size() - kWord, kWord);
  std::memcpy(&words[3], b.data() + b.size() - kWord, kWord);
  return words[0] == words[1] && words[2] == words[3];
}

// Certainly equal, as values and as keys of maps: no more than a glance.
bool IsSameAtOnce(const TVMFFIAny& a, const TVMFFIAny& b) {
  if (a.type_index == kTVMFFIStr) return b.type_index == kTVMFFIStr && SameText(graph::TextOf(a), graph::TextOf(b));
  return SameBits(a, b) && Classify(a.type_index) <= ValueClass::kShape;
}
static_assert(ValueClass::kScalar < ValueClass::kShape && ValueClass::kBytes < ValueClass::kShape);

// Certainly equal, as keys of maps are.
bool SamePlainKeys(const TVMFFIAny& a, const TVMFFIAny& b) {
  return IsSameAtOnce(a, b) && a.type_index != kTVMFFIFloat && IsPlainKey(a);
}

bool SameFloats(double a, double b) { return std::memcmp(&a, &b, sizeof(a)) == 0 || (std::isnan(a) && std::isnan(b)); }

[[gnu::always_inline]] inline bool LeafFieldsEqual(const TVMFFIObject* lhs, const TVMFFIObject* rhs,
                                                   const EqualPlan::Field& field) {
  const uint32_t at = field.offset;
  switch (field.read) {
    case Read::k8Bytes:
      return Load<uint64_t>(lhs, at) == Load<uint64_t>(rhs, at);
    case Read::k4Bytes:
      return Load<uint32_t>(lhs, at) == Load<uint32_t>(rhs, at);
    case Read::kBool:
      return (Load<uint8_t>(lhs, at) != 0) == (Load<uint8_t>(rhs, at) != 0);
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
  Frame root;
  Step step = Meet(lhs, rhs, options_.map_free_vars ? DefRegion::kRecursive : DefRegion::kNone, &root);
  if (step == Step::kEnter) step = VisitPairs(root);
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

EqualWalk::Step EqualWalk::Meet(const TVMFFIAny& lhs, const TVMFFIAny& rhs, DefRegion region, Frame* child) {
  if (IsSameAtOnce(lhs, rhs)) return Step::kEqual;
  if (!graph::HasChildren(Classify(lhs.type_index))) return MeetLeaves(lhs, rhs);
  if (!graph::HasChildren(Classify(rhs.type_index))) return Step::kDifferent;
  return MeetObjects(
      lhs.v_obj, rhs.v_obj, [region] { return region; }, child);
}

EqualWalk::Step EqualWalk::MeetLeaves(const TVMFFIAny& lhs, const TVMFFIAny& rhs) const {
  const ValueClass cls = Classify(lhs.type_index);
  if (cls != Classify(rhs.type_index)) return Step::kDifferent;
  // Messages, and the contract's own rules.
  if (cls == ValueClass::kOpaque) return Step::kUnknown;
  if (cls == ValueClass::kTensor && !options_.skip_tensor_content) {
    if (hooks_ == Hooks::kRun) return Step::kUnknown;
    if (!graph::TensorRefOf(lhs).IsOnHost() || !graph::TensorRefOf(rhs).IsOnHost()) return Step::kUnknown;
  }
  return LeafEqual(lhs, rhs, cls, options_.skip_tensor_content) ? Step::kEqual : Step::kDifferent;
}

// Most pairs need no region, so `region()` computes it.
template <class Region>
[[gnu::always_inline]] inline EqualWalk::Step EqualWalk::MeetObjects(const TVMFFIObject* lhs, const TVMFFIObject* rhs,
                                                                     Region region, Frame* child) {
  const EqualPlan& plan = equal_plans_.Of(lhs);
  bool remembered = false;
  if (plan.rule == Rule::kOneToOne) {
    if (IsRecent(lhs, rhs)) return Step::kEqual;
    const Step step = MeetOneToOne(lhs, rhs, plan, region());
    if (step != Step::kEnter) return step;
    remembered = true;
  } else {
    if (!equal_plans_.IsOf(plan, lhs, rhs)) return OtherType(lhs, rhs, plan);
    if (plan.rule != Rule::kFields) {
      if (plan.rule == Rule::kSequence) return MeetSequences(lhs, rhs, region(), child);
      Frame other;
      const Step step = plan.rule == Rule::kMap ? MeetMaps(lhs, rhs, region(), &other) : MeetByRule(lhs, rhs, plan);
      if (step != Step::kEnter || plan.rule == Rule::kMap) {
        *child = other;
        return step;
      }
    }
    if (plan.only_leaves) return CompareLeafFields(lhs, rhs, plan);
    if (StrongCount(lhs) > 1 || StrongCount(rhs) > 1) {
      const Step step = MeetShared(lhs, rhs);
      if (step != Step::kEnter) return step;
      remembered = true;
    }
  }
  child->lhs = lhs;
  child->rhs = rhs;
  child->field = FieldsOf(plan, lhs);
  child->marks = Marks(ValueClass::kObject, region(), plan.is_variable, remembered);
  for (const uint32_t offset : plan.objects) PrefetchPair(ObjectAt(lhs, offset), ObjectAt(rhs, offset));
  return Step::kEnter;
}

EqualWalk::Step EqualWalk::MeetByRule(const TVMFFIObject* lhs, const TVMFFIObject* rhs, const EqualPlan& plan) {
  if (plan.rule == Rule::kUnknown) return Step::kUnknown;
  if (plan.rule == Rule::kLeaf) return MeetLeaves(ValueOf(lhs), ValueOf(rhs));
  if (lhs == rhs) return Step::kEqual;
  if (plan.rule == Rule::kUnique) return Step::kDifferent;
  return plan.rule == Rule::kData ? CompareData(lhs, rhs, *plan.plan) : Step::kEnter;
}

// Two type plans: two types, or two descriptions of one.
EqualWalk::Step EqualWalk::OtherType(const TVMFFIObject* lhs, const TVMFFIObject* rhs, const EqualPlan& plan) {
  if (plan.rule == Rule::kUnknown) return Step::kUnknown;
  if (plan.rule == Rule::kLeaf) return MeetLeaves(ValueOf(lhs), ValueOf(rhs));
  if (plan.plan == nullptr || Classify(rhs->type_index) != ValueClass::kObject) return Step::kDifferent;
  return plan.plan->key == plans_.Of(rhs).key ? Step::kUnknown : Step::kDifferent;
}

EqualWalk::Step EqualWalk::CompareData(const TVMFFIObject* lhs, const TVMFFIObject* rhs, const graph::TypePlan& plan) {
  const bool same = graph::CustomDataOf(lhs, plan, keeper_) == graph::CustomDataOf(rhs, plan, keeper_);
  return same ? Step::kEqual : Step::kDifferent;
}

[[gnu::always_inline]] inline EqualWalk::Step EqualWalk::CompareLeafFields(const TVMFFIObject* lhs,
                                                                           const TVMFFIObject* rhs,
                                                                           const EqualPlan& plan) {
  for (const Field* field = FieldsOf(plan, lhs); field->read != Read::kEnd; ++field) {
    if (!LeafFieldsEqual(lhs, rhs, *field)) return Step::kDifferent;
  }
  return Step::kEqual;
}

inline const EqualPlan::Field* EqualWalk::FieldsOf(const EqualPlan& plan, const TVMFFIObject* obj) {
  if (!plan.conditional) return plan.fields.data();
  const bool is_first = &CountedFields(*plan.plan, obj, keeper_) == &plan.plan->compare;
  return (is_first ? plan.fields : plan.fields_then).data();
}

EqualWalk::Step EqualWalk::MeetOneToOne(const TVMFFIObject* lhs, const TVMFFIObject* rhs, const EqualPlan& plan,
                                        DefRegion region) {
  auto [entry, is_new] = partners_.Insert(lhs);
  if (is_new) return MeetFirst(lhs, rhs, plan, region, entry);
  if (*entry != AsEntry(rhs)) return (*entry & kOpen) != 0 ? Step::kUnknown : Step::kDifferent;
  recent_.Add(lhs, rhs);
  return Step::kEqual;
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
  if (plan.is_variable && !binding_rule_.MayBind(lhs, rhs, region)) return Step::kDifferent;
  *entry = AsEntry(rhs);
  recent_.Add(lhs, rhs);
  return Step::kEqual;
}

// ---- What is shared -------------------------------------------------------------------------------------------------

EqualWalk::Step EqualWalk::MeetShared(const TVMFFIObject* lhs, const TVMFFIObject* rhs) {
  if (IsRecent(lhs, rhs)) return Step::kEqual;
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

[[gnu::always_inline]] inline EqualWalk::Step EqualWalk::MeetSequences(const TVMFFIObject* lhs, const TVMFFIObject* rhs,
                                                                       DefRegion region, Frame* child) {
  const TVMFFISeqCell& left = CellOf(lhs);
  const TVMFFISeqCell& right = CellOf(rhs);
  if (left.size == 0 && right.size == 0) return Step::kEqual;
  bool remembered = false;
  if (StrongCount(lhs) > 1 || StrongCount(rhs) > 1) {
    const Step step = MeetShared(lhs, rhs);
    if (step != Step::kEnter) return step;
    remembered = true;
  }
  constexpr int64_t kMost = 8;
  for (int64_t i = 0; i < std::min({left.size, right.size, kMost}); ++i)
    PrefetchPair(graph::ItemsOf(left)[i].v_obj, graph::ItemsOf(right)[i].v_obj);
  child->lhs = lhs;
  child->rhs = rhs;
  child->next = 0;
  child->marks = Marks(ValueClass::kSequence, region, false, remembered);
  return Step::kEnter;
}

// What is looked at when the two are met.
void EqualWalk::PrefetchPair(const TVMFFIObject* lhs, const TVMFFIObject* rhs) {
  graph::Prefetch(lhs);
  graph::Prefetch(rhs);
}

// Goes down and up with the pair at hand in registers. What is not equal leaves it on the stack.
EqualWalk::Step EqualWalk::VisitPairs(Frame frame) {
  for (;;) {
    const ValueClass cls = frame.marks.cls();
    Step step;
    if (cls == ValueClass::kObject) {
      step = VisitFields(&frame);
    } else if (cls == ValueClass::kSequence) {
      step = VisitItems(&frame);
    } else {
      Frame child;
      step = VisitEntries(frame.lhs, frame.rhs, frame.next, frame.marks, &child);
      if (step == Step::kEnter) frame = child;
    }
    if (step == Step::kEnter) continue;
    if (step != Step::kEqual || (frame.marks.remembered() && !Settle(frame.lhs, frame.rhs, frame.marks))) {
      frames_.push_back(frame);
      return step == Step::kEqual ? Step::kDifferent : step;
    }
    if (frames_.empty()) return Step::kEqual;
    frame = frames_.back();
    frames_.pop_back();
  }
}

// Region of a field of an object.
inline DefRegion EqualWalk::RegionOf(Field field, Marks marks) {
  if (marks.region() == DefRegion::kRecursive) return DefRegion::kRecursive;
  if (field.def != DefRegion::kNone) return field.def;
  return marks.is_variable() ? DefRegion::kNone : marks.region();
}

// Up to the next child that is to be entered, which becomes the pair at hand.
[[gnu::always_inline]] inline EqualWalk::Step EqualWalk::VisitFields(Frame* at_hand) {
  Frame& frame = *at_hand;
  for (;;) {
    const Field field = *frame.field++;
    Frame child;
    Step step;
    if (field.read == Read::kObject) {
      const TVMFFIObject* lhs = ObjectAt(frame.lhs, field.offset);
      const TVMFFIObject* rhs = ObjectAt(frame.rhs, field.offset);
      const auto region = [field, marks = frame.marks] { return RegionOf(field, marks); };
      step = lhs != nullptr && rhs != nullptr ? MeetObjects(lhs, rhs, region, &child)
             : lhs == rhs                     ? Step::kEqual
                                              : Step::kDifferent;
    } else if (field.read == Read::kEnd) {
      return Step::kEqual;
    } else {
      Frame met;
      step = MeetFields(frame.lhs, frame.rhs, field, frame.marks, &met);
      child = met;
    }
    if (step == Step::kEqual) continue;
    if (step != Step::kEnter) return step;
    // Nothing waits for the end of a last child, unless the pair is remembered: chains need no stack.
    if (frame.field->read != Read::kEnd || frame.marks.remembered()) *frames_.Extend(1) = frame;
    if (frame.field->read == Read::kObject) PrefetchChildren(frame);
    frame = child;
    if (frame.marks.cls() != ValueClass::kObject) return Step::kEnter;
  }
}

// What the next field of a pair refers to has been fetched since the pair was entered: so its children can be, before
// they are met.
[[gnu::always_inline]] inline void EqualWalk::PrefetchChildren(const Frame& frame) {
  const TVMFFIObject* lhs = ObjectAt(frame.lhs, frame.field->offset);
  const TVMFFIObject* rhs = ObjectAt(frame.rhs, frame.field->offset);
  if (lhs == nullptr || rhs == nullptr || lhs->type_index != rhs->type_index) return;
  for (const uint32_t offset : equal_plans_.Of(lhs).objects) PrefetchPair(ObjectAt(lhs, offset), ObjectAt(rhs, offset));
}

// Fields that are no references to objects.
EqualWalk::Step EqualWalk::MeetFields(const TVMFFIObject* lhs, const TVMFFIObject* rhs, Field field, Marks marks,
                                      Frame* child) {
  if (field.read == Read::kAny) {
    const TVMFFIAny& l = AnyAt(lhs, field.offset);
    const TVMFFIAny& r = AnyAt(rhs, field.offset);
    return IsSameAtOnce(l, r) ? Step::kEqual : Meet(l, r, RegionOf(field, marks), child);
  }
  if (field.read == Read::kGetter) {
    const TVMFFIAny l = ReadField(lhs, field);
    return Meet(l, ReadField(rhs, field), RegionOf(field, marks), child);
  }
  return LeafFieldsEqual(lhs, rhs, field) ? Step::kEqual : Step::kDifferent;
}

TVMFFIAny EqualWalk::ReadField(const TVMFFIObject* obj, const Field& field) {
  return graph::ReadField(obj, plans_.Of(obj).fields[field.index], keeper_);
}

[[gnu::always_inline]] inline EqualWalk::Step EqualWalk::VisitItems(Frame* at_hand) {
  Frame& frame = *at_hand;
  const TVMFFISeqCell& lhs = CellOf(frame.lhs);
  const TVMFFISeqCell& rhs = CellOf(frame.rhs);
  while (frame.next < static_cast<uint64_t>(std::min(lhs.size, rhs.size))) {
    const TVMFFIAny& l = graph::ItemsOf(lhs)[frame.next];
    const TVMFFIAny& r = graph::ItemsOf(rhs)[frame.next];
    ++frame.next;
    Frame child;
    Step step;
    if (l.type_index >= kTVMFFIDynObjectBegin && r.type_index >= kTVMFFIDynObjectBegin) {
      step = MeetObjects(
          l.v_obj, r.v_obj, [marks = frame.marks] { return marks.region(); }, &child);
    } else {
      Frame met;
      step = Meet(l, r, frame.marks.region(), &met);
      child = met;
    }
    if (step == Step::kEqual) continue;
    if (step == Step::kEnter) {
      *frames_.Extend(1) = frame;
      frame = child;
    }
    return step;
  }
  return lhs.size == rhs.size ? Step::kEqual : Step::kDifferent;
}

EqualWalk::Step EqualWalk::VisitEntries(const TVMFFIObject* lhs, const TVMFFIObject* rhs, uint64_t next, Marks marks,
                                        Frame* child) {
  while (next < children_.size()) {
    const Child entry = children_[next++];
    const Step step = Meet(entry.lhs, entry.rhs, entry.region, child);
    if (step == Step::kEqual) continue;
    if (step == Step::kEnter) *frames_.Extend(1) = {lhs, rhs, {.next = next}, marks};
    return step;
  }
  children_.resize(map_starts_.back());
  map_starts_.pop_back();
  return Step::kEqual;
}

// Remembers that a pair is equal. False: it is not, although its children are.
bool EqualWalk::Settle(const TVMFFIObject* lhs, const TVMFFIObject* rhs, Marks marks) {
  if (marks.is_variable() && !binding_rule_.MayBind(lhs, rhs, marks.region())) return false;
  PartnerEntry& entry = *partners_.Find(lhs);
  entry &= ~kOpen;
  if (entry != AsEntry(rhs)) sets_.Join(SetOf(lhs, true), SetOf(rhs, false));
  recent_.Add(lhs, rhs);
  return true;
}

// ---- Maps -----------------------------------------------------------------------------------------------------------

EqualWalk::Step EqualWalk::MeetMaps(const TVMFFIObject* lhs, const TVMFFIObject* rhs, DefRegion region, Frame* child) {
  const MapBaseObj& left = graph::MapOf(ValueOf(lhs));
  const MapBaseObj& right = graph::MapOf(ValueOf(rhs));
  if (left.size() == 0 && right.size() == 0) return Step::kEqual;
  bool remembered = false;
  if (StrongCount(lhs) > 1 || StrongCount(rhs) > 1) {
    const Step step = MeetShared(lhs, rhs);
    if (step != Step::kEnter) return step;
    remembered = true;
  }
  const size_t start = children_.size();
  const Step step = PairEntries(left, right, region);
  if (step != Step::kEqual) return step;
  map_starts_.push_back(start);
  *child = {lhs, rhs, {.next = start}, Marks(ValueClass::kMap, region, false, remembered)};
  return Step::kEnter;
}

// Keys pair before anything is compared, as in LockStep; keys that have children come before all values.
EqualWalk::Step EqualWalk::PairEntries(const MapBaseObj& lhs, const MapBaseObj& rhs, DefRegion region) {
  if (lhs.size() != rhs.size()) return Step::kUnknown;
  const size_t start = children_.size();
  // Most maps have the same keys in the same order.
  uint64_t l = lhs.First(), r = rhs.First();
  for (; l != MapBaseObj::kEnd; l = lhs.Next(l), r = rhs.Next(r)) {
    if (!SamePlainKeys(*lhs.KeyAt(l).raw(), *rhs.KeyAt(r).raw())) break;
    children_.push_back({*lhs.ValueAt(l).raw(), *rhs.ValueAt(r).raw(), region});
  }
  if (l == MapBaseObj::kEnd) return Step::kEqual;
  children_.resize(start);
  for (l = lhs.First(); l != MapBaseObj::kEnd; l = lhs.Next(l)) {
    if (!IsPlainKey(*lhs.KeyAt(l).raw())) {
      children_.resize(start);
      return hooks_ == Hooks::kRun ? Step::kUnknown : PairObjectKeys(lhs, rhs, region);
    }
    const Any* value = IsNan(*lhs.KeyAt(l).raw()) ? nullptr : rhs.Find(lhs.KeyAt(l));
    if (value == nullptr) return Step::kUnknown;
    children_.push_back({*lhs.ValueAt(l).raw(), *value->raw(), region});
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
  if (keys_ == nullptr) keys_ = std::make_unique<SideKeys>(plans_, options_);
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
