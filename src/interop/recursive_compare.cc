// ffi.RecursiveEq, Lt, Le, Gt, Ge: comparison of values by everything in them.
#include <transom/containers/bigint.h>
#include <transom/reflection/registry.h>
#include <transom/runtime/any_hash.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "graph/hook.h"
#include "graph/type_plan.h"
#include "interop/field_lists.h"
#include "structural/rules/hook_lease.h"

namespace transom::interop {
namespace {

using graph::Classify;
using graph::ValueClass;

// Equality goes on over what has no order: there a difference is 1.
enum class Mode : uint8_t { kEquality, kOrder };

template <class T>
int Sign(const T& lhs, const T& rhs) {
  return lhs < rhs ? -1 : rhs < lhs ? 1 : 0;
}

int CompareText(std::string_view lhs, std::string_view rhs) { return Sign(lhs.compare(rhs), 0); }

int CompareShapes(const TVMFFIShapeCell& lhs, const TVMFFIShapeCell& rhs) {
  for (size_t i = 0; i < std::min(lhs.size, rhs.size); ++i) {
    if (const int sign = Sign(lhs.data[i], rhs.data[i])) return sign;
  }
  return Sign(lhs.size, rhs.size);
}

int CompareFloats(double lhs, double rhs, Mode mode) {
  if (!std::isnan(lhs) && !std::isnan(rhs)) return Sign(lhs, rhs);
  TRANSOM_CHECK(mode == Mode::kEquality, TypeError) << "Cannot order NaN values";
  return std::isnan(lhs) && std::isnan(rhs) ? 0 : 1;
}

int ComparePlain(const TVMFFIAny& lhs, const TVMFFIAny& rhs, Mode mode) {
  switch (lhs.type_index) {
    case kTVMFFINone:
      return 0;
    case kTVMFFIBool:
    case kTVMFFIInt:
      return Sign(lhs.v_int64, rhs.v_int64);
    case kTVMFFIFloat:
      return CompareFloats(lhs.v_float64, rhs.v_float64, mode);
    case kTVMFFIDataType: {
      const auto key = [](const DLDataType& t) { return std::make_tuple(t.code, t.bits, t.lanes); };
      return Sign(key(lhs.v_dtype), key(rhs.v_dtype));
    }
    case kTVMFFIDevice: {
      const auto key = [](const DLDevice& d) { return std::make_tuple(d.device_type, d.device_id); };
      return Sign(key(lhs.v_device), key(rhs.v_device));
    }
    default:
      TRANSOM_CHECK(mode == Mode::kEquality, TypeError) << "Cannot order values of type " << graph::TypeKeyOf(lhs);
      return lhs.v_uint64 == rhs.v_uint64 ? 0 : 1;
  }
}

[[noreturn]] void ThrowUnordered() { TRANSOM_THROW(TypeError) << "Cannot order Map/Dict values"; }

// Walks two graphs pair by pair, depth first, up to the first difference, which decides.
class Comparer {
 public:
  explicit Comparer(Mode mode) : mode_(mode), fields_(kTVMFFIFieldFlagBitMaskCompareOff) {}

  // Negative, 0 or positive; only whether it is 0 counts in equality. May be called while a hook runs.
  int Run(const TVMFFIAny& lhs, const TVMFFIAny& rhs);

 private:
  struct Frame {
    TVMFFIAny lhs;
    TVMFFIAny rhs;
    ValueClass cls;
    Mode mode;
    const graph::TypePlan* lhs_plan;
    const graph::TypePlan* rhs_plan;
    const std::vector<uint16_t>* fields;
    uint64_t count;
    uint64_t next;  // place of the child that comes next; in maps its slot
  };
  using Pair = std::pair<const TVMFFIObject*, const TVMFFIObject*>;
  struct PairHash {
    size_t operator()(const Pair& pair) const {
      return transom::detail::HashCombine(reinterpret_cast<uintptr_t>(pair.first),
                                          reinterpret_cast<uintptr_t>(pair.second));
    }
  };

  int Visit(const TVMFFIAny& lhs, const TVMFFIAny& rhs, Mode mode);
  int VisitDifferentTypes(const TVMFFIAny& lhs, const TVMFFIAny& rhs, Mode mode);
  int Enter(Frame frame);
  int EnterMap(Frame frame);
  int EnterObject(const Frame& frame);
  std::optional<int> RunHook(const Frame& frame);
  int CallHook(const Frame& frame, const Function& hook, bool is_equality);
  int VisitChild(Frame* frame);
  int VisitEntry(Frame* frame);
  int Finish();
  void Abandon(size_t num_frames, size_t num_pairs);

  Mode mode_;
  FieldLists fields_;
  graph::PlanTable plans_;
  graph::Keeper keeper_;
  std::vector<Frame> frames_;
  // Pairs that are being compared (false), or were found equal as long as those are (true).
  std::unordered_map<Pair, bool, PairHash> pairs_;
  // The pairs, in the order of their coming. Alive, whatever hooks do: they are known by their addresses.
  std::vector<std::pair<Any, Any>> log_;
};

int Comparer::Run(const TVMFFIAny& lhs, const TVMFFIAny& rhs) {
  const size_t num_frames = frames_.size();
  const size_t num_pairs = log_.size();
  const Mode mode = frames_.empty() ? mode_ : frames_.back().mode;
  int difference = 0;
  try {
    difference = Visit(lhs, rhs, mode);
    while (difference == 0 && frames_.size() > num_frames) {
      Frame* frame = &frames_.back();
      difference = frame->next < frame->count ? VisitChild(frame) : Finish();
    }
    // A difference below a map says nothing about order.
    if (difference != 0 && frames_.size() > num_frames && frames_.back().mode != mode) ThrowUnordered();
  } catch (...) {
    Abandon(num_frames, num_pairs);
    throw;
  }
  if (difference != 0) Abandon(num_frames, num_pairs);
  return difference;
}

// Forgets what was begun, and what was found on the way: a hook may go on after a difference.
void Comparer::Abandon(size_t num_frames, size_t num_pairs) {
  frames_.resize(num_frames);
  for (; log_.size() > num_pairs; log_.pop_back()) {
    pairs_.erase({log_.back().first.raw()->v_obj, log_.back().second.raw()->v_obj});
  }
}

int Comparer::Visit(const TVMFFIAny& lhs, const TVMFFIAny& rhs, Mode mode) {
  const ValueClass cls = Classify(lhs.type_index);
  const bool is_text = cls == ValueClass::kString || cls == ValueClass::kBytes;
  if (lhs.type_index != rhs.type_index && !(is_text && cls == Classify(rhs.type_index))) {
    return VisitDifferentTypes(lhs, rhs, mode);
  }
  switch (cls) {
    case ValueClass::kString:
    case ValueClass::kBytes:
      return CompareText(graph::TextOf(lhs), graph::TextOf(rhs));
    case ValueClass::kShape:
      return CompareShapes(graph::ShapeOf(lhs), graph::ShapeOf(rhs));
    case ValueClass::kBigInt:
      return BigInt::Compare(AnyView::FromRaw(lhs), AnyView::FromRaw(rhs));
    default:
      if (!graph::IsObject(lhs)) return ComparePlain(lhs, rhs, mode);
      if (lhs.v_obj == rhs.v_obj) return 0;
      return Enter({lhs, rhs, cls, mode, nullptr, nullptr, nullptr, 0, 0});
  }
}

int Comparer::VisitDifferentTypes(const TVMFFIAny& lhs, const TVMFFIAny& rhs, Mode mode) {
  if (lhs.type_index == kTVMFFINone) return -1;
  if (rhs.type_index == kTVMFFINone) return 1;
  if (mode == Mode::kEquality) return 1;
  const AnyView left = AnyView::FromRaw(lhs);
  const AnyView right = AnyView::FromRaw(rhs);
  if (BigInt::IsInteger(left) && BigInt::IsInteger(right)) return BigInt::Compare(left, right);
  TRANSOM_THROW(TypeError) << "Cannot compare values of different types: " << graph::TypeKeyOf(lhs) << " vs "
                           << graph::TypeKeyOf(rhs);
}

int Comparer::Enter(Frame frame) {
  if (frame.cls != ValueClass::kSequence && frame.cls != ValueClass::kMap) {
    frame.lhs_plan = &plans_.Of(frame.lhs.v_obj);
    frame.rhs_plan = &plans_.Of(frame.rhs.v_obj);
    if (frame.lhs_plan->key != frame.rhs_plan->key) return VisitDifferentTypes(frame.lhs, frame.rhs, frame.mode);
  }
  const Pair pair{frame.lhs.v_obj, frame.rhs.v_obj};
  const auto [known, is_new] = pairs_.emplace(pair, false);
  if (!is_new) {
    TRANSOM_CHECK(known->second || mode_ == Mode::kEquality, ValueError)
        << "RecursiveCompare: cyclic reference detected in ordering";
    return 0;
  }
  log_.emplace_back(AnyView::FromRaw(frame.lhs), AnyView::FromRaw(frame.rhs));
  if (frame.cls == ValueClass::kSequence) {
    frame.count = static_cast<uint64_t>(std::min(graph::SequenceOf(frame.lhs).size, graph::SequenceOf(frame.rhs).size));
  } else if (frame.cls == ValueClass::kMap) {
    return EnterMap(frame);
  } else {
    return EnterObject(frame);
  }
  frames_.push_back(frame);
  return 0;
}

int Comparer::EnterMap(Frame frame) {
  const MapBaseObj& map = graph::MapOf(frame.lhs);
  if (map.size() != graph::MapOf(frame.rhs).size()) {
    if (frame.mode == Mode::kOrder) ThrowUnordered();
    return 1;
  }
  frame.mode = Mode::kEquality;  // of entries only that counts
  frame.count = MapBaseObj::kEnd;
  frame.next = map.First();
  frames_.push_back(frame);
  return 0;
}

int Comparer::EnterObject(const Frame& frame) {
  frames_.push_back(frame);
  const std::optional<int> difference = RunHook(frame);
  if (!difference.has_value()) {
    frames_.back().fields = &fields_.Of(*frame.lhs_plan);
    frames_.back().count = frames_.back().fields->size();
    return 0;
  }
  if (*difference == 0) return Finish();
  frames_.pop_back();
  return *difference;
}

std::optional<int> Comparer::RunHook(const Frame& frame) {
  const int32_t type_index = frame.lhs.type_index;
  if (frame.mode == Mode::kEquality) {
    if (const auto hook = graph::FunctionHookOf(type_index, "__ffi_eq__")) return CallHook(frame, *hook, true);
  }
  if (const auto hook = graph::FunctionHookOf(type_index, "__ffi_compare__")) return CallHook(frame, *hook, false);
  return std::nullopt;
}

int Comparer::CallHook(const Frame& frame, const Function& hook, bool is_equality) {
  const structural::HookLease<Comparer> lease(this, is_equality ? "__ffi_eq__" : "__ffi_compare__");
  const auto compare = [comparer = lease.get()](const Any& lhs, const Any& rhs) {
    Comparer& self = *comparer;
    return self.Run(self.keeper_.Keep(lhs), self.keeper_.Keep(rhs));
  };
  const AnyView lhs = AnyView::FromRaw(frame.lhs);
  const AnyView rhs = AnyView::FromRaw(frame.rhs);
  if (!is_equality) {
    return Sign(hook(lhs, rhs, Function::FromTyped(compare, "__ffi_compare__ callback")).cast<int64_t>(), int64_t{0});
  }
  const auto equal = [compare](const Any& l, const Any& r) { return compare(l, r) == 0; };
  return hook(lhs, rhs, Function::FromTyped(equal, "__ffi_eq__ callback")).cast<bool>() ? 0 : 1;
}

int Comparer::VisitChild(Frame* frame) {
  if (frame->cls == ValueClass::kMap) return VisitEntry(frame);
  const uint64_t i = frame->next++;
  if (frame->cls == ValueClass::kSequence) {
    const TVMFFISeqCell& lhs = graph::SequenceOf(frame->lhs);
    const TVMFFISeqCell& rhs = graph::SequenceOf(frame->rhs);
    TRANSOM_CHECK(i < static_cast<uint64_t>(std::min(lhs.size, rhs.size)), RuntimeError)
        << "a list lost elements while it was compared";
    return Visit(graph::ItemsOf(lhs)[i], graph::ItemsOf(rhs)[i], frame->mode);
  }
  const uint16_t field = (*frame->fields)[i];
  if (field >= frame->rhs_plan->fields.size()) return 1;  // records of two descriptions
  const TVMFFIAny lhs = graph::ReadField(frame->lhs.v_obj, frame->lhs_plan->fields[field], keeper_);
  const TVMFFIAny rhs = graph::ReadField(frame->rhs.v_obj, frame->rhs_plan->fields[field], keeper_);
  return Visit(lhs, rhs, frame->mode);
}

int Comparer::VisitEntry(Frame* frame) {
  const MapBaseObj& map = graph::MapOf(frame->lhs);
  const uint64_t pos = frame->next;
  TRANSOM_CHECK(map.IsEntry(pos), RuntimeError) << "a dict lost entries while it was compared";
  frame->next = map.Next(pos);
  const Mode mode = frame->mode;
  // Copies: keys with hooks of their own are compared by these.
  const Any key = map.KeyAt(pos), value = map.ValueAt(pos);
  const Any* found = graph::MapOf(frame->rhs).Find(key);
  return found == nullptr ? 1 : Visit(*value.raw(), *Any(*found).raw(), mode);
}

int Comparer::Finish() {
  const Frame frame = frames_.back();
  if (frame.cls == ValueClass::kSequence) {
    if (const int sign = Sign(graph::SequenceOf(frame.lhs).size, graph::SequenceOf(frame.rhs).size)) return sign;
  }
  frames_.pop_back();
  pairs_[{frame.lhs.v_obj, frame.rhs.v_obj}] = true;
  return 0;
}

int Compare(const Any& lhs, const Any& rhs, Mode mode) { return Comparer(mode).Run(*lhs.raw(), *rhs.raw()); }

bool Eq(const Any& lhs, const Any& rhs) { return Compare(lhs, rhs, Mode::kEquality) == 0; }
bool Lt(const Any& lhs, const Any& rhs) { return Compare(lhs, rhs, Mode::kOrder) < 0; }
bool Le(const Any& lhs, const Any& rhs) { return Compare(lhs, rhs, Mode::kOrder) <= 0; }
bool Gt(const Any& lhs, const Any& rhs) { return Compare(lhs, rhs, Mode::kOrder) > 0; }
bool Ge(const Any& lhs, const Any& rhs) { return Compare(lhs, rhs, Mode::kOrder) >= 0; }

TRANSOM_STATIC_INIT_BLOCK() {
  reflection::GlobalDef()
      .def("ffi.RecursiveEq", &Eq, "Whether two values are equal in everything in them.")
      .def("ffi.RecursiveLt", &Lt, "Whether the first value is before the second; TypeError: they have no order.")
      .def("ffi.RecursiveLe", &Le, "Whether the first value is not after the second.")
      .def("ffi.RecursiveGt", &Gt, "Whether the first value is after the second.")
      .def("ffi.RecursiveGe", &Ge, "Whether the first value is not before the second.");
}

}  // namespace
}  // namespace transom::interop
