// Replays made by the program and opened in a real browser, for tests and pictures.
// DASHPOT names the program (build/release/dashpot), CHROMIUM the browser (/usr/bin/chromium).
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const root = fileURLToPath(new URL("..", import.meta.url));
const program = resolve(root, process.env.DASHPOT ?? "build/release/dashpot");

export function launch() {
    return chromium.launch({
        executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
        args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
    });
}

// Run a scene and write its replay.
export function film(out, scene, ...options) {
    execFileSync(program, ["run", scene, "--html", out, "--quiet", ...options], { cwd: root });
    return out;
}

// A page that is ready. `complaints` gathers what it says on its console and asks of the network.
export async function open(browser, file, viewport, more = {}) {
    const page = await browser.newPage({ viewport, ...more });
    page.complaints = [];
    page.on("console", (m) => ["error", "warning"].includes(m.type()) && !/GPU stall|swiftshader/i.test(m.text()) && page.complaints.push(m.text()));
    page.on("pageerror", (e) => page.complaints.push(e.message));
    page.on("request", (r) => /^(file|data|blob):/.test(r.url()) || page.complaints.push(`asked for ${r.url()}`));
    await page.goto(`file://${file}`);
    await page.waitForFunction(() => window.dashpot && document.getElementById("say").textContent === "", null, { timeout: 60000 });
    return page;
}
