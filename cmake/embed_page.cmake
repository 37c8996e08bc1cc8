# Make a C file of the viewer's page, cut at the mark where the data of a run go:
#     cmake -DPAGE=viewer/dist/page.html -DOUT=replay_page.c -P embed_page.cmake
file(READ "${PAGE}" bytes HEX)
string(HEX "@DASHPOT_DATA@" mark)
string(FIND "${bytes}" "${mark}" at)
if(at LESS 0)
    message(FATAL_ERROR "${PAGE}: found no mark for the data (expected @DASHPOT_DATA@)")
endif()
string(LENGTH "${mark}" length)
math(EXPR behind "${at} + ${length}")
string(SUBSTRING "${bytes}" 0 ${at} head)
string(SUBSTRING "${bytes}" ${behind} -1 tail)

set(code "// Made of viewer/dist/page.html by cmake/embed_page.cmake.\n#include \"record/replay/replay_page.h\"\n\n")
foreach(part head tail)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," ${part} "${${part}}")
    string(APPEND code "const unsigned char dp_replay_page_${part}[] = {\n${${part}}\n};\n"
        "const size_t dp_replay_page_${part}_bytes = sizeof dp_replay_page_${part};\n")
endforeach()
file(WRITE "${OUT}" "${code}")
