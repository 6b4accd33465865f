/* Conversions of object references, and of optional values. Include type_traits.h. */
#ifndef TRANSOM_RUNTIME_TYPE_TRAITS_OBJECT_H_
#define TRANSOM_RUNTIME_TYPE_TRAITS_OBJECT_H_

#include <transom/runtime/type_traits.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace transom {
namespace detail {

/* The value is an object of class Obj. */
template <class Obj>
bool HoldsObject(const TVMFFIAny* value) noexcept {
  return value->type_index >= kTVMFFIStaticObjectBegin && IsObjectInstance<Obj>(value->type_index);
}

/* Writes a handle, or None for NULL. */
inline void SetObject(TVMFFIObject* obj, TVMFFIAny* out) noexcept {
  SetRaw(obj != nullptr ? obj->type_index : kTVMFFINone, reinterpret_cast<uint64_t>(obj), out);
}

/* New reference to the object in a value, or NULL for None. */
template <class Obj>
ObjectPtr<Obj> ShareObject(const TVMFFIAny* value) noexcept {
  if (value->type_index == kTVMFFINone) return nullptr;
  IncRef(value->v_obj);
  return ObjectAccess::Adopt<Obj>(value->v_obj);
}

/* The reference that an owned value holds, which becomes None. */
template <class Obj>
ObjectPtr<Obj> TakeObject(TVMFFIAny* value) noexcept {
  void* obj = value->type_index == kTVMFFINone ? nullptr : value->v_obj;
  SetNone(value);
  return ObjectAccess::Adopt<Obj>(obj);
}

/* References by handle: Ref is one that is constructible from ObjectPtr<Obj>. */
template <class Ref, class Obj, bool kNullable>
struct ReferenceTraits : TraitsBase {
  static constexpr int32_t kFieldTypeIndex = kTVMFFIObject;
  static bool Is(const TVMFFIAny* value) {
    return HoldsObject<Obj>(value) || (kNullable && value->type_index == kTVMFFINone);
  }
  static Ref Get(const TVMFFIAny* value) { return Ref(ShareObject<Obj>(value)); }
  static Ref Take(TVMFFIAny* value) { return Ref(TakeObject<Obj>(value)); }
  static std::optional<Ref> TryCast(const TVMFFIAny* value) {
    if (Is(value)) return Get(value);
    return std::nullopt;
  }
  static std::string Name() { return Obj::_type_key; }
  static std::string Schema() { return SchemaOf(Obj::_type_key); }
};

/* Traits of a reference class whose values need no conversion of elements. Containers derive theirs from it and replace
 * Is, TryCast, Mismatch, Name and Schema. */
template <class Ref>
struct ObjectRefTraits : ReferenceTraits<Ref, typename Ref::ContainerType, Ref::_type_is_nullable> {
  static void ToView(const Ref& src, TVMFFIAny* out) { SetObject(ObjectAccess::Header(src), out); }
  static void ToOwned(Ref src, TVMFFIAny* out) { SetObject(ObjectAccess::Release(&src), out); }
};

/* True for a reference class that has a TypeTraits of its own, such as a container that converts its elements. */
template <class Ref>
inline constexpr bool kHasOwnTraits = false;

}  // namespace detail

template <class Ref>
struct TypeTraits<Ref, std::enable_if_t<std::is_base_of_v<ObjectRef, Ref> && !detail::kHasOwnTraits<Ref>>>
    : detail::ObjectRefTraits<Ref> {};

template <class T>
struct TypeTraits<ObjectPtr<T>> : detail::ReferenceTraits<ObjectPtr<T>, T, true> {
  static void ToView(const ObjectPtr<T>& src, TVMFFIAny* out) {
    detail::SetObject(src == nullptr ? nullptr : detail::ObjectAccess::Header(src.get()), out);
  }
  static void ToOwned(ObjectPtr<T> src, TVMFFIAny* out) { detail::SetObject(detail::ObjectAccess::Release(&src), out); }
};

/* Borrowed pointer to an object, as methods take their self. None is NULL. */
template <class T>
struct TypeTraits<T*, std::enable_if_t<std::is_base_of_v<Object, std::remove_const_t<T>>>>
    : detail::ViewOnlyTraits<T*, TypeTraits<T*>> {
  using Obj = std::remove_const_t<T>;
  static void ToView(T* src, TVMFFIAny* out) {
    detail::SetObject(src == nullptr ? nullptr : detail::ObjectAccess::Header(src), out);
  }
  static void ToOwned(T* src, TVMFFIAny* out) {
    ToView(src, out);
    if (src != nullptr) detail::IncRef(out->v_obj);
  }
  static std::optional<T*> TryCast(const TVMFFIAny* value) {
    if (value->type_index == kTVMFFINone) return static_cast<T*>(nullptr);
    if (!detail::HoldsObject<Obj>(value)) return std::nullopt;
    return static_cast<T*>(detail::ObjectAccess::FromHeader(value->v_obj));
  }
  static std::string Name() { return Obj::_type_key; }
  static std::string Schema() { return detail::SchemaOf(Obj::_type_key); }
};

/* None or a T. As a field use Optional, whose memory is a value. */
template <class T>
struct TypeTraits<std::optional<T>> : detail::TraitsBase {
  static constexpr bool kConvertible = TypeTraits<T>::kConvertible;
  static constexpr bool kStorable = false;
  static void ToView(const std::optional<T>& src, TVMFFIAny* out) {
    src.has_value() ? TypeTraits<T>::ToView(*src, out) : detail::SetNone(out);
  }
  static void ToOwned(std::optional<T> src, TVMFFIAny* out) {
    src.has_value() ? TypeTraits<T>::ToOwned(*std::move(src), out) : detail::SetNone(out);
  }
  static bool Is(const TVMFFIAny* value) { return value->type_index == kTVMFFINone || TypeTraits<T>::Is(value); }
  static std::optional<T> Get(const TVMFFIAny* value) {
    return value->type_index == kTVMFFINone ? std::optional<T>() : std::optional<T>(TypeTraits<T>::Get(value));
  }
  static std::optional<T> Take(TVMFFIAny* value) {
    return value->type_index == kTVMFFINone ? std::optional<T>() : std::optional<T>(TypeTraits<T>::Take(value));
  }
  static std::optional<std::optional<T>> TryCast(const TVMFFIAny* value) {
    if (value->type_index == kTVMFFINone) return std::optional<std::optional<T>>(std::in_place);
    if (std::optional<T> converted = TypeTraits<T>::TryCast(value)) {
      return std::optional<std::optional<T>>(std::in_place, std::move(converted));
    }
    return std::nullopt;
  }
  static std::string Mismatch(const TVMFFIAny* value) { return TypeTraits<T>::Mismatch(value); }
  static std::string Name() { return "Optional<" + TypeTraits<T>::Name() + ">"; }
  static std::string Schema() { return detail::SchemaOf("Optional", TypeTraits<T>::Schema()); }
};

}  // namespace transom

#endif  // TRANSOM_RUNTIME_TYPE_TRAITS_OBJECT_H_
