// ffi.StructuralWalk, ffi.StructuralVisit and what hooks do with the visitor that they get.
#include <transom/reflection/registry.h>

#include <optional>
#include <utility>

#include "graph/fold.h"
#include "interop/structural_hooks.h"
#include "interop/structural_objects.h"

namespace transom::interop {
namespace {

using graph::DefRegion;
using graph::FoldFrame;
using graph::ValueClass;
using Interrupt = std::optional<VisitInterrupt>;

const AttrColumn& VisitHooks() {
  static const AttrColumn column("__s_visit__");
  return column;
}

Interrupt InterruptOf(const Any& result, std::string_view who) {
  if (result == nullptr) return std::nullopt;
  std::optional<VisitInterrupt> interrupt = result.try_cast<VisitInterrupt>();
  TRANSOM_CHECK(interrupt.has_value(), TypeError)
      << who << " gave a value of type " << result.GetTypeKey() << "; expected None or ffi.VisitInterrupt";
  return interrupt;
}

Interrupt CallVisitHook(const TVMFFIAny& hook, StructuralVisitorObj* visitor, const TVMFFIAny& value) {
  return InterruptOf(CallHook(VisitHooks(), hook, visitor, value),
                     "the `__s_visit__` hook of type " + detail::TypeKeyOfIndex(value.type_index));
}

Any AsResult(const Interrupt& interrupt) { return interrupt.has_value() ? Any(*interrupt) : Any(); }

// ---- The library's own visitor --------------------------------------------------------------------------------------

// The visit ends here; thrown through the walk, never through foreign code.
struct Interrupted {
  VisitInterrupt interrupt;
};

/*
 * Visits all places of a value as the contract says: values of maps but not their keys, fields that are not ignored,
 * no None. The walk is this project's own; only types with hooks and callbacks that go on by themselves take stack.
 */
class Visit : public StructuralVisitorObj {
 public:
  enum class Order : uint8_t { kPre, kPost, kByCallback };
  struct Result {};
  static constexpr bool kKeysFirst = false;
  static constexpr bool kFieldsOnly = true;
  static constexpr bool kRunsForeignCode = true;

  Visit(Order order, StructuralCallbacks callbacks)
      : StructuralVisitorObj(&kTable), order_(order), callbacks_(std::move(callbacks)), fold_(plans_, *this) {}

  /*! \brief Visits a value in the current region. `bare`: without the callback for the value itself. */
  Interrupt Enter(const TVMFFIAny& value, bool bare) {
    CheckStack();
    const RegionScope<StructuralVisitorObj> scope(this, RegionOf(this));
    bare_ = bare;
    try {
      fold_.Run(value, RegionOf(this));
    } catch (const Interrupted& interrupted) {
      return interrupted.interrupt;
    } catch (...) {
      bare_ = false;  // the error may have come first
      throw;
    }
    return std::nullopt;
  }
  static Visit* From(StructuralVisitorObj* visitor) {
    return visitor->vtable == &kTable ? static_cast<Visit*>(visitor) : nullptr;
  }

  // For the walk.
  bool Lasting(const Result&) const { return false; }  // an object's places are visited one by one
  bool Key(const TVMFFIAny&, Result*) const { return true; }
  Result Leaf(const TVMFFIAny& value, ValueClass, DefRegion at) {
    if (!std::exchange(bare_, false) && value.type_index != kTVMFFINone) {
      const Any held(AnyView::FromRaw(value));
      Ask(*held.raw(), at);
    }
    return {};
  }
  Result Custom(const TVMFFIAny&, const graph::TypePlan&, std::string_view) { return {}; }
  bool Begin(FoldFrame& frame, Result*) {
    const bool bare = std::exchange(bare_, false);
    frame.note = bare ? this : nullptr;
    if (!bare && order_ != Order::kPost && Ask(frame.value, frame.region)) return true;
    const TVMFFIAny* hook = frame.cls == ValueClass::kObject ? VisitHooks().Of(frame.value.type_index) : nullptr;
    if (hook == nullptr) return false;
    region = static_cast<int32_t>(frame.region);
    if (const Interrupt interrupt = CallVisitHook(*hook, this, frame.value)) throw Interrupted{*interrupt};
    Leave(frame, nullptr);
    return true;
  }
  void Enter(FoldFrame& frame) { frame.Visit(frame.plan->structural); }
  Result Leave(FoldFrame& frame, const Result*) {
    if (order_ == Order::kPost && frame.note == nullptr) Ask(frame.value, frame.region);
    return {};
  }

 private:
  // Calls the value's callback, if it has one. Returns whether the value is done with.
  bool Ask(const TVMFFIAny& value, DefRegion at) {
    const StructuralCallback* callback = callbacks_.Find(value);
    if (callback == nullptr) return false;
    region = static_cast<int32_t>(at);
    if (order_ == Order::kByCallback) {
      const Any self(GetObjectPtr<StructuralVisitorObj>(this));
      const Any result = callback->function(AnyView::FromRaw(value), self);
      if (const Interrupt interrupt = InterruptOf(result, "a callback of a structural visit")) {
        throw Interrupted{*interrupt};
      }
      return true;
    }
    const Any result = callback->takes_more ? callback->function(AnyView::FromRaw(value), static_cast<int64_t>(at))
                                            : callback->function(AnyView::FromRaw(value));
    return Skips(result);
  }

  static bool Skips(const Any& result) {
    constexpr int64_t kSkip = 1;
    if (const std::optional<int64_t> number = result.try_cast<int64_t>()) return *number == kSkip;
    if (const std::optional<VisitInterrupt> interrupt = result.try_cast<VisitInterrupt>())
      throw Interrupted{*interrupt};
    TRANSOM_CHECK(result == nullptr, TypeError)
        << "a callback of a structural walk gave a value of type " << result.GetTypeKey()
        << "; expected None or 0 (go on), 1 (skip the children) or ffi.VisitInterrupt (stop)";
    return false;
  }

  static TVMFFIAny VisitEntry(StructuralVisitorObj* self, TVMFFIAny value) noexcept {
    return ResultOf([&] { return AsResult(static_cast<Visit*>(self)->Enter(value, false)); });
  }
  static constexpr VTable kTable{&VisitEntry};

  const Order order_;
  StructuralCallbacks callbacks_;
  graph::PlanTable plans_;
  graph::Fold<Visit> fold_;
  bool bare_ = false;  // of the value that the walk meets next
};

// ---- Visitors of any library ----------------------------------------------------------------------------------------

Interrupt VisitBy(StructuralVisitorObj* visitor, const TVMFFIAny& value) {
  return InterruptOf(TakeResult(visitor->vtable->visit(visitor, value)), "a structural visitor");
}

// Has the visitor visit the children of a value, one after the other.
Interrupt VisitChildren(StructuralVisitorObj* visitor, const TVMFFIAny& value) {
  const DefRegion outer = RegionOf(visitor);
  switch (graph::Classify(value.type_index)) {
    case ValueClass::kSequence:
      for (int64_t i = 0; i < graph::SequenceOf(value).size; ++i) {
        const Any item(AnyView::FromRaw(graph::ItemsOf(graph::SequenceOf(value))[i]));
        if (item == nullptr) continue;
        if (Interrupt interrupt = VisitBy(visitor, *item.raw())) return interrupt;
      }
      return std::nullopt;
    case ValueClass::kMap: {
      std::vector<Any> values;  // the map may change meanwhile
      const MapBaseObj& map = graph::MapOf(value);
      for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos)) values.push_back(map.ValueAt(pos));
      for (const Any& child : values) {
        if (child == nullptr) continue;
        if (Interrupt interrupt = VisitBy(visitor, *child.raw())) return interrupt;
      }
      return std::nullopt;
    }
    case ValueClass::kObject: {
      graph::PlanTable plans;
      graph::Keeper keeper;
      const graph::TypePlan& plan = plans.Of(value.v_obj);
      for (const uint16_t i : plan.structural) {
        const graph::FieldPlan& field = plan.fields[i];
        const Any child(AnyView::FromRaw(graph::ReadField(value.v_obj, field, keeper)));
        if (child == nullptr) continue;
        const RegionScope<StructuralVisitorObj> scope(visitor, graph::FieldRegion(outer, plan.kind, field.def));
        if (Interrupt interrupt = VisitBy(visitor, *child.raw())) return interrupt;
      }
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

// What stands in the column of hooks for containers, for visitors that look there.
TVMFFIAny ContainerHook(StructuralVisitorObj* visitor, TVMFFIAny value) noexcept {
  return ResultOf([&] { return AsResult(VisitChildren(visitor, value)); });
}

Optional<VisitInterrupt> DefaultVisit(const StructuralVisitor& visitor, const Any& value) {
  StructuralVisitorObj* self = visitor.mutable_get();
  if (Visit* own = Visit::From(self)) return own->Enter(*value.raw(), true);
  const TVMFFIAny* hook = VisitHooks().Of(value.type_index());
  return hook != nullptr ? CallVisitHook(*hook, self, *value.raw()) : VisitChildren(self, *value.raw());
}

// ---- Global functions -----------------------------------------------------------------------------------------------

using Callbacks = Array<Tuple<int64_t, Function>>;

Interrupt Start(Visit::Order order, StructuralCallbacks callbacks, const Any& root) {
  return make_object<Visit>(order, std::move(callbacks))->Enter(*root.raw(), false);
}

// Order 0 is before the children.
Optional<VisitInterrupt> Walk(const Any& root, const Callbacks& plain, const Callbacks& with_region, int64_t order) {
  StructuralCallbacks callbacks;
  callbacks.AddAll(plain, false);
  callbacks.AddAll(with_region, true);
  return Start(order == 0 ? Visit::Order::kPre : Visit::Order::kPost, std::move(callbacks), root);
}

TRANSOM_STATIC_INIT_BLOCK() {
  namespace refl = reflection;
  refl::ObjectDef<StructuralVisitorObj>();
  for (const int32_t type_index : {kTVMFFIArray, kTVMFFIList, kTVMFFIMap, kTVMFFIDict}) {
    VisitHooks().Set(type_index, reinterpret_cast<void*>(&ContainerHook));
  }
  refl::GlobalDef()
      .def("ffi.VisitInterrupt", [](Any value) { return VisitInterrupt(std::move(value)); })
      .def("ffi.StructuralVisitorVisit",
           [](const StructuralVisitor& visitor, const Any& value) -> Optional<VisitInterrupt> {
             return VisitBy(visitor.mutable_get(), *value.raw());
           })
      .def("ffi.StructuralVisitorDefaultVisit", &DefaultVisit)
      .def("ffi.StructuralVisitorDefRegionKind",
           [](const StructuralVisitor& visitor) { return static_cast<int64_t>(visitor->region); })
      .def("ffi.StructuralVisitorWithDefRegionKind",
           [](const StructuralVisitor& visitor, int64_t kind, const Function& fn) {
             return WithRegion(visitor.mutable_get(), kind, fn);
           })
      .def("ffi.StructuralVisit",
           [](const Any& root, const Callbacks& entries) -> Optional<VisitInterrupt> {
             StructuralCallbacks callbacks;
             callbacks.AddAll(entries, true);
             return Start(Visit::Order::kByCallback, std::move(callbacks), root);
           })
      .def("ffi.StructuralWalk", &Walk);
}

}  // namespace
}  // namespace transom::interop
