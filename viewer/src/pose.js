// Where bodies are between frames.
import { Quaternion, Vector3 } from "three";

export class Poses {
    constructor(run) {
        this.times = run.motion.times;
        this.data = run.motion;
        this.origin = this.times[0]; // what times are counted from
        this.position = run.bodies.map(() => new Vector3());
        this.rotation = run.bodies.map(() => new Quaternion());
        this.end = new Vector3();
        this.other = new Quaternion();
    }

    get frames() {
        return this.times.length;
    }

    get duration() {
        return this.frames > 0 ? this.times[this.frames - 1] - this.times[0] : 0;
    }

    // The frame at or before a time since the origin, and how far it is on the way to the next.
    locate(t) {
        const time = this.origin + t;
        let low = 0;
        let high = this.frames - 1;
        while (high - low > 1) {
            const middle = (low + high) >> 1;
            if (this.times[middle] <= time) {
                low = middle;
            } else {
                high = middle;
            }
        }
        const span = this.times[high] - this.times[low];
        const part = span > 0 ? Math.min(Math.max((time - this.times[low]) / span, 0), 1) : 0;
        return { frame: low, next: high, part };
    }

    at(t) {
        const { frame, next, part } = this.locate(t);
        const n = this.frames;
        for (let b = 0; b < this.position.length; ++b) {
            const p = 3 * (b * n + frame);
            const q = 4 * (b * n + frame);
            const p1 = 3 * (b * n + next);
            const q1 = 4 * (b * n + next);
            const d = this.data;
            this.position[b].set(
                d.position[p] + part * (d.position[p1] - d.position[p]),
                d.position[p + 1] + part * (d.position[p1 + 1] - d.position[p + 1]),
                d.position[p + 2] + part * (d.position[p1 + 2] - d.position[p + 2]),
            );
            this.rotation[b].fromArray(d.rotation, q);
            if (part > 0) {
                this.rotation[b].slerp(this.other.fromArray(d.rotation, q1), part);
            }
        }
    }
}
