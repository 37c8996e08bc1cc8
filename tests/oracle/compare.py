#!/usr/bin/env python3
"""The newest MuJoCo as a second opinion: loads model files in it and in Dashpot, brings both to the
same random states and compares whatever both compute.

    compare.py --mujoco FOLDER --dashpot PROGRAM --convert PROGRAM [--states N] [--verbose] FILE…

FOLDER holds MuJoCo's package for Python, --dashpot is oracle_states, --convert is dashpot itself. Of
files that declare our namespace MuJoCo reads what `dashpot convert --mujoco` writes: Dashpot's model is
that of the file, its motion that of the same text, read back. With --converted so it is of all files.

Constraints (contact, limits, dry friction, equalities) are switched off in both. Measure, as in
tests/agreement/mujoco_pair.h: |a − b| of each number over the size of the quantity, which is the
greatest magnitude in the array or among the terms it is a sum of.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

AGREEMENT = 1e-10
SINGLE = 1e-6  # MuJoCo keeps the vertices of meshes with 24 bits
WRAPPED = 1e-10
CHOICE = 1e-3  # [rad] the same axes: theirs, over the differences of the moments, and no permutation of ours

JOINTS = ["free", "ball", "slide", "hinge"]
GEOMS = ["plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"]
SIZES = {"plane": 0, "hfield": 0, "sphere": 1, "capsule": 2, "ellipsoid": 3, "cylinder": 2, "box": 3, "mesh": 0}


# ---- what was found

class Findings:
    """The worst difference of each quantity, and all that are too large."""

    def __init__(self):
        self.worst = {}  # quantity → (difference, file)
        self.failures = []
        self.file = None  # the one that is compared now

    def fail(self, text):
        self.failures.append(f"{self.file}: {text}")

    def agree(self, quantity, name, theirs, ours, scale=0.0, tolerance=AGREEMENT):
        """|theirs − ours| ≤ tolerance · max(scale, |theirs|), all norms the greatest magnitude."""
        theirs = np.asarray(theirs, float).ravel()
        ours = np.array([np.nan if x is None else x for x in np.asarray(ours, object).ravel()], float)
        if theirs.size != ours.size:
            self.fail(f"{quantity} of '{name}': MuJoCo has {theirs.size} numbers, Dashpot {ours.size}")
            return
        if theirs.size == 0:
            return
        difference = np.abs(theirs - ours)
        size = greatest(theirs, scale)
        relative = np.divide(difference, size, out=difference.copy(), where=difference > 0)
        at = int(np.argmax(np.where(np.isnan(relative), np.inf, relative)))
        worst = relative[at]
        if not worst <= tolerance:
            self.fail(f"{quantity} of '{name}' [{at}]: MuJoCo {theirs[at]!r}, Dashpot {ours[at]!r}, "
                      f"relative difference {worst:.2e}")
            return
        kind = quantity if tolerance == AGREEMENT else f"{quantity} (to {tolerance:.0e})"
        if kind not in self.worst or worst > self.worst[kind][0]:
            self.worst[kind] = (worst, self.file)

    def same(self, quantity, name, theirs, ours):
        if theirs != ours:
            self.fail(f"{quantity} of '{name}': MuJoCo {theirs}, Dashpot {ours}")


# ---- small mathematics

def greatest(x, so_far=0.0):
    x = np.asarray(x)
    return max(so_far, float(np.max(np.abs(x)))) if x.size else so_far


def matrix(quaternion):
    w, x, y, z = quaternion
    s = 2.0 / (w * w + x * x + y * y + z * z)
    return np.array([[1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
                     [s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)],
                     [s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)]])


def tensor(quaternion, moments):
    """R diag(I) Rᵀ: the order and signs of principal axes do not matter."""
    R = matrix(quaternion)
    return R @ np.diag(moments) @ R.T


# ---- loading

def load_theirs(path):
    m = mj.MjModel.from_xml_path(path)
    m.opt.disableflags |= mj.mjtDisableBit.mjDSBL_CONSTRAINT | mj.mjtDisableBit.mjDSBL_CONTACT
    m.opt.enableflags |= mj.mjtEnableBit.mjENBL_ENERGY
    for same in (m.body_sameframe, m.geom_sameframe, m.site_sameframe):
        same[:] = 0  # short cuts for frames that are equal to 1e-6
    return m


class Dashpot:
    """What Dashpot makes of files."""

    def __init__(self, option, scratch):
        self.option, self.scratch = option, scratch

    def run(self, command):
        done = subprocess.run(command, capture_output=True, encoding="utf-8")
        if done.returncode:
            raise RuntimeError(done.stderr.strip() or f"exit code {done.returncode}: {command}")
        return done.stdout

    def states(self, path, numbers=None):
        command = [self.option.dashpot, path]
        if numbers is not None:
            command.append(os.path.join(self.scratch, "states"))
            np.savetxt(command[-1], numbers, fmt="%.17g")
        return json.loads(self.run(command))

    def for_mujoco(self, path):
        """The file that MuJoCo is to read."""
        with open(path, encoding="utf-8") as file:
            ours = "xmlns:dp" in file.read()
        if not (ours or self.option.converted):
            return path
        out = os.path.join(self.scratch, "converted.xml")
        self.run([self.option.convert, "convert", "--mujoco", "--quiet", path, out])
        return out


class Pairing:
    """MuJoCo's number of each element of ours: by name, else by its place where both have as many;
    −1: none."""

    def __init__(self, m, ours, text):
        self.body = self.match(m, mj.mjtObj.mjOBJ_BODY, ours["bodies"], m.nbody)
        self.joint = self.match(m, mj.mjtObj.mjOBJ_JOINT, ours["joints"], m.njnt)
        self.geom = self.match(m, mj.mjtObj.mjOBJ_GEOM, ours["geoms"], m.ngeom)
        self.site = self.match(m, mj.mjtObj.mjOBJ_SITE, ours["sites"], m.nsite)
        self.actuator = self.match(m, mj.mjtObj.mjOBJ_ACTUATOR, ours["actuators"], m.nu)
        self.sensor = self.match(m, mj.mjtObj.mjOBJ_SENSOR, ours["sensors"], m.nsensor)
        self.lifting = 'actuatorgravcomp="true"' in text
        self.attaching = "<attach" in text  # what the world of another model has comes behind our own
        self.weightless = any(body["gravcomp"] for body in ours["bodies"])
        # fusestatic and discardvisual: fewer bodies and geoms, the same motion
        self.fused = m.nbody < len(ours["bodies"]) or m.ngeom < len(ours["geoms"])
        # Dashpot's tendon springs are rows: they show in the acceleration alone
        self.sprung = bool(np.any(m.tendon_stiffness) or np.any(m.tendon_damping))
        self.shows = m.ngeom > len(ours["geoms"])  # Dashpot leaves out meshes that are for display alone
        self.driven = [a for a in range(m.nu) if not is_bounded(m, self.actuator[a])]
        meshes = any(geom["kind"] == "mesh" for geom in ours["geoms"])
        self.tolerance = SINGLE if meshes else AGREEMENT

    @staticmethod
    def match(m, kind, ours, count):
        world = kind == mj.mjtObj.mjOBJ_BODY
        return [0 if world and i == 0 else
                mj.mj_name2id(m, kind, element["name"]) if element["name"] else
                i if len(ours) == count else -1 for i, element in enumerate(ours)]


# ---- the compiled models

def compare_sizes(found, m, ours, pairing, converted):
    for key, value in ours["sizes"].items():
        left_out = {"nbody", "ngeom"} if pairing.fused else {"ngeom"} if pairing.shows else set()
        left_out |= {"neq"} if converted else set()
        left_out |= {"nkey"} if m.nkey > len(ours["keys"]) else set()  # <size nkey>: reserved
        left_out |= {"nexclude"} if found.file.endswith(".urdf") else set()  # links at a joint never touch
        if key not in left_out:
            found.same("count", key, getattr(m, key), value)
    found.agree("options", "gravity", m.opt.gravity, ours["gravity"])
    found.agree("options", "magnetic", m.opt.magnetic, ours["magnetic"])
    found.agree("options", "timestep", m.opt.timestep, ours["timestep"])
    found.agree("reference configuration", "q", m.qpos0, ours["q_reference"])


def is_nothing(m, b):
    """What has neither geoms nor inertial, MuJoCo centres at its `pos`, taken in its own frame."""
    return np.array_equal(m.body_ipos[b], m.body_pos[b]) and bool(np.any(m.body_ipos[b]))


def compare_bodies(found, m, ours, pairing):
    tolerance = pairing.tolerance
    for i, body in enumerate(ours["bodies"]):
        b, name = pairing.body[i], body["name"]
        if i == 0 or b < 0:
            continue
        found.same("number", name, b, i)
        found.same("parent", name, m.body_parentid[b], pairing.body[body["parent"]])
        found.agree("place in the parent", name, m.body_pos[b], body["position"], 1)
        found.agree("place in the parent", name, matrix(m.body_quat[b]), matrix(body["quaternion"]), 1)
        found.agree("gravity compensation", name, m.body_gravcomp[b], body["gravcomp"])
        found.agree("mass", name, m.body_mass[b], body["mass"], 0, tolerance)
        if body["mass"] == 0 or is_nothing(m, b):
            continue
        own = body["inertial"]
        moments = np.array(body["moments"])
        found.agree("centre of mass", name, m.body_ipos[b], own["position"], 0.1, tolerance)
        found.agree("principal moments", name, sorted(m.body_inertia[b]), sorted(moments), 0, tolerance)
        found.agree("inertia tensor", name, tensor(m.body_iquat[b], m.body_inertia[b]),
                    tensor(own["quaternion"], moments), greatest(moments), tolerance)
        # Sensors of the inertial frame show which axes were chosen; URDF has no sensors.
        if tolerance == AGREEMENT and not found.file.endswith(".urdf"):
            found.agree("principal axes", name, matrix(m.body_iquat[b]), matrix(own["quaternion"]), 1, CHOICE)
    total = sum(body["mass"] for body in ours["bodies"])
    found.agree("total mass", "all", mj.mj_getTotalmass(m), total, 0, tolerance)


def compare_joints(found, m, ours, pairing):
    for i, joint in enumerate(ours["joints"]):
        j, name = pairing.joint[i], joint["name"] or i
        dof = m.jnt_dofadr[j]
        found.same("kind", name, JOINTS[m.jnt_type[j]], joint["kind"])
        found.same("place in q", name, m.jnt_qposadr[j], joint["q"])
        found.same("place in v", name, dof, joint["v"])
        found.same("body", name, m.jnt_bodyid[j], pairing.body[joint["body"]])
        if joint["kind"] != "free":
            found.agree("anchor", name, m.jnt_pos[j], joint["anchor"], 1)
        if joint["kind"] in ("hinge", "slide"):
            found.agree("axis", name, m.jnt_axis[j], joint["axis"], 1)
            found.agree("spring reference", name, m.qpos_spring[joint["q"]], joint["springref"], 1)
        found.agree("armature", name, m.dof_armature[dof], joint["armature"])
        springs = "joint springs and dampers"
        found.agree(springs, name, m.jnt_stiffness[j], joint["stiffness"], 0, pairing.tolerance)
        found.agree(springs, name, m.dof_damping[dof], joint["damping"], 0, pairing.tolerance)
        limit = ours["limits"][i]
        found.same("limited", name, bool(m.jnt_limited[j]), limit["limited"])
        if limit["limited"]:
            found.agree("range", name, m.jnt_range[j], limit["range"])
        found.agree("dry friction", name, m.dof_frictionloss[dof], limit["frictionloss"])


def compare_geoms(found, m, ours, pairing, converted):
    for i, geom in enumerate(ours["geoms"]):
        g, n, name = pairing.geom[i], SIZES[geom["kind"]], geom["name"] or i
        if g < 0:
            continue
        found.same("kind", name, GEOMS[m.geom_type[g]], geom["kind"])
        found.same("number", name, g, g if pairing.fused or pairing.shows or pairing.attaching else i)
        if not pairing.fused:
            found.same("body", name, m.geom_bodyid[g], pairing.body[geom["body"]])
        for key in ("contype", "conaffinity", "condim", "priority", "group"):
            found.same(key, name, getattr(m, f"geom_{key}")[g], geom[key])
        found.agree("size", name, m.geom_size[g][:n], geom["size"][:n], 0, pairing.tolerance)
        found.agree("contact numbers", name, m.geom_friction[g], geom["friction"])
        if not converted:
            found.agree("contact numbers", name, [m.geom_margin[g], m.geom_gap[g]], geom["margin"])
            found.agree("contact numbers", name, m.geom_solref[g], geom["solref"])
            found.agree("contact numbers", name, m.geom_solimp[g], geom["solimp"])


def compare_devices(found, m, ours, pairing):
    for i, site in enumerate(ours["sites"]):
        found.same("number", site["name"] or i, pairing.site[i], pairing.site[i] if pairing.attaching else i)
        if not pairing.fused:
            found.same("body", site["name"] or i, m.site_bodyid[pairing.site[i]], pairing.body[site["body"]])
    for i, actuator in enumerate(ours["actuators"]):
        a, name = pairing.actuator[i], actuator["name"] or i
        found.same("number", name, a, i)
        found.same("place of activation", name, m.actuator_actadr[a], actuator["activation"])
        found.same("limited", name, bool(m.actuator_ctrllimited[a]), actuator["limited"])
        if actuator["limited"]:
            found.agree("range", name, m.actuator_ctrlrange[a], actuator["range"])
    for i, sensor in enumerate(ours["sensors"]):
        s, name = pairing.sensor[i], sensor["name"] or i
        found.same("place", name, m.sensor_adr[s], sensor["at"])
        found.same("numbers", name, m.sensor_dim[s], sensor["n"])
    for i, key in enumerate(ours["keys"]):
        name = key["name"] or i
        found.agree("keyframe", name, m.key_qpos[i], key["q"])
        found.agree("keyframe", name, m.key_qvel[i], key["v"])
        found.agree("keyframe", name, m.key_act[i], key["activation"])
        found.agree("keyframe", name, m.key_ctrl[i], key["control"])


def compare_tendons(found, m, ours, pairing):
    for i, tendon in enumerate(ours["tendons"]):
        name = tendon["name"] or i
        found.same("limited", name, bool(m.tendon_limited[i]), tendon["limited"])
        found.agree("tendon numbers", name, m.tendon_range[i], tendon["range"])
        found.agree("tendon numbers", name, [m.tendon_stiffness[i], m.tendon_damping[i], m.tendon_frictionloss[i],
                                             m.tendon_armature[i]], tendon["numbers"])
        if tendon["springlength"][0] >= 0:
            found.agree("tendon numbers", name, m.tendon_lengthspring[i], tendon["springlength"])
        found.same("stations", name, m.tendon_num[i], len(tendon["path"]))
        for k, station in enumerate(tendon["path"]):
            at, label, kind = m.tendon_adr[i] + k, f"{name} {k}", station["kind"]
            ids = {"joint": pairing.joint, "site": pairing.site, "geom": pairing.geom}.get(kind)
            if ids:
                found.same("station", label, m.wrap_objid[at], ids[station["object"]])
            if kind == "geom":
                side = station["side"]
                found.same("side", label, m.wrap_prm[at], -1 if side < 0 else pairing.site[side])
            elif kind != "site":
                found.agree("tendon numbers", label, m.wrap_prm[at], station["coefficient"])


def compare_equalities(found, m, ours):
    for i, equality in enumerate(ours["equalities"]):
        name, data, frames = equality["name"] or i, m.eq_data[i], equality["frame"]
        found.same("active", name, bool(m.eq_active0[i]), equality["active"])
        if m.eq_objtype[i] == int(mj.mjtObj.mjOBJ_SITE):
            continue  # MuJoCo keeps the sites, Dashpot their frames
        if equality["kind"] == "connect":
            found.agree("equality", name, data[0:3], frames[0]["position"], 1)
            found.agree("equality", name, data[3:6], frames[1]["position"], 1)
        elif equality["kind"] == "weld":
            found.agree("equality", name, data[0:3], frames[1]["position"], 1)
            found.agree("equality", name, data[3:6], frames[0]["position"], 1)
            found.agree("equality", name, matrix(data[6:10]), matrix(frames[0]["quaternion"]), 1)
        else:
            found.agree("equality", name, data[:5], equality["polynomial"])


def exchange_inertials(m, ours, pairing):
    """Where the inertial frame differs on purpose, or by the signs of axes, MuJoCo goes on with ours."""
    for i, body in enumerate(ours["bodies"]):
        b = pairing.body[i]
        if i == 0 or b < 0:
            continue
        own = body["inertial"]
        turned = greatest(matrix(m.body_iquat[b]) - matrix(own["quaternion"])) > CHOICE
        if turned or body["mass"] == 0 or is_nothing(m, b):
            m.body_ipos[b], m.body_iquat[b] = own["position"], own["quaternion"]
            m.body_inertia[b] = body["moments"]


# ---- states

def draw_state(m, ours, random, wrenches):
    def draw(n, size):
        return random.uniform(-size, size, n)

    def direction():
        x = random.normal(size=4)
        return x / np.linalg.norm(x)

    q = [np.concatenate([draw(3, 2), direction()]) if joint["kind"] == "free" else
         direction() if joint["kind"] == "ball" else draw(1, 1.5) for joint in ours["joints"]]
    nbody = len(ours["bodies"])
    return {
        "time": random.uniform(0, 1), "q": np.concatenate([[], *q]), "v": draw(m.nv, 2),
        "activation": draw(m.na, 1.5), "control": draw(m.nu, 1.5), "force": draw(m.nv, 5),
        "wrench": np.vstack([np.zeros(6), draw((nbody - 1, 6), 5 if wrenches else 0)]),
        "mocap": np.array([np.concatenate([direction(), draw(3, 1)]) for _ in range(m.nmocap)]),
    }


def as_line(state):
    return np.concatenate([np.ravel(x) for x in state.values()])


def set_state(m, d, ours, pairing, s):
    mj.mj_resetData(m, d)
    d.time, d.qpos, d.qvel, d.act = s["time"], s["q"], s["v"], s["activation"]
    d.ctrl[pairing.actuator] = s["control"]
    d.qfrc_applied = s["force"]
    for i, wrench in enumerate(s["wrench"]):
        if pairing.body[i] > 0:
            d.xfrc_applied[pairing.body[i]] = np.concatenate([wrench[3:], wrench[:3]])  # force first
    for i, body in enumerate(ours["bodies"]):
        if body["mocap"] >= 0:
            at, pose = m.body_mocapid[pairing.body[i]], s["mocap"][body["mocap"]]
            d.mocap_quat[at], d.mocap_pos[at] = pose[:4], pose[4:]
    mj.mj_forward(m, d)
    mj.mj_subtreeVel(m, d)
    mj.mj_rnePostConstraint(m, d)


def full_matrix(m, d):
    M = np.zeros((m.nv, m.nv))
    if m.nv:
        mj.mj_fullM(m, d, M)
    return M


def measure(m, d, M):
    """What sizes are to be expected in the present state."""
    forces = [d.qfrc_bias, d.qfrc_passive, d.qfrc_actuator, d.qfrc_applied, M * d.qacc]
    weight = m.body_mass[1:] * np.abs(d.xipos[1:] * m.opt.gravity).sum(axis=1)
    return {
        "length": max(greatest(x) for x in (d.xpos, d.xipos, d.geom_xpos, d.site_xpos)),
        "velocity": greatest(d.cvel), "acceleration": greatest(d.cacc), "wrench": greatest(d.cfrc_int),
        "force": max(greatest(x) for x in forces), "mass": mj.mj_getTotalmass(m),
        "energy": np.abs(d.energy).sum() + weight.sum(), "drive": greatest(d.actuator_force),
    }


def sensor_scale(kind, s):
    """0 for coordinates and time: to the last digits of the value itself."""
    arm = max(1.0, s["length"])
    scales = [
        (s["length"], ("framepos", "subtreecom")),
        (s["velocity"] * arm, ("velocimeter", "gyro", "framelinvel", "frameangvel", "subtreelinvel")),
        (s["mass"] * s["velocity"] * s["length"] * arm, ("subtreeangmom",)),
        (s["acceleration"] * arm, ("accelerometer", "framelinacc", "frameangacc")),
        (s["wrench"] * arm, ("force", "torque")),
        (s["drive"], ("actuatorfrc", "tendonactuatorfrc", "jointactuatorfrc")),
        (1.0, ("framequat", "framexaxis", "frameyaxis", "framezaxis", "magnetometer")),
        (s["energy"], ("e_potential", "e_kinetic")),
    ]
    return max((scale for scale, kinds in scales if kind in kinds), default=0.0)


def compare_places(found, what, theirs, ours, ids, names, scale, tolerance=AGREEMENT):
    for i, pose in enumerate(ours):
        if ids[i] >= 0 and names[i].get("kind") != "mesh":  # MuJoCo moves the frames of meshes to their centres
            name = names[i]["name"] or i
            found.agree(f"pose of {what}", name, theirs[0][ids[i]], pose["position"], scale["length"], tolerance)
            found.agree(f"pose of {what}", name, theirs[1][ids[i]], matrix(pose["quaternion"]), 1, tolerance)


def compare_kinematics(found, d, model, ours, pairing, scale):
    compare_places(found, "bodies", (d.xpos, d.xmat), ours["body"], pairing.body, model["bodies"], scale)
    compare_places(found, "geoms", (d.geom_xpos, d.geom_xmat), ours["geom"], pairing.geom, model["geoms"], scale,
                   pairing.tolerance)
    compare_places(found, "sites", (d.site_xpos, d.site_xmat), ours["site"], pairing.site, model["sites"], scale)
    for i, body in enumerate(model["bodies"]):
        if pairing.body[i] > 0 and body["mass"] > 0 and not pairing.fused:
            found.agree("centre of mass in the world", body["name"], d.xipos[pairing.body[i]],
                        ours["inertial"][i]["position"], scale["length"], pairing.tolerance)
    for i, joint in enumerate(model["joints"]):
        j, what = pairing.joint[i], "joint anchors and axes"
        found.agree(what, joint["name"], d.xanchor[j], ours["joint"][i]["anchor"], scale["length"])
        if joint["kind"] in ("hinge", "slide"):
            found.agree(what, joint["name"], d.xaxis[j], ours["joint"][i]["axis"], 1)


def compare_forces(found, m, d, M, ours, pairing, scale):
    tolerance, force = pairing.tolerance, scale["force"]
    passive, actuation = np.array(ours["passive"]), np.array(ours["actuation"])
    dry = d.qfrc_passive - d.qfrc_fluid  # the forces of the medium are wrenches in Dashpot
    found.agree("inertia matrix", "M", M, ours["M"], 0, tolerance)
    found.agree("bias force", "c", d.qfrc_bias, ours["bias"], force, tolerance)
    if pairing.weightless:  # actuatorgravcomp: MuJoCo counts the weight that is carried among actuator forces
        found.agree("passive and actuator force", "all", dry + d.qfrc_actuator, passive + actuation, force,
                    tolerance)
    else:
        if not pairing.sprung:
            found.agree("passive force", "all", dry, passive, greatest(d.qfrc_passive), tolerance)
        found.agree("generalised actuator force", "all", d.qfrc_actuator, actuation, 0, tolerance)
    driven = pairing.driven
    found.agree("actuator force", "all", d.actuator_force[[pairing.actuator[a] for a in driven]],
                [ours["actuator_force"][a] for a in driven], 0, tolerance)
    found.agree("acceleration", "all", d.qacc, ours["acceleration"], 0, tolerance)
    # ours counts gravity compensation; theirs forgets fused bodies of the world
    kinds = [1] if pairing.weightless or pairing.fused else [0, 1]
    found.agree("energy", "potential, kinetic", d.energy[kinds], [ours["energy"][i] for i in kinds], scale["energy"],
                tolerance)


def compare_sensors(found, m, d, model, ours, pairing, scale):
    for i, sensor in enumerate(model["sensors"]):
        if not differs_on_purpose(sensor, m, pairing.sensor[i], pairing):
            at = m.sensor_adr[pairing.sensor[i]]
            found.agree("sensors", f"{sensor['name']} ({sensor['kind']})", d.sensordata[at:at + sensor["n"]],
                        ours["sensors"][sensor["at"]:sensor["at"] + sensor["n"]], sensor_scale(sensor["kind"], scale),
                        pairing.tolerance)


def differs_on_purpose(sensor, m, s, pairing):
    """Where the numbers differ on purpose (docs/mujoco.md)."""
    kind = sensor["kind"]
    if kind == "e_potential":
        return pairing.weightless or pairing.fused
    if kind == "jointactuatorfrc":
        return pairing.lifting
    if kind == "actuatorfrc":
        return is_bounded(m, m.sensor_objid[s])
    if kind == "actuatorvel":  # we measure what does not push, too
        return bool(m.opt.disableflags & mj.mjtDisableBit.mjDSBL_ACTUATION)
    return False


def is_bounded(m, a):
    """A bound on the force at a joint is one on its only actuator, whose own force then shows it."""
    on_joint = m.actuator_trntype[a] in (int(mj.mjtTrn.mjTRN_JOINT), int(mj.mjtTrn.mjTRN_JOINTINPARENT))
    return on_joint and bool(np.any(m.jnt_actfrcrange[m.actuator_trnid[a][0]]))


# ---- all files

def compare_model(found, m, model, pairing, converted):
    compare_sizes(found, m, model, pairing, converted)
    if not pairing.fused:
        compare_bodies(found, m, model, pairing)
    compare_joints(found, m, model, pairing)
    compare_geoms(found, m, model, pairing, converted)
    compare_devices(found, m, model, pairing)
    compare_tendons(found, m, model, pairing)
    if m.neq == len(model["equalities"]):  # else some are kinds of Dashpot's own
        compare_equalities(found, m, model)


def compare_states(found, m, model, pairing, dashpot, path, count):
    if not pairing.fused:
        exchange_inertials(m, model, pairing)
    random = np.random.default_rng(len(os.path.basename(path)))
    states = [draw_state(m, model, random, not pairing.fused) for _ in range(count)]
    ours = dashpot.states(path, [as_line(s) for s in states])["states"]
    found.same("states", "all", len(states), len(ours))
    d = mj.MjData(m)
    for s, numbers in zip(states, ours):
        set_state(m, d, model, pairing, s)
        M = full_matrix(m, d)
        scale = measure(m, d, M)
        compare_kinematics(found, d, model, numbers, pairing, scale)
        compare_forces(found, m, d, M, numbers, pairing, scale)
        compare_sensors(found, m, d, model, numbers, pairing, scale)


def compare_file(found, dashpot, path, count):
    theirs = dashpot.for_mujoco(path)
    m = load_theirs(theirs)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    before = len(found.failures)
    for ours in (path, theirs) if theirs != path else (path,):  # what was converted, read back too
        model = dashpot.states(ours)
        pairing = Pairing(m, model, text)
        compare_model(found, m, model, pairing, theirs != path)
    if len(found.failures) == before:  # other models move otherwise
        compare_states(found, m, model, pairing, dashpot, theirs, count)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--mujoco", required=True, metavar="FOLDER")
    parser.add_argument("--dashpot", required=True, metavar="PROGRAM")
    parser.add_argument("--convert", required=True, metavar="PROGRAM")
    parser.add_argument("--converted", action="store_true")
    parser.add_argument("--states", type=int, default=5, metavar="N")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("files", nargs="+", metavar="FILE")
    return parser.parse_args()


def main(option):
    found = Findings()
    print(f"MuJoCo {mj.mj_versionString()} beside Dashpot, {len(option.files)} files, {option.states} states each")
    with tempfile.TemporaryDirectory() as scratch:
        dashpot = Dashpot(option, scratch)
        for found.file in option.files:
            before = len(found.failures)
            try:
                compare_file(found, dashpot, os.path.abspath(found.file), option.states)
            except (ValueError, RuntimeError, UnicodeDecodeError, mj.FatalError) as error:
                found.fail(str(error).strip())
            new = found.failures[before:]
            if option.verbose or new:
                print(f"{'DIFFERS' if new else 'agrees '} {found.file}")
            print("".join(f"    {text}\n" for text in new[:12]), end="")
    for quantity, (difference, file) in found.worst.items():
        print(f"{difference:8.1e}  {quantity:36} {file if difference > 0 else ''}")
    print(f"{len(found.failures)} differences" if found.failures else "all agree")
    return 1 if found.failures else 0


if __name__ == "__main__":
    OPTION = arguments()
    sys.path.insert(0, OPTION.mujoco)
    try:
        import mujoco as mj
    except ImportError as reason:  # not fetched, or built for another version of Python
        print(f"skipped oracle       ({reason})")
        sys.exit(0)
    sys.exit(main(OPTION))
