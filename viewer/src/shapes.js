// Geoms as instances of a few unit shapes: a thousand bodies are a few draws.
import * as THREE from "three";

const PALETTE = [0x4c8fd6, 0xe8954a, 0x58b07c, 0xd66a8f, 0x8f7bd1, 0x45b3b8, 0xc9a227, 0x9a8478];

// What MJCF gives to geoms without a colour.
const isPlain = (rgba) => rgba.slice(0, 3).every((x) => Math.abs(x - 0.5) < 1e-6);

export function colourOf(run, geom) {
    if (!isPlain(geom.rgba)) {
        return new THREE.Color().setRGB(...geom.rgba.slice(0, 3), THREE.SRGBColorSpace);
    }
    const fixed = run.bodies[geom.body].tree < 0;
    return new THREE.Color(fixed ? 0x8d96a3 : PALETTE[run.bodies[geom.body].tree % PALETTE.length]);
}

function meshGeometry(mesh) {
    const flat = new THREE.BufferGeometry();
    flat.setAttribute("position", new THREE.BufferAttribute(mesh.vertices, 3));
    flat.setIndex(new THREE.BufferAttribute(mesh.faces, 1));
    const geometry = flat.toNonIndexed();
    geometry.computeVertexNormals();
    return geometry;
}

// Rows go along y, columns along x; the top of the field is at size[2], its foot at −size[3].
function hfieldGeometry(field) {
    const [rx, ry, top] = field.size;
    const geometry = new THREE.PlaneGeometry(2 * rx, 2 * ry, field.ncol - 1, field.nrow - 1);
    const position = geometry.getAttribute("position");
    for (let r = 0; r < field.nrow; ++r) {
        for (let c = 0; c < field.ncol; ++c) {
            const i = (field.nrow - 1 - r) * field.ncol + c; // planes run from +y down
            const z = field.elevation.length > 0 ? field.elevation[r * field.ncol + c] : 0;
            position.setZ(i, top * z);
        }
    }
    geometry.computeVertexNormals();
    return geometry;
}

// The parts that a geom is made of: which unit shape, and where and how large it is in the geom.
function partsOf(geom) {
    const [a, b, c] = geom.size;
    const at = (x, y, z) => new THREE.Vector3(x, y, z);
    const part = (shape, position, scale) => ({ shape, position, scale });
    switch (geom.kind) {
        case "sphere":
            return [part("sphere", at(0, 0, 0), at(a, a, a))];
        case "ellipsoid":
            return [part("sphere", at(0, 0, 0), at(a, b, c))];
        case "box":
            return [part("box", at(0, 0, 0), at(a, b, c))];
        case "cylinder":
            return [part("cylinder", at(0, 0, 0), at(a, a, b))];
        case "capsule":
            return [
                part("tube", at(0, 0, 0), at(a, a, b)),
                part("dome", at(0, 0, b), at(a, a, a)),
                part("dome", at(0, 0, -b), at(a, a, -a)),
            ];
        case "mesh":
            return [part(`mesh ${geom.asset}`, at(0, 0, 0), at(1, 1, 1))];
        case "hfield":
            return [part(`hfield ${geom.asset}`, at(0, 0, 0), at(1, 1, 1))];
        default:
            return [];
    }
}

function unitShape(run, shape) {
    const upright = (geometry) => geometry.rotateX(Math.PI / 2);
    switch (shape) {
        case "sphere":
            return new THREE.SphereGeometry(1, 32, 20);
        case "box":
            return new THREE.BoxGeometry(2, 2, 2);
        case "cylinder":
            return upright(new THREE.CylinderGeometry(1, 1, 2, 40));
        case "tube":
            return upright(new THREE.CylinderGeometry(1, 1, 2, 32, 1, true));
        case "dome":
            return upright(new THREE.SphereGeometry(1, 32, 10, 0, 2 * Math.PI, 0, Math.PI / 2));
        default: {
            const [kind, index] = shape.split(" ");
            return kind === "mesh" ? meshGeometry(run.meshes[index]) : hfieldGeometry(run.hfields[index]);
        }
    }
}

// All geoms but planes. `tint`: only those that move, in one colour.
export class Shapes extends THREE.Group {
    constructor(run, tint = null) {
        super();
        this.run = run;
        this.batches = [];
        // Shapes for contact are hidden where others show the body: groups above 2, as in MuJoCo's viewer.
        const shown = new Set(run.geoms.filter((g) => (g.group ?? 0) < 3).map((g) => g.body));
        this.isHidden = (geom) => (geom.group ?? 0) > 2 && shown.has(geom.body);
        const moves = (geom) => run.bodies[geom.body].tree >= 0;
        const lists = new Map(); // by shape and whether it is seen through
        run.geoms.forEach((geom, index) => {
            if (tint && !moves(geom)) {
                return;
            }
            const clear = geom.rgba[3] < 1;
            for (const part of partsOf(geom)) {
                const key = clear ? `${part.shape} of glass ${geom.rgba[3]}` : part.shape;
                if (!lists.has(key)) {
                    lists.set(key, { shape: part.shape, opacity: geom.rgba[3], items: [] });
                }
                lists.get(key).items.push({ geom, index, part });
            }
        });
        for (const { shape, opacity, items } of lists.values()) {
            const material = new THREE.MeshStandardMaterial({
                roughness: 0.55,
                metalness: 0.08,
                transparent: opacity < 1,
                opacity,
                side: shape === "tube" || shape.startsWith("hfield") ? THREE.DoubleSide : THREE.FrontSide,
            });
            const mesh = new THREE.InstancedMesh(unitShape(run, shape), material, items.length);
            mesh.castShadow = opacity === 1;
            mesh.receiveShadow = true;
            mesh.frustumCulled = false;
            items.forEach((item, i) => {
                mesh.setColorAt(i, tint ? new THREE.Color(tint.colour) : colourOf(run, item.geom));
                item.local = new THREE.Matrix4().compose(
                    item.part.position,
                    new THREE.Quaternion(),
                    item.part.scale,
                );
                const [w, x, y, z] = item.geom.quat;
                item.local.premultiply(
                    new THREE.Matrix4().compose(
                        new THREE.Vector3(...item.geom.pos),
                        new THREE.Quaternion(x, y, z, w),
                        new THREE.Vector3(1, 1, 1),
                    ),
                );
            });
            mesh.userData.items = items;
            this.batches.push({ mesh, items });
            this.add(mesh);
        }
        this.matrix4 = new THREE.Matrix4();
        this.one = new THREE.Vector3(1, 1, 1);
        this.onlyTouching = false;
        this.moving = true; // what moves is seen
        if (tint) {
            this.setOpacity(tint.opacity, tint.behind);
        }
    }

    // What is seen through stands back where it touches the solid one, by so many steps of depth.
    setOpacity(opacity, behind) {
        for (const { mesh } of this.batches) {
            mesh.material.polygonOffset = opacity < 1;
            mesh.material.polygonOffsetFactor = behind;
            mesh.material.polygonOffsetUnits = 4 * behind;
            mesh.material.opacity = opacity;
            mesh.material.transparent = opacity < 1;
            mesh.material.depthWrite = opacity === 1;
            mesh.material.needsUpdate = true;
            mesh.castShadow = opacity === 1;
        }
    }

    showMoving(on) {
        this.moving = on;
    }

    // Show what can touch, as wires.
    setWires(on) {
        this.onlyTouching = on;
        for (const { mesh } of this.batches) {
            mesh.material.wireframe = on;
            mesh.castShadow = !on && mesh.material.opacity === 1;
        }
    }

    update(poses) {
        for (const { mesh, items } of this.batches) {
            items.forEach((item, i) => {
                const b = item.geom.body;
                this.matrix4.compose(poses.position[b], poses.rotation[b], this.one);
                this.matrix4.multiply(item.local);
                const hidden = !this.moving && this.run.bodies[b].tree >= 0;
                if (hidden || (this.onlyTouching ? !item.geom.touches : this.isHidden(item.geom))) {
                    this.matrix4.makeScale(0, 0, 0);
                }
                mesh.setMatrixAt(i, this.matrix4);
            });
            mesh.instanceMatrix.needsUpdate = true;
            mesh.boundingSphere = null; // for picking
        }
    }
}
