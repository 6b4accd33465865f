# Checks of the built libraries and of the tree that need no program of their own.

find_program(TRANSOM_NM NAMES nm llvm-nm)
find_program(TRANSOM_READELF NAMES readelf llvm-readelf)
mark_as_advanced(TRANSOM_NM TRANSOM_READELF)
if(transom_external AND TRANSOM_NM AND TRANSOM_READELF)
  add_test(NAME project.external_runtime
    COMMAND bash "${CMAKE_CURRENT_SOURCE_DIR}/project/external_runtime.sh"
            "${TRANSOM_NM}" "${TRANSOM_READELF}" "$<TARGET_FILE:transom>" "$<TARGET_FILE:transom::runtime>")
  set_tests_properties(project.external_runtime PROPERTIES LABELS core)
elseif(TRANSOM_NM)
  # libtransom_runtime exports the C ABI and nothing else; libtransom adds no TVMFFI symbol and uses no C++ symbol of it.
  # libtransom_ffi has what both have.
  add_test(NAME project.exported_symbols
    COMMAND bash "${CMAKE_CURRENT_SOURCE_DIR}/project/exported_symbols.sh"
            "${TRANSOM_NM}" "$<TARGET_FILE:transom_runtime>" "$<TARGET_FILE:transom>" "$<TARGET_FILE:transom_ffi>")
  set_tests_properties(project.exported_symbols PROPERTIES LABELS core)
endif()

# Includes only point to the same or a lower layer.
add_test(NAME project.layers COMMAND bash "${CMAKE_CURRENT_SOURCE_DIR}/project/layers.sh" "${PROJECT_SOURCE_DIR}")
set_tests_properties(project.layers PROPERTIES LABELS core)

# What users get: an installed tree that was moved, packages, and a project that adds this one as a subdirectory. Their
# programs are built with the compilers of this build. The sanitizers' runtime would have to be in the users' build.
set(user_options "")
if(transom_external)
  get_filename_component(external_dir "${transom_tvm_ffi_library}" DIRECTORY)
  set(user_options "-DTRANSOM_TVM_FFI_ROOT=${external_dir}")
endif()
function(transom_add_user_test name label script)
  add_test(NAME project.${name} COMMAND bash "${CMAKE_CURRENT_SOURCE_DIR}/project/${script}" "${CMAKE_COMMAND}" ${ARGN})
  set_tests_properties(project.${name} PROPERTIES LABELS ${label} TIMEOUT 1800 SKIP_RETURN_CODE 77 ENVIRONMENT
    "CC=${CMAKE_C_COMPILER};CXX=${CMAKE_CXX_COMPILER};CMAKE_GENERATOR=${CMAKE_GENERATOR};CMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER};CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER};USER_OPTIONS=${user_options}")
endfunction()

if(NOT TRANSOM_SANITIZE)
  set(user_scratch "${CMAKE_CURRENT_BINARY_DIR}/users")
  if(TRANSOM_INSTALL)
    transom_add_user_test(install core
      install_test.sh "${PROJECT_BINARY_DIR}" "${user_scratch}/install" ${PROJECT_VERSION})
    # What another provider's library belongs to, Debian does not know.
    if(NOT transom_external)
      transom_add_user_test(package core
        package_test.sh "${PROJECT_BINARY_DIR}" "${user_scratch}/package" ${PROJECT_VERSION})
    endif()
  endif()
  if(NOT transom_external)
    transom_add_user_test(subdirectory core
      subdirectory_test.sh "${PROJECT_SOURCE_DIR}" "${user_scratch}/subdirectory" runtime)
    # Compiles all of Transom once more.
    if(TRANSOM_TEST_ALL)
      transom_add_user_test(subdirectory_whole project
        subdirectory_test.sh "${PROJECT_SOURCE_DIR}" "${user_scratch}/subdirectory_whole" all)
    endif()
  endif()
endif()

# The umbrella header is complete.
add_test(NAME project.umbrella COMMAND bash "${CMAKE_CURRENT_SOURCE_DIR}/project/umbrella.sh" "${PROJECT_SOURCE_DIR}")
set_tests_properties(project.umbrella PROPERTIES LABELS core)

# What the README shows is what the program prints.
if(TARGET transom_cli)
  add_test(NAME project.readme
    COMMAND bash "${CMAKE_CURRENT_SOURCE_DIR}/project/readme.sh" "${PROJECT_SOURCE_DIR}/README.md"
            "$<TARGET_FILE:transom_cli>" "${CMAKE_CURRENT_SOURCE_DIR}/data/tvm-0.27")
  set_tests_properties(project.readme PROPERTIES LABELS core)
endif()
