#include "interop/registered_type.h"

#include <transom/reflection/registry.h>

#include <limits>

namespace transom::interop {

const TVMFFITypeInfo* RegisteredType(int64_t type_index) {
  TRANSOM_CHECK(type_index >= 0 && type_index <= std::numeric_limits<int32_t>::max(), InternalError)
      << "Expected the index of a type but got " << type_index;
  const auto index = static_cast<int32_t>(type_index);
  // Giving a type the attribute None changes nothing, and says when there is no such type.
  reflection::detail::RegisterAttr(index, "transom.registered_type", Any());
  return TVMFFIGetTypeInfo(index);
}

}  // namespace transom::interop
