// The live page in a real browser: what it makes of a server that is interrupted, wrong or hostile.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { film, launch } from "../browser.mjs";
import { judge } from "../src/certificate.js";
import { sceneOf } from "../src/drop.js";
import { Mock, dataOf, frame } from "./mock.mjs";
import { openSmall } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "dashpot-live-"));
let browser;
let run; // a ball on a plane

before(async () => {
    browser = await launch();
    run = dataOf(film(join(folder, "ball.html"), "scenes/contact/slip_to_roll.xml", "--seconds", "0.01"));
});

after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
});

const ball = (x) => [[0, 0, 0, 1, 0, 0, 0], [x, 0, 0.2, 1, 0, 0, 0]];
const position = (page) => page.evaluate(() => window.dashpot.view.poses.position[1].x);
const shows = (page, x) => page.waitForFunction((at) => Math.abs(window.dashpot.view.poses.position[1].x - at) < 1e-6, x);

test("a lost connection is told, and made again without a reload", async () => {
    const mock = await new Mock(run).start();
    const page = await openSmall(browser, mock.address);
    await page.evaluate(() => (window.same = true));
    mock.tell(frame({ time: 1, bodies: ball(1) }));
    await shows(page, 1);
    mock.drop();
    await page.waitForSelector("#lost", { state: "visible" });
    assert.match(await page.locator("#lost").textContent(), /Connection lost/);
    assert.equal(await page.locator("#link").textContent(), "not connected");
    await page.keyboard.press("r"); // nobody is there to hear it
    await page.waitForSelector("#messages .message");
    mock.back();
    await page.waitForSelector("#lost", { state: "hidden" });
    await page.waitForFunction(() => document.getElementById("link").textContent === "live");
    mock.tell(frame({ time: 2, bodies: ball(2) }));
    await shows(page, 2);
    assert.equal(await page.evaluate(() => window.same), true);
    mock.stop();
    await page.close();
});

test("attempts to connect become rarer", async () => {
    const mock = await new Mock(run).start();
    const page = await openSmall(browser, mock.address);
    mock.drop();
    let attempts = 0;
    mock.server.on("connection", () => ++attempts);
    await page.waitForFunction(() => /in 4 s/.test(document.getElementById("lost-words").textContent), null, { timeout: 20000 });
    assert.ok(attempts <= 6, `${attempts}`); // at 0.5, 1, 2 s; the browser itself may try twice
    mock.stop();
    await page.close();
});

test("frames that are broken or of another scene change nothing", async () => {
    const mock = await new Mock(run).start();
    const page = await openSmall(browser, mock.address);
    mock.tell(frame({ time: 1, bodies: ball(1) }));
    await shows(page, 1);
    const good = frame({ time: 2, bodies: ball(2) });
    const wrong = Buffer.from(good);
    wrong.writeUInt32LE(1000, 12);
    for (const bad of [Buffer.alloc(0), Buffer.alloc(64), good.subarray(0, -4), Buffer.concat([good, good.subarray(0, -4)]), wrong, frame({ version: 9, time: 2, bodies: ball(2) }), frame({ time: 2, bodies: ball(2).slice(1) })]) {
        mock.tell(bad);
    }
    mock.tell({ kind: "say", level: "note", text: "behind them" });
    await page.waitForSelector("#messages .message");
    assert.equal(await position(page), 1);
    assert.deepEqual(page.complaints, []);
    mock.stop();
    await page.close();
});

const MANY = 20; // frames in a message
const APART = 1 / 3; // [s] from message to message

// A page that hears messages of many frames, `rate` simulated seconds in a second. The ball goes 1 m in each of the clock.
async function listen(rate) {
    const mock = await new Mock(run).start();
    const page = await openSmall(browser, mock.address);
    let k = 0;
    const numbers = [rate, 200, 1e-9, 1e-6, 1e-6, 5, 1, 0.01];
    const speak = setInterval(() => {
        const places = Array.from({ length: MANY }, (_, i) => APART * (k + (i + 1) / MANY));
        mock.tell(Buffer.concat(places.map((x) => frame({ time: rate * x, bodies: ball(x), numbers }))));
        ++k;
    }, 1000 * APART);
    await page.waitForFunction((t) => window.dashpot.t > t, rate);
    speak.unref(); // a test that fails ends
    const hush = () => clearInterval(speak) || k;
    return { mock, page, hush };
}

for (const rate of [1, 90]) {
    test(`frames that come together are played evenly, and all are kept, at ${rate} simulated seconds in a second`, async () => {
        const { mock, page, hush } = await listen(rate);
        const pictures = await page.evaluate(
            () =>
                new Promise((done) => {
                    const out = [];
                    const look = (now) => {
                        out.push([now / 1000, window.dashpot.view.poses.position[1].x]);
                        return out.at(-1)[0] > out[0][0] + 3 ? done(out) : requestAnimationFrame(look);
                    };
                    requestAnimationFrame(look);
                }),
        );
        const k = hush();
        const moves = pictures.slice(1).map(([now, x], i) => [now - pictures[i][0], x - pictures[i][1]]);
        moves.forEach(([clock, way]) => assert.ok(way >= 0 && (rate > 1 || way < clock + 0.15), `${way} m in ${clock} s`)); // no jump by a message
        assert.ok(moves.filter(([, way]) => way > 0).length > 0.6 * moves.length, JSON.stringify(moves)); // nor rest until the next
        await shows(page, k * APART); // the last one, too
        const kept = await page.evaluate(() => window.dashpot.history.frames.length);
        assert.ok(rate === 1 ? kept === k * MANY : kept >= MANY, `${kept}`); // 20 s at least
        mock.stop();
        await page.close();
    });
}

test("while frames are played, plots and the slider end at the picture, and the slider's right end is now", async () => {
    const { mock, page, hush } = await listen(1);
    const found = await page.evaluate(() => {
        const { dashpot } = window;
        const scrub = document.getElementById("scrub");
        const ahead = dashpot.history.times.at(-1) - dashpot.t; // still to be played
        dashpot.showNumbers();
        const plotted = dashpot.plot.plot.data[0].at(-1) - dashpot.t;
        scrub.value = scrub.max;
        scrub.dispatchEvent(new Event("input"));
        const now = dashpot.past ?? "now";
        scrub.value = dashpot.t - 0.5;
        scrub.dispatchEvent(new Event("input"));
        dashpot.advance(0, performance.now());
        dashpot.showTime();
        return { ahead, plotted, now, back: dashpot.past < dashpot.present, right: Number(scrub.max) - dashpot.present };
    });
    hush();
    assert.ok(found.ahead > 0.05, `${found.ahead}`);
    assert.ok(Math.abs(found.plotted) <= 0.51 * (APART / MANY), `${found.plotted}`);
    assert.deepEqual([found.now, found.back, found.right], ["now", true, 0]);
    mock.stop();
    await page.close();
});

test("a reset ends looking back", async () => {
    const mock = await new Mock(run).start();
    const page = await openSmall(browser, mock.address);
    mock.tell({ ...mock.state, running: false });
    for (let k = 1; k <= 5; ++k) {
        mock.tell(frame({ time: k, running: false, bodies: ball(k) }));
    }
    await shows(page, 5);
    await page.keyboard.press("ArrowLeft");
    await shows(page, 4);
    mock.tell(frame({ time: 0, running: false, bodies: ball(-1) }));
    await shows(page, -1);
    assert.equal(await page.evaluate(() => window.dashpot.past), null); // what is now can be grabbed
    mock.stop();
    await page.close();
});

test("the last seconds can be looked at again, and no more are kept", async () => {
    const mock = await new Mock(run).start();
    const page = await openSmall(browser, mock.address);
    mock.tell({ ...mock.state, running: false });
    for (let k = 1; k <= 50; ++k) {
        mock.tell(frame({ time: k, running: false, bodies: ball(k) }));
    }
    await shows(page, 50);
    await page.keyboard.press("ArrowLeft");
    await shows(page, 49);
    await page.locator("#now").click();
    await shows(page, 50);
    await page.keyboard.press("Home");
    await shows(page, 30); // 20 s ago
    mock.tell({ ...mock.state, running: true });
    await shows(page, 50); // it runs from where it is
    mock.tell(frame({ time: 0, bodies: ball(-1) })); // a reset
    await shows(page, -1);
    assert.equal(await page.evaluate(() => window.dashpot.history.frames.length), 1);
    mock.stop();
    await page.close();
});

test("everything that can be pressed says so to the server", async () => {
    const offer = { actuators: [{ name: "push", lo: -2, hi: 2, value: 0 }], keys: ["thrown"], step: [1e-4, 0.04] };
    const mock = await new Mock(run, offer).start();
    const page = await openSmall(browser, mock.address, { width: 1000, height: 900 });
    const told = async (act, expected) => {
        mock.received.length = 0;
        await act();
        for (let k = 0; k < 50 && mock.received.length === 0; ++k) {
            await page.waitForTimeout(20);
        }
        assert.deepEqual(mock.received[0], expected);
    };
    const key = (name) => () => page.keyboard.press(name);
    await told(key(" "), { do: "pause" });
    await told(key("."), { do: "pause" }); // first
    await told(key("r"), { do: "reset" });
    await told(key("+"), { do: "speed", value: 2 });
    await told(key("l"), { do: "law", value: "compliant" });
    await told(key("K"), { do: "set", name: "stiffness", value: 2 });
    await told(key("u"), { do: "set", name: "friction", value: 0.5 });
    await told(key("c"), { do: "record", on: true });
    await told(() => page.locator("#law").selectOption("compliant"), { do: "law", value: "compliant" });
    assert.equal(await page.locator("#law").inputValue(), "ncp"); // the server has not agreed
    mock.tell({ ...mock.state, running: false, law: "compliant", recording: true, stiffness: 0.1 });
    await page.waitForFunction(() => document.getElementById("law-words").textContent === "springs");
    await told(() => page.locator("#play").click(), { do: "run" });
    await told(() => page.locator("#step").click(), { do: "step" });
    await told(() => page.locator("#record").click(), { do: "record", on: false });
    await told(() => page.locator("#key").selectOption("thrown").then(() => page.locator("#reset").click()), { do: "reset", key: "thrown" });
    await told(() => page.getByLabel("Stiffness: back to what the file says").click(), { do: "set", name: "stiffness", value: 1 });
    await told(() => page.getByLabel("push", { exact: true }).fill("750"), { do: "control", actuator: 0, value: 1 });
    await told(() => page.getByLabel("Stiffness", { exact: true }).fill("500"), { do: "set", name: "stiffness", value: 1 });
    await told(() => page.getByLabel("Friction", { exact: true }).fill("1000"), { do: "set", name: "friction", value: 100 });
    assert.deepEqual(page.complaints, []);
    mock.stop();
    await page.close();
});

test("texts of a server become text, whatever they say", async () => {
    const evil = '<img src=x onerror="window.stolen=1"></script><script>window.stolen=2</script>';
    const hostile = { ...run, title: evil, facts: [[evil, evil]], bodies: run.bodies.map((b) => ({ ...b, name: evil })), geoms: run.geoms.map((g) => ({ ...g, name: evil })) };
    const offer = { laws: [{ name: evil, words: evil }], actuators: [{ name: evil, lo: 0, hi: 1, value: 0 }], keys: [evil] };
    const mock = await new Mock(hostile, offer).start();
    const page = await openSmall(browser, mock.address);
    mock.tell({ ...mock.state, law: evil });
    for (const level of ["note", "error", evil]) {
        mock.tell({ kind: "say", level, text: `${level} ${evil}` });
    }
    mock.tell({ kind: "saved", file: evil });
    mock.tell({ kind: evil });
    mock.tell(frame({ time: 1, bodies: ball(0), controls: [0.5] }));
    await page.waitForFunction(() => document.getElementById("messages").children.length === 3);
    await page.mouse.move(200, 200);
    await page.waitForTimeout(300);
    assert.equal(await page.evaluate(() => window.stolen), undefined);
    assert.equal(await page.locator("img").count(), 0);
    assert.equal(await page.locator("#title").textContent(), evil);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#messages .message").count(), 0);
    assert.deepEqual(page.complaints, []);
    mock.stop();
    await page.close();
});

test("the certificate says what is wrong", () => {
    const scene = { thickness: 0.1, step: 0.002 };
    const asked = { running: true, speed: 1 };
    const good = { solved: true, residual: 1e-9, overlap: 1e-6, creep: 1e-6, cost: 200, rate: 1, contacts: { slips: [0] } };
    assert.equal(judge(good, scene, asked).level, "good");
    for (const [change, level, words] of [
        [{ solved: false }, "bad", /Not solved/],
        [{ overlap: 0.01 }, "bad", /sinks in$/],
        [{ overlap: 0.001 }, "fair", /sinks in a little/],
        [{ creep: 0.01 }, "bad", /creeps/],
        [{ rate: 0.5 }, "fair", /too slow/],
        [{ rate: 0.1 }, "bad", /too slow/],
    ]) {
        const found = judge({ ...good, ...change }, scene, asked);
        assert.equal(found.level, level, JSON.stringify(change));
        assert.match(found.verdict, words);
    }
    assert.equal(judge({ ...good, rate: 0 }, scene, { running: false, speed: 1 }).level, "good"); // a pause is no delay
    const apart = { ...good, overlap: 0, creep: 0, contacts: { slips: [] } };
    assert.ok(judge(apart, scene, asked).rows.some((r) => r.words === "nothing touches"));
});

test("what is hidden or no part of a scene is not sent with it", async () => {
    const paths = ["a/ball.xml", "a/Würfel.obj", "a/.git/config.xml", "a/.ball.xml", "a/notes.txt", "a/deep/.DS_Store", "__MACOSX/a/ball.xml", "a/deep/skin.PNG"];
    const files = paths.map((path) => ({ path, file: new File(["<mujoco/>"], path.split("/").at(-1)) }));
    const message = await sceneOf(files);
    assert.equal(message.name, "ball.xml");
    assert.deepEqual(Object.keys(message.files).sort(), ["Würfel.obj", "deep/skin.PNG"]);
    await assert.rejects(sceneOf(files.slice(2, 6)), /config\.xml is not a scene/);
});

test("a pace that is not known yet is no fault", async () => {
    const contacts = { slips: [] };
    const moment = { solved: true, residual: 1e-12, overlap: 0, creep: 0, cost: 10, contacts };
    const scene = { thickness: 0.1, step: 0.002 };
    const fresh = judge({ ...moment, rate: NaN }, scene, { running: true, speed: 1 });
    assert.equal(fresh.level, "good");
    assert.equal(fresh.rows.at(-1).value, "–");
    assert.equal(judge({ ...moment, rate: 0.1 }, scene, { running: true, speed: 1 }).level, "bad");
});

test("sliders stay within their ends, and motors go back to what the file says", async () => {
    const step = [1 / 4800, 1 / 12]; // whose ends three digits do not hold
    const mock = await new Mock(run, { actuators: [{ name: "push", lo: -1 / 3, hi: 1 / 3, value: 0.2, own: 0.1 }], step }).start();
    const page = await openSmall(browser, mock.address);
    const [shortest, longest, least, most] = await page.evaluate(() => {
        const { step: times, motors } = window.dashpot.controls;
        return [times.value(0), times.value(1), motors[0].value(0), motors[0].value(1)];
    });
    assert.deepEqual([shortest >= step[0], longest <= step[1]], [true, true], `${shortest} ${longest}`);
    assert.deepEqual([least >= -1 / 3, most <= 1 / 3], [true, true], `${least} ${most}`);
    mock.received.length = 0;
    await page.getByLabel("push: back to what the file says").click();
    for (let k = 0; k < 50 && mock.received.length === 0; ++k) {
        await page.waitForTimeout(20);
    }
    assert.deepEqual(mock.received, [{ do: "control", actuator: 0, value: 0.1 }]);
    mock.stop();
    await page.close();
});
