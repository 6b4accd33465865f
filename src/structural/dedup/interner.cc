#include "structural/dedup/interner.h"

#include <algorithm>
#include <string>

#include "graph/pointer_map.h"

namespace transom {

using graph::Classify;
using graph::FoldFrame;
using graph::IsObject;
using graph::StructuralKind;
using graph::TypePlan;
using graph::ValueClass;

namespace {

// What counts by its address: after its own interning.
bool CountsByAddress(const TVMFFIAny& value, ValueClass cls) {
  return IsObject(value) && cls != ValueClass::kString && cls != ValueClass::kBytes;
}

}  // namespace

// ---- One call ------------------------------------------------------------------------------------------------------

/* Visitor that gives every value the one that stands for it. What is in the table, or is not interned, is not looked
 * into. */
class Interner::Impl::Walk {
 public:
  struct Result {
    TVMFFIAny value;  // what stands in its place
    bool closed;      // nothing below equals itself only
    bool changed;     // `value` is another object
  };
  static constexpr bool kKeysFirst = false;

  explicit Walk(Impl* interner) : interner_(*interner), fold_(interner_.plans_, *this) {}
  Any Run(const TVMFFIAny& root) { return Any(AnyView::FromRaw(fold_.Run(root).value)); }

  bool Known(const TVMFFIAny& value, Result* result) const {
    *result = {value, false, false};
    return !MayIntern(value) || interner_.table_.Contains(value.v_obj, &result->closed);
  }
  Result Leaf(const TVMFFIAny& value, ValueClass cls);
  Result Custom(const TVMFFIAny& value, const TypePlan& plan, std::string_view json);
  void Enter(FoldFrame& frame) { frame.Visit(frame.plan->all); }
  Result Leave(FoldFrame& frame, const Result* children);

 private:
  bool MayIntern(const TVMFFIAny& value) const {
    if (value.type_index == kTVMFFIList || value.type_index == kTVMFFIDict) return false;
    return Classify(value.type_index) != ValueClass::kObject ||
           structural::IsMergeable(interner_.plans_.Of(value.v_obj), interner_.compare_);
  }
  template <class Same>
  bool Find(const TVMFFIAny& value, uint64_t hash, Same&& same, Result* result);
  Result Entered(const TVMFFIAny& value, const TVMFFIAny& original, uint64_t hash, bool closed);
  bool Equals(const FoldFrame& frame, const std::vector<uint16_t>* fields, const Result* children,
              const TVMFFIAny& other);
  static bool MustBeClosed(const FoldFrame& frame);
  static bool KeysDiffer(const FoldFrame& frame, const Result* children);
  const std::vector<uint16_t>* FieldsOf(const TypePlan& plan, const TVMFFIObject* object) {
    return interner_.merge_ignored_ ? &structural::CountedFields(plan, object, fold_.keeper()) : &plan.all;
  }

  Impl& interner_;
  graph::Rebuilder rebuilder_;
  graph::Fold<Walk> fold_;
};

// Puts the object of that hash for which `same(value)` in the place of the value.
template <class Same>
bool Interner::Impl::Walk::Find(const TVMFFIAny& value, uint64_t hash, Same&& same, Result* result) {
  ObjectPtr<Object> found = interner_.table_.Find(
      hash, &result->closed, [&](TVMFFIObject* object) { return same(graph::ObjectValue(object)); });
  if (found == nullptr) return false;
  ++interner_.hits_;
  result->value = rebuilder_.Keep(Any(std::move(found)));
  result->changed = result->value.v_obj != value.v_obj;
  return true;
}

Interner::Impl::Walk::Result Interner::Impl::Walk::Entered(const TVMFFIAny& value, const TVMFFIAny& original,
                                                           uint64_t hash, bool closed) {
  interner_.table_.Add(value.v_obj, hash, closed);
  ++interner_.entered_;
  return {value, closed, value.v_obj != original.v_obj};
}

Interner::Impl::Walk::Result Interner::Impl::Walk::Leaf(const TVMFFIAny& value, ValueClass cls) {
  Result result{value, true, false};
  if (!structural::IsLeafPart(value, cls) || interner_.table_.Contains(value.v_obj, &result.closed)) return result;
  if (!structural::IsReadable(value, cls, false)) return result;
  const uint64_t hash = structural::ValueHash(value, cls, false);
  const auto same = [&](const TVMFFIAny& other) { return structural::SameLeafPart(value, cls, other, false); };
  return Find(value, hash, same, &result) ? result : Entered(value, value, hash, true);
}

Interner::Impl::Walk::Result Interner::Impl::Walk::Custom(const TVMFFIAny& value, const TypePlan& plan,
                                                          std::string_view json) {
  Result result{};
  const uint64_t hash = XXH3_64bits_withSeed(json.data(), json.size(), plan.seed);
  const auto same = [&](const TVMFFIAny& other) {
    if (Classify(other.type_index) != ValueClass::kObject) return false;
    const TypePlan& other_plan = interner_.plans_.Of(other.v_obj);
    return structural::Interchangeable(plan, &other_plan) &&
           graph::CustomDataOf(other.v_obj, other_plan, fold_.keeper()) == json;
  };
  return Find(value, hash, same, &result) ? result : Entered(value, value, hash, true);
}

Interner::Impl::Walk::Result Interner::Impl::Walk::Leave(FoldFrame& frame, const Result* children) {
  const std::vector<uint16_t>* fields = nullptr;
  if (frame.cls == ValueClass::kObject) fields = FieldsOf(*frame.plan, frame.value.v_obj);
  const bool closed =
      fields != nullptr
          ? std::all_of(fields->begin(), fields->end(), [&](uint16_t i) { return children[i].closed; })
          : std::all_of(children, children + frame.count, [](const Result& child) { return child.closed; });
  if ((!closed && MustBeClosed(frame)) || !KeysDiffer(frame, children)) return {frame.value, false, false};
  const uint64_t hash = structural::PartHash(frame, fields, children, &interner_.words_, [](const Result& child) {
    const ValueClass cls = Classify(child.value.type_index);
    if (CountsByAddress(child.value, cls)) return static_cast<uint64_t>(reinterpret_cast<uintptr_t>(child.value.v_obj));
    return structural::ValueHash(child.value, cls, false);
  });
  Result result{};
  const auto same = [&](const TVMFFIAny& other) { return Equals(frame, fields, children, other); };
  if (Find(frame.value, hash, same, &result)) return result;
  const TVMFFIAny made = rebuilder_.Remake(frame, children, fold_.keeper(), [&] { return fold_.CurrentPath(); });
  return Entered(made, frame.value, hash, closed);
}

// Two constant trees that are one object are equal, whatever the variables in them are paired with. Where variables are
// defined, what holds them keeps its place.
bool Interner::Impl::Walk::MustBeClosed(const FoldFrame& frame) {
  if (frame.region != graph::DefRegion::kNone) return true;
  return frame.plan != nullptr && frame.plan->kind == StructuralKind::kConstTree;
}

// Whether no two keys of a map have become one object.
bool Interner::Impl::Walk::KeysDiffer(const FoldFrame& frame, const Result* children) {
  if (frame.cls != ValueClass::kMap) return true;
  bool any = false;
  for (uint64_t i = 0; i < frame.count && !any; i += 2) any = children[i].changed;
  if (!any) return true;
  graph::PointerMap<uint8_t> seen;
  for (uint64_t i = 0; i < frame.count; i += 2) {
    const TVMFFIAny& key = children[i].value;
    if (CountsByAddress(key, Classify(key.type_index)) && !seen.Insert(key.v_obj).second) return false;
  }
  return true;
}

bool Interner::Impl::Walk::Equals(const FoldFrame& frame, const std::vector<uint16_t>* fields, const Result* children,
                                  const TVMFFIAny& other) {
  structural::KnownPart known{other};
  if (Classify(other.type_index) == ValueClass::kObject) {
    known.plan = &interner_.plans_.Of(other.v_obj);
    if (known.plan->custom_data) return false;
    known.fields = FieldsOf(*known.plan, other.v_obj);
  }
  return structural::SamePart(
      frame, fields, children, known, fold_.keeper(),
      [](const Result& child, const TVMFFIAny& value) {
        if (CountsByAddress(child.value, Classify(child.value.type_index)))
          return IsObject(value) && child.value.v_obj == value.v_obj;
        return structural::SameValue(child.value, value);
      },
      [](const Result& key) { return key.value; });
}

// ---- Interner ------------------------------------------------------------------------------------------------------

Interner::Impl::Impl(InternerOptions options, uint64_t hash_mask)
    : merge_ignored_(options.merge_ignored), plans_(options.rules), table_(hash_mask) {
  compare_.as_files = options.as_files;
  compare_.rules = std::move(options.rules);
}

Any Interner::Impl::Intern(const TVMFFIAny& root) { return Walk(this).Run(root); }

InternerStatistics Interner::Impl::statistics() const { return {table_.size(), entered_, hits_}; }

Interner::Interner(InternerOptions options) : options_(std::move(options)), impl_(std::make_unique<Impl>(options_)) {}
Interner::~Interner() = default;
// The options stay with both; the table that was moved from is made when it is needed.
Interner::Interner(Interner&& other) noexcept : options_(other.options_), impl_(std::move(other.impl_)) {}
Interner& Interner::operator=(Interner&& other) noexcept {
  options_ = other.options_;
  impl_ = std::move(other.impl_);
  return *this;
}

Any Interner::Intern(AnyView value) {
  if (impl_ == nullptr) impl_ = std::make_unique<Impl>(options_);
  return impl_->Intern(*value.raw());
}
void Interner::Compact() {
  if (impl_ != nullptr) impl_->Compact();
}
InternerStatistics Interner::statistics() const {
  return impl_ != nullptr ? impl_->statistics() : InternerStatistics();
}

}  // namespace transom
