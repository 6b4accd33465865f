#include "interop/enum_member.h"

#include "graph/type_plan.h"

namespace transom::interop {

EnumForm EnumFormOf(int32_t type_index) {
  if (type_index < kTVMFFIDynObjectBegin) return EnumForm::kNone;
  if (!graph::DerivesFrom(type_index, "ffi.Enum")) return EnumForm::kNone;
  return graph::DerivesFrom(type_index, "ffi.IntEnum") ? EnumForm::kInt : EnumForm::kString;
}

}  // namespace transom::interop
