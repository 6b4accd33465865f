// Variables and shared nodes that meet another partner than the one they are bound to: another one stands there, or the
// same content is another object.
#include "structural/equality/lock_step.h"

namespace transom::structural {

using graph::ObjectValue;

// One side of the pair, or both, is bound to another object.
void LockStep::MeetAnother(const Frame& frame) {
  const TVMFFIObject* right = bindings_.RightOf(frame.lhs.v_obj);
  const TVMFFIObject* left = bindings_.LeftOf(frame.rhs.v_obj);
  // Patches do not ask why; while a pair is tried, any difference is one.
  const bool asked = goal_ == Goal::kAll && record_ == nullptr && num_in_keys_ == 0 && tried_pairs_ == nullptr;
  if (asked && left == nullptr && IsCopy(frame.rhs.v_obj, right, false))
    return ReportSharing(frame, frame.lhs.v_obj, true);
  if (asked && right == nullptr && IsCopy(frame.lhs.v_obj, left, true))
    return ReportSharing(frame, frame.rhs.v_obj, false);
  Differ(EditKind::kRewire, &frame.lhs, &frame.rhs);
}

// Whether two objects of a side have the same content, of which only `of` is bound.
bool LockStep::IsCopy(const TVMFFIObject* copy, const TVMFFIObject* of, bool is_lhs) {
  auto [known, is_new] = copies_[is_lhs ? 0 : 1].Insert(copy);
  if (!is_new) return known->of == of;
  const TVMFFIAny a = ObjectValue(const_cast<TVMFFIObject*>(of)), b = ObjectValue(const_cast<TVMFFIObject*>(copy));
  DigestVisitor& keys = is_lhs ? lhs_keys_ : rhs_keys_;
  if (keys.KeyOf(a) != keys.KeyOf(b)) return false;
  if (plans_.Of(copy).kind == StructuralKind::kFreeVar) {
    // Variables of one type are alike but for their names.
    const std::string label = graph::LabelOf(plans_, a);
    if (label.empty() || label != graph::LabelOf(plans_, b)) return false;
  }
  const auto meet = [&](const TVMFFIObject* l, const TVMFFIObject* r) {
    if (l == r) return ContextCheck::Met::kSame;
    return bindings_.NumberOf(r, is_lhs) >= 0 ? ContextCheck::Met::kOther : ContextCheck::Met::kOpen;
  };
  if (context_.Agrees(a, b, meet)) known->of = of;
  return known->of == of;
}

// `one`: the object of the left side that became several, or of the right side that several became. One difference,
// however many they are.
void LockStep::ReportSharing(const Frame& frame, const TVMFFIObject* one, bool splits) {
  Sharing& sharing = *sharing_[splits ? 0 : 1].Insert(one).first;
  if (sharing.counted) {
    MeetKnownDifference();
    if (sharing.listed != LooseEnd::kNotListed)
      (*sink_)[sharing.listed].more_holders.emplace_back(frames_.back().lhs.v_obj, frames_.back().rhs.v_obj);
    return;
  }
  const uint64_t& count = counts_[static_cast<size_t>(EditKind::kSharing)];
  const uint64_t before = count;
  sharing.listed = Report(EditKind::kSharing, &frame.lhs, &frame.rhs);
  sharing.counted = count != before;
  if (sharing.listed != LooseEnd::kNotListed) (*sink_)[sharing.listed].splits = splits;
}

}  // namespace transom::structural
