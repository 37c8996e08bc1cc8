#!/bin/sh
# Install a build, move it elsewhere, and use it as a stranger would: by CMake's find_package, by
# pkg-config and a bare compiler, and by the program: install_test.sh BUILD SCRATCH CC
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1
scratch=$2
cc=$3
rm -rf "$scratch"
mkdir -p "$scratch"

cmake --install "$build" --prefix "$scratch/first" >/dev/null
mv "$scratch/first" "$scratch/moved" # nothing that is installed may remember its place
prefix=$scratch/moved
version=$("$prefix/bin/dashpot" --version)
echo "program: $version"
"$prefix/bin/dashpot" run "$prefix/share/dashpot/scenes/pendulum.xml" --seconds 0.1 >/dev/null
"$prefix/bin/dashpot" run "$prefix/share/dashpot/scenes/urdf/arm_6dof.urdf" --seconds 0.1 >/dev/null

cmake -S "$here" -B "$scratch/consumer" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" >/dev/null
cmake --build "$scratch/consumer" >/dev/null
echo "find_package: $("$scratch/consumer/consumer")"

pc=$(dirname "$(find "$prefix" -name dashpot.pc)")
export PKG_CONFIG_PATH="$pc${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
libraries=$(cd "$pc/.." && pwd)
eval "'$cc' '$here/consumer.c' $(pkg-config --cflags --libs dashpot) -o '$scratch/plain'"
echo "pkg-config: $(LD_LIBRARY_PATH=$libraries "$scratch/plain")"

# Plugins are found by the program, and by a stranger's program with dashpot/ beside it; without them the rest works.
plugins=$(cd "$pc/../dashpot" && pwd)
if [ -f "$plugins/dashpot_hdf5.so" ]; then
    solve="$prefix/bin/dashpot solve $here/../../scenes/problems/rod_on_two_feet.txt"
    $solve --write "$scratch/problem.hdf5" >/dev/null
    [ "$("$scratch/consumer/consumer" hdf5)" = "HDF5" ]
    mv "$plugins" "$scratch/elsewhere"
    if $solve --write "$scratch/none.hdf5" >"$scratch/without" 2>&1; then
        echo "HDF5 was written without its plugin" >&2
        exit 1
    fi
    grep "no plugin dashpot_hdf5.so" "$scratch/without"
    mv "$scratch/elsewhere" "$plugins"
fi

if grep -rIl "$build\|$scratch" "$prefix"; then
    echo "these installed files hold a path of this machine" >&2
    exit 1
fi
