# The C ABI from the apache-tvm-ffi package of PyPI, as imported target transom::runtime, where Transom is built with
# TRANSOM_RUNTIME=external. Used by the build and, installed beside it, by the package configuration.
#   TRANSOM_TVM_FFI_ROOT  folder that has libtvm_ffi.so or lib/libtvm_ffi.so; not given: python3 is asked for it

set(TRANSOM_TVM_FFI_ROOT "" CACHE PATH "Folder of the tvm_ffi package that provides the C ABI (default: asked from python3)")

# Sets `result` to the path of the library, or `reason` to why there is none.
function(transom_find_tvm_ffi result reason)
  set(root "${TRANSOM_TVM_FFI_ROOT}")
  if(NOT root)
    find_program(python NAMES python3 python NO_CACHE)
    if(NOT python)
      set(${reason} "there is no python3 to ask; name the folder of the tvm_ffi package with TRANSOM_TVM_FFI_ROOT" PARENT_SCOPE)
      return()
    endif()
    execute_process(COMMAND "${python}" -m tvm_ffi.config --libdir
      OUTPUT_VARIABLE root OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
      set(${reason} "${python} has no package apache-tvm-ffi; install it (pip install apache-tvm-ffi) or name the folder \
of another installation's tvm_ffi package with TRANSOM_TVM_FFI_ROOT" PARENT_SCOPE)
      return()
    endif()
  endif()
  find_library(library NAMES tvm_ffi PATHS "${root}" PATH_SUFFIXES lib NO_DEFAULT_PATH NO_CACHE)
  if(library)
    set(${result} "${library}" PARENT_SCOPE)
  else()
    set(${reason} "there is no libtvm_ffi.so in ${root} or ${root}/lib; name its folder with TRANSOM_TVM_FFI_ROOT" PARENT_SCOPE)
  endif()
endfunction()

if(NOT TARGET transom::runtime)
  set(transom_tvm_ffi_library "")
  set(transom_tvm_ffi_reason "")
  transom_find_tvm_ffi(transom_tvm_ffi_library transom_tvm_ffi_reason)
  if(transom_tvm_ffi_library)
    add_library(transom::runtime SHARED IMPORTED GLOBAL)
    set_target_properties(transom::runtime PROPERTIES
      IMPORTED_LOCATION "${transom_tvm_ffi_library}" IMPORTED_SONAME libtvm_ffi.so)
  endif()
endif()
