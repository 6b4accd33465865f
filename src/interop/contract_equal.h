/*
 * Structural equality as the C contract defines it, where the library's own StructuralEqual goes further.
 */
#ifndef TRANSOM_SRC_INTEROP_CONTRACT_EQUAL_H_
#define TRANSOM_SRC_INTEROP_CONTRACT_EQUAL_H_

#include <transom/export.h>
#include <transom/runtime/any.h>
#include <transom/structural/options.h>

namespace transom::interop {

/*!
 * \brief Whether the values are equal. TypeError: a type without structural kind. ValueError: a cycle, or a tensor that
 * is not on the CPU. Linear, no recursion but that of nested hooks.
 */
TRANSOM_API bool ContractEqual(const AnyView& lhs, const AnyView& rhs, const StructuralOptions& options);

}  // namespace transom::interop
#endif  // TRANSOM_SRC_INTEROP_CONTRACT_EQUAL_H_
