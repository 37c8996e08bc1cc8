// The page begins: a replay with its data in it, or a live one that asks for them.
import { Compare } from "./compare.js";
import { load } from "./data.js";
import { $ } from "./dom.js";
import { Live } from "./live.js";
import { Replay } from "./replay.js";

// What is under way, and how far it is: 0 … 1. The browser gets the time to draw it.
function progress(words, part) {
    $("loading-words").textContent = words;
    $("loading-bar").value = part;
    return new Promise((done) => {
        const channel = new MessageChannel();
        requestAnimationFrame(() => channel.port1.postMessage(0));
        setTimeout(done, document.hidden ? 0 : 1000); // a page in the background draws nothing
        channel.port2.onmessage = done;
    });
}

async function begin() {
    const data = JSON.parse($("run").textContent);
    if (data.live) {
        document.body.dataset.mode = "live";
        window.dashpot = new Live(data.token); // for tests and the curious
        return;
    }
    if (data.compare) {
        document.body.dataset.mode = "compare";
        const runs = data.runs.filter((r) => r.run);
        data.runs.forEach((r, i) => (r.index = i));
        for (const [i, r] of runs.entries()) {
            await load(r.run, (part) => progress("Unpacking", (0.8 * (i + part)) / runs.length));
        }
        await progress("Drawing", 0.8);
        const page = new Compare(data);
        await progress("Drawing", 1);
        $("loading").hidden = true;
        window.dashpot = page;
        return;
    }
    const run = await load(data, (part) => progress("Unpacking", 0.8 * part));
    await progress("Drawing", 0.8);
    const page = new Replay(run);
    await progress("Drawing", 1); // it has been drawn once by then
    $("loading").hidden = true;
    window.dashpot = page;
}

begin().catch((error) => {
    $("loading").hidden = true;
    $("say").textContent = `This page cannot be shown: ${error.message}`;
    throw error;
});
