/*
 * Equality of values without children.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_RULES_LEAF_EQUAL_H_
#define TRANSOM_SRC_STRUCTURAL_RULES_LEAF_EQUAL_H_

#include "graph/value.h"

namespace transom::structural {

/*! \brief Whether two values of one class are equal: NaN equals NaN, -0.0 differs from 0.0; tensors by shape, dtype and
 *  the bits of their elements, whatever their strides. */
bool LeafEqual(const TVMFFIAny& lhs, const TVMFFIAny& rhs, graph::ValueClass cls, bool skip_tensor_content);

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_RULES_LEAF_EQUAL_H_
