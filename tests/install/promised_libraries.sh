#!/bin/sh
# What a program or a shared library of ours links to, itself or through others, is what the README promises:
# promised_libraries.sh FILE…
set -eu
promised='^(libdashpot|libc|libm|libpthread|libexpat|libqhull_r|libz|linux-vdso|ld-linux.*)\.so' # the last two are the system's
for file in "$@"; do
    listed=$(LC_ALL=C ldd "$file")
    echo "$file:"
    echo "$listed"
    if echo "$listed" | sed 's,^[[:space:]]*,,; s, .*,,; s,.*/,,' | grep -vE "$promised"; then
        echo "$file: links to more than libc, libm, pthreads, expat, qhull and zlib" >&2
        exit 1
    fi
done
