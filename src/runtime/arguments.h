/* Checks of arguments that functions of the C contract and global functions share. */
#ifndef TRANSOM_SRC_RUNTIME_ARGUMENTS_H_
#define TRANSOM_SRC_RUNTIME_ARGUMENTS_H_

#include <transom/runtime/c_api.h>
#include <transom/runtime/error.h>

#include <string_view>

namespace transom::runtime {

/* What an argument points to. `what` says what that is. TypeError: it was NULL. */
template <class T>
T& NotNull(T* argument, const char* what) {
  TRANSOM_CHECK(argument != nullptr, TypeError) << "Expected " << what << " but got NULL";
  return *argument;
}

/* A text argument. TypeError: it, or its bytes where it has some, was NULL. */
inline std::string_view TextArgument(const TVMFFIByteArray* text, const char* what) {
  const TVMFFIByteArray& bytes = NotNull(text, what);
  if (bytes.size == 0) return "";
  static_cast<void>(NotNull(bytes.data, what));
  return detail::ToStringView(bytes);
}

/* The object of an argument that converts from None too. TypeError: it was None. */
template <class Obj>
const Obj& NotNone(const Obj* object) {
  TRANSOM_CHECK(object != nullptr, TypeError) << "Expected a `" << Obj::_type_key << "` but got `None`";
  return *object;
}

}  // namespace transom::runtime

#endif  // TRANSOM_SRC_RUNTIME_ARGUMENTS_H_
