# What the tree promises and a machine can see (tools/check_*). The name of a test is the promise.
function(add_promise name)
    add_test(NAME repository/${name} COMMAND ${ARGN})
    set_tests_properties(repository/${name} PROPERTIES LABELS "fast;repository" TIMEOUT 120)
endfunction()

set(python ${Python3_EXECUTABLE} -B)
set(tools ${PROJECT_SOURCE_DIR}/tools)
add_promise(no_include_points_up ${python} ${tools}/check_repository.py levels)
add_promise(programs_use_the_public_api_only ${python} ${tools}/check_repository.py outside)
add_promise(plugins_know_nothing_of_the_library ${python} ${tools}/check_repository.py plugins)
add_promise(checks_of_the_auditor_know_nothing_of_the_library ${python} ${tools}/check_repository.py audit)
add_promise(public_headers_include_no_inner_ones ${python} ${tools}/check_repository.py public)
add_promise(file_names_are_unique ${python} ${tools}/check_repository.py names)
add_promise(every_folder_has_a_readme ${python} ${tools}/check_repository.py readmes)
add_promise(every_citation_has_an_entry ${python} ${tools}/check_repository.py citations)
add_promise(no_machine_path_and_no_unfinished_mark ${python} ${tools}/check_repository.py paths)
add_promise(links_lead_somewhere ${python} ${tools}/check_repository.py links)
add_promise(constants_of_contact_are_in_one_header ${python} ${tools}/check_repository.py constants)
add_promise(listings_are_examples ${python} ${tools}/check_repository.py listings)
add_promise(prose_is_wrapped ${python} ${tools}/check_repository.py prose)
add_promise(documents_use_the_words_of_the_field ${python} ${tools}/check_repository.py words)
add_promise(completion_is_valid_bash bash -n ${tools}/completion.bash)
add_promise(the_reference_has_every_function ${python} ${tools}/make_api.py --check)
add_promise(every_check_catches_a_violation ${python} ${tools}/test_check_repository.py)
add_promise(headers_stand_alone_in_c_and_cxx
    ${tools}/check_headers.sh ${CMAKE_C_COMPILER} ${CMAKE_CXX_COMPILER})

file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/objects.txt
    CONTENT "$<JOIN:$<TARGET_OBJECTS:dashpot>,\n>\n")
add_promise(the_library_calls_nothing_it_should_not
    ${python} ${tools}/check_symbols.py calls ${CMAKE_CURRENT_BINARY_DIR}/objects.txt)

# Every command of these pages is run as it is printed.
file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/tutorials/*.md)
list(APPEND pages ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/docs/which-law.md
    ${PROJECT_SOURCE_DIR}/docs/troubleshooting.md)
foreach(page ${pages})
    get_filename_component(name ${page} NAME_WE)
    add_promise(commands_work_as_printed_in_${name}
        ${python} ${tools}/check_commands.py $<TARGET_FILE:dashpot_program> ${page})
endforeach()
