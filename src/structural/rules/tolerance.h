/*
 * Floats that are nearly equal.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_RULES_TOLERANCE_H_
#define TRANSOM_SRC_STRUCTURAL_RULES_TOLERANCE_H_

#include <cmath>

#include "graph/value.h"

namespace transom::structural {

/*! \brief Symmetric, so that a diff and its mirror agree. Not transitive. */
struct Tolerance {
  double relative = 0;
  double absolute = 0;

  bool exact() const { return relative == 0 && absolute == 0; }
  /*! \brief NaN equals NaN, an infinity only itself. */
  bool Near(double a, double b) const {
    if (!std::isfinite(a) || !std::isfinite(b)) return a == b || (std::isnan(a) && std::isnan(b));
    return std::fabs(a - b) <= absolute + relative * std::fmax(std::fabs(a), std::fabs(b));
  }
};

/*! \brief Whether two values of one class are floats that are nearly equal, or tensors of one shape and float type all
 * of whose elements are. */
bool NearlyEqual(const TVMFFIAny& lhs, const TVMFFIAny& rhs, graph::ValueClass cls, const Tolerance& tolerance);

/*! \brief Whether the tolerance holds for elements of this type: float16, bfloat16, float32, float64. */
bool HasNearElements(const DLDataType& dtype);

/*! \brief Calls `fn(element)` for the elements of a tensor on the host with such a type, in row-major order. */
template <class Fn>
void ForEachElement(const Tensor& tensor, Fn&& fn);

/*! \brief Element of packed bytes of such a type. */
double ElementAt(const char* bytes, const DLDataType& dtype, size_t i);

template <class Fn>
void ForEachElement(const Tensor& tensor, Fn&& fn) {
  const DLDataType dtype = tensor.get()->dtype;
  std::string compact;
  const char* bytes = static_cast<const char*>(tensor.data_ptr());
  if (!tensor.IsContiguous()) {
    compact.resize(static_cast<size_t>(tensor.NumBytes()));
    tensor.CopyToCompact(compact.data());
    bytes = compact.data();
  }
  const size_t n = static_cast<size_t>(tensor.numel()) * dtype.lanes;
  for (size_t i = 0; i < n; ++i) fn(ElementAt(bytes, dtype, i));
}

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_RULES_TOLERANCE_H_
