#!/usr/bin/env bash
# Do builds by different compilers reach the same bits? tools/same_hashes.sh BUILD-FOLDER BUILD-FOLDER…
# Runs test_determinism of each and compares its lines "hash NAME VALUE".
set -euo pipefail
if [ $# -lt 2 ]; then
    echo "usage: tools/same_hashes.sh BUILD-FOLDER BUILD-FOLDER…" >&2
    exit 2
fi
hashes() { "$1/tests/robustness" test_determinism | grep '^hash ' | sort; }
first=$(hashes "$1")
count=$(grep -c . <<<"$first")
for folder in "${@:2}"; do
    if ! diff <(echo "$first") <(hashes "$folder"); then
        echo "$1 and $folder end in different bits" >&2
        exit 1
    fi
    echo "$1 and $folder: $count final states alike"
done
