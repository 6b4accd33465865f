/* Checks of arguments that global functions share. */
#ifndef TRANSOM_SRC_RUNTIME_ARGUMENTS_H_
#define TRANSOM_SRC_RUNTIME_ARGUMENTS_H_

#include <transom/runtime/error.h>

namespace transom::runtime {

/* The object of an argument that converts from None too. TypeError: it was None. */
template <class Obj>
const Obj& NotNone(const Obj* object) {
  TRANSOM_CHECK(object != nullptr, TypeError) << "Expected a `" << Obj::_type_key << "` but got `None`";
  return *object;
}

}  // namespace transom::runtime

#endif  // TRANSOM_SRC_RUNTIME_ARGUMENTS_H_
