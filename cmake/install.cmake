# `make install`: library, headers, program, scenes, a CMake package and a pkg-config file. All of it can be
# moved to another prefix afterwards: nothing that is installed holds an absolute path, but for the place of plugins
# that programs elsewhere with a static library look into (src/base/plugin.h).
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dashpot)
set(plugin_dir ${CMAKE_INSTALL_LIBDIR}/dashpot)
install(DIRECTORY DESTINATION ${plugin_dir} COMPONENT library) # it is there, if empty
install(TARGETS ${plugins} LIBRARY DESTINATION ${plugin_dir} COMPONENT plugins)
install(TARGETS dashpot EXPORT dashpotTargets
    LIBRARY COMPONENT library NAMELINK_COMPONENT development
    ARCHIVE COMPONENT development)
install(TARGETS dashpot_program RUNTIME COMPONENT program)
install(DIRECTORY include/dashpot DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/dashpot COMPONENT program FILES_MATCHING
    PATTERN "*.xml" PATTERN "*.urdf")
install(FILES docs/dashpot.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES tools/completion.bash COMPONENT program
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME dashpot)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)

file(RELATIVE_PATH bin_to_lib /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
set_target_properties(dashpot_program PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")

# find_package(dashpot)
install(EXPORT dashpotTargets NAMESPACE dashpot:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(cmake/dashpotConfig.cmake.in dashpotConfig.cmake
    INSTALL_DESTINATION ${package_dir} PATH_VARS plugin_dir)
write_basic_package_version_file(dashpotConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dashpotConfig.cmake ${PROJECT_BINARY_DIR}/dashpotConfigVersion.cmake
    DESTINATION ${package_dir} COMPONENT development)

# pkg-config dashpot. What a static library needs must be named to whoever links it.
file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
if(BUILD_SHARED_LIBS)
    set(pc_private ".private")
    set(pc_libs "")
else()
    set(pc_private "")
    set(pc_libs " -lm -pthread -ldl")
endif()
configure_file(cmake/dashpot.pc.in dashpot.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/dashpot.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# `make deb`: the program, the library, its plugins, and what is needed to build with it, as Debian packages.
string(TOLOWER "libdashpot${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}" library_package)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME dashpot)
set(CPACK_PACKAGE_VENDOR "The Dashpot authors")
set(CPACK_PACKAGE_CONTACT "The Dashpot authors <authors@dashpot.invalid>")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program library development)
if(plugins)
    list(APPEND CPACK_COMPONENTS_ALL plugins)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME dashpot)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "${library_package} (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "multibody dynamics with contact: the program and its scenes")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library_package})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "${library_package}-plugins (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "multibody dynamics with contact: the library")
set(CPACK_DEBIAN_PLUGINS_PACKAGE_NAME ${library_package}-plugins)
set(CPACK_DEBIAN_PLUGINS_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PLUGINS_PACKAGE_DEPENDS "${library_package} (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_PLUGINS_DESCRIPTION "multibody dynamics with contact: HDF5 and CVODE for the library")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libdashpot-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${library_package} (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "multibody dynamics with contact: headers and CMake package")
include(CPack)
