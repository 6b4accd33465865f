/*
 * TypeTraits<T>: how a C++ type T travels in a value of the C contract. Specialise it to make a type usable in Any,
 * functions, containers and reflected fields.
 */
#ifndef TRANSOM_RUNTIME_TYPE_TRAITS_H_
#define TRANSOM_RUNTIME_TYPE_TRAITS_H_

#include <transom/containers/string.h>
#include <transom/runtime/c_api.h>
#include <transom/runtime/device.h>
#include <transom/runtime/dtype.h>
#include <transom/runtime/error.h>
#include <transom/runtime/object.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace transom {

/*
 * A specialisation has these static members (derive from detail::TraitsBase for the usual ones):
 *   bool kConvertible     true
 *   bool kStorable        a T may be an element of a container or a field of an object: its memory is the payload or
 *                         the whole of a value
 *   int32_t kFieldTypeIndex          static type index of a field of type T; -1 where it is not one type
 *   void ToView(const T&, TVMFFIAny* out)     borrowed view; `out` is uninitialised
 *   void ToOwned(T, TVMFFIAny* out)           owned value; `out` is uninitialised
 *   bool Is(const TVMFFIAny*)                 the value is a T as it stands
 *   T Get(const TVMFFIAny*)                   copy of a value for which Is holds
 *   T Take(TVMFFIAny*)                        the same, from an owned value, which becomes None
 *   std::optional<T> TryCast(const TVMFFIAny*)  with the conversions of T; the value may be a view
 *   std::string Mismatch(const TVMFFIAny*)    what the value is, for error texts
 *   std::string Name()                        T in error texts
 *   std::string Schema()                      T as JSON, {"type":...,"args":[...]}
 */
template <class T, class Enable = void>
struct TypeTraits {
  static constexpr bool kConvertible = false;
  static constexpr bool kStorable = false;
};

namespace detail {

/* Key of a registered type. */
inline std::string TypeKeyOfIndex(int32_t type_index) {
  if (type_index < 0 || (type_index > kTVMFFIUnchanged && type_index < kTVMFFIStaticObjectBegin)) {
    return "unknown type " + std::to_string(type_index);  // No provider of the contract gives out such an index.
  }
  return std::string(ToStringView(TVMFFIGetTypeInfo(type_index)->type_key));
}

inline void SetNone(TVMFFIAny* out) noexcept {
  out->type_index = kTVMFFINone;
  out->zero_padding = 0;
  out->v_uint64 = 0;
}

/* Key of a built-in container without its name space, as error texts have it: "Array" of "ffi.Array". */
inline std::string ShortName(std::string_view type_key) { return std::string(type_key.substr(type_key.find('.') + 1)); }

inline std::string SchemaOf(const std::string& type) { return "{\"type\":\"" + type + "\"}"; }
inline std::string SchemaOf(const std::string& type, const std::string& args) {
  return "{\"type\":\"" + type + "\",\"args\":[" + args + "]}";
}

/* Names of types in error texts, and schemas, joined by `separator`. */
template <class... Ts>
std::string JoinNames(const char* separator) {
  std::string result;
  ((result += (result.empty() ? "" : separator) + TypeTraits<Ts>::Name()), ...);
  return result;
}
template <class... Ts>
std::string JoinSchemas() {
  std::string result;
  ((result += (result.empty() ? "" : ",") + TypeTraits<Ts>::Schema()), ...);
  return result;
}

[[noreturn]] inline void ThrowCannotConvert(const std::string& from, const std::string& to) {
  TRANSOM_THROW(TypeError) << "Cannot convert from type `" << from << "` to `" << to << "`";
}

/* What most specialisations share. */
struct TraitsBase {
  static constexpr bool kConvertible = true;
  static constexpr bool kStorable = true;
  static constexpr int32_t kFieldTypeIndex = kTVMFFIAny;
  static std::string Mismatch(const TVMFFIAny* value) { return TypeKeyOfIndex(value->type_index); }
};

/* Types that travel in the payload and own nothing. Derived has Is, Get, ToView and TryCast. */
template <class T, class Derived>
struct PodTraits : TraitsBase {
  static void ToOwned(T src, TVMFFIAny* out) { Derived::ToView(src, out); }
  static T Take(TVMFFIAny* value) {
    T result = Derived::Get(value);
    SetNone(value);
    return result;
  }
};

/* Types of arguments that cannot be elements or fields. */
template <class T, class Derived>
struct ViewOnlyTraits : TraitsBase {
  static constexpr bool kStorable = false;
  static bool Is(const TVMFFIAny* value) { return Derived::TryCast(value).has_value(); }
  static T Get(const TVMFFIAny* value) { return *Derived::TryCast(value); }
  static T Take(TVMFFIAny* value) { return *Derived::TryCast(value); }
};

inline void SetRaw(int32_t type_index, uint64_t payload, TVMFFIAny* out) noexcept {
  out->type_index = type_index;
  out->zero_padding = 0;
  out->v_uint64 = payload;
}

inline bool IsIntOrBool(int32_t type_index) noexcept { return type_index == kTVMFFIInt || type_index == kTVMFFIBool; }

}  // namespace detail

template <>
struct TypeTraits<std::nullptr_t> : detail::PodTraits<std::nullptr_t, TypeTraits<std::nullptr_t>> {
  static constexpr bool kStorable = false;
  static void ToView(std::nullptr_t, TVMFFIAny* out) { detail::SetNone(out); }
  static bool Is(const TVMFFIAny* value) { return value->type_index == kTVMFFINone; }
  static std::nullptr_t Get(const TVMFFIAny*) { return nullptr; }
  static std::optional<std::nullptr_t> TryCast(const TVMFFIAny* value) {
    return Is(value) ? std::optional<std::nullptr_t>(nullptr) : std::nullopt;
  }
  static std::string Name() { return "None"; }
  static std::string Schema() { return detail::SchemaOf("None"); }
};

template <>
struct TypeTraits<bool> : detail::PodTraits<bool, TypeTraits<bool>> {
  static constexpr int32_t kFieldTypeIndex = kTVMFFIBool;
  static void ToView(bool src, TVMFFIAny* out) { detail::SetRaw(kTVMFFIBool, src ? 1 : 0, out); }
  static bool Is(const TVMFFIAny* value) { return value->type_index == kTVMFFIBool; }
  static bool Get(const TVMFFIAny* value) { return value->v_int64 != 0; }
  static std::optional<bool> TryCast(const TVMFFIAny* value) {
    if (!detail::IsIntOrBool(value->type_index)) return std::nullopt;
    return Get(value);
  }
  static std::string Name() { return "bool"; }
  static std::string Schema() { return detail::SchemaOf("bool"); }
};

/* Integers and enumerations. Reading truncates to T's width. OverflowError: an unsigned one above the largest int64. */
template <class T>
struct TypeTraits<T, std::enable_if_t<(std::is_integral_v<T> && !std::is_same_v<T, bool>) || std::is_enum_v<T>>>
    : detail::PodTraits<T, TypeTraits<T>> {
  static constexpr int32_t kFieldTypeIndex = kTVMFFIInt;
  static void ToView(T src, TVMFFIAny* out) {
    auto wide = static_cast<int64_t>(src);
    if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8) {
      TRANSOM_CHECK(wide >= 0, OverflowError) << "Integer " << src << " is above the largest int64";
    }
    detail::SetRaw(kTVMFFIInt, static_cast<uint64_t>(wide), out);
  }
  static bool Is(const TVMFFIAny* value) { return value->type_index == kTVMFFIInt; }
  static T Get(const TVMFFIAny* value) { return static_cast<T>(value->v_int64); }
  static std::optional<T> TryCast(const TVMFFIAny* value) {
    if (!detail::IsIntOrBool(value->type_index)) return std::nullopt;
    return Get(value);
  }
  static std::string Name() { return "int"; }
  static std::string Schema() { return detail::SchemaOf("int"); }
};

template <class T>
struct TypeTraits<T, std::enable_if_t<std::is_floating_point_v<T>>> : detail::PodTraits<T, TypeTraits<T>> {
  static constexpr int32_t kFieldTypeIndex = kTVMFFIFloat;
  static void ToView(T src, TVMFFIAny* out) {
    detail::SetRaw(kTVMFFIFloat, 0, out);
    out->v_float64 = static_cast<double>(src);
  }
  static bool Is(const TVMFFIAny* value) { return value->type_index == kTVMFFIFloat; }
  static T Get(const TVMFFIAny* value) { return static_cast<T>(value->v_float64); }
  static std::optional<T> TryCast(const TVMFFIAny* value) {
    if (Is(value)) return Get(value);
    if (detail::IsIntOrBool(value->type_index)) return static_cast<T>(value->v_int64);
    return std::nullopt;
  }
  static std::string Name() { return "float"; }
  static std::string Schema() { return detail::SchemaOf("float"); }
};

template <>
struct TypeTraits<void*> : detail::PodTraits<void*, TypeTraits<void*>> {
  static constexpr int32_t kFieldTypeIndex = kTVMFFIOpaquePtr;
  static void ToView(void* src, TVMFFIAny* out) {
    detail::SetRaw(kTVMFFIOpaquePtr, reinterpret_cast<uint64_t>(src), out);
  }
  static bool Is(const TVMFFIAny* value) { return value->type_index == kTVMFFIOpaquePtr; }
  static void* Get(const TVMFFIAny* value) { return value->v_ptr; }
  static std::optional<void*> TryCast(const TVMFFIAny* value) {
    if (Is(value)) return Get(value);
    if (value->type_index == kTVMFFINone) return static_cast<void*>(nullptr);
    return std::nullopt;
  }
  static std::string Name() { return "void*"; }
  static std::string Schema() { return detail::SchemaOf("void*"); }
};

namespace detail {

/* Text of a view, when it is one of the forms of a string. */
inline std::optional<std::string_view> TryGetText(const TVMFFIAny* value) noexcept {
  switch (value->type_index) {
    case kTVMFFIRawStr:
      return std::string_view(value->v_c_str);
    case kTVMFFISmallStr:
    case kTVMFFIStr:
      return ToStringView(TextOf(value));
    default:
      return std::nullopt;
  }
}

template <class T>
struct DataTypeTraits : PodTraits<T, DataTypeTraits<T>> {
  static constexpr int32_t kFieldTypeIndex = kTVMFFIDataType;
  static void ToView(const T& src, TVMFFIAny* out) {
    SetRaw(kTVMFFIDataType, 0, out);
    out->v_dtype = src;
  }
  static bool Is(const TVMFFIAny* value) { return value->type_index == kTVMFFIDataType; }
  static T Get(const TVMFFIAny* value) { return value->v_dtype; }
  static std::optional<T> TryCast(const TVMFFIAny* value) {
    if (Is(value)) return Get(value);
    if (std::optional<std::string_view> text = TryGetText(value)) return T(DataType::FromString(*text));
    return std::nullopt;
  }
  static std::string Name() { return "DataType"; }
  static std::string Schema() { return SchemaOf("DataType"); }
};

template <class T>
struct DeviceTraits : PodTraits<T, DeviceTraits<T>> {
  static constexpr int32_t kFieldTypeIndex = kTVMFFIDevice;
  static void ToView(const T& src, TVMFFIAny* out) {
    SetRaw(kTVMFFIDevice, 0, out);
    out->v_device = src;
  }
  static bool Is(const TVMFFIAny* value) { return value->type_index == kTVMFFIDevice; }
  static T Get(const TVMFFIAny* value) { return value->v_device; }
  static std::optional<T> TryCast(const TVMFFIAny* value) {
    if (Is(value)) return Get(value);
    if (std::optional<std::string_view> text = TryGetText(value)) return T(Device::FromString(*text));
    return std::nullopt;
  }
  static std::string Name() { return "Device"; }
  static std::string Schema() { return SchemaOf("Device"); }
};

}  // namespace detail

/* A data type also comes from its text. ValueError: the text is none. */
template <>
struct TypeTraits<DLDataType> : detail::DataTypeTraits<DLDataType> {};
template <>
struct TypeTraits<DataType> : detail::DataTypeTraits<DataType> {};
/* A device also comes from its text. ValueError: the text is none. */
template <>
struct TypeTraits<DLDevice> : detail::DeviceTraits<DLDevice> {};
template <>
struct TypeTraits<Device> : detail::DeviceTraits<Device> {};

}  // namespace transom

#include <transom/runtime/type_traits_object.h>
#include <transom/runtime/type_traits_text.h>

#endif  // TRANSOM_RUNTIME_TYPE_TRAITS_H_
