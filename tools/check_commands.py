#!/usr/bin/env python3
"""The commands of a page work as printed: tools/check_commands.py PROGRAM PAGE…

In blocks of ```sh each line is a command, run by the shell in a fresh folder with the scenes beside it and the program
in the PATH. It must end with 0, or with N where `# exit N` stands behind it; `# not run` leaves it out. What a command
must print, and what a page wants to have in a file, is told by a comment above the block that shows it:

    <!-- file: gripper.xml -->      the next block is this file
    <!-- prints -->                 each line of the next block, but for numbers, is in what the last command printed
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
SECONDS = 120
NUMBER = re.compile(r"[-+]?\d[\d.]*(?:e[-+]?\d+)?")


def blocks(text):
    """(line number, comment above, language, lines) of every fenced block."""
    lines = text.splitlines()
    above, start = "", None
    for i, line in enumerate(lines):
        if start is None and line.startswith("```"):
            start = i
        elif start is not None and line == "```":
            yield start + 2, above, lines[start][3:].strip(), lines[start + 1 : i]
            above, start = "", None
        elif start is None and line.strip():
            above = line.strip()


def shape(line):
    """What of a line does not change from machine to machine: its words, without numbers and spaces."""
    return " ".join(NUMBER.sub("#", line).split())


def check(page, folder, environment):
    """Violations of one page, as they are found."""
    printed = ""
    for number, above, language, lines in blocks(page.read_text(encoding="utf-8")):
        wanted = re.fullmatch(r"<!-- file: ([\w./-]+) -->", above)
        if wanted:
            (folder / wanted[1]).write_text("\n".join(lines) + "\n", encoding="utf-8")
        elif above == "<!-- prints -->":
            shapes = [shape(line) for line in printed.splitlines()]
            for i, line in enumerate(lines):
                if line.strip() not in ("", "…") and not any(shape(line) in s for s in shapes):
                    yield f"{page.name}:{number + i}: is not printed: {line.strip()}"
        elif language == "sh":
            for i, line in enumerate(lines):
                code = re.search(r"# exit (\d+)", line)
                if not line.strip() or "# not run" in line or line.startswith("#"):
                    continue
                done = subprocess.run(line, shell=True, cwd=folder, env=environment, text=True, timeout=SECONDS,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                printed = done.stdout
                if done.returncode != (int(code[1]) if code else 0):
                    yield f"{page.name}:{number + i}: exit {done.returncode}: {line}\n{done.stdout[-1500:]}"


def main(arguments):
    if len(arguments) < 2:
        print("usage: check_commands.py PROGRAM PAGE…", file=sys.stderr)
        return 2
    program = pathlib.Path(arguments[0]).resolve()
    root = pathlib.Path(__file__).resolve().parent.parent
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}
    violations = []
    for page in arguments[1:]:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "scenes").symlink_to(root / "scenes")
            (folder / "examples").symlink_to(root / "examples")
            (folder / "out").mkdir()
            violations += check(pathlib.Path(page), folder, environment)
    print("\n".join(violations) or "as printed")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
