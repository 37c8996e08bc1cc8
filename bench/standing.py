#!/usr/bin/env python3
"""Where other people's robots are after 2 s, beside MuJoCo, and why not at the same place: bench/standing.py [options]

The scenes of robots.py with contact, from their keyframe or reference configuration, with the controls they have there, run
for two seconds in Dashpot and in MuJoCo, both at the step of the file. The difference is the greatest over all bodies, of
their origins and centres of mass, from the coordinates of both by MuJoCo's kinematics. Beside it stands what moves the
result of one engine alone, one change at a time (VARIANTS); the first rule of CLASSES that is met names the row.
"""
import argparse
import copy
import csv
import pathlib
import re
import sys
import time
import xml.etree.ElementTree as ET

sys.dont_write_bytecode = True
import numpy as np  # noqa: E402
from robots import MUJOCO, PACKAGES, Call, all_scenes, build_mujoco, fetch  # noqa: E402

SECONDS = 2.0
AGREES = 5e-3  # [m]
LARGE = 2e-2  # [m] differences that need a reason
SLOW = 1e-3  # [m/s] what moves slower is at rest
SETTLED = 0.5  # [s] at the end, over which speeds are a mean
TINY, SMALL = 1e-9, 1e-4  # [m, rad] disturbances of the start: one of rounding, one of a contact's depth
GROWTH = 1e3  # of the tiny disturbance, in both engines, where motion is chaotic
STANDS = 0.1  # [m] what has not moved farther
DEEP = 1e-3  # [m] overlaps at the start that matter
SHARE = 0.5  # of the difference, that a cause moves or takes away

# ---- MuJoCo


def converge(m):
    """The solution of MuJoCo's own problem, where the file stops its solver before."""
    m.opt.solver = mj.mjtSolver.mjSOL_NEWTON
    m.opt.iterations, m.opt.ls_iterations, m.opt.tolerance = 200, 100, 1e-14


def no_creep(m):
    """Coulomb's cone, and friction much stiffer than normal forces: what sticks does not slide."""
    converge(m)
    m.opt.cone = mj.mjtCone.mjCONE_ELLIPTIC
    m.opt.impratio = 100.0


def stiff_contact(m):
    """Contacts as stiff as the step allows, without damping beyond the critical."""
    converge(m)
    m.opt.enableflags |= mj.mjtEnableBit.mjENBL_OVERRIDE
    m.opt.o_margin = 0.0
    m.opt.o_solref[:] = 2.0 * m.opt.timestep, 1.0
    m.opt.o_solimp[:] = 0.99, 0.9999, 1e-4, 0.5, 2.0


def stiff_joints(m):
    """So with limits, dry friction and equalities."""
    converge(m)
    for name in ("jnt_solref", "dof_solref", "eq_solref", "tendon_solref_lim", "tendon_solref_fri"):
        getattr(m, name)[:] = 2.0 * m.opt.timestep, 1.0
    for name in ("jnt_solimp", "dof_solimp", "eq_solimp", "tendon_solimp_lim", "tendon_solimp_fri"):
        getattr(m, name)[:] = 0.99, 0.9999, 1e-4, 0.5, 2.0


def no_margin(m):
    """Forces of contacts and limits begin where surfaces touch and ranges end."""
    for name in ("geom_margin", "geom_gap", "pair_margin", "pair_gap", "jnt_margin", "tendon_margin"):
        getattr(m, name)[:] = 0.0


def rigid(m):
    """All of these: the nearest that MuJoCo has to contact with Coulomb friction and rigid joints."""
    no_margin(m)
    no_creep(m)
    stiff_contact(m)
    stiff_joints(m)


def half_step(m):
    m.opt.timestep *= 0.5


# What is changed in MuJoCo, one at a time.
VARIANTS = {"solver": converge, "margin": no_margin, "friction": no_creep, "contact": stiff_contact, "joints": stiff_joints,
            "rigid": rigid, "step": half_step}  # fmt: skip


class Unstable(Exception):
    pass


class Reference:
    """MuJoCo's run of one scene."""

    def __init__(self, path, key, limit):
        self.m, self.limit = mj.MjModel.from_xml_path(str(path)), limit
        self.key = 0 if key else -1
        self.geometry = copy.copy(self.m)
        self.still = mj.MjData(self.geometry)

    def start(self, m, q=None):
        """The start of the scene; but at q, if that is given."""
        d = mj.MjData(m)
        if self.key >= 0:
            mj.mj_resetDataKeyframe(m, d, self.key)
        if q is not None:
            d.qpos[:] = q
        return d

    def disturbed(self, size):
        d = self.start(self.m)
        move = np.random.default_rng(self.m.nv).uniform(-size, size, self.m.nv)
        mj.mj_integratePos(self.m, d.qpos, move, 1.0)
        return d.qpos.copy()

    def run(self, change=None, q=None):
        """Coordinates at the end and somewhat before, and how many contacts there were at most."""
        m = copy.copy(self.m)
        if change:
            change(m)
        d = self.start(m, q)
        began, before, most = time.process_time(), None, 0
        steps = round(SECONDS / m.opt.timestep)
        halt = steps - round(SETTLED / m.opt.timestep)
        for i in range(steps):
            mj.mj_step(m, d)
            most = max(most, d.ncon)
            if i + 1 == halt:
                before = d.qpos.copy()
            if time.process_time() - began > self.limit:
                raise Unstable(f"MuJoCo needs more than {self.limit:g} s")
        if any(d.warning[w].number for w in (mj.mjtWarning.mjWARN_BADQACC, mj.mjtWarning.mjWARN_BADQVEL,
                                             mj.mjtWarning.mjWARN_BADQPOS)):  # fmt: skip
            raise Unstable("MuJoCo's run is unstable")
        return d.qpos.copy(), before, most

    def points(self, q):
        """Origins and centres of mass of all bodies, and the depth of the deepest contact."""
        d = self.still
        d.qpos[:] = q
        mj.mj_fwdPosition(self.geometry, d)
        depth = max([-c.dist for c in d.contact] + [0.0])
        return np.concatenate([d.xpos[1:], d.xipos[1:]]).copy(), depth

    def distance(self, a, b):
        return float(np.max(np.linalg.norm(self.points(a)[0] - self.points(b)[0], axis=1)))


# ---- Dashpot


class Side:
    def __init__(self, program, reference, scene, limit):
        self.program, self.reference, self.scene, self.limit = program, reference, scene, limit

    def run(self, *options, path=None, key=None, seconds=SECONDS):
        key = self.scene.key if key is None else key
        call = Call([self.program, "run", path or self.scene.path, *(["--keyframe", "start"] if key else []), "--seconds",
                     f"{seconds:.12g}", "--json", "-q", *options], self.limit)  # fmt: skip
        if call.error:
            raise Unstable("Dashpot: " + call.error)
        q = np.array(call.json["final"]["q"], float)
        if q.size != self.reference.m.nq:
            raise Unstable(f"Dashpot has {q.size} coordinates, MuJoCo {self.reference.m.nq}")
        return q, call.json

    def run_from(self, q):
        root = ET.parse(self.scene.path).getroot()
        key = root.find("keyframe/key")
        if not self.scene.key:
            key = ET.SubElement(ET.SubElement(root, "keyframe"), "key", name="start")
        key.set("qpos", " ".join(f"{x:.17g}" for x in q))
        path = self.scene.path.with_suffix(".start.xml")
        path.write_text(ET.tostring(root, encoding="unicode"), encoding="utf-8")
        try:
            return self.run(path=path, key=True)[0]
        finally:
            path.unlink()


# ---- a row


def measure(scene, o):
    reference = Reference(scene.path, scene.key, o.limit)
    side = Side(o.dashpot, reference, scene, o.limit)
    m = reference.m
    theirs, before, contacts = reference.run()
    ours, run = side.run()
    if contacts == 0 and run["rows"] and run["rows"].get("most_contacts", 0) == 0:
        return None
    earlier, _ = side.run(seconds=SECONDS - SETTLED)
    far = reference.distance
    here, there = reference.points(ours), reference.points(theirs)
    gaps = here[0] - there[0]
    worst = int(np.argmax(np.linalg.norm(gaps, axis=1)))
    row = {
        "scene": scene.name,
        "step": m.opt.timestep,
        "difference": float(np.linalg.norm(gaps[worst])),
        "body": m.body(1 + worst % (m.nbody - 1)).name or str(1 + worst % (m.nbody - 1)),
        "height": float(gaps[worst][2]),
        "speed": far(theirs, before) / SETTLED,
        "our_speed": far(ours, earlier) / SETTLED,
        "travel": far(theirs, reference.start(m).qpos),
        "start_depth": reference.points(reference.start(m).qpos)[1],
        "depth": there[1],
        "our_depth": here[1],
    }
    if row["difference"] > AGREES or o.all:
        add_causes(row, reference, side, theirs, ours)
    row["class"] = classify(row)
    return row


def attempt(run):
    """Coordinates at the end, or None where a variant does not get there."""
    try:
        q = run()
        return q[0] if isinstance(q, tuple) else q
    except Unstable:
        return None


def add_causes(row, reference, side, theirs, ours):
    """How far each change moves the engine that it is made in, and what difference it leaves."""
    far, h = reference.distance, reference.m.opt.timestep
    for name, change in VARIANTS.items():
        q = attempt(lambda: reference.run(change))
        row[f"{name}_moves"], row[f"{name}_leaves"] = (np.inf, np.inf) if q is None else (far(q, theirs), far(q, ours))
    for name, size in (("tiny", TINY), ("small", SMALL)):
        q = reference.disturbed(size)
        a, b = attempt(lambda: reference.run(None, q)), attempt(lambda: side.run_from(q))
        row[f"{name}_moves"] = np.inf if a is None else far(a, theirs)
        row[f"{name}_moves_ours"] = np.inf if b is None else far(b, ours)
    a, b = attempt(lambda: reference.run(None, theirs)), attempt(lambda: side.run_from(theirs))
    row["rest"] = np.inf if a is None or b is None else far(a, b)
    b = attempt(lambda: side.run("--step", f"{0.5 * h:.12g}"))
    row["step_moves_ours"] = np.inf if b is None else far(b, ours)
    b = attempt(lambda: side.run("--stiffness-scale", "0.25"))
    row["stiffness_moves_ours"] = np.inf if b is None else far(b, ours)


# ---- classes: rules over the numbers of a row


def share(r):
    return max(AGREES, SHARE * r["difference"])


def takes(*names):
    """Changed in MuJoCo, one of these takes half of the difference away."""
    return lambda r: min(r[f"{name}_leaves"] for name in names) <= share(r)


def moves(*keys):
    """One of these changes moves the engine that it is made in by half of the difference."""
    return lambda r: max(r[key] for key in keys) >= SHARE * r["difference"]


def is_chaos(r):
    small = min(r["small_moves"], r["small_moves_ours"])
    return min(r["tiny_moves"], r["tiny_moves_ours"]) > GROWTH * TINY or small >= SHARE * r["difference"]


def is_creep(r):
    return r["our_speed"] <= SLOW < r["speed"] and SECONDS * r["speed"] >= SHARE * r["difference"]


def is_overlap(r):
    return r["start_depth"] > DEEP and (r["rest"] <= share(r) or moves("stiffness_moves_ours")(r))


CLASSES = [  # the first rule that holds
    ("agrees", lambda r: r["difference"] <= AGREES, "within 5 mm"),
    ("chaos", is_chaos, "in both engines starts disturbed by 1e-9 end 1e-6 apart, or those disturbed by 1e-4 half of it"),
    ("solver", takes("solver"), "MuJoCo's solver, which the file stops early, run to its end takes half of it away"),
    ("margin", takes("margin"), "so do MuJoCo's contacts and limits without their margins, where their forces begin"),
    ("softness", takes("contact", "joints"),
     "so do MuJoCo's contacts, or limits, dry friction and equalities, as stiff as the step allows"),
    ("law", takes("friction", "rigid"), "so do the elliptic cone and friction that hardly creeps, or these with stiffness"),
    ("step", takes("step"), "so does half the step in MuJoCo"),
    ("creep", is_creep, "MuJoCo goes on at a speed that makes half of it in 2 s, Dashpot is at rest"),
    ("overlap", is_overlap, "the start has overlaps above 1 mm; from MuJoCo's end half of it is gone, or a quarter of "
     "the stiffness moves Dashpot by half of it"),
    ("step?", moves("step_moves", "step_moves_ours"), "half the step moves one engine by half of it"),
    ("solver?", moves("solver_moves"), "so does MuJoCo's solver run to its end"),
    ("softness?", moves("contact_moves", "joints_moves", "stiffness_moves_ours"),
     "so does MuJoCo's stiffness, or a quarter of Dashpot's"),
    ("law?", moves("friction_moves", "rigid_moves"), "so does MuJoCo's friction, or that with stiffness"),
    ("way", lambda r: r["rest"] <= share(r), "at rest where MuJoCo ends, both stay: half of it is made on the way there"),
    ("unexplained", lambda r: True, "none of these"),
]  # fmt: skip


def classify(row):
    return next(name for name, rule, _ in CLASSES if rule(row))


# ---- the table

COLUMNS = [("difference", "diff."), ("height", "height"), ("speed", "speed"), ("our_speed", "ours"), ("travel", "travel"),
           ("rest", "rest"), ("start_depth", "start"), ("depth", "depth"), ("our_depth", "ours"),
           ("tiny_moves", "1e-9"), ("tiny_moves_ours", "ours"), ("small_moves", "1e-4"), ("small_moves_ours", "ours"),
           ("step_moves", "h/2"), ("step_moves_ours", "ours"), ("stiffness_moves_ours", "k/4"),
           ("solver_leaves", "solver"), ("margin_leaves", "margin"), ("friction_leaves", "fric."),
           ("contact_leaves", "cont."), ("joints_leaves", "joints"), ("rigid_leaves", "rigid")]  # fmt: skip


def number(x):
    if x is None:
        return ""
    x *= 1e3
    return "—" if not np.isfinite(x) else f"{x:.0e}" if 0 < abs(x) < 0.005 or abs(x) > 99999 else f"{x:.2f}"


def print_rows(rows):
    print(f"[mm, mm/s]{'':42}{'class':12}" + "".join(f"{head:>8}" for _, head in COLUMNS) + "  body")
    for r in sorted(rows, key=lambda r: -r["difference"]):
        print(f"{r['scene'][:51]:52}{r['class']:12}" + "".join(f"{number(r.get(k)):>8}" for k, _ in COLUMNS)
              + f"  {r['body']}")  # fmt: skip


def stands(r):
    return r["travel"] <= STANDS


def still(r):
    """It stands in MuJoCo without creep, and nothing overlaps at the start."""
    return stands(r) and r["speed"] <= SLOW and r["start_depth"] <= DEEP


def print_counts(rows):
    print(f"\n{len(rows)} scenes\n{'class':14}{'all':>6}{'> 2 cm':>8}{'standing':>10}{'still':>7}")
    for name, _, meaning in CLASSES:
        of = [r for r in rows if r["class"] == name]
        print(f"{name:14}{len(of):6}{sum(r['difference'] > LARGE for r in of):8}{sum(map(stands, of)):10}"
              f"{sum(map(still, of)):7}   {meaning}")  # fmt: skip
    print("standing: no body has moved by 10 cm in MuJoCo; still: nor moves faster than 1 mm/s at the end, nor overlapped at "
          "the start")  # fmt: skip


def write_csv(path, rows):
    names = list(dict.fromkeys(k for r in rows for k in r))
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in r.items()} for r in rows)


def arguments():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--dashpot", default="build/release/dashpot", metavar="PATH", help="the program")
    p.add_argument("--folder", default="build/robots", help="where packages and scenes go; default build/robots")
    p.add_argument("--filter", default="", metavar="RE", help="scenes whose name this finds")
    p.add_argument("--limp", action="store_true", help="also those without actuation, which fall")
    p.add_argument("--all", action="store_true", help="look for causes in all rows, not only where they differ")
    p.add_argument("--limit", type=float, default=20.0, metavar="T", help="of one run [s]; default 20")
    p.add_argument("--csv", metavar="FILE", help="write the rows")
    p.add_argument("--again", action="store_true", help="make the scenes anew")
    o = p.parse_args()
    o.dashpot = pathlib.Path(o.dashpot).resolve()
    return o


def main(o, folder):
    scenes, _ = all_scenes(argparse.Namespace(dashpot=[o.dashpot], again=o.again), folder, build_mujoco(folder))
    rows, failed = [], []
    for scene in scenes:
        if not re.search(o.filter, scene.name) or scene.name.endswith(" limp") and not o.limp:
            continue
        try:
            row = measure(scene, o)
        except (Unstable, ValueError, mj.FatalError) as why:
            failed.append((scene.name, str(why).splitlines()[0]))
            continue
        if row:
            rows.append(row)
            print(f"{scene.name[:60]:60}{number(row['difference']):>10}  {row['class']}", file=sys.stderr, flush=True)
    print_rows(rows)
    print_counts(rows)
    print("".join(f"left out: {name}: {why}\n" for name, why in failed), end="")
    if o.csv:
        write_csv(o.csv, rows)


if __name__ == "__main__":
    OPTIONS = arguments()
    FOLDER = pathlib.Path(OPTIONS.folder).resolve()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for PACKAGE in [MUJOCO, *PACKAGES]:
        WHY = fetch(PACKAGE, FOLDER, sys.executable)
        if WHY:
            print(f"note: {WHY}", file=sys.stderr)
    sys.path.insert(0, str(FOLDER / MUJOCO.split("==")[0].replace("-", "_")))
    import mujoco as mj

    main(OPTIONS, FOLDER)
