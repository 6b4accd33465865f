/*
 * The one walk over a graph: post-order, iterative, every shared object once. Hash, saving, dumping and statistics are
 * visitors of it; comparison walks two graphs at once with the same frames (structural/equality/lock_step.h).
 */
#ifndef TRANSOM_SRC_GRAPH_FOLD_H_
#define TRANSOM_SRC_GRAPH_FOLD_H_

#include <transom/runtime/error.h>

#include <string_view>
#include <tuple>
#include <vector>

#include "graph/fold_visitor.h"
#include "graph/path.h"
#include "graph/pointer_map.h"
#include "graph/prefetch.h"
#include "graph/recent_results.h"
#include "graph/stack.h"
#include "graph/type_plan.h"
#include "graph/value.h"

namespace transom::graph {

/*! \brief Region that a child is in, by its parent's, its parent's kind and its field's declaration. */
inline DefRegion FieldRegion(DefRegion region, StructuralKind kind, DefRegion field) {
  if (region == DefRegion::kRecursive) return region;
  if (field != DefRegion::kNone) return field;
  return kind == StructuralKind::kFreeVar ? DefRegion::kNone : region;
}

/*! \brief What MapChildren of a visitor with kKeysFirst pushes, in iteration order. */
inline void PushKeysThenValues(const MapBaseObj& map, std::vector<TVMFFIAny>* children) {
  for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos))
    children->push_back(*map.KeyAt(pos).raw());
  for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos))
    children->push_back(*map.ValueAt(pos).raw());
}

/*!
 * \brief Folds a graph to a result, children first. A visitor may start another Run while it is asked, also after one
 * that threw. Memory: a memo entry per shared object, a frame per level. Throws ValueError for a cycle.
 */
// What a Visitor is: fold_visitor.h.
template <class Visitor>
class Fold {
 public:
  using Result = typename Visitor::Result;

  Fold(PlanTable& plans, Visitor& visitor) : plans_(plans), visitor_(visitor) {}

  Result Run(const TVMFFIAny& root, DefRegion region = DefRegion::kNone) {
    const Levels base{frames_.size(), results_.size(), children_.size()};
    if constexpr (Members::kRememberAll) owners_ = visitor_.RememberAll() ? 0 : 1;
    try {
      results_.Reserve(1);
      Child child;
      if (!HasResult(root, region, &child) && !Open(child)) Walk(base.frames);
    } catch (...) {
      Abandon(base);
      throw;
    }
    const Result result = results_.back();
    results_.pop_back();
    return result;
  }

  Keeper& keeper() { return keeper_; }

  /*! \brief For Enter, in place of FoldFrame::Visit: the object's children are `parts`, whose values and regions as of
   * fields are kept until the walk ends. Their paths are the object's. Leave gets their results in order. */
  template <class Parts>
  void VisitParts(FoldFrame& frame, const Parts& parts) {
    frame.cls = ValueClass::kMap;
    frame.first_child = children_.size();
    frame.count = parts.size();
    for (const auto& part : parts) {
      children_.push_back(keeper_.Keep(part.value));
      children_.push_back(*AnyView(static_cast<int64_t>(FieldRegion(frame.region, frame.plan->kind, part.region))).raw());
    }
  }

  /*! \brief Path of the value that is being visited. */
  Path CurrentPath() const {
    Path path;
    if constexpr (Members::kOrigin) path = visitor_.Origin();
    // A frame that has not begun, or has ended, is not visiting a child.
    for (const FoldFrame& frame : frames_) {
      if (frame.next != 0 && !frame.HasParts()) path.push_back(StepOf(frame));
    }
    return path;
  }
  /*! \brief The error of a value that is met inside itself. */
  [[noreturn]] void ThrowCycle() {
    TRANSOM_THROW(ValueError)
        << PathText(CurrentPath(), true)
        << ": the value contains itself; lists, dicts and fields that lead back to an object above them "
           "can be neither compared nor saved";
  }

 private:
  using Members = FoldMembers<Visitor>;

  enum class MemoState : uint8_t {
    kOpen,       // the object is being visited
    kDone,       // it has its result
    kForgotten,  // it was visited, but its result does not hold elsewhere
  };
  struct Memo {
    Result result{};
    MemoState state = MemoState::kOpen;
  };

  // How far the stacks are filled.
  struct Levels {
    size_t frames;
    size_t results;
    size_t children;
  };

  // After an exception: takes back what was begun above `base`.
  void Abandon(const Levels& base) {
    for (; frames_.size() > base.frames; frames_.pop_back()) {
      const FoldFrame& frame = frames_.back();
      if (frame.shared) memo_.FindAt(frame.memo, frame.met)->state = MemoState::kForgotten;
      ReleaseFrame();
    }
    results_.Truncate(base.results);
    children_.resize(base.children);
  }

  // A value with children that has no result yet.
  struct Child {
    TVMFFIObject* object = nullptr;
    uint32_t memo = 0;
    ValueClass cls = ValueClass::kScalar;
    DefRegion region = DefRegion::kNone;
    bool shared = false;
  };

  // Until the frames above `base` have ended. Everything that is done for most values is inlined here.
  void Walk(size_t base) {
    Child child;
    do {
      while (NextChild(&child)) Open(child);
      Finish();
    } while (frames_.end() > frames_.begin() + base);
  }

  // The result of a value, when it has one without a visit of children; else what is to be visited. The parent's frame
  // has reserved the place of the result.
  [[gnu::always_inline]] bool HasResult(const TVMFFIAny& value, DefRegion region, Child* child) {
    const ValueClass cls = Classify(value.type_index);
    if (HasChildren(cls))
      return HasParentResult(
          value.v_obj, cls, [&] { return region; }, child);
    PushLeaf(value, cls, region);
    return true;
  }

  template <class Region>
  [[gnu::always_inline]] bool HasParentResult(TVMFFIObject* object, ValueClass cls, Region region, Child* child) {
    if constexpr (Members::kKnown) {
      Result known;
      if (visitor_.Known(ObjectValue(object), &known)) {
        results_.PushReserved(known);
        return true;
      }
    }
    child->shared = StrongCount(object) > owners_;
    Memo* memo = nullptr;
    if (child->shared) {
      if (const Result* known = recent_.Find(object)) {
        results_.PushReserved(*known);
        return true;
      }
      bool is_new;
      std::tie(memo, is_new) = memo_.Insert(object);
      if (memo->state == MemoState::kDone) {
        recent_.Add(object, memo->result);
        results_.PushReserved(memo->result);
        return true;
      }
      if (!is_new && memo->state == MemoState::kOpen) {
        MeetAgain(ObjectValue(object));
        return true;
      }
      // A visitor that begins may come here again before it looks into the value.
      memo->state = Members::kBegin ? MemoState::kForgotten : MemoState::kOpen;
      child->memo = static_cast<uint32_t>(memo_.PlaceOf(memo));
    }
    child->object = object;
    child->cls = cls;
    child->region = region();
    if constexpr (Members::kOnlyLeaves) {
      if (cls == ValueClass::kObject && visitor_.OnlyLeaves(plans_.Of(object))) {
        const Result result = FoldLeaves(*child);
        if (memo != nullptr) SetDone(memo, object, result);
        results_.PushReserved(result);
        return true;
      }
    }
    return false;
  }

  void SetDone(Memo* memo, const TVMFFIObject* object, const Result& result) {
    memo->result = result;
    memo->state = MemoState::kDone;
    recent_.Add(object, result);
  }

  // The result of an object whose fields are plain numbers.
  [[gnu::always_inline]] Result FoldLeaves(const Child& child) {
    FoldFrame frame;
    frame.value = ObjectValue(child.object);
    frame.met = child.object;
    frame.plan = &plans_.Of(child.object);
    frame.next = 0;
    frame.cls = ValueClass::kObject;
    frame.shared = child.shared;
    frame.region = child.region;
    frame.inside = FieldRegion(frame.region, frame.plan->kind, DefRegion::kNone);
    visitor_.Enter(frame);
    results_.Reserve(frame.count + 1);
    Result* results = results_.end();
    for (uint64_t i = 0; i < frame.count; ++i) {
      const TVMFFIAny value = ReadField(child.object, frame.plan->fields[frame.list[i]], keeper_);
      results[i] = visitor_.Leaf(value, ValueClass::kScalar);
    }
    return visitor_.Leave(frame, results);
  }

  [[gnu::always_inline]] void PushLeaf(const TVMFFIAny& value, ValueClass cls, DefRegion region) {
    if constexpr (Members::kTextsByAddress) {
      if ((cls == ValueClass::kString || cls == ValueClass::kBytes) && IsObject(value)) return PushText(value, cls);
    }
    if constexpr (requires { visitor_.Leaf(value, cls, region); }) {
      results_.PushReserved(visitor_.Leaf(value, cls, region));
    } else {
      results_.PushReserved(visitor_.Leaf(value, cls));
    }
  }

  void PushText(const TVMFFIAny& value, ValueClass cls) {
    const Result* known = recent_.Find(value.v_obj);
    if (known != nullptr) return results_.PushReserved(*known);
    const Result result = visitor_.Leaf(value, cls);
    recent_.Add(value.v_obj, result);
    results_.PushReserved(result);
  }

  [[gnu::noinline]] void MeetAgain(const TVMFFIAny& value) {
    if constexpr (Members::kAgain) {
      results_.PushReserved(visitor_.Again(value));
    } else {
      ThrowCycle();
    }
  }

  // A frame for the value; says whether it has ended already.
  [[gnu::always_inline]] bool Open(const Child& child) {
    const TVMFFIAny value = ObjectValue(child.object);
    HoldForFrame(value);
    FoldFrame& frame = *frames_.Extend(1);
    frame.value = value;
    frame.met = child.object;
    frame.count = frame.next = 0;
    frame.memo = child.memo;
    frame.cls = child.cls;
    frame.region = frame.inside = child.region;
    frame.shared = child.shared;
    frame.plan = nullptr;
    if (child.cls == ValueClass::kObject) frame.plan = &plans_.Of(child.object);
    if constexpr (Members::kBegin) {
      frame.first_child = children_.size();
      return Begin() || LookInside(frames_.back());
    }
    return LookInside(frame);
  }

  // Asks the visitor about the last frame's value. Returns whether that has ended.
  bool Begin() {
    // The visitor may run the walk, which moves frames.
    FoldFrame frame = frames_.back();
    Result result;
    if (visitor_.Begin(frame, &result)) return Close(frame, result);
    if (frame.shared) memo_.FindAt(frame.memo, frame.met)->state = MemoState::kOpen;
    if (frame.value.v_obj != frame.met) Hold(frame.value);
    frames_.back() = frame;
    return false;
  }

  [[gnu::always_inline]] bool LookInside(FoldFrame& frame) {
    if (frame.cls == ValueClass::kMap) return LookInsideMap(frame);
    if (frame.cls == ValueClass::kObject) return LookInsideObject(frame);
    SetEarlyResult(frame);
    frame.count = static_cast<uint64_t>(SequenceOf(frame.value).size);
    PrefetchItems(SequenceOf(frame.value));
    results_.Reserve(frame.count + 1);
    return false;
  }

  [[gnu::noinline]] bool LookInsideMap(FoldFrame& frame) {
    SetEarlyResult(frame);
    frame.first_child = children_.size();
    frame.count = 2 * MapOf(frame.value).size();
    PushEntries(frame);
    results_.Reserve(frame.count + 1);
    return false;
  }

  [[gnu::always_inline]] bool LookInsideObject(FoldFrame& frame) {
    if constexpr (Members::kWhole) {
      // The visitor may run the walk, which moves frames.
      FoldFrame copy = frame;
      Result whole;
      if (visitor_.Whole(copy, &whole)) return Close(copy, whole);
    }
    if (frame.plan->custom_data && !Members::kFieldsOnly) return LookAtCustomData(frame);
    SetEarlyResult(frame);
    frame.inside = FieldRegion(frame.region, frame.plan->kind, DefRegion::kNone);
    visitor_.Enter(frame);
    PrefetchFields(frame.value.v_obj, *frame.plan);
    results_.Reserve(frame.count + 1);
    return false;
  }

  [[gnu::noinline]] bool LookAtCustomData(FoldFrame& frame) {
    const std::string_view json = CustomDataOf(frame.value.v_obj, *frame.plan, keeper_);
    return Close(frame, visitor_.Custom(frame.value, *frame.plan, json));
  }

  // Keeps values alive until the frame ends that holds them.
  void HoldForFrame(const TVMFFIAny& value) {
    if constexpr (Members::kRunsForeignCode) held_from_.push_back(held_.size());
    Hold(value);
  }
  void Hold(const TVMFFIAny& value) {
    if constexpr (Members::kRunsForeignCode) held_.emplace_back(AnyView::FromRaw(value));
  }
  void ReleaseFrame() {
    if constexpr (Members::kRunsForeignCode) {
      held_.resize(held_from_.back());
      held_from_.pop_back();
    }
  }

  void SetEarlyResult(FoldFrame& frame) {
    if constexpr (Members::kEarly) {
      const Result result = visitor_.Early(frame);
      if (!frame.shared) return;
      Memo* memo = memo_.FindAt(frame.memo, frame.met);
      memo->result = result;
      memo->state = MemoState::kDone;
    }
  }

  void PushEntries(FoldFrame& frame) {
    if constexpr (Visitor::kKeysFirst) {
      visitor_.MapChildren(frame, &children_);
    } else {
      const MapBaseObj& map = MapOf(frame.value);
      for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos)) {
        children_.push_back(*map.KeyAt(pos).raw());
        children_.push_back(*map.ValueAt(pos).raw());
      }
    }
    if constexpr (Members::kRunsForeignCode) {
      // A map that has two owners does not change.
      if (frame.value.type_index != kTVMFFIDict) return;
      for (size_t i = frame.first_child; i < children_.size(); ++i) Hold(children_[i]);
    }
  }

  // Goes on with the children of the last frame up to one that has no result yet; says whether there is one.
  [[gnu::always_inline]] bool NextChild(Child* child) {
    const ValueClass cls = frames_.back().cls;
    if (cls == ValueClass::kObject) return NextField(child);
    return cls == ValueClass::kSequence ? NextItem(child) : NextEntry(child);
  }

  [[gnu::always_inline]] bool NextItem(Child* child) {
    const FoldFrame& frame = frames_.back();
    const TVMFFISeqCell& cell = SequenceOf(frame.value);
    const TVMFFIAny* items = ItemsOf(cell);
    const uint64_t count = frame.count;
    const DefRegion region = frame.region;
    for (uint64_t i = frame.next; i < count;) {
      frames_.back().next = ++i;
      if constexpr (Members::kRunsForeignCode) {
        TRANSOM_CHECK(static_cast<uint64_t>(cell.size) == count, RuntimeError)
            << PathText(CurrentPath(), true) << ": the list that holds this was changed from " << count << " to "
            << cell.size << " elements while it was visited";
        items = ItemsOf(cell);
      }
      if (!HasResult(items[i - 1], region, child)) return true;
    }
    return false;
  }

  [[gnu::always_inline]] bool NextField(Child* child) {
    const FoldFrame& frame = frames_.back();
    const FieldPlan* fields = frame.plan->fields.data();
    const uint16_t* list = frame.list;
    const TVMFFIObject* object = frame.value.v_obj;
    const uint64_t count = frame.count;
    for (uint64_t i = frame.next; i < count;) {
      const FieldPlan& field = fields[list[i]];
      frames_.back().next = ++i;
      if (!HasFieldResult(object, field, child)) {
        if (i < count) PrefetchBelow(object, fields[list[i]]);
        return true;
      }
    }
    return false;
  }

  // What the next field's object refers to: it is asked for while the walk is in the field before.
  [[gnu::always_inline]] void PrefetchBelow(const TVMFFIObject* object, const FieldPlan& field) {
    if (field.storage != Storage::kObject) return;
    auto* next = *reinterpret_cast<TVMFFIObject* const*>(reinterpret_cast<const char*>(object) + field.offset);
    if (next != nullptr && next->type_index >= kTVMFFIDynObjectBegin) PrefetchFields(next, plans_.Of(next));
  }

  // Most fields refer to objects.
  [[gnu::always_inline]] bool HasFieldResult(const TVMFFIObject* object, const FieldPlan& field, Child* child) {
    if (field.storage != Storage::kObject) return HasOtherFieldResult(object, field, child);
    auto* value = *reinterpret_cast<TVMFFIObject* const*>(reinterpret_cast<const char*>(object) + field.offset);
    const ValueClass cls = value != nullptr ? Classify(value->type_index) : ValueClass::kScalar;
    if (HasChildren(cls))
      return HasParentResult(
          value, cls, [&] { return RegionOf(field); }, child);
    PushLeaf(ObjectValue(value), cls, RegionOf(field));
    return true;
  }
  [[gnu::noinline]] bool HasOtherFieldResult(const TVMFFIObject* object, const FieldPlan& field, Child* child) {
    const TVMFFIAny value = ReadField(object, field, keeper_);
    if (field.storage == Storage::kAny || field.storage == Storage::kGetter)
      return HasResult(value, RegionOf(field), child);
    PushLeaf(value, ValueClass::kScalar, RegionOf(field));
    return true;
  }

  // Region of a field of the last frame's object.
  DefRegion RegionOf(const FieldPlan& field) {
    const FoldFrame& frame = frames_.back();
    return field.def != DefRegion::kNone && frame.region != DefRegion::kRecursive ? field.def : frame.inside;
  }

  bool NextPart(Child* child) {
    while (frames_.back().next < frames_.back().count) {
      const TVMFFIAny* part = &children_[frames_.back().first_child + 2 * frames_.back().next++];
      if (!HasResult(part[0], static_cast<DefRegion>(part[1].v_int64), child)) return true;
    }
    return false;
  }

  [[gnu::noinline]] bool NextEntry(Child* child) {
    if (frames_.back().HasParts()) return NextPart(child);
    const uint64_t count = frames_.back().count;
    for (uint64_t i = frames_.back().next; i < count; ++i) {
      FoldFrame& frame = frames_.back();
      frame.next = i + 1;
      DefRegion region = frame.region;
      if constexpr (Visitor::kKeysFirst) {
        if (i == count / 2) visitor_.KeysDone(frame, &children_[frame.first_child], results_.end() - i);
        if (i < count / 2) region = visitor_.KeyRegion(frame, children_[frame.first_child + i]);
      }
      const TVMFFIAny value = children_[frame.first_child + i];
      if constexpr (Members::kKey) {
        Result known;
        if (i % 2 == 0 && visitor_.Key(value, &known)) {
          results_.PushReserved(known);
          continue;
        }
      }
      if (!HasResult(value, region, child)) return true;
    }
    return false;
  }

  [[gnu::always_inline]] void Finish() {
    FoldFrame& frame = frames_.back();
    frame.next = 0;
    if constexpr (Members::kRunsForeignCode || Members::kWhole) {
      FoldFrame copy = frame;
      FinishWith(copy);
    } else {
      FinishWith(frame);
    }
  }
  [[gnu::always_inline]] void FinishWith(FoldFrame& frame) {
    const uint64_t count = frame.count;
    const Result result = visitor_.Leave(frame, results_.end() - count);
    results_.Drop(count);
    Close(frame, result);
  }

  // Ends the last frame, whose children have no results any more, with its own.
  [[gnu::always_inline]] bool Close(const FoldFrame& frame, const Result& result) {
    if (frame.cls == ValueClass::kMap) children_.resize(frame.first_child);
    results_.PushReserved(result);
    if (frame.shared) {
      Memo* memo = memo_.FindAt(frame.memo, frame.met);
      bool lasts = true;
      if constexpr (Members::kLasting) lasts = visitor_.Lasting(result);
      if (lasts) {
        SetDone(memo, frame.met, result);
      } else {
        memo->state = MemoState::kForgotten;
      }
    }
    frames_.pop_back();
    ReleaseFrame();
    return true;
  }

  Step StepOf(const FoldFrame& frame) const {
    const uint64_t i = frame.next - 1;
    switch (frame.cls) {
      case ValueClass::kSequence:
        return Step::Item(static_cast<int64_t>(i));
      case ValueClass::kMap: {
        const uint64_t n = frame.count / 2;
        const uint64_t entry = Visitor::kKeysFirst ? i % n : i / 2;
        const TVMFFIAny& key = children_[frame.first_child + (Visitor::kKeysFirst ? entry : 2 * entry)];
        return Step::Key(key, static_cast<int64_t>(entry));
      }
      default:
        return Step::Attr(frame.plan->fields[frame.list[i]].name);
    }
  }

  PlanTable& plans_;
  Visitor& visitor_;
  Keeper keeper_;
  uint32_t owners_ = 1;  // an object that has more is remembered
  PointerMap<Memo> memo_;
  RecentResults<Result> recent_;  // of the memo, and of texts
  Stack<FoldFrame> frames_;
  Stack<Result> results_;
  std::vector<TVMFFIAny> children_;
  std::vector<Any> held_;          // kRunsForeignCode: what the frames keep alive
  std::vector<size_t> held_from_;  // where each frame's begins
};

}  // namespace transom::graph
#endif  // TRANSOM_SRC_GRAPH_FOLD_H_
