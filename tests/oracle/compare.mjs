// The newest MuJoCo as a second opinion: loads model files in its WASM build and in Dashpot, brings both
// to the same random states and compares whatever both compute.
//
//     node compare.mjs --mujoco FOLDER --dashpot PROGRAM [--states N] [--verbose] FILE…
//
// FOLDER holds node_modules/@mujoco/mujoco, PROGRAM is oracle_states. Constraints (contact, limits, dry
// friction, equalities), tendon forces and actuators on tendons and sites are switched off in both.
//
// Measure, as in tests/agreement/mujoco_pair.h: |a − b| of each number over the size of the quantity, which
// is the greatest magnitude in the array or among the terms it is a sum of.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {parseArgs} from 'node:util';

const AGREEMENT = 1e-10;
const SINGLE = 1e-6; // MuJoCo keeps the vertices of meshes with 24 bits
const CHOICE = 1e-3; // [rad] the same axes: theirs, over the differences of the moments, and no permutation of ours

const {values: option, positionals} = parseArgs({
    allowPositionals: true,
    options: {
        mujoco: {type: 'string'},
        dashpot: {type: 'string'},
        states: {type: 'string', default: '5'},
        verbose: {type: 'boolean', default: false},
    },
});
// Ours alone, where a file declares our namespace: MuJoCo refuses such names.
const files = positionals.filter((file) => !readFileSync(file, 'utf8').includes('xmlns:dp'));
const folder = join(resolve(option.mujoco), 'node_modules/@mujoco/mujoco');
const {default: load} = await import(pathToFileURL(join(folder, 'mujoco.js')).href);
const compiled = await WebAssembly.compile(readFileSync(join(folder, 'mujoco.wasm')));
let mj = await instance(); // the enumerations are the same in all
const scratch = mkdtempSync(join(tmpdir(), 'oracle-'));

// Each file gets a MuJoCo of its own: attached models have been seen to leave broken memory behind.
function instance() {
    const instantiateWasm = (imports, done) => {
        WebAssembly.instantiate(compiled, imports).then((made) => done(made, compiled));
        return {};
    };
    return load({instantiateWasm, print: () => {}, printErr: () => {}});
}

// --- what was found

const worst = new Map(); // quantity → {difference, file}
const failures = [];
let current; // the file that is compared now

function fail(text) {
    failures.push(`${current}: ${text}`);
}

// |theirs_i − ours_i| ≤ tolerance · max(scale, |theirs|_∞)
function agree(quantity, name, theirs, ours, scale = 0, tolerance = AGREEMENT) {
    theirs = Array.from(theirs);
    if (theirs.length !== ours.length) {
        fail(`${quantity} of '${name}': MuJoCo has ${theirs.length} numbers, Dashpot ${ours.length}`);
        return;
    }
    const size = greatest(theirs, scale);
    for (let i = 0; i < theirs.length; ++i) {
        const difference = Math.abs(theirs[i] - (ours[i] ?? NaN)); // null: not finite
        const relative = difference > 0 ? difference / size : difference;
        if (!(relative <= tolerance)) {
            fail(`${quantity} of '${name}' [${i}]: MuJoCo ${theirs[i]}, Dashpot ${ours[i]}, ` +
                 `relative difference ${relative.toExponential(2)}`);
            return;
        }
        const kind = tolerance === AGREEMENT ? quantity : `${quantity} (to ${tolerance.toExponential(1)})`;
        if (!(worst.get(kind)?.difference >= relative)) {
            worst.set(kind, {difference: relative, file: current});
        }
    }
}

function same(quantity, name, theirs, ours) {
    if (theirs !== ours) {
        fail(`${quantity} of '${name}': MuJoCo ${theirs}, Dashpot ${ours}`);
    }
}

function greatest(x, soFar = 0) {
    return x.reduce((most, value) => Math.max(most, Math.abs(value)), soFar);
}

// --- small mathematics

const part = (x, i, n) => Array.from(x.subarray(n * i, n * i + n));

// The bindings of 3.14 have no views of arrays of truth values, only of single ones.
function flag(handle, key) {
    const value = handle[key];
    handle.delete();
    return value;
}

const length = (x) => Math.hypot(...x);

function matrix([w, x, y, z]) {
    const s = 2 / (w * w + x * x + y * y + z * z);
    return [1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),
            s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x),
            s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)];
}

// R diag(I) Rᵀ: the order and signs of principal axes do not matter
function tensor(quaternion, moments) {
    const R = matrix(quaternion);
    return [0, 1, 2].flatMap((i) => [0, 1, 2].map((j) =>
        [0, 1, 2].reduce((sum, k) => sum + R[3 * i + k] * moments[k] * R[3 * j + k], 0)));
}

// Numbers in [−size, size), the same in every run: a multiplicative step and a mix of the bits.
function randomSource(seed) {
    let state = seed >>> 0;
    return (size) => {
        state = (state + 0x9e3779b9) >>> 0;
        let bits = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
        bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
        return size * (((bits ^ (bits >>> 16)) >>> 0) / 2 ** 31 - 1);
    };
}

// --- loading

// Copy a folder of the disk into the file system that the WASM module sees.
function mirror(folder) {
    mj.FS.mkdirTree(folder);
    for (const name of readdirSync(folder)) {
        const path = join(folder, name);
        if (statSync(path).isDirectory()) {
            mirror(path);
        } else {
            mj.FS.writeFile(path, readFileSync(path));
        }
    }
}

function loadTheirs(path) {
    if (/file(name)?\s*=/.test(readFileSync(path, 'utf8'))) {
        mirror(dirname(path)); // it names other files
    } else {
        mj.FS.mkdirTree(dirname(path));
        mj.FS.writeFile(path, readFileSync(path));
    }
    const m = mj.MjModel.from_xml_path(path);
    m.opt.disableflags |= mj.mjtDisableBit.mjDSBL_CONSTRAINT.value | mj.mjtDisableBit.mjDSBL_CONTACT.value;
    m.opt.enableflags |= mj.mjtEnableBit.mjENBL_ENERGY.value;
    return m;
}

const DRIVES_JOINT = [mj.mjtTrn.mjTRN_JOINT.value, mj.mjtTrn.mjTRN_JOINTINPARENT.value];

// Tendons, and actuators on anything but joints, exert no force: oracle_states.c does the same.
function quieten(m) {
    m.tendon_stiffness.fill(0);
    m.tendon_damping.fill(0);
    m.tendon_armature.fill(0);
    for (let i = 0; i < m.nu; ++i) {
        if (!DRIVES_JOINT.includes(m.actuator_trntype[i])) {
            m.actuator_gainprm.fill(0, 10 * i, 10 * i + 10);
            m.actuator_biasprm.fill(0, 10 * i, 10 * i + 10);
        }
    }
}

function askDashpot(path, states) {
    const input = [];
    if (states) {
        input.push(join(scratch, 'states'));
        writeFileSync(input[0], states.join('\n'));
    }
    const text = execFileSync(option.dashpot, [path, ...input],
                              {encoding: 'utf8', maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'pipe']});
    return JSON.parse(text);
}

// MuJoCo's number of each element of ours: by name, else by its place where both have as many; −1: none.
function mapNames(m, type, ours, count) {
    return ours.map(({name}, i) => {
        if (name !== '' && !(type === 'mjOBJ_BODY' && i === 0)) {
            return mj.mj_name2id(m, mj.mjtObj[type].value, name);
        }
        return i === 0 && type === 'mjOBJ_BODY' || ours.length === count ? i : -1;
    });
}

// --- the compiled models

function compareSizes(m, ours, fused) {
    for (const [key, value] of Object.entries(ours.sizes)) {
        if (!(fused && ['nbody', 'ngeom'].includes(key))) {
            same('count', key, m[key], value);
        }
    }
    agree('options', 'gravity', m.opt.gravity, ours.gravity);
    agree('options', 'magnetic', m.opt.magnetic, ours.magnetic);
    agree('options', 'timestep', [m.opt.timestep], ours.timestep);
    agree('reference configuration', 'q', m.qpos0, ours.q_reference);
}

// What has neither geoms nor inertial, MuJoCo centres at its `pos`, taken in its own frame.
function isNothing(m, b) {
    return part(m.body_ipos, b, 3).every((x, k) => x === m.body_pos[3 * b + k]) && length(part(m.body_ipos, b, 3)) > 0;
}

function compareBodies(m, ours, map, tolerance) {
    ours.bodies.forEach((body, i) => {
        const b = map.body[i];
        if (i === 0 || b < 0) {
            return;
        }
        same('number', body.name, b, i);
        same('parent', body.name, m.body_parentid[b], map.body[body.parent]);
        agree('place in the parent', body.name, part(m.body_pos, b, 3), body.position, 1);
        agree('place in the parent', body.name, matrix(part(m.body_quat, b, 4)), matrix(body.quaternion), 1);
        agree('gravity compensation', body.name, [m.body_gravcomp[b]], [body.gravcomp]);
        agree('mass', body.name, [m.body_mass[b]], [body.mass], 0, tolerance);
        if (body.mass === 0 || isNothing(m, b)) {
            return;
        }
        const their = {q: part(m.body_iquat, b, 4), I: part(m.body_inertia, b, 3)};
        agree('centre of mass', body.name, part(m.body_ipos, b, 3), body.inertial.position, 0.1, tolerance);
        agree('principal moments', body.name, their.I.slice().sort((x, y) => x - y),
              body.moments.slice().sort((x, y) => x - y), 0, tolerance);
        agree('inertia tensor', body.name, tensor(their.q, their.I),
              tensor(body.inertial.quaternion, body.moments), greatest(body.moments), tolerance);
        // Sensors of the inertial frame show which axes were chosen; URDF has no sensors.
        if (tolerance === AGREEMENT && !current.endsWith('.urdf')) {
            agree('principal axes', body.name, matrix(their.q), matrix(body.inertial.quaternion), 1, CHOICE);
        }
    });
    const total = ours.bodies.reduce((sum, body) => sum + body.mass, 0);
    agree('total mass', 'all', [mj.mj_getTotalmass(m)], [total], 0, tolerance);
}

const JOINTS = ['free', 'ball', 'slide', 'hinge'];

function compareJoints(m, ours, map, tolerance) {
    ours.joints.forEach((joint, i) => {
        const j = map.joint[i], dof = m.jnt_dofadr[j], turning = ['hinge', 'slide'].includes(joint.kind);
        const name = joint.name || i;
        same('kind', name, JOINTS[m.jnt_type[j]], joint.kind);
        same('place in q', name, m.jnt_qposadr[j], joint.q);
        same('place in v', name, dof, joint.v);
        same('body', name, m.jnt_bodyid[j], map.body[joint.body]);
        if (joint.kind !== 'free') {
            agree('anchor', name, part(m.jnt_pos, j, 3), joint.anchor, 1);
        }
        if (turning) {
            agree('axis', name, part(m.jnt_axis, j, 3), joint.axis, 1);
            agree('spring reference', name, [m.qpos_spring[joint.q]], joint.springref, 1);
        }
        agree('armature', name, [m.dof_armature[dof]], joint.armature);
        agree('joint springs and dampers', name, [m.jnt_stiffness[j]], joint.stiffness, 0, tolerance);
        agree('joint springs and dampers', name, [m.dof_damping[dof]], joint.damping, 0, tolerance);
        const limit = ours.limits[i];
        same('limited', name, flag(m.jnt(j), 'limited'), limit.limited);
        if (limit.limited) {
            agree('range', name, part(m.jnt_range, j, 2), limit.range);
        }
        agree('dry friction', name, [m.dof_frictionloss[dof]], limit.frictionloss);
    });
}

const GEOMS = {plane: 0, hfield: 1, sphere: 2, capsule: 3, ellipsoid: 4, cylinder: 5, box: 6, mesh: 7};
const SIZES = {plane: 0, hfield: 0, sphere: 1, capsule: 2, ellipsoid: 3, cylinder: 2, box: 3, mesh: 0};

function compareGeoms(m, ours, map, tolerance) {
    ours.geoms.forEach((geom, i) => {
        const g = map.geom[i], n = SIZES[geom.kind], name = geom.name || i;
        if (g < 0) {
            return;
        }
        same('kind', name, m.geom_type[g], GEOMS[geom.kind]);
        same('number', name, g, map.fused || map.attaching ? g : i);
        if (!map.fused) {
            same('body', name, m.geom_bodyid[g], map.body[geom.body]);
        }
        same('contype', name, m.geom_contype[g], geom.contype);
        same('conaffinity', name, m.geom_conaffinity[g], geom.conaffinity);
        same('condim', name, m.geom_condim[g], geom.condim);
        same('priority', name, m.geom_priority[g], geom.priority);
        same('group', name, m.geom_group[g], geom.group);
        agree('size', name, part(m.geom_size, g, 3).slice(0, n), geom.size.slice(0, n), 0, tolerance);
        agree('contact numbers', name, part(m.geom_friction, g, 3), geom.friction);
        agree('contact numbers', name, [m.geom_margin[g], m.geom_gap[g]], geom.margin);
        agree('contact numbers', name, part(m.geom_solref, g, 2), geom.solref);
        agree('contact numbers', name, part(m.geom_solimp, g, 5), geom.solimp);
    });
}

function compareDevices(m, ours, map) {
    ours.sites.forEach((site, i) => {
        same('number', site.name || i, map.site[i], map.attaching ? map.site[i] : i);
        same('body', site.name || i, map.fused ? map.body[site.body] : m.site_bodyid[map.site[i]], map.body[site.body]);
    });
    ours.actuators.forEach((actuator, i) => {
        const a = map.actuator[i], name = actuator.name || i;
        same('number', name, a, i);
        same('place of activation', name, m.actuator_actadr[a], actuator.activation);
        same('limited', name, flag(m.actuator(a), 'ctrllimited'), actuator.limited);
        if (actuator.limited) {
            agree('range', name, part(m.actuator_ctrlrange, a, 2), actuator.range);
        }
    });
    ours.sensors.forEach((sensor, i) => {
        same('place', sensor.name || i, m.sensor_adr[map.sensor[i]], sensor.at);
        same('numbers', sensor.name || i, m.sensor_dim[map.sensor[i]], sensor.n);
    });
    ours.keys.forEach((key, i) => {
        agree('keyframe', key.name || i, part(m.key_qpos, i, m.nq), key.q);
        agree('keyframe', key.name || i, part(m.key_qvel, i, m.nv), key.v);
        agree('keyframe', key.name || i, part(m.key_act, i, m.na), key.activation);
        agree('keyframe', key.name || i, part(m.key_ctrl, i, m.nu), key.control);
    });
}

function compareCouplings(m, ours, map) {
    ours.tendons.forEach((tendon, i) => {
        const name = tendon.name || i;
        same('limited', name, flag(m.tendon(i), '_limited'), tendon.limited);
        agree('tendon numbers', name, part(m.tendon_range, i, 2), tendon.range);
        agree('tendon numbers', name, [m.tendon_stiffness[i], m.tendon_damping[i], m.tendon_frictionloss[i],
                                       m.tendon_armature[i]], tendon.numbers);
        if (tendon.springlength[0] >= 0) {
            agree('tendon numbers', name, part(m.tendon_lengthspring, i, 2), tendon.springlength);
        }
        same('stations', name, m.tendon_num[i], tendon.path.length);
        tendon.path.forEach((station, k) => {
            const at = m.tendon_adr[i] + k;
            const ids = {joint: map.joint, site: map.site, geom: map.geom}[station.kind];
            if (ids) {
                same('station', `${name} ${k}`, m.wrap_objid[at], ids[station.object]);
            }
            if (station.kind === 'geom') {
                same('side', `${name} ${k}`, m.wrap_prm[at], station.side < 0 ? -1 : map.site[station.side]);
            } else if (station.kind !== 'site') {
                agree('tendon numbers', `${name} ${k}`, [m.wrap_prm[at]], station.coefficient);
            }
        });
    });
    ours.equalities.forEach((equality, i) => {
        const name = equality.name || i, data = part(m.eq_data, i, m.eq_data.length / m.neq);
        const frames = equality.frame;
        same('active', name, flag(m.eq(i), 'active0'), equality.active);
        if (m.eq_objtype[i] === mj.mjtObj.mjOBJ_SITE.value) {
            return; // MuJoCo keeps the sites, Dashpot their frames
        }
        if (equality.kind === 'connect') {
            agree('equality', name, data.slice(0, 3), frames[0].position, 1);
            agree('equality', name, data.slice(3, 6), frames[1].position, 1);
        } else if (equality.kind === 'weld') {
            agree('equality', name, data.slice(0, 3), frames[1].position, 1);
            agree('equality', name, data.slice(3, 6), frames[0].position, 1);
            agree('equality', name, matrix(data.slice(6, 10)), matrix(frames[0].quaternion), 1);
        } else {
            agree('equality', name, data.slice(0, 5), equality.polynomial);
        }
    });
}

// Where the inertial frame differs on purpose, or by the signs of axes, MuJoCo goes on with ours.
function exchangeInertials(m, ours, map) {
    ours.bodies.forEach((body, i) => {
        const b = map.body[i];
        if (i === 0 || b < 0) {
            return;
        }
        const R = matrix(body.inertial.quaternion);
        const turned = matrix(part(m.body_iquat, b, 4)).some((x, k) => Math.abs(x - R[k]) > CHOICE);
        if (turned || body.mass === 0 || isNothing(m, b)) {
            m.body_ipos.set(body.inertial.position, 3 * b);
            m.body_iquat.set(body.inertial.quaternion, 4 * b);
            m.body_inertia.set(body.moments, 3 * b);
            m.body_sameframe[b] = 0; // short cuts for frames that were equal
            for (let g = 0; g < m.ngeom; ++g) {
                m.geom_sameframe[g] = m.geom_bodyid[g] === b ? 0 : m.geom_sameframe[g];
            }
            for (let s = 0; s < m.nsite; ++s) {
                m.site_sameframe[s] = m.site_bodyid[s] === b ? 0 : m.site_sameframe[s];
            }
        }
    });
}

// --- states

function drawState(m, ours, map, random, wrenches) {
    const direction = () => {
        const x = [random(1), random(1), random(1), random(1)];
        return x.map((value) => value / length(x));
    };
    const draw = (n, size) => Array.from({length: n}, () => random(size));
    return {
        time: 0.5 + random(0.5),
        q: ours.joints.flatMap(({kind}) =>
            kind === 'free' ? [...draw(3, 2), ...direction()] : kind === 'ball' ? direction() : draw(1, 1.5)),
        v: draw(m.nv, 2),
        activation: draw(m.na, 1.5),
        control: draw(m.nu, 1.5),
        force: draw(m.nv, 5),
        wrench: ours.bodies.map((_, i) => i > 0 && wrenches ? draw(6, 5) : [0, 0, 0, 0, 0, 0]),
        mocap: draw(m.nmocap, 0).map(() => [...direction(), ...draw(3, 1)]),
    };
}

function setState(m, d, ours, map, s) {
    mj.mj_resetData(m, d);
    d.time = s.time;
    d.qpos.set(s.q);
    d.qvel.set(s.v);
    d.act.set(s.activation);
    d.ctrl.set(s.control.map((_, a) => s.control[map.actuator.indexOf(a)]));
    d.qfrc_applied.set(s.force);
    s.wrench.forEach((w, i) => {
        if (map.body[i] > 0) {
            d.xfrc_applied.set([...w.slice(3), ...w.slice(0, 3)], 6 * map.body[i]); // force first
        }
    });
    ours.bodies.forEach(({mocap}, i) => {
        if (mocap >= 0) {
            const theirs = m.body_mocapid[map.body[i]];
            d.mocap_quat.set(s.mocap[mocap].slice(0, 4), 4 * theirs);
            d.mocap_pos.set(s.mocap[mocap].slice(4), 3 * theirs);
        }
    });
    mj.mj_forward(m, d);
    mj.mj_subtreeVel(m, d);
    mj.mj_rnePostConstraint(m, d);
}

function fullMatrix(m, d) {
    const buffer = new mj.DoubleBuffer(m.nv * m.nv);
    mj.mj_fullM(m, d, buffer);
    const M = Array.from(buffer.GetView());
    buffer.delete();
    return M;
}

// What sizes are to be expected in the present state.
function measure(m, d, M) {
    const scale = {
        length: Math.max(greatest(d.xpos), greatest(d.xipos), greatest(d.geom_xpos), greatest(d.site_xpos)),
        velocity: greatest(d.cvel),
        acceleration: greatest(d.cacc),
        wrench: greatest(d.cfrc_int),
        force: Math.max(greatest(d.qfrc_bias), greatest(d.qfrc_passive), greatest(d.qfrc_actuator),
                        greatest(d.qfrc_applied)),
        energy: Math.abs(d.energy[0]) + Math.abs(d.energy[1]),
        mass: mj.mj_getTotalmass(m),
    };
    const a = Array.from(d.qacc);
    M.forEach((x, i) => { scale.force = Math.max(scale.force, Math.abs(x * a[i % m.nv])); });
    for (let b = 1; b < m.nbody; ++b) {
        const x = part(d.xipos, b, 3), g = m.opt.gravity;
        scale.energy += m.body_mass[b] * Math.abs(x[0] * g[0] + x[1] * g[1] + x[2] * g[2]);
    }
    return scale;
}

function sensorScale(kind, s) {
    switch (kind) {
    case 'framepos': case 'subtreecom':
        return s.length;
    case 'velocimeter': case 'gyro': case 'framelinvel': case 'frameangvel': case 'subtreelinvel':
        return s.velocity * Math.max(1, s.length);
    case 'subtreeangmom':
        return s.mass * s.velocity * s.length * Math.max(1, s.length);
    case 'accelerometer': case 'framelinacc': case 'frameangacc':
        return s.acceleration * Math.max(1, s.length);
    case 'force': case 'torque':
        return s.wrench * Math.max(1, s.length);
    case 'framequat': case 'framexaxis': case 'frameyaxis': case 'framezaxis': case 'magnetometer':
        return 1;
    case 'e_potential': case 'e_kinetic':
        return s.energy;
    default: // coordinates, actuators, time: to the last digits of the value itself
        return 0;
    }
}

function comparePlaces(what, theirs, ours, map, names, scale, tolerance) {
    ours.forEach((pose, i) => {
        const id = map[i];
        if (id >= 0 && !names[i].moved) {
            agree(`pose of ${what}`, names[i].name || i, part(theirs.x, id, 3), pose.position, scale.length,
                  tolerance);
            agree(`pose of ${what}`, names[i].name || i, part(theirs.R, id, 9), matrix(pose.quaternion), 1, tolerance);
        }
    });
}

function compareState(m, d, model, ours, map, tolerance) {
    const M = fullMatrix(m, d), scale = measure(m, d, M);
    // MuJoCo moves the frames of meshes to their centres
    const geoms = model.geoms.map(({name, kind}) => ({name, moved: kind === 'mesh'}));
    comparePlaces('bodies', {x: d.xpos, R: d.xmat}, ours.body, map.body, model.bodies, scale);
    comparePlaces('geoms', {x: d.geom_xpos, R: d.geom_xmat}, ours.geom, map.geom, geoms, scale, tolerance);
    comparePlaces('sites', {x: d.site_xpos, R: d.site_xmat}, ours.site, map.site, model.sites, scale);
    model.bodies.forEach(({name, mass}, i) => {
        if (map.body[i] > 0 && mass > 0 && !map.fused) {
            agree('centre of mass in the world', name, part(d.xipos, map.body[i], 3), ours.inertial[i].position,
                  scale.length, tolerance);
        }
    });
    model.joints.forEach(({name, kind}, i) => {
        agree('joint anchors and axes', name, part(d.xanchor, map.joint[i], 3), ours.joint[i].anchor, scale.length);
        if (['hinge', 'slide'].includes(kind)) {
            agree('joint anchors and axes', name, part(d.xaxis, map.joint[i], 3), ours.joint[i].axis, 1);
        }
    });
    agree('inertia matrix', 'M', M, ours.M, 0, tolerance);
    agree('bias force', 'c', d.qfrc_bias, ours.bias, scale.force, tolerance);
    if (map.weightless) { // actuatorgravcomp: MuJoCo counts the weight that is carried among actuator forces
        agree('passive and actuator force', 'all', Array.from(d.qfrc_passive, (x, i) => x + d.qfrc_actuator[i]),
              ours.passive.map((x, i) => x + ours.actuation[i]), scale.force, tolerance);
    } else {
        agree('passive force', 'all', d.qfrc_passive, ours.passive, 0, tolerance);
        agree('generalised actuator force', 'all', d.qfrc_actuator, ours.actuation);
    }
    agree('actuator force', 'all', map.driven.map((a) => d.actuator_force[map.actuator[a]]),
          map.driven.map((a) => ours.actuator_force[a]));
    agree('acceleration', 'all', d.qacc, ours.acceleration, 0, tolerance);
    // ours counts gravity compensation; theirs forgets fused bodies of the world
    const energy = [...(map.weightless || map.fused ? [] : [0]), 1];
    agree('energy', 'potential, kinetic', energy.map((i) => d.energy[i]), energy.map((i) => ours.energy[i]),
          scale.energy, tolerance);
    model.sensors.forEach((sensor, i) => {
        if (differsOnPurpose(sensor, m, map.sensor[i], map)) {
            return;
        }
        const at = m.sensor_adr[map.sensor[i]];
        agree('sensors', `${sensor.name} (${sensor.kind})`, part(d.sensordata.subarray(at), 0, sensor.n),
              ours.sensors.slice(sensor.at, sensor.at + sensor.n), sensorScale(sensor.kind, scale), tolerance);
    });
}

// --- all files

// Where the numbers differ on purpose (docs/mujoco.md).
function differsOnPurpose(sensor, m, s, map) {
    switch (sensor.kind) {
    case 'tendonpos': case 'tendonvel': case 'tendonactuatorfrc':
        return true; // not simulated yet
    case 'e_potential':
        return map.weightless || map.fused;
    case 'jointactuatorfrc':
        return map.lifting;
    case 'actuatorfrc':
        return isBounded(m, m.sensor_objid[s]);
    case 'actuatorvel': // we measure what does not push, too
        return (m.opt.disableflags & mj.mjtDisableBit.mjDSBL_ACTUATION.value) !== 0;
    case 'accelerometer': case 'framelinacc': // at rest it shows the weight, in MuJoCo 3 nothing where it is fixed
        return m.body_treeid[bodyOf(m, m.sensor_objtype[s], m.sensor_objid[s])] < 0;
    default:
        return false;
    }
}

function bodyOf(m, type, id) {
    switch (type) {
    case mj.mjtObj.mjOBJ_SITE.value:
        return m.site_bodyid[id];
    case mj.mjtObj.mjOBJ_GEOM.value:
        return m.geom_bodyid[id];
    default:
        return id;
    }
}

// A bound on the force at a joint is one on its only actuator, whose own force then shows it.
function isBounded(m, a) {
    return DRIVES_JOINT.includes(m.actuator_trntype[a]) && length(part(m.jnt_actfrcrange, m.actuator_trnid[2 * a], 2)) > 0;
}

function compareFile(path) {
    const model = askDashpot(path), m = loadTheirs(path), count = failures.length;
    const text = readFileSync(path, 'utf8');
    const map = {
        body: mapNames(m, 'mjOBJ_BODY', model.bodies, m.nbody),
        joint: mapNames(m, 'mjOBJ_JOINT', model.joints, m.njnt),
        geom: mapNames(m, 'mjOBJ_GEOM', model.geoms, m.ngeom),
        site: mapNames(m, 'mjOBJ_SITE', model.sites, m.nsite),
        actuator: mapNames(m, 'mjOBJ_ACTUATOR', model.actuators, m.nu),
        sensor: mapNames(m, 'mjOBJ_SENSOR', model.sensors, m.nsensor),
        lifting: /actuatorgravcomp="true"/.test(text),
        attaching: /<attach/.test(text), // what the world of another model has comes behind our own
        weightless: model.bodies.some(({gravcomp}) => gravcomp !== 0),
        // fusestatic and discardvisual: fewer bodies and geoms, the same motion
        fused: m.nbody < model.bodies.length || m.ngeom < model.geoms.length,
    };
    map.driven = model.actuators.flatMap(({drives}, i) => drives === 'joint' && !isBounded(m, map.actuator[i]) ? [i] : []);
    const tolerance = model.geoms.some(({kind}) => kind === 'mesh') ? SINGLE : AGREEMENT;
    compareSizes(m, model, map.fused);
    if (!map.fused) {
        compareBodies(m, model, map, tolerance);
    }
    compareJoints(m, model, map, tolerance);
    compareGeoms(m, model, map, tolerance);
    compareDevices(m, model, map);
    compareCouplings(m, model, map);
    if (failures.length > count) {
        m.delete();
        return; // other models move otherwise
    }
    if (!map.fused) {
        exchangeInertials(m, model, map);
    }
    quieten(m);
    const d = new mj.MjData(m), random = randomSource(path.length + 1);
    const states = Array.from({length: Number(option.states)}, () => drawState(m, model, map, random, !map.fused));
    const numbers = states.map((s) => [s.time, s.q, s.v, s.activation, s.control, s.force, s.wrench, s.mocap]
        .flat(2).join(' '));
    const ours = askDashpot(path, numbers).states;
    same('states', 'all', states.length, ours.length);
    states.forEach((s, i) => {
        setState(m, d, model, map, s);
        compareState(m, d, model, ours[i], map, tolerance);
    });
    d.delete();
    m.delete();
}

console.log(`MuJoCo ${mj.mj_versionString()} beside Dashpot, ${files.length} files, ${option.states} states each`);
for (const file of files) {
    current = file;
    const count = failures.length;
    try {
        mj = await instance();
        compareFile(resolve(file));
    } catch (error) {
        fail((error.stderr || error.message || String(error)).trim());
    }
    if (option.verbose || failures.length > count) {
        console.log(`${failures.length > count ? 'DIFFERS' : 'agrees '} ${file}`);
    }
    failures.slice(count, count + 12).forEach((text) => console.log(`    ${text}`));
}
rmSync(scratch, {recursive: true});
for (const [quantity, {difference, file}] of worst) {
    console.log(`${difference.toExponential(1).padStart(8)}  ${quantity.padEnd(36)} ${difference > 0 ? file : ''}`);
}
console.log(failures.length === 0 ? 'all agree' : `${failures.length} differences`);
process.exitCode = failures.length === 0 ? 0 : 1;
