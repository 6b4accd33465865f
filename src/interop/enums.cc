// The base types of enums, ready for front ends, which make a type for each enum and register its members.
#include <transom/reflection/enum.h>

#include "interop/convert.h"

namespace transom::interop {
namespace {

TRANSOM_STATIC_INIT_BLOCK() {
  reflection::detail::RegisterEnumTypes();
  DefConvert<ObjectPtr<IntEnumObj>>(IntEnumObj::RuntimeTypeIndex());
  DefConvert<ObjectPtr<StrEnumObj>>(StrEnumObj::RuntimeTypeIndex());
}

}  // namespace
}  // namespace transom::interop
