/*
 * Edits of a diff that are alike: the same change at many places.
 */
#ifndef TRANSOM_STRUCTURAL_GROUP_EDITS_H_
#define TRANSOM_STRUCTURAL_GROUP_EDITS_H_

#include <transom/structural/diff.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace transom {

/*! \brief Edits of one kind whose values have equal digests, at paths that are the same but for the indices of elements
 * and the map keys that are objects (functions of a module). */
struct EditGroup {
  std::vector<size_t> edits;  // their places in DiffResult::edits, ascending
  uint64_t places = 0;        // of all of them, saturating
};

/*!
 * \brief The listed edits of a diff in groups, in the order of their first edits. Digests are those of the values by
 * themselves, so variables that are bound outside of them are alike when their types are; what has no digest
 * (functions, modules, pointers) is alone in its group. Time: as StructuralDigest of each listed value.
 */
TRANSOM_API std::vector<EditGroup> GroupEdits(const DiffResult& diff);

}  // namespace transom
#endif  // TRANSOM_STRUCTURAL_GROUP_EDITS_H_
