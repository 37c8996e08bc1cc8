# CVODE of SUNDIALS 6, in double precision: Cvode_FOUND and the target Cvode::Cvode.
include(CheckCSourceCompiles)
include(CMakePushCheckState)
include(FindPackageHandleStandardArgs)
find_path(Cvode_INCLUDE_DIR cvode/cvode.h)
set(Cvode_LIBRARIES)
foreach(part cvode nvecserial sunmatrixdense sunlinsoldense)
    find_library(Cvode_${part}_LIBRARY sundials_${part})
    list(APPEND Cvode_LIBRARIES ${Cvode_${part}_LIBRARY})
endforeach()
if(Cvode_INCLUDE_DIR AND NOT Cvode_LIBRARIES MATCHES "NOTFOUND")
    cmake_push_check_state(RESET)
    set(CMAKE_REQUIRED_INCLUDES ${Cvode_INCLUDE_DIR})
    set(CMAKE_REQUIRED_LIBRARIES ${Cvode_LIBRARIES})
    set(CMAKE_REQUIRED_QUIET ON)
    check_c_source_compiles("
        #include <cvode/cvode.h>
        #include <sundials/sundials_context.h>
        _Static_assert(sizeof(realtype) == sizeof(double), \"\");
        int main(void)
        {
            SUNContext context;
            return SUNContext_Create((void *)0, &context) + CVodeSetErrHandlerFn((void *)0, 0, (void *)0);
        }" Cvode_FITS)
    cmake_pop_check_state()
endif()
find_package_handle_standard_args(Cvode REQUIRED_VARS Cvode_LIBRARIES Cvode_INCLUDE_DIR Cvode_FITS)
if(Cvode_FOUND AND NOT TARGET Cvode::Cvode)
    add_library(Cvode::Cvode INTERFACE IMPORTED)
    target_include_directories(Cvode::Cvode SYSTEM INTERFACE ${Cvode_INCLUDE_DIR})
    target_link_libraries(Cvode::Cvode INTERFACE ${Cvode_LIBRARIES})
endif()
