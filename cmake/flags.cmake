# Compiler flags shared by every target of the project, through the target dashpot_flags.
#
# -ffp-contract=off: the same bits from gcc and clang; fused multiply-adds are never chosen for us.
# -fno-math-errno: sqrt is one instruction. -fno-tree-slp-vectorize: packing pairs of three-vector
# components costs gcc more than it gains (about 6 % of a step). Neither changes a bit of a result.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

add_library(dashpot_flags INTERFACE)
target_compile_options(dashpot_flags INTERFACE
    -ffp-contract=off -fno-math-errno $<$<C_COMPILER_ID:GNU>:-fno-tree-slp-vectorize>
    $<$<COMPILE_LANGUAGE:C>:-Wall;-Wextra;-Wpedantic;-Wconversion;-Wshadow;-Wstrict-prototypes;-Wmissing-prototypes>
    $<$<BOOL:${DP_WERROR}>:-Werror>)
target_compile_definitions(dashpot_flags INTERFACE _XOPEN_SOURCE=700) # POSIX.1-2008 with realpath

if(DP_SANITIZE)
    add_compile_options(-fsanitize=${DP_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${DP_SANITIZE})
endif()
