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

if grep -rIl "$build\|$scratch" "$prefix"; then
    echo "these installed files hold a path of this machine" >&2
    exit 1
fi
