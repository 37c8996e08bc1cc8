#!/usr/bin/env python3
"""A replay as an animated SVG: make_moving_picture.py REPLAY.html PICTURE.svg [options].

The scene in an orthographic view, bodies moved by SMIL, which browsers run in an <img> without scripts.
A capsule or ball is a thick line, a face of a box a quadrilateral that vanishes where it looks away,
any other convex shape its outline. A body keeps a keyframe only where straight lines between the others
miss it by more than --tolerance pixels. Bodies are drawn from far to near in an order that is right
for most of the run: what passes behind another later may be drawn before it.
"""
import argparse
import base64
import itertools
import json
import math
import pathlib
import re
import struct
import zlib

PALETTE = ["#4878a8", "#d98a3d", "#5a9e6f", "#b65d5d", "#8a72b0", "#8c6f56", "#c77fae", "#7a7f87"]
DIRECTIONS = [(math.cos(2 * math.pi * k / 24), math.sin(2 * math.pi * k / 24)) for k in range(24)]


def words(text):
    """Floats of 32 bits: the lowest byte of each, then the next (docs/replay.md)."""
    raw = zlib.decompress(base64.b64decode(text))
    n = len(raw) // 4
    return [struct.unpack("<f", bytes(raw[k * n + i] for k in range(4)))[0] for i in range(n)]


def series(text, length):
    """Numbers of 16 bits as folded differences, in rows of `length`."""
    raw = zlib.decompress(base64.b64decode(text))
    n = len(raw) // 2
    rows = []
    for start in range(0, n, length):
        value, row = 0, []
        for i in range(start, start + length):
            fold = raw[i] | raw[n + i] << 8
            value = (value + (-(fold + 1) // 2 if fold & 1 else fold // 2)) & 0xFFFF
            row.append(value / 65535)
        rows.append(row)
    return rows


def add(a, b):
    return tuple(x + y for x, y in zip(a, b))


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def multiply(p, q):
    (a, b, c, d), (e, f, g, h) = p, q
    return (
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    )


def rotate(q, v):
    w, x, y, z = q
    return multiply(multiply(q, (0.0, *v)), (w, -x, -y, -z))[1:]


class Camera:
    """Orthographic: pixels to the right and down, depth towards the viewer."""

    def __init__(self, azimuth, elevation):
        a, e = math.radians(azimuth), math.radians(elevation)
        self.towards = (math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e))
        self.right = (-math.sin(a), math.cos(a), 0.0)
        self.up = (-math.sin(e) * math.cos(a), -math.sin(e) * math.sin(a), math.cos(e))

    def project(self, point):
        return dot(point, self.right), -dot(point, self.up)


def corners(size):
    return [tuple(s * h for s, h in zip(sign, size)) for sign in itertools.product((-1, 1), repeat=3)]


def support(kind, size, vertices, d):
    """The furthest point of a convex shape in direction d, all in its own frame."""
    if kind == "ellipsoid":
        scale = math.sqrt(sum((s * x) ** 2 for s, x in zip(size, d))) or 1.0
        return tuple(s * s * x / scale for s, x in zip(size, d))
    if kind == "cylinder":
        r = math.hypot(d[0], d[1]) or 1.0
        return (size[0] * d[0] / r, size[0] * d[1] / r, math.copysign(size[1], d[2]))
    return max(vertices, key=lambda v: dot(v, d))


def parts(geom, position, rotation, camera, vertices):
    """(shade, thickness, points on the screen) of each part of a geom; thickness 0: a filled outline."""
    kind, size = geom["kind"], geom["size"]

    def place(local):
        return camera.project(add(position, rotate(rotation, local)))

    def local(world):
        w, x, y, z = rotation
        return rotate((w, -x, -y, -z), world)

    if kind in ("sphere", "capsule"):
        half = size[1] if kind == "capsule" else 0.0
        return [(1.0, 2 * size[0], [place((0, 0, -half)), place((0, 0, half))])]
    if kind == "box":
        faces, centre = [], camera.project(position)
        for axis, sign in itertools.product(range(3), (-1, 1)):
            normal = rotate(rotation, tuple(float(sign) if k == axis else 0.0 for k in range(3)))
            ring = [c for c in corners(size) if c[axis] * sign > 0]
            ring = [ring[k] for k in (0, 1, 3, 2)]
            seen = dot(normal, camera.towards) > 0
            middle = place(tuple(sign * size[axis] if k == axis else 0.0 for k in range(3))) if not seen else centre
            shade = (0.78, 0.9, 1.12)[axis]
            faces.append((shade, 0.0, [place(c) if seen else middle for c in ring]))
        return faces
    outline = []
    for c, s in DIRECTIONS:
        d = local(add(tuple(c * x for x in camera.right), tuple(s * x for x in camera.up)))
        outline.append(place(support(kind, size, vertices, d)))
    return [(1.0, 0.0, outline)]


def keyframes(frames, tolerance):
    """Numbers of the frames that are needed: straight lines in between stay within the tolerance."""

    def miss(a, b, i):
        t = (i - a) / (b - a)
        return max(abs(x + t * (y - x) - z) for x, y, z in zip(frames[a], frames[b], frames[i]))

    kept, pending = {0, len(frames) - 1}, [(0, len(frames) - 1)]
    while pending:
        a, b = pending.pop()
        worst = max(range(a + 1, b), key=lambda i: miss(a, b, i), default=None)
        if worst is not None and miss(a, b, worst) > tolerance:
            kept.add(worst)
            pending += [(a, worst), (worst, b)]
    return sorted(kept)


def colour(geom, body, shade):
    r, g, b, _ = geom["rgba"]
    if (r, g, b) == (0.5, 0.5, 0.5):
        text = PALETTE[body["tree"] % len(PALETTE)]
        r, g, b = (int(text[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return "#" + "".join(f"{max(0, min(255, round(255 * shade * x))):02x}" for x in (r, g, b))


def path(points, close=""):
    text = "L".join(" ".join(f"{round(x, 1) + 0.0:g}" for x in point) for point in points)
    return f"M{text}{close}"


def shadow(geom, position, rotation, camera):
    """Straight below a geom, along its longest axis."""
    size = {"sphere": 3 * geom["size"][:1], "box": geom["size"], "ellipsoid": geom["size"]}.get(
        geom["kind"], [geom["size"][0], geom["size"][0], sum(geom["size"][:2])]
    )
    longest = max(range(3), key=lambda k: size[k])
    reach = size[longest] - min(size)
    ends = [add(position, rotate(rotation, tuple(s * reach if k == longest else 0.0 for k in range(3)))) for s in (-1, 1)]
    return (None, min(size), [camera.project((x, y, 0.0)) for x, y, _ in ends])


def draw(run, o):
    motion, camera = run["motion"], Camera(o.azimuth, o.elevation)
    times = words(motion["times"])
    columns = series(motion["poses"], len(times))
    chosen = [min(range(len(times)), key=lambda i: abs(times[i] - k / o.fps)) for k in range(int(times[-1] * o.fps) + 1)]
    meshes = [words(m["vertices"]) for m in run["meshes"]]

    def pose(body, i):
        c = [columns[7 * body + k][i] for k in range(7)]
        p = tuple(motion["low"][3 * body + k] + motion["span"][3 * body + k] * c[k] for k in range(3))
        q = [2 * x - 1 for x in c[3:]]
        norm = math.sqrt(dot(q, q))
        return p, tuple(x / norm for x in q)

    def inside(point):
        return o.window[0] <= point[0] <= o.window[2] and o.window[1] <= -point[1] <= o.window[3]

    scale = o.width / (o.window[2] - o.window[0])
    height = round(scale * (o.window[3] - o.window[1]))

    def pixel(point):
        return scale * (point[0] - o.window[0]), scale * (o.window[3] + point[1])

    shapes = []  # (depth, colour, thickness, points by frame)
    for geom in run["geoms"]:
        if geom["kind"] not in ("sphere", "capsule", "box", "ellipsoid", "cylinder", "mesh"):
            continue
        flat = meshes[geom["asset"]] if geom["kind"] == "mesh" else []
        vertices = list(zip(flat[0::3], flat[1::3], flat[2::3]))
        drawn, depth = [], 0.0
        for i in chosen:
            p, q = pose(geom["body"], i)
            place, turn = add(p, rotate(q, geom["pos"])), multiply(q, geom["quat"])
            depth += dot(place, camera.towards) / len(chosen)
            below = [shadow(geom, place, turn, camera)] if geom["body"] else []
            drawn.append(below + parts(geom, place, turn, camera, vertices))
        together = [[x for part in frame for point in part[2] for x in pixel(point)] for frame in drawn]
        kept = keyframes(together, o.tolerance)
        for k, (shade, thickness, _) in enumerate(drawn[0]):
            ink = colour(geom, run["bodies"][geom["body"]], shade) if shade else None
            points = [[pixel(p) for p in drawn[i][k][2]] for i in kept]
            if thickness or any(p != frame[0] for frame in points for p in frame):
                shapes.append((depth if ink else -math.inf, ink, thickness * scale, kept, points))
    shapes.sort(key=lambda s: s[0])

    seconds = len(chosen) / o.fps / o.speed + o.hold
    last = (len(chosen) - 1) / o.fps / o.speed / seconds
    x0, y0, z0, half = o.floor

    def on_floor(*xy):
        return path([pixel(camera.project((x0 + x, y0 + y, z0))) for x, y in xy])

    ticks = [-half + 0.5 * k for k in range(int(4 * half) + 1)]
    grid = "".join(on_floor((t, -half), (t, half)) + on_floor((-half, t), (half, t)) for t in ticks)
    ground = on_floor((-half, -half), (half, -half), (half, half), (-half, half))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {o.width} {height}" role="img" aria-label="{o.title}">',
        f"<title>{o.title}</title>",
        "<style>path{stroke-linejoin:round;stroke-linecap:round}.f{stroke:#0003;stroke-width:.6}.s{stroke:#000;opacity:.12}"
        ".g{fill:#f1f0ec}.l{stroke:#dcdad2}.b{fill:#fff}@media(prefers-color-scheme:dark){.b{fill:#0d1117}.g{fill:#1b2129}"
        ".l{stroke:#2d3540}.f{stroke:#fff3}.s{opacity:.4}}</style>",
        f'<rect class="b" width="{o.width}" height="{height}"/><path class="g" d="{ground}Z"/><path class="l" d="{grid}"/>',
    ]
    lines.append('<g class="s">')  # shadows come first, and are one where they overlap
    for k, (_, ink, thickness, kept, points) in enumerate(shapes):
        if ink and (k == 0 or not shapes[k - 1][1]):
            lines.append("</g>")
        values = [path(frame, "" if thickness else "Z") for frame in points]
        style = f'stroke-width="{thickness:.1f}"' + (f' stroke="{ink}"' if ink else "")
        style = style if thickness else f'class="f" fill="{ink}"'
        if len(set(values)) == 1:
            lines.append(f'<path {style} d="{values[0]}"/>')
            continue
        keys = [f"{last * i / (len(chosen) - 1):.4f}" if i else "0" for i in kept]
        lines.append(
            f'<path {style} d="{values[0]}"><animate attributeName="d" dur="{seconds:g}s" repeatCount="indefinite" '
            f'keyTimes="{";".join([*keys, "1"])}" values="{";".join([*values, values[-1]])}"/></path>'
        )
    return "\n".join([*lines, "</svg>", ""])


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("replay", type=pathlib.Path)
    p.add_argument("picture", type=pathlib.Path)
    p.add_argument("--title", default="a simulation with Dashpot")
    p.add_argument("--azimuth", type=float, default=-60, help="of the viewer, from x towards y [deg]")
    p.add_argument("--elevation", type=float, default=18, help="of the viewer [deg]")
    p.add_argument("--window", type=float, nargs=4, default=[-2, -0.5, 2, 2], help="left bottom right top in the view [m]")
    p.add_argument("--floor", type=float, nargs=4, default=[0, 0, 0, 3], help="centre and half length of the floor [m]")
    p.add_argument("--width", type=int, default=900, help="[px]")
    p.add_argument("--fps", type=float, default=25, help="frames per simulated second")
    p.add_argument("--speed", type=float, default=1, help="simulated seconds per second")
    p.add_argument("--hold", type=float, default=1.2, help="rest on the last frame [s]")
    p.add_argument("--tolerance", type=float, default=0.6, help="of what is left out [px]")
    o = p.parse_args()
    page = o.replay.read_text(encoding="utf-8")
    run = json.loads(re.search(r'<script id="run" type="application/json">(.*?)</script>', page, re.DOTALL)[1])
    o.picture.write_text(draw(run, o), encoding="utf-8")


if __name__ == "__main__":
    main()
