/*
 * Edits as the arrays that a patch holds.
 */
#ifndef TRANSOM_SRC_FORMATS_NODES_PATCH_SCRIPT_H_
#define TRANSOM_SRC_FORMATS_NODES_PATCH_SCRIPT_H_

#include <transom/runtime/any.h>

#include <string_view>

#include "structural/diff/edit_script.h"

namespace transom::formats {

/*! \brief Key of the first member of a patch. */
constexpr std::string_view kPatchKey = "transom_patch";

/*! \brief Type key of the nodes that stand for objects of the old graph. */
constexpr std::string_view kReferenceKey = "transom.patch.Ref";

/*! \brief What leads from a referenced object to another: kinds of steps. */
enum class ReferenceKind : uint8_t {
  kField = 0,  // by name
  kItem = 1,   // by index
  kValue = 2,  // value of the entry with that key
  kKey = 6,    // key of the entry at that place
};

/*! \brief The array of the root: what the result is, then one array per edit. */
Any ScriptToArrays(const structural::EditScript& script);

/*! \brief PatchError: arrays of another form (says which edit, what was expected, what was found). */
structural::EditScript ScriptFromArrays(const Any& arrays);

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_NODES_PATCH_SCRIPT_H_
