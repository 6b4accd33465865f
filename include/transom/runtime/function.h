/*
 * Functions: callables of any language, by one calling convention. A C++ callable becomes a Function with FromTyped
 * (arguments converted and checked) or FromPacked (arguments as they come); functions are found by name for all
 * languages of the process.
 */
#ifndef TRANSOM_RUNTIME_FUNCTION_H_
#define TRANSOM_RUNTIME_FUNCTION_H_

#include <transom/runtime/any.h>
#include <transom/runtime/c_api.h>
#include <transom/runtime/error.h>
#include <transom/runtime/function_traits.h>
#include <transom/runtime/object.h>

#include <cstring>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace transom {

/* What a Function refers to. */
class FunctionObj : public Object, public TVMFFIFunctionCell {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_STATIC("ffi.Function", kTVMFFIFunction, FunctionObj, Object);
};
static_assert(sizeof(FunctionObj) == 40, "layout of the C contract");

/* Arguments of a packed function: borrowed values, valid during the call. */
class PackedArgs {
 public:
  PackedArgs(const AnyView* args, int32_t num_args) noexcept : args_(args), num_args_(num_args) {}
  int32_t size() const noexcept { return num_args_; }
  const AnyView* data() const noexcept { return args_; }
  const AnyView& operator[](int32_t index) const noexcept { return args_[index]; }

 private:
  const AnyView* args_;
  int32_t num_args_;
};

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void ThrowResultTaken() {
  TRANSOM_THROW(InternalError) << "The place of the result holds an object already; set it to None before the call";
}

/* Writes a callee's result, after checking that nothing the caller owns is overwritten. */
inline void StoreResult(Any* value, TVMFFIAny* result) {
  if (result->type_index >= kTVMFFIStaticObjectBegin) ThrowResultTaken();
  *result = value->Release();
}

/* Function object around a C++ callable with the signature void(const AnyView*, int32_t, Any*). */
template <class F>
class ClosureObj : public FunctionObj {
 public:
  template <class G>
  explicit ClosureObj(G&& callable) : callable_(std::forward<G>(callable)) {
    safe_call = &SafeCall;
    cpp_call = nullptr;
  }

 private:
  static int SafeCall(void* self, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
    TRANSOM_SAFE_CALL_BEGIN();
    Any value;
    auto* closure = static_cast<ClosureObj*>(ObjectAccess::FromHeader(self));
    closure->callable_(reinterpret_cast<const AnyView*>(args), num_args, &value);
    StoreResult(&value, result);
    TRANSOM_SAFE_CALL_END();
  }
  F callable_;
};

/* Packed form of a typed callable, with the name that its errors state. */
template <class F>
struct TypedClosure {
  F callable;
  std::string name;
  void operator()(const AnyView* args, int32_t num_args, Any* result) {
    CallTyped(callable, CallSite{name.c_str(), &CallableTraits<F>::SignatureText}, args, num_args, result);
  }
};

/* A std::string as an argument: text with an embedded NUL is copied for the call. */
class StringArgument {
 public:
  explicit StringArgument(const std::string& text) : text_(text) {
    if (std::memchr(text.data(), '\0', text.size()) != nullptr) copy_ = text;
  }
  AnyView view() const { return copy_.empty() ? AnyView(text_) : AnyView(copy_); }

 private:
  const std::string& text_;
  String copy_;
};

template <class T>
const T& AsArgument(const T& value) noexcept {
  return value;
}
inline StringArgument AsArgument(const std::string& value) { return StringArgument(value); }
inline String AsArgument(std::string_view value) { return String(value); }

template <class T>
AnyView ViewArgument(const T& value) {
  if constexpr (std::is_same_v<T, StringArgument>) {
    return value.view();
  } else {
    return AnyView(value);
  }
}

}  // namespace detail

/* Reference to a function, or NULL. Calls may come from any thread. */
class Function : public ObjectRef {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NULLABLE(Function, ObjectRef, FunctionObj);

  /* Function of a callable `void(PackedArgs, Any* result)` or `void(const AnyView*, int32_t, Any* result)`. What it
   * throws reaches the caller as an Error: std::exception as InternalError. */
  template <class F>
  static Function FromPacked(F callable) {
    if constexpr (std::is_invocable_v<F&, const AnyView*, int32_t, Any*>) {
      return Function(make_object<detail::ClosureObj<F>>(std::move(callable)));
    } else {
      static_assert(std::is_invocable_v<F&, PackedArgs, Any*>, "expected void(PackedArgs, Any*)");
      return FromPacked([f = std::move(callable)](const AnyView* args, int32_t num_args, Any* result) mutable {
        f(PackedArgs(args, num_args), result);
      });
    }
  }
  /* Function of a callable with convertible arguments and result (or void). `name` is used in errors only. Wrong count
   * or type of arguments: TypeError, naming the function, what was expected and what came. */
  template <class F>
  static Function FromTyped(F callable, std::string name = "") {
    return FromPacked(detail::TypedClosure<F>{std::move(callable), std::move(name)});
  }

  /* Function of a C callback. `self` is passed to it and given to `deleter`, which may be NULL, when the function dies;
   * where both are NULL the callback receives the function's own handle. */
  static Function FromExternC(void* self, TVMFFISafeCallType callback, void (*deleter)(void* self)) {
    TVMFFIObjectHandle handle = nullptr;
    CheckCall(TVMFFIFunctionCreate(self, callback, deleter, &handle));
    return Function(detail::ObjectAccess::Adopt<FunctionObj>(handle));
  }

  /* The function registered under a name, or nothing. */
  static std::optional<Function> GetGlobal(std::string_view name) {
    TVMFFIByteArray text = detail::ToByteArray(name);
    TVMFFIObjectHandle handle = nullptr;
    CheckCall(TVMFFIFunctionGetGlobal(&text, &handle));
    if (handle == nullptr) return std::nullopt;
    return Function(detail::ObjectAccess::Adopt<FunctionObj>(handle));
  }
  /* The same. ValueError: no function has the name. */
  static Function GetGlobalRequired(std::string_view name) {
    if (std::optional<Function> function = GetGlobal(name)) return *std::move(function);
    TRANSOM_THROW(ValueError) << "No function is registered under the name `" << name
                              << "`; load the library that registers it first";
  }
  /* Registers a function for all languages. RuntimeError: the name is taken and `override` is false. */
  static void SetGlobal(std::string_view name, const Function& function, bool override = false) {
    TVMFFIByteArray text = detail::ToByteArray(name);
    CheckCall(TVMFFIFunctionSetGlobal(&text, detail::ObjectAccess::Header(function), override ? 1 : 0));
  }

  /* Takes a global function away. False when there is none of that name. */
  static bool RemoveGlobal(std::string_view name) {
    return GetGlobalRequired("ffi.FunctionRemoveGlobal")(String(name)).template cast<bool>();
  }
  /* Names of all global functions at this moment. */
  static std::vector<String> ListGlobalNames() {
    Function names = GetGlobalRequired("ffi.FunctionListGlobalNamesFunctor")().template cast<Function>();
    std::vector<String> result(names(-1).template cast<size_t>());
    for (size_t i = 0; i < result.size(); ++i) result[i] = names(i).template cast<String>();
    return result;
  }

  /* Calls with convertible arguments. Throws the callee's Error; TypeError when this is NULL. */
  template <class... Args>
  Any operator()(Args&&... args) const {
    return CallViews({detail::ViewArgument(detail::AsArgument(args))...});
  }
  /* Calls with `num_args` views. Errors as above. */
  Any CallPacked(const AnyView* args, int32_t num_args) const {
    TRANSOM_CHECK(defined(), TypeError) << "Expected a function to call but got NULL";
    Any result;
    // The callee writes to the value itself: to copy what was just written in parts would wait for the parts.
    auto* raw_result = const_cast<TVMFFIAny*>(result.raw());
    auto* raw_args = const_cast<TVMFFIAny*>(reinterpret_cast<const TVMFFIAny*>(args));
    // Never by cpp_call: the callee's exceptions may be of another library's type.
    if (get()->safe_call(detail::ObjectAccess::Header(*this), raw_args, num_args, raw_result) != 0) {
      detail::SetNone(raw_result);  // What a failed callee left there is nobody's.
      detail::ThrowRaised();
    }
    return result;
  }

 private:
  Any CallViews(std::initializer_list<AnyView> args) const {
    return CallPacked(args.begin(), static_cast<int32_t>(args.size()));
  }
};

template <class Signature>
class TypedFunction;

/* A function of known signature: calls convert the result. The signature is trusted, not checked against the callee. */
template <class R, class... Args>
class TypedFunction<R(Args...)> : public Function {
 public:
  TypedFunction() noexcept = default;
  TypedFunction(std::nullptr_t) noexcept {}                                     // NOLINT
  TypedFunction(Function function) noexcept : Function(std::move(function)) {}  // NOLINT
  explicit TypedFunction(ObjectPtr<FunctionObj> ptr) noexcept : Function(std::move(ptr)) {}
  /* Function of a C++ callable. */
  template <class F, class = std::enable_if_t<std::is_invocable_r_v<R, F&, Args...> &&
                                              !std::is_base_of_v<ObjectRef, std::decay_t<F>>>>
  TypedFunction(F callable) : Function(FromTyped(Retyped<F>{std::move(callable)})) {}  // NOLINT

  /* Throws the callee's Error, and TypeError where the result does not convert; an Expected has these in it instead. */
  R operator()(Args... args) const {
    if constexpr (std::is_void_v<R>) {
      Function::operator()(std::forward<Args>(args)...);
    } else if constexpr (detail::kIsExpected<R>) {
      try {
        return Function::operator()(std::forward<Args>(args)...).template cast<R>();
      } catch (const Error& error) {
        return Any(error).template cast<R>();
      }
    } else {
      return Function::operator()(std::forward<Args>(args)...).template cast<R>();
    }
  }

 private:
  /* Gives a callable, which may be overloaded or generic, the one signature. */
  template <class F>
  struct Retyped {
    F callable;
    R operator()(Args... args) { return callable(std::forward<Args>(args)...); }
  };
};

namespace detail {
template <class Signature>
inline constexpr bool kHasOwnTraits<TypedFunction<Signature>> = true;
}  // namespace detail

template <class R, class... Args>
struct TypeTraits<TypedFunction<R(Args...)>> : detail::ObjectRefTraits<TypedFunction<R(Args...)>> {
  static constexpr int32_t kFieldTypeIndex = kTVMFFIFunction;
  static std::string Name() { return detail::Signature<R, Args...>::Text(); }
  static std::string Schema() { return detail::Signature<R, Args...>::Schema(); }
};

namespace detail {

/* Registers one global function: what TVM_FFI_REGISTER_GLOBAL_FUNC makes. Errors end the program with their text, as
 * they arise before main. */
class GlobalFunctionRegistration {
 public:
  explicit GlobalFunctionRegistration(const char* name) : name_(name) {}
  /* Replaces a function that has the name already. State it before set_body. */
  GlobalFunctionRegistration& set_override() {
    override_ = true;
    return *this;
  }
  /* Registers a typed callable. RuntimeError: the name is taken. */
  template <class F>
  GlobalFunctionRegistration set_body(F callable) {
    Function::SetGlobal(name_, Function::FromTyped(std::move(callable), name_), override_);
    return *this;
  }
  /* Registers a packed callable. */
  template <class F>
  GlobalFunctionRegistration set_body_packed(F callable) {
    Function::SetGlobal(name_, Function::FromPacked(std::move(callable)), override_);
    return *this;
  }

 private:
  const char* name_;
  bool override_ = false;
};

}  // namespace detail

}  // namespace transom

#define TRANSOM_CONCAT_INNER(a, b) a##b
#define TRANSOM_CONCAT(a, b) TRANSOM_CONCAT_INNER(a, b)

/* At namespace scope: registers a global function while the library or program is loaded.
 *   TVM_FFI_REGISTER_GLOBAL_FUNC("math.add").set_body([](int64_t a, int64_t b) { return a + b; });
 * A name that is taken stops the program with an error that names it, unless .set_override() comes before set_body. */
#define TVM_FFI_REGISTER_GLOBAL_FUNC(Name)                                                    \
  [[maybe_unused]] static const ::transom::detail::GlobalFunctionRegistration TRANSOM_CONCAT( \
      transom_global_function_, __COUNTER__) = ::transom::detail::GlobalFunctionRegistration(Name)

#endif  // TRANSOM_RUNTIME_FUNCTION_H_
