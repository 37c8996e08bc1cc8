#!/usr/bin/env python3
"""What the tree promises and a machine can see: tools/check_repository.py CHECK [ROOT].

Each check is a function that takes the root of a tree and yields one line per violation,
"path:line: what was found (what was expected)". Exit status 1 when there is any.
tools/test_check_repository.py shows every check a tree that breaks its rule.
"""
import pathlib
import re
import sys

sys.dont_write_bytecode = True
import wrap_prose

# The number is the level: a file includes its own folder and folders with a smaller number.
LEVELS = {
    "base": 0,
    "math": 1,
    "linalg": 2,
    "problem": 3,
    "geom": 3,
    "solve": 4,
    "collide": 4,
    "model": 4,
    "dynamics": 5,
    "io": 5,
    "assemble": 6,
    "sim": 7,
    "batch": 8,
    "record": 8,
}

# The level of what a public header declares: a folder includes those of its own level and lower ones.
PUBLIC_LEVELS = {
    "base.h": 0,
    "types.h": 0,
    "expression.h": 1,
    "row.h": 3,
    "advanced/problem.h": 3,
    "advanced/lcp.h": 3,
    "advanced/fc.h": 3,
    "spec.h": 3,
    "advanced/collide.h": 3,
    "law.h": 3,
    "advanced/law.h": 4,
    "model.h": 4,
    "format.h": 5,
    "sim.h": 7,
    "contact.h": 7,
    "advanced/step.h": 7,
    "advanced/statics.h": 7,
    "parameters.h": 7,
    "batch.h": 8,
    "record.h": 8,
    "dashpot.h": 9,
}

# Folders that know the public headers and their own files, as a user's program does.
OUTSIDE = ["cli", "studies", "examples", "python"]

# What a folder of cli/ or studies/ may include beside its own files. A command is a folder; commands do not know each other.
SHARED = {"common": [], "report": ["common"], "studies": ["common", "examples"], "python": []}
COMMAND = ["common", "report"]

# Headers of other libraries, and the one folder that may know each.
FOREIGN = {"expat.h": "io", "zlib.h": "io", "pthread.h": "base", "dlfcn.h": "base", "libqhull_r/qhull_ra.h": "geom"}

CODE = (".c", ".h", ".cc", ".cpp")
TEXT = CODE + (".md", ".py", ".sh", ".bash", ".mjs", ".js", ".css", ".1", ".txt", ".cmake", ".in", ".json", ".xml", ".bib", ".csv", ".svg")
FOLDERS = ["include", "src", "plugins", "cli", "studies", "examples", "python", "tests", "bench", "scenes", "docs", "cmake", "tools"]


def files(root, folders=None, suffixes=TEXT):
    """Files of the tree in a fixed order; build folders and other untracked places are not entered."""
    for folder in folders or FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and path.suffix in suffixes:
                yield path
    if folders is None:
        for path in sorted(root.glob("*")):
            if path.is_file() and (path.suffix in suffixes or path.name == "Makefile"):
                yield path


def lines(path):
    return enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)


def included(path):
    """(line number, form, name) of every #include; form is '<' or '"'."""
    for number, line in lines(path):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if match:
            yield number, match[1], match[2]


def levels(root):
    """No include points up or sideways in the tree of src/."""
    src = root / "src"
    for path in files(root, ["src"], CODE):
        own = path.relative_to(src).parts[0]
        place = path.relative_to(root)
        if own not in LEVELS:
            yield f"{place}:1: folder src/{own} has no level (add it to LEVELS in {sys.argv[0]})"
            continue
        for number, form, name in included(path):
            if form == "<":
                header = name.removeprefix("dashpot/")
                if FOREIGN.get(name, own) != own:
                    yield f"{place}:{number}: <{name}> is for src/{FOREIGN[name]} only"
                elif name != header and header not in PUBLIC_LEVELS:
                    yield f"{place}:{number}: <{name}> has no level (add it to PUBLIC_LEVELS in {sys.argv[0]})"
                elif name != header and PUBLIC_LEVELS[header] > LEVELS[own]:
                    yield (
                        f"{place}:{number}: {own} (level {LEVELS[own]}) includes <{name}> "
                        f"(level {PUBLIC_LEVELS[header]}; expected its own level or a lower one)"
                    )
                continue
            other = name.split("/")[0]
            if "/" not in name or other not in LEVELS or ".." in name:
                yield f'{place}:{number}: "{name}" (expected "folder/file.h" with a folder of src/)'
            elif other != own and LEVELS[other] >= LEVELS[own]:
                yield (
                    f'{place}:{number}: {own} (level {LEVELS[own]}) includes "{name}" '
                    f"(level {LEVELS[other]}; expected a lower level)"
                )


def outside(root):
    """The program, the studies and the examples use the public API only, and a command its own folder and what all share."""

    def part(path):  # cli/run/run.c → run; cli/main.c → cli; studies/… → studies
        where = path.relative_to(root).parts
        return where[1] if where[0] == "cli" and len(where) > 2 else where[0]

    for path in files(root, OUTSIDE, CODE):
        own, place = part(path), path.relative_to(root)
        bases = [path.parent] if own == "examples" else [path.parent, root / "cli", root / "studies", root / "python" / "core"]
        for number, form, name in included(path):
            found = next((base / name for base in bases if (base / name).is_file()), None)
            if form == '"' and not found:
                yield f'{place}:{number}: "{name}" is no file beside it (expected <dashpot/…> or a file of cli/ or studies/)'
            elif form == '"' and place != pathlib.Path("cli/main.c"):
                allowed = [own, *SHARED.get(own, COMMAND)]
                if part(found.resolve()) not in allowed:
                    yield f'{place}:{number}: {own} includes "{name}" (expected a file of {", ".join(allowed)})'


def plugins(root):
    """A plugin knows the table that it fills in and what it wraps, nothing else of the library; a table knows the C library."""
    for path in files(root, ["plugins"], CODE):
        for number, form, name in included(path):
            if name.startswith("dashpot/") or (form == '"' and not name.endswith("_plugin.h")):
                yield f'{path.relative_to(root)}:{number}: "{name}" (expected the header of its table, folder/…_plugin.h)'
    for path in files(root, ["src"], CODE):
        for number, form, name in included(path):
            if path.name.endswith("_plugin.h") and (form == '"' or "/" in name):
                yield f"{path.relative_to(root)}:{number}: {name} (expected the C library)"


def audit(root):
    """The checks of tests/audit know nothing of the library: one file of it does."""
    knowing = root / "tests" / "audit" / "audit_record.c"
    for path in files(root, ["tests/audit"], CODE):
        for number, form, name in included(path):
            beside = (path.parent / name).is_file()
            if path != knowing and (name.startswith("dashpot/") or (form == '"' and not beside)):
                yield (
                    f"{path.relative_to(root)}:{number}: {name} "
                    f"(expected the C library or a file beside it; {knowing.name} alone knows the library)"
                )


def public(root):
    """A public header includes public headers and the C library, nothing else."""
    for path in files(root, ["include"], CODE):
        for number, form, name in included(path):
            if form == '"' or ("/" in name and not (root / "include" / name).is_file()):
                yield f"{path.relative_to(root)}:{number}: {name} (expected <dashpot/…> or the C library)"


def names(root):
    """File names are unique across the tree; a public header may share the name of its private one."""
    seen = {}
    for path in files(root, [f for f in FOLDERS if f != "include"], CODE):
        if path.name in seen:
            yield f"{path.relative_to(root)}:1: there is {seen[path.name].relative_to(root)} already"
        seen.setdefault(path.name, path)


def readmes(root):
    """Each folder of src/, and each of the others that needs an introduction, has a README.md."""
    folders = [p for p in sorted((root / "src").iterdir()) if p.is_dir() and any(p.iterdir())]
    folders += [root / f for f in ("examples", "scenes", "bench", "docs") if (root / f).is_dir()]
    for folder in folders:
        if not (folder / "README.md").is_file():
            yield f"{folder.relative_to(root)}:1: no README.md (purpose, entry points, reading order)"


CITATION = re.compile(r"\[([A-Z][A-Za-z]*(?:1[6-9]|20)[0-9]{2}[a-z]?)(?:[,;][^\]]*)?\]")


def citations(root):
    """Every [Key2000] in sources and documents is an entry of docs/references.bib."""
    bib = root / "docs" / "references.bib"
    keys = set(re.findall(r"^@\w+\{([^,\s]+),", bib.read_text(encoding="utf-8"), re.MULTILINE))
    cited = list(files(root, ["include", "src", "plugins", "cli", "studies", "examples", "tests", "bench"], CODE))
    cited += list(files(root, ["src", "docs"], (".md",)))
    for path in cited:
        for number, line in lines(path):
            for key in CITATION.findall(line):
                if key not in keys:
                    yield f"{path.relative_to(root)}:{number}: [{key}] is not in docs/references.bib"


def paths(root):
    """Nothing speaks of the machine it was written on, and nothing is left unfinished."""
    machine = re.compile(r"(^|[^\w.])/(home|root|Users|work)/")
    conflict = re.compile(r"^(<{7}|>{7}|\|{7}) ")
    mark = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X"]) + r")\b")
    for path in files(root):
        for number, line in lines(path):
            if machine.search(line):
                yield f"{path.relative_to(root)}:{number}: a path of one machine"
            if conflict.search(line):
                yield f"{path.relative_to(root)}:{number}: a mark of a merge"
            if mark.search(line):
                yield f"{path.relative_to(root)}:{number}: an unfinished mark"


def anchors(path):
    """The names by which headings of a document are linked to."""
    fenced, seen = False, set()
    for _, line in lines(path):
        fenced ^= line.startswith("```")
        heading = None if fenced else re.match(r"#+ +(.*)", line)
        if heading:
            words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).strip().lower()
            name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
            count = sum(name == n or re.fullmatch(re.escape(name) + r"-\d+", n) is not None for n in seen)
            seen.add(f"{name}-{count}" if count else name)
    return seen


def links(root):
    """Relative links in documents lead to a file, and to a heading of it."""
    for path in [p for p in files(root) if p.suffix == ".md"]:
        fenced = False
        for number, line in lines(path):
            fenced ^= line.startswith("```")
            for link in [] if fenced else re.findall(r"\]\(([^)\s]+)\)", line):
                target, _, anchor = link.partition("#")
                page = path.parent / target if target else path
                if "://" in link:
                    continue
                if not page.exists():
                    yield f"{path.relative_to(root)}:{number}: {target} does not exist"
                elif anchor and page.suffix == ".md" and anchor not in anchors(page):
                    yield f"{path.relative_to(root)}:{number}: {link} (no such heading)"


def listing(path, part):
    """The text of an example: all of it, or the lines between `// listing: part` and `// end`."""
    text = path.read_text(encoding="utf-8").splitlines()
    if part is None:
        return text
    start = next((i for i, t in enumerate(text) if t.strip() == f"// listing: {part}"), None)
    if start is None:
        return None
    end = next((i for i in range(start, len(text)) if text[i].strip() == "// end"), len(text))
    margin = len(text[start]) - len(text[start].lstrip())
    return [t[margin:] for t in text[start + 1 : end]]


def listings(root):
    """Each C listing of a document is an example: <!-- examples/name.c --> or <!-- examples/name.c: part -->."""
    marker = re.compile(r"<!-- (examples/\w+\.c)(?:: ([\w ]+))? -->")
    for path in [p for p in files(root) if p.suffix == ".md"]:
        text = path.read_text(encoding="utf-8").splitlines()
        for i, line in enumerate(text):
            place = f"{path.relative_to(root)}:{i + 1}"
            match = marker.fullmatch(line.strip())
            if match:
                after = next((j for j in range(i + 1, len(text)) if text[j].strip()), i)
                source = root / match[1]
                if not text[after].startswith("```c"):
                    yield f"{place}: no listing follows"
                    continue
                end = next((j for j in range(after + 1, len(text)) if text[j] == "```"), len(text))
                expected = listing(source, match[2]) if source.is_file() else None
                if expected is None:
                    yield f"{place}: {match[0][5:-4]} does not exist"
                elif text[after + 1 : end] != expected:
                    yield f"{place}: the listing differs from {match[1]}"
            elif line.startswith("```c") and line.strip() in ("```c", "```C"):
                before = next((text[j] for j in range(i - 1, -1, -1) if text[j].strip()), "")
                if not marker.fullmatch(before.strip()):
                    yield f"{place}: a C listing that no example backs (expected <!-- examples/name.c --> above)"


# Pages that are written from headers, tables or runs: their words are those of the source.
WRITTEN = ["docs/papers/report.md"]


def pages(root):
    """Documents that people write, but for the history in CHANGELOG.md."""
    tree = [*files(root, [*FOLDERS, "viewer"], (".md",)), *sorted(root.glob("*.md"))]
    skipped = [root / name for name in [*WRITTEN, "CHANGELOG.md"]]
    return [path for path in tree if path not in skipped and "node_modules" not in path.parts]


def prose(root):
    """Prose of documents is wrapped at 100 columns; tables, links and listings may be longer."""
    for path in pages(root):
        for number in wrap_prose.too_long(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(root)}:{number}: more than {wrap_prose.COLUMNS} columns (tools/wrap_prose.py wraps it)"


def words(root):
    """Documents use no phrase of tools/deny_words.txt, listings and code spans aside."""
    deny = root / "tools" / "deny_words.txt"
    rules = [line.split(" => ") for _, line in lines(deny) if not line.startswith("#")] if deny.is_file() else []
    for path in pages(root):
        text = re.sub(r"^```.*?^```$|`[^`\n]*`", lambda m: re.sub(r"[^\n]", "`", m[0]), path.read_text(encoding="utf-8"), flags=re.M | re.S)
        for phrase, better in rules:
            pattern = r"\b" + r"\s+".join(map(re.escape, phrase.split())) + r"\b"
            for match in re.finditer(pattern, text, re.IGNORECASE):
                number = text.count("\n", 0, match.start()) + 1
                yield f"{path.relative_to(root)}:{number}: '{phrase}' (write: {better})"


CONSTANTS = "constants.h"
# Numbers of formulas rather than choices.
EXACT = {0.0, 0.5, 1.0, 2.0, 3.0, 4.0}


def constants(root):
    """Numbers that the contact solver chooses are in one header of it, each with what it is for."""
    number = re.compile(r"(?<![\w.])(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?[fF]?(?![\w.])")
    named = re.compile(r"\s*(?:#\s*define\s+\w+|.*\bstatic const (?:double|float)\b.*=)\s+\(?-?[\d.]")
    folder = root / "src" / "solve" / "contact"
    for path in sorted(folder.rglob("*.[ch]")):
        before = ""
        for at, line in lines(path):
            place = f"{path.relative_to(root)}:{at}"
            code = line.split("//")[0]
            if path.name == CONSTANTS:
                if code.startswith("#define DP_") and len(code.split()) > 2 and not before.startswith("///"):
                    yield f"{place}: no reason is given (expected a comment with ///)"
            elif named.match(code):
                yield f"{place}: a constant of its own (expected one in {CONSTANTS})"
            else:
                for match in number.finditer(code):
                    if float(match[0].rstrip("fF")) not in EXACT:
                        yield f"{place}: {match[0]} (expected a name from {CONSTANTS})"
            before = line


CHECKS = [levels, outside, plugins, audit, public, names, readmes, citations, paths, links, listings, prose, words, constants]


def main(arguments):
    checks = {check.__name__: check for check in CHECKS}
    if not arguments or arguments[0] not in checks:
        print(f"usage: check_repository.py {'|'.join(checks)} [ROOT]", file=sys.stderr)
        return 2
    here = pathlib.Path(__file__).resolve().parent.parent
    root = pathlib.Path(arguments[1]).resolve() if len(arguments) > 1 else here
    violations = list(checks[arguments[0]](root))
    print("\n".join(violations) or f"{arguments[0]}: as promised")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
