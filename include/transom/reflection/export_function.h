/*
 * Functions that a shared library exports for Module::LoadFromFile in any language:
 *
 *   static int64_t AddOne(int64_t x) { return x + 1; }
 *   TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, AddOne);
 *   TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(add_one, "The number after x.");
 *
 * The function is the C symbol __tvm_ffi_add_one, of the one signature of the contract. Beside it the library exports a
 * function that gives its metadata, and one that gives its doc where there is one.
 */
#ifndef TRANSOM_REFLECTION_EXPORT_FUNCTION_H_
#define TRANSOM_REFLECTION_EXPORT_FUNCTION_H_

#include <transom/containers/string.h>
#include <transom/reflection/registry.h>
#include <transom/runtime/c_api.h>
#include <transom/runtime/error.h>
#include <transom/runtime/function.h>

#include <string>

namespace transom {
namespace reflection {
namespace detail {

/* Body of an exported function: what the callable throws is stored as the thread's error. */
template <class F>
int CallExported(F callable, const char* name, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) noexcept {
  TRANSOM_SAFE_CALL_BEGIN();
  Any value;
  const transom::detail::CallSite site{name, &CallableTraits<F>::SignatureText};
  transom::detail::CallTyped(callable, site, reinterpret_cast<const AnyView*>(args), num_args, &value);
  transom::detail::StoreResult(&value, result);
  TRANSOM_SAFE_CALL_END();
}

/* Body of a function that gives a text about an exported function. */
template <class MakeText>
int ReturnText(MakeText make_text, TVMFFIAny* result) noexcept {
  TRANSOM_SAFE_CALL_BEGIN();
  Any text{String(make_text())};
  transom::detail::StoreResult(&text, result);
  TRANSOM_SAFE_CALL_END();
}

/* Body of the function that gives the metadata of an exported callable. */
template <class F>
int ReturnMetadata(F, TVMFFIAny* result) noexcept {
  return ReturnText([] { return SchemaMetadata(CallableTraits<F>::Schema()); }, result);
}

}  // namespace detail
}  // namespace reflection
}  // namespace transom

/* At namespace scope: exports a typed callable (a function, or an object with one call operator) under a name, a C
 * identifier, together with its metadata. Two exports of one name do not compile or link. */
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC(ExportName, ...)                                                            \
  extern "C" {                                                                                                    \
  TRANSOM_FFI_DLL int __tvm_ffi_##ExportName(void*, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) { \
    return ::transom::reflection::detail::CallExported(__VA_ARGS__, #ExportName, args, num_args, result);         \
  }                                                                                                               \
  TRANSOM_FFI_DLL int __tvm_ffi__metadata_##ExportName(void*, const TVMFFIAny*, int32_t, TVMFFIAny* result) {     \
    return ::transom::reflection::detail::ReturnMetadata(__VA_ARGS__, result);                                    \
  }                                                                                                               \
  }                                                                                                               \
  static_assert(true, "")

/* The same for what a user reads about an exported function. */
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(ExportName, Doc)                                                          \
  extern "C" TRANSOM_FFI_DLL int __tvm_ffi__doc_##ExportName(void*, const TVMFFIAny*, int32_t, TVMFFIAny* result) { \
    return ::transom::reflection::detail::ReturnText([] { return std::string(Doc); }, result);                      \
  }                                                                                                                 \
  static_assert(true, "")

#endif  // TRANSOM_REFLECTION_EXPORT_FUNCTION_H_
