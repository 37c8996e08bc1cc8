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
"$source/tests/install/promised_libraries.sh" "$scratch/build/libdashpot.so" "$scratch/build/dashpot"
"$source/tests/install/install_test.sh" "$scratch/build" "$scratch/used" "$3"

# Debian packages: together they are a whole.
if command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null && command -v file >/dev/null; then
    (cd "$scratch/build" && cpack --config CPackConfig.cmake >/dev/null)
    root=$scratch/root
    rm -rf "$root"
    for package in "$scratch"/build/packages/*.deb; do
        echo "$(basename "$package"): $(dpkg-deb -f "$package" Depends)"
        dpkg-deb -x "$package" "$root"
    done
    "$root/usr/bin/dashpot" run "$root/usr/share/dashpot/scenes/pendulum.xml" --seconds 0.1 >/dev/null
    if [ -n "$(find "$root/usr" -name dashpot_hdf5.so)" ]; then
        "$root/usr/bin/dashpot" solve "$source/scenes/problems/rod_on_two_feet.txt" --write "$scratch/deb.hdf5" >/dev/null
    fi
    library=$(find "$scratch/build/packages" -maxdepth 1 -name 'libdashpot[0-9]*' ! -name '*-plugins_*')
    dpkg-deb -f "$library" Depends | grep -q libexpat1
    test -f "$root/usr/include/dashpot/dashpot.h"
fi
