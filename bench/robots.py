#!/usr/bin/env python3
"""Other people's robots with contact, beside MuJoCo: bench/robots.py [options]

Packages with robots (PACKAGES, pinned) are fetched by pip and unpacked; nothing of them is installed or run. Each robot
becomes scenes that both engines read: as its file asks, from its keyframe, held by its servos or with zero controls; and
without actuation, so that it falls. Programs take turns (A B A B …), one process each; CPU time of steps alone, medians.
"""
import argparse
import concurrent.futures
import csv
import fnmatch
import json
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
MUJOCO = "mujoco-core==4.0.1"

# Packages by name and version, and the files in them that are robots or scenes with robots.
from robots_list import PACKAGES  # noqa: E402

FIRST = 10  # steps that tell which scenes are slow
FLOOR_GAP = 1e-3  # [m] what starts without a keyframe starts so far above the floor


# ---- packages


def fetch(package, folder, python):
    """Unpack a package. An error message, or None."""
    name = package.split("==")[0].replace("-", "_")
    to = folder / name
    if (to / "fetched").exists() and (to / "fetched").read_text() == package:
        return None
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir(parents=True)
    done = subprocess.run(
        [python, "-m", "pip", "--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "60", "download",
         "--no-deps", "--only-binary=:all:", "--dest", str(to), package],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)  # fmt: skip
    wheels = list(to.glob("*.whl"))
    if done.returncode != 0 or not wheels:
        return f"{package}: pip could not fetch it: {done.stdout.strip().splitlines()[-1:] or ''}"
    shutil.unpack_archive(wheels[0], to, "zip")
    wheels[0].unlink()
    (to / "fetched").write_text(package)
    return None


def build_mujoco(folder):
    """Compile the program that steps MuJoCo. Its path."""
    library = folder / MUJOCO.split("==")[0].replace("-", "_") / "mujoco"
    program, source = folder / "robots_mujoco", HERE / "robots_mujoco.c"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        so = next(library.glob("libmujoco.so.*"))
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-std=c17", "-D_GNU_SOURCE", f"-I{library}/include",
                        str(source), "-o", str(program), str(so), f"-Wl,-rpath,{library}", "-lm"], check=True)  # fmt: skip
    return program


# ---- scenes: one flat file each, in the folder of the packages, since a scene stays within its folder


class Refused(Exception):
    pass


def read_xml(path):
    try:
        return ET.parse(path).getroot()
    except (ET.ParseError, OSError) as error:
        raise Refused(f"not read: {error}") from error


def resolve_includes(element, main, here, seen):
    children = []
    for child in list(element):
        if child.tag == "include":
            file = next((f for f in (main / child.get("file"), here / child.get("file")) if f.exists()), None)
            if file is None:
                raise Refused(f"{child.get('file')} is missing")
            if file.resolve() in seen:
                raise Refused(f"{child.get('file')} is included again")
            root = read_xml(file)
            resolve_includes(root, main, file.parent, seen | {file.resolve()})
            children += list(root)
        else:
            resolve_includes(child, main, here, seen)
            children.append(child)
    for child in list(element):
        element.remove(child)
    element.extend(children)


def rewrite_paths(root, main, folder):
    """Meshes and height fields by their path from `folder`; what is only seen or measured is left out."""
    mesh_folder = ""
    for compiler in root.iter("compiler"):
        mesh_folder = compiler.get("meshdir", compiler.get("assetdir", mesh_folder))
        for name in ("meshdir", "texturedir", "assetdir"):
            compiler.attrib.pop(name, None)
    strip = any(c.attrib.pop("strippath", "false") == "true" for c in root.iter("compiler"))
    missing = set()
    for option in root.iter("option"):
        for name in ("density", "viscosity", "wind"):
            option.attrib.pop(name, None)
        if option.get("integrator") == "RK4":  # Dashpot's steps with contact are semi-implicit
            del option.attrib["integrator"]
    for element in root.iter():
        for name in [a for a in element.attrib if a.startswith("{")]:
            del element.attrib[name]  # of another namespace
        for name in ("fluidshape", "fluidcoef"):
            element.attrib.pop(name, None)
        for child in [c for c in element if c.tag in ("texture", "skin", "sensor", "visual") or ":" in c.tag or "{" in c.tag]:
            element.remove(child)
        if element.tag == "material":
            element.attrib.pop("texture", None)
            for child in list(element):
                element.remove(child)
        if element.tag in ("mesh", "hfield", "model") and element.get("file"):
            file = element.get("file")
            if element.tag == "mesh" and not element.get("name"):
                element.set("name", pathlib.PurePath(file).stem)
            path = main / mesh_folder / (pathlib.PurePath(file).name if strip else file)
            path = pathlib.Path(os.path.normpath(path))
            if path.exists():
                element.set("file", os.path.relpath(path, folder))
            elif element.tag == "mesh":
                missing.add(element.get("name"))
            else:
                raise Refused(f"{file} is missing")
    if missing:
        remove_meshes(root, missing)


def remove_meshes(root, names):
    """Leave out meshes, and geoms that have their shape."""
    for element in list(root.iter()):
        for child in list(element):
            if child.tag == "geom" and child.get("mesh") in names or child.tag == "mesh" and child.get("name") in names:
                element.remove(child)


def remove_seen(root):
    """Leave out meshes that are only seen: neither do they touch anything, nor have they the mass of a body."""
    settings = {}  # of geoms by class

    def read(default, inherited):
        own = dict(inherited)
        for geom in default.findall("geom"):
            own.update(geom.attrib)
        settings[default.get("class", "main")] = own
        for child in default.findall("default"):
            read(child, own)

    main = {}
    for default in root.findall("default"):
        read(default, main)
        main = settings[default.get("class", "main")] if default.get("class", "main") == "main" else main
    if any(c.get("inertiafromgeom") == "true" for c in root.iter("compiler")):
        return
    named = {e.get(a) for e in root.iter() for a in ("geom1", "geom2", "geom") if e.get(a)}

    def walk(body, childclass):
        childclass = body.get("childclass", childclass)
        for child in list(body):
            if child.tag in ("body", "frame", "replicate"):
                walk(child, childclass)
            elif child.tag == "geom" and (body.find("inertial") is not None or body.tag == "worldbody"):
                own = {**settings.get(child.get("class", childclass), settings.get("main", {})), **child.attrib}
                seen = own.get("contype", "1") == "0" and own.get("conaffinity", "1") == "0"
                if seen and "mesh" in own and child.get("name") not in named:
                    body.remove(child)

    for body in root.findall("worldbody"):
        walk(body, "main")
    used = {e.get("mesh") for e in root.iter() if e.tag != "mesh"}
    for asset in root.findall("asset"):
        for mesh in asset.findall("mesh"):
            if mesh.get("name") not in used and mesh.get("file"):
                asset.remove(mesh)


def flatten(source, folder):
    root = read_xml(source)
    if root.tag == "robot":
        raise Refused("URDF")
    resolve_includes(root, source.parent, source.parent, {source.resolve()})
    if root.find("worldbody") is None:
        raise Refused("no bodies")
    rewrite_paths(root, source.parent, folder)
    remove_seen(root)
    return root


def choose_key(root, wanted):
    """Leave one keyframe, or none. True where there is one."""
    keys = [k for section in root.findall("keyframe") for k in section]
    chosen = next((k for k in keys if k.get("name") == wanted), keys[0] if keys and wanted is None else None)
    for section in root.findall("keyframe"):
        root.remove(section)
    if chosen is not None:
        chosen.set("name", "start")
        ET.SubElement(root, "keyframe").append(chosen)
    return chosen is not None


def add_floor(root, z):
    ET.SubElement(root.findall("worldbody")[-1], "geom", name="added_floor", type="plane", size="0 0 1", pos=f"0 0 {z:.9g}",
                  contype="1", conaffinity="1", condim="3", friction="1 0.005 0.0001")  # fmt: skip


def write(root, path):
    ET.indent(root)
    path.write_text(ET.tostring(root, encoding="unicode"), encoding="utf-8")


class Call:
    """A process that ends in time: its JSON, or why there is none."""

    def __init__(self, command, seconds, cwd=None):
        self.json, self.error = None, None
        try:
            done = subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=seconds, cwd=cwd)  # fmt: skip
        except subprocess.TimeoutExpired:
            self.error = f"time-out after {seconds:g} s"
            return
        words = done.stderr.decode(errors="replace").strip()
        try:
            self.json = json.loads(done.stdout)
        except ValueError:
            pass
        if done.returncode < 0:
            self.error = f"crashed (signal {-done.returncode})"
        elif done.returncode != 0 or self.json is None:
            message = ((self.json or {}).get("error") or {}).get("message") or words
            self.error = (message.splitlines() or [f"exit code {done.returncode}"])[0]


class Scene:
    def __init__(self, name, path, key):
        self.name, self.path, self.key = name, path, key  # key: starts from the keyframe "start"


def prepare(package, file, folder, out, mujoco, dashpot):
    """The scenes of one file: (scenes, [(name, why not)])."""
    file, _, key = file.partition("@")
    base = package.split("==")[0].replace("-", "_")
    source = folder / base / file
    parts = [p for p in pathlib.PurePath(file).with_suffix("").parts
             if p not in ("xmls", "xml", "mjcf", "assets", "models", "envs", "_src", base)]  # fmt: skip
    name = base + "/" + "/".join(parts[-2:]) + (f"@{key}" if key else "")
    flat = out / (re.sub(r"[^\w.-]", "_", name) + ".xml")
    try:
        if not source.exists():
            raise Refused("the package has no such file")
        if source.suffix == ".urdf":
            packages = [a for p in (folder / base).glob("**/share") for a in ("--package", p)]
            source_xml = flat.with_suffix(".urdf.xml")
            command = [dashpot, "convert", source, source_xml, "--floating", "-q", "--allow", "inertia", *packages]
            call = subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, timeout=120)  # fmt: skip
            if call.returncode != 0:
                raise Refused("convert: " + (call.stderr.strip().splitlines() or ["?"])[0])
            root = flatten(source_xml, out)
        else:
            root = flatten(source, out)
        has_key = choose_key(root, key or None)
        write(root, flat)
        info = Call([mujoco, flat], 60)
        if info.error:
            raise Refused("MuJoCo: " + info.error)
        info = info.json
        if info["nv"] < 3:
            raise Refused("less than 3 degrees of freedom")
        gap = info.get("lowest", 0.0)
        if info["floors"] == 0:
            floor = 0.0 if info["free"] == 0 or has_key and abs(gap) < 0.05 else gap - FLOOR_GAP
            if info["free"] == 0 and gap < -0.01:
                floor = gap - FLOOR_GAP
            add_floor(root, floor)
        elif not has_key and info["free"] == 1 and abs(gap) > 0.005:
            info["qpos"][info["height"]] -= gap - FLOOR_GAP
            qpos = " ".join(f"{x:.12g}" for x in info["qpos"])
            ET.SubElement(ET.SubElement(root, "keyframe"), "key", name="start", qpos=qpos)
            has_key = True
        write(root, flat)
        if Call([mujoco, flat], 60).error:  # writes the binary
            raise Refused("MuJoCo does not read the scene that was made")
        scenes = [Scene(name, flat, has_key)]
        if 3 * info["servos"] >= info["nv"] - 6 * info["free"] and info["servos"] > 0:
            ET.SubElement(ET.SubElement(root, "option"), "flag", actuation="disable")
            limp = flat.with_suffix(".limp.xml")
            write(root, limp)
            Call([mujoco, limp], 60)
            scenes.append(Scene(name + " limp", limp, has_key))
        return scenes, []
    except Refused as why:
        return [], [(name, str(why))]


# ---- measurements


class Side:
    """One engine in one scene: its runs."""

    def __init__(self, program, scene, steps, o):
        self.program, self.scene, self.steps, self.o = program, scene, steps, o
        self.key = ["--keyframe", "start"] if scene.key else []
        self.times, self.facts, self.error, self.runs, self.profile, self.seconds = [], None, None, 1, None, 0.0

    def look(self, seconds):
        """A run that tells how it went, and a profile: of several, the least of each stage, since others run, too."""
        call = Call([self.program, "run", self.scene.path, *self.key, "--seconds", f"{seconds:.12g}", "--json", "--profile",
                     "-q"], self.o.timeout)  # fmt: skip
        self.error = call.error
        if call.error:
            return
        profile = call.json["profile"]
        self.profile = profile if self.profile is None else {k: min(v, self.profile[k]) for k, v in profile.items()}
        self.facts = summary(call.json, self.profile, self.steps)
        self.seconds = seconds
        self.runs = max(1, min(99, round(self.o.turn_seconds / max(sum(self.profile.values()), 1e-9))))

    def turn(self):
        call = Call([self.program, "bench", self.scene.path, *self.key, "--seconds", f"{self.seconds:.12g}", "--repeat",
                     self.runs, "--json"], self.o.timeout)  # fmt: skip
        self.error = call.error
        if not call.error:
            self.times.append(1.0 / call.json["steps_per_cpu_second"])


class Peer:
    """MuJoCo in one scene."""

    def __init__(self, program, scene, steps, o):
        self.command = [program, scene.path.with_suffix(".mjb"), 0 if scene.key else -1, steps]
        self.steps, self.o, self.times, self.runs, self.error, self.facts = steps, o, [], 1, None, None

    def turn(self):
        call = Call([*self.command, self.runs], self.o.timeout)
        self.error = call.error
        if not call.error:
            self.facts = call.json
            self.times.append(self.facts["seconds"])
            self.runs = max(1, min(99, round(self.o.turn_seconds / max(self.facts["seconds"] * self.steps, 1e-9))))


def summary(run, profile, steps):
    rows, worst, energy = run["rows"] or {}, (run["certificate"] or {}).get("worst", {}), run["energy"]
    total = sum(profile.values())
    share = {k: v / total if total > 0 else 0.0 for k, v in profile.items()}
    return {
        "factorizations": rows.get("factorizations", 0) / steps,
        "passes": rows.get("passes", 0) / steps,
        "share": share["solve"] + share["factor"],
        "share_narrow_phase": share["contacts"],
        "contradictory": rows.get("contradictory_steps", 0),
        "unsolved": rows.get("unsolved_steps", 0),
        "residual": max(rows.get("unsolved_residual", 0.0), worst.get("normal_law", 0.0)),
        "points": rows.get("most_contacts", 0),
        "capped_searches": rows.get("capped_searches", 0),
        "penetration": worst.get("penetration", 0.0),
        "kinetic": energy["largest_kinetic"],
        "energy_change": energy["final"] - energy["initial"],
        "energy_error": (run["ledger"] or {}).get("remainder", 0.0),
        "profile_us": 1e6 * total / steps,
        "hash": run["hash"],
    }


def affordable_steps(scene, programs, mujoco, o):
    """As many as asked for, or as the slowest program makes in a few seconds of CPU time."""
    peer = Peer(mujoco, scene, FIRST, o)
    peer.turn()
    if peer.error:
        return o.steps
    steps = o.steps
    for program in programs:
        side = Side(program, scene, FIRST, o)
        side.seconds = FIRST * peer.facts["step"]
        side.turn()
        if side.error:
            steps = FIRST if side.error.startswith("time-out") else steps
        else:
            steps = min(steps, max(FIRST, round(o.slow / side.times[0])))
    return steps


def measure(scene, programs, mujoco, o):
    """A row of the table, or None; and why it is not whole, or None."""
    steps = affordable_steps(scene, programs, mujoco, o)
    peer = Peer(mujoco, scene, steps, o)
    peer.turn()
    if peer.error:
        return None, f"MuJoCo: {peer.error}"
    if peer.facts["unstable"]:
        return None, "MuJoCo's run is unstable"
    peer.times.clear()
    sides = [Side(p, scene, steps, o) for p in programs]
    for side in sides:
        side.look(steps * peer.facts["step"])
    why = "; ".join(f"{s.program.name}: {s.error}" for s in sides if s.error) or None
    if all(s.error for s in sides):
        return None, why
    if peer.facts["most_contacts"] == 0 and not any(s.facts and s.facts["points"] for s in sides):
        return None, "no contact"
    for i in range(1 if steps < o.steps else o.rounds):
        peer.turn()
        for side in sides:
            if not side.error:
                side.turn()
            if not side.error and i > 0:
                side.look(side.seconds)
    p = peer.facts
    row = {"scene": scene.name, "nv": p["nv"], "step": p["step"], "steps": steps, "contacts": p["contacts"],
           "most_contacts": p["most_contacts"], "mujoco_us": 1e6 * statistics.median(peer.times),
           "mujoco_kinetic": p["kinetic"]}  # fmt: skip
    for i, side in enumerate(sides):
        tag = f"{i + 1}_" if len(sides) > 1 else ""
        if side.error or not side.times:
            why = f"{side.program.name}: {side.error}"
            continue
        row[tag + "us"] = 1e6 * statistics.median(side.times)
        row[tag + "ratio"] = statistics.median(a / b for a, b in zip(peer.times, side.times))
        row.update({tag + k: v for k, v in side.facts.items()})
        if i > 0 and not sides[0].error and sides[0].times:
            row[f"{i + 1}_speedup"] = statistics.median(a / b for a, b in zip(sides[0].times, side.times))
    return row, why


# ---- the table


def quartiles(values):
    ordered = sorted(values)
    at = lambda q: ordered[round(q * (len(ordered) - 1))]  # noqa: E731
    return at(0.25), statistics.median(ordered), at(0.75)


def print_row(row, n):
    cells = [f"{row['scene'][:56]:56}", f"{row['nv']:4}", f"{row['contacts']:6.1f}", f"{row['mujoco_us']:8.1f}"]
    for i in range(n):
        tag = f"{i + 1}_" if n > 1 else ""
        if tag + "us" not in row:
            cells.append(f"{'—':>8}" + " " * 36)
            continue
        g = lambda k: row[tag + k]  # noqa: E731
        cells.append(f"{g('us'):8.1f} {g('ratio'):6.2f} {g('factorizations'):6.2f} {100 * g('share'):4.0f}% "
                     f"{g('unsolved'):4} {g('residual'):8.1e}")  # fmt: skip
        if i > 0 and tag + "speedup" in row:
            cells.append(f"{g('speedup'):5.2f}")
    print("  ".join(cells), flush=True)


def heading(programs):
    one = "      µs  ratio  fact.  solve  uns. residual"
    cells = [f"{'scene':56}", "  nv", "contac", "  MuJoCo"]
    for i in range(len(programs)):
        cells.append(one + ("  ×old" if i else ""))
    print("  ".join(cells))


def totals(rows, programs):
    n = len(programs)
    for i, program in enumerate(programs):
        tag = f"{i + 1}_" if n > 1 else ""
        have = [r for r in rows if tag + "ratio" in r]
        if not have:
            continue
        low, mid, high = quartiles([r[tag + "ratio"] for r in have])
        worst = min(have, key=lambda r: r[tag + "ratio"])
        bound = [r for r in have if r[tag + "share"] > 0.5]
        print(f"\n{program}: {len(have)} scenes")
        print(f"  MuJoCo's time over ours: median {mid:.2f}, quartiles {low:.2f} and {high:.2f}, worst "
              f"{worst[tag + 'ratio']:.2f} ({worst['scene']}), geometric mean "
              f"{math.exp(statistics.fmean(math.log(r[tag + 'ratio']) for r in have)):.2f}")  # fmt: skip
        if bound:
            low, mid, high = quartiles([r[tag + "ratio"] for r in bound])
            print(f"  where the solver takes more than half of the step: {len(bound)} scenes, median {mid:.2f}, quartiles "
                  f"{low:.2f} and {high:.2f}, worst {min(r[tag + 'ratio'] for r in bound):.2f}, "
                  f"{sum(r[tag + 'ratio'] < 0.6 for r in bound)} below 0.6, "
                  f"{statistics.fmean(r[tag + 'factorizations'] for r in bound):.2f} factorisations per step")  # fmt: skip
        counts = [r[tag + "factorizations"] for r in have]
        print(f"  factorisations per step: mean {statistics.fmean(counts):.2f}, median {statistics.median(counts):.2f}, "
              f"most {max(counts):.1f}; steps not solved: {sum(r[tag + 'unsolved'] for r in have)} in "
              f"{sum(r[tag + 'unsolved'] > 0 for r in have)} scenes")  # fmt: skip
        if i > 0:
            speed = [r[tag + "speedup"] for r in have if tag + "speedup" in r]
            if speed:
                low, mid, high = quartiles(speed)
                print(f"  time of the first program over this one's: geometric mean "
                      f"{math.exp(statistics.fmean(map(math.log, speed))):.2f}, median {mid:.2f}, quartiles {low:.2f} and "
                      f"{high:.2f}, worst {min(speed):.2f}")  # fmt: skip


def write_csv(path, rows):
    names = []
    for row in rows:
        names += [k for k in row if k not in names]
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        for row in rows:
            writer.writerow({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()})


def arguments():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--dashpot", action="append", metavar="PATH",
                   help="the program; may be repeated, the first is then what the others are compared with")  # fmt: skip
    p.add_argument("--folder", default="build/robots", help="where packages and scenes go; default build/robots")
    p.add_argument("--filter", default="", metavar="RE", help="scenes whose name this finds")
    p.add_argument("--steps", type=int, metavar="N", help="steps of a run; default 400")
    p.add_argument("--rounds", type=int, metavar="N", help="turns of each program; default 3")
    p.add_argument("--quick", action="store_true", help="100 steps, shorter turns")
    p.add_argument("--timeout", type=float, default=60.0, metavar="T", help="of a process [s]; default 60")
    p.add_argument("--csv", metavar="FILE", help="write the rows")
    p.add_argument("--list", action="store_true", help="make the scenes, list them, and measure nothing")
    p.add_argument("--again", action="store_true", help="make the scenes anew")
    p.add_argument("--without", action="store_true", help="also list what is left out because nothing touches")
    o = p.parse_args()
    o.dashpot = [pathlib.Path(d).resolve() for d in o.dashpot or ["build/release/dashpot"]]
    o.steps = o.steps or (100 if o.quick else 400)
    o.rounds = o.rounds or 3
    o.slow = 0.5 if o.quick else 2.0  # [s] scenes that take longer make fewer steps, and once
    o.turn_seconds = 0.03 if o.quick else 0.1
    return o


def all_scenes(o, folder, mujoco):
    """Scenes that were made, kept from run to run: [Scene], [(name, why not)]."""
    made = folder / "scenes.json"
    stamp = [PACKAGES, HERE.joinpath("robots.py").read_text()]
    if made.exists() and not o.again:
        kept = json.loads(made.read_text())
        if kept["stamp"] == stamp:
            return [Scene(n, pathlib.Path(p), k) for n, p, k in kept["scenes"]], kept["refused"]
    scenes, refused = [], []
    files_of_packages = [(p, f) for p, files in PACKAGES.items() for f in files]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for some, not_ in pool.map(lambda t: prepare(*t, folder, folder, mujoco, o.dashpot[0]), files_of_packages):
            scenes += some
            refused += not_
    made.write_text(json.dumps({"stamp": stamp, "scenes": [[s.name, str(s.path), s.key] for s in scenes],
                                "refused": refused}))  # fmt: skip
    return scenes, refused


def main():
    o = arguments()
    folder = pathlib.Path(o.folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for package in [MUJOCO, *PACKAGES]:
        why = fetch(package, folder, sys.executable)
        if why and package == MUJOCO:
            sys.exit(f"bench/robots.py: {why}")
        if why:
            print(f"note: {why}", file=sys.stderr)
    mujoco = build_mujoco(folder)
    scenes, refused = all_scenes(o, folder, mujoco)
    scenes = [s for s in scenes if re.search(o.filter, s.name)]
    refused = [(n, w) for n, w in refused if re.search(o.filter, n)]
    rows, began = [], time.monotonic()
    if not o.list:
        heading(o.dashpot)
    for scene in scenes:
        if o.list:
            print(f"{scene.name:60} {scene.path}{' @start' if scene.key else ''}")
            continue
        row, why = measure(scene, o.dashpot, mujoco, o)
        if row and "mujoco_us" in row:
            rows.append(row)
            print_row(row, len(o.dashpot))
        if why and (why != "no contact" or o.without):
            refused.append((scene.name, why))
    if rows:
        totals(rows, o.dashpot)
    if refused:
        print(f"\nLeft out, {len(refused)}:")
        for name, why in refused:
            print(f"  {name}: {why}")
    if not o.list:
        print(f"\n{o.steps} steps of each scene, {o.rounds} turns; {time.monotonic() - began:.0f} s")
    if o.csv:
        write_csv(o.csv, rows)


if __name__ == "__main__":
    main()
