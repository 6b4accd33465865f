/*
 * What both directions of the JSON object graph ask of a type.
 */
#ifndef TRANSOM_SRC_INTEROP_JSON_GRAPH_TYPES_H_
#define TRANSOM_SRC_INTEROP_JSON_GRAPH_TYPES_H_

#include <transom/runtime/c_api.h>

namespace transom::interop {

/*! \brief Enum members are stored by their place in the enum: an integer for `ffi.IntEnum` and what derives from it,
 * else a string. */
enum class EnumForm : uint8_t { kNone, kInt, kString };

EnumForm EnumFormOf(int32_t type_index);

}  // namespace transom::interop
#endif  // TRANSOM_SRC_INTEROP_JSON_GRAPH_TYPES_H_
