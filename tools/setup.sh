#!/bin/sh
# Make sure that what a part of the work needs is installed: tools/setup.sh GROUP…
#
# Silent when everything is there. Otherwise it installs the missing Debian packages, by name, as root
# or with a sudo that asks for no password; failing that, it prints the command to run and exits with 1.
set -eu

# The one list: group, Debian package, and the command, <header>, header of clang's own or module of
# Python by which it is recognised, so that other systems and hand-made installations count too.
needs='
build gcc             gcc
build libc6-dev       <stdio.h>
build make            make
build cmake           cmake
build ninja-build     ninja
build pkg-config      pkg-config
build libexpat1-dev   <expat.h>
build libqhull-dev    <libqhull_r/libqhull_r.h>
build zlib1g-dev      <zlib.h>
build libhdf5-dev     <hdf5/serial/hdf5.h>
test  g++             g++
test  python3         python3
test  python3-dev     python3-config
test  python3-numpy   python:numpy
test  python3-pytest  python:pytest
wheel python3-pip     python:pip
wheel python3-venv    python:ensurepip
test  libcmocka-dev   <cmocka.h>
test  libmujoco-dev   <mujoco/mujoco.h>
test  libccd-dev      <ccd/ccd.h>
test  libsiconos-numerics-dev <siconos/numerics/FrictionContactProblem.h>
test  libsundials-dev <cvode/cvode.h>
bench g++             g++
bench libmujoco-dev   <mujoco/mujoco.h>
bench libbullet-dev   <bullet/btBulletDynamicsCommon.h>
bench libccd-dev      <ccd/ccd.h>
bench libode-dev      <ode/ode.h>
bench libsiconos-numerics-dev <siconos/numerics/FrictionContactProblem.h>
peers libdart-dev     <dart/config.hpp>
oracle python3-numpy  python:numpy
oracle python3-pip    python:pip
viewer chromium       chromium
viewer nodejs         node
viewer npm            npm
deb   dpkg-dev        dpkg-shlibdeps
deb   file            file
check clang           clang
check libclang-rt-14-dev clang:<sanitizer/asan_interface.h>
check clang-format    clang-format
check clang-tidy      clang-tidy
check cppcheck        cppcheck
'

found() {
    case $1 in
    '<'*'>')
        header=${1#<}
        header=${header%>}
        for folder in /usr/include /usr/local/include /usr/include/"$(uname -m)"-linux-gnu \
            /opt/homebrew/include; do
            [ -e "$folder/$header" ] && return 0
        done
        return 1
        ;;
    'clang:<'*'>')
        header=${1#clang:<}
        [ -e "$(clang -print-resource-dir 2>/dev/null)/include/${header%>}" ]
        ;;
    python:*)
        for python in python3 /usr/bin/python3; do
            "$python" -c "import ${1#python:}" 2>/dev/null && return 0
        done
        return 1
        ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
    esac
}

[ $# -gt 0 ] || {
    echo "usage: tools/setup.sh build|test|wheel|bench|peers|oracle|viewer|deb|check …" >&2
    exit 2
}
groups=" $* "
for group in "$@"; do
    case $group in
    build | test | wheel | bench | peers | oracle | viewer | deb | check) ;;
    *)
        echo "tools/setup.sh: unknown group '$group' (expected build, test, wheel, bench, peers, oracle, viewer, deb or check)" >&2
        exit 2
        ;;
    esac
done

missing=''
while read -r group package witness; do
    case $groups in *" ${group:-none} "*) ;; *) continue ;; esac
    case " $missing " in *" $package "*) continue ;; esac
    found "$witness" || missing="${missing:+$missing }$package"
done <<EOT
$needs
EOT
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    echo "tools/setup.sh: missing (Debian's names): $missing" >&2
    echo "Please install what your system calls them, then try again." >&2
    exit 1
fi
if [ "$(id -u)" -eq 0 ]; then
    root=''
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    root='sudo'
else
    echo "tools/setup.sh: missing packages, and neither root nor a password-free sudo to install them." >&2
    echo "Please run:" >&2
    echo "    sudo apt-get update && sudo apt-get install --no-install-recommends $missing" >&2
    exit 1
fi

apt() {
    # shellcheck disable=SC2086 # $root is empty or one word
    $root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" </dev/null
}
echo "Installing the missing packages: $missing"
for attempt in 1 2; do
    apt update || true # without the network the packages may still be at hand
    # shellcheck disable=SC2086 # one argument per package
    apt install -y --no-install-recommends $missing >/dev/null && exit 0
    [ "$attempt" = 1 ] && echo "That failed; trying once more." && sleep 5
done
echo "tools/setup.sh: apt-get could not install: $missing" >&2
exit 1
