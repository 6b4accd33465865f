/* Conversions of strings and bytes. Include type_traits.h. */
#ifndef TRANSOM_RUNTIME_TYPE_TRAITS_TEXT_H_
#define TRANSOM_RUNTIME_TYPE_TRAITS_TEXT_H_

#include <transom/containers/string.h>
#include <transom/runtime/type_traits.h>

#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace transom {
namespace detail {

/* String and Bytes: the value is the C++ object bit by bit. */
template <class T, int32_t kSmallIndex, int32_t kHeapIndex>
struct TextTraits : TraitsBase {
  static void ToView(const T& src, TVMFFIAny* out) { *out = *src.raw(); }
  static void ToOwned(T src, TVMFFIAny* out) { *out = src.Release(); }
  static bool Is(const TVMFFIAny* value) { return value->type_index == kSmallIndex || value->type_index == kHeapIndex; }
  static T Get(const TVMFFIAny* value) {
    if (value->type_index == kHeapIndex) IncRef(value->v_obj);
    return T(*value);
  }
  static T Take(TVMFFIAny* value) {
    T result(*value);
    SetNone(value);
    return result;
  }
};

}  // namespace detail

template <>
struct TypeTraits<String> : detail::TextTraits<String, kTVMFFISmallStr, kTVMFFIStr> {
  static std::optional<String> TryCast(const TVMFFIAny* value) {
    if (Is(value)) return Get(value);
    if (value->type_index == kTVMFFIRawStr) return String(value->v_c_str);
    return std::nullopt;
  }
  static std::string Name() { return "str"; }
  static std::string Schema() { return detail::SchemaOf("ffi.String"); }
};

template <>
struct TypeTraits<Bytes> : detail::TextTraits<Bytes, kTVMFFISmallBytes, kTVMFFIBytes> {
  static std::optional<Bytes> TryCast(const TVMFFIAny* value) {
    if (Is(value)) return Get(value);
    if (value->type_index == kTVMFFIByteArrayPtr) return Bytes(*static_cast<const TVMFFIByteArray*>(value->v_ptr));
    return std::nullopt;
  }
  static std::string Name() { return "bytes"; }
  static std::string Schema() { return detail::SchemaOf("ffi.Bytes"); }
};

/* NUL-terminated text, borrowed; an owned value of it is a String. */
template <>
struct TypeTraits<const char*> : detail::ViewOnlyTraits<const char*, TypeTraits<const char*>> {
  static void ToView(const char* src, TVMFFIAny* out) {
    detail::SetRaw(kTVMFFIRawStr, 0, out);
    out->v_c_str = src;
  }
  static void ToOwned(const char* src, TVMFFIAny* out) { *out = String(src).Release(); }
  static std::optional<const char*> TryCast(const TVMFFIAny* value) {
    if (std::optional<std::string_view> text = detail::TryGetText(value)) return text->data();
    return std::nullopt;
  }
  static std::string Name() { return "const char*"; }
  static std::string Schema() { return detail::SchemaOf("ffi.String"); }
};
template <>
struct TypeTraits<char*> : TypeTraits<const char*> {};
template <size_t N>
struct TypeTraits<char[N]> : TypeTraits<const char*> {};

/* A std::string of up to 7 bytes travels inside the value. ValueError: a view of a longer one with an embedded NUL,
 * which no view can carry; give a String instead. */
template <>
struct TypeTraits<std::string> : detail::ViewOnlyTraits<std::string, TypeTraits<std::string>> {
  static void ToView(const std::string& src, TVMFFIAny* out) {
    if (src.size() <= detail::kMaxSmallLength) {
      *out = *String(src).raw();
      return;
    }
    TRANSOM_CHECK(std::memchr(src.data(), '\0', src.size()) == nullptr, ValueError)
        << "A std::string with an embedded NUL cannot be borrowed; pass it as a transom::String";
    TypeTraits<const char*>::ToView(src.c_str(), out);
  }
  static void ToOwned(const std::string& src, TVMFFIAny* out) { *out = String(src).Release(); }
  static std::optional<std::string> TryCast(const TVMFFIAny* value) {
    if (std::optional<std::string_view> text = detail::TryGetText(value)) return std::string(*text);
    if (std::optional<Bytes> bytes = TypeTraits<Bytes>::TryCast(value)) return std::string(*bytes);
    return std::nullopt;
  }
  static std::string Name() { return "std::string"; }
  static std::string Schema() { return detail::SchemaOf("ffi.String"); }
};

/* Borrowed text of a value; lives as long as it. As an argument of Function it is copied for the call: a view cannot
 * carry text without a NUL behind it. */
template <>
struct TypeTraits<std::string_view> : detail::ViewOnlyTraits<std::string_view, TypeTraits<std::string_view>> {
  template <class Text>
  static void ToView(const Text&, TVMFFIAny*) {
    static_assert(!std::is_same_v<Text, std::string_view>, "a std::string_view cannot be an AnyView: give a String");
  }
  static void ToOwned(std::string_view src, TVMFFIAny* out) { *out = String(src).Release(); }
  static std::optional<std::string_view> TryCast(const TVMFFIAny* value) { return detail::TryGetText(value); }
  static std::string Name() { return "std::string_view"; }
  static std::string Schema() { return detail::SchemaOf("ffi.String"); }
};

/* Bytes, borrowed; an owned value of them is a Bytes. */
template <>
struct TypeTraits<TVMFFIByteArray*> : detail::ViewOnlyTraits<TVMFFIByteArray*, TypeTraits<TVMFFIByteArray*>> {
  static void ToView(TVMFFIByteArray* src, TVMFFIAny* out) {
    detail::SetRaw(kTVMFFIByteArrayPtr, reinterpret_cast<uint64_t>(src), out);
  }
  static void ToOwned(TVMFFIByteArray* src, TVMFFIAny* out) { *out = Bytes(*src).Release(); }
  static std::optional<TVMFFIByteArray*> TryCast(const TVMFFIAny* value) {
    if (value->type_index == kTVMFFIByteArrayPtr) return static_cast<TVMFFIByteArray*>(value->v_ptr);
    return std::nullopt;
  }
  static std::string Name() { return "TVMFFIByteArray*"; }
  static std::string Schema() { return detail::SchemaOf("ffi.Bytes"); }
};

}  // namespace transom

#endif  // TRANSOM_RUNTIME_TYPE_TRAITS_TEXT_H_
