#!/bin/sh
# Draw the pictures of the documentation with the program itself. Run after `make build`.
set -eu
cd "$(dirname "$0")/.."
mkdir -p docs/images
build/release/dashpot run scenes/double_pendulum.xml --seconds 10 \
    --channels 'joint.*.q,joint.*.v,energy.*' --plot docs/images/double_pendulum.svg >/dev/null
