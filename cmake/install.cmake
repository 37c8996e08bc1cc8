# `make install`: library, headers, program and a CMake package (find_package(dashpot)).
include(CMakePackageConfigHelpers)

install(TARGETS dashpot dashpot_flags EXPORT dashpotTargets)
install(TARGETS dashpot_program RUNTIME)
install(DIRECTORY include/dashpot DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT dashpotTargets NAMESPACE dashpot:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dashpot)
configure_package_config_file(cmake/dashpotConfig.cmake.in dashpotConfig.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dashpot)
write_basic_package_version_file(dashpotConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dashpotConfig.cmake ${PROJECT_BINARY_DIR}/dashpotConfigVersion.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dashpot)
