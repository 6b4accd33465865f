// Defaults of fields: scalars, strings and None.
#include <transom/runtime/any.h>
#include <transom/runtime/dtype.h>

#include <algorithm>
#include <optional>

#include "schema/builder.h"

namespace transom::schema {
namespace {

bool IsText(int32_t type_index) { return type_index == kTVMFFISmallStr || type_index == kTVMFFIStr; }

// Whether a field of the type holds the value as it stands.
bool Holds(const TypeExpr& type, const Any& value) {
  int32_t index = value.type_index();
  switch (type.kind) {
    case TypeKind::kAny:
      return true;
    case TypeKind::kBool:
      return index == kTVMFFIBool;
    case TypeKind::kInt:
    case TypeKind::kBigInt:
      return index == kTVMFFIInt;
    case TypeKind::kFloat:
      return index == kTVMFFIFloat;
    case TypeKind::kDataType:
      return index == kTVMFFIDataType;
    case TypeKind::kDevice:
      return index == kTVMFFIDevice;
    case TypeKind::kString:
      return IsText(index);
    case TypeKind::kBytes:
    case TypeKind::kOpaquePtr:
      return false;
    case TypeKind::kOptional:
      return index == kTVMFFINone || Holds(type.args[0], value);
    case TypeKind::kUnion:
      return std::any_of(type.args.begin(), type.args.end(), [&](const TypeExpr& arg) { return Holds(arg, value); });
    default:
      return index == kTVMFFINone;
  }
}

std::optional<Any> ParseDataType(const Any& text) {
  try {
    return Any(DataType::FromString(text.cast<String>()));
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

bool ConvertDefault(const TypeExpr& type, Any* value) {
  if (Holds(type, *value)) return true;
  int32_t index = value->type_index();
  bool is_integral = index == kTVMFFIInt || index == kTVMFFIBool;
  if (type.kind == TypeKind::kBool && is_integral) {
    *value = value->cast<bool>();
  } else if (type.kind == TypeKind::kInt && is_integral) {
    *value = value->cast<int64_t>();
  } else if (type.kind == TypeKind::kFloat && is_integral) {
    *value = value->cast<double>();
  } else if (type.kind == TypeKind::kDataType && IsText(index)) {
    std::optional<Any> dtype = ParseDataType(*value);
    if (!dtype) return false;
    *value = *std::move(dtype);
  } else if (type.kind == TypeKind::kOptional || type.kind == TypeKind::kUnion) {
    return std::any_of(type.args.begin(), type.args.end(),
                       [&](const TypeExpr& arg) { return ConvertDefault(arg, value); });
  } else {
    return false;
  }
  return true;
}

}  // namespace transom::schema
