/*
 * AnyView and Any: a value of any type of the C contract, borrowed or owned. Both are 16 bytes, bit-identical to
 * TVMFFIAny.
 */
#ifndef TRANSOM_RUNTIME_ANY_H_
#define TRANSOM_RUNTIME_ANY_H_

#include <transom/containers/string.h>
#include <transom/runtime/c_api.h>
#include <transom/runtime/error.h>
#include <transom/runtime/object.h>
#include <transom/runtime/type_traits.h>

#include <optional>
#include <type_traits>
#include <utility>

namespace transom {

class Any;
class AnyView;

template <>
struct TypeTraits<AnyView> : detail::TraitsBase {
  static constexpr bool kStorable = false;
  static void ToView(const AnyView& src, TVMFFIAny* out);
  static void ToOwned(const AnyView& src, TVMFFIAny* out);
  static bool Is(const TVMFFIAny*) { return true; }
  static AnyView Get(const TVMFFIAny* value);
  static AnyView Take(TVMFFIAny*) = delete;  // a view of a value that nothing would own
  static std::optional<AnyView> TryCast(const TVMFFIAny* value);
  static std::string Name() { return "AnyView"; }
  static std::string Schema() { return detail::SchemaOf("Any"); }
};

template <>
struct TypeTraits<Any> : detail::TraitsBase {
  static void ToView(const Any& src, TVMFFIAny* out);
  static void ToOwned(Any src, TVMFFIAny* out);
  static bool Is(const TVMFFIAny*) { return true; }
  static Any Get(const TVMFFIAny* value);
  static Any Take(TVMFFIAny* value);
  static std::optional<Any> TryCast(const TVMFFIAny* value);
  static std::string Name() { return "Any"; }
  static std::string Schema() { return detail::SchemaOf("Any"); }
};

namespace detail {

/* Owned value of a view: a reference more for objects, a copy of borrowed text; an rvalue reference is taken. */
inline void OwnView(const TVMFFIAny& view, TVMFFIAny* out) {
  if (view.type_index >= kTVMFFIStaticObjectBegin) {
    IncRef(view.v_obj);
    *out = view;
  } else if (view.type_index == kTVMFFIRawStr) {
    *out = String(view.v_c_str).Release();
  } else if (view.type_index == kTVMFFIByteArrayPtr) {
    *out = Bytes(*static_cast<const TVMFFIByteArray*>(view.v_ptr)).Release();
  } else if (view.type_index == kTVMFFIObjectRValueRef) {
    auto** location = static_cast<TVMFFIObject**>(view.v_ptr);
    TRANSOM_CHECK(*location != nullptr, InternalError) << "An rvalue reference refers to an object that was moved out";
    SetObject(std::exchange(*location, nullptr), out);
  } else {
    *out = view;
  }
}

/* Types whose memory is the whole of a value, so that as<T>() can point to it. */
template <class T>
constexpr bool kIsWholeValue =
    sizeof(T) == sizeof(TVMFFIAny) && TypeTraits<T>::kStorable&& TypeTraits<T>::kFieldTypeIndex == kTVMFFIAny;

/* The T in a value, or NULL when it is of another type. */
template <class T>
const T* PointInto(const TVMFFIAny* value) noexcept {
  if constexpr (std::is_base_of_v<Object, T>) {
    if (!HoldsObject<T>(value)) return nullptr;
    return static_cast<const T*>(ObjectAccess::FromHeader(value->v_obj));
  } else {
    static_assert(TypeTraits<T>::kStorable, "this type has no memory inside a value: use cast or try_cast");
    static_assert(
        !std::is_arithmetic_v<T> || std::is_same_v<T, bool> || std::is_same_v<T, int64_t> || std::is_same_v<T, double>,
        "numbers are stored as bool, int64_t or double: use one of these, or cast or try_cast");
    static_assert(!std::is_enum_v<T>, "an enumeration is stored as int64_t: use that, or cast or try_cast");
    static_assert(kIsWholeValue<T> || sizeof(T) <= 8, "this type has no memory inside a value: use cast or try_cast");
    if (!TypeTraits<T>::Is(value)) return nullptr;
    if constexpr (kIsWholeValue<T>) {
      return reinterpret_cast<const T*>(value);
    } else {
      return reinterpret_cast<const T*>(&value->v_bytes);
    }
  }
}

template <class T>
T CastOrThrow(const TVMFFIAny* value) {
  if (std::optional<T> result = TypeTraits<T>::TryCast(value)) return *std::move(result);
  ThrowCannotConvert(TypeTraits<T>::Mismatch(value), TypeTraits<T>::Name());
}

}  // namespace detail

/* Borrowed value: valid as long as what it was made from. Never touches a reference count. */
class AnyView {
 public:
  /* None. */
  AnyView() noexcept { detail::SetNone(&value_); }
  /* View of any convertible value. OverflowError: an unsigned integer above the largest int64. */
  template <class T, class = std::enable_if_t<TypeTraits<T>::kConvertible && !std::is_same_v<T, AnyView>>>
  AnyView(const T& value) {  // NOLINT: implicit, as arguments are
    TypeTraits<T>::ToView(value, &value_);
  }

  /* Becomes None. */
  void reset() noexcept { detail::SetNone(&value_); }
  int32_t type_index() const noexcept { return value_.type_index; }
  bool operator==(std::nullptr_t) const noexcept { return value_.type_index == kTVMFFINone; }
  bool operator!=(std::nullptr_t) const noexcept { return value_.type_index != kTVMFFINone; }
  /* Key of the value's type. */
  std::string GetTypeKey() const { return detail::TypeKeyOfIndex(value_.type_index); }

  /* The value as a T, converted as an argument would be. TypeError that names both types where it does not convert. */
  template <class T>
  T cast() const {
    return detail::CastOrThrow<T>(&value_);
  }
  /* The same, or nothing. Throws only where text is converted and malformed (ValueError). */
  template <class T>
  std::optional<T> try_cast() const {
    return TypeTraits<T>::TryCast(&value_);
  }
  /* Without conversion: the T inside the value (bool, int64_t, double, void*, DataType, Device, String, Bytes or a
   * reference class), or the object when T is a class of objects; NULL when the type is another. */
  template <class T>
  const T* as() const noexcept {
    return detail::PointInto<T>(&value_);
  }

  const TVMFFIAny* raw() const noexcept { return &value_; }
  static AnyView FromRaw(TVMFFIAny raw) noexcept {
    AnyView result;
    result.value_ = raw;
    return result;
  }

 private:
  TVMFFIAny value_;
};

/* Owned value. */
class Any {
 public:
  /* None. */
  Any() noexcept { detail::SetNone(&value_); }
  Any(const Any& other) noexcept : value_(other.value_) {
    if (IsObject()) detail::IncRef(value_.v_obj);
  }
  Any(Any&& other) noexcept : value_(other.value_) { detail::SetNone(&other.value_); }
  /* Owned copy of a view; borrowed text is copied. */
  Any(AnyView view) { detail::OwnView(*view.raw(), &value_); }  // NOLINT
  /* Any convertible value. OverflowError: an unsigned integer above the largest int64. */
  template <
      class T, class D = std::decay_t<T>,
      class = std::enable_if_t<TypeTraits<D>::kConvertible && !std::is_same_v<D, Any> && !std::is_same_v<D, AnyView>>>
  Any(T&& value) {  // NOLINT
    TypeTraits<D>::ToOwned(std::forward<T>(value), &value_);
  }
  ~Any() {
    if (IsObject()) detail::DecRef(value_.v_obj);
  }
  Any& operator=(const Any& other) noexcept {
    Any(other).swap(*this);
    return *this;
  }
  Any& operator=(Any&& other) noexcept {
    Any(std::move(other)).swap(*this);
    return *this;
  }
  template <class T, class D = std::decay_t<T>,
            class = std::enable_if_t<TypeTraits<D>::kConvertible && !std::is_same_v<D, Any>>>
  Any& operator=(T&& value) {
    Any(std::forward<T>(value)).swap(*this);
    return *this;
  }

  /* Becomes None. */
  void reset() noexcept { Any().swap(*this); }
  void swap(Any& other) noexcept { std::swap(value_, other.value_); }
  int32_t type_index() const noexcept { return value_.type_index; }
  bool operator==(std::nullptr_t) const noexcept { return value_.type_index == kTVMFFINone; }
  bool operator!=(std::nullptr_t) const noexcept { return value_.type_index != kTVMFFINone; }
  /* The same bits: one object, or equal plain values. Content is compared by AnyEqual. */
  bool same_as(const Any& other) const noexcept {
    return value_.type_index == other.value_.type_index && value_.zero_padding == other.value_.zero_padding &&
           value_.v_uint64 == other.value_.v_uint64;
  }
  /* Key of the value's type. */
  std::string GetTypeKey() const { return detail::TypeKeyOfIndex(value_.type_index); }

  /* As those of AnyView. */
  template <class T>
  T cast() const& {
    return detail::CastOrThrow<T>(&value_);
  }
  /* Moves the value out where no conversion is needed; then this is None. */
  template <class T>
  T cast() && {
    if (TypeTraits<T>::Is(&value_)) return TypeTraits<T>::Take(&value_);
    return detail::CastOrThrow<T>(&value_);
  }
  template <class T>
  std::optional<T> try_cast() const {
    return TypeTraits<T>::TryCast(&value_);
  }
  template <class T>
  const T* as() const noexcept {
    return detail::PointInto<T>(&value_);
  }

  const TVMFFIAny* raw() const noexcept { return &value_; }
  /* Takes over an owned value, such as a result of the C functions. */
  static Any FromOwned(TVMFFIAny raw) noexcept {
    Any result;
    result.value_ = raw;
    return result;
  }
  /* Gives the value away; this becomes None. */
  TVMFFIAny Release() noexcept {
    TVMFFIAny result = value_;
    detail::SetNone(&value_);
    return result;
  }

 private:
  bool IsObject() const noexcept { return value_.type_index >= kTVMFFIStaticObjectBegin; }
  TVMFFIAny value_;
};

static_assert(sizeof(Any) == 16 && sizeof(AnyView) == 16, "layout of the C contract");

inline void TypeTraits<AnyView>::ToView(const AnyView& src, TVMFFIAny* out) { *out = *src.raw(); }
inline void TypeTraits<AnyView>::ToOwned(const AnyView& src, TVMFFIAny* out) { detail::OwnView(*src.raw(), out); }
inline AnyView TypeTraits<AnyView>::Get(const TVMFFIAny* value) { return AnyView::FromRaw(*value); }
inline std::optional<AnyView> TypeTraits<AnyView>::TryCast(const TVMFFIAny* value) { return Get(value); }

inline void TypeTraits<Any>::ToView(const Any& src, TVMFFIAny* out) { *out = *src.raw(); }
inline void TypeTraits<Any>::ToOwned(Any src, TVMFFIAny* out) { *out = src.Release(); }
inline Any TypeTraits<Any>::Get(const TVMFFIAny* value) { return Any(AnyView::FromRaw(*value)); }
inline Any TypeTraits<Any>::Take(TVMFFIAny* value) {
  Any result = Any::FromOwned(*value);
  detail::SetNone(value);
  return result;
}
inline std::optional<Any> TypeTraits<Any>::TryCast(const TVMFFIAny* value) { return Get(value); }

}  // namespace transom

#endif  // TRANSOM_RUNTIME_ANY_H_
