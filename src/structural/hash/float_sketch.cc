#include "structural/hash/float_sketch.h"

namespace transom::structural {

using graph::ValueClass;

namespace {

// In (1/2, 1], so that sums do not grow with depth.
double Weight(uint64_t i) {
  const double x = static_cast<double>(i) * 0.6180339887498949;
  return 1 / (1 + (x - std::floor(x)));
}

}  // namespace

std::vector<FloatSketch> FloatSketches::OfElements(const TVMFFISeqCell& cell) {
  std::vector<FloatSketch> sketches;
  sketches.reserve(static_cast<size_t>(cell.size));
  for (int64_t i = 0; i < cell.size; ++i) sketches.push_back(Of(graph::ItemsOf(cell)[i]));
  return sketches;
}

// Keys tell apart what is not finite.
void FloatSketches::Add(double value, Result* to) const {
  constexpr double kRounding = 1e-9;  // of the sums
  if (!std::isfinite(value)) return;
  to->sum += value;
  to->slack += scope_.tolerance().absolute / 2 + (scope_.tolerance().relative + kRounding) * std::fabs(value);
}

FloatSketch FloatSketches::Leaf(const TVMFFIAny& value, ValueClass cls) {
  Result result;
  if (value.type_index == kTVMFFIFloat) Add(value.v_float64, &result);
  if (cls != ValueClass::kTensor || options_.skip_tensor_content) return result;
  const Tensor tensor = graph::TensorRefOf(value);
  if (!tensor.IsOnHost() || !HasNearElements(tensor.get()->dtype)) return result;
  ForEachElement(tensor, [&](double element) { Add(element, &result); });
  return result;
}

void FloatSketches::Enter(graph::FoldFrame& frame) {
  frame.Visit(scope_.Fields(frame, CountedFields(*frame.plan, frame.value.v_obj, fold_.keeper())));
}

void FloatSketches::MapChildren(graph::FoldFrame& frame, std::vector<TVMFFIAny>* children) {
  std::vector<TVMFFIAny> values;
  scope_.ForEachEntry(frame.value, [&](const TVMFFIAny& key, const TVMFFIAny& value) {
    children->push_back(key);
    values.push_back(value);
  });
  frame.count = 2 * values.size();
  children->insert(children->end(), values.begin(), values.end());
}

FloatSketch FloatSketches::Leave(graph::FoldFrame& frame, Result* children) {
  const bool is_sequence = frame.cls == ValueClass::kSequence;
  const bool in_order = frame.cls == ValueClass::kObject || (is_sequence && !scope_.Unordered(frame.value));
  const uint64_t count = is_sequence ? scope_.KeepElements(frame.value, children, frame.count) : frame.count;
  Result result;
  for (uint64_t i = 0; i < count; ++i) {
    const double weight = in_order ? Weight(i) : 1;
    result.sum += weight * children[i].sum;
    result.slack += weight * children[i].slack;
  }
  return result;
}

}  // namespace transom::structural
