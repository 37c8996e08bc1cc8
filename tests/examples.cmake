# Every example runs, ends well and says something.
foreach(name ${example_names})
    add_test(NAME example/${name} COMMAND example_${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(example/${name} PROPERTIES LABELS "fast;example" TIMEOUT 60)
endforeach()
# Those that use threads also run under the thread sanitizer.
foreach(name save_restore pushes worlds)
    if(TARGET example_${name})
        set_property(TEST example/${name} APPEND PROPERTY LABELS thread)
        add_dependencies(thread_tests example_${name})
    endif()
endforeach()
