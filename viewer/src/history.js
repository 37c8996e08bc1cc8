// Frames of a live run as they come, and the last seconds of them.
import { Contacts } from "./marks.js";
import { Poses } from "./pose.js";

const MAGIC = 0x46504431;
const HEAD = 64; // bytes before the poses
const POINT = 12; // numbers of a contact

const SECONDS = 20; // to look back, at most
const BYTES = 64e6; // the same, with what is still to be played

// The frames of a message as the server packs them, little endian as every machine that runs a browser; none if
// anything is wrong with one of them.
export function decode(buffer) {
    const frames = [];
    for (let at = 0; at < buffer.byteLength; at += frames.at(-1).bytes) {
        const frame = decodeOne(buffer, at);
        if (!frame) {
            return [];
        }
        frames.push(frame);
    }
    return frames;
}

function decodeOne(buffer, at) {
    if (buffer.byteLength - at < HEAD) {
        return null;
    }
    const head = new DataView(buffer, at);
    const [magic, version, flags, nbody, ncontact, nchannel] = [0, 4, 8, 12, 16, 20].map((i) => head.getUint32(i, true));
    const points = at + HEAD + 28 * nbody;
    const slips = points + 4 * POINT * ncontact;
    const controls = slips + 4 * Math.ceil(ncontact / 4);
    const end = controls + 4 * nchannel;
    if (magic !== MAGIC || end > buffer.byteLength) {
        return null;
    }
    const [rate, cost, residual, overlap, creep, iterations, energy, streaming] = new Float32Array(buffer, at + 32, 8);
    return {
        version,
        bytes: end - at,
        running: (flags & 1) !== 0,
        solved: (flags & 2) !== 0,
        time: head.getFloat64(24, true),
        rate, // seconds simulated in a second
        cost, // [µs] of a step
        residual, // [m/s]
        overlap, // [m]
        creep, // [m/s]
        iterations,
        energy, // [J]
        streaming, // share of the time
        poses: new Float32Array(buffer, at + HEAD, 7 * nbody),
        contacts: columns(new Float32Array(buffer, points, POINT * ncontact), new Uint8Array(buffer, slips, ncontact)),
        controls: new Float32Array(buffer, controls, nchannel),
    };
}

// In columns, as replays have them.
function columns(rows, slips) {
    const count = slips.length;
    const column = (k) => Float32Array.from({ length: count }, (_, i) => rows[POINT * i + k]);
    return {
        every: 1,
        start: [0, count],
        point: [0, 1, 2].map(column),
        normal: [3, 4, 5].map(column),
        force: [6, 7, 8].map(column),
        gap: column(9),
        geom: [10, 11].map(column),
        slips,
    };
}

const NOTHING = columns(new Float32Array(), new Uint8Array());

export class History {
    constructor() {
        this.frames = [];
        this.times = []; // of the frames
        this.bytes = 0;
    }

    clear() {
        this.frames.length = this.times.length = 0;
        this.bytes = 0;
    }

    get newest() {
        return this.frames.at(-1);
    }

    // Time that goes back begins anew, and one that stands still has a better picture. What was long before the moment
    // that is `shown` is forgotten, and nothing that the picture still needs.
    push(frame, shown = frame.time) {
        if (this.newest && (this.newest.isGuess || frame.time < this.newest.time)) {
            this.clear();
        } else if (this.newest && frame.time === this.newest.time) {
            this.bytes -= this.frames.pop().bytes;
            this.times.pop();
        }
        this.frames.push(frame);
        this.times.push(frame.time);
        this.bytes += frame.bytes;
        let old = 0;
        while (this.times[old + 1] <= shown && (this.bytes > BYTES || shown - this.times[old] > SECONDS)) {
            this.bytes -= this.frames[old++].bytes;
        }
        this.frames.splice(0, old);
        this.times.splice(0, old);
    }
}

// What the scene says of itself before the first frame comes.
export function firstFrame(run) {
    const { position, rotation, times } = run.motion;
    const n = times.length;
    const poses = Float32Array.from({ length: 7 * run.bodies.length }, (_, i) => {
        const [b, k] = [Math.floor(i / 7), i % 7];
        return k < 3 ? position[3 * b * n + k] : rotation[4 * b * n + (k % 4)]; // w x y z of x y z w
    });
    const unknown = { rate: NaN, cost: NaN, residual: NaN, overlap: NaN, creep: NaN, iterations: NaN, energy: NaN, streaming: NaN };
    return { isGuess: true, version: 0, bytes: poses.byteLength, running: false, solved: true, time: times[0], ...unknown, poses, contacts: NOTHING, controls: [] };
}

// Where bodies are at a time of the simulation.
export class LivePoses extends Poses {
    constructor(run, history) {
        super(run);
        this.history = history;
        this.times = history.times;
        this.origin = 0;
    }

    at(t) {
        const { frame, next, part } = this.locate(t);
        const a = this.history.frames[frame]?.poses;
        const b = this.history.frames[next]?.poses;
        if (!a || !b) {
            return;
        }
        this.position.forEach((position, i) => {
            const k = 7 * i;
            position.fromArray(a, k);
            this.rotation[i].set(a[k + 4], a[k + 5], a[k + 6], a[k + 3]);
            if (part > 0) {
                position.lerp(this.end.fromArray(b, k), part);
                this.rotation[i].slerp(this.other.set(b[k + 4], b[k + 5], b[k + 6], b[k + 3]), part);
            }
        });
    }
}

// Contacts of the frame that is shown. How long an arrow is for which force follows what there is.
export class LiveContacts extends Contacts {
    constructor(history, size) {
        super(NOTHING, size);
        this.history = history;
        this.any = true;
        this.deepest = 1e-6; // [m]
        this.strong = 0;
        this.crowd = 8;
    }

    update(frame) {
        this.data = this.history.frames[frame]?.contacts ?? NOTHING;
        const count = this.data.slips.length;
        if (this.forces.visible) {
            const strengths = Float32Array.from(this.data.slips, (_, i) => this.strength(i)).sort();
            this.strong = Math.max(0.98 * this.strong, strengths[Math.floor(0.95 * count)] ?? 0) || 1;
        }
        this.deepest = this.data.gap.reduce((most, gap) => Math.max(most, -gap), 0.98 * this.deepest);
        if (count > 1.5 * this.crowd || count < 0.5 * this.crowd) { // no trembling
            this.crowd = Math.max(count, 8);
            this.setReach(this.crowd);
        }
        super.update(0);
    }
}
