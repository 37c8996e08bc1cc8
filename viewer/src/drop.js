// Scenes that are dropped on the page or chosen from a list of files, with what belongs to them.
import { $ } from "./dom.js";

const MOST = 22e6; // bytes: as text they are a third longer, and the server takes 32 MiB
const isScene = (path) => /\.(xml|mjcf|urdf)$/i.test(path);
// Scenes, meshes, pictures and heights. Folders that are dropped hold much else, some of it hidden.
const KINDS = /\.(xml|mjcf|urdf|obj|stl|msh|dae|ply|png|jpe?g|bmp|tga|hdr|ktx|bin|hf)$/i;
const belongs = ({ path }) => KINDS.test(path) && !/(^|\/)(\.(?!\.?\/)|__MACOSX\/)/.test(path);

// The files of an entry, with their paths below it: a folder may be dropped, too.
async function filesOf(entry, folder = "") {
    if (entry.isFile) {
        const file = await new Promise((done, fail) => entry.file(done, fail));
        return [{ path: folder + entry.name, file }];
    }
    const reader = entry.createReader();
    const all = [];
    for (;;) {
        const some = await new Promise((done, fail) => reader.readEntries(done, fail));
        if (some.length === 0) {
            return all;
        }
        for (const inner of some) {
            all.push(...(await filesOf(inner, `${folder}${entry.name}/`)));
        }
    }
}

async function base64(file) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    let text = "";
    for (let i = 0; i < bytes.length; i += 0x8000) {
        text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
    }
    return btoa(text);
}

// The one that no other names.
function choose(scenes) {
    const named = (s) => scenes.some((other) => other !== s && other.text.includes(s.path.split("/").at(-1)));
    return scenes.find((s) => !named(s)) ?? scenes[0];
}

// What to send for these files. Throws words for the user.
export async function sceneOf(all) {
    const files = all.filter(belongs);
    const total = files.reduce((sum, { file }) => sum + file.size, 0);
    if (total > MOST) {
        throw new Error(`${(total / 1e6).toFixed(0)} MB are too much (at most ${MOST / 1e6} MB)`);
    }
    const scenes = [];
    for (const { path, file } of files.filter((f) => isScene(f.path))) {
        scenes.push({ path, file, text: await file.text() });
    }
    if (scenes.length === 0) {
        throw new Error(`${all[0]?.path ?? "nothing"} is not a scene (expected an MJCF .xml or a .urdf file, with its meshes beside it)`);
    }
    const { path, file, text } = choose(scenes);
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    const message = { do: "scene", name: path.slice(folder.length), text };
    for (const other of files.filter((f) => f.file !== file)) {
        message.files ??= {};
        const inside = other.path.startsWith(folder) ? other.path.slice(folder.length) : other.path;
        message.files[inside] = await base64(other.file);
    }
    return message;
}

export class Drop {
    // `send(message)`, `say(level, text)`.
    constructor(send, say) {
        this.send = send;
        this.say = say;
        this.depth = 0; // of elements that were entered
        const files = (event) => event.dataTransfer?.types.includes("Files");
        addEventListener("dragenter", (event) => files(event) && this.show(++this.depth));
        addEventListener("dragleave", (event) => files(event) && this.show(--this.depth));
        addEventListener("dragover", (event) => files(event) && event.preventDefault());
        addEventListener("drop", (event) => {
            if (files(event)) {
                event.preventDefault();
                this.show((this.depth = 0));
                this.take(this.gather(event.dataTransfer));
            }
        });
        $("open").addEventListener("click", () => $("file").click());
        $("file").addEventListener("change", () => {
            this.take([...$("file").files].map((file) => ({ path: file.name, file })));
            $("file").value = ""; // the same again is a change
        });
    }

    show(depth) {
        $("drop").hidden = depth <= 0;
    }

    async gather(transfer) {
        const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
        if (entries.length === 0) {
            return [...transfer.files].map((file) => ({ path: file.name, file }));
        }
        return (await Promise.all(entries.map((entry) => filesOf(entry)))).flat();
    }

    async take(files) {
        try {
            this.send(await sceneOf(await files));
        } catch (error) {
            this.say("error", error.message);
        }
    }
}
