/*
 * Types that callers name by their number: the C function that gives a type's row ends the process for a number that no
 * type has.
 */
#ifndef TRANSOM_SRC_INTEROP_REGISTERED_TYPE_H_
#define TRANSOM_SRC_INTEROP_REGISTERED_TYPE_H_

#include <transom/runtime/c_api.h>

#include <cstdint>

namespace transom::interop {

/*! \brief Row of a type. InternalError: the number belongs to no type. Takes the lock of the attributes. */
const TVMFFITypeInfo* RegisteredType(int64_t type_index);

}  // namespace transom::interop
#endif  // TRANSOM_SRC_INTEROP_REGISTERED_TYPE_H_
