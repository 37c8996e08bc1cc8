# An installed Dashpot serves a user's project, as a static and as a shared library.
set(install_tests ${CMAKE_CURRENT_SOURCE_DIR}/install)
add_test(NAME install/static_library COMMAND ${install_tests}/install_test.sh
    ${PROJECT_BINARY_DIR} ${CMAKE_CURRENT_BINARY_DIR}/install_static ${CMAKE_C_COMPILER})
set_tests_properties(install/static_library PROPERTIES LABELS "fast;install" TIMEOUT 120)
add_test(NAME install/shared_library COMMAND ${install_tests}/shared_test.sh
    ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/install_shared ${CMAKE_C_COMPILER})
add_test(NAME install/program_links_to_what_is_promised
    COMMAND ${install_tests}/promised_libraries.sh $<TARGET_FILE:dashpot_program>)
set_tests_properties(install/program_links_to_what_is_promised PROPERTIES LABELS "fast;install" TIMEOUT 60)
set_tests_properties(install/shared_library PROPERTIES LABELS "slow;install" TIMEOUT 300)
