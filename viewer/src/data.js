// The data of a run, as src/record/replay/replay_write.c packs them.

async function unpack(text) {
    const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Words of 32 bits, the lowest bytes of all first.
function words(bytes) {
    const count = bytes.length / 4;
    const out = new Uint32Array(count);
    for (let k = 0; k < 4; ++k) {
        for (let i = 0; i < count; ++i) {
            out[i] |= bytes[k * count + i] << (8 * k);
        }
    }
    return out;
}

async function floats(text) {
    return new Float32Array(words(await unpack(text)).buffer);
}

// Folded differences of 16 bits, low bytes first. `before(i)`: which number the i-th is a
// difference to; −1: none.
function series(bytes, before) {
    const count = bytes.length / 2;
    const out = new Uint16Array(count);
    for (let i = 0; i < count; ++i) {
        const folded = bytes[i] | (bytes[count + i] << 8);
        const change = folded & 1 ? ~(folded >> 1) : folded >> 1;
        const b = before(i);
        out[i] = (b < 0 ? 0 : out[b]) + change;
    }
    return out;
}

// The upper half of a float.
function fromHalf(halves) {
    const bits = new Uint32Array(halves.length);
    for (let i = 0; i < halves.length; ++i) {
        bits[i] = halves[i] << 16;
    }
    return new Float32Array(bits.buffer);
}

function range(values, low, span) {
    const out = new Float32Array(values.length);
    for (let i = 0; i < values.length; ++i) {
        out[i] = low + (span * values[i]) / 65535;
    }
    return out;
}

// positions: [body][frame][3], quaternions: [body][frame][4] as x y z w.
async function motion(m, nbody) {
    const times = await floats(m.times);
    const n = times.length;
    const values = series(await unpack(m.poses), (i) => (i % n === 0 ? -1 : i - 1));
    const position = new Float32Array(nbody * n * 3);
    const rotation = new Float32Array(nbody * n * 4);
    const order = [3, 0, 1, 2]; // w x y z to x y z w
    for (let b = 0; b < nbody; ++b) {
        for (let k = 0; k < 7; ++k) {
            const from = (b * 7 + k) * n;
            for (let f = 0; f < n; ++f) {
                const x = values[from + f] / 65535;
                if (k < 3) {
                    position[(b * n + f) * 3 + k] = m.low[3 * b + k] + m.span[3 * b + k] * x;
                } else {
                    rotation[(b * n + f) * 4 + order[k - 3]] = 2 * x - 1;
                }
            }
        }
        for (let f = 0; f < n; ++f) {
            const q = rotation.subarray((b * n + f) * 4, (b * n + f) * 4 + 4);
            const length = Math.hypot(...q) || 1;
            q.forEach((x, i) => (q[i] = x / length));
        }
    }
    return { times, position, rotation };
}

// Columns over all points of all frames that are kept; `start[i]` is where those of a frame begin.
async function contacts(c) {
    const counts = words(await unpack(c.counts));
    const start = new Uint32Array(counts.length + 1);
    const previous = []; // of each point, that of the same number in the frame before
    for (let f = 0; f < counts.length; ++f) {
        start[f + 1] = start[f] + counts[f];
        for (let i = 0; i < counts[f]; ++i) {
            previous.push(f > 0 && i < counts[f - 1] ? start[f - 1] + i : -1);
        }
    }
    const total = start[counts.length];
    const all = series(await unpack(c.series), (i) => {
        const column = Math.floor(i / total);
        const before = previous[i - column * total];
        return before < 0 ? -1 : column * total + before;
    });
    const column = (k) => all.subarray(k * total, (k + 1) * total);
    return {
        every: c.every,
        start,
        point: [0, 1, 2].map((k) => range(column(k), c.low[k], c.span[k])),
        normal: [3, 4, 5].map((k) => range(column(k), -1, 2)),
        force: [6, 7, 8].map((k) => fromHalf(column(k))),
        gap: fromHalf(column(9)),
        geom: [column(10), column(11)],
        slips: await unpack(c.slips),
    };
}

// pressure: [spring][frame], springs of one foundation after the other.
async function foundations(run, frames) {
    const values = series(await unpack(run.pressures), (i) => (i % frames === 0 ? -1 : i - 1));
    return range(values, 0, run.most_pressure);
}

// `tell(part)` is called after each piece with how much of the data is unpacked, 0 … 1, and waited for.
export async function load(run, tell = () => {}) {
    const pieces = [];
    const piece = (size, work) => pieces.push({ size, work });
    const { motion: m, contacts: c } = run;
    piece(m.poses.length, async () => (run.motion = await motion(m, run.bodies.length)));
    piece(c.series.length, async () => (run.contacts = await contacts(c)));
    piece(run.pressures.length, async () => (run.pressures = await foundations(run, run.motion.times.length)));
    for (const channel of run.channels) {
        piece(channel.values.length, async () => (channel.values = await floats(channel.values)));
    }
    for (const mesh of run.meshes) {
        piece(mesh.vertices.length, async () => (mesh.vertices = await floats(mesh.vertices)));
        piece(mesh.faces.length, async () => (mesh.faces = words(await unpack(mesh.faces))));
    }
    for (const field of run.hfields) {
        piece(field.elevation.length, async () => (field.elevation = await floats(field.elevation)));
    }
    const total = pieces.reduce((sum, { size }) => sum + size, 0);
    let done = 0;
    let told = -1;
    for (const { size, work } of pieces) {
        if (done > told + 0.02 * total) { // not for every small piece
            told = done;
            await tell(done / total);
        }
        await work();
        done += size;
    }
    return run;
}
