/*
 * How far code of types that calls back may nest.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_RULES_HOOK_STACK_H_
#define TRANSOM_SRC_STRUCTURAL_RULES_HOOK_STACK_H_

#include <string_view>

namespace transom::structural {

/*! \brief Whether the thread's stack has no room for one more piece of foreign code that may call back. What remains is
 * enough for what runs between two such questions, and for an error. False on a stack that is not the thread's own. */
bool StackIsNearlyFull();

/*! \brief Before a type's hook of that name is called, by code that the hook may call again: RuntimeError when the
 * thread's stack is nearly full. */
void CheckStackForHook(std::string_view hook);

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_RULES_HOOK_STACK_H_
