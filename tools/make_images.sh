#!/bin/sh
# Draw the pictures of the documentation with the program itself. Run after `make build`.
set -eu
cd "$(dirname "$0")/.."
mkdir -p docs/images
build/release/dashpot run scenes/double_pendulum.xml --seconds 10 --integrator rk4 --sample 0.01 \
    --plot docs/images/double_pendulum.svg --quiet
out=$(mktemp -d)
build/release/dashpot paper all --out "$out" >/dev/null
cp "$out"/d-fig*.svg "$out"/d-table?.svg docs/images
rm -r "$out"
