// Attribute `__ffi_convert__` of the built-in types.
#include <transom/containers/array.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/shape.h>
#include <transom/containers/tensor.h>
#include <transom/reflection/registry.h>

#include "interop/convert.h"

namespace transom::interop {
namespace {

TRANSOM_STATIC_INIT_BLOCK() {
  DefConvert<ObjectRef>(kTVMFFIObject);
  DefConvert<String>(kTVMFFIStr);
  DefConvert<Bytes>(kTVMFFIBytes);
  DefConvert<Error>(kTVMFFIError);
  DefConvert<Function>(kTVMFFIFunction);
  DefConvert<Shape>(kTVMFFIShape);
  DefConvert<ObjectPtr<TensorObj>>(kTVMFFITensor);
  DefConvert<Array<Any>>(kTVMFFIArray);
  DefConvert<List<Any>>(kTVMFFIList);
  DefConvert<Map<Any, Any>>(kTVMFFIMap);
  DefConvert<Dict<Any, Any>>(kTVMFFIDict);
}

}  // namespace
}  // namespace transom::interop
