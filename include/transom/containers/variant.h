/* Variant: a value of one of several types, in the 16 bytes of an Any. */
#ifndef TRANSOM_CONTAINERS_VARIANT_H_
#define TRANSOM_CONTAINERS_VARIANT_H_

#include <transom/runtime/any.h>

#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace transom {
template <class... Ts>
class Variant;

namespace detail {

template <class T>
inline constexpr bool kIsVariant = false;
template <class... Ts>
inline constexpr bool kIsVariant<Variant<Ts...>> = true;

template <class T, class... Ts>
inline constexpr bool kIsOneOf = (std::is_same_v<T, Ts> || ...);

template <class T>
inline constexpr bool kIsNumber = std::is_arithmetic_v<T>;
template <class T>
inline constexpr bool kIsInteger = std::is_integral_v<T> && !std::is_same_v<T, bool>;

/* How well an alternative T fits an argument U: 0 is best, kNoFit does not convert or would lose digits. */
inline constexpr int kNoFit = 3;
template <class U, class T>
constexpr int FitOf() {
  using D = std::decay_t<U>;
  if constexpr (std::is_same_v<D, T>) {
    return 0;
  } else if constexpr (!std::is_convertible_v<U, T>) {
    return kNoFit;
  } else if constexpr (kIsNumber<T>) {
    if constexpr (!kIsNumber<D>) return kNoFit;  // A pointer is no bool.
    if constexpr (kIsInteger<T>) return kIsInteger<D> ? 1 : std::is_same_v<D, bool> ? 2 : kNoFit;
    if constexpr (std::is_floating_point_v<T>) return std::is_floating_point_v<D> ? 1 : 2;
    return kNoFit;
  } else {
    return 1;
  }
}

/* Number of the alternative that takes a U: the first of the best fit; sizeof...(Ts) when none does. */
template <class U, class... Ts>
constexpr size_t AlternativeFor() {
  constexpr int fits[] = {FitOf<U, Ts>()...};
  for (int fit = 0; fit < kNoFit; ++fit) {
    for (size_t i = 0; i < sizeof...(Ts); ++i) {
      if (fits[i] == fit) return i;
    }
  }
  return sizeof...(Ts);
}

}  // namespace detail

/*
 * A value of one of the types Ts. What is assigned becomes the alternative of the same type, else the first one it
 * converts to without loss; it does not compile when there is none. Copies may be used from any thread.
 */
template <class... Ts>
class Variant {
 public:
  static_assert(sizeof...(Ts) > 0 && (TypeTraits<Ts>::kStorable && ...), "an alternative cannot be kept in a value");
  using First = std::tuple_element_t<0, std::tuple<Ts...>>;

  /* The first alternative, value-initialised. */
  template <class T = First, class = std::enable_if_t<std::is_default_constructible_v<T>>>
  Variant() : value_(T()) {}
  template <class U, size_t kIndex = detail::AlternativeFor<U, Ts...>(),
            class = std::enable_if_t<!detail::kIsVariant<std::decay_t<U>> && (kIndex < sizeof...(Ts))>>
  Variant(U&& value)  // NOLINT
      : value_(static_cast<std::tuple_element_t<kIndex, std::tuple<Ts...>>>(std::forward<U>(value))) {}
  /* From a variant of fewer alternatives. */
  template <class... Us,
            class = std::enable_if_t<!std::is_same_v<Variant, Variant<Us...>> && (detail::kIsOneOf<Us, Ts...> && ...)>>
  Variant(Variant<Us...> other) : value_(std::move(other).ToAny()) {}  // NOLINT

  /* The value when it is a T as it stands, else NULL; T is an alternative that has memory in a value, or a class of
   * objects. Points into this variant or to the object. */
  template <class T>
  const T* as() const noexcept {
    static_assert(detail::kIsOneOf<T, Ts...> || std::is_base_of_v<Object, T>, "T is no alternative of this variant");
    return value_.as<T>();
  }
  /* Copy of the value. TypeError: it is not a T as it stands. */
  template <class T>
  T get() const {
    static_assert(detail::kIsOneOf<T, Ts...>, "T is no alternative of this variant");
    if (!holds<T>()) detail::ThrowCannotConvert(TypeTraits<T>::Mismatch(value_.raw()), TypeTraits<T>::Name());
    return TypeTraits<T>::Get(value_.raw());
  }
  template <class T>
  bool holds() const {
    static_assert(detail::kIsOneOf<T, Ts...>, "T is no alternative of this variant");
    return TypeTraits<T>::Is(value_.raw());
  }
  /* Number of the first alternative that the value is. */
  size_t index() const {
    bool holds[] = {TypeTraits<Ts>::Is(value_.raw())...};
    size_t i = 0;
    while (i + 1 < sizeof...(Ts) && !holds[i]) ++i;
    return i;
  }
  int32_t type_index() const noexcept { return value_.type_index(); }
  std::string GetTypeKey() const { return value_.GetTypeKey(); }
  /* The value as it is kept. */
  const Any& ToAny() const& noexcept { return value_; }
  Any ToAny() && noexcept { return std::move(value_); }

 private:
  friend struct TypeTraits<Variant>;
  struct FromAny {};
  Variant(FromAny, Any value) noexcept : value_(std::move(value)) {}

  Any value_;
};

/* From a value that is one of Ts, else the first of Ts that it converts to. */
template <class... Ts>
struct TypeTraits<Variant<Ts...>> : detail::TraitsBase {
  static void ToView(const Variant<Ts...>& src, TVMFFIAny* out) { *out = *src.value_.raw(); }
  static void ToOwned(Variant<Ts...> src, TVMFFIAny* out) { *out = src.value_.Release(); }
  static bool Is(const TVMFFIAny* value) { return (TypeTraits<Ts>::Is(value) || ...); }
  static Variant<Ts...> Get(const TVMFFIAny* value) { return Make(Any(AnyView::FromRaw(*value))); }
  static Variant<Ts...> Take(TVMFFIAny* value) { return Make(Any::FromOwned(std::exchange(*value, TVMFFIAny{}))); }
  static std::optional<Variant<Ts...>> TryCast(const TVMFFIAny* value) {
    if (Is(value)) return Get(value);
    std::optional<Variant<Ts...>> result;
    (TryAlternative<Ts>(value, &result) || ...);
    return result;
  }
  static std::string Name() { return "Variant<" + detail::JoinNames<Ts...>(", ") + ">"; }
  static std::string Schema() { return detail::SchemaOf("Variant", detail::JoinSchemas<Ts...>()); }

 private:
  static Variant<Ts...> Make(Any value) { return Variant<Ts...>(typename Variant<Ts...>::FromAny(), std::move(value)); }
  template <class T>
  static bool TryAlternative(const TVMFFIAny* value, std::optional<Variant<Ts...>>* result) {
    std::optional<T> converted = TypeTraits<T>::TryCast(value);
    if (converted.has_value()) *result = Make(Any(*std::move(converted)));
    return converted.has_value();
  }
};

static_assert(sizeof(Variant<int64_t>) == 16, "layout of the C contract");

}  // namespace transom

#endif  // TRANSOM_CONTAINERS_VARIANT_H_
