// A page with a picture and a replay of each shipped scene: node gallery.mjs FOLDER [PATTERN]
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { argv } from "node:process";
import { basename, join, resolve } from "node:path";
import { film, launch, root } from "./browser.mjs";
import { shoot } from "./picture.mjs";

// Where a scene should begin, how long it is worth watching, and when its picture is taken. Others
// run for two seconds from where their files put them.
const RUNS = {
    "scenes/arm_7dof.xml": { keyframe: "reach", seconds: 3 },
    "scenes/bricard.xml": { keyframe: "moving", seconds: 4 },
    "scenes/cart_pole.xml": { keyframe: "tilted", seconds: 4 },
    "scenes/chain_10.xml": { keyframe: "swaying", seconds: 4 },
    "scenes/chain_50.xml": { keyframe: "swaying", seconds: 4 },
    "scenes/chain_100.xml": { keyframe: "swaying", seconds: 4 },
    "scenes/double_pendulum.xml": { keyframe: "upright", seconds: 10, part: 0.25 },
    "scenes/driven_slider_crank.xml": { seconds: 5 },
    "scenes/five_bar.xml": { keyframe: "turning", seconds: 4 },
    "scenes/four_bar.xml": { keyframe: "turning", seconds: 4 },
    "scenes/gripper_linkage.xml": { keyframe: "closing" },
    "scenes/hand_16dof.xml": { keyframe: "closing" },
    "scenes/hand_holds_ball.xml": { keyframe: "held" },
    "scenes/humanoid.xml": { keyframe: "falling", part: 0.3 },
    "scenes/humanoid_stands.xml": { keyframe: "falling", part: 0.2 },
    "scenes/parallel_links.xml": { keyframe: "swinging", seconds: 4 },
    "scenes/pendulum.xml": { keyframe: "nearly_upright", seconds: 6 },
    "scenes/quadruped.xml": { keyframe: "leaping", part: 0.3 },
    "scenes/quadruped_stands.xml": { keyframe: "leaping", part: 0.15 },
    "scenes/shaking_table.xml": { seconds: 10 },
    "scenes/slider_crank.xml": { keyframe: "turning" },
    "scenes/spinning_top.xml": { keyframe: "spinning", seconds: 4 },
    "scenes/tumbling_box.xml": { keyframe: "tumbling", seconds: 10 },
    "scenes/urdf/walker_12dof.urdf": { seconds: 1, part: 0.2 },
    "scenes/contact/balls_in_bin.xml": { seconds: 0.2, part: 1 },
    "scenes/contact/coin.xml": { keyframe: "leaning", seconds: 3, part: 0.3 },
    "scenes/contact/conveyor.xml": { seconds: 4 },
    "scenes/contact/cradle.xml": { keyframe: "lifted", part: 0 },
    "scenes/contact/domino_row.xml": { keyframe: "push", part: 0.45 },
    "scenes/contact/rocking_block.xml": { keyframe: "tilted", part: 0 },
    "scenes/contact/slip_to_roll.xml": { keyframe: "thrown" },
    "scenes/contact/sphere_stack.xml": { seconds: 0.3 },
    "scenes/contact/wheel_on_rail.xml": { keyframe: "rolling", seconds: 1 },
    "scenes/contact/wrecking_ball.xml": { seconds: 2.5, part: 0.39 },
};

// What scenes/README.md says about each file, by its name there.
function descriptions() {
    const found = new Map();
    for (const line of readFileSync(join(root, "scenes/README.md"), "utf8").split("\n")) {
        const [, files, what] = line.split("|").map((cell) => cell.trim());
        if (what) {
            for (const [, name] of files.matchAll(/`([^`]+\.(?:xml|urdf))`/g)) {
                found.set(basename(name), found.get(basename(name)) ?? what.replaceAll("`", ""));
            }
        }
    }
    return found;
}

const escaped = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

function card({ name, scene, what }) {
    return `<li><a href="${name}.html"><img src="${name}.jpg" width="480" height="300" loading="lazy" alt=""><b>${escaped(basename(scene))}</b></a><p>${escaped(what)}</p></li>`;
}

const index = (cards) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Scenes – Dashpot</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; padding: 16px; max-width: 1280px; }
ul { list-style: none; padding: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(280px, 1fr)); gap: 20px; }
img { width: 100%; height: auto; border-radius: 8px; display: block; margin-bottom: 6px; }
p { margin: 0; font-size: 14px; }
</style></head><body>
<h1>Scenes</h1>
<p>Each picture leads to a replay.</p>
<ul>
${cards.join("\n")}
</ul>
</body></html>
`;

const folder = resolve(argv[2] ?? join(root, "out/gallery"));
const wanted = new RegExp(argv[3] ?? "");
mkdirSync(folder, { recursive: true });
const scenes = ["scenes/contact", "scenes", "scenes/urdf"].flatMap((place) =>
    readdirSync(join(root, place))
        .filter((file) => /\.(xml|urdf)$/.test(file))
        .map((file) => `${place}/${file}`),
);
const what = descriptions();
const made = [];
const browser = await launch();
try {
    for (const scene of scenes.filter((s) => wanted.test(s))) {
        const { keyframe, seconds = 2, part = 0.5, more = [] } = RUNS[scene] ?? {};
        const name = scene.replace(/^scenes\//, "").replace(/\W+/g, "_");
        const replay = join(folder, `${name}.html`);
        film(replay, scene, "--seconds", String(seconds), ...(keyframe ? ["--keyframe", keyframe] : []), ...more);
        await shoot(browser, replay, join(folder, `${name}.jpg`), { part, width: 480, height: 300 });
        made.push({ name, scene, what: what.get(basename(scene)) ?? "" });
        console.log(scene);
    }
} finally {
    await browser.close();
}
writeFileSync(join(folder, "index.html"), index(made.map(card)));
