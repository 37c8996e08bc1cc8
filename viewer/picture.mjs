// A picture of a replay: node picture.mjs [--page] REPLAY.html PICTURE SECONDS [WIDTH HEIGHT]
// The scene alone, or with --page all that the browser shows. PNG, or JPEG by the name.
import { writeFileSync } from "node:fs";
import { argv } from "node:process";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch, open } from "./browser.mjs";

// `part`: of the whole time. The picture is drawn twice as large and made smaller, for smooth edges.
export async function shoot(browser, replay, out, { seconds, part, width = 640, height = 400, whole = false }) {
    const page = await open(browser, resolve(replay), { width: whole ? width : width + 330, height: whole ? height : height + 87 });
    await page.evaluate(
        ([t, share]) => {
            const d = window.dashpot;
            d.seek(t ?? share * d.duration);
        },
        [seconds, part],
    );
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const type = out.endsWith(".jpg") ? "jpeg" : "png";
    if (whole) {
        await page.screenshot({ path: out, type });
    } else {
        const url = await page.evaluate(
            ([kind, w, h]) => {
                const { view, t } = window.dashpot;
                view.resize(2 * w, 2 * h);
                view.show(t);
                const copy = document.createElement("canvas");
                copy.width = w;
                copy.height = h;
                const context = copy.getContext("2d");
                context.imageSmoothingQuality = "high";
                context.drawImage(document.getElementById("picture"), 0, 0, w, h);
                return copy.toDataURL(`image/${kind}`, 0.85);
            },
            [type, width, height],
        );
        writeFileSync(out, Buffer.from(url.slice(url.indexOf(",") + 1), "base64"));
    }
    await page.close();
}

if (import.meta.url === pathToFileURL(argv[1]).href) {
    const words = argv.slice(2).filter((word) => word !== "--page");
    const [replay, out, seconds, width = 640, height = 400] = words;
    const browser = await launch();
    try {
        await shoot(browser, replay, out, { seconds: Number(seconds), width: Number(width), height: Number(height), whole: argv.includes("--page") });
    } finally {
        await browser.close();
    }
}
