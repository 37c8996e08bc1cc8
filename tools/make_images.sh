#!/bin/sh
# Draw the pictures of the documentation with the program itself. Run after `make build` and, for those of
# replays, `make viewer`.
set -eu
cd "$(dirname "$0")/.."
mkdir -p docs/images
out=$(mktemp -d)
make report
build/release/dashpot run scenes/contact/wrecking_ball.xml --seconds 2.5 --html "$out/ball.html" --quiet
(cd viewer && node picture.mjs --page "$out/ball.html" ../docs/images/wrecking_ball.png 0.95 1000 600)
build/release/dashpot compare scenes/contact/cradle.xml --keyframe lifted --seconds 1 --html "$out/cradle.html" >/dev/null
(cd viewer && node picture.mjs --page "$out/cradle.html" ../docs/images/compare.png 0.78 1200 640)
rm -r "$out"
