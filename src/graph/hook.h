/*
 * Functions that a type has as its attributes.
 */
#ifndef TRANSOM_SRC_GRAPH_HOOK_H_
#define TRANSOM_SRC_GRAPH_HOOK_H_

#include <transom/export.h>
#include <transom/runtime/function.h>

#include <optional>
#include <string_view>

namespace transom::graph {

/*! \brief The function in an attribute of the type; nothing when the type has none. TypeError: the attribute has
 * another form, which is not called. */
TRANSOM_API std::optional<Function> FunctionHookOf(int32_t type_index, std::string_view attr);

}  // namespace transom::graph
#endif  // TRANSOM_SRC_GRAPH_HOOK_H_
