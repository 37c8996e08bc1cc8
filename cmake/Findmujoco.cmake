# MuJoCo as the target mujoco::mujoco: a peer for tests and benchmarks, never part of the library.
#
# The package's own configuration also asks for OpenGL, which neither of them needs and a small
# installation does not have.
find_path(mujoco_INCLUDE_DIR mujoco/mujoco.h)
find_library(mujoco_LIBRARY mujoco)
mark_as_advanced(mujoco_INCLUDE_DIR mujoco_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(mujoco REQUIRED_VARS mujoco_LIBRARY mujoco_INCLUDE_DIR)
if(mujoco_FOUND AND NOT TARGET mujoco::mujoco)
    add_library(mujoco::mujoco UNKNOWN IMPORTED)
    set_target_properties(mujoco::mujoco PROPERTIES
        IMPORTED_LOCATION ${mujoco_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${mujoco_INCLUDE_DIR})
endif()
