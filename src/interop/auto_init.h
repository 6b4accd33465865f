/*
 * The automatic constructor of a type: a function with the type's fields as parameters.
 */
#ifndef TRANSOM_SRC_INTEROP_AUTO_INIT_H_
#define TRANSOM_SRC_INTEROP_AUTO_INIT_H_

#include <transom/export.h>

#include <cstdint>

namespace transom::interop {

/*!
 * \brief Sets the type's attribute `__ffi_init__` to a function of all fields that it has now, except those marked
 * InitOff. Fields not marked KwOnly can be given by position, required ones first; all by name, after the sentinel of
 * `ffi.GetKwargsObject`, as names and values in turns. InternalError: no such type. RuntimeError: it has a constructor
 * already.
 */
TRANSOM_API void RegisterAutoInit(int64_t type_index);

}  // namespace transom::interop
#endif  // TRANSOM_SRC_INTEROP_AUTO_INIT_H_
