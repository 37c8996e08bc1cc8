#!/bin/sh
# Draw the pictures of the documentation with the program itself. Run after `make build` and, for those of
# replays, `make viewer`.
set -eu
cd "$(dirname "$0")/.."
mkdir -p docs/images
out=$(mktemp -d)
make report
build/release/dashpot run scenes/contact/wrecking_ball.xml --seconds 2.5 --html "$out/ball.html" --quiet
build/release/dashpot run scenes/humanoid.xml --keyframe falling --seconds 2.6 --html "$out/fall.html" --quiet
tools/make_moving_picture.py "$out/fall.html" docs/images/humanoid.svg --azimuth -62 --elevation 14 \
    --window -0.8 -0.35 2.2 1.7 --floor 0.5 0 0 2.5 --speed 0.7 --title "A humanoid stumbles and falls"
(cd viewer && node picture.mjs --page "$out/ball.html" ../docs/images/wrecking_ball.png 0.95 1000 600)
build/release/dashpot compare scenes/contact/cradle.xml --keyframe lifted --seconds 1 --html "$out/cradle.html" >/dev/null
(cd viewer && node picture.mjs --page "$out/cradle.html" ../docs/images/compare.png 0.78 1200 640)
rm -r "$out"
