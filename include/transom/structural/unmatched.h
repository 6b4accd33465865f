/*
 * Options of a diff that say nothing about the two values: mistyped, perhaps.
 */
#ifndef TRANSOM_STRUCTURAL_UNMATCHED_H_
#define TRANSOM_STRUCTURAL_UNMATCHED_H_

#include <transom/structural/diff.h>

namespace transom {

/*!
 * \brief Options of `ignore`, `only`, `unordered` and `keys` whose pattern matches no place of either value that counts
 * (what is ignored, or does not count by its type's description, has none), and of `ignore_fields` and `ignore_types`
 * that no object of either value has or is, ignored or not. A diff takes them as they are; a tool may say that they did
 * nothing. \return The options that did not match in the lists that they came from, all else as it is by default.
 * ValueError: options that StructuralDiff refuses. Linear in the two values, and in the ways on which patterns match.
 * No recursion. Thread-safe while nobody changes the values.
 */
TRANSOM_API DiffOptions UnmatchedOptions(AnyView lhs, AnyView rhs, const DiffOptions& options);

}  // namespace transom
#endif  // TRANSOM_STRUCTURAL_UNMATCHED_H_
