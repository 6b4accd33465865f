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
  add_test(NAME project.exported_symbols
    COMMAND bash "${CMAKE_CURRENT_SOURCE_DIR}/project/exported_symbols.sh"
            "${TRANSOM_NM}" "$<TARGET_FILE:transom_runtime>" "$<TARGET_FILE:transom>")
  set_tests_properties(project.exported_symbols PROPERTIES LABELS core)
endif()

# Includes only point to the same or a lower layer.
add_test(NAME project.layers COMMAND bash "${CMAKE_CURRENT_SOURCE_DIR}/project/layers.sh" "${PROJECT_SOURCE_DIR}")
set_tests_properties(project.layers PROPERTIES LABELS core)

# An installed tree can be moved and used by other projects. The sanitizers' runtime would have to be in the user's build.
if(TRANSOM_INSTALL AND NOT TRANSOM_SANITIZE)
  add_test(NAME project.install
    COMMAND bash "${CMAKE_CURRENT_SOURCE_DIR}/project/install_test.sh"
            "${CMAKE_COMMAND}" "${PROJECT_BINARY_DIR}" "${CMAKE_CXX_COMPILER}" "${CMAKE_CURRENT_BINARY_DIR}/install_test")
  set_tests_properties(project.install PROPERTIES LABELS core)
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
