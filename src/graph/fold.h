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
  void* note;            // the visitor's own
  union {
    const uint16_t* list;  // kObject: indices of the fields to visit
    size_t first_child;    // kMap: where its keys and values lie on the engine's stack of children
  };
  uint64_t count;
  uint64_t next;
  uint32_t memo;  // shared: where the memo has it
  ValueClass cls;
  DefRegion region;
  bool shared;

  /*! \brief kObject: the fields to visit; the list must outlive the frame. */
  void Visit(const std::vector<uint16_t>& fields) {
    list = fields.data();
    count = fields.size();
  }
};
static_assert(sizeof(FoldFrame) == 64, "one is written for each object");

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
//   bool RememberAll()
//     Keep the results of all objects, not only of shared ones, for later runs.
template <class Visitor>
class Fold {
 public:
  using Result = typename Visitor::Result;

  Fold(PlanTable& plans, Visitor& visitor) : plans_(plans), visitor_(visitor) {}

  Result Run(const TVMFFIAny& root, DefRegion region = DefRegion::kNone) {
    const size_t base = frames_.size();
    results_.Reserve(1);
    if (!Resolve(root, region)) {
      do {
        while (!VisitChildren()) {
        }
        Finish();
      } while (frames_.size() > base);
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

  // The result of a value, when it needs no visit of children; else the value has a frame now. The parent's frame has
  // reserved the place of the result.
  [[gnu::always_inline]] bool Resolve(const TVMFFIAny& value, DefRegion region) {
    const ValueClass cls = Classify(value.type_index);
    if (HasChildren(cls)) return ResolveParent(value, cls, region);
    results_.PushReserved(visitor_.Leaf(value, cls));
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
    if (is_new) return Open(value, cls, region, true, static_cast<uint32_t>(memo_.PlaceOf(memo)));
    if (!memo->done) ThrowCycle();
    results_.PushReserved(memo->result);
    return true;
  }

  // A frame for the value; says whether it has ended already.
  [[gnu::noinline]] bool Open(TVMFFIAny value, ValueClass cls, DefRegion region, bool shared, uint32_t place) {
    FoldFrame& frame = *frames_.Extend(1);
    frame = {value, nullptr, nullptr, {nullptr}, 0, 0, place, cls, region, shared};
    switch (cls) {
      case ValueClass::kSequence:
        frame.count = static_cast<uint64_t>(SequenceOf(frame.value).size);
        PrefetchItems(frame);
        break;
      case ValueClass::kMap:
        frame.first_child = children_.size();
        frame.count = 2 * MapOf(frame.value).size();
        PushEntries(frame);
        break;
      default:
        if (OpenObject(frame)) return true;
    }
    results_.Reserve(frame.count + 1);
    return false;
  }

  bool OpenObject(FoldFrame& frame) {
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
    if (frame.count == 0) return Close(frame, visitor_.Leave(frame, results_.end()));
    PrefetchFields(frame);
    return false;
  }

  // Asks memory for the children while the first of them is visited.
  static void Prefetch(const void* address) {
    __builtin_prefetch(address);
    asm volatile("" : : "r"(address));  // a loop that does nothing else is no loop to the compiler
  }
  static void PrefetchFields(const FoldFrame& frame) {
    const char* object = reinterpret_cast<const char*>(frame.value.v_obj);
    const FieldPlan* fields = frame.plan->fields.data();
    for (uint64_t i = 0; i < frame.count; ++i) {
      const FieldPlan& field = fields[frame.list[i]];
      if (field.storage == Storage::kObject) Prefetch(*reinterpret_cast<void* const*>(object + field.offset));
    }
  }
  static void PrefetchItems(const FoldFrame& frame) {
    constexpr uint64_t kMost = 8;
    const TVMFFIAny* items = ItemsOf(SequenceOf(frame.value));
    for (uint64_t i = 0; i < std::min(frame.count, kMost); ++i) Prefetch(items[i].v_ptr);
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
    const TVMFFIAny* items = ItemsOf(SequenceOf(frame.value));
    const uint64_t count = frame.count;
    const DefRegion region = frame.region;
    for (uint64_t i = frame.next; i < count; ++i) {
      frames_.back().next = i + 1;
      if (!Resolve(items[i], region)) return false;
    }
    return true;
  }

  bool VisitFields() {
    const FoldFrame& frame = frames_.back();
    const FieldPlan* fields = frame.plan->fields.data();
    const StructuralKind kind = frame.plan->kind;
    const uint16_t* list = frame.list;
    const TVMFFIObject* object = frame.value.v_obj;
    const uint64_t count = frame.count;
    const DefRegion region = frame.region;
    for (uint64_t i = frame.next; i < count; ++i) {
      frames_.back().next = i + 1;
      const FieldPlan& field = fields[list[i]];
      if (!Resolve(ReadField(object, field, keeper_), FieldRegion(region, kind, field.def))) return false;
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
      if (!Resolve(child, region)) return false;
    }
    return true;
  }

  void Finish() {
    FoldFrame& frame = frames_.back();
    frame.next = 0;
    const uint64_t count = frame.count;
    if constexpr (requires(Result * whole) { visitor_.Whole(frame, whole); }) {
      FoldFrame copy = frame;
      FinishWith(copy, count);
    } else {
      FinishWith(frame, count);
    }
  }
  void FinishWith(FoldFrame& frame, uint64_t count) {
    const Result result = visitor_.Leave(frame, results_.end() - count);
    results_.Drop(count);
    Close(frame, result);
  }

  // Ends the last frame, whose children have no results any more, with its own.
  bool Close(const FoldFrame& frame, const Result& result) {
    if (frame.cls == ValueClass::kMap) children_.resize(frame.first_child);
    results_.PushReserved(result);
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
