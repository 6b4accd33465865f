/*
 * Optional: a T or nothing, in the form that fields of objects have: one pointer for references, else a value of 16
 * bytes.
 */
#ifndef TRANSOM_CONTAINERS_OPTIONAL_H_
#define TRANSOM_CONTAINERS_OPTIONAL_H_

#include <transom/containers/detail/seq_base.h>
#include <transom/runtime/any.h>
#include <transom/runtime/error.h>

#include <optional>
#include <type_traits>
#include <utility>

namespace transom {
template <class T>
class Optional;

namespace detail {

template <class T>
inline constexpr bool kIsReference = std::is_base_of_v<ObjectRef, T>;
template <class T>
inline constexpr bool kIsReference<ObjectPtr<T>> = true;

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<Optional<T>> = true;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

/* Memory of an Optional: None is nothing. */
template <class T, bool kPointer = kIsReference<T>>
struct OptionalStorage {
  Any value;
  bool IsEmpty() const noexcept { return value.type_index() == kTVMFFINone; }
  const TVMFFIAny* View(TVMFFIAny*) const noexcept { return value.raw(); }
  void Set(Any owned) noexcept { value = std::move(owned); }
  Any Take() noexcept { return std::move(value); }
};

template <class T>
struct OptionalStorage<T, true> {
  ObjectPtr<Object> object;
  bool IsEmpty() const noexcept { return object == nullptr; }
  const TVMFFIAny* View(TVMFFIAny* scratch) const noexcept {
    SetObject(ObjectAccess::Header(object.get()), scratch);
    return scratch;
  }
  void Set(Any owned) noexcept {
    TVMFFIAny raw = owned.Release();
    object = TakeObject<Object>(&raw);
  }
  Any Take() noexcept {
    TVMFFIAny raw;
    SetObject(ObjectAccess::Release(&object), &raw);
    return Any::FromOwned(raw);
  }
};

}  // namespace detail

/*
 * A T or nothing. A NULL reference is nothing. Values are read as copies of T. Copies may be used from any thread.
 */
template <class T>
class Optional {
 public:
  static_assert(TypeTraits<T>::kStorable, "T cannot be kept in a value: use std::optional");
  using value_type = T;

  /* Nothing. */
  Optional() noexcept = default;
  Optional(std::nullopt_t) noexcept {}  // NOLINT
  Optional(std::nullptr_t) noexcept {}  // NOLINT
  template <class U = T, class D = std::decay_t<U>,
            class = std::enable_if_t<std::is_convertible_v<U&&, T> && !detail::kIsOptional<D> &&
                                     !std::is_same_v<D, std::nullopt_t> && !std::is_same_v<D, std::nullptr_t>>>
  Optional(U&& value) {  // NOLINT
    storage_.Set(Any(static_cast<T>(std::forward<U>(value))));
  }
  Optional(std::optional<T> value) {  // NOLINT
    if (value.has_value()) storage_.Set(Any(*std::move(value)));
  }
  template <class U, class = std::enable_if_t<!std::is_same_v<U, T> && std::is_convertible_v<U, T>>>
  Optional(const Optional<U>& other) {  // NOLINT
    if (other.has_value()) storage_.Set(Any(static_cast<T>(*other)));
  }

  bool has_value() const noexcept { return !storage_.IsEmpty(); }
  explicit operator bool() const noexcept { return has_value(); }

  /* The value. RuntimeError: there is none. */
  T value() const& {
    CheckNotEmpty();
    TVMFFIAny scratch;
    return TypeTraits<T>::Get(storage_.View(&scratch));
  }
  T value() && {
    CheckNotEmpty();
    TVMFFIAny raw = storage_.Take().Release();
    return TypeTraits<T>::Take(&raw);
  }
  T operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  detail::ArrowHolder<T> operator->() const { return detail::ArrowHolder<T>{value()}; }
  T value_or(T other) const { return has_value() ? value() : std::move(other); }
  std::optional<T> ToStd() const { return has_value() ? std::optional<T>(value()) : std::nullopt; }

  /* Becomes nothing. */
  void reset() noexcept { storage_.Set(Any()); }

  friend bool operator==(const Optional& lhs, const Optional& rhs) {
    if (!lhs.has_value() || !rhs.has_value()) return lhs.has_value() == rhs.has_value();
    return lhs.value() == rhs.value();
  }
  friend bool operator!=(const Optional& lhs, const Optional& rhs) { return !(lhs == rhs); }
  friend bool operator==(const Optional& lhs, std::nullopt_t) noexcept { return !lhs.has_value(); }
  friend bool operator!=(const Optional& lhs, std::nullopt_t) noexcept { return lhs.has_value(); }
  friend bool operator==(const Optional& lhs, std::nullptr_t) noexcept { return !lhs.has_value(); }
  friend bool operator!=(const Optional& lhs, std::nullptr_t) noexcept { return lhs.has_value(); }

 private:
  friend struct TypeTraits<Optional<T>>;

  void CheckNotEmpty() const {
    TRANSOM_CHECK(has_value(), RuntimeError)
        << "Expected an optional `" << TypeTraits<T>::Name() << "` to have a value but it has none";
  }

  detail::OptionalStorage<T> storage_;
};

/* From None or what converts to T. */
template <class T>
struct TypeTraits<Optional<T>> : detail::TraitsBase {
  static void ToView(const Optional<T>& src, TVMFFIAny* out) {
    TVMFFIAny scratch;
    *out = *src.storage_.View(&scratch);
  }
  static void ToOwned(Optional<T> src, TVMFFIAny* out) { *out = src.storage_.Take().Release(); }
  static bool Is(const TVMFFIAny* value) { return value->type_index == kTVMFFINone || TypeTraits<T>::Is(value); }
  static Optional<T> Get(const TVMFFIAny* value) {
    Optional<T> result;
    result.storage_.Set(Any(AnyView::FromRaw(*value)));
    return result;
  }
  static Optional<T> Take(TVMFFIAny* value) {
    Optional<T> result;
    result.storage_.Set(Any::FromOwned(std::exchange(*value, TVMFFIAny{})));
    return result;
  }
  static std::optional<Optional<T>> TryCast(const TVMFFIAny* value) {
    if (value->type_index == kTVMFFINone) return Optional<T>();
    std::optional<T> converted = TypeTraits<T>::TryCast(value);
    if (!converted.has_value()) return std::nullopt;
    return Optional<T>(std::move(converted));
  }
  static std::string Mismatch(const TVMFFIAny* value) { return TypeTraits<T>::Mismatch(value); }
  static std::string Name() { return "Optional<" + TypeTraits<T>::Name() + ">"; }
  static std::string Schema() { return detail::SchemaOf("Optional", TypeTraits<T>::Schema()); }
};

static_assert(sizeof(Optional<ObjectRef>) == 8 && sizeof(Optional<int64_t>) == 16, "layout of the C contract");

}  // namespace transom

#endif  // TRANSOM_CONTAINERS_OPTIONAL_H_
