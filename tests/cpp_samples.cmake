# The C++ samples of the documents compile.
foreach(document README docs/cpp)
  string(TOLOWER "project.samples_${document}" name)
  string(REPLACE "/" "_" name "${name}")
  add_test(NAME ${name} COMMAND bash "${CMAKE_CURRENT_SOURCE_DIR}/project/cpp_samples.sh" "${PROJECT_SOURCE_DIR}/${document}.md"
    "${CMAKE_CXX_COMPILER}" -std=c++17 "-I${PROJECT_SOURCE_DIR}/include" -idirafter "${TRANSOM_INCLUDE_dlpack_dlpack_h}")
  set_tests_properties(${name} PROPERTIES LABELS core)
endforeach()
