# Packages: `cpack -G DEB` or `cpack -G TGZ` in the build folder, from the install rules.

set(CPACK_GENERATOR TGZ)
find_program(TRANSOM_DPKG dpkg)
mark_as_advanced(TRANSOM_DPKG)
if(TRANSOM_DPKG)
  list(APPEND CPACK_GENERATOR DEB)
endif()

set(CPACK_PACKAGE_NAME transom)
set(CPACK_PACKAGE_VENDOR "The Transom maintainers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "Stores compiler IR exactly, tells whether two modules are the same and shows
what changed between them. Holds the program transom, the libraries, their C and
C++ headers with the CMake package and the pkg-config file, and the descriptions
of the IR of known producers.")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_IGNORE_FILES "/\\.git/" "/\\.cache/" "/build[^/]*/" "/__pycache__/")
# An absolute CMAKE_INSTALL_*DIR would be written to on this machine instead of into the package.
set(CPACK_ERROR_ON_ABSOLUTE_INSTALL_DESTINATION ON)

set(TRANSOM_PACKAGE_MAINTAINER "The Transom maintainers <maintainers@transom.invalid>" CACHE STRING
    "Maintainer field of the Debian package: NAME <ADDRESS>")
mark_as_advanced(TRANSOM_PACKAGE_MAINTAINER)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${TRANSOM_PACKAGE_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
# The libraries' packages, found from what the files link with, and the one of <dlpack/dlpack.h>.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/lib")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS libdlpack-dev)

include(CPack)
