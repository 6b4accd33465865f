// ffi.StructuralMap, ffi.StructuralMutate and what hooks do with the mutator that they get.
#include <transom/containers/map.h>
#include <transom/reflection/registry.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>

#include "graph/children.h"
#include "graph/fold.h"
#include "graph/rebuild.h"
#include "interop/structural_hooks.h"
#include "interop/structural_objects.h"

namespace transom::interop {
namespace {

using graph::DefRegion;
using graph::FoldFrame;
using graph::StructuralKind;
using graph::ValueClass;

const AttrColumn& MutateHooks() {
  static const AttrColumn column("__s_mutate__");
  return column;
}
const AttrColumn& InPlaceHooks() {
  static const AttrColumn column("__s_maybe_inplace_mutate__");
  return column;
}

// A hook's result, or the value when the hook says that it stays.
Any CallMutateHook(const AttrColumn& column, const TVMFFIAny& hook, StructuralMutatorObj* mutator,
                   const TVMFFIAny& value) {
  Any result = CallHook(column, hook, mutator, value);
  return result.type_index() == kTVMFFIUnchanged ? Any(AnyView::FromRaw(value)) : result;
}

// The same value; texts are compared by what they say, since front ends make them anew.
bool IsSame(const TVMFFIAny& a, const TVMFFIAny& b) {
  if (a.type_index == b.type_index && a.zero_padding == b.zero_padding && a.v_uint64 == b.v_uint64) return true;
  const ValueClass cls = graph::Classify(a.type_index);
  if (cls != ValueClass::kString && cls != ValueClass::kBytes) return false;
  return cls == graph::Classify(b.type_index) && graph::TextOf(a) == graph::TextOf(b);
}

bool IsVariable(const graph::TypePlan& plan) {
  return plan.kind == StructuralKind::kFreeVar || plan.kind == StructuralKind::kDag;
}

// Whether what becomes of a variable or dag node holds for its other places too: a simple definition that stays as it
// is is looked into again at its next place.
bool RecordsVariable(const graph::TypePlan& plan, DefRegion region, bool changed) {
  const bool simple = plan.kind == StructuralKind::kFreeVar && region == DefRegion::kSimple;
  return IsVariable(plan) && (!simple || changed);
}

// Variables and dag nodes: what stands for each that was met.
class VariableRemap {
 public:
  // Null when nothing was recorded.
  const Any* Get(const TVMFFIObject* variable) const {
    const auto it = entries_.find(variable);
    return it == entries_.end() ? nullptr : &it->second.value;
  }
  void Set(const TVMFFIAny& variable, Any value) {
    TRANSOM_CHECK(graph::IsObject(variable), TypeError)
        << "Variable-remap key must be an object-backed value, but got " << graph::TypeKeyOf(variable);
    entries_[variable.v_obj] = {Any(AnyView::FromRaw(variable)), std::move(value)};
  }

 private:
  struct Entry {
    Any variable;  // keeps the address
    Any value;
  };
  std::unordered_map<const TVMFFIObject*, Entry> entries_;
};

uint64_t NumChildren(const TVMFFIAny& container) {
  return graph::Classify(container.type_index) == ValueClass::kSequence
             ? static_cast<uint64_t>(graph::SequenceOf(container).size)
             : 2 * graph::MapOf(container).size();
}

// Puts the children of a container into it: elements; keys, which stay, and values.
void AssignChildren(const TVMFFIAny& container, const std::vector<TVMFFIAny>& children) {
  size_t i = 0;
  if (graph::Classify(container.type_index) == ValueClass::kSequence) {
    auto* items = const_cast<Any*>(reinterpret_cast<const Any*>(graph::ItemsOf(graph::SequenceOf(container))));
    for (const TVMFFIAny& child : children) items[i++] = Any(AnyView::FromRaw(child));
    return;
  }
  const MapBaseObj& map = graph::MapOf(container);
  for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos), i += 2) {
    const_cast<Any&>(map.ValueAt(pos)) = Any(AnyView::FromRaw(children[i + 1]));
  }
}

// ---- The library's own mutator --------------------------------------------------------------------------------------

/*
 * Rewrites a value as the contract says: every place by itself, but variables in definition regions and dag nodes once;
 * values of maps but not their keys, fields that are not ignored; what has not changed stays the same object, and
 * containers that nobody else holds are changed themselves.
 */
class Mutation : public StructuralMutatorObj {
 public:
  enum class Order : uint8_t { kPre, kPost, kByCallback };
  struct Result {
    TVMFFIAny value;
    bool changed;
  };
  static constexpr bool kKeysFirst = false;
  static constexpr bool kFieldsOnly = true;
  static constexpr bool kRunsForeignCode = true;

  Mutation(Order order, StructuralCallbacks callbacks)
      : StructuralMutatorObj(&kTable), order_(order), callbacks_(std::move(callbacks)), fold_(plans_, *this) {}

  /*! \brief What becomes of a value in the current region. `bare`: without the callback for the value itself.
   * `in_place`: when nobody else holds the value, it may be changed itself. */
  Any Enter(const TVMFFIAny& value, bool bare, bool in_place) {
    CheckStack();
    const RegionScope<StructuralMutatorObj> scope(this, RegionOf(this));
    const size_t num_levels = levels_.size(), num_made = made_.size();
    bare_ = bare;
    levels_.push_back({false, in_place});
    Any result;
    try {
      result = AnyView::FromRaw(fold_.Run(value, RegionOf(this)).value);
    } catch (...) {
      EndRun(num_levels, num_made);
      throw;
    }
    EndRun(num_levels, num_made);
    return result;
  }
  static Mutation* From(StructuralMutatorObj* mutator) {
    return mutator->vtable == &kTable ? static_cast<Mutation*>(mutator) : nullptr;
  }

  // For the walk.
  bool Lasting(const Result&) const { return false; }  // an object's places are visited one by one
  bool Key(const TVMFFIAny& key, Result* result) const {
    *result = {key, false};
    return true;
  }
  Result Leaf(const TVMFFIAny& value, ValueClass, DefRegion at) {
    const TVMFFIAny held = Keep(Any(AnyView::FromRaw(value)));
    return std::exchange(bare_, false) ? Result{held, false} : Ask(held, at, false);
  }
  Result Custom(const TVMFFIAny& value, const graph::TypePlan&, std::string_view) { return {value, false}; }
  bool Begin(FoldFrame& frame, Result* result);
  void Enter(FoldFrame& frame) { frame.Visit(frame.plan->structural); }
  Result Leave(FoldFrame& frame, const Result* children);

 private:
  struct Level {
    bool bare;      // no callback for the value
    bool in_place;  // the value's children may be changed themselves, if only the value holds them
  };

  static bool IsContainer(const FoldFrame& frame) { return frame.cls != ValueClass::kObject; }
  void EndRun(size_t num_levels, size_t num_made) {
    levels_.resize(num_levels);
    made_.resize(num_made);
    bare_ = false;
  }
  TVMFFIAny Keep(Any value) {
    made_.push_back(std::move(value));
    return *made_.back().raw();
  }
  Result Ask(const TVMFFIAny& value, DefRegion at, bool in_place);
  bool TakeKnown(const FoldFrame& frame, Result* result);
  bool RunHook(const FoldFrame& frame, bool in_place, Result* result);
  Result After(const FoldFrame& frame, Result result, bool bare);
  Result Remake(const FoldFrame& frame, const Result* children, bool in_place);

  static TVMFFIAny MutateEntry(StructuralMutatorObj* self, TVMFFIAny value) noexcept {
    return ResultOf([&] { return static_cast<Mutation*>(self)->Enter(value, false, false); });
  }
  static TVMFFIAny MaybeInPlaceEntry(StructuralMutatorObj* self, TVMFFIAny value) noexcept {
    return ResultOf([&] { return static_cast<Mutation*>(self)->Enter(value, false, true); });
  }
  static TVMFFIAny RemapGetEntry(StructuralMutatorObj* self, TVMFFIAny variable) noexcept {
    return ResultOf([&] {
      TRANSOM_CHECK(graph::IsObject(variable), TypeError)
          << "Variable-remap key must be an object-backed value, but got " << graph::TypeKeyOf(variable);
      const Any* value = static_cast<Mutation*>(self)->remap_.Get(variable.v_obj);
      return value != nullptr ? *value : Any();
    });
  }
  static TVMFFIAny RemapSetEntry(StructuralMutatorObj* self, TVMFFIAny variable, TVMFFIAny value) noexcept {
    return ResultOf([&] {
      static_cast<Mutation*>(self)->remap_.Set(variable, Any(AnyView::FromRaw(value)));
      return Any();
    });
  }
  static constexpr VTable kTable{&MutateEntry, &MaybeInPlaceEntry, &RemapGetEntry, &RemapSetEntry};

  const Order order_;
  StructuralCallbacks callbacks_;
  graph::PlanTable plans_;
  graph::Fold<Mutation> fold_;
  VariableRemap remap_;
  std::vector<Level> levels_;  // of the values that are open
  std::deque<Any> made_;       // owns results until the run ends
  std::vector<TVMFFIAny> parts_;
  bool bare_ = false;  // of the value that the walk meets next
};

bool Mutation::Begin(FoldFrame& frame, Result* result) {
  const bool bare = std::exchange(bare_, false);
  bool in_place = levels_.back().in_place && !frame.shared;
  if (!bare && order_ != Order::kPost) {
    *result = Ask(frame.value, frame.region, in_place);
    if (order_ == Order::kByCallback && callbacks_.Find(frame.value) != nullptr) return true;
    if (result->changed) {
      if (!graph::HasChildren(graph::Classify(result->value.type_index))) return true;
      frame.Become(result->value, plans_);
      in_place = false;
    }
  }
  if (RunHook(frame, in_place, result) || TakeKnown(frame, result)) {
    *result = After(frame, *result, bare);
    return true;
  }
  levels_.push_back({bare, in_place && IsContainer(frame)});
  return false;
}

Mutation::Result Mutation::Leave(FoldFrame& frame, const Result* children) {
  const Level level = levels_.back();
  levels_.pop_back();
  Result result = Remake(frame, children, level.in_place);
  if (!result.changed) Keep(Any(AnyView::FromRaw(result.value)));  // foreign code may take it out of what holds it
  result.changed = !IsSame(result.value, graph::ObjectValue(const_cast<TVMFFIObject*>(frame.met)));
  if (frame.plan != nullptr && RecordsVariable(*frame.plan, frame.region, result.changed)) {
    remap_.Set(frame.value, Any(AnyView::FromRaw(result.value)));
  }
  return After(frame, result, level.bare);
}

// What the callback makes of a value: the value itself when there is none.
Mutation::Result Mutation::Ask(const TVMFFIAny& value, DefRegion at, bool in_place) {
  const StructuralCallback* callback = callbacks_.Find(value);
  if (callback == nullptr) return {value, false};
  region = static_cast<int32_t>(at);
  Any result;
  if (order_ != Order::kByCallback) {
    result = callback->takes_more ? callback->function(AnyView::FromRaw(value), static_cast<int64_t>(at))
                                  : callback->function(AnyView::FromRaw(value));
  } else {
    const Any self(GetObjectPtr<StructuralMutatorObj>(this));
    result = callback->takes_more
                 ? callback->function(AnyView::FromRaw(value), self, static_cast<int64_t>(in_place ? 1 : 0))
                 : callback->function(AnyView::FromRaw(value), self);
  }
  if (result.type_index() == kTVMFFIUnchanged || IsSame(value, *result.raw())) return {value, false};
  return {Keep(std::move(result)), true};
}

// Variables and dag nodes that were met, and variables that nothing has bound, are not looked into.
bool Mutation::TakeKnown(const FoldFrame& frame, Result* result) {
  if (frame.plan == nullptr || !IsVariable(*frame.plan)) return false;
  const bool unbound = frame.plan->kind == StructuralKind::kFreeVar && frame.region == DefRegion::kNone;
  const Any* known = remap_.Get(frame.value.v_obj);
  if (known == nullptr && !unbound) return false;
  const TVMFFIAny value = known != nullptr ? Keep(*known) : frame.value;
  *result = {value, value.v_obj != frame.met};
  return true;
}

bool Mutation::RunHook(const FoldFrame& frame, bool in_place, Result* result) {
  if (IsContainer(frame)) return false;
  const AttrColumn* column = &InPlaceHooks();
  const TVMFFIAny* hook = in_place ? column->Of(frame.value.type_index) : nullptr;
  if (hook == nullptr) {
    column = &MutateHooks();
    hook = column->Of(frame.value.type_index);
  }
  if (hook == nullptr) return false;
  region = static_cast<int32_t>(frame.region);
  const TVMFFIAny value = Keep(CallMutateHook(*column, *hook, this, frame.value));
  *result = {value, !IsSame(value, graph::ObjectValue(const_cast<TVMFFIObject*>(frame.met)))};
  return true;
}

// The result after the callback for what the value has become.
Mutation::Result Mutation::After(const FoldFrame& frame, Result result, bool bare) {
  if (order_ != Order::kPost || bare) return result;
  const Result asked = Ask(result.value, frame.region, false);
  return {asked.value, !IsSame(asked.value, graph::ObjectValue(const_cast<TVMFFIObject*>(frame.met)))};
}

Mutation::Result Mutation::Remake(const FoldFrame& frame, const Result* children, bool in_place) {
  if (std::none_of(children, children + frame.count, [](const Result& child) { return child.changed; })) {
    return {frame.value, false};
  }
  graph::GatherChildren(frame, children, fold_.keeper(), &parts_);
  if (IsContainer(frame)) {
    TRANSOM_CHECK(NumChildren(frame.value) == frame.count, RuntimeError)
        << "a " << graph::TypeKeyOf(frame.value) << " was changed by a callback while its elements were rewritten";
    // What holds the value, and the walk.
    constexpr uint32_t kOwnReferences = 2;
    if (in_place && graph::StrongCount(frame.value.v_obj) == kOwnReferences) {
      AssignChildren(frame.value, parts_);
      return {frame.value, false};
    }
  }
  graph::TypeChecks checks;
  return {Keep(graph::Rebuild(frame.value, frame.plan, parts_.data(), &checks)), true};
}

// ---- Mutators of any library ----------------------------------------------------------------------------------------

Any MutateBy(StructuralMutatorObj* mutator, const TVMFFIAny& value, bool in_place) {
  const auto mutate = in_place ? mutator->vtable->maybe_inplace_mutate : mutator->vtable->mutate;
  Any result = TakeResult(mutate(mutator, value));
  return result.type_index() == kTVMFFIUnchanged ? Any(AnyView::FromRaw(value)) : result;
}

// Children and what the mutator makes of them.
class MutatedChildren {
 public:
  explicit MutatedChildren(StructuralMutatorObj* mutator, bool in_place) : mutator_(mutator), in_place_(in_place) {}

  void Add(const TVMFFIAny& child) {
    results_.push_back(MutateBy(mutator_, child, in_place_));
    changed_ |= !IsSame(child, *results_.back().raw());
  }
  void AddUnchanged(const TVMFFIAny& child) { results_.emplace_back(AnyView::FromRaw(child)); }
  bool changed() const { return changed_; }
  std::vector<TVMFFIAny> values() const {
    std::vector<TVMFFIAny> values;
    for (const Any& result : results_) values.push_back(*result.raw());
    return values;
  }

 private:
  StructuralMutatorObj* mutator_;
  bool in_place_;
  bool changed_ = false;
  std::vector<Any> results_;
};

// A container whose elements or values the mutator has mutated.
Any MutateContainer(StructuralMutatorObj* mutator, const TVMFFIAny& value, bool in_place) {
  const bool alone = in_place && graph::StrongCount(value.v_obj) == 1;
  const Any held(AnyView::FromRaw(value));
  std::vector<Any> before;
  graph::PlanTable plans;
  graph::Keeper keeper;
  graph::ForEachChild(value, plans, keeper, [&](const TVMFFIAny& child, const graph::FieldPlan*) {
    before.emplace_back(AnyView::FromRaw(child));
  });
  const bool is_map = graph::Classify(value.type_index) == ValueClass::kMap;
  MutatedChildren children(mutator, alone);
  for (size_t i = 0; i < before.size(); ++i) {
    if (is_map && i % 2 == 0) {
      children.AddUnchanged(*before[i].raw());
    } else {
      children.Add(*before[i].raw());
    }
  }
  if (!children.changed()) return held;
  TRANSOM_CHECK(NumChildren(value) == before.size(), RuntimeError)
      << "a " << graph::TypeKeyOf(value) << " was changed by a callback while its elements were rewritten";
  if (!alone) return graph::Rebuild(value, nullptr, children.values().data());
  AssignChildren(value, children.values());
  return held;
}

Any MutateFields(StructuralMutatorObj* mutator, const TVMFFIAny& value, const graph::TypePlan& plan) {
  graph::Keeper keeper;
  MutatedChildren children(mutator, false);
  const DefRegion outer = RegionOf(mutator);
  for (const graph::FieldPlan& field : plan.fields) {
    const TVMFFIAny child = graph::ReadField(value.v_obj, field, keeper);
    const RegionScope<StructuralMutatorObj> scope(mutator, graph::FieldRegion(outer, plan.kind, field.def));
    if (field.ignore) {
      children.AddUnchanged(child);
    } else {
      children.Add(child);
    }
  }
  if (!children.changed()) return Any(AnyView::FromRaw(value));
  return graph::Rebuild(value, &plan, children.values().data());
}

// The rules of Mutation for one object, with the children and the record of variables left to the mutator.
Any MutateObject(StructuralMutatorObj* mutator, const TVMFFIAny& value) {
  graph::PlanTable plans;
  const graph::TypePlan& plan = plans.Of(value.v_obj);
  if (!IsVariable(plan)) return MutateFields(mutator, value, plan);
  Any known = TakeResult(mutator->vtable->var_remap_get(mutator, value));
  if (known != nullptr) return known;
  const DefRegion region = RegionOf(mutator);
  if (plan.kind == StructuralKind::kFreeVar && region == DefRegion::kNone) return Any(AnyView::FromRaw(value));
  Any result = MutateFields(mutator, value, plan);
  if (RecordsVariable(plan, region, !IsSame(value, *result.raw()))) {
    TakeResult(mutator->vtable->var_remap_set(mutator, value, *result.raw()));
  }
  return result;
}

// What stands in the columns of hooks.
TVMFFIAny ContainerHook(StructuralMutatorObj* mutator, TVMFFIAny value) noexcept {
  return ResultOf([&] { return MutateContainer(mutator, value, false); });
}
TVMFFIAny ContainerInPlaceHook(StructuralMutatorObj* mutator, TVMFFIAny value) noexcept {
  return ResultOf([&] { return MutateContainer(mutator, value, true); });
}
TVMFFIAny KeepHook(StructuralMutatorObj*, TVMFFIAny) noexcept {
  TVMFFIAny unchanged = graph::NoneValue();
  unchanged.type_index = kTVMFFIUnchanged;
  return unchanged;
}

Any DefaultMutate(const StructuralMutator& mutator, const Any& value) {
  StructuralMutatorObj* self = mutator.mutable_get();
  if (Mutation* own = Mutation::From(self)) return own->Enter(*value.raw(), true, false);
  if (const TVMFFIAny* hook = MutateHooks().Of(value.type_index())) {
    return CallMutateHook(MutateHooks(), *hook, self, *value.raw());
  }
  return graph::Classify(value.type_index()) == ValueClass::kObject ? MutateObject(self, *value.raw()) : value;
}

// ---- Global functions -----------------------------------------------------------------------------------------------

using Callbacks = Array<Tuple<int64_t, Function>>;

Any Start(Mutation::Order order, StructuralCallbacks callbacks, const Any& root) {
  return make_object<Mutation>(order, std::move(callbacks))->Enter(*root.raw(), false, true);
}

// Order 0 is before the children. A root that the caller has given away may be changed itself.
Any Map(Any root, const Callbacks& plain, const Callbacks& with_region, int64_t order) {
  StructuralCallbacks callbacks;
  callbacks.AddAll(plain, false);
  callbacks.AddAll(with_region, true);
  return Start(order == 0 ? Mutation::Order::kPre : Mutation::Order::kPost, std::move(callbacks), root);
}

Any Mutate(Any root, const Array<Tuple<int64_t, Function, bool>>& entries) {
  StructuralCallbacks callbacks;
  for (const auto& entry : entries) callbacks.Add(entry.get<0>(), entry.get<1>(), entry.get<2>());
  return Start(Mutation::Order::kByCallback, std::move(callbacks), root);
}

TRANSOM_STATIC_INIT_BLOCK() {
  namespace refl = reflection;
  refl::ObjectDef<StructuralMutatorObj>();
  for (const int32_t type_index : {kTVMFFIArray, kTVMFFIList, kTVMFFIMap, kTVMFFIDict}) {
    MutateHooks().Set(type_index, reinterpret_cast<void*>(&ContainerHook));
    InPlaceHooks().Set(type_index, reinterpret_cast<void*>(&ContainerInPlaceHook));
  }
  for (const int32_t type_index : {kTVMFFIStr, kTVMFFIBytes, kTVMFFIBigInt}) {
    MutateHooks().Set(type_index, reinterpret_cast<void*>(&KeepHook));
    InPlaceHooks().Set(type_index, reinterpret_cast<void*>(&KeepHook));
  }
  refl::GlobalDef()
      .def("ffi.StructuralMutatorMutate",
           [](const StructuralMutator& mutator, const Any& value) {
             return MutateBy(mutator.mutable_get(), *value.raw(), false);
           })
      .def("ffi.StructuralMutatorDefaultMutate", &DefaultMutate)
      .def("ffi.StructuralMutatorDefRegionKind",
           [](const StructuralMutator& mutator) { return static_cast<int64_t>(mutator->region); })
      .def("ffi.StructuralMutatorWithDefRegionKind",
           [](const StructuralMutator& mutator, int64_t kind, const Function& fn) {
             return WithRegion(mutator.mutable_get(), kind, fn);
           })
      .def("ffi.StructuralMutatorVarRemapGet",
           [](const StructuralMutator& mutator, const Any& variable) {
             return TakeResult(mutator->vtable->var_remap_get(mutator.mutable_get(), *variable.raw()));
           })
      .def("ffi.StructuralMutatorVarRemapSet",
           [](const StructuralMutator& mutator, const Any& variable, const Any& value) {
             TakeResult(mutator->vtable->var_remap_set(mutator.mutable_get(), *variable.raw(), *value.raw()));
           })
      .def("ffi.StructuralMap", &Map)
      .def("ffi.StructuralMutate", &Mutate);
}

}  // namespace
}  // namespace transom::interop
