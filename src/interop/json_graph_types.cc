#include "interop/json_graph_types.h"

#include <string_view>

namespace transom::interop {
namespace {

std::string_view KeyOf(const TVMFFITypeInfo* info) { return {info->type_key.data, info->type_key.size}; }

bool DerivesFrom(const TVMFFITypeInfo* info, std::string_view key) {
  if (KeyOf(info) == key) return true;
  for (int32_t depth = 0; depth < info->type_depth; ++depth) {
    if (KeyOf(info->type_ancestors[depth]) == key) return true;
  }
  return false;
}

}  // namespace

EnumForm EnumFormOf(int32_t type_index) {
  if (type_index < kTVMFFIDynObjectBegin) return EnumForm::kNone;
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(type_index);
  if (!DerivesFrom(info, "ffi.Enum")) return EnumForm::kNone;
  return DerivesFrom(info, "ffi.IntEnum") ? EnumForm::kInt : EnumForm::kString;
}

}  // namespace transom::interop
