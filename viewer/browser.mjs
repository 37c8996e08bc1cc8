// Replays made by the program and opened in a real browser, for tests and pictures.
// DASHPOT names the program (build/release/dashpot), CHROMIUM the browser (/usr/bin/chromium).
import { execFileSync, spawn } from "node:child_process";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const root = fileURLToPath(new URL("..", import.meta.url));
export const program = resolve(root, process.env.DASHPOT ?? "build/release/dashpot");

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

// Show a scene live. `stop()` ends it as Ctrl-C does and gives its exit code; `kill()` without a farewell.
export async function serve(scene, ...options) {
    const server = spawn(program, ["view", scene, ...options], { cwd: root });
    const ended = new Promise((done) => server.on("exit", done));
    let said = "";
    const address = await new Promise((done, fail) => {
        const listen = (bytes) => {
            said += bytes;
            const found = /http:\S+/.exec(said);
            if (found) {
                done(found[0]);
            }
        };
        server.stdout.on("data", listen);
        server.stderr.on("data", listen);
        ended.then((code) => fail(new Error(`dashpot view ended with ${code}: ${said}`)));
    });
    const end = (signal) => {
        server.kill(signal);
        return ended;
    };
    return { address, stop: () => end("SIGINT"), kill: () => end("SIGKILL") };
}

// A page that is ready: a file, or what a server at http://… gives. `complaints` gathers what it says on its
// console and asks of the network.
export async function open(browser, address, viewport, more = {}) {
    const url = address.startsWith("http:") ? address : `file://${address}`;
    const page = await browser.newPage({ viewport, ...more });
    page.complaints = [];
    page.on("console", (m) => ["error", "warning"].includes(m.type()) && !/GPU stall|swiftshader/i.test(m.text()) && page.complaints.push(m.text()));
    page.on("pageerror", (e) => page.complaints.push(e.message));
    page.on("request", (r) => r.url() === url || /^(file|data|blob):/.test(r.url()) || page.complaints.push(`asked for ${r.url()}`));
    await page.goto(url);
    await page.waitForFunction(() => window.dashpot?.view && document.getElementById("loading").hidden, null, { timeout: 60000 });
    return page;
}
