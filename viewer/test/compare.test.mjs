// Comparisons of laws in a real browser.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, program, root } from "../browser.mjs";
import { openSmall } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "dashpot-compare-"));
let browser;

before(async () => {
    browser = await launch();
});

after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
});

function compare(scene, ...options) {
    const file = join(folder, "compare.html");
    execFileSync(program, ["compare", scene, "--html", file, ...options], { cwd: root });
    return file;
}

test("each law has its own motion, and can be hidden and brought to the front", async () => {
    const page = await openSmall(browser, compare("scenes/contact/heavy_on_light.xml", "--seconds", "0.5"));
    const seen = await page.evaluate(() => {
        const d = window.dashpot;
        d.seek(0.4);
        d.view.show(d.t);
        return { runs: d.comparison.runs.map((r) => r.name), places: d.ghosts.map(({ poses }) => poses.position.at(-1).toArray()) };
    });
    assert.deepEqual(seen.runs, ["compliant", "lcp", "ncp", "vi", "tamsi", "ode"]);
    const far = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));
    assert.ok(far(seen.places[1], seen.places[2]) < 1e-4); // no contact yields under lcp and ncp
    assert.ok(far(seen.places[0], seen.places[2]) > 1e-3); // springs sag
    const front = () => page.evaluate(() => window.dashpot.ghosts.map(({ shapes }) => shapes.batches[0].mesh.material.opacity === 1));
    assert.deepEqual(await front(), [true, false, false, false, false, false]);
    await page.click("#compare-runs label:nth-child(3) button");
    assert.deepEqual(await front(), [false, false, true, false, false, false]);
    await page.click("#compare-runs label:nth-child(2) input");
    assert.equal(await page.evaluate(() => window.dashpot.ghosts[1].shapes.visible), false);
    assert.deepEqual(page.complaints, []);
});

test("the table, the words and the curves over steps are there", async () => {
    const page = await openSmall(browser, compare("scenes/contact/ramp.xml", "--steps", "1e-2,5e-3", "--seconds", "0.3"));
    assert.match(await page.textContent("#compare-notes"), /What differs is the length of the step, not the law/);
    assert.match(await page.textContent("#compare-measures"), /lift-off \[m\]/);
    assert.equal(await page.isVisible("#compare-steps canvas"), true);
    const panels = await page.$$eval("#panel option", (list) => list.map((o) => o.textContent));
    assert.ok(panels.includes("difference from the reference") && panels.includes("total energy") && panels.includes("creep"));
    assert.deepEqual(page.complaints, []);
});

test("hostile names of a scene are text", async () => {
    const scene = join(folder, "hostile.xml");
    const name = "&lt;/script&gt;&lt;img src=x onerror=window.bad=1&gt;";
    writeFileSync(scene, `<mujoco model="${name}"><worldbody><body name="${name}"><freejoint/><geom size=".1"/></body></worldbody></mujoco>`);
    const page = await openSmall(browser, compare(scene, "--seconds", "0.1"));
    assert.equal(await page.evaluate(() => window.bad), undefined);
    assert.match(await page.textContent("#title"), /<img src=x/);
    assert.deepEqual(page.complaints, []);
});
