/*
 * Errors. An Error is an object of the C contract (so it crosses languages) and a C++ exception.
 *
 * Throw with TRANSOM_THROW or TRANSOM_CHECK; turn a failed C call into an exception with CheckCall; keep exceptions
 * inside a C function with TRANSOM_SAFE_CALL_BEGIN and _END.
 */
#ifndef TRANSOM_RUNTIME_ERROR_H_
#define TRANSOM_RUNTIME_ERROR_H_

#include <transom/runtime/c_api.h>
#include <transom/runtime/object.h>

#include <cstdlib>
#include <exception>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace transom {

/* What an Error refers to. */
class ErrorObj : public Object, public TVMFFIErrorCell {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_STATIC("ffi.Error", kTVMFFIError, ErrorObj, Object);
};
static_assert(sizeof(ErrorObj) == 96, "layout of the C contract");

namespace detail {
inline TVMFFIByteArray ToByteArray(std::string_view text) noexcept {
  return TVMFFIByteArray{text.data() != nullptr ? text.data() : "", text.size()};
}
inline std::string_view ToStringView(const TVMFFIByteArray& bytes) noexcept {
  return std::string_view(bytes.data, bytes.size);
}
}  // namespace detail

/* An error with its kind (such as "ValueError"), message, backtrace and, where it followed from another, cause. */
class Error : public ObjectRef, public std::exception {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Error, ObjectRef, ErrorObj);

  /* Error of kind RuntimeError without a backtrace. Throws std::bad_alloc, as does the next one. */
  explicit Error(std::string_view message) : Error("RuntimeError", message, "") {}
  /* `backtrace`: one frame a line, innermost first. `cause`: the error that led to this one, if any. */
  Error(std::string_view kind, std::string_view message, std::string_view backtrace,
        const std::optional<Error>& cause = std::nullopt)
      : Error(kind, message, backtrace, cause, ObjectRef()) {}
  /* `extra_context`: what else the handlers of the error may want, such as the place of a visit; may be NULL. */
  Error(std::string_view kind, std::string_view message, std::string_view backtrace, const std::optional<Error>& cause,
        const ObjectRef& extra_context)
      : Error(Create(kind, message, backtrace, cause ? cause->get() : nullptr, extra_context.get())) {}

  Error(const Error& other) noexcept : ObjectRef(other), std::exception(other) {}
  Error(Error&& other) noexcept : ObjectRef(std::move(other)) {}
  Error& operator=(const Error& other) noexcept {
    ObjectRef::operator=(other);
    ForgetWhat();
    return *this;
  }
  Error& operator=(Error&& other) noexcept {
    ObjectRef::operator=(std::move(other));
    ForgetWhat();
    return *this;
  }
  ~Error() override { ForgetWhat(); }

  /* These live as long as the error object. */
  std::string_view kind() const noexcept { return detail::ToStringView(get()->kind); }
  std::string_view message() const noexcept { return detail::ToStringView(get()->message); }
  std::string_view backtrace() const noexcept { return detail::ToStringView(get()->backtrace); }
  /* The error that led to this one; nothing when there is none or it is no Error. */
  std::optional<Error> cause() const {
    if (get()->cause_chain == nullptr) return std::nullopt;
    return ObjectRef(GetObjectPtr(static_cast<Object*>(get()->cause_chain))).as<Error>();
  }
  /* What came with the error, or NULL. */
  ObjectRef extra_context() const { return ObjectRef(GetObjectPtr(static_cast<Object*>(get()->extra_context))); }
  /* Replaces the backtrace, or adds the frames of outer calls to it. All references to the error see that; views of the
   * old text are no longer valid. Not thread-safe. */
  void UpdateBacktrace(std::string_view text, TVMFFIBacktraceUpdateMode mode) {
    TVMFFIByteArray bytes = detail::ToByteArray(text);
    get()->update_backtrace(data_.get(), &bytes, mode);
  }
  /* "Kind: message". Lives as long as this exception. Safe to call from several threads. */
  const char* what() const noexcept override {
    if (const char* text = __atomic_load_n(&what_, __ATOMIC_ACQUIRE)) return text;
    return ComposeWhat();
  }

 private:
  static ObjectPtr<ErrorObj> Create(std::string_view kind, std::string_view message, std::string_view backtrace,
                                    const Object* cause, const Object* extra_context) {
    TVMFFIByteArray texts[] = {detail::ToByteArray(kind), detail::ToByteArray(message), detail::ToByteArray(backtrace)};
    TVMFFIObjectHandle handle = nullptr;
    if (TVMFFIErrorCreateWithCauseAndExtraContext(&texts[0], &texts[1], &texts[2], const_cast<Object*>(cause),
                                                  const_cast<Object*>(extra_context), &handle) != 0) {
      throw std::bad_alloc();
    }
    return detail::ObjectAccess::Adopt<ErrorObj>(handle);
  }
  const char* ComposeWhat() const noexcept {
    size_t kind_size = kind().size();
    size_t message_size = message().size();
    char* text = static_cast<char*>(std::malloc(kind_size + message_size + 3));
    if (text == nullptr) return get()->message.data;
    std::memcpy(text, kind().data(), kind_size);
    std::memcpy(text + kind_size, ": ", 2);
    std::memcpy(text + kind_size + 2, message().data(), message_size);
    text[kind_size + 2 + message_size] = '\0';
    char* expected = nullptr;
    if (__atomic_compare_exchange_n(&what_, &expected, text, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return text;
    std::free(text);
    return expected;
  }
  void ForgetWhat() noexcept {
    std::free(what_);
    what_ = nullptr;
  }

  mutable char* what_ = nullptr;  // composed at the first call of what()
};

namespace detail {

/* Collects a message. */
class ErrorStream {
 public:
  template <class T>
  ErrorStream& operator<<(const T& value) {
    stream_ << value;
    return *this;
  }
  std::string str() const { return stream_.str(); }

 private:
  std::ostringstream stream_;
};

/* Throws the message that stands to the right of `&`, which binds weaker than `<<`. */
class ErrorThrower {
 public:
  ErrorThrower(const char* kind, const char* file, int line, const char* function) noexcept
      : kind_(kind), file_(file), line_(line), function_(function) {}
  [[noreturn]] void operator&(const ErrorStream& message) const {
    const TVMFFIByteArray* backtrace = TVMFFIBacktrace(file_, line_, function_, 0);
    throw Error(kind_, message.str(), ToStringView(*backtrace));
  }

 private:
  const char* kind_;
  const char* file_;
  int line_;
  const char* function_;
};

[[noreturn]] inline void ThrowNullReference(const char* type_key) {
  throw Error("TypeError", std::string("Expected an object of type `") + type_key + "` but got NULL", "");
}

/* Throws what the thread's last failed C call left behind. */
[[noreturn]] inline void ThrowRaised() {
  TVMFFIObjectHandle handle = nullptr;
  TVMFFIErrorMoveFromRaised(&handle);
  if (handle == nullptr) throw Error("InternalError", "A call failed without saying why", "");
  throw Error(ObjectAccess::Adopt<ErrorObj>(handle));
}

/* Stores an error in the thread's error slot. */
inline void Raise(const Error& error) noexcept { TVMFFIErrorSetRaised(ObjectAccess::Header(error.get())); }

/* Stores an exception that is being handled in the thread's error slot. Telling its type takes another throw. */
inline void RaiseCurrentException() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    Raise(error);
  } catch (const std::exception& error) {
    TVMFFIErrorSetRaisedFromCStr("InternalError", error.what());
  } catch (...) {
    TVMFFIErrorSetRaisedFromCStr("InternalError", "A C++ exception that is no std::exception");
  }
}

}  // namespace detail

/* Throws the thread's error when a function of the C contract returned nonzero. */
inline void CheckCall(int code) {
  if (code != 0) detail::ThrowRaised();
}

}  // namespace transom

/* Throws an Error of the named kind: TRANSOM_THROW(ValueError) << "Expected ... but got " << x; */
#define TRANSOM_THROW(Kind) \
  ::transom::detail::ErrorThrower(#Kind, __FILE__, __LINE__, __func__) & ::transom::detail::ErrorStream()

/* Throws unless the condition holds: TRANSOM_CHECK(n >= 0, ValueError) << "Expected ... but got " << n; */
#define TRANSOM_CHECK(condition, Kind) (condition) ? static_cast<void>(0) : TRANSOM_THROW(Kind)

/* Around the body of a C function that returns int: 0 at the end, -1 and a raised error after an exception. */
#define TRANSOM_SAFE_CALL_BEGIN() try {
#define TRANSOM_SAFE_CALL_END()                 \
  return 0;                                     \
  }                                             \
  catch (const ::transom::Error& error) {       \
    ::transom::detail::Raise(error);            \
    return -1;                                  \
  }                                             \
  catch (...) {                                 \
    ::transom::detail::RaiseCurrentException(); \
    return -1;                                  \
  }                                             \
  static_assert(true, "")

#endif  // TRANSOM_RUNTIME_ERROR_H_
