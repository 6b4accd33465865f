#include "structural/rules/tolerance.h"

#include <cstring>
#include <vector>

namespace transom::structural {
namespace {

using graph::ValueClass;

template <class T>
T ReadAt(const char* bytes, size_t i) {
  T value;
  std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
  return value;
}

double FromBfloat16(uint16_t bits) {
  const uint32_t wide = uint32_t{bits} << 16;
  float value = 0;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

double FromFloat16(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

bool NearTensors(const Tensor& a, const Tensor& b, const Tolerance& tolerance) {
  const DLDataType s = a.get()->dtype, t = b.get()->dtype;
  if (std::memcmp(&s, &t, sizeof(s)) != 0 || !HasNearElements(s)) return false;
  if (a.get()->ndim != b.get()->ndim || !std::equal(a.get()->shape, a.get()->shape + a.get()->ndim, b.get()->shape))
    return false;
  std::vector<double> elements;
  elements.reserve(static_cast<size_t>(a.numel()) * s.lanes);
  ForEachElement(a, [&](double element) { elements.push_back(element); });
  size_t i = 0;
  bool near = true;
  ForEachElement(b, [&](double element) { near = near && tolerance.Near(elements[i++], element); });
  return near;
}

}  // namespace

bool HasNearElements(const DLDataType& dtype) {
  if (dtype.code == kDLBfloat) return dtype.bits == 16;
  return dtype.code == kDLFloat && (dtype.bits == 16 || dtype.bits == 32 || dtype.bits == 64);
}

double ElementAt(const char* bytes, const DLDataType& dtype, size_t i) {
  if (dtype.code == kDLBfloat) return FromBfloat16(ReadAt<uint16_t>(bytes, i));
  if (dtype.bits == 16) return FromFloat16(ReadAt<uint16_t>(bytes, i));
  return dtype.bits == 32 ? ReadAt<float>(bytes, i) : ReadAt<double>(bytes, i);
}

bool NearlyEqual(const TVMFFIAny& lhs, const TVMFFIAny& rhs, ValueClass cls, const Tolerance& tolerance) {
  if (cls == ValueClass::kTensor) return NearTensors(graph::TensorRefOf(lhs), graph::TensorRefOf(rhs), tolerance);
  return lhs.type_index == kTVMFFIFloat && rhs.type_index == kTVMFFIFloat &&
         tolerance.Near(lhs.v_float64, rhs.v_float64);
}

}  // namespace transom::structural
