/*
 * The one walk over a graph: post-order, iterative, every shared object once. Hash, saving, dumping and statistics are
 * visitors of it; comparison walks two graphs at once with the same frames (structural/lock_step.h).
 */
#ifndef TRANSOM_SRC_GRAPH_FOLD_H_
#define TRANSOM_SRC_GRAPH_FOLD_H_

#include <transom/runtime/error.h>

#include <vector>

#include "graph/path.h"
#include "graph/pointer_map.h"
#include "graph/prefetch.h"
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

/*! \brief A value on the way: its children are numbered 0 .. count-1. */
struct FoldFrame {
  TVMFFIAny value;
  const TVMFFIObject* met;  // the object as the walk met it: `value` itself, unless the visitor went on in another
  const TypePlan* plan;     // kObject
  void* note;               // the visitor's own
  union {
    const uint16_t* list;  // kObject: indices of the fields to visit
    size_t first_child;    // kMap: where its keys and values lie on the engine's stack of children
  };
  uint64_t count;
  uint64_t next;
  uint32_t memo;  // shared: where the memo has it
  ValueClass cls;
  DefRegion region;
  DefRegion inside;  // kObject: region of fields that declare none
  bool shared;

  /*! \brief kObject: the fields to visit; the list must outlive the frame. */
  void Visit(const std::vector<uint16_t>& fields) {
    list = fields.data();
    count = fields.size();
  }
  /*! \brief Goes on in another value, which has children and lives as long as the walk. For Begin. */
  void Become(const TVMFFIAny& other, PlanTable& plans) {
    value = other;
    cls = Classify(other.type_index);
    plan = cls == ValueClass::kObject ? &plans.Of(other.v_obj) : nullptr;
  }
};

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
// Visitor:
//   using Result;
//     Trivially copyable.
//   static constexpr bool kKeysFirst
//     Maps: the n keys come first, then the n values, in an order of the visitor's; else k0 v0 k1 v1 ... in iteration
//     order.
//   Result Leaf(const TVMFFIAny& value, ValueClass cls)
//     Everything without children; may throw. May take the region as a third argument.
//   Result Custom(const TVMFFIAny& value, const TypePlan&, std::string_view json)
//     Objects with custom data.
//   void Enter(FoldFrame&)
//     kObject: says which fields to visit (FoldFrame::Visit).
//   Result Leave(FoldFrame&, Result* children)
//     Children in the order of the visit.
// With kKeysFirst:
//   void MapChildren(FoldFrame&, std::vector<TVMFFIAny>* children)
//     Pushes these 2n values.
//   DefRegion KeyRegion(const FoldFrame&, const TVMFFIAny& key)
//     The region of a key.
//   void KeysDone(FoldFrame&, TVMFFIAny* children, Result* keys)
//     May reorder entries in place.
// Optional:
//   Path Origin()
//     Where the root of this walk lies, for messages.
//   bool Known(const TVMFFIAny& value, Result*)
//     Whether the visitor has the result of a value with children, which then is not entered.
//   bool Whole(FoldFrame& frame, Result*)
//     Whether the visitor folds an object by itself, without a visit of its fields; it may run the walk on other values
//     meanwhile.
//   static constexpr bool kFieldsOnly = true
//     Objects with custom data are visited by their fields as well.
//   bool Begin(FoldFrame& frame, Result*)
//     Whether the visitor has the result of a value with children, which then is not looked into. It may run the walk,
//     on that value too, or go on in another value (FoldFrame::Become).
//   bool Key(const TVMFFIAny& key, Result*)
//     Whether the visitor has the result of a map's key, which then is not visited.
//   static constexpr bool kRunsForeignCode = true
//     What is being visited is kept alive, since the code that the visitor calls may drop it.
//   bool RememberAll()
//     Keep the results of all objects, not only of shared ones, for later runs.
//   Result Early(FoldFrame& frame)
//     The result of a value with children before they are visited: what leads back to the value gets it. Leave gives
//     the same one.
//   Result Again(const TVMFFIAny& value)
//     The result of a value that contains itself, where it is met inside itself. With RememberAll this finds all
//     cycles, else those through shared objects.
//   bool Lasting(const Result&)
//     Whether the result of a value also holds for its other places; else it is visited there again.
template <class Visitor>
class Fold {
 public:
  using Result = typename Visitor::Result;

  Fold(PlanTable& plans, Visitor& visitor) : plans_(plans), visitor_(visitor) {}

  Result Run(const TVMFFIAny& root, DefRegion region = DefRegion::kNone) {
    const Levels base{frames_.size(), results_.size(), children_.size()};
    try {
      results_.Reserve(1);
      if (!Resolve(root, region)) {
        do {
          while (!VisitChildren()) {
          }
          Finish();
        } while (frames_.size() > base.frames);
      }
    } catch (...) {
      Abandon(base);
      throw;
    }
    const Result result = results_.back();
    results_.pop_back();
    return result;
  }

  Keeper& keeper() { return keeper_; }

  /*! \brief Path of the value that is being visited. */
  Path CurrentPath() const {
    Path path;
    if constexpr (requires { visitor_.Origin(); }) path = visitor_.Origin();
    // A frame that has not begun, or has ended, is not visiting a child.
    for (const FoldFrame& frame : frames_) {
      if (frame.next != 0) path.push_back(StepOf(frame));
    }
    return path;
  }

 private:
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

  // The result of a value, when it needs no visit of children; else the value has a frame now. The parent's frame has
  // reserved the place of the result.
  [[gnu::always_inline]] bool Resolve(const TVMFFIAny& value, DefRegion region) {
    const ValueClass cls = Classify(value.type_index);
    if (HasChildren(cls)) return ResolveParent(value, cls, region);
    if constexpr (requires { visitor_.Leaf(value, cls, region); }) {
      results_.PushReserved(visitor_.Leaf(value, cls, region));
    } else {
      results_.PushReserved(visitor_.Leaf(value, cls));
    }
    return true;
  }

  [[gnu::noinline]] bool ResolveParent(TVMFFIAny value, ValueClass cls, DefRegion region) {
    if constexpr (requires(Result * known) { visitor_.Known(value, known); }) {
      Result known;
      if (visitor_.Known(value, &known)) {
        results_.PushReserved(known);
        return true;
      }
    }
    bool shared = StrongCount(value.v_obj) > 1;
    if constexpr (requires { visitor_.RememberAll(); }) shared |= visitor_.RememberAll();
    if (!shared) return Open(value, cls, region, false, 0);
    auto [memo, is_new] = memo_.Insert(value.v_obj);
    if (memo->state == MemoState::kDone) {
      results_.PushReserved(memo->result);
      return true;
    }
    if (!is_new && memo->state == MemoState::kOpen) {
      MeetAgain(value);
      return true;
    }
    // A visitor that begins may come here again before it looks into the value.
    memo->state = kBegins ? MemoState::kForgotten : MemoState::kOpen;
    return Open(value, cls, region, true, static_cast<uint32_t>(memo_.PlaceOf(memo)));
  }

  void MeetAgain(const TVMFFIAny& value) {
    if constexpr (requires { visitor_.Again(value); }) {
      results_.PushReserved(visitor_.Again(value));
    } else {
      ThrowCycle();
    }
  }

  // A frame for the value; says whether it has ended already.
  [[gnu::noinline]] bool Open(TVMFFIAny value, ValueClass cls, DefRegion region, bool shared, uint32_t place) {
    HoldForFrame(value);
    FoldFrame& frame = *frames_.Extend(1);
    frame = {value, value.v_obj, nullptr, nullptr, {.first_child = 0}, 0, 0, place, cls, region, region, shared};
    if constexpr (kBegins) frame.first_child = children_.size();
    if (cls == ValueClass::kObject) frame.plan = &plans_.Of(value.v_obj);
    if constexpr (kBegins) {
      if (Begin()) return true;
    }
    return LookInside(frames_.back());
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

  bool LookInside(FoldFrame& frame) {
    switch (frame.cls) {
      case ValueClass::kSequence:
        SetEarlyResult(frame);
        frame.count = static_cast<uint64_t>(SequenceOf(frame.value).size);
        PrefetchItems(SequenceOf(frame.value));
        break;
      case ValueClass::kMap:
        SetEarlyResult(frame);
        frame.first_child = children_.size();
        frame.count = 2 * MapOf(frame.value).size();
        PushEntries(frame);
        break;
      default:
        if (LookInsideObject(frame)) return true;
    }
    results_.Reserve(frame.count + 1);
    return false;
  }

  bool LookInsideObject(FoldFrame& frame) {
    if constexpr (requires(Result * whole) { visitor_.Whole(frame, whole); }) {
      // The visitor may run the walk, which moves frames.
      FoldFrame copy = frame;
      Result whole;
      if (visitor_.Whole(copy, &whole)) return Close(copy, whole);
    }
    if (frame.plan->custom_data && CustomDataCounts()) {
      return Close(frame,
                   visitor_.Custom(frame.value, *frame.plan, CustomDataOf(frame.value.v_obj, *frame.plan, keeper_)));
    }
    SetEarlyResult(frame);
    frame.inside = FieldRegion(frame.region, frame.plan->kind, DefRegion::kNone);
    visitor_.Enter(frame);
    if (frame.count == 0) return Close(frame, visitor_.Leave(frame, results_.end()));
    PrefetchFields(frame.value.v_obj, *frame.plan, frame.list, frame.count);
    return false;
  }

  static constexpr bool kBegins = requires(Visitor & v, FoldFrame& frame, Result* result) { v.Begin(frame, result); };
  static constexpr bool kRunsForeignCode = requires { Visitor::kRunsForeignCode; };

  // Keeps values alive until the frame ends that holds them.
  void HoldForFrame(const TVMFFIAny& value) {
    if constexpr (kRunsForeignCode) held_from_.push_back(held_.size());
    Hold(value);
  }
  void Hold(const TVMFFIAny& value) {
    if constexpr (kRunsForeignCode) held_.emplace_back(AnyView::FromRaw(value));
  }
  void ReleaseFrame() {
    if constexpr (kRunsForeignCode) {
      held_.resize(held_from_.back());
      held_from_.pop_back();
    }
  }

  void SetEarlyResult(FoldFrame& frame) {
    if constexpr (requires { visitor_.Early(frame); }) {
      const Result result = visitor_.Early(frame);
      if (!frame.shared) return;
      Memo* memo = memo_.FindAt(frame.memo, frame.met);
      memo->result = result;
      memo->state = MemoState::kDone;
    }
  }

  static constexpr bool CustomDataCounts() {
    return !requires { Visitor::kFieldsOnly; };
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
    if constexpr (kRunsForeignCode) {
      // A map that has two owners does not change.
      if (frame.value.type_index != kTVMFFIDict) return;
      for (size_t i = frame.first_child; i < children_.size(); ++i) Hold(children_[i]);
    }
  }

  // Visits children of the last frame until one of them has a frame itself, or all have results: then it says so.
  bool VisitChildren() {
    switch (frames_.back().cls) {
      case ValueClass::kSequence:
        return VisitItems();
      case ValueClass::kMap:
        return VisitEntries();
      default:
        return VisitFields();
    }
  }

  bool VisitItems() {
    const FoldFrame& frame = frames_.back();
    const TVMFFISeqCell& cell = SequenceOf(frame.value);
    const TVMFFIAny* items = ItemsOf(cell);
    const uint64_t count = frame.count;
    const DefRegion region = frame.region;
    for (uint64_t i = frame.next; i < count; ++i) {
      frames_.back().next = i + 1;
      if constexpr (kRunsForeignCode) {
        TRANSOM_CHECK(static_cast<uint64_t>(cell.size) == count, RuntimeError)
            << PathText(CurrentPath(), true) << ": the list that holds this was changed from " << count << " to "
            << cell.size << " elements while it was visited";
        items = ItemsOf(cell);
      }
      if (!Resolve(items[i], region)) return false;
    }
    return true;
  }

  bool VisitFields() {
    const FoldFrame& frame = frames_.back();
    const FieldPlan* fields = frame.plan->fields.data();
    const uint16_t* list = frame.list;
    const TVMFFIObject* object = frame.value.v_obj;
    const uint64_t count = frame.count;
    for (uint64_t i = frame.next; i < count; ++i) {
      FoldFrame& top = frames_.back();
      top.next = i + 1;
      const FieldPlan& field = fields[list[i]];
      const bool own = field.def != DefRegion::kNone && top.region != DefRegion::kRecursive;
      if (!Resolve(ReadField(object, field, keeper_), own ? field.def : top.inside)) return false;
    }
    return true;
  }

  bool VisitEntries() {
    const uint64_t count = frames_.back().count;
    for (uint64_t i = frames_.back().next; i < count; ++i) {
      FoldFrame& frame = frames_.back();
      frame.next = i + 1;
      DefRegion region = frame.region;
      if constexpr (Visitor::kKeysFirst) {
        if (i == count / 2) visitor_.KeysDone(frame, &children_[frame.first_child], results_.end() - i);
        if (i < count / 2) region = visitor_.KeyRegion(frame, children_[frame.first_child + i]);
      }
      const TVMFFIAny child = children_[frame.first_child + i];
      if constexpr (requires(Result * known) { visitor_.Key(child, known); }) {
        static_assert(!Visitor::kKeysFirst);
        Result known;
        if (i % 2 == 0 && visitor_.Key(child, &known)) {
          results_.PushReserved(known);
          continue;
        }
      }
      if (!Resolve(child, region)) return false;
    }
    return true;
  }

  void Finish() {
    FoldFrame& frame = frames_.back();
    frame.next = 0;
    if constexpr (kRunsForeignCode || requires(Result * whole) { visitor_.Whole(frame, whole); }) {
      FoldFrame copy = frame;
      FinishWith(copy);
    } else {
      FinishWith(frame);
    }
  }
  void FinishWith(FoldFrame& frame) {
    const uint64_t count = frame.count;
    const Result result = visitor_.Leave(frame, results_.end() - count);
    results_.Drop(count);
    Close(frame, result);
  }

  // Ends the last frame, whose children have no results any more, with its own.
  bool Close(const FoldFrame& frame, const Result& result) {
    if (frame.cls == ValueClass::kMap) children_.resize(frame.first_child);
    results_.PushReserved(result);
    if (frame.shared) {
      Memo* memo = memo_.FindAt(frame.memo, frame.met);
      memo->result = result;
      memo->state = MemoState::kDone;
      if constexpr (requires { visitor_.Lasting(result); }) {
        if (!visitor_.Lasting(result)) memo->state = MemoState::kForgotten;
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

  [[noreturn]] void ThrowCycle() {
    TRANSOM_THROW(ValueError)
        << PathText(CurrentPath(), true)
        << ": the value contains itself; lists, dicts and fields that lead back to an object above them "
           "can be neither compared nor saved";
  }

  PlanTable& plans_;
  Visitor& visitor_;
  Keeper keeper_;
  PointerMap<Memo> memo_;
  Stack<FoldFrame> frames_;
  Stack<Result> results_;
  std::vector<TVMFFIAny> children_;
  std::vector<Any> held_;          // kRunsForeignCode: what the frames keep alive
  std::vector<size_t> held_from_;  // where each frame's begins
};

}  // namespace transom::graph
#endif  // TRANSOM_SRC_GRAPH_FOLD_H_
