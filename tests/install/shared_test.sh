#!/bin/sh
# Build Dashpot as a shared library, look at what it exports, then install and use it like the static one:
# shared_test.sh SOURCE SCRATCH CC
set -eu
source=$1
scratch=$2
cmake -S "$source" -B "$scratch/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DBUILD_SHARED_LIBS=ON \
    -DCMAKE_C_COMPILER="$3" >/dev/null
cmake --build "$scratch/build" --target dashpot dashpot_program
"$source/tools/check_symbols.py" exports "$scratch/build/libdashpot.so"
"$source/tests/install/install_test.sh" "$scratch/build" "$scratch/used" "$3"
