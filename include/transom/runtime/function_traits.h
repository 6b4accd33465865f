/* Signatures of C++ callables, and calling them with values. Part of function.h. */
#ifndef TRANSOM_RUNTIME_FUNCTION_TRAITS_H_
#define TRANSOM_RUNTIME_FUNCTION_TRAITS_H_

#include <transom/runtime/any.h>
#include <transom/runtime/error.h>

#include <string>
#include <type_traits>
#include <utility>

namespace transom {
namespace detail {

template <class T>
using Bare = std::remove_cv_t<std::remove_reference_t<T>>;

/* True for a result that holds a value or an Error, such as Expected<T>. */
template <class T, class = void>
constexpr bool kIsExpected = false;
template <class T>
constexpr bool
    kIsExpected<T, std::enable_if_t<std::is_same_v<Bare<decltype(std::declval<const T&>().error())>, Error>>> = true;

template <class R>
std::string ResultName() {
  if constexpr (std::is_void_v<R>) {
    return "void";
  } else {
    return TypeTraits<Bare<R>>::Name();
  }
}
template <class R>
std::string ResultSchema() {
  if constexpr (std::is_void_v<R>) {
    return SchemaOf("None");
  } else {
    return TypeTraits<Bare<R>>::Schema();
  }
}

/* Texts of the signature R(Args...). */
template <class R, class... Args>
struct Signature {
  static std::string Text() {
    std::string text = "(";
    int index = 0;
    ((text += (index == 0 ? "" : ", ") + std::to_string(index) + ": " + TypeTraits<Bare<Args>>::Name(), ++index), ...);
    return text + ") -> " + ResultName<R>();
  }
  static std::string Schema() {
    std::string args = ResultSchema<R>();
    ((args += "," + TypeTraits<Bare<Args>>::Schema()), ...);
    return SchemaOf("ffi.Function", args);
  }
};

/* What is being called, for error texts. Two words, passed by value: a call that goes well never stores them. */
struct CallSite {
  const char* name;
  std::string (*signature)();
};

/* The failures are functions of their own, so that calls stay short. */
[[noreturn, gnu::cold, gnu::noinline]] inline void ThrowArgumentCount(CallSite site, int32_t expected, int32_t actual) {
  TRANSOM_THROW(TypeError) << "Mismatched number of arguments when calling: `" << site.name << site.signature()
                           << "`. Expected " << expected << " but got " << actual << " arguments";
}
template <class T>
[[noreturn, gnu::cold, gnu::noinline]] void ThrowArgumentType(CallSite site, int32_t index, const TVMFFIAny* value) {
  TRANSOM_THROW(TypeError) << "Mismatched type on argument #" << index << " when calling: `" << site.name
                           << site.signature() << "`. Expected `" << TypeTraits<T>::Name() << "` but got `"
                           << TypeTraits<T>::Mismatch(value) << "`";
}

template <class T>
T ConvertArgument(const AnyView* args, int32_t index, CallSite site) {
  const TVMFFIAny* value = args[index].raw();
  if (std::optional<T> result = TypeTraits<T>::TryCast(value)) return *std::move(result);
  ThrowArgumentType<T>(site, index, value);
}

/* An Error that a callable returned instead of a value is thrown. */
template <class R>
void StoreReturned(R&& returned, Any* result) {
  if constexpr (kIsExpected<Bare<R>>) {
    if (!returned) throw Error(returned.error());
  }
  *result = Any(std::forward<R>(returned));
}

template <class F, class R, class... Args, size_t... kIndex>
void CallUnpacked(F& callable, CallSite site, const AnyView* args, Any* result, std::index_sequence<kIndex...>) {
  (void)site;
  (void)args;
  if constexpr (std::is_void_v<R>) {
    callable(ConvertArgument<Bare<Args>>(args, static_cast<int32_t>(kIndex), site)...);
    *result = nullptr;
  } else {
    StoreReturned(callable(ConvertArgument<Bare<Args>>(args, static_cast<int32_t>(kIndex), site)...), result);
  }
}

/* Signature of a function, function pointer, method or object with one call operator. */
template <class F, class = void>
struct CallableTraits;

template <class R, class... Args>
struct CallableTraits<R(Args...)> {
  static constexpr size_t kNumArgs = sizeof...(Args);
  static std::string SignatureText() { return Signature<R, Args...>::Text(); }
  static std::string Schema() { return Signature<R, Args...>::Schema(); }
  template <class F>
  static void Call(F& callable, CallSite site, const AnyView* args, Any* result) {
    CallUnpacked<F, R, Args...>(callable, site, args, result, std::index_sequence_for<Args...>());
  }
};
template <class R, class... Args>
struct CallableTraits<R (*)(Args...)> : CallableTraits<R(Args...)> {};
template <class R, class... Args>
struct CallableTraits<R (*)(Args...) noexcept> : CallableTraits<R(Args...)> {};
/* Methods: the object is not counted as an argument. */
template <class T, class R, class... Args>
struct CallableTraits<R (T::*)(Args...)> : CallableTraits<R(Args...)> {};
template <class T, class R, class... Args>
struct CallableTraits<R (T::*)(Args...) const> : CallableTraits<R(Args...)> {};
template <class T, class R, class... Args>
struct CallableTraits<R (T::*)(Args...) noexcept> : CallableTraits<R(Args...)> {};
template <class T, class R, class... Args>
struct CallableTraits<R (T::*)(Args...) const noexcept> : CallableTraits<R(Args...)> {};
template <class F>
struct CallableTraits<F, std::void_t<decltype(&F::operator())>> : CallableTraits<decltype(&F::operator())> {};

/* Calls a typed callable with views. Throws TypeError for a wrong count or type, and what the callable throws. */
template <class F>
void CallTyped(F& callable, CallSite site, const AnyView* args, int32_t num_args, Any* result) {
  using Traits = CallableTraits<F>;
  constexpr auto kNumArgs = static_cast<int32_t>(Traits::kNumArgs);
  if (num_args != kNumArgs) ThrowArgumentCount(site, kNumArgs, num_args);
  Traits::Call(callable, site, args, result);
}

}  // namespace detail
}  // namespace transom

#endif  // TRANSOM_RUNTIME_FUNCTION_TRAITS_H_
