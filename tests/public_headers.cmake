# Every public header compiles alone, twice in a row, as C++17; the C ABI headers as C99 too. Checked by building.

file(GLOB_RECURSE public_headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/include"
     "${PROJECT_SOURCE_DIR}/include/transom/*.h")
set(header_sources "")
foreach(header IN LISTS public_headers)
  string(MAKE_C_IDENTIFIER "${header}" id)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/headers/${id}.cc")
  file(CONFIGURE OUTPUT "${source}" CONTENT "#include <${header}>\n#include <${header}>\n" @ONLY)
  list(APPEND header_sources "${source}")
endforeach()
add_library(transom_header_checks OBJECT ${header_sources})

set(c_sources "")
foreach(name c_api c_env_api)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/headers/${name}_as_c99.c")
  set(include "#include <transom/runtime/${name}.h>")
  file(CONFIGURE OUTPUT "${source}" CONTENT "${include}\n${include}\nint (*const check_${name})(void) = 0;\n" @ONLY)
  list(APPEND c_sources "${source}")
endforeach()
add_library(transom_c_header_checks OBJECT ${c_sources})

foreach(target transom_header_checks transom_c_header_checks)
  target_link_libraries(${target} PRIVATE transom_options transom_deps::dlpack)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/include")
  # Nothing runs: the least work for the compiler.
  target_compile_options(${target} PRIVATE -O0 -g0)
  set_target_properties(${target} PROPERTIES
    CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
    C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
endforeach()
