# `make install`: library, headers, program, scenes, a CMake package and a pkg-config file. All of it can be
# moved to another prefix afterwards: nothing that is installed holds an absolute path.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dashpot)
install(TARGETS dashpot EXPORT dashpotTargets)
install(TARGETS dashpot_program RUNTIME)
install(DIRECTORY include/dashpot DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/dashpot FILES_MATCHING
    PATTERN "*.xml" PATTERN "*.urdf")
install(FILES docs/dashpot.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES tools/completion.bash
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME dashpot)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

file(RELATIVE_PATH bin_to_lib /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
set_target_properties(dashpot_program PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")

# find_package(dashpot)
install(EXPORT dashpotTargets NAMESPACE dashpot:: DESTINATION ${package_dir})
configure_package_config_file(cmake/dashpotConfig.cmake.in dashpotConfig.cmake
    INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(dashpotConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dashpotConfig.cmake ${PROJECT_BINARY_DIR}/dashpotConfigVersion.cmake
    DESTINATION ${package_dir})

# pkg-config dashpot. What a static library needs must be named to whoever links it.
file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
if(BUILD_SHARED_LIBS)
    set(pc_private ".private")
    set(pc_libs "")
else()
    set(pc_private "")
    set(pc_libs " -lm -pthread")
endif()
set(pc_hdf5 "")
if(HDF5_FOUND)
    set(pc_hdf5 ", ${HDF5_MODULE_NAME}")
endif()
configure_file(cmake/dashpot.pc.in dashpot.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/dashpot.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
