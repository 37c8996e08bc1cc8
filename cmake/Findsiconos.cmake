# Siconos' numerics, for comparison: siconos_FOUND and the target siconos::numerics. Debian has neither a CMake
# package nor a pkg-config file for it.
include(FindPackageHandleStandardArgs)
find_path(siconos_INCLUDE_DIR numerics/FrictionContactProblem.h PATH_SUFFIXES siconos)
find_library(siconos_LIBRARY siconos_numerics)
find_library(siconos_externals_LIBRARY siconos_externals)
find_package_handle_standard_args(siconos
    REQUIRED_VARS siconos_LIBRARY siconos_externals_LIBRARY siconos_INCLUDE_DIR)
if(siconos_FOUND AND NOT TARGET siconos::numerics)
    add_library(siconos::numerics INTERFACE IMPORTED)
    target_include_directories(siconos::numerics SYSTEM INTERFACE
        ${siconos_INCLUDE_DIR} ${siconos_INCLUDE_DIR}/numerics)
    target_link_libraries(siconos::numerics INTERFACE ${siconos_LIBRARY} ${siconos_externals_LIBRARY})
endif()
