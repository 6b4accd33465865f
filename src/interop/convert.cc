// Attribute `__ffi_convert__` of the built-in types: a value as an instance of the type, as arguments are converted.
#include <transom/containers/array.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/shape.h>
#include <transom/containers/tensor.h>
#include <transom/reflection/registry.h>

#include <string>

namespace transom::interop {
namespace {

// TypeError: the value is no T and does not convert to one.
template <class T>
void DefConvert(int32_t type_index) {
  const auto convert = [](const AnyView& value) {
    std::optional<T> result = value.try_cast<T>();
    TRANSOM_CHECK(result.has_value(), TypeError)
        << "Cannot cast from `" << value.GetTypeKey() << "` to `" << TypeTraits<T>::Name() << "`";
    return *std::move(result);
  };
  const std::string name = detail::TypeKeyOfIndex(type_index) + ".__ffi_convert__";
  reflection::detail::RegisterAttr(type_index, "__ffi_convert__", Function::FromTyped(convert, name));
}

TRANSOM_STATIC_INIT_BLOCK() {
  DefConvert<ObjectRef>(kTVMFFIObject);
  DefConvert<String>(kTVMFFIStr);
  DefConvert<Bytes>(kTVMFFIBytes);
  DefConvert<Error>(kTVMFFIError);
  DefConvert<Function>(kTVMFFIFunction);
  DefConvert<Shape>(kTVMFFIShape);
  DefConvert<Tensor>(kTVMFFITensor);
  DefConvert<Array<Any>>(kTVMFFIArray);
  DefConvert<List<Any>>(kTVMFFIList);
  DefConvert<Map<Any, Any>>(kTVMFFIMap);
  DefConvert<Dict<Any, Any>>(kTVMFFIDict);
}

}  // namespace
}  // namespace transom::interop
