/* Tuple: a fixed number of values of fixed types. In the C contract it is an Array of that size. */
#ifndef TRANSOM_CONTAINERS_TUPLE_H_
#define TRANSOM_CONTAINERS_TUPLE_H_

#include <transom/containers/array.h>

#include <cstddef>
#include <tuple>
#include <utility>

namespace transom {

/*
 * Immutable tuple of Ts; one pointer. Copies share the values and may be used from any thread. Elements are read as
 * copies: `t.get<0>()`, or `auto [a, b] = t`.
 */
template <class... Ts>
class Tuple : public ObjectRef {
 public:
  static_assert((TypeTraits<Ts>::kStorable && ...), "an element type cannot be kept in a value");
  using ContainerType = ArrayObj;
  template <size_t kIndex>
  using Element = std::tuple_element_t<kIndex, std::tuple<Ts...>>;
  static constexpr bool _type_is_nullable = false;

  /* Value-initialised elements. */
  template <bool kDefault = (std::is_default_constructible_v<Ts> && ...),
            class = std::enable_if_t<kDefault && sizeof...(Ts) != 0>>
  Tuple() : Tuple(Ts()...) {}
  Tuple(Ts... values) : ObjectRef(Make(std::move(values)...)) {}  // NOLINT
  Tuple(const std::tuple<Ts...>& values)                          // NOLINT
      : ObjectRef(std::apply([](const Ts&... each) { return Make(each...); }, values)) {}
  /* Tuple over an object that holds exactly Ts. */
  explicit Tuple(ObjectPtr<ArrayObj> obj) noexcept : ObjectRef(std::move(obj)) {}

  const ArrayObj* get() const noexcept { return static_cast<const ArrayObj*>(data_.get()); }
  const ArrayObj* operator->() const noexcept { return get(); }

  static constexpr size_t size() noexcept { return sizeof...(Ts); }
  template <size_t kIndex>
  Element<kIndex> get() const {
    return detail::GetElement<Element<kIndex>>((*get())[kIndex]);
  }
  /* The tuple with another value at kIndex. */
  template <size_t kIndex>
  [[nodiscard]] Tuple set(Element<kIndex> value) const {
    ObjectPtr<ArrayObj> obj = ArrayObj::Create(sizeof...(Ts));
    for (size_t i = 0; i < sizeof...(Ts); ++i) {
      obj->PushOwned(Any(i == kIndex ? AnyView(value) : AnyView((*get())[static_cast<int64_t>(i)])));
    }
    return Tuple(std::move(obj));
  }

 private:
  template <class... Us>
  static ObjectPtr<Object> Make(Us&&... values) {
    ObjectPtr<ArrayObj> obj = ArrayObj::Create(sizeof...(Ts));
    (obj->PushOwned(Any(std::forward<Us>(values))), ...);
    return obj;
  }
};

template <class... Ts>
inline constexpr bool detail::kHasOwnTraits<Tuple<Ts...>> = true;

/* From an Array of that size whose elements all convert; where they are Ts already, the array is shared. */
template <class... Ts>
struct TypeTraits<Tuple<Ts...>> : detail::ReferenceTraits<Tuple<Ts...>, ArrayObj, false> {
  using Base = detail::ReferenceTraits<Tuple<Ts...>, ArrayObj, false>;
  static void ToView(const Tuple<Ts...>& src, TVMFFIAny* out) {
    detail::SetObject(detail::ObjectAccess::Header(src), out);
  }
  static void ToOwned(Tuple<Ts...> src, TVMFFIAny* out) { detail::SetObject(detail::ObjectAccess::Release(&src), out); }
  static bool Is(const TVMFFIAny* value) {
    return HasSize(value) && ElementsAre(Values(value), std::index_sequence_for<Ts...>());
  }
  static std::optional<Tuple<Ts...>> TryCast(const TVMFFIAny* value) {
    if (!HasSize(value)) return std::nullopt;
    if (Is(value)) return Base::Get(value);
    return Convert(Values(value), std::index_sequence_for<Ts...>());
  }
  static std::string Mismatch(const TVMFFIAny* value) {
    if (value->type_index != kTVMFFIArray) return detail::TypeKeyOfIndex(value->type_index);
    if (!HasSize(value)) return "Array[size=" + std::to_string(ArrayOf(value)->size()) + "]";
    std::string bad;
    size_t index = 0;
    (DescribeIfBad<Ts>(Values(value), index++, &bad) || ...);
    return bad.empty() ? detail::TypeKeyOfIndex(value->type_index) : "Array" + bad;
  }
  static std::string Name() { return "Tuple<" + detail::JoinNames<Ts...>(", ") + ">"; }
  static std::string Schema() { return detail::SchemaOf("Tuple", detail::JoinSchemas<Ts...>()); }

 private:
  static const ArrayObj* ArrayOf(const TVMFFIAny* value) {
    return static_cast<const ArrayObj*>(detail::ObjectAccess::FromHeader(value->v_obj));
  }
  static const Any* Values(const TVMFFIAny* value) { return ArrayOf(value)->begin(); }
  static bool HasSize(const TVMFFIAny* value) {
    return value->type_index == kTVMFFIArray && ArrayOf(value)->size() == static_cast<int64_t>(sizeof...(Ts));
  }
  template <size_t... kIndex>
  static bool ElementsAre([[maybe_unused]] const Any* values, std::index_sequence<kIndex...>) {
    return (TypeTraits<Ts>::Is(values[kIndex].raw()) && ...);
  }
  template <size_t... kIndex>
  static std::optional<Tuple<Ts...>> Convert(const Any* values, std::index_sequence<kIndex...>) {
    std::tuple<std::optional<Ts>...> converted;
    bool all = ((std::get<kIndex>(converted) = TypeTraits<Ts>::TryCast(values[kIndex].raw())).has_value() && ...);
    if (!all) return std::nullopt;
    return Tuple<Ts...>(*std::move(std::get<kIndex>(converted))...);
  }
  template <class T>
  static bool DescribeIfBad(const Any* values, size_t index, std::string* text) {
    const TVMFFIAny* value = values[index].raw();
    if (TypeTraits<T>::TryCast(value).has_value()) return false;
    *text = "[index " + std::to_string(index) + ": " + TypeTraits<T>::Mismatch(value) + "]";
    return true;
  }
};

}  // namespace transom

template <class... Ts>
struct std::tuple_size<transom::Tuple<Ts...>> : std::integral_constant<std::size_t, sizeof...(Ts)> {};
template <std::size_t kIndex, class... Ts>
struct std::tuple_element<kIndex, transom::Tuple<Ts...>> : std::tuple_element<kIndex, std::tuple<Ts...>> {};

#endif  // TRANSOM_CONTAINERS_TUPLE_H_
