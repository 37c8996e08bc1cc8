// The picture: camera, lights, ground, and everything that moves.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Contacts, Joints, Masses, Pressures } from "./marks.js";
import { Poses } from "./pose.js";
import { Shapes } from "./shapes.js";

const THEMES = {
    light: { sky: 0xe6ecf3, lines: "#aab6c5", fill: "#dde3ea", hemisphere: 1.9, sun: 2.5 },
    dark: { sky: 0x171d25, lines: "#46525f", fill: "#2b333d", hemisphere: 1.3, sun: 2.4 },
};

// The box around all that is not endless, over the whole run.
function extent(run, poses) {
    const box = new THREE.Box3();
    const radius = (g) => {
        if (g.kind === "mesh") {
            const v = run.meshes[g.asset].vertices;
            let most = 0;
            for (let i = 0; i < v.length; i += 3) {
                most = Math.max(most, Math.hypot(v[i], v[i + 1], v[i + 2]));
            }
            return most;
        }
        if (g.kind === "hfield") {
            return Math.hypot(...run.hfields[g.asset].size.slice(0, 2));
        }
        return g.kind === "capsule" ? g.size[0] + g.size[1] : Math.hypot(...g.size);
    };
    const solid = run.geoms.filter((g) => g.kind !== "plane");
    const p = new THREE.Vector3();
    const samples = 12;
    for (let k = 0; k <= samples; ++k) {
        poses.at((poses.duration * k) / samples);
        for (const g of solid) {
            p.set(...g.pos).applyQuaternion(poses.rotation[g.body]).add(poses.position[g.body]);
            const r = radius(g);
            box.expandByPoint(p.clone().addScalar(r)).expandByPoint(p.clone().addScalar(-r));
        }
    }
    if (box.isEmpty()) {
        box.set(new THREE.Vector3(-1, -1, 0), new THREE.Vector3(1, 1, 1));
    }
    return box;
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

export class View {
    constructor(canvas, run) {
        this.run = run;
        this.poses = new Poses(run);
        this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
        this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
        this.scene = new THREE.Scene();
        this.box = extent(run, this.poses);
        this.size = this.box.getSize(new THREE.Vector3()).length();
        this.camera = new THREE.PerspectiveCamera(40, 1, 0.002 * this.size, 60 * this.size);
        this.camera.up.set(0, 0, 1);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = false;
        this.controls.addEventListener("change", () => this.onChange());
        this.onChange = () => {};
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
        this.sun.shadow.normalBias = 0.002 * this.size;
        this.scene.add(this.hemisphere, this.sun, this.sun.target);
    }

    addContent() {
        const { run, size } = this;
        this.shapes = new Shapes(run);
        this.contacts = new Contacts(run, size);
        this.joints = new Joints(run, size);
        this.masses = new Masses(run, size);
        this.pressures = new Pressures(run);
        const marks = [this.contacts.points, this.contacts.normals, this.contacts.forces, this.contacts.depths];
        for (const mark of [...marks, this.joints, this.masses.boxes, this.masses.centres, this.pressures]) {
            mark.visible = false;
            mark.renderOrder = 2;
        }
        this.planes = new THREE.Group();
        this.scene.add(this.shapes, this.planes, ...marks, this.joints, this.masses.boxes, this.masses.centres, this.pressures);
    }

    // Planes have no end, whatever size is given for drawing them. Without any there is a grid.
    makePlanes(theme) {
        this.planes.clear();
        const texture = tile(theme);
        const cell = 10 ** Math.round(Math.log10(this.size / 8));
        for (const geom of this.run.geoms.filter((g) => g.kind === "plane")) {
            const half = cell * Math.ceil((12 * this.size) / cell); // endless, as far as one sees
            const map = texture.clone();
            map.repeat.set((2 * half) / cell, (2 * half) / cell);
            const material = new THREE.MeshStandardMaterial({ map, roughness: 0.95, metalness: 0, side: THREE.DoubleSide });
            const mesh = new THREE.Mesh(new THREE.PlaneGeometry(2 * half, 2 * half), material);
            mesh.receiveShadow = true;
            mesh.userData.geom = geom;
            this.planes.add(mesh);
        }
        if (this.planes.children.length === 0) {
            const grid = new THREE.GridHelper(20 * cell, 20, 0x8892a0, 0x8892a0).rotateX(Math.PI / 2);
            grid.material.opacity = 0.35;
            grid.material.transparent = true;
            grid.position.z = this.box.min.z;
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

    // Back to where all of the run is seen.
    home() {
        const centre = this.box.getCenter(new THREE.Vector3());
        const distance = (0.5 * this.size) / Math.tan((this.camera.fov * Math.PI) / 360);
        this.controls.target.copy(centre);
        this.camera.position.copy(centre).add(new THREE.Vector3(0.55, -1, 0.42).normalize().multiplyScalar(distance));
        this.controls.update();
    }

    resize(width, height) {
        this.renderer.setSize(width, height, false);
        this.camera.aspect = width / height;
        this.camera.updateProjectionMatrix();
    }

    // Keep a body where it is in the picture; −1: none.
    follow(body) {
        this.followed = body;
    }

    show(t) {
        const before = this.followed >= 0 ? this.poses.position[this.followed].clone() : null;
        this.poses.at(t);
        if (before) {
            const way = this.poses.position[this.followed].clone().sub(before);
            this.camera.position.add(way);
            this.controls.target.add(way);
        }
        const { frame, next, part } = this.poses.locate(t);
        const nearest = part > 0.5 ? next : frame;
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
        if (this.masses.boxes.visible || this.masses.centres.visible) {
            this.masses.update(this.poses);
        }
        if (this.pressures.visible) {
            this.pressures.update(this.poses, nearest);
        }
        this.renderer.render(this.scene, this.camera);
    }

    // The name of what is under a point of the picture, −1 … 1 each way; "" for nothing.
    nameAt(x, y) {
        this.raycaster.setFromCamera(new THREE.Vector2(x, y), this.camera);
        const hits = this.raycaster.intersectObjects([...this.shapes.children, ...this.planes.children], false);
        const hit = hits.find((h) => h.object.userData.items || h.object.userData.geom);
        if (!hit) {
            return "";
        }
        const items = hit.object.userData.items;
        const geom = items ? items[hit.instanceId].geom : hit.object.userData.geom;
        const index = this.run.geoms.indexOf(geom);
        const body = geom.body === 0 ? "world" : this.run.bodies[geom.body].name || `body ${geom.body}`;
        return `${body} · ${geom.name || `${geom.kind} ${index}`}`;
    }
}
