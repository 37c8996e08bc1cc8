// Which moment of a live run is shown: no browser is needed for that.
import assert from "node:assert/strict";
import { test } from "node:test";
import { History } from "../src/history.js";
import { Playback } from "../src/playback.js";

const APART = 300; // [ms] from message to message
const MANY = 18; // frames in each

// What a message at time k brings.
const message = (k, more = {}) => Array.from({ length: MANY }, (_, i) => ({ time: (APART * (k + (i + 1) / MANY)) / 1000, rate: 1, running: true, ...more }));

// Hear messages at these moments [ms]; what is shown every 16 ms.
function watch(playback, moments) {
    const out = [];
    let k = 0;
    for (let now = 0; now < moments.at(-1) + APART; now += 16) {
        while (k < moments.length && moments[k] <= now) {
            playback.hear(message(k), moments[k++]);
        }
        out.push(playback.at(now));
    }
    return out;
}

const speeds = (shown) => shown.slice(1).map((t, i) => (t - shown[i]) / 0.016);

test("messages at even distances move the picture evenly, one message and a quarter behind", () => {
    const playback = new Playback();
    const shown = watch(playback, Array.from({ length: 20 }, (_, k) => APART * (k + 1)));
    const late = shown.slice(Math.ceil((5 * APART) / 16), -Math.ceil(APART / 16));
    speeds(late).forEach((v) => assert.ok(Math.abs(v - 1) < 0.01, `${v}`));
    const behind = late.map((t, i) => (16 * (i + Math.ceil((5 * APART) / 16))) / 1000 - t); // of what happens
    behind.forEach((d) => assert.ok(Math.abs(d - 1.25 * (APART / 1000)) < 0.01, `${d}`));
});

test("messages that come a fifth too early and too late neither stop the picture nor make it jump", () => {
    const shown = watch(new Playback(), Array.from({ length: 40 }, (_, k) => APART * (k + 1 + 0.1 * (-1) ** k)));
    speeds(shown.slice(Math.ceil((6 * APART) / 16), -Math.ceil(APART / 16))).forEach((v) => assert.ok(v > 0.7 && v < 1.4, `${v}`));
});

test("a frame that comes alone is shown at once", () => {
    const playback = new Playback();
    for (const [now, time] of [[0, 0.1], [50, 0.15], [100, 0.2]]) {
        playback.hear([{ time, rate: 1, running: true }], now);
        assert.equal(playback.at(now), time);
    }
});

test("when frames come alone again the picture catches up, in little time and without a jump", () => {
    const playback = new Playback();
    watch(playback, [300, 600, 900, 1200]);
    playback.hear(message(4), 1500);
    let before = playback.at(1500);
    for (let k = 1; k <= 10; ++k) {
        const now = 1500 + 50 * k;
        const time = (APART / 1000) * 5 + 0.05 * k;
        playback.hear([{ time, rate: 1, running: true }], now);
        const shown = playback.at(now);
        assert.ok(shown > before && shown < before + 0.3, `${shown - before}`); // it was 0.4 s behind
        assert.equal(shown === time, k >= 4, `${k}`); // 150 ms after the first
        before = shown;
    }
});

test("a pause shows where it stopped, a reset where it begins", () => {
    const playback = new Playback();
    watch(playback, [300, 600]);
    playback.hear(message(2, { running: false, rate: NaN }), 900);
    assert.equal(playback.at(900 + 150), 0.9);
    playback.hear([{ time: 0.9, rate: NaN, running: false }], 2000);
    assert.equal(playback.at(2000), 0.9);
    playback.hear([...message(3), { time: 0, rate: NaN, running: true }], 2100);
    assert.equal(playback.at(2100), 0);
});

test("a pause that brings nothing new ends slow motion, too", () => {
    const playback = new Playback();
    const frames = message(0, { rate: 0.05 }); // they would last 7.5 s
    playback.hear(frames, 1000);
    const shown = playback.at(1500);
    const pause = [{ ...frames.at(-1), rate: NaN, running: false }];
    playback.hear(pause, 1500);
    assert.equal(playback.at(1500), shown); // without a jump
    assert.ok(playback.at(1575) > shown && playback.at(1575) < 0.3);
    assert.equal(playback.at(1500 + 150), 0.3);
    playback.hear(pause, 1600); // said again, it takes no longer
    assert.equal(playback.at(1500 + 150), 0.3);
});

test("frames stay until they are played, and 20 s more, however fast simulated time goes", () => {
    for (const rate of [1, 20, 100, 1000]) {
        const playback = new Playback();
        const history = new History();
        const spacing = (rate * APART) / MANY / 1000; // [s] of simulated time; it is that of the first frame, too
        for (let k = 0; k < 150; ++k) {
            const [begin, end] = [APART * (k + 1), APART * (k + 2)];
            const frames = message(k, { rate, bytes: 1000 }).map((f) => ({ ...f, time: rate * f.time }));
            playback.hear(frames, begin);
            frames.forEach((f) => history.push(f, playback.at(begin)));
            assert.ok(history.times[1] >= playback.at(begin) - 20, `${history.times[1]}`); // and no longer
            for (let now = begin; now < end; now += 16) {
                const shown = playback.at(now);
                const oldest = Math.max(Math.min(playback.at(begin) - 20 + spacing, shown), spacing);
                assert.ok(history.times[0] <= oldest, `${history.times[0]} when ${shown} is shown, at ${rate}`);
            }
        }
    }
});

test("a page that has missed messages does not stay behind for good", () => {
    const playback = new Playback();
    watch(playback, [300, 600]);
    playback.hear(message(30), 9300);
    assert.ok(playback.at(9300) >= 9.3 - 0.6 - 1e-9);
    assert.equal(playback.at(9300 + 1.25 * APART), 9.3);
});

test("in slow motion and as fast as it goes, the clock is that of the simulation", () => {
    for (const rate of [0.25, 50]) {
        const playback = new Playback();
        playback.hear([{ time: 0, rate, running: true }], 0);
        playback.hear(message(0, { rate }), 1000);
        assert.ok(playback.at(1000 + (1000 * 1.2 * 0.3) / rate) < 0.3);
        assert.equal(playback.at(1000 + (1000 * 1.25 * 0.3) / rate + 1e-6), 0.3);
    }
});
