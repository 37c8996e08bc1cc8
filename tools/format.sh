#!/bin/sh
# Let clang-format rewrite every C and C++ file; with --check, only complain about those that differ.
set -eu
cd "$(dirname "$0")/.."
case ${1-} in
'') mode=-i ;;
--check) mode='--dry-run --Werror' ;;
*)
    echo "usage: tools/format.sh [--check]" >&2
    exit 2
    ;;
esac
# shellcheck disable=SC2086 # two words in --check
find include src plugins cli studies examples python tests bench scenes \
    \( -name '*.c' -o -name '*.h' -o -name '*.cc' -o -name '*.cpp' \) -print0 |
    xargs -0 -n 8 -P 2 clang-format $mode
