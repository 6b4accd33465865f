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
  const TypePlan* plan = nullptr;   // kObject
  const uint16_t* list = nullptr;   // kObject: indices of the fields to visit
  size_t first_child = 0;           // kMap: where its keys and values lie on the engine's stack of children
  size_t first_result = 0;          // where its children's results begin
  uint64_t count = 0;
  uint64_t next = 0;
  ValueClass cls = ValueClass::kScalar;
  DefRegion region = DefRegion::kNone;
  bool shared = false;
};

/*! \brief What MapChildren of a visitor with kKeysFirst pushes, in iteration order. */
inline void PushKeysThenValues(const MapBaseObj& map, std::vector<TVMFFIAny>* children) {
  for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos)) children->push_back(*map.KeyAt(pos).raw());
  for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos)) children->push_back(*map.ValueAt(pos).raw());
}

/*!
 * \brief Folds a graph to a result, children first.
 *
 * Visitor:
 *   using Result; (copyable)
 *   Result Leaf(const TVMFFIAny& value, ValueClass cls)  - everything without children; may throw Refusal
 *   Result Custom(const TVMFFIAny& value, const TypePlan&, std::string_view json)  - objects with custom data
 *   void Enter(FoldFrame&)   - kObject: sets list and count
 *   static constexpr bool kKeysFirst - maps: the n keys come first, then the n values, in an order of the visitor's; else k0 v0 k1
 *                                      v1 ... in iteration order
 *   void MapChildren(FoldFrame&, std::vector<TVMFFIAny>* children)  - with kKeysFirst: pushes these 2n values
 *   DefRegion KeyRegion(const FoldFrame&, const TVMFFIAny& key)  - with kKeysFirst: the region of a key
 *   void KeysDone(FoldFrame&, TVMFFIAny* children, Result* keys)  - with kKeysFirst: may reorder entries in place
 *   Result Leave(FoldFrame&, Result* children)  - children in the order of the visit
 *   Path Origin()  - optional: where the root of this walk lies, for messages
 *   bool Known(const TVMFFIAny& value, Result*)  - optional: whether the visitor has the result of a value with children, which then
 *                                                  is not entered
 *   bool Whole(FoldFrame& frame, Result*)  - optional: whether the visitor folds an object by itself, without a visit of its fields; it
 *                                            may run the walk on other values meanwhile
 *   static constexpr bool kFieldsOnly = true  - optional: objects with custom data are visited by their fields as well
 *   bool RememberAll()  - optional: keep the results of all objects, not only of shared ones, for later runs
 *
 * Memory: a memo entry per shared object, a frame per level. Throws ValueError for a cycle and adds the path to a
 * visitor's Refusal.
 */
template <class Visitor>
class Fold {
 public:
  using Result = typename Visitor::Result;

  Fold(PlanTable& plans, Visitor& visitor) : plans_(plans), visitor_(visitor) {}

  Result Run(const TVMFFIAny& root, DefRegion region = DefRegion::kNone) {
    const size_t base = frames_.size();
    Visit(root, region);
    while (frames_.size() > base) {
      FoldFrame& frame = frames_.back();
      if (frame.next < frame.count) {
        VisitChild(frame);
      } else {
        Finish();
      }
    }
    Result result = results_.back();
    results_.pop_back();
    return result;
  }

  Keeper& keeper() { return keeper_; }

  /*! \brief Path of the value that is being visited. */
  Path CurrentPath() const {
    Path path;
    if constexpr (requires { visitor_.Origin(); }) path = visitor_.Origin();
    for (const FoldFrame& frame : frames_) path.push_back(StepOf(frame));
    return path;
  }

 private:
  struct Memo {
    Result result{};
    bool done = false;
  };

  void Visit(const TVMFFIAny& value, DefRegion region) {
    const ValueClass cls = Classify(value.type_index);
    if (!HasChildren(cls)) {
      results_.push_back(visitor_.Leaf(value, cls));
      return;
    }
    if constexpr (requires(Result* known) { visitor_.Known(value, known); }) {
      Result known;
      if (visitor_.Known(value, &known)) {
        results_.push_back(known);
        return;
      }
    }
    bool shared = StrongCount(value.v_obj) > 1;
    if constexpr (requires { visitor_.RememberAll(); }) shared |= visitor_.RememberAll();
    if (shared) {
      auto [memo, is_new] = memo_.Insert(value.v_obj);
      if (!is_new) {
        if (!memo->done) ThrowCycle();
        results_.push_back(memo->result);
        return;
      }
    }
    FoldFrame frame;
    frame.value = value;
    frame.cls = cls;
    frame.region = region;
    frame.shared = shared;
    frame.first_result = results_.size();
    if (cls == ValueClass::kObject) {
      frame.plan = &plans_.Of(value.v_obj);
      if constexpr (requires(Result* whole) { visitor_.Whole(frame, whole); }) {
        Result whole;
        if (visitor_.Whole(frame, &whole)) {
          Push(frame, whole);
          return;
        }
      }
      if (frame.plan->custom_data && CustomDataCounts()) {
        Push(frame, visitor_.Custom(value, *frame.plan, CustomDataOf(value.v_obj, *frame.plan, keeper_)));
        return;
      }
      visitor_.Enter(frame);
    } else if (cls == ValueClass::kSequence) {
      frame.count = static_cast<uint64_t>(SequenceOf(value).size);
    } else {
      frame.first_child = children_.size();
      frame.count = 2 * MapOf(value).size();
      PushEntries(frame);
    }
    frames_.push_back(frame);
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

  void VisitChild(FoldFrame& frame) {
    const uint64_t i = frame.next++;
    switch (frame.cls) {
      case ValueClass::kSequence:
        return Visit(ItemsOf(SequenceOf(frame.value))[i], frame.region);
      case ValueClass::kMap: {
        if constexpr (Visitor::kKeysFirst) {
          if (i == frame.count / 2) {
            visitor_.KeysDone(frame, &children_[frame.first_child], &results_[frame.first_result]);
          }
        }
        const TVMFFIAny child = children_[frame.first_child + i];
        DefRegion region = frame.region;
        if constexpr (Visitor::kKeysFirst) {
          if (i < frame.count / 2) region = visitor_.KeyRegion(frame, child);
        }
        return Visit(child, region);
      }
      default: {
        const FieldPlan& field = frame.plan->fields[frame.list[i]];
        return Visit(ReadField(frame.value.v_obj, field, keeper_), FieldRegion(frame.region, frame.plan->kind, field.def));
      }
    }
  }

  void Finish() {
    FoldFrame frame = frames_.back();
    Result result = visitor_.Leave(frame, results_.data() + frame.first_result);
    frames_.pop_back();
    if (frame.cls == ValueClass::kMap) children_.resize(frame.first_child);
    Push(frame, result);
  }

  void Push(const FoldFrame& frame, Result result) {
    results_.resize(frame.first_result);
    results_.push_back(result);
    if (!frame.shared) return;
    Memo* memo = memo_.Find(frame.value.v_obj);
    memo->result = result;
    memo->done = true;
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
    TRANSOM_THROW(ValueError) << PathText(CurrentPath(), true)
                              << ": the value contains itself; lists, dicts and fields that lead back to an object above them "
                                 "can be neither compared nor saved";
  }

  PlanTable& plans_;
  Visitor& visitor_;
  Keeper keeper_;
  PointerMap<Memo> memo_;
  std::vector<FoldFrame> frames_;
  std::vector<Result> results_;
  std::vector<TVMFFIAny> children_;
};

}  // namespace transom::graph
#endif  // TRANSOM_SRC_GRAPH_FOLD_H_
