#!/usr/bin/env python3
"""What the compiled library calls and what it shows.

    tools/check_symbols.py calls OBJECTS    nothing prints, exits or allocates; the numerics call only exact libm
    tools/check_symbols.py exports LIBRARY  libdashpot.so shows what the headers mark DP_API, no more and no less

OBJECTS is a file that lists object files of src/, one per line; their paths contain src/FOLDER/FILE.c.
"""
import pathlib
import re
import subprocess
import sys

# Functions of the C library, and the files or folders of src/ that may call them.
FORBIDDEN = {
    "allocates behind the user's allocator": (
        "malloc calloc realloc free aligned_alloc posix_memalign strdup strndup getline asprintf vasprintf",
        ["base/memory.c"],
    ),
    "prints": ("printf vprintf puts putchar perror stdout stderr", []),
    "ends the process": ("exit _exit _Exit quick_exit abort raise kill", []),
    "has an order or a sequence that differs between C libraries": ("qsort bsearch rand srand random", []),
    "writes or reads files": (
        "fopen fread fwrite fprintf vfprintf fputs fputc fgets fgetc open read write",
        ["io", "record", "base/input.c", "base/output.c"],
    ),
    # sqrt, fabs, fmod, floor and their kind are exact by IEEE 754; these are not, and differ between C
    # libraries in the last digit (docs/conventions.md, "Determinism").
    "is not exact in libm": (
        "sin cos sincos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log "
        "log2 log10 log1p pow cbrt hypot erf erfc tgamma lgamma cexp csqrt",
        ["io", "record"],
    ),
}


def nm(*arguments):
    """(file, symbol) for every symbol that nm tells."""
    command = ["nm", "--print-file-name", *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return re.findall(r"^(.*):[0-9a-f ]* \w (\S+)$", done.stdout, re.MULTILINE)


def plain(symbol):
    """printf for __printf_chk, sin for sin@GLIBC_2.2.5 and sinf."""
    symbol = symbol.split("@")[0]
    fortified = re.fullmatch(r"__(\w+)_chk", symbol)
    symbol = fortified[1] if fortified else symbol
    return re.sub(r"^__isoc99_", "", symbol)


def calls(root, objects):
    rules = []
    for verb, (functions, allowed) in FORBIDDEN.items():
        rules += [(name, verb, allowed) for name in functions.split()]
        if verb.endswith("libm"):
            rules += [(name + kind, verb, allowed) for name in functions.split() for kind in "fl"]
    listed = pathlib.Path(objects).read_text(encoding="utf-8").splitlines()
    undefined = {path: set() for path in listed}
    for path, symbol in nm("--undefined-only", *listed) if listed else []:
        undefined[path].add(plain(symbol))
    for path in listed:
        source = re.search(r"src/((\w+)/[\w./]+\.c)", path)
        for name, verb, allowed in rules:
            if name in undefined[path] and not {source[1], source[2]} & set(allowed):
                yield f"src/{source[1]}: calls {name}, which {verb}"
    if not listed:
        yield f"{objects}: no object files"


def exports(root, library):
    shown = {symbol.split("@")[0] for _, symbol in nm("--dynamic", "--defined-only", library)}
    declared = set()
    for header in sorted((root / "include" / "dashpot").rglob("*.h")):
        text = re.sub(r"//[^\n]*", "", header.read_text(encoding="utf-8"))
        declared |= set(re.findall(r"^DP_API\b[^;(]*?\b(dp_\w+)\s*\(", text, re.MULTILINE))
    for name in sorted(shown - declared):
        yield f"{library}: exports {name}, which no public header declares"
    for name in sorted(declared - shown):
        yield f"{library}: lacks {name}, which a public header declares"


def main(arguments):
    checks = {"calls": calls, "exports": exports}
    if len(arguments) != 2 or arguments[0] not in checks:
        print(__doc__, file=sys.stderr)
        return 2
    root = pathlib.Path(__file__).resolve().parent.parent
    violations = list(checks[arguments[0]](root, arguments[1]))
    print("\n".join(violations) or f"{arguments[0]}: as promised")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
