// Which moment of a live run is shown. A frame that comes alone is shown at once. Those that come together are what
// happened since the message before: they are played over a little more time than messages are apart, so that the
// next may be late and nothing stops.

const LENIENT = 1.25; // by so much longer
const FURTHEST = 2; // messages that the picture may be behind
const CATCH_UP = 150; // [ms] in which it comes to frames that are shown at once

export class Playback {
    constructor() {
        this.jump(0);
    }

    // Show this moment, and stay there.
    jump(time) {
        Object.assign(this, { from: time, to: time, start: 0, length: 0, caughtUp: null });
    }

    // [s] of the simulation; `now` [ms] of the clock.
    at(now) {
        const part = this.length > 0 ? Math.min(Math.max((now - this.start) / this.length, 0), 1) : 1;
        return part < 1 ? this.from + part * (this.to - this.from) : this.to;
    }

    isOver(now) {
        return now >= this.start + this.length;
    }

    // These frames have come, in one message.
    hear(frames, now) {
        const last = frames.at(-1);
        if (frames.some((frame, i) => frame.time < (i > 0 ? frames[i - 1].time : this.to))) {
            this.jump(last.time); // back to the start
        } else if (last.time > this.to || !last.running) { // a pause may come with nothing new
            this.follow(frames, last, now);
        }
    }

    follow(frames, last, now) {
        const shown = this.at(now);
        const apart = ((last.time - frames[0].time) * frames.length) / Math.max(frames.length - 1, 1); // [s] from message to message
        if (last.running && apart > 0 && last.rate > 0) {
            this.caughtUp = null;
            this.play(Math.max(shown, last.time - FURTHEST * apart), last.time, now, (LENIENT * 1000 * apart) / last.rate);
        } else {
            this.caughtUp ??= now + (this.isOver(now) ? 0 : CATCH_UP);
            this.play(shown, last.time, now, Math.max(this.caughtUp - now, 0));
        }
    }

    play(from, to, start, length) {
        Object.assign(this, { from, to, start, length });
    }
}
