// Replays of shipped scenes in a real browser.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Triangle, Vector3 } from "three";
import { film as filmTo, launch } from "../browser.mjs";
import { SMALL, openSmall } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "dashpot-viewer-"));
let browser;

before(async () => {
    browser = await launch();
});

after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
});

function film(scene, ...options) {
    return filmTo(join(folder, `${scene.replace(/\W/g, "_")}.html`), scene, ...options);
}

const open = (file, viewport) => openSmall(browser, file, viewport);

// What the canvas shows at a time: the number of a small copy that the page keeps.
function picture(page, t) {
    return page.evaluate((time) => {
        const d = window.dashpot;
        d.seek(time ?? d.t);
        d.view.show(d.t);
        const copy = new OffscreenCanvas(320, 240).getContext("2d", { willReadFrequently: true });
        copy.drawImage(document.getElementById("picture"), 0, 0, 320, 240);
        window.pictures ??= [];
        return window.pictures.push(copy.getImageData(0, 0, 320, 240).data) - 1;
    }, t);
}

// How many pixels differ visibly between two pictures.
function changed(page, one, other) {
    return page.evaluate(
        ([i, k]) => {
            const [a, b] = [window.pictures[i], window.pictures[k]];
            let count = 0;
            for (let p = 0; p < a.length; p += 4) {
                const far = Math.abs(a[p] - b[p]) + Math.abs(a[p + 1] - b[p + 1]) + Math.abs(a[p + 2] - b[p + 2]);
                count += far > 24 ? 1 : 0;
            }
            return count;
        },
        [one, other],
    );
}

test("a scene is drawn, moves with time and comes back", async () => {
    const page = await open(film("scenes/contact/slip_to_roll.xml", "--keyframe", "thrown", "--seconds", "1"));
    const start = await picture(page, 0);
    const colours = await page.evaluate((i) => {
        const rgba = window.pictures[i];
        const found = new Set();
        for (let p = 0; p < rgba.length; p += 4) {
            found.add(`${rgba[p] >> 4},${rgba[p + 1] >> 4},${rgba[p + 2] >> 4}`);
        }
        return found.size;
    }, start);
    assert.ok(colours > 8, `${colours} colours`);
    assert.equal(await changed(page, start, await picture(page, 0)), 0);
    assert.ok((await changed(page, start, await picture(page, 0.6))) > 100);
    assert.equal(await changed(page, start, await picture(page, 0)), 0);
    assert.deepEqual(page.complaints, []);
    await page.close();
});

test("a page says how far it is until it is there, and then plays when it is asked to", async () => {
    const page = await browser.newPage({ viewport: SMALL });
    await page.addInitScript(() => {
        window.told = [];
        const watch = () => {
            const bar = document.getElementById("loading-bar");
            if (bar && !document.getElementById("loading").hidden) {
                window.told.push([document.getElementById("loading-words").textContent, bar.hasAttribute("value") ? bar.value : 0]);
            }
            requestAnimationFrame(watch);
        };
        watch();
    });
    await page.goto(`file://${film("scenes/contact/slip_to_roll.xml", "--keyframe", "thrown", "--seconds", "1")}`);
    await page.waitForFunction(() => window.dashpot && document.getElementById("loading").hidden);
    const told = await page.evaluate(() => window.told);
    const words = [...new Set(told.map(([name]) => name))];
    assert.deepEqual(words.slice(-2), ["Unpacking", "Drawing"]);
    assert.ok(told.every(([, part], i) => i === 0 || part >= told[i - 1][1]), "it never goes back");
    assert.ok(new Set(told.map(([, part]) => part)).size >= 3, `${told}`);
    await page.locator("#begin").click();
    await page.waitForFunction(() => window.dashpot.t > 0.3);
    await page.keyboard.press(" ");
    assert.equal(await page.locator("#begin").isVisible(), false);
    assert.ok((await changed(page, await picture(page), await picture(page, 0))) > 100);
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
        const before = await picture(page, 0.1);
        for (const { name, key } of toggles.filter((t) => t.key !== "1")) {
            await page.keyboard.press(key);
            assert.ok((await changed(page, before, await picture(page))) > 0, `${scene}: ${name}`);
            await page.keyboard.press(key);
            assert.equal(await changed(page, before, await picture(page)), 0, `${scene}: ${name} stays`);
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
    await picture(page, 0);
    await page.waitForFunction(() => document.querySelector("#legend td").textContent.endsWith(" J"));
    const [shown, value] = await page.evaluate(() => {
        const total = window.dashpot.run.channels.find((c) => c.name === document.querySelector("#legend th").textContent);
        return [parseFloat(document.querySelector("#legend td").textContent), total.values[0]];
    });
    assert.ok(Math.abs(shown - value) <= 1e-3 * Math.abs(value), `${shown} for ${value}`); // four digits
    const over = page.locator("#plot .u-over");
    const { width, height } = await over.boundingBox();
    await over.click({ position: { x: 0.75 * width, y: 0.5 * height } });
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

test("every contact point lies on both shapes as they are drawn", async () => {
    const page = await open(film("scenes/contact/shelf.xml", "--seconds", "0.2"));
    const { contacts, drawn, kinds } = await page.evaluate(() => {
        const { run, view } = window.dashpot;
        view.show(window.dashpot.duration);
        const [first, end] = view.contacts.rangeAt(run.motion.times.length - 1);
        const c = run.contacts;
        const drawn = {};
        for (const { mesh, items } of view.shapes.batches) {
            const shape = mesh.geometry.index ? mesh.geometry.toNonIndexed() : mesh.geometry;
            items.forEach((item, i) => {
                const matrix = mesh.matrixWorld.clone();
                mesh.getMatrixAt(i, matrix);
                drawn[item.index] = [...(drawn[item.index] ?? []), ...shape.getAttribute("position").clone().applyMatrix4(matrix).array];
            });
        }
        const at = (k) => ({ p: c.point.map((x) => x[k]), geoms: c.geom.map((g) => g[k]), gap: c.gap[k] });
        return { contacts: Array.from({ length: end - first }, (_, i) => at(first + i)), drawn, kinds: run.geoms.map((g) => g.kind) };
    });
    const seen = new Set();
    for (const { p, geoms, gap } of contacts) {
        for (const g of geoms.filter((i) => kinds[i] !== "plane")) {
            const point = new Vector3(...p);
            const v = drawn[g];
            let distance = Infinity;
            for (let i = 0; i < v.length; i += 9) {
                const corner = (k) => new Vector3(v[i + k], v[i + k + 1], v[i + k + 2]);
                const nearest = new Triangle(corner(0), corner(3), corner(6)).closestPointToPoint(point, new Vector3());
                distance = Math.min(distance, nearest.distanceTo(point));
            }
            // Half the gap, and the facets of what is round: 1.3 % of 4 cm.
            assert.ok(distance < Math.abs(gap) + 6e-4, `${kinds[g]} ${g}: ${distance}`);
            seen.add(kinds[g]);
        }
    }
    assert.deepEqual([...seen].sort(), ["box", "capsule", "cylinder", "ellipsoid", "hfield", "mesh", "sphere"]);
    await page.close();
});

test("the camera shows what moves, all of it and not from afar", async () => {
    const file = film("scenes/contact/slip_to_roll.xml", "--keyframe", "thrown", "--seconds", "1");
    for (const viewport of [{ width: 700, height: 420 }, { width: 390, height: 780 }]) {
        const page = await open(file, viewport);
        const far = await page.evaluate(() => {
            const { view, duration } = window.dashpot;
            let most = 0;
            for (let k = 0; k <= 20; ++k) {
                view.poses.at((k / 20) * duration);
                const p = view.poses.position[1].clone().project(view.camera);
                most = Math.max(most, Math.abs(p.x), Math.abs(p.y));
            }
            return most;
        });
        assert.ok(far > 0.4 && far < 1, `${far} of half the picture`);
        await page.close();
    }
});

test("pictures and videos can be saved", async () => {
    const page = await open(film("scenes/contact/slip_to_roll.xml", "--keyframe", "thrown", "--seconds", "0.3"), { width: 500, height: 300 });
    for (const [key, magic] of [["s", "89504e47"], ["v", "1a45dfa3"]]) {
        const waiting = page.waitForEvent("download");
        await page.keyboard.press(key);
        const bytes = readFileSync(await (await waiting).path());
        assert.equal(bytes.subarray(0, 4).toString("hex"), magic);
        assert.ok(bytes.length > 1000, `${bytes.length} bytes`);
    }
    assert.deepEqual(page.complaints, []);
    await page.close();
});

// Contrast as the Web Content Accessibility Guidelines define it; 4.5 is their level AA.
test("text stands out against what is behind it, in the light and in the dark", async () => {
    const page = await open(film("scenes/pendulum.xml", "--seconds", "0.1"));
    for (const theme of ["light", "dark"]) {
        const colours = await page.evaluate((name) => {
            window.dashpot.setTheme(name);
            const style = getComputedStyle(document.documentElement);
            const pick = (x) => style.getPropertyValue(`--${x}`).trim();
            return { ink: pick("ink"), soft: pick("soft"), accent: pick("accent"), good: pick("good"), fair: pick("fair"), bad: pick("bad"), back: pick("back"), card: pick("card") };
        }, theme);
        const luminance = (hex) => {
            const [r, g, b] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255).map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        for (const text of ["ink", "soft", "accent", "good", "fair", "bad"]) {
            for (const behind of ["back", "card"]) {
                const [low, high] = [luminance(colours[text]), luminance(colours[behind])].sort((a, b) => a - b);
                const ratio = (high + 0.05) / (low + 0.05);
                assert.ok(ratio >= 4.5, `${theme}: ${text} on ${behind}: ${ratio}`);
            }
        }
    }
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
    await page.mouse.move(150, 250);
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

test("a thousand bodies are drawn in few calls, and moved in a few milliseconds", async () => {
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
    const fastest = await page.evaluate(() => {
        const { view } = window.dashpot;
        const times = Array.from({ length: 20 }, (_, i) => {
            const start = performance.now();
            view.poses.at(0.005 * i);
            view.shapes.update(view.poses);
            return performance.now() - start;
        });
        return Math.min(...times);
    });
    assert.ok(fastest < 16, `${fastest} ms for the poses of a frame`); // sixty frames in a second
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
