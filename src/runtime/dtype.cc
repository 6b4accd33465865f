#include <transom/containers/string.h>
#include <transom/runtime/c_api.h>
#include <transom/runtime/error.h>
#include <transom/runtime/function.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/arguments.h"

namespace transom::runtime {
namespace {

/* How the width of a type appears in its text. */
enum class Width { kInText, kInName, kNone };

struct DataTypeName {
  std::string_view name;
  uint8_t code;
  uint8_t bits; /* when the text states none */
  Width width;
};

/* A name stands before its own prefixes. */
constexpr DataTypeName kNames[] = {
    {"float8_e4m3b11fnuz", kTransomDLFloat8_e4m3b11fnuz, 8, Width::kInName},
    {"float8_e4m3fnuz", kTransomDLFloat8_e4m3fnuz, 8, Width::kInName},
    {"float8_e4m3fn", kTransomDLFloat8_e4m3fn, 8, Width::kInName},
    {"float8_e4m3", kTransomDLFloat8_e4m3, 8, Width::kInName},
    {"float8_e3m4", kTransomDLFloat8_e3m4, 8, Width::kInName},
    {"float8_e5m2fnuz", kTransomDLFloat8_e5m2fnuz, 8, Width::kInName},
    {"float8_e5m2", kTransomDLFloat8_e5m2, 8, Width::kInName},
    {"float8_e8m0fnu", kTransomDLFloat8_e8m0fnu, 8, Width::kInName},
    {"float6_e2m3fn", kTransomDLFloat6_e2m3fn, 6, Width::kInName},
    {"float6_e3m2fn", kTransomDLFloat6_e3m2fn, 6, Width::kInName},
    {"float4_e2m1fn", kTransomDLFloat4_e2m1fn, 4, Width::kInName},
    {"int", kTransomDLInt, 32, Width::kInText},
    {"uint", kTransomDLUInt, 32, Width::kInText},
    {"float", kTransomDLFloat, 32, Width::kInText},
    {"bfloat", kTransomDLBfloat, 16, Width::kInText},
    {"bool", kTransomDLBool, 8, Width::kInText},
    {"handle", kTransomDLOpaqueHandle, 64, Width::kInText},
};

/* Other spellings of the start of a text. Those of whole names need the width to follow. */
struct Alias {
  std::string_view prefix;
  std::string_view meaning;
  bool digit_follows;
};
constexpr Alias kAliases[] = {
    {"fp8_", "float8_", false}, {"f8_", "float8_", false}, {"fp6_", "float6_", false}, {"f6_", "float6_", false},
    {"fp4_", "float4_", false}, {"f4_", "float4_", false}, {"bf", "bfloat", true},     {"i", "int", true},
    {"u", "uint", true},        {"f", "float", true},
};

constexpr std::string_view kCustomPrefix = "custom[";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/* Text that is read from the front. */
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}
  bool Skip(std::string_view prefix) {
    if (rest_.substr(0, prefix.size()) != prefix) return false;
    rest_.remove_prefix(prefix.size());
    return true;
  }
  /* Decimal number up to `max`; nothing when there are no digits or it is larger. */
  std::optional<int32_t> Number(int32_t max) {
    if (rest_.empty() || !IsDigit(rest_[0])) return std::nullopt;
    int64_t value = 0;
    while (!rest_.empty() && IsDigit(rest_[0]) && value <= max) {
      value = value * 10 + (rest_[0] - '0');
      rest_.remove_prefix(1);
    }
    if (value > max) return std::nullopt;
    return static_cast<int32_t>(value);
  }
  bool AtDigit() const { return !rest_.empty() && IsDigit(rest_[0]); }
  bool AtEnd() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

[[noreturn]] void ThrowBadText(std::string_view text, std::string_view reason) {
  TRANSOM_THROW(ValueError) << "Expected a data type such as `float32` or `int8x4` but got `" << text
                            << "`: " << reason;
}

std::string ExpandAlias(std::string_view text) {
  for (const Alias& alias : kAliases) {
    if (text.substr(0, alias.prefix.size()) != alias.prefix) continue;
    std::string_view rest = text.substr(alias.prefix.size());
    if (alias.digit_follows && (rest.empty() || !IsDigit(rest[0]))) continue;
    return std::string(alias.meaning).append(rest);
  }
  return std::string(text);
}

/* Name of a custom type with its code from the registered function. */
DataTypeName ReadCustomName(Reader* reader, std::string_view text) {
  size_t end = reader->rest().find(']');
  if (end == std::string_view::npos) ThrowBadText(text, "the name after `custom[` has no closing `]`");
  String name(reader->rest().substr(0, end));
  reader->Skip(reader->rest().substr(0, end + 1));
  std::optional<Function> get_code = Function::GetGlobal("dtype.get_custom_type_code");
  if (!get_code) ThrowBadText(text, "custom types need the global function `dtype.get_custom_type_code`");
  auto code = (*get_code)(name).cast<int64_t>();
  if (code < kTransomDLCustomBegin || code > UINT8_MAX) ThrowBadText(text, "the custom type's code is out of range");
  return DataTypeName{"custom", static_cast<uint8_t>(code), 32, Width::kInText};
}

DataTypeName ReadName(Reader* reader, std::string_view text) {
  if (reader->Skip(kCustomPrefix)) return ReadCustomName(reader, text);
  for (const DataTypeName& entry : kNames) {
    if (reader->Skip(entry.name)) return entry;
  }
  ThrowBadText(text, "unknown name");
}

uint16_t ReadLanes(Reader* reader, const DataTypeName& name, std::string_view text) {
  bool underscore = name.code == kTransomDLFloat4_e2m1fn && reader->Skip("_");
  if (reader->AtEnd() && !underscore) return 1;
  if (name.width == Width::kInText && reader->Skip("xvscalex")) {
    std::optional<int32_t> lanes = reader->Number(INT16_MAX);
    if (!lanes || *lanes == 0) ThrowBadText(text, "expected a number of lanes from 1 to 32767 after `xvscalex`");
    return static_cast<uint16_t>(-*lanes);
  }
  if (!reader->Skip("x")) ThrowBadText(text, "unexpected text at the end");
  std::optional<int32_t> lanes = reader->Number(UINT16_MAX);
  if (!lanes || *lanes == 0) ThrowBadText(text, "expected a number of lanes from 1 to 65535 after `x`");
  return static_cast<uint16_t>(*lanes);
}

DLDataType ParseDataType(std::string_view text) {
  if (text.empty() || text == "void") return DLDataType{kTransomDLOpaqueHandle, 0, 0};
  std::string expanded = ExpandAlias(text);
  Reader reader(expanded);
  DataTypeName name = ReadName(&reader, text);
  DLDataType result{name.code, name.bits, 1};
  if (name.width == Width::kInText && reader.AtDigit()) {
    std::optional<int32_t> bits = reader.Number(UINT8_MAX);
    if (!bits) ThrowBadText(text, "the width is above 255 bits");
    if (*bits != 0) result.bits = static_cast<uint8_t>(*bits);
  }
  result.lanes = ReadLanes(&reader, name, text);
  if (!reader.AtEnd()) ThrowBadText(text, "unexpected text at the end");
  return result;
}

std::string NameOfCode(uint8_t code) {
  if (code >= kTransomDLCustomBegin) {
    Function get_name = Function::GetGlobalRequired("dtype.get_custom_type_name");
    return std::string(kCustomPrefix) + get_name(static_cast<int64_t>(code)).cast<std::string>() + "]";
  }
  for (const DataTypeName& entry : kNames) {
    if (entry.code == code) return std::string(entry.name);
  }
  TRANSOM_THROW(ValueError) << "No data type has the code " << static_cast<int>(code);
}

std::string FormatDataType(DLDataType dtype) {
  if (dtype.code == kTransomDLBool && dtype.bits == 8 && dtype.lanes == 1) return "bool";
  if (dtype.code == kTransomDLOpaqueHandle && dtype.bits == 0 && dtype.lanes == 0) return "";
  std::string text = NameOfCode(dtype.code);
  if (dtype.code == kTransomDLOpaqueHandle) return text;
  bool width_is_known = dtype.code == kTransomDLBool && dtype.bits == 8;
  if (dtype.code <= kTransomDLBool && !width_is_known) text += std::to_string(static_cast<int>(dtype.bits));
  auto lanes = static_cast<int16_t>(dtype.lanes);
  if (lanes > 1) text += "x" + std::to_string(lanes);
  if (lanes < -1) text += "xvscalex" + std::to_string(-static_cast<int>(lanes));
  return text;
}

}  // namespace
}  // namespace transom::runtime

int TVMFFIDataTypeFromString(const TVMFFIByteArray* text, DLDataType* out) {
  TRANSOM_SAFE_CALL_BEGIN();
  *out = transom::runtime::ParseDataType(transom::runtime::TextArgument(text, "the text of a data type"));
  TRANSOM_SAFE_CALL_END();
}

int TVMFFIDataTypeToString(const DLDataType* dtype, TVMFFIAny* out) {
  TRANSOM_SAFE_CALL_BEGIN();
  *out = transom::String(transom::runtime::FormatDataType(transom::runtime::NotNull(dtype, "a data type"))).Release();
  TRANSOM_SAFE_CALL_END();
}
