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
  const TypePlan* plan;  // kObject
  const uint16_t* list;  // kObject: indices of the fields to visit
  void* note;            // the visitor's own
  size_t first_child;    // kMap: where its keys and values lie on the engine's stack of children
  size_t first_result;   // where its children's results begin
  size_t memo;           // shared: where the memo has it
  uint64_t count;
  uint64_t next;
  ValueClass cls;
  DefRegion region;
  bool shared;

  /*! \brief kObject: the fields to visit; the list must outlive the frame. */
  void Visit(const std::vector<uint16_t>& fields) {
    list = fields.data();
    count = fields.size();
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
 * \brief Folds a graph to a result, children first. A visitor may start another Run while it is asked. Memory: a memo
 * entry per shared object, a frame per level. Throws ValueError for a cycle.
 */
// Visitor:
//   using Result;
//     Trivially copyable.
//   static constexpr bool kKeysFirst
//     Maps: the n keys come first, then the n values, in an order of the visitor's; else k0 v0 k1 v1 ... in iteration
//     order.
//   Result Leaf(const TVMFFIAny& value, ValueClass cls)
//     Everything without children; may throw.
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
//   const TVMFFIAny* Instead(const TVMFFIAny& value)
//     A value that is visited in the place of this one, or null; its result is kept. Owned by the visitor.
//   bool RememberAll()
//     Keep the results of all objects, not only of shared ones, for later runs.
template <class Visitor>
class Fold {
 public:
  using Result = typename Visitor::Result;

  Fold(PlanTable& plans, Visitor& visitor) : plans_(plans), visitor_(visitor) {}

  Result Run(const TVMFFIAny& root, DefRegion region = DefRegion::kNone) {
    const size_t base = frames_.size();
    Resolve(root, region);
    while (frames_.size() > base) {
      if (frames_.back().next < frames_.back().count) {
        VisitChildren();
      } else {
        Finish();
      }
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
  struct Memo {
    Result result{};
    bool done = false;
  };

  // The result of a value, when it needs no visit of children; else the value has a frame now.
  bool Resolve(const TVMFFIAny& value, DefRegion region) {
    if constexpr (requires { visitor_.Instead(value); }) {
      if (const TVMFFIAny* instead = visitor_.Instead(value)) return ResolveAny(*instead, region, true);
    }
    return ResolveAny(value, region, false);
  }

  bool ResolveAny(const TVMFFIAny& value, DefRegion region, bool remember) {
    const ValueClass cls = Classify(value.type_index);
    if (!HasChildren(cls)) {
      results_.push_back(visitor_.Leaf(value, cls));
      return true;
    }
    return ResolveParent(value, cls, region, remember);
  }

  bool ResolveParent(const TVMFFIAny& value, ValueClass cls, DefRegion region, bool remember) {
    if constexpr (requires(Result * known) { visitor_.Known(value, known); }) {
      Result known;
      if (visitor_.Known(value, &known)) {
        results_.push_back(known);
        return true;
      }
    }
    bool shared = remember || StrongCount(value.v_obj) > 1;
    if constexpr (requires { visitor_.RememberAll(); }) shared |= visitor_.RememberAll();
    size_t place = 0;
    if (shared) {
      auto [memo, is_new] = memo_.Insert(value.v_obj);
      if (!is_new) {
        if (!memo->done) ThrowCycle();
        results_.push_back(memo->result);
        return true;
      }
      place = memo_.PlaceOf(memo);
    }
    FoldFrame& frame = *frames_.Extend(1);
    frame = {value, nullptr, nullptr, nullptr, 0, results_.size(), place, 0, 0, cls, region, shared};
    return Open(frame);
  }

  bool Open(FoldFrame& frame) {
    if (frame.cls == ValueClass::kObject) {
      frame.plan = &plans_.Of(frame.value.v_obj);
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
      visitor_.Enter(frame);
      if (frame.count == 0) return Close(frame, visitor_.Leave(frame, results_.data() + frame.first_result));
      PrefetchFields(frame);
    } else if (frame.cls == ValueClass::kSequence) {
      frame.count = static_cast<uint64_t>(SequenceOf(frame.value).size);
      PrefetchItems(frame);
    } else {
      frame.first_child = children_.size();
      frame.count = 2 * MapOf(frame.value).size();
      PushEntries(frame);
    }
    return false;
  }

  // Asks memory for the children while the first of them is visited.
  static void PrefetchFields(const FoldFrame& frame) {
    const char* object = reinterpret_cast<const char*>(frame.value.v_obj);
    for (uint64_t i = 0; i < frame.count; ++i) {
      const FieldPlan& field = frame.plan->fields[frame.list[i]];
      if (field.storage == Storage::kObject) __builtin_prefetch(*reinterpret_cast<void* const*>(object + field.offset));
    }
  }
  static void PrefetchItems(const FoldFrame& frame) {
    constexpr uint64_t kMost = 8;
    const TVMFFIAny* items = ItemsOf(SequenceOf(frame.value));
    for (uint64_t i = 0; i < std::min(frame.count, kMost); ++i) __builtin_prefetch(items[i].v_ptr);
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
  }

  // Visits children of the last frame until one of them has a frame itself.
  void VisitChildren() {
    switch (frames_.back().cls) {
      case ValueClass::kSequence:
        return VisitItems();
      case ValueClass::kMap:
        return VisitEntries();
      default:
        return VisitFields();
    }
  }

  void VisitItems() {
    const size_t at = frames_.size() - 1;
    const TVMFFIAny* items = ItemsOf(SequenceOf(frames_[at].value));
    const uint64_t count = frames_[at].count;
    const DefRegion region = frames_[at].region;
    for (uint64_t i = frames_[at].next; i < count; ++i) {
      frames_[at].next = i + 1;
      if (!Resolve(items[i], region)) return;
    }
  }

  void VisitFields() {
    const size_t at = frames_.size() - 1;
    const TypePlan& plan = *frames_[at].plan;
    const uint16_t* list = frames_[at].list;
    const TVMFFIObject* object = frames_[at].value.v_obj;
    const uint64_t count = frames_[at].count;
    const DefRegion region = frames_[at].region;
    for (uint64_t i = frames_[at].next; i < count; ++i) {
      frames_[at].next = i + 1;
      const FieldPlan& field = plan.fields[list[i]];
      if (!Resolve(ReadField(object, field, keeper_), FieldRegion(region, plan.kind, field.def))) return;
    }
  }

  void VisitEntries() {
    const size_t at = frames_.size() - 1;
    for (uint64_t i = frames_[at].next; i < frames_[at].count; ++i) {
      FoldFrame& frame = frames_[at];
      frame.next = i + 1;
      DefRegion region = frame.region;
      if constexpr (Visitor::kKeysFirst) {
        if (i == frame.count / 2)
          visitor_.KeysDone(frame, &children_[frame.first_child], results_.data() + frame.first_result);
        if (i < frame.count / 2) region = visitor_.KeyRegion(frame, children_[frame.first_child + i]);
      }
      const TVMFFIAny child = children_[frame.first_child + i];
      if (!Resolve(child, region)) return;
    }
  }

  void Finish() {
    FoldFrame& frame = frames_.back();
    frame.next = 0;
    if constexpr (requires(Result * whole) { visitor_.Whole(frame, whole); }) {
      FoldFrame copy = frame;
      Close(copy, visitor_.Leave(copy, results_.data() + copy.first_result));
    } else {
      Close(frame, visitor_.Leave(frame, results_.data() + frame.first_result));
    }
  }

  // Ends the last frame with a result.
  bool Close(const FoldFrame& frame, const Result& result) {
    if (frame.cls == ValueClass::kMap) children_.resize(frame.first_child);
    results_.Truncate(frame.first_result);
    results_.push_back(result);
    if (frame.shared) {
      Memo* memo = memo_.FindAt(frame.memo, frame.value.v_obj);
      memo->result = result;
      memo->done = true;
    }
    frames_.pop_back();
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
};

}  // namespace transom::graph
#endif  // TRANSOM_SRC_GRAPH_FOLD_H_
