/*
 * What DeserializeFromJSON and DeserializeFromBase64 give.
 */
#ifndef TRANSOM_FORMATS_DESERIALIZED_H_
#define TRANSOM_FORMATS_DESERIALIZED_H_

#include <transom/containers/string.h>
#include <transom/runtime/any.h>
#include <transom/runtime/object.h>

#include <type_traits>
#include <utility>

namespace transom {

/*!
 * \brief A value that was read. It is an Any, and becomes what it is assigned to: `IRModule m =
 * DeserializeFromJSON(text);`
 */
class Deserialized : public Any {
 public:
  explicit Deserialized(Any value) noexcept : Any(std::move(value)) {}

  /*! \brief The value as a reference, text or number, as Any::cast gives it. TypeError that names both types when it is
   * none. */
  template <class T, class = std::enable_if_t<std::is_base_of_v<ObjectRef, T> || std::is_arithmetic_v<T> ||
                                              std::is_same_v<T, String> || std::is_same_v<T, Bytes>>>
  operator T() const {  // NOLINT: that is what it is for
    return cast<T>();
  }
};

/*! \brief As an Any. */
template <>
struct TypeTraits<Deserialized> : TypeTraits<Any> {
  static void ToOwned(Deserialized src, TVMFFIAny* out) { *out = src.Release(); }
};

}  // namespace transom
#endif  // TRANSOM_FORMATS_DESERIALIZED_H_
