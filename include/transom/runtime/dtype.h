/* DataType: the element type of a tensor or scalar, with its text ("float32x4"). */
#ifndef TRANSOM_RUNTIME_DTYPE_H_
#define TRANSOM_RUNTIME_DTYPE_H_

#include <transom/containers/string.h>
#include <transom/runtime/c_api.h>
#include <transom/runtime/error.h>

#include <ostream>
#include <string_view>

namespace transom {

/* DLDataType with text and comparison. Four bytes: code, bits, lanes. */
class DataType : public DLDataType {
 public:
  /* No type: the empty text. */
  DataType() noexcept : DataType(kTransomDLOpaqueHandle, 0, 0) {}
  DataType(DLDataType dtype) noexcept : DLDataType(dtype) {}  // NOLINT
  /* `type_code` is a DLPack code; negative lanes, stored in 16 bits, mean a multiple of the vector length. */
  DataType(int type_code, int type_bits, int type_lanes) noexcept
      : DLDataType{static_cast<uint8_t>(type_code), static_cast<uint8_t>(type_bits),
                   static_cast<uint16_t>(type_lanes)} {}

  static DataType Int(int bits, int lanes = 1) noexcept { return DataType(kTransomDLInt, bits, lanes); }
  static DataType UInt(int bits, int lanes = 1) noexcept { return DataType(kTransomDLUInt, bits, lanes); }
  static DataType Float(int bits, int lanes = 1) noexcept { return DataType(kTransomDLFloat, bits, lanes); }
  static DataType Bool(int lanes = 1) noexcept { return DataType(kTransomDLBool, 8, lanes); }

  /* Type of a text such as "int8", "float32x4", "bool" or "bfloat16"; "" and "void" are no type. ValueError: other
   * text. */
  static DataType FromString(std::string_view text) {
    TVMFFIByteArray bytes = detail::ToByteArray(text);
    DLDataType result;
    CheckCall(TVMFFIDataTypeFromString(&bytes, &result));
    return result;
  }
  /* Text of the type. ValueError: its code has no name. */
  String ToString() const {
    TVMFFIAny result;
    CheckCall(TVMFFIDataTypeToString(this, &result));
    return String(result);
  }

  bool operator==(const DataType& other) const noexcept {
    return code == other.code && bits == other.bits && lanes == other.lanes;
  }
  bool operator!=(const DataType& other) const noexcept { return !(*this == other); }
};

static_assert(sizeof(DataType) == 4, "layout of the C contract");

inline std::ostream& operator<<(std::ostream& os, const DataType& dtype) { return os << dtype.ToString(); }

}  // namespace transom

#endif  // TRANSOM_RUNTIME_DTYPE_H_
