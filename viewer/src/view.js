// The picture: camera, lights, ground, and everything that moves.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { LiveContacts, LivePoses } from "./history.js";
import { Arrows, Contacts, Joints, Masses, Pressures, Sites } from "./marks.js";
import { Poses } from "./pose.js";
import { Shapes } from "./shapes.js";

const THEMES = {
    light: { sky: 0xdfe7f0, lines: "#9aa8b8", fill: "#c3ccd6", hemisphere: 1.7, sun: 2.3 },
    dark: { sky: 0x171d25, lines: "#4d5a69", fill: "#2b333d", hemisphere: 1.5, sun: 2.6 },
};

const PULL = new THREE.Color(0xf08a00);

// The box around a geom in its own frame.
function ownBox(run, geom) {
    const [a, b, c] = geom.size;
    const box = (x, y, z) => new THREE.Box3(new THREE.Vector3(-x, -y, -z), new THREE.Vector3(x, y, z));
    switch (geom.kind) {
        case "mesh":
            return new THREE.Box3().setFromArray(run.meshes[geom.asset].vertices);
        case "hfield": {
            const [rx, ry, top] = run.hfields[geom.asset].size;
            return new THREE.Box3(new THREE.Vector3(-rx, -ry, 0), new THREE.Vector3(rx, ry, top));
        }
        case "sphere":
            return box(a, a, a);
        case "capsule":
            return box(a, a, a + b);
        case "cylinder":
            return box(a, a, b);
        default:
            return box(a, b, c);
    }
}

// The box around the geoms of a list at the present poses.
function boxOf(poses, geoms) {
    const box = new THREE.Box3();
    const one = new THREE.Vector3(1, 1, 1);
    const body = new THREE.Matrix4();
    const local = new THREE.Matrix4();
    for (const g of geoms) {
        const [w, x, y, z] = g.quat;
        body.compose(poses.position[g.body], poses.rotation[g.body], one);
        local.compose(new THREE.Vector3(...g.pos), new THREE.Quaternion(x, y, z, w), one);
        box.union(g.box.clone().applyMatrix4(body.multiply(local)));
    }
    return box;
}

// Their corners; a thousand boxes are enough.
function cornersOf(boxes) {
    const every = Math.ceil(boxes.length / 1000);
    return boxes
        .filter((_, i) => i % every === 0)
        .flatMap((b) => [0, 1, 2, 3, 4, 5, 6, 7].map((k) => new THREE.Vector3((k & 1 ? b.max : b.min).x, (k & 2 ? b.max : b.min).y, (k & 4 ? b.max : b.min).z)));
}

// What a picture should show: what moves, over the whole run, unless it goes too far; and of what
// stands still as much as is near. The box around it, and corners of what is in it.
function extent(run, poses) {
    const solid = run.geoms.filter((g) => g.kind !== "plane").map((g) => ({ ...g, box: ownBox(run, g) }));
    for (const site of new Set(run.tendons.flatMap((t) => t.branches.flat()))) {
        solid.push({ ...run.sites[site], box: new THREE.Box3(new THREE.Vector3(), new THREE.Vector3()) });
    }
    const moves = (g) => run.bodies[g.body].tree >= 0;
    const moving = solid.some(moves) ? solid.filter(moves) : solid;
    poses.at(0);
    const box = boxOf(poses, moving);
    if (box.isEmpty()) {
        box.set(new THREE.Vector3(-1, -1, 0), new THREE.Vector3(1, 1, 1));
        return { box, corners: cornersOf([box]) };
    }
    const length = (b) => b.getSize(new THREE.Vector3()).length();
    const far = box.clone().expandByScalar(6 * length(box));
    const places = moving.map((g) => boxOf(poses, [g]));
    const samples = 24;
    for (let k = 1; k <= samples; ++k) {
        poses.at((poses.duration * k) / samples);
        places.push(...moving.map((g) => boxOf(poses, [g]).intersect(far)).filter((b) => !b.isEmpty()));
    }
    const few = Math.floor(0.03 * places.length); // splinters that fly away
    for (const axis of ["x", "y", "z"]) {
        const sorted = (end) => Float64Array.from(places, (b) => b[end][axis]).sort();
        box.min[axis] = Math.min(box.min[axis], sorted("min")[few] ?? Infinity);
        box.max[axis] = Math.max(box.max[axis], sorted("max")[places.length - 1 - few] ?? -Infinity);
    }
    const near = box.clone().expandByScalar(0.5 * length(box));
    for (const g of solid.filter((geom) => !moves(geom))) {
        const part = boxOf(poses, [g]).intersect(near);
        if (!part.isEmpty()) {
            box.union(part);
            places.push(part);
        }
    }
    return { box, corners: cornersOf(places.map((b) => b.intersect(box)).filter((b) => !b.isEmpty())) };
}

// How thick a moving geom typically is [m]: the median of their shortest sides.
function thickness(run) {
    const sides = run.geoms
        .filter((g) => g.kind !== "plane" && run.bodies[g.body].tree >= 0)
        .map((g) => Math.min(...ownBox(run, g).getSize(new THREE.Vector3()).toArray()))
        .sort((a, b) => a - b);
    return sides[sides.length >> 1] ?? 1;
}

// A tile of a floor with lines, to be repeated.
function tile(theme) {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 256;
    const g = canvas.getContext("2d");
    g.fillStyle = theme.fill;
    g.fillRect(0, 0, 256, 256);
    g.strokeStyle = theme.lines;
    g.lineWidth = 4;
    g.strokeRect(0, 0, 256, 256);
    const texture = new THREE.CanvasTexture(canvas);
    texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
    texture.colorSpace = THREE.SRGBColorSpace;
    texture.anisotropy = 8;
    return texture;
}

// One for all scenes of a canvas.
export function makeRenderer(canvas) {
    const renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = THREE.PCFShadowMap;
    return renderer;
}

export class View {
    // `history`: of a live run, where what is shown comes from; its scene has but one frame.
    constructor(renderer, run, history = null) {
        this.run = run;
        this.history = history;
        this.poses = new Poses(run);
        this.renderer = renderer;
        this.scene = new THREE.Scene();
        const { box, corners } = extent(run, this.poses);
        this.box = box;
        this.corners = corners;
        this.size = this.box.getSize(new THREE.Vector3()).length();
        this.thickness = thickness(run);
        if (history) {
            this.poses = new LivePoses(run, history);
        }
        this.camera = new THREE.PerspectiveCamera(40, 1, 0.002 * this.size, 60 * this.size);
        this.camera.up.set(0, 0, 1);
        this.controls = new OrbitControls(this.camera, renderer.domElement);
        this.controls.enableDamping = false;
        this.controls.addEventListener("start", () => (this.atHome = false));
        this.controls.addEventListener("change", () => this.onChange());
        this.onChange = () => {};
        this.onShow = () => {};
        this.addLights();
        this.addContent();
        this.followed = -1;
        this.raycaster = new THREE.Raycaster();
        this.home();
    }

    addLights() {
        this.hemisphere = new THREE.HemisphereLight(0xffffff, 0x8a8f99, 0.9);
        this.sun = new THREE.DirectionalLight(0xffffff, 2.2);
        this.sun.castShadow = true;
        this.sun.shadow.mapSize.set(2048, 2048);
        const centre = this.box.getCenter(new THREE.Vector3());
        const r = 0.65 * this.size;
        this.sun.position.copy(centre).add(new THREE.Vector3(0.5, -0.7, 1.4).multiplyScalar(1.2 * r));
        this.sun.target.position.copy(centre);
        Object.assign(this.sun.shadow.camera, { left: -r, right: r, top: r, bottom: -r, near: 0.05 * r, far: 5 * r });
        this.sun.shadow.radius = 3; // soft edges
        this.sun.shadow.bias = -0.0004;
        this.sun.shadow.normalBias = 0.002 * this.size;
        this.scene.add(this.hemisphere, this.sun, this.sun.target);
    }

    addContent() {
        const { run, size } = this;
        this.shapes = new Shapes(run);
        this.contacts = this.history ? new LiveContacts(this.history, size) : new Contacts(run.contacts, size);
        this.joints = new Joints(run, size);
        this.masses = new Masses(run, size);
        this.sites = new Sites(run, size);
        this.pressures = new Pressures(run);
        const marks = [this.contacts.points, this.contacts.normals, this.contacts.forces, this.contacts.depths];
        marks.push(this.joints, this.sites.dots, this.masses.boxes, this.masses.centres, this.pressures);
        for (const mark of marks) {
            mark.visible = false;
            mark.renderOrder = 2;
        }
        this.pull = new Arrows(0.003 * size); // what the pointer does
        this.pull.renderOrder = 3;
        this.planes = new THREE.Group();
        this.scene.add(this.pull, this.shapes, this.planes, this.sites.tendons, ...marks);
    }

    // Free what the graphics card keeps.
    dispose() {
        this.controls.dispose();
        this.scene.traverse((object) => {
            object.geometry?.dispose();
            object.material?.map?.dispose();
            object.material?.dispose();
            object.dispose?.();
        });
    }

    // Planes have no end, whatever size is given for drawing them. Without any there is a grid.
    makePlanes(theme) {
        for (const old of this.planes.children) {
            old.geometry.dispose();
            old.material.map?.dispose();
            old.material.dispose();
        }
        this.planes.clear();
        const texture = tile(theme);
        const cell = 10 ** Math.round(Math.log10(this.size / 8));
        for (const geom of this.run.geoms.filter((g) => g.kind === "plane")) {
            const half = cell * Math.ceil((12 * this.size) / cell); // endless, as far as one sees
            const map = texture.clone();
            map.repeat.set((2 * half) / cell, (2 * half) / cell);
            const material = new THREE.MeshStandardMaterial({
                map,
                roughness: 0.95,
                metalness: 0,
                side: THREE.DoubleSide,
                polygonOffset: true, // what lies flat on it is seen
                polygonOffsetFactor: 1,
                polygonOffsetUnits: 1,
            });
            const mesh = new THREE.Mesh(new THREE.PlaneGeometry(2 * half, 2 * half), material);
            mesh.receiveShadow = true;
            mesh.userData.geom = geom;
            this.planes.add(mesh);
        }
        if (this.planes.children.length === 0) {
            const grid = new THREE.GridHelper(80 * cell, 80, 0x8892a0, 0x8892a0).rotateX(Math.PI / 2);
            grid.material.opacity = 0.3;
            grid.material.transparent = true;
            const centre = this.box.getCenter(new THREE.Vector3());
            const snap = (x) => cell * Math.round(x / cell);
            grid.position.set(snap(centre.x), snap(centre.y), this.box.min.z);
            this.planes.add(grid);
        }
    }

    setTheme(name) {
        const theme = THEMES[name];
        this.scene.background = new THREE.Color(theme.sky);
        this.scene.fog = new THREE.Fog(theme.sky, 3 * this.size, 10 * this.size);
        this.hemisphere.intensity = theme.hemisphere;
        this.sun.intensity = theme.sun;
        this.makePlanes(theme);
    }

    // From where to look: the right and from above, unless a plane that stands still is in the way.
    goodSide(centre) {
        const planes = this.run.geoms.filter((g) => g.kind === "plane" && g.body === 0);
        const free = (eye) =>
            planes.every((g) => {
                const [w, x, y, z] = g.quat;
                const normal = new THREE.Vector3(0, 0, 1).applyQuaternion(new THREE.Quaternion(x, y, z, w));
                return normal.dot(eye.clone().sub(new THREE.Vector3(...g.pos))) > 0;
            });
        const usual = new THREE.Vector3(0.55, -1, 0.42).normalize();
        for (const rise of [0.42, 1, 2.5]) {
            for (let k = 0; k < 8; ++k) {
                const way = new THREE.Vector3(0.55, -1, rise).applyAxisAngle(this.camera.up, (k * Math.PI) / 4).normalize();
                if (free(way.clone().multiplyScalar(1.5 * this.size).add(centre))) {
                    return way;
                }
            }
        }
        return usual;
    }

    // Back to where all of the run is seen: as near as that allows.
    home() {
        const centre = this.box.getCenter(new THREE.Vector3());
        const back = this.goodSide(centre);
        const right = new THREE.Vector3().crossVectors(this.camera.up, back).normalize();
        const up = new THREE.Vector3().crossVectors(back, right);
        const air = this.history ? 0.7 : 0.9; // around it: what is not known yet needs more
        const tall = air * Math.tan((this.camera.fov * Math.PI) / 360);
        const wide = tall * this.camera.aspect;
        const q = new THREE.Vector3();
        let distance = this.size;
        for (let k = 0; k < 4; ++k) { // in the middle, then near; each changes the other a little
            distance = 0.1 * this.size;
            for (const corner of this.corners) {
                q.subVectors(corner, centre);
                distance = Math.max(distance, q.dot(back) + Math.max(Math.abs(q.dot(right)) / wide, Math.abs(q.dot(up)) / tall));
            }
            const seen = new THREE.Box2();
            for (const corner of this.corners) {
                q.subVectors(corner, centre);
                const depth = distance - q.dot(back);
                seen.expandByPoint(new THREE.Vector2(q.dot(right) / depth, q.dot(up) / depth));
            }
            const middle = seen.getCenter(new THREE.Vector2());
            centre.addScaledVector(right, 0.9 * middle.x * distance).addScaledVector(up, 0.9 * middle.y * distance);
        }
        this.controls.target.copy(centre);
        this.camera.position.copy(centre).addScaledVector(back, distance);
        this.atHome = true; // until the user turns the picture
        this.controls.update();
    }

    resize(width, height) {
        this.renderer.setSize(width, height, false);
        this.camera.aspect = width / height;
        this.camera.updateProjectionMatrix();
        if (this.atHome) {
            this.home();
        }
    }

    // Keep a body where it is in the picture; −1: none.
    follow(body) {
        this.followed = body;
    }

    // The frame nearest to a time since the start.
    nearest(t) {
        const { frame, next, part } = this.poses.locate(t);
        return part > 0.5 ? next : frame;
    }

    show(t) {
        const before = this.followed >= 0 ? this.poses.position[this.followed].clone() : null;
        this.poses.at(t);
        if (before) {
            const way = this.poses.position[this.followed].clone().sub(before);
            this.camera.position.add(way);
            this.controls.target.add(way);
        }
        const nearest = this.nearest(t);
        this.shapes.update(this.poses);
        for (const mesh of this.planes.children) {
            const geom = mesh.userData.geom;
            if (geom) {
                const [w, x, y, z] = geom.quat;
                mesh.quaternion.set(x, y, z, w).premultiply(this.poses.rotation[geom.body]);
                mesh.position.set(...geom.pos).applyQuaternion(this.poses.rotation[geom.body]).add(this.poses.position[geom.body]);
            }
        }
        this.contacts.update(nearest);
        if (this.joints.visible) {
            this.joints.update(this.poses);
        }
        if (this.sites.dots.visible || this.sites.ends.length > 0) {
            this.sites.update(this.poses);
        }
        if (this.masses.boxes.visible || this.masses.centres.visible) {
            this.masses.update(this.poses);
        }
        if (this.pressures.visible) {
            this.pressures.update(this.poses, nearest);
        }
        this.onShow();
        this.renderer.render(this.scene, this.camera);
    }

    // Its centre of mass, in the world.
    centreOf(body) {
        const { position, rotation } = this.poses;
        return new THREE.Vector3(...this.run.bodies[body].pos).applyQuaternion(rotation[body]).add(position[body]);
    }

    // An arrow from one point to another; none without them.
    showPull(from, to) {
        const along = from ? to.clone().sub(from) : new THREE.Vector3();
        const length = along.length();
        this.pull.visible = length > 0;
        if (length > 0) {
            this.pull.begin(1);
            this.pull.put(from, along.divideScalar(length), length, PULL);
            this.pull.end();
        }
    }

    // Where the line of sight through a point of the picture meets the plane that faces the camera and goes
    // through `point`.
    across(right, up, point) {
        const facing = this.camera.getWorldDirection(new THREE.Vector3());
        this.raycaster.setFromCamera(new THREE.Vector2(right, up), this.camera);
        const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, point);
        return this.raycaster.ray.intersectPlane(plane, new THREE.Vector3());
    }

    // What is under a point of the picture, −1 … 1 each way: its geom and where it is hit; null for nothing.
    pick(right, up) {
        this.raycaster.setFromCamera(new THREE.Vector2(right, up), this.camera);
        const hits = this.raycaster.intersectObjects([...this.shapes.children, ...this.planes.children], false);
        const hit = hits.find((h) => h.object.userData.items || h.object.userData.geom);
        if (!hit) {
            return null;
        }
        const items = hit.object.userData.items;
        return { geom: items ? items[hit.instanceId].geom : hit.object.userData.geom, point: hit.point };
    }

    nameOf({ geom }) {
        const index = this.run.geoms.indexOf(geom);
        const body = geom.body === 0 ? "world" : this.run.bodies[geom.body].name || `body ${geom.body}`;
        return `${body} · ${geom.name || `${geom.kind} ${index}`}`;
    }
}
