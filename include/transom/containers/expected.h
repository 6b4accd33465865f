/*
 * Expected: the value of a function, or the Error that kept it from having one. In the C contract it is the value or
 * the Error object; a function that returns one through the ABI fails with that error.
 */
#ifndef TRANSOM_CONTAINERS_EXPECTED_H_
#define TRANSOM_CONTAINERS_EXPECTED_H_

#include <transom/containers/detail/seq_base.h>
#include <transom/runtime/any.h>
#include <transom/runtime/error.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace transom {

/* Marks an error as the result of a function that returns an Expected. */
class Unexpected {
 public:
  explicit Unexpected(Error error) noexcept : error_(std::move(error)) {}
  const Error& error() const& noexcept { return error_; }
  Error error() && noexcept { return std::move(error_); }

 private:
  Error error_;
};

namespace detail {

/* What Expected of any type has: the value or an Error, as an Any. */
class ExpectedBase {
 public:
  /* True when there is a value. */
  bool has_value() const noexcept { return value_.type_index() != kTVMFFIError; }
  explicit operator bool() const noexcept { return has_value(); }
  /* The error. RuntimeError: there is a value instead. */
  Error error() const {
    TRANSOM_CHECK(!has_value(), RuntimeError)
        << "Expected an error but there is a value of type `" << value_.GetTypeKey() << "`";
    return TypeTraits<Error>::Get(value_.raw());
  }

 protected:
  explicit ExpectedBase(Any value) noexcept : value_(std::move(value)) {}
  void ThrowIfError() const {
    if (!has_value()) throw error();
  }

  Any value_;
};

}  // namespace detail

/* A T or an Error. Values are read as copies of T. */
template <class T>
class Expected : public detail::ExpectedBase {
 public:
  static_assert(TypeTraits<T>::kStorable && !std::is_base_of_v<Error, T>, "T must be a value type other than Error");
  using value_type = T;

  template <class U = T, class = std::enable_if_t<std::is_convertible_v<U&&, T> &&
                                                  !std::is_base_of_v<ExpectedBase, std::decay_t<U>> &&
                                                  !std::is_same_v<std::decay_t<U>, Unexpected>>>
  Expected(U&& value) : ExpectedBase(Any(static_cast<T>(std::forward<U>(value)))) {}    // NOLINT
  Expected(Unexpected error) noexcept : ExpectedBase(Any(std::move(error).error())) {}  // NOLINT

  /* The value. Throws the error when there is none. */
  T value() const& {
    ThrowIfError();
    return TypeTraits<T>::Get(value_.raw());
  }
  T value() && {
    ThrowIfError();
    return std::move(value_).template cast<T>();
  }
  T operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  detail::ArrowHolder<T> operator->() const { return detail::ArrowHolder<T>{value()}; }
  T value_or(T other) const { return has_value() ? value() : std::move(other); }

 private:
  friend struct TypeTraits<Expected<T>>;
  struct FromAny {};
  Expected(FromAny, Any value) noexcept : ExpectedBase(std::move(value)) {}
};

/* Success without a value, or an Error. */
template <>
class Expected<void> : public detail::ExpectedBase {
 public:
  using value_type = void;

  Expected() noexcept : ExpectedBase(Any()) {}
  Expected(Unexpected error) noexcept : ExpectedBase(Any(std::move(error).error())) {}  // NOLINT
  /* Throws the error when there is one. */
  void value() const { ThrowIfError(); }
  void operator*() const { value(); }

 private:
  friend struct TypeTraits<Expected<void>>;
  struct FromAny {};
  Expected(FromAny, Any value) noexcept : ExpectedBase(std::move(value)) {}
};

/* From an Error, or what converts to T; Expected<void> from None. */
template <class T>
struct TypeTraits<Expected<T>> : detail::TraitsBase {
  using ValueTraits = TypeTraits<std::conditional_t<std::is_void_v<T>, std::nullptr_t, T>>;

  static void ToView(const Expected<T>& src, TVMFFIAny* out) { *out = *src.value_.raw(); }
  static void ToOwned(Expected<T> src, TVMFFIAny* out) { *out = src.value_.Release(); }
  static bool Is(const TVMFFIAny* value) { return value->type_index == kTVMFFIError || ValueTraits::Is(value); }
  static Expected<T> Get(const TVMFFIAny* value) { return Make(Any(AnyView::FromRaw(*value))); }
  static Expected<T> Take(TVMFFIAny* value) { return Make(Any::FromOwned(std::exchange(*value, TVMFFIAny{}))); }
  static std::optional<Expected<T>> TryCast(const TVMFFIAny* value) {
    if (Is(value)) return Get(value);
    auto converted = ValueTraits::TryCast(value);
    if (!converted.has_value()) return std::nullopt;
    return Make(Any(*std::move(converted)));
  }
  static std::string Mismatch(const TVMFFIAny* value) { return ValueTraits::Mismatch(value); }
  static std::string Name() { return "Expected<" + ValueTraits::Name() + ">"; }
  static std::string Schema() {
    return detail::SchemaOf("Expected", ValueTraits::Schema() + "," + TypeTraits<Error>::Schema());
  }

 private:
  static Expected<T> Make(Any value) { return Expected<T>(typename Expected<T>::FromAny(), std::move(value)); }
};

static_assert(sizeof(Expected<int64_t>) == 16, "layout of the C contract");

}  // namespace transom

#endif  // TRANSOM_CONTAINERS_EXPECTED_H_
