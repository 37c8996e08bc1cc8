#!/usr/bin/env python3
"""Wrap the prose of documents at 100 columns, in place: tools/wrap_prose.py PAGE.md…

Tables, headings, listings, comments and lines that end with two spaces stay as they are. A code
span or the address of a link is never broken, so a line that holds one may be longer.
"""
import pathlib
import re
import sys
import unicodedata

COLUMNS = 100
LIST = re.compile(r"\s*(?:[-*+]|\d+\.)\s+")
PIECE = re.compile(r"(?:`[^`]*`|\]\([^)\s]*\)|\S)+")
STARTS_A_BLOCK = re.compile(r"[-+*=>|]|#+|\d+\.")  # at the start of a line these mean something else


def width(text):
    """Columns of a text: combining marks take none."""
    return sum(not unicodedata.combining(c) for c in text)


def fill(text, first, rest):
    """Lines of at most COLUMNS, the first indented by `first`, the others by `rest`."""
    pieces = PIECE.findall(text)
    lines, line = [], first
    for k, piece in enumerate(pieces):
        fits = width(line) + 1 + width(piece) <= COLUMNS
        follows = k + 1 < len(pieces) and len(pieces[k + 1]) <= 2 and STARTS_A_BLOCK.fullmatch(pieces[k + 1])
        if follows and fits:  # leave room for what cannot start a line
            fits = width(line) + 2 + width(piece) + width(pieces[k + 1]) <= COLUMNS
        if line.strip() and line != first and not fits and not STARTS_A_BLOCK.fullmatch(piece):
            lines.append(line)
            line = rest + piece
        else:
            line += piece if line in (first, rest) else " " + piece
    return [*lines, line]


def blocks(text):
    """(is prose, first line's number, lines) of a document, in order. A block of prose is one paragraph or list item."""
    lines, fenced, listed, block = text.split("\n"), False, False, []
    for number, line in enumerate(lines, start=1):
        fence = line.lstrip().startswith("```")
        starts_item = bool(LIST.match(line))
        plain = fenced or fence or not line.strip() or re.match(r"\s*(\||#|<|>|!\[)|.*  $", line)
        plain = plain or (line.startswith("    ") and not listed and not block)
        fenced ^= fence
        if block and (plain or starts_item):
            yield True, number - len(block), block
            block = []
        if plain:
            listed = listed and (not line.strip() or line.startswith(" "))
            yield False, number, [line]
        else:
            listed = starts_item or (listed and (bool(block) or line.startswith(" ")))
            block.append(line)
    if block:
        yield True, len(lines) - len(block) + 1, block


def wrapped(block):
    """The lines of one paragraph or list item, wrapped."""
    marker = LIST.match(block[0])
    first = marker[0] if marker else re.match(r"\s*", block[0])[0]
    text = " ".join([block[0][len(first) :], *block[1:]])
    return fill(text, first, " " * len(first))


def too_long(text):
    """Numbers of the lines of prose that are longer than COLUMNS and need not be."""
    for prose, number, block in blocks(text):
        if prose and max(map(width, block)) > max(COLUMNS, *map(width, wrapped(block))):
            yield from (number + k for k, line in enumerate(block) if width(line) > COLUMNS)


def wrap(text):
    out = []
    for prose, _, block in blocks(text):
        long = prose and any(width(line) > COLUMNS for line in block)
        out += wrapped(block) if long else block
    return "\n".join(out)


def main(pages):
    for page in map(pathlib.Path, pages):
        text = page.read_text(encoding="utf-8")
        page.write_text(wrap(text), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
