/*
 * The one table of value classes: what every walk needs to know about a value before it looks inside.
 */
#ifndef TRANSOM_SRC_GRAPH_VALUE_H_
#define TRANSOM_SRC_GRAPH_VALUE_H_

#include <transom/containers/array.h>
#include <transom/containers/bigint.h>
#include <transom/containers/map.h>
#include <transom/containers/shape.h>
#include <transom/containers/tensor.h>
#include <transom/runtime/c_api.h>

#include <array>
#include <cstring>
#include <string_view>

namespace transom::graph {

enum class ValueClass : uint8_t {
  kScalar,  // None, int, bool, float, DataType, Device: equal when the 16 bytes are (and NaN to NaN)
  kString,  // small or heap
  kBytes,   // small or heap
  kShape,
  kTensor,
  kBigInt,
  kSequence,  // Array, List
  kMap,       // Map, Dict
  kObject,    // has a type plan
  kOpaque,    // functions, modules, pointers: nothing inside can be seen
};

inline constexpr ValueClass ClassOfBuiltin(int32_t type_index) {
  switch (type_index) {
    case kTVMFFINone:
    case kTVMFFIInt:
    case kTVMFFIBool:
    case kTVMFFIFloat:
    case kTVMFFIDataType:
    case kTVMFFIDevice:
      return ValueClass::kScalar;
    case kTVMFFISmallStr:
    case kTVMFFIStr:
      return ValueClass::kString;
    case kTVMFFISmallBytes:
    case kTVMFFIBytes:
      return ValueClass::kBytes;
    case kTVMFFIShape:
      return ValueClass::kShape;
    case kTVMFFITensor:
      return ValueClass::kTensor;
    case kTVMFFIBigInt:
      return ValueClass::kBigInt;
    case kTVMFFIArray:
    case kTVMFFIList:
      return ValueClass::kSequence;
    case kTVMFFIMap:
    case kTVMFFIDict:
      return ValueClass::kMap;
    case kTVMFFIFunction:
    case kTVMFFIModule:
    case kTVMFFIError:
    case kTVMFFIOpaquePyObject:
      return ValueClass::kOpaque;
    default:
      return type_index >= kTVMFFIStaticObjectBegin ? ValueClass::kObject : ValueClass::kOpaque;
  }
}

// Walks ask for every value.
inline constexpr std::array<ValueClass, kTVMFFIDynObjectBegin> kClassOfBuiltin = [] {
  std::array<ValueClass, kTVMFFIDynObjectBegin> classes{};
  for (int32_t i = 0; i < kTVMFFIDynObjectBegin; ++i) classes[static_cast<size_t>(i)] = ClassOfBuiltin(i);
  return classes;
}();

inline ValueClass Classify(int32_t type_index) {
  if (type_index >= kTVMFFIDynObjectBegin) return ValueClass::kObject;
  return type_index >= 0 ? kClassOfBuiltin[static_cast<uint32_t>(type_index)] : ValueClass::kOpaque;
}

/*! \brief Whether the class has children that a walk descends into. */
inline bool HasChildren(ValueClass c) {
  return c == ValueClass::kSequence || c == ValueClass::kMap || c == ValueClass::kObject;
}

inline bool IsObject(const TVMFFIAny& v) { return v.type_index >= kTVMFFIStaticObjectBegin; }

/*! \brief Text or bytes of a kString or kBytes value, borrowed (from `v` itself when small). */
inline std::string_view TextOf(const TVMFFIAny& v) {
  if (v.type_index < kTVMFFIStaticObjectBegin) return {v.v_bytes, v.small_str_len};
  const auto* cell =
      reinterpret_cast<const TVMFFIByteArray*>(reinterpret_cast<const char*>(v.v_obj) + sizeof(TVMFFIObject));
  return {cell->data, cell->size};
}

inline const TVMFFISeqCell& SequenceOf(const TVMFFIAny& v) {
  return *reinterpret_cast<const TVMFFISeqCell*>(reinterpret_cast<const char*>(v.v_obj) + sizeof(TVMFFIObject));
}

inline const TVMFFIAny* ItemsOf(const TVMFFISeqCell& cell) { return static_cast<const TVMFFIAny*>(cell.data); }

inline const MapBaseObj& MapOf(const TVMFFIAny& v) { return *reinterpret_cast<const MapBaseObj*>(v.v_obj); }

inline const TVMFFIShapeCell& ShapeOf(const TVMFFIAny& v) {
  return *reinterpret_cast<const TVMFFIShapeCell*>(reinterpret_cast<const char*>(v.v_obj) + sizeof(TVMFFIObject));
}

inline const DLTensor& TensorOf(const TVMFFIAny& v) {
  return *static_cast<const TensorObj*>(detail::ObjectAccess::FromHeader(v.v_obj));
}

/*! \brief The tensor of a kTensor value; holds a reference. */
inline Tensor TensorRefOf(const TVMFFIAny& v) {
  return GetRef<Tensor>(static_cast<const TensorObj*>(detail::ObjectAccess::FromHeader(v.v_obj)));
}

/*! \brief Whether the packed elements end at a byte's end; else the last byte has bits that mean nothing. */
inline bool FillsItsBytes(const Tensor& tensor) {
  return static_cast<uint64_t>(tensor.numel()) * tensor->dtype.bits * tensor->dtype.lanes % 8 == 0;
}

/*! \brief Strong count of an object; 1 means that a walk reaches it through one parent only. */
inline uint32_t StrongCount(const TVMFFIObject* obj) {
  return static_cast<uint32_t>(__atomic_load_n(&obj->combined_ref_count, __ATOMIC_RELAXED));
}

inline TVMFFIAny NoneValue() {
  TVMFFIAny v;
  std::memset(&v, 0, sizeof(v));
  return v;
}

inline TVMFFIAny ObjectValue(TVMFFIObject* obj) {
  TVMFFIAny v;
  v.type_index = obj != nullptr ? obj->type_index : static_cast<int32_t>(kTVMFFINone);
  v.zero_padding = 0;
  v.v_obj = obj;
  return v;
}

inline TVMFFIAny IntValue(int64_t i) {
  TVMFFIAny v = NoneValue();
  v.type_index = kTVMFFIInt;
  v.v_int64 = i;
  return v;
}

}  // namespace transom::graph
#endif  // TRANSOM_SRC_GRAPH_VALUE_H_
