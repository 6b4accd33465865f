# The libraries that the build needs, each as one target. All come from the system; nothing is downloaded.

# Stops with the name of what is missing and how to get it.
function(transom_missing what package)
  message(FATAL_ERROR "${what} not found. Install it (Debian, Ubuntu: apt-get install ${package}; "
                      "tools/setup.sh installs all that is missing) or name its place with CMAKE_PREFIX_PATH.")
endfunction()

# An imported target for a library that is used through its headers.
function(transom_find_headers target header package)
  string(MAKE_C_IDENTIFIER "${header}" id)
  find_path(TRANSOM_INCLUDE_${id} NAMES "${header}" DOC "Folder of <${header}>")
  mark_as_advanced(TRANSOM_INCLUDE_${id})
  if(NOT TRANSOM_INCLUDE_${id})
    transom_missing("<${header}>" "${package}")
  endif()
  add_library(${target} INTERFACE IMPORTED)
  target_include_directories(${target} SYSTEM INTERFACE "${TRANSOM_INCLUDE_${id}}")
endfunction()

find_package(Threads REQUIRED)
transom_find_headers(transom_deps::dlpack dlpack/dlpack.h libdlpack-dev)
transom_find_headers(transom_deps::rapidjson rapidjson/rapidjson.h rapidjson-dev)

transom_find_headers(transom_deps::flatbuffers flatbuffers/flatbuffers.h libflatbuffers-dev)
find_program(TRANSOM_FLATC flatc DOC "The FlatBuffers compiler")
mark_as_advanced(TRANSOM_FLATC)
if(NOT TRANSOM_FLATC)
  transom_missing("flatc" flatbuffers-compiler)
endif()

transom_find_headers(transom_deps::xxhash xxhash.h libxxhash-dev)
find_library(TRANSOM_XXHASH_LIBRARY NAMES xxhash DOC "The xxHash library")
mark_as_advanced(TRANSOM_XXHASH_LIBRARY)
if(NOT TRANSOM_XXHASH_LIBRARY)
  transom_missing("libxxhash" libxxhash-dev)
endif()
target_link_libraries(transom_deps::xxhash INTERFACE "${TRANSOM_XXHASH_LIBRARY}")

if(TRANSOM_BUILD_TOOLS)
  find_package(CLI11 CONFIG QUIET)
  if(NOT CLI11_FOUND)
    transom_missing("CLI11" libcli11-dev)
  endif()
endif()

if(TRANSOM_BUILD_TESTS)
  find_package(GTest QUIET)
  if(NOT GTest_FOUND)
    transom_missing("GoogleTest" libgtest-dev)
  endif()
endif()

if(TRANSOM_BUILD_BENCH)
  find_package(benchmark CONFIG QUIET)
  if(NOT benchmark_FOUND)
    transom_missing("Google Benchmark" libbenchmark-dev)
  endif()
endif()
