// Replays of shipped scenes in a real browser. DASHPOT names the program (build/release/dashpot).
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";

const root = resolve(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "../..");
const program = resolve(root, process.env.DASHPOT ?? "build/release/dashpot");
const folder = mkdtempSync(join(tmpdir(), "dashpot-viewer-"));
let browser;

before(async () => {
    browser = await chromium.launch({
        executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
        args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
    });
});

after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
});

function film(scene, ...options) {
    const out = join(folder, `${scene.replace(/\W/g, "_")}.html`);
    execFileSync(program, ["run", scene, "--html", out, "--quiet", ...options], { cwd: root });
    return out;
}

// A page without a word on its console.
async function open(file, viewport = { width: 1000, height: 700 }) {
    const page = await browser.newPage({ viewport });
    page.complaints = [];
    page.on("console", (m) => ["error", "warning"].includes(m.type()) && !/GPU stall|swiftshader/i.test(m.text()) && page.complaints.push(m.text()));
    page.on("pageerror", (e) => page.complaints.push(e.message));
    page.on("request", (r) => /^(file|data|blob):/.test(r.url()) || page.complaints.push(`asked for ${r.url()}`));
    await page.goto(`file://${file}`);
    await page.waitForFunction(() => window.dashpot && document.getElementById("say").textContent === "");
    return page;
}

// What the canvas shows at a time, as bytes of RGBA of a small copy.
function picture(page, t) {
    return page.evaluate((time) => {
        const d = window.dashpot;
        d.seek(time ?? d.t);
        d.view.show(d.t);
        const copy = document.createElement("canvas");
        copy.width = 160;
        copy.height = 120;
        copy.getContext("2d").drawImage(document.getElementById("picture"), 0, 0, 160, 120);
        return Array.from(copy.getContext("2d").getImageData(0, 0, 160, 120).data);
    }, t);
}

// How many pixels differ visibly.
function changed(a, b) {
    let count = 0;
    for (let i = 0; i < a.length; i += 4) {
        const far = Math.abs(a[i] - b[i]) + Math.abs(a[i + 1] - b[i + 1]) + Math.abs(a[i + 2] - b[i + 2]);
        count += far > 24 ? 1 : 0;
    }
    return count;
}

test("a scene is drawn, moves with time and comes back", async () => {
    const page = await open(film("scenes/contact/slip_to_roll.xml", "--keyframe", "thrown", "--seconds", "1"));
    const start = await picture(page, 0);
    const colours = new Set();
    for (let i = 0; i < start.length; i += 4) {
        colours.add(`${start[i] >> 4},${start[i + 1] >> 4},${start[i + 2] >> 4}`);
    }
    assert.ok(colours.size > 8, `${colours.size} colours`);
    assert.equal(changed(start, await picture(page, 0)), 0);
    assert.ok(changed(start, await picture(page, 0.6)) > 30);
    assert.equal(changed(start, await picture(page, 0)), 0);
    assert.deepEqual(page.complaints, []);
    await page.close();
});

test("poses are those of the run", async () => {
    const csv = join(folder, "poses.csv");
    const file = film("scenes/double_pendulum.xml", "--seconds", "2", "--csv", csv, "--channels", "body.*.pos.*", "--every", "1");
    const [head, ...lines] = readFileSync(csv, "utf8").trim().split("\n");
    const columns = head.split(",");
    const page = await open(file);
    const names = await page.evaluate(() => window.dashpot.run.bodies.map((b) => b.name));
    for (const line of [lines[0], lines[Math.floor(lines.length / 2)], lines.at(-1)]) {
        const numbers = line.split(",").map(Number);
        const found = await page.evaluate((t) => {
            const { poses } = window.dashpot.view;
            poses.at(t);
            return poses.position.map((p) => p.toArray());
        }, numbers[0]);
        names.forEach((name, b) => {
            ["x", "y", "z"].forEach((axis, k) => {
                const at = columns.indexOf(`body.${name}.pos.${axis}`);
                if (at >= 0) {
                    assert.ok(Math.abs(found[b][k] - numbers[at]) < 2e-3, `${name}.${axis}: ${found[b][k]} for ${numbers[at]}`);
                }
            });
        });
    }
    await page.close();
});

test("every toggle changes the picture, and back", async () => {
    for (const [scene, options] of [
        ["scenes/contact/arch.xml", ["--seconds", "0.2"]],
        ["scenes/humanoid_stands.xml", ["--seconds", "0.2"]],
        ["scenes/cube_on_foundation.xml", ["--seconds", "0.2"]],
    ]) {
        const page = await open(film(scene, ...options));
        const toggles = await page.evaluate(() => window.dashpot.toggles.map((t) => ({ name: t.name, key: t.key })));
        assert.ok(toggles.length >= 4);
        await page.keyboard.press("1"); // points to be coloured, where there are contacts
        for (const { name, key } of toggles.filter((t) => t.key !== "1")) {
            const before = await picture(page, 0.1);
            await page.keyboard.press(key);
            assert.ok(changed(before, await picture(page)) > 0, `${scene}: ${name}`);
            await page.keyboard.press(key);
            assert.equal(changed(before, await picture(page)), 0, `${scene}: ${name} stays`);
        }
        assert.deepEqual(page.complaints, []);
        await page.close();
    }
});

test("plots show curves, and a click on them goes there", async () => {
    const page = await open(film("scenes/contact/slip_to_roll.xml", "--keyframe", "thrown", "--seconds", "1"));
    const titles = await page.locator("#panel option").allTextContents();
    assert.ok(titles.includes("energy") && titles.includes("contact forces"), titles.join());
    const inked = await page.evaluate(() => {
        const canvas = document.querySelector("#plot canvas");
        const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        let count = 0;
        for (let i = 3; i < data.length; i += 4) {
            count += data[i] > 0 ? 1 : 0;
        }
        return count;
    });
    assert.ok(inked > 500, `${inked} pixels`);
    const over = await page.locator("#plot .u-over").boundingBox();
    await page.mouse.click(over.x + 0.75 * over.width, over.y + 0.5 * over.height);
    const t = await page.evaluate(() => window.dashpot.t);
    assert.ok(Math.abs(t - 0.75) < 0.05, `${t}`);
    await page.close();
});

test("time runs by the keyboard alone, and a body is followed", async () => {
    const page = await open(film("scenes/contact/slip_to_roll.xml", "--keyframe", "thrown", "--seconds", "1"));
    await page.keyboard.press("ArrowRight");
    const one = await page.evaluate(() => window.dashpot.t);
    assert.ok(one > 0 && one < 0.05);
    await page.keyboard.press(" ");
    await page.waitForFunction((t) => window.dashpot.t > t + 0.05, one);
    await page.keyboard.press(" ");
    assert.equal(await page.evaluate(() => window.dashpot.playing), false);
    await page.keyboard.press("Home");
    const target = () => page.evaluate(() => window.dashpot.view.controls.target.toArray());
    await picture(page, 0);
    const before = await target();
    await page.keyboard.press("f");
    await page.keyboard.press("ArrowDown");
    await picture(page, 0.8);
    const after = await target();
    assert.ok(Math.hypot(...after.map((x, i) => x - before[i])) > 0.1);
    await page.close();
});

test("names and texts cannot become code", async () => {
    const evil = '</script><script>window.stolen=1</script><img src=x onerror="window.stolen=2">&lt;!--';
    const quoted = evil.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
    const scene = join(folder, "evil.xml");
    writeFileSync(
        scene,
        `<mujoco model="${quoted}"><worldbody><geom name="${quoted} g" type="plane" size="1 1 1"/>
         <body name="${quoted} b" pos="0 0 0.1"><freejoint name="${quoted} j"/><geom size="0.1" name="${quoted}"/></body>
         </worldbody></mujoco>`,
    );
    const page = await open(film(scene, "--seconds", "0.1", "--channels", "joint.*"));
    await page.mouse.move(300, 350);
    await page.waitForTimeout(200);
    assert.equal(await page.evaluate(() => window.stolen), undefined);
    assert.equal(await page.locator("#title").textContent(), evil);
    assert.equal(await page.locator("img").count(), 0);
    assert.deepEqual(page.complaints, []);
    await page.close();
});

test("two hundred bodies in six hundred frames fit in three megabytes", () => {
    const scene = join(folder, "many.xml");
    const bodies = Array.from({ length: 200 }, (_, i) => {
        const [x, y, z] = [0.21 * (i % 5), 0.21 * (Math.floor(i / 5) % 5), 0.2 + 0.22 * Math.floor(i / 25)];
        return `<body pos="${x + 0.01 * (i % 3)} ${y} ${z}"><freejoint/><geom size="0.1"/></body>`;
    });
    writeFileSync(
        scene,
        `<mujoco><option timestep="0.01"/><worldbody><geom type="plane" size="9 9 1"/>${bodies.join("")}</worldbody></mujoco>`,
    );
    const bytes = statSync(film(scene, "--seconds", "6")).size;
    assert.ok(bytes <= 3e6, `${bytes} bytes`);
});

test("a thousand bodies are drawn in few calls", async () => {
    const scene = join(folder, "thousand.xml");
    const bodies = Array.from(
        { length: 1000 },
        (_, i) => `<body pos="${0.3 * (i % 32)} ${0.3 * Math.floor(i / 32)} 1"><freejoint/><geom type="${i % 2 ? "box" : "sphere"}" size="0.1 0.1 0.1"/></body>`,
    );
    writeFileSync(scene, `<mujoco><worldbody>${bodies.join("")}</worldbody></mujoco>`);
    const page = await open(film(scene, "--seconds", "0.1"));
    const calls = await page.evaluate(() => {
        window.dashpot.view.show(0.05);
        return window.dashpot.view.renderer.info.render.calls;
    });
    assert.ok(calls < 20, `${calls} calls`);
    await page.close();
});

test("on a phone everything is within reach", async () => {
    const page = await open(film("scenes/contact/arch.xml", "--seconds", "0.2"), { width: 390, height: 780 });
    for (const id of ["picture", "play", "scrub", "toggles", "title"]) {
        const box = await page.locator(`#${id}`).boundingBox();
        assert.ok(box && box.width > 20 && box.x >= 0 && box.x + box.width <= 391, id);
    }
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `${wide}`);
    await page.close();
});
