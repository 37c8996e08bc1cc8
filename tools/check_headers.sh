#!/bin/sh
# Every public header compiles on its own, as C17 and as C++17: tools/check_headers.sh CC CXX
set -eu
cd "$(dirname "$0")/.."
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror'
failed=0
probe() { # compiler, language, standard, text
    # shellcheck disable=SC2086 # several flags
    printf '%b' "$4" | "$1" -x "$2" "-std=$3" $warnings -Iinclude -fsyntax-only - || failed=1
}
for header in include/dashpot/*.h include/dashpot/*/*.h; do
    # Twice, so that a missing include guard shows.
    text="#include <${header#include/}>\n#include <${header#include/}>\nint main(void);\n"
    probe "$1" c c17 "$text"
    probe "$2" c++ c++17 "$text"
done
# The macros that stand for values must work in both languages.
uses='#include <dashpot/dashpot.h>\ndp_pose pose(void);\ndp_body_id world(void);
dp_pose pose(void) { return DP_IDENTITY_POSE; }\ndp_body_id world(void) { return DP_WORLD; }\n'
probe "$1" c c17 "$uses"
probe "$2" c++ c++17 "$uses"
exit $failed
