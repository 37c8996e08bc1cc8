#!/bin/sh
# A newer MuJoCo beside Debian's, for benchmarks and comparisons: tools/newer_mujoco.sh FOLDER PACKAGE==VERSION
#
# Unpacks the package for Python, which holds the C library and its headers, into FOLDER. Nothing is
# installed, and none of it is run here. The benchmarks do without where that fails: it says why, and
# exits with 0.
set -eu
[ $# -eq 2 ] || {
    echo "usage: tools/newer_mujoco.sh FOLDER PACKAGE==VERSION" >&2
    exit 2
}
folder=$1
package=$2
[ "$(cat "$folder/fetched" 2>/dev/null)" != "$package" ] || exit 0

without() {
    echo "tools/newer_mujoco.sh: $1: going on without $package" >&2
    exit 0
}
python3 -m pip --version >/dev/null 2>&1 || without "pip is missing (Debian: python3-pip)"
mkdir -p "$folder"
rm -rf "$folder/fetched" "$folder/mujoco" "$folder"/*.whl
echo "Fetching $package"
python3 -m pip --quiet --disable-pip-version-check --retries 1 --timeout 20 download \
    --no-deps --only-binary=:all: --dest "$folder" "$package" >"$folder/pip.log" 2>&1 ||
    without "pip could not fetch it ($folder/pip.log)"
python3 -m zipfile -e "$folder"/*.whl "$folder" || without "$folder/*.whl cannot be unpacked"
rm "$folder"/*.whl
ls "$folder"/mujoco/libmujoco.so.* "$folder"/mujoco/include/mujoco/mujoco.h >/dev/null 2>&1 ||
    without "the package has no mujoco/libmujoco.so.* or no headers"
echo "$package" >"$folder/fetched"
