# What not every program shall link to, as modules that are loaded where they are asked for: src/base/plugin.h.
file(RELATIVE_PATH program_to_plugins /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR}/dashpot)
set_source_files_properties(src/base/plugin.c PROPERTIES COMPILE_DEFINITIONS # _GNU_SOURCE: for dladdr
    "_GNU_SOURCE;DP_PROGRAM_TO_PLUGINS=\"${program_to_plugins}\";DP_INSTALLED_PLUGINS=\"${CMAKE_INSTALL_FULL_LIBDIR}/dashpot\"")

set(plugins)
function(add_plugin name library) # plugins/dashpot_<name>.c wraps the library
    add_library(dashpot_${name} MODULE plugins/dashpot_${name}.c)
    set_target_properties(dashpot_${name} PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden)
    target_include_directories(dashpot_${name} PRIVATE src)
    target_link_libraries(dashpot_${name} PRIVATE ${library} m dashpot_flags)
    add_dependencies(dashpot dashpot_${name}) # whoever builds the library can use it
    set(plugins ${plugins} dashpot_${name} PARENT_SCOPE)
endfunction()

if(DP_HDF5)
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND)
        pkg_search_module(HDF5 QUIET IMPORTED_TARGET hdf5-serial hdf5)
    endif()
    if(HDF5_FOUND)
        add_plugin(hdf5 PkgConfig::HDF5)
    else()
        message(STATUS "HDF5 is missing (libhdf5-dev): FCLIB's files are not read")
    endif()
endif()
if(DP_SUNDIALS)
    find_package(Cvode QUIET)
    if(Cvode_FOUND)
        add_plugin(cvode Cvode::Cvode)
    else()
        message(STATUS "SUNDIALS 6 is missing (libsundials-dev): there is no integrator=cvode")
    endif()
endif()
