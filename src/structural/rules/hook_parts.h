/*
 * What an object of a type with comparison code of its own is made of, as its `__s_hash__` tells.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_RULES_HOOK_PARTS_H_
#define TRANSOM_SRC_STRUCTURAL_RULES_HOOK_PARTS_H_

#include <transom/runtime/any.h>

#include <optional>
#include <vector>

#include "graph/type_plan.h"

namespace transom::structural {

/*! \brief A value that a hook passed to its callback, and the region that it asked for; kNone: none of its own. */
struct HookPart {
  Any value;
  graph::DefRegion region = graph::DefRegion::kNone;
};

/*!
 * \brief What the `__s_hash__` hook of the object's type passes to its callback, in order; nothing when the type has no
 * such hook. The callback only takes note: it returns the number that it is given, so hooks do not nest, and what a
 * hook computes from such numbers does not matter.
 *
 * TypeError: the attribute is no function. ValueError: a region that does not exist. RuntimeError: the stack of the
 * thread is nearly full, since the hook hashes objects in other ways. The hook's own errors.
 */
std::optional<std::vector<HookPart>> HookPartsOf(const graph::TypePlan& plan, const TVMFFIAny& object);

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_RULES_HOOK_PARTS_H_
