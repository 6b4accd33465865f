#include "render/value_text.h"

#include <transom/runtime/device.h>
#include <transom/runtime/dtype.h>
#include <transom/runtime/error.h>
#include <transom/structural/hash.h>

#include <charconv>
#include <cmath>
#include <cstdio>

#include "graph/path.h"
#include "graph/type_plan.h"
#include "schema/json_text.h"

namespace transom::render {
namespace {

constexpr int64_t kTensorItems = 4;

template <class Float>
std::string FloatText(Float value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string DataTypeText(DLDataType dtype) {
  try {
    const String text = DataType(dtype).ToString();
    return text.size() == 0 ? "void" : std::string(text.data(), text.size());
  } catch (const Error&) {  // a code that has no name
    return "dtype(code=" + std::to_string(dtype.code) + ", bits=" + std::to_string(dtype.bits) +
           ", lanes=" + std::to_string(dtype.lanes) + ")";
  }
}

std::string ScalarText(const TVMFFIAny& v) {
  switch (v.type_index) {
    case kTVMFFINone:
      return "None";
    case kTVMFFIBool:
      return v.v_int64 != 0 ? "True" : "False";
    case kTVMFFIInt:
      return std::to_string(v.v_int64);
    case kTVMFFIFloat:
      return FloatText(v.v_float64);
    case kTVMFFIDataType:
      return DataTypeText(v.v_dtype);
    default:
      return Device(v.v_device).ToString();
  }
}

// Half and brain floats have no C++ type here; both widen to float exactly.
float WidenHalf(uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int mantissa = bits & 1023;
  float value = exponent == 0    ? std::ldexp(static_cast<float>(mantissa), -24)
                : exponent != 31 ? std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25)
                : mantissa == 0  ? INFINITY
                                 : NAN;
  return (bits & 0x8000) != 0 ? -value : value;
}

float WidenBrain(uint16_t bits) {
  const uint32_t wide = uint32_t{bits} << 16;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

template <class T>
T ReadAs(const char* p) {
  T value;
  std::memcpy(&value, p, sizeof(value));
  return value;
}

std::string HexText(const char* p, size_t size) {
  std::string text = "0x";
  for (size_t i = size; i-- > 0;) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x", static_cast<unsigned char>(p[i]));
    text += digits;
  }
  return text;
}

std::string ElementText(DLDataType dtype, const char* p) {
  const size_t size = dtype.bits / 8;
  switch (dtype.code) {
    case kDLInt:
      return std::to_string(size == 1   ? ReadAs<int8_t>(p)
                            : size == 2 ? ReadAs<int16_t>(p)
                            : size == 4 ? ReadAs<int32_t>(p)
                                        : ReadAs<int64_t>(p));
    case kDLUInt:
      return std::to_string(size == 1   ? ReadAs<uint8_t>(p)
                            : size == 2 ? ReadAs<uint16_t>(p)
                            : size == 4 ? ReadAs<uint32_t>(p)
                                        : ReadAs<uint64_t>(p));
    case kDLFloat:
      return size == 2   ? FloatText(WidenHalf(ReadAs<uint16_t>(p)))
             : size == 4 ? FloatText(ReadAs<float>(p))
                         : FloatText(ReadAs<double>(p));
    case kDLBfloat:
      return FloatText(WidenBrain(ReadAs<uint16_t>(p)));
    default:
      return *p == 0 ? "False" : "True";
  }
}

// Whether single elements are shown by value: others (packed below a byte, vectors, rare codes) in hexadecimal or not
// at all.
bool HasElementText(DLDataType dtype) {
  if (dtype.lanes != 1) return false;
  const bool number = dtype.bits == 8 || dtype.bits == 16 || dtype.bits == 32 || dtype.bits == 64;
  switch (dtype.code) {
    case kDLInt:
    case kDLUInt:
      return number;
    case kDLFloat:
      return number && dtype.bits != 8;
    case kDLBfloat:
      return dtype.bits == 16;
    case kTransomDLBool:
      return dtype.bits == 8;
    default:
      return false;
  }
}

int64_t CountElements(const DLTensor& t) {
  int64_t count = 1;
  for (int i = 0; i < t.ndim; ++i) count *= t.shape[i];
  return count;
}

// Offset in elements of the i-th element in row-major order.
int64_t ElementOffset(const DLTensor& t, int64_t i) {
  int64_t offset = 0;
  int64_t compact = 1;
  for (int axis = t.ndim; axis-- > 0;) {
    const int64_t at = i % t.shape[axis];
    i /= t.shape[axis];
    offset += at * (t.strides != nullptr ? t.strides[axis] : compact);
    compact *= t.shape[axis];
  }
  return offset;
}

std::string FirstElements(const DLTensor& t) {
  const int64_t count = CountElements(t);
  const size_t size = t.dtype.bits * t.dtype.lanes / 8;
  if (count <= 0 || size == 0 || t.dtype.bits * t.dtype.lanes % 8 != 0) return "";
  std::string text = ", [";
  for (int64_t i = 0; i < count && i < kTensorItems; ++i) {
    const char* p = static_cast<const char*>(t.data) + t.byte_offset + ElementOffset(t, i) * static_cast<int64_t>(size);
    if (i != 0) text += ", ";
    text += HasElementText(t.dtype) ? ElementText(t.dtype, p) : HexText(p, size);
  }
  return text + (count > kTensorItems ? ", ...]" : "]");
}

std::string ListText(const int64_t* items, size_t size, int64_t max_items) {
  std::string text;
  const size_t shown = max_items > 0 ? std::min(size, static_cast<size_t>(max_items)) : size;
  for (size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + std::to_string(items[i]);
  if (shown < size) text += ", ... " + std::to_string(size - shown) + " more";
  return text;
}

std::string HashText(const TVMFFIAny& v) {
  char text[24];
  std::snprintf(text, sizeof(text), "%016llx",
                static_cast<unsigned long long>(StructuralHash::Hash(AnyView::FromRaw(v))));
  return text;
}

std::string TensorText(const TVMFFIAny& v) {
  const Tensor tensor = graph::TensorRefOf(v);
  const DLTensor& t = *tensor.get();
  std::string text =
      "ffi.Tensor(" + DataTypeText(t.dtype) + "[" + ListText(t.shape, static_cast<size_t>(t.ndim), 0) + "]";
  if (!tensor.IsOnHost()) return text + ", " + Device(t.device).ToString() + ")";
  return text + ", " + HashText(v) + FirstElements(t) + ")";
}

// Decimal conversion is slow for huge numbers, and nobody reads them.
std::string BigIntText(const TVMFFIAny& v) {
  constexpr size_t kMaxBytes = 256;
  const TVMFFIByteArray words = TVMFFIBigIntGetContentByteArray(&v);
  if (words.size <= kMaxBytes) return BigInt::ToDecimal(AnyView::FromRaw(v));
  return "ffi.BigInt(" + std::to_string(words.size) + " bytes, " + HashText(v) + ")";
}

bool IsWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '$' || c == '@' || c == '-';
}

}  // namespace

std::string QuotedText(std::string_view text, int64_t max_string) {
  if (max_string <= 0 || text.size() <= static_cast<size_t>(max_string)) return graph::Quoted(text);
  size_t cut = static_cast<size_t>(max_string);
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  return graph::Quoted(text.substr(0, cut)) + "...(" + std::to_string(text.size()) + " bytes)";
}

std::string LeafText(const TVMFFIAny& value, graph::ValueClass cls, int64_t max_string) {
  switch (cls) {
    case graph::ValueClass::kScalar:
      return ScalarText(value);
    case graph::ValueClass::kString:
      return QuotedText(graph::TextOf(value), max_string);
    case graph::ValueClass::kBytes:
      return "b" + QuotedText(graph::TextOf(value), max_string);
    case graph::ValueClass::kShape: {
      const TVMFFIShapeCell& shape = graph::ShapeOf(value);
      return "ffi.Shape(" + ListText(shape.data, shape.size, max_string) + ")";
    }
    case graph::ValueClass::kTensor:
      return TensorText(value);
    case graph::ValueClass::kBigInt:
      return BigIntText(value);
    default:
      return "<" + std::string(graph::TypeKeyOf(value)) + ">";
  }
}

std::string CustomText(std::string_view type_key, std::string_view json, int64_t max_string) {
  std::string text = std::string(type_key) + "(";
  if (max_string > 0 && json.size() > static_cast<size_t>(max_string)) {
    text += QuotedText(json, max_string);
  } else {
    text += schema::IsValidUtf8(json) ? std::string(json) : graph::Quoted(json);
  }
  return text + ")";
}

Style LeafStyle(graph::ValueClass cls) {
  return cls == graph::ValueClass::kString || cls == graph::ValueClass::kBytes ? Style::kText : Style::kPlain;
}

std::string VariableText(std::string_view label) {
  bool word = !label.empty() && !(label[0] >= '0' && label[0] <= '9') && label[0] != '-';
  for (const char c : label) word = word && IsWordByte(c);
  return "%" + (word ? std::string(label) : graph::Quoted(label));
}

}  // namespace transom::render
