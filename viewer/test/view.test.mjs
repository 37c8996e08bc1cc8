// `dashpot view` and its page, in a real browser.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, serve } from "../browser.mjs";
import { openSmall } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "dashpot-view-"));
const WIDE = { width: 900, height: 520 }; // panel and picture side by side
const BALL = "scenes/contact/slip_to_roll.xml";
const BIG = join(folder, "big.xml"); // a ball that the spring lifts by far more than it sags
let browser;

before(async () => {
    writeFileSync(BIG, '<mujoco><worldbody><geom type="plane" size="9 9 1"/><body pos="0 0 0.5"><freejoint/><geom size="0.5" mass="1"/></body></worldbody></mujoco>');
    browser = await launch();
});

after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
});

// Serve a scene, do something with its page, and end both.
async function withPage(scene, options, act) {
    const server = await serve(scene, "--folder", folder, ...options);
    const page = await openSmall(browser, server.address, WIDE);
    try {
        await act(page, server);
    } finally {
        await page.close();
        assert.equal(await server.stop(), 130); // as after any SIGINT
    }
}

const time = (page) => page.evaluate(() => window.dashpot.history.newest.time);
const goesOn = async (page) => {
    const now = await time(page);
    return page.waitForFunction((t) => window.dashpot.history.newest.time > t + 0.02, now);
};
const state = (page, name, value) => page.waitForFunction(([k, v]) => window.dashpot.state[k] === v, [name, value]);

// Where a body is in the window, and in the world.
function spot(page, body) {
    return page.evaluate((b) => {
        const { view } = window.dashpot;
        const box = document.getElementById("picture").getBoundingClientRect();
        const p = view.poses.position[b].clone().project(view.camera);
        return { x: box.left + (0.5 + 0.5 * p.x) * box.width, y: box.top + (0.5 - 0.5 * p.y) * box.height, at: view.poses.position[b].toArray() };
    }, body);
}

// Drop files, each a name and a text, on the page.
function drop(page, ...files) {
    return page.evaluate((list) => {
        const transfer = new DataTransfer();
        list.forEach(([name, text]) => transfer.items.add(new File([text], name)));
        for (const kind of ["dragenter", "dragover", "drop"]) {
            document.getElementById("stage").dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
        }
    }, files);
}

const message = (page, pattern) =>
    page.waitForFunction((source) => new RegExp(source).test(document.getElementById("messages").textContent), pattern.source);

test("a body that is dragged comes along, the camera stays, and it is let go", async () => {
    await withPage(BIG, [], async (page) => {
        await goesOn(page);
        const camera = () => page.evaluate(() => window.dashpot.view.camera.position.toArray());
        const before = await spot(page, 1);
        const eye = await camera();
        await page.mouse.move(before.x, before.y);
        await page.waitForFunction(() => document.getElementById("picture").dataset.hand === "open");
        await page.mouse.down();
        await page.mouse.move(before.x + 60, 60, { steps: 4 }); // to the upper edge
        await page.waitForFunction((z) => window.dashpot.view.poses.position[1].z > z + 0.2, before.at[2]); // up, against its weight
        assert.ok(await page.evaluate(() => window.dashpot.view.pull.visible));
        assert.deepEqual(await camera(), eye);
        await page.mouse.up();
        await page.waitForFunction((z) => window.dashpot.view.poses.position[1].z < z + 0.1, before.at[2]); // it fell
        assert.equal(await page.evaluate(() => window.dashpot.view.pull.visible), false);
        assert.deepEqual(page.complaints, []);
    });
});

test("a body is pulled by keys alone", async () => {
    await withPage(BIG, [], async (page) => {
        await goesOn(page);
        await page.keyboard.down("Shift");
        await page.keyboard.press("ArrowUp");
        await message(page, /Choose a body/);
        await page.keyboard.up("Shift");
        await page.keyboard.press("f");
        await page.locator("#follow").selectOption("1");
        await page.locator("#follow").blur();
        const { at } = await spot(page, 1);
        await page.keyboard.down("Shift");
        for (let k = 0; k < 12; ++k) {
            await page.keyboard.press("ArrowUp");
        }
        await page.waitForFunction((z) => window.dashpot.view.poses.position[1].z > z + 0.2, at[2]);
        await page.keyboard.up("Shift");
        await page.waitForFunction((z) => window.dashpot.view.poses.position[1].z < z + 0.1, at[2]);
        assert.equal(await page.evaluate(() => window.dashpot.drag.grabbed), null);
        assert.deepEqual(page.complaints, []);
    });
});

test("a drag beside the bodies, and any with the shift key, turns the picture", async () => {
    await withPage(BALL, [], async (page) => {
        const camera = () => page.evaluate(() => window.dashpot.view.camera.position.toArray());
        const moved = (a, b) => Math.hypot(...a.map((x, i) => x - b[i])) > 1e-3;
        const ball = await spot(page, 1);
        for (const [x, y, shift] of [[20, 400, false], [ball.x, ball.y, true]]) {
            const eye = await camera();
            await (shift ? page.keyboard.down("Shift") : null);
            await page.mouse.move(x, y);
            await page.mouse.down();
            await page.mouse.move(x + 60, y, { steps: 3 });
            await page.mouse.up();
            await (shift ? page.keyboard.up("Shift") : null);
            assert.ok(moved(await camera(), eye), `${shift}`);
        }
    });
});

test("every law that is offered runs, one after the other", async () => {
    await withPage(BALL, [], async (page) => {
        const laws = await page.locator("#law option").allTextContents();
        assert.deepEqual([...laws].sort(), ["compliant", "lcp", "ncp", "ode", "tamsi", "vi"]);
        for (const law of laws) {
            await page.locator("#law").selectOption(law);
            await state(page, "law", law);
            assert.ok((await page.locator("#law-words").textContent()).length > 10, law);
            await goesOn(page);
        }
        await page.locator("#picture").focus();
        await page.keyboard.press("Escape");
        await page.keyboard.press("L");
        await state(page, "law", laws.at(-2));
        assert.deepEqual(page.complaints, []);
    });
});

test("softer contacts sink in while it runs, and the certificate says so", async () => {
    await withPage("scenes/contact/sphere_stack.xml", [], async (page) => {
        await page.waitForFunction(() => window.dashpot.history.newest.contacts.slips.length > 0);
        const level = () => page.evaluate(() => document.querySelectorAll("#certificate-rows tr")[1].dataset.level);
        await page.waitForFunction(() => document.querySelectorAll("#certificate-rows tr")[1]?.dataset.level === "good");
        await page.getByLabel("Stiffness", { exact: true }).fill("0"); // a thousandth
        await page.waitForFunction(() => / sinks in/.test(document.getElementById("verdict").textContent));
        assert.notEqual(await level(), "good");
        await page.getByLabel("Stiffness: back to what the file says").click();
        await page.waitForFunction(() => document.querySelectorAll("#certificate-rows tr")[1].dataset.level === "good");
        assert.equal(await page.evaluate(() => window.dashpot.state.stiffness), 1);
        assert.deepEqual(page.complaints, []);
    });
});

test("it stops, steps by the step that is chosen, and starts anew", async () => {
    await withPage(BALL, [], async (page) => {
        await page.keyboard.press(" ");
        await state(page, "running", false);
        await page.getByLabel("Time step", { exact: true }).fill("750");
        await page.waitForFunction(() => document.getElementById("certificate-rows").textContent.includes("paused"));
        await page.waitForTimeout(300);
        const h = await page.evaluate(() => window.dashpot.state.step);
        const t = await time(page);
        for (const k of [1, 2]) {
            await page.keyboard.press(".");
            await page.waitForFunction(([a, b]) => Math.abs(window.dashpot.history.newest.time - a - b) < 1e-9, [t, k * h]);
        }
        await page.locator("#key").selectOption("thrown");
        await page.keyboard.press("Escape");
        await page.locator("#reset").click();
        await page.waitForFunction(() => window.dashpot.history.newest.time === 0);
        await page.locator("#speed").selectOption("0.25");
        await state(page, "speed", 0.25);
        await page.locator("#play").click();
        await goesOn(page);
        assert.deepEqual(page.complaints, []);
    });
});

test("two pages share one simulation, and a grab ends with its page", async () => {
    await withPage(BIG, [], async (one, server) => {
        const two = await openSmall(browser, server.address, WIDE);
        await state(one, "clients", 2);
        assert.match(await one.locator("#link").textContent(), /2 pages/);
        await two.keyboard.press(" ");
        await state(one, "running", false);
        assert.equal(await one.locator("#play").getAttribute("aria-label"), "Play");
        await one.keyboard.press(" ");
        await state(two, "running", true);
        const ball = await spot(two, 1);
        await two.mouse.move(ball.x, ball.y);
        await two.mouse.down();
        await two.mouse.move(ball.x, 60, { steps: 4 });
        await one.waitForFunction((z) => window.dashpot.view.poses.position[1].z > z + 0.2, ball.at[2]);
        await two.close();
        await state(one, "clients", 1);
        await one.waitForFunction((z) => window.dashpot.view.poses.position[1].z < z + 0.1, ball.at[2]);
        assert.deepEqual(one.complaints, []);
    });
});

test("a server that dies and comes back is found again, without a reload", async () => {
    const first = await serve(BALL, "--folder", folder);
    const page = await openSmall(browser, first.address);
    await page.evaluate(() => (window.same = true));
    await goesOn(page);
    first.kill();
    await page.waitForSelector("#lost", { state: "visible" });
    const second = await serve(BALL, "--folder", folder, "--port", new URL(first.address).port);
    await page.waitForSelector("#lost", { state: "hidden", timeout: 20000 });
    await goesOn(page);
    assert.equal(await page.evaluate(() => window.same), true);
    await page.close();
    assert.equal(await second.stop(), 130);
});

test("a bad scene shows its error, and the old one goes on", async () => {
    await withPage(BALL, [], async (page) => {
        const title = await page.locator("#title").textContent();
        for (const [name, text, words] of [
            ["broken.xml", "<mujoco><worldbody>", /broken/],
            ["wrong.xml", '<mujoco><worldbody>\n<body><joint type="wobbly"/><geom size="1"/></body></worldbody></mujoco>', /wrong.*:2.*wobbly/],
            ["picture.png", "no scene", /picture\.png is not a scene/],
            ["../../outside.xml", "<nothing/>", /nothing/],
        ]) {
            await drop(page, [name, text]);
            await message(page, words);
            await page.keyboard.press("Escape");
            await goesOn(page);
            assert.equal(await page.locator("#title").textContent(), title);
        }
        await drop(page, ["broken.xml", "<mujoco>"]);
        await page.locator("#messages button").click();
        assert.equal(await page.locator("#messages .message").count(), 0);
        assert.equal(await page.locator("#drop").isVisible(), false);
        assert.deepEqual(page.complaints, []);
    });
});

const TETRAHEDRON = "v 0 0 0\nv 0.3 0 0\nv 0 0.3 0\nv 0 0 0.3\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

test("a good scene that is dropped takes the place of the old one, with its mesh and hostile names", async () => {
    await withPage(BALL, [], async (page) => {
        const evil = "&lt;img src=x onerror=&quot;window.stolen=1&quot;>";
        const scene = `<mujoco model="${evil}"><asset><mesh name="t" file="tetra.obj"/></asset><worldbody><geom type="plane" size="1 1 1"/>
            <body name="${evil}" pos="0 0 1"><freejoint/><geom type="mesh" mesh="t" name="${evil}"/></body><body name="second" pos="1 0 1"><freejoint/><geom size="0.1"/></body>
            </worldbody><actuator><motor name="${evil} m" gear="0 0 1 0 0 0" ctrllimited="true" ctrlrange="-3 5" joint="j"/></actuator></mujoco>`.replace('name="second" pos="1 0 1"><freejoint/>', 'name="second" pos="1 0 1"><freejoint name="j"/>');
        await drop(page, ["another.xml", scene], ["tetra.obj", TETRAHEDRON]);
        await page.waitForFunction(() => window.dashpot.run.bodies.length === 3);
        assert.equal(await page.evaluate(() => window.dashpot.run.meshes.length), 1);
        assert.equal(await page.locator("#motor-list .slider").count(), 1);
        await goesOn(page);
        await page.mouse.move(200, 200);
        await page.waitForTimeout(200);
        assert.equal(await page.evaluate(() => window.stolen), undefined);
        assert.equal(await page.locator("img").count(), 0);
        assert.deepEqual(page.complaints, []);
    });
});

test("a scene with short steps moves on in every picture, for less than a tenth of what they take", async () => {
    await withPage("scenes/humanoid.xml", [], async (page) => {
        await page.waitForFunction(() => window.dashpot.history.newest.streaming < 0.1, null, { timeout: 60000 });
        const seen = await page.evaluate(
            () =>
                new Promise((done) => {
                    const out = [];
                    const look = (now) => {
                        out.push({ now: now / 1000, t: window.dashpot.t });
                        return out.at(-1).now > out[0].now + 3 ? done(out) : requestAnimationFrame(look);
                    };
                    requestAnimationFrame(look);
                }),
        );
        const still = seen.slice(1).filter(({ t }, i) => t <= seen[i].t).length;
        assert.ok(still < 0.4 * seen.length, `${still} of ${seen.length} pictures stand still`);
        const [first, last] = [seen[0], seen.at(-1)];
        assert.ok(Math.abs((last.t - first.t) / (last.now - first.now) - 1) < 0.25, `${last.t - first.t} s in ${last.now - first.now} s`);
        assert.deepEqual(page.complaints, []);
    });
});

test("a motor that is turned up moves what it drives", async () => {
    await withPage("scenes/cart_pole.xml", [], async (page) => {
        await goesOn(page);
        const before = await page.evaluate(() => window.dashpot.view.poses.position[1].x);
        await page.locator("#motor-list input").first().fill("1000");
        await page.waitForFunction((x) => Math.abs(window.dashpot.view.poses.position[1].x - x) > 0.05, before);
        assert.deepEqual(page.complaints, []);
    });
});

test("a recording becomes a replay in the folder that was chosen, and only there", async () => {
    await withPage(BALL, [], async (page) => {
        const before = new Set(readdirSync(folder));
        await page.keyboard.press("c");
        await state(page, "recording", true);
        assert.equal(await page.locator("#record").textContent(), "■ Save");
        await page.waitForTimeout(600);
        await page.keyboard.press("c");
        await message(page, /Saved/);
        const made = readdirSync(folder).filter((name) => !before.has(name));
        assert.equal(made.length, 1);
        const replay = await openSmall(browser, join(folder, made[0]));
        assert.ok((await replay.evaluate(() => window.dashpot.duration)) > 0.1);
        assert.deepEqual(replay.complaints, []);
        await replay.close();
        assert.deepEqual(page.complaints, []);
    });
});

test("a page of another origin cannot connect, nor read the token", async () => {
    await withPage(BALL, [], async (page, server) => {
        const foreign = createServer((_, answer) => answer.setHeader("Content-Type", "text/html").end("<p>elsewhere")).listen(0, "127.0.0.1");
        const token = await page.evaluate(() => JSON.parse(document.getElementById("run").textContent).token);
        const stranger = await browser.newPage();
        await stranger.goto(`http://127.0.0.1:${foreign.address().port}/`);
        const tried = await stranger.evaluate(
            async ([address, word]) => {
                const connect = (url) =>
                    new Promise((done) => {
                        const socket = new WebSocket(url);
                        socket.onopen = () => done("open");
                        socket.onerror = () => done("refused");
                    });
                const live = `${address.replace("http", "ws")}live?token=`;
                const read = await fetch(address).then((r) => r.text(), () => "refused");
                return [await connect(live + word), await connect(`${live}0`), read];
            },
            [server.address, token],
        );
        assert.deepEqual(tried, ["refused", "refused", "refused"]);
        const wrong = await page.evaluate(
            () =>
                new Promise((done) => {
                    const socket = new WebSocket(`ws://${location.host}/live?token=0`);
                    socket.onopen = () => done("open");
                    socket.onerror = () => done("refused");
                }),
        );
        assert.equal(wrong, "refused"); // of the right origin, without the token
        await goesOn(page);
        await stranger.close();
        foreign.close();
    });
});

test("there is nothing but the page, whatever the path", async () => {
    const server = await serve(BALL, "--folder", folder);
    for (const path of ["favicon.ico", "..%2f..%2f..%2fetc/passwd", "%2e%2e/README.md", "live", "page.html", "index.html"]) {
        const answer = await fetch(server.address + path);
        assert.ok(answer.status >= 400, `${path}: ${answer.status}`);
        assert.ok(!/root:|Dashpot/.test(await answer.text()), path);
    }
    const page = await fetch(server.address);
    assert.equal(page.status, 200);
    assert.equal(await server.stop(), 130);
});

test("on a phone the live page is within reach", async () => {
    const server = await serve("scenes/humanoid_stands.xml", "--folder", folder);
    const page = await openSmall(browser, server.address, { width: 390, height: 780 });
    for (const id of ["picture", "play", "reset", "record", "scrub", "speed", "certificate", "title"]) {
        const box = await page.locator(`#${id}`).boundingBox();
        assert.ok(box && box.width > 20 && box.x >= 0 && box.x + box.width <= 391, id);
    }
    assert.ok((await page.locator("#picture").boundingBox()).height >= 200);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
    await page.close();
    assert.equal(await server.stop(), 130);
});
