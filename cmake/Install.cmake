# Install rules: libraries, headers, program, CMake package (find_package(transom)), pkg-config file, licence. A tree
# whose CMAKE_INSTALL_*DIR are relative can be moved; an absolute one stays what it is.

include(CMakePackageConfigHelpers)

if(transom_external)
  set(installed_libraries transom)
else()
  set(installed_libraries transom_runtime transom transom_ffi)
endif()
install(TARGETS ${installed_libraries} EXPORT transom-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET transom_cli)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_BINDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(program_rpath "${CMAKE_INSTALL_FULL_LIBDIR}")
  else()
    file(RELATIVE_PATH program_rpath "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
    string(PREPEND program_rpath "$ORIGIN/")
  endif()
  set_target_properties(transom_cli PROPERTIES INSTALL_RPATH "${program_rpath}")
  install(TARGETS transom_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/transom" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/schema/" DESTINATION ${CMAKE_INSTALL_DATADIR}/transom/schema)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/transom")
if(transom_external)
  install(FILES "${PROJECT_SOURCE_DIR}/cmake/ExternalRuntime.cmake" DESTINATION "${package_dir}")
endif()
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/transom-config.cmake.in"
  "${PROJECT_BINARY_DIR}/generated/transom-config.cmake" INSTALL_DESTINATION "${package_dir}"
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/generated/transom-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/generated/transom-config.cmake"
              "${PROJECT_BINARY_DIR}/generated/transom-config-version.cmake" DESTINATION "${package_dir}")
install(EXPORT transom-targets NAMESPACE transom:: DESTINATION "${package_dir}")

# pkg-config: found from the place of the .pc file.
foreach(kind INCLUDE LIB)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${kind}DIR}")
    set(PC_${kind}DIR "${CMAKE_INSTALL_${kind}DIR}")
  else()
    set(PC_${kind}DIR "\${prefix}/${CMAKE_INSTALL_${kind}DIR}")
  endif()
endforeach()
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  string(REGEX REPLACE "/$" "" up "${up}")
  set(PC_PREFIX "\${pcfiledir}/${up}")
endif()
if(transom_external)
  get_filename_component(external_dir "${transom_tvm_ffi_library}" DIRECTORY)
  set(PC_RUNTIME "-L${external_dir} -Wl,-rpath,${external_dir} -ltvm_ffi")
else()
  set(PC_RUNTIME -ltransom_runtime)
endif()
# DLPack has no .pc file; compilers find the distribution's header by themselves.
set(PC_DLPACK "")
if(NOT TRANSOM_INCLUDE_dlpack_dlpack_h IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
  set(PC_DLPACK " -I${TRANSOM_INCLUDE_dlpack_dlpack_h}")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/transom.pc.in" "${PROJECT_BINARY_DIR}/generated/transom.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/generated/transom.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(PROJECT_IS_TOP_LEVEL)
  include(cmake/Package.cmake)
endif()
