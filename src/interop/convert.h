/*
 * Attribute `__ffi_convert__` of a type: a function that makes an instance of the type from a value, as an argument of
 * that type would be converted.
 */
#ifndef TRANSOM_SRC_INTEROP_CONVERT_H_
#define TRANSOM_SRC_INTEROP_CONVERT_H_

#include <transom/reflection/registry.h>

#include <optional>
#include <string>
#include <utility>

namespace transom::interop {

/*! \brief Gives a type the attribute, with the conversions of the C++ type T; other values are a TypeError. */
template <class T>
void DefConvert(int32_t type_index) {
  const auto convert = [](const AnyView& value) {
    std::optional<T> result = value.try_cast<T>();
    TRANSOM_CHECK(result.has_value(), TypeError)
        << "Cannot cast from `" << value.GetTypeKey() << "` to `" << TypeTraits<T>::Name() << "`";
    return *std::move(result);
  };
  const std::string name = transom::detail::TypeKeyOfIndex(type_index) + ".__ffi_convert__";
  reflection::detail::RegisterAttr(type_index, "__ffi_convert__", Function::FromTyped(convert, name));
}

}  // namespace transom::interop
#endif  // TRANSOM_SRC_INTEROP_CONVERT_H_
