// What is not a body: contacts, joints, sites, tendons, inertia, pressures.
import * as THREE from "three";

const STICK = new THREE.Color(0x2f9e6e);
const SLIP = new THREE.Color(0xe0542f);
const PLAIN = new THREE.Color(0x3d6fd9);
const UP = new THREE.Vector3(0, 0, 1);
const ONE = new THREE.Vector3(1, 1, 1);

// Instances whose number changes: grows when it must.
class Crowd extends THREE.Group {
    constructor(geometry, material) {
        super();
        this.geometry = geometry;
        this.material = material;
        this.mesh = null;
    }

    begin(count) {
        if (!this.mesh || this.mesh.instanceMatrix.count < count) {
            if (this.mesh) {
                this.remove(this.mesh);
                this.mesh.dispose();
            }
            this.mesh = new THREE.InstancedMesh(this.geometry, this.material, Math.max(16, 2 * count));
            this.mesh.frustumCulled = false;
            this.add(this.mesh);
        }
        this.mesh.count = 0;
    }

    put(matrix, colour) {
        const i = this.mesh.count++;
        this.mesh.setMatrixAt(i, matrix);
        this.mesh.setColorAt(i, colour);
    }

    end() {
        this.mesh.instanceMatrix.needsUpdate = true;
        if (this.mesh.instanceColor) {
            this.mesh.instanceColor.needsUpdate = true;
        }
    }
}

const flatMaterial = () => new THREE.MeshBasicMaterial({ depthTest: false, transparent: true });

// Arrows from a point along a vector, all of one thickness.
export class Arrows extends THREE.Group {
    constructor(thickness) {
        super();
        this.thickness = thickness;
        const shaft = new THREE.CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0).rotateX(Math.PI / 2);
        const head = new THREE.ConeGeometry(2.6, 6, 16).translate(0, 3, 0).rotateX(Math.PI / 2);
        this.shafts = new Crowd(shaft, flatMaterial());
        this.heads = new Crowd(head, flatMaterial());
        this.add(this.shafts, this.heads);
        this.matrix4 = new THREE.Matrix4();
        this.turn = new THREE.Quaternion();
        this.scale3 = new THREE.Vector3();
        this.tip = new THREE.Vector3();
    }

    begin(count) {
        this.shafts.begin(count);
        this.heads.begin(count);
    }

    put(from, direction, length, colour) {
        const t = Math.min(this.thickness, length / 8);
        this.turn.setFromUnitVectors(UP, direction);
        const shaft = Math.max(length - 6 * t, 0);
        this.shafts.put(this.matrix4.compose(from, this.turn, this.scale3.set(t, t, shaft)), colour);
        this.tip.copy(direction).multiplyScalar(shaft).add(from);
        this.heads.put(this.matrix4.compose(this.tip, this.turn, this.scale3.set(t, t, t)), colour);
    }

    end() {
        this.shafts.end();
        this.heads.end();
    }
}

export class Contacts {
    constructor(data, size) {
        this.data = data;
        this.any = this.data.gap.length > 0;
        this.size = size; // [m] of the scene
        this.coloured = true;
        this.points = new Crowd(new THREE.SphereGeometry(1, 12, 8), flatMaterial());
        this.normals = new Arrows(0.0018 * size);
        this.forces = new Arrows(0.0025 * size);
        this.depths = new Crowd(new THREE.SphereGeometry(1, 16, 10), flatMaterial());
        this.depths.material.opacity = 0.45;
        let deepest = 0;
        const strengths = new Float32Array(this.data.gap.length);
        for (let i = 0; i < strengths.length; ++i) {
            strengths[i] = this.strength(i);
            deepest = Math.max(deepest, -this.data.gap[i]);
        }
        this.strong = strengths.sort()[Math.floor(0.95 * strengths.length)] || 1; // impacts aside
        this.deepest = deepest;
        let crowd = 0;
        for (let f = 0; f + 1 < this.data.start.length; ++f) {
            crowd = Math.max(crowd, this.data.start[f + 1] - this.data.start[f]);
        }
        this.setReach(crowd);
    }

    // How long a long arrow is, among so many.
    setReach(crowd) {
        this.reach = (0.25 * this.size) / Math.sqrt(Math.max(crowd / 8, 1));
    }

    strength(i) {
        const [x, y, z] = this.data.force;
        return Math.hypot(x[i], y[i], z[i]);
    }

    // The points of the frame that is kept and was last.
    rangeAt(frame) {
        const kept = Math.floor(frame / this.data.every);
        return [this.data.start[kept], this.data.start[kept + 1]];
    }

    totalAt(frame) {
        const [first, end] = this.rangeAt(frame);
        const n = this.data.normal;
        const f = this.data.force;
        let sum = 0;
        for (let i = first; i < end; ++i) {
            sum += f[0][i] * n[0][i] + f[1][i] * n[1][i] + f[2][i] * n[2][i];
        }
        return { count: end - first, force: sum };
    }

    update(frame) {
        const d = this.data;
        const [first, end] = this.rangeAt(frame);
        const groups = [this.points, this.normals, this.forces, this.depths];
        const shown = groups.filter((g) => g.visible);
        if (shown.length === 0) {
            return;
        }
        groups.forEach((g) => g.begin(end - first));
        const p = new THREE.Vector3();
        const v = new THREE.Vector3();
        const matrix = new THREE.Matrix4();
        const dot = Math.min(0.004 * this.size, 0.12 * this.reach);
        for (let i = first; i < end; ++i) {
            const colour = this.coloured ? (d.slips[i] ? SLIP : STICK) : PLAIN;
            p.set(d.point[0][i], d.point[1][i], d.point[2][i]);
            this.points.put(matrix.makeScale(dot, dot, dot).setPosition(p), colour);
            v.set(d.normal[0][i], d.normal[1][i], d.normal[2][i]).normalize();
            this.normals.put(p, v, 0.6 * this.reach, PLAIN);
            const strength = this.strength(i);
            if (strength > 0) {
                v.set(d.force[0][i], d.force[1][i], d.force[2][i]).divideScalar(strength);
                const length = this.reach * Math.min(Math.sqrt(strength / this.strong), 2);
                this.forces.put(p, v, length, colour);
            }
            const depth = Math.max(-d.gap[i], 0);
            if (depth > 0) {
                const r = 0.02 * this.size * Math.sqrt(depth / this.deepest);
                this.depths.put(matrix.makeScale(r, r, r).setPosition(p), SLIP);
            }
        }
        groups.forEach((g) => g.end());
    }
}

// Axes of hinges and slides, balls of ball joints.
export class Joints extends THREE.Group {
    constructor(run, size) {
        super();
        this.list = run.joints.filter((j) => j.kind !== "free");
        this.size = size;
        this.arrows = new Arrows(0.0025 * size);
        this.balls = new Crowd(new THREE.SphereGeometry(1, 16, 10), flatMaterial());
        this.add(this.arrows, this.balls);
        this.colours = { hinge: new THREE.Color(0xc23b8f), slide: new THREE.Color(0x7a4fd0), ball: new THREE.Color(0xc23b8f) };
    }

    update(poses) {
        this.arrows.begin(this.list.length);
        this.balls.begin(this.list.length);
        const p = new THREE.Vector3();
        const v = new THREE.Vector3();
        const r = 0.012 * this.size;
        for (const joint of this.list) {
            p.set(...joint.anchor).applyQuaternion(poses.rotation[joint.body]).add(poses.position[joint.body]);
            if (joint.kind === "ball") {
                this.balls.put(new THREE.Matrix4().makeScale(r, r, r).setPosition(p), this.colours.ball);
                continue;
            }
            v.set(...joint.axis).applyQuaternion(poses.rotation[joint.body]);
            const length = 0.1 * this.size;
            p.addScaledVector(v, -0.5 * length);
            this.arrows.put(p, v, length, this.colours[joint.kind]);
        }
        this.arrows.end();
        this.balls.end();
    }
}

// Sites as dots, and tendons as straight lines from site to site.
export class Sites {
    constructor(run, size) {
        this.run = run;
        this.size = size;
        this.points = run.sites.map(() => new THREE.Vector3());
        this.dots = new Crowd(new THREE.SphereGeometry(1, 12, 8), flatMaterial());
        this.colour = new THREE.Color(0xd9a514);
        this.ends = run.tendons.flatMap((t) => t.branches.flatMap((b) => b.slice(1).map((site, i) => [b[i], site])));
        const line = new THREE.CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0).rotateX(Math.PI / 2);
        this.tendons = new Crowd(line, new THREE.MeshStandardMaterial({ roughness: 0.6 }));
        this.red = new THREE.Color(0xb8443c);
    }

    update(poses) {
        this.run.sites.forEach((site, i) => {
            this.points[i].set(...site.pos).applyQuaternion(poses.rotation[site.body]).add(poses.position[site.body]);
        });
        const matrix = new THREE.Matrix4();
        if (this.dots.visible) {
            const r = 0.006 * this.size;
            this.dots.begin(this.points.length);
            this.points.forEach((p) => this.dots.put(matrix.makeScale(r, r, r).setPosition(p), this.colour));
            this.dots.end();
        }
        const r = 0.003 * this.size;
        const along = new THREE.Vector3();
        const turn = new THREE.Quaternion();
        this.tendons.begin(this.ends.length);
        for (const [a, b] of this.ends) {
            along.subVectors(this.points[b], this.points[a]);
            const length = along.length();
            if (length > 0) {
                turn.setFromUnitVectors(UP, along.divideScalar(length));
                this.tendons.put(matrix.compose(this.points[a], turn, new THREE.Vector3(r, r, length)), this.red);
            }
        }
        this.tendons.end();
    }
}

// Boxes of even density that have the body's inertia, and centres of mass.
export class Masses {
    constructor(run, size) {
        this.list = run.bodies.map((b, index) => ({ ...b, index })).filter((b) => b.mass > 0 && b.tree >= 0);
        this.size = size;
        this.boxes = new THREE.Group();
        const edges = new THREE.EdgesGeometry(new THREE.BoxGeometry(1, 1, 1));
        const material = new THREE.LineBasicMaterial({ color: 0xb4308f, depthTest: false, transparent: true });
        for (const body of this.list) {
            const [a, b, c] = body.moments;
            const edge = (x) => Math.sqrt(Math.max((6 * x) / body.mass, 0));
            body.box = new THREE.LineSegments(edges, material);
            body.box.scale.set(edge(b + c - a), edge(a + c - b), edge(a + b - c));
            body.box.frustumCulled = false;
            this.boxes.add(body.box);
        }
        this.centres = new Crowd(new THREE.SphereGeometry(1, 16, 10), flatMaterial());
        this.colour = new THREE.Color(0xd9a514);
    }

    update(poses) {
        this.centres.begin(this.list.length);
        const r = 0.008 * this.size;
        const p = new THREE.Vector3();
        for (const body of this.list) {
            const q = poses.rotation[body.index];
            p.set(...body.pos).applyQuaternion(q).add(poses.position[body.index]);
            this.centres.put(new THREE.Matrix4().makeScale(r, r, r).setPosition(p), this.colour);
            const [w, x, y, z] = body.quat;
            body.box.position.copy(p);
            body.box.quaternion.set(x, y, z, w).premultiply(q);
        }
        this.centres.end();
    }
}

// A map of pressure on the face of each foundation.
export class Pressures extends THREE.Group {
    constructor(run) {
        super();
        this.run = run;
        this.frames = run.motion.times.length;
        let first = 0;
        this.maps = run.foundations.map((f) => {
            const map = { ...f, first, geom: run.geoms[f.geom] };
            first += f.nx * f.ny;
            map.pixels = new Uint8Array(4 * f.nx * f.ny);
            map.texture = new THREE.DataTexture(map.pixels, f.nx, f.ny);
            map.texture.colorSpace = THREE.SRGBColorSpace;
            map.texture.magFilter = THREE.NearestFilter;
            const axis = 2 - (f.face >> 1); // −z +z −y +y −x +x
            const [i, j] = [0, 1, 2].filter((k) => k !== axis);
            const side = f.face & 1 ? 1 : -1;
            const s = map.geom.size;
            const corner = (u, v) => {
                const x = [0, 0, 0];
                x[axis] = side * s[axis] * 1.002;
                x[i] = u * s[i];
                x[j] = v * s[j];
                return x;
            };
            const geometry = new THREE.BufferGeometry();
            const points = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)].flat();
            geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
            geometry.setAttribute("uv", new THREE.Float32BufferAttribute([0, 0, 1, 0, 1, 1, 0, 1], 2));
            geometry.setIndex([0, 1, 2, 0, 2, 3]);
            map.mesh = new THREE.Mesh(
                geometry,
                new THREE.MeshBasicMaterial({ map: map.texture, side: THREE.DoubleSide, depthTest: false, transparent: true, opacity: 0.9 }),
            );
            map.mesh.matrixAutoUpdate = false;
            map.mesh.frustumCulled = false;
            this.add(map.mesh);
            return map;
        });
    }

    update(poses, frame) {
        const colour = new THREE.Color();
        for (const map of this.maps) {
            for (let k = 0; k < map.nx * map.ny; ++k) {
                const share = this.run.pressures[(map.first + k) * this.frames + frame] / (this.run.most_pressure || 1);
                colour.setHSL(0.66 * (1 - share), 0.85, 0.3 + 0.25 * share);
                map.pixels.set([255 * colour.r, 255 * colour.g, 255 * colour.b, 255], 4 * k);
            }
            map.texture.needsUpdate = true;
            const b = map.geom.body;
            const [w, x, y, z] = map.geom.quat;
            map.mesh.matrix.compose(poses.position[b], poses.rotation[b], ONE);
            map.mesh.matrix.multiply(
                new THREE.Matrix4().compose(new THREE.Vector3(...map.geom.pos), new THREE.Quaternion(x, y, z, w), ONE),
            );
            map.mesh.matrixWorldNeedsUpdate = true;
        }
    }
}
