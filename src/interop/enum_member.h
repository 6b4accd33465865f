/*
 * Members of enums, which are one object each in a process.
 */
#ifndef TRANSOM_SRC_INTEROP_ENUM_MEMBER_H_
#define TRANSOM_SRC_INTEROP_ENUM_MEMBER_H_

#include <transom/runtime/c_api.h>

namespace transom::interop {

/*! \brief What tells a member of its enum: an integer for `ffi.IntEnum` and what derives from it, else a string. */
enum class EnumForm : uint8_t { kNone, kInt, kString };

/*! \brief kNone: objects of the type are no members of an enum. */
EnumForm EnumFormOf(int32_t type_index);

}  // namespace transom::interop
#endif  // TRANSOM_SRC_INTEROP_ENUM_MEMBER_H_
