# What is common to all targets of the project: warnings, sanitizers, visibility, places in the build folder.

add_library(transom_options INTERFACE)

if(PROJECT_IS_TOP_LEVEL OR TRANSOM_DEVELOPER_MODE)
  target_compile_options(transom_options INTERFACE -Wall -Wextra)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 reports overlapping copies inside std::string operator+ that cannot happen (GCC bug 105651).
  target_compile_options(transom_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(TRANSOM_DEVELOPER_MODE)
  target_compile_options(transom_options INTERFACE -Werror)
endif()

if(TRANSOM_SANITIZE)
  list(JOIN TRANSOM_SANITIZE "," sanitizers)
  if(NOT "${sanitizers}" MATCHES "^(address|undefined|thread)(,(address|undefined|thread))*$" OR
     "${sanitizers}" MATCHES "address.*thread|thread.*address")
    message(FATAL_ERROR "TRANSOM_SANITIZE is \"${TRANSOM_SANITIZE}\": expected a list of address, undefined, thread; "
                        "address and thread exclude each other.")
  endif()
  target_compile_options(transom_options INTERFACE -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(transom_options INTERFACE -fsanitize=${sanitizers})
endif()

# Options of one target. Sources may use C++20; headers promise C++17 to users (set by the caller as PUBLIC feature).
function(transom_configure_target target)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:transom_options>)
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  get_target_property(type ${target} TYPE)
  if(PROJECT_IS_TOP_LEVEL AND NOT type STREQUAL "OBJECT_LIBRARY")
    set_target_properties(${target} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin"
      LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib"
      ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
  endif()
  # A library that forgot to link something fails here, not in its user. Sanitizers bring symbols only with the program.
  if(type STREQUAL "SHARED_LIBRARY" AND NOT TRANSOM_SANITIZE)
    target_link_options(${target} PRIVATE LINKER:-z,defs)
  endif()
endfunction()
