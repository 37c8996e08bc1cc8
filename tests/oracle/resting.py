#!/usr/bin/env python3
"""Things at rest on the ground: the same heights in Dashpot and in MuJoCo, which reads what
`dashpot convert --mujoco` writes.

    resting.py --mujoco FOLDER --convert PROGRAM
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

SCENE = """<mujoco xmlns:dp="dashpot">
    <option timestep="{step}"/>
    <worldbody>
        <geom type="plane" size="5 5 1" {ground}/>
        <body name="b" pos="0 0 {height}"><freejoint/><geom {shape} mass="{mass}" {material}/></body>
    </worldbody>
</mujoco>
"""
SHAPES = {  # half the height, and the geom
    "box": (0.1, 'type="box" size="0.2 0.3 0.1"'),
    "sphere": (0.1, 'type="sphere" size="0.1"'),
    "capsule": (0.1, 'type="capsule" size="0.1 0.3" euler="90 0 0"'),
    "cylinder": (0.1, 'type="cylinder" size="0.2 0.1"'),
    "ellipsoid": (0.1, 'type="ellipsoid" size="0.3 0.2 0.1"'),
}
MATERIALS = {  # of the thing and of the ground, and the stiffness that both make [N/m]
    "default": ("", "", 1e7),
    "soft": ('dp:stiffness="4e4" dp:damping="400"', "", 1.0 / (1.0 / 4e4 + 1.0 / 2e7)),
    "soft ground": ("", 'dp:stiffness="1e4" dp:damping="300"', 1.0 / (1.0 / 1e4 + 1.0 / 2e7)),
}
GRAVITY = 9.81  # [m/s²]
SECONDS = 3.0
CLOSE = 1e-9  # [m] beside a share of the depth under the weight
SHARE = 1e-3


def height_in_dashpot(program, path):
    command = [program, "run", path, "--seconds", str(SECONDS), "--json"]
    run = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    return json.loads(run.stdout)["final"]["q"][2]


def height_in_mujoco(program, path, scratch):
    converted = os.path.join(scratch, "converted.xml")
    subprocess.run([program, "convert", "--mujoco", "--quiet", path, converted], check=True)
    m = mj.MjModel.from_xml_path(converted)
    d = mj.MjData(m)
    while d.time < SECONDS:
        mj.mj_step(m, d)
    return d.qpos[2]


def main(option):
    worst, failures = 0.0, 0
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "scene.xml")
        for shape, (half, geom) in SHAPES.items():
            for name, (material, ground, stiffness) in MATERIALS.items():
                for mass, step in ((1.0, 0.002), (20.0, 0.002), (0.1, 0.001), (5.0, 0.005)):
                    with open(path, "w", encoding="utf-8") as file:
                        file.write(SCENE.format(step=step, ground=ground, shape=geom, mass=mass, material=material,
                                                height=half))
                    ours = height_in_dashpot(option.convert, path)
                    theirs = height_in_mujoco(option.convert, path, scratch)
                    allowed = CLOSE + SHARE * mass * GRAVITY / stiffness
                    worst = max(worst, abs(ours - theirs) / allowed)
                    if abs(ours - theirs) > allowed:
                        failures += 1
                        print(f"{shape} of {mass} kg, {name}, h = {step}: MuJoCo {theirs:.9f}, Dashpot {ours:.9f} m")
    print(f"resting heights: worst difference {worst:.2f} of what is allowed; {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    PARSER = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    PARSER.add_argument("--mujoco", required=True, metavar="FOLDER")
    PARSER.add_argument("--convert", required=True, metavar="PROGRAM")
    OPTION = PARSER.parse_args()
    sys.path.insert(0, OPTION.mujoco)
    try:
        import mujoco as mj
    except ImportError as reason:  # as in compare.py
        print(f"skipped resting      ({reason})")
        sys.exit(0)
    sys.exit(main(OPTION))
