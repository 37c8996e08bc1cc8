#!/usr/bin/env python3
"""The reference of the C library, one page written from the headers: tools/make_api.py FILE; or, with --check in place of
FILE, whether every function that the headers declare would be on it.

A header is a list of pieces between empty lines. What it declares stands with the comment above it and those behind its
lines; a comment that stands alone is a heading, as the first one of a header is its introduction.
"""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ORDER = ["base", "types", "spec", "model", "sim", "contact", "row", "law", "advanced/step", "advanced/problem", "advanced/law",
         "advanced/lcp", "advanced/fc", "advanced/statics", "advanced/collide",
         "parameters", "batch", "record", "format", "expression", "dashpot"]
FOLDER = ROOT / "include/dashpot"
IGNORED = re.compile(r"^(#|DP_(BEGIN|END)_C\b)")


def stem(header):
    """The header as it is included, without the ending: "law", "advanced/law"."""
    return header.relative_to(FOLDER).with_suffix("").as_posix()


def pieces(lines):
    """(comments above, declaration) in order; a comment without a declaration comes alone."""
    above, code, depth = [], [], 0
    for line in lines + [""]:
        text = line.rstrip()
        if code:
            code.append(text)
            depth += text.count("{") - text.count("}")
            if depth == 0 and re.search(r";\s*(///?<?.*)?$", text):
                yield above, code
                above, code = [], []
        elif re.match(r"\s*///?( |$)", text):
            above.append(re.sub(r"^\s*///? ?", "", text))
        elif not text:
            if above:
                yield above, []
            above = []
        elif IGNORED.match(text):
            above = []
        else:
            code = [text]
            depth = text.count("{") - text.count("}")
            if depth == 0 and re.search(r";\s*(///?<?.*)?$", text):
                yield above, code
                above, code = [], []


def prose(lines):
    """Comment lines as Markdown: indented ones are code, the others flow."""
    out, block = [], []

    def flush():
        if block:
            out.append("```text\n" + "\n".join(block) + "\n```")
            block.clear()

    paragraph = []
    for line in lines + [""]:
        if line.startswith("    "):
            if paragraph:
                out.append(" ".join(paragraph))
                paragraph = []
            block.append(line[4:])
        elif not line.strip():
            if block:
                block.append("")
            if paragraph:
                out.append(" ".join(paragraph))
                paragraph = []
        else:
            while block and not block[-1]:
                block.pop()
            flush()
            paragraph.append(line.strip())
    while block and not block[-1]:
        block.pop()
    flush()
    text = "\n\n".join(out)
    for mark, words in (("@return", "*Returns:*"), ("@param", "*Parameter*")):
        text = re.sub(rf"\s*{mark}\b", f"<br>{words}" if mark == "@return" else f" {words}", text)
    return re.sub(r"(?<![`\w])\|(?=\w)", r"\\|", text).removeprefix("<br>")


def name_of(code):
    text = " ".join(re.sub(r"///?<?.*$", "", c) for c in code)
    flat = re.sub(r"\{.*\}", "", text, flags=re.S)
    match = re.search(r"\((?:\*\s*)(dp_\w+)\)", flat) or re.search(r"\b(dp_\w+)\s*\(", re.sub(r"DP_\w+\([^)]*\)", "", flat))
    if match:
        return match[1] + ("()" if not re.search(r"\(\*", flat) else "")
    found = re.findall(r"\b(dp_\w+)\b", flat)
    return found[-1] if found else flat.strip()[:40]


def introduction(header):
    lines = header.read_text(encoding="utf-8").split("#ifndef")[0].splitlines()
    return prose([re.sub(r"^// ?", "", line) for line in lines])


def first_sentence(header):
    return re.split(r"\.\s", introduction(header) + " ")[0]


def reference(header):
    lines = header.read_text(encoding="utf-8").splitlines()
    guard = next(i for i, line in enumerate(lines) if line.startswith("#ifndef"))
    yield f"## dashpot/{stem(header)}.h"
    yield introduction(header)
    for above, code in pieces(lines[guard:]):
        if not code:
            words = prose(above)
            yield f"**{words.rstrip(':.')}**" if len(above) == 1 and len(words) < 90 else words
            continue
        if "dp_" not in "".join(code):
            continue
        yield f"### {name_of(code)}"
        yield "```text\n" + "\n".join(re.sub(r"\b(DP_API|DP_NODISCARD) ", "", c) for c in code) + "\n```"
        if above:
            yield prose(above)


def page(folder):
    link = lambda path: os.path.relpath(ROOT / path, folder)
    headers = sorted(FOLDER.rglob("*.h"),
                     key=lambda h: (ORDER.index(stem(h)) if stem(h) in ORDER else len(ORDER), stem(h)))
    out = ["# Reference of the C library",
           f"Written by `tools/make_api.py` from [the headers]({link('include/dashpot')}): unit, shape, ownership and failure of "
           f"everything. What the words mean: [conventions]({link('docs/conventions.md')}) and [notation]({link('docs/notation.md')}).",
           "| header | what |\n|---|---|\n" + "\n".join(
               f"| [{stem(h)}.h](#dashpot{stem(h).replace('/', '')}h) | {first_sentence(h)} |" for h in headers)]
    for header in headers:
        out += reference(header)
    return "\n\n".join(out) + "\n"


def missing():
    """Functions that a header declares and the page does not list, found in another way than the page is made."""
    text = page(ROOT)
    listed = set(re.findall(r"\b(dp_\w+)\(", "".join(re.findall(r"^```text\n(.*?)^```", text, re.DOTALL | re.MULTILINE))))
    for header in sorted(FOLDER.rglob("*.h")):
        code = re.sub(r"//[^\n]*", "", header.read_text(encoding="utf-8"))
        for name in re.findall(r"^DP_API\b[^;(]*?\b(dp_\w+)\s*\(", code, re.MULTILINE):
            if name not in listed:
                yield f"{header.relative_to(ROOT)}: {name} is not in the reference"


def main(arguments):
    if arguments == ["--check"]:
        lacks = list(missing())
        print("\n".join(lacks) or "as promised")
        return 1 if lacks else 0
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: make_api.py FILE|--check", file=sys.stderr)
        return 2
    target = pathlib.Path(arguments[0]).resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(page(target.parent), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
