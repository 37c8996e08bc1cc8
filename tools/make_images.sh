#!/bin/sh
# Draw the pictures of the documentation with the program itself. Run after `make build` and, for those of
# replays, `make viewer`.
set -eu
cd "$(dirname "$0")/.."
mkdir -p docs/images
out=$(mktemp -d)
build/release/dashpot paper all --out "$out" >/dev/null
cp "$out"/d-fig*.svg "$out"/d-table?.svg "$out"/b-4.?.svg "$out"/a-*.svg docs/images
build/release/dashpot run scenes/contact/wrecking_ball.xml --seconds 2.5 --html "$out/ball.html" --quiet
(cd viewer && node picture.mjs --page "$out/ball.html" ../docs/images/wrecking_ball.png 0.95 1000 600)
rm -r "$out"
