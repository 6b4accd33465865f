// A library of exported functions, for module_test.cc.
#include <transom/containers/array.h>
#include <transom/reflection/export_function.h>
#include <transom/runtime/c_env_api.h>
#include <transom/runtime/function.h>

#include <cstdint>

namespace ffi = transom;

extern "C" {
// Set by the maker of a module of this library.
TRANSOM_FFI_DLL void* __tvm_ffi__library_ctx = nullptr;
TRANSOM_FFI_DLL void* transom_test_context = nullptr;
// Data that is named like a function.
TRANSOM_FFI_DLL int64_t __tvm_ffi_number = 7;
}

static int64_t AddOne(int64_t x) { return x + 1; }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, AddOne);
TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(add_one, "The number after x.");

TVM_FFI_DLL_EXPORT_TYPED_FUNC(main, [] { return ffi::String("main"); });
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fail, [](ffi::String text) { TRANSOM_THROW(ValueError) << text; });
TVM_FFI_DLL_EXPORT_TYPED_FUNC(context, [] { return transom_test_context; });
TVM_FFI_DLL_EXPORT_TYPED_FUNC(own_module, [] { return __tvm_ffi__library_ctx; });
TVM_FFI_DLL_EXPORT_TYPED_FUNC(texts, [] {
  return ffi::Array<ffi::String>{"a text that is an object", "another text of that kind"};
});

// Calls a function that is found by name through the module.
TVM_FFI_DLL_EXPORT_TYPED_FUNC(call, [](ffi::String name, ffi::Any argument) {
  TVMFFIObjectHandle function = nullptr;
  ffi::CheckCall(TVMFFIEnvModLookupFromImports(__tvm_ffi__library_ctx, name.c_str(), &function));
  TVMFFIAny result{};
  ffi::CheckCall(TVMFFIFunctionCall(function, const_cast<TVMFFIAny*>(argument.raw()), 1, &result));
  return ffi::Any::FromOwned(result);
});
