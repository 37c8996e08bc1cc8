// What the certificate of a step says, in numbers, words and colours.
import { $, element, metric, short } from "./dom.js";

const LEVELS = ["good", "fair", "bad"];

// Which of the three `x` is.
const grade = (x, fair, bad) => (x > bad ? "bad" : x > fair ? "fair" : "good");

// `scene`: thickness [m] of what moves, and step [s]; `asked`: running, speed.
// A row: name, value, what it means, how good it is ("" for neither), and what is wrong in a sentence.
export function judge(frame, scene, asked) {
    const touching = frame.contacts.slips.length > 0;
    const rows = [];
    const row = (name, value, words, level = "", fault = words) => rows.push({ name, value, words, level, fault });
    if (Number.isNaN(frame.residual)) {
        row("Residual", "–", "not yet known");
    } else if (frame.solved) {
        row("Residual", metric(frame.residual, "m/s"), "the law is met", "good");
    } else {
        row("Residual", metric(frame.residual, "m/s"), "it stopped too early", "bad");
    }
    if (touching) {
        const deep = grade(frame.overlap / scene.thickness, 0.002, 0.02);
        const sunk = { good: "nothing sinks in", fair: "sinks in a little", bad: "sinks in" };
        row("Overlap", metric(frame.overlap, "m"), sunk[deep], deep, `something ${sunk[deep]}`);
        const slow = grade(frame.creep / scene.thickness, 0.002, 0.02); // [1/s]
        const stays = { good: "what sticks stays", fair: "creeps a little", bad: "creeps" };
        row("Creep", metric(frame.creep, "m/s"), stays[slow], slow, `what sticks ${stays[slow]}`);
    } else {
        row("Overlap", "–", "nothing touches");
        row("Creep", "–", "");
    }
    const share = frame.cost / (1e6 * scene.step);
    const part = share < 1 ? `${short(Math.round(100 * share))} % of` : `${short(Number(share.toPrecision(2)))} times`;
    row("A step costs", metric(1e-6 * frame.cost, "s"), Number.isFinite(share) ? `${part} its ${metric(scene.step, "s")}` : "");
    if (!asked.running) {
        row("Real time", "–", "paused");
    } else if (!Number.isFinite(frame.rate)) {
        row("Real time", "–", "not yet known");
    } else {
        const late = asked.speed > 0 ? grade(1 / frame.rate, 1 / (0.9 * asked.speed), 1 / (0.25 * asked.speed)) : "good";
        const words = { good: asked.speed > 0 ? "keeps up" : "as fast as it goes", fair: `too slow for ${asked.speed}×`, bad: `too slow for ${asked.speed}×` };
        row("Real time", `${short(Number(frame.rate.toPrecision(2)))}×`, words[late], late);
    }
    const worst = LEVELS.findLast((level) => rows.some((r) => r.level === level)) ?? "good";
    return { rows, level: worst, verdict: verdict(rows, frame) };
}

// The box in one line.
function verdict(rows, frame) {
    const bad = rows.find((r) => r.level === "bad") ?? rows.find((r) => r.level === "fair");
    if (Number.isNaN(frame.residual)) {
        return "No step yet";
    }
    if (!frame.solved) {
        return "Not solved";
    }
    return bad ? `Solved, but ${bad.fault}` : "Solved, all is well";
}

const SIGNS = { good: "✓", fair: "!", bad: "✗" };

export class Certificate {
    constructor() {
        this.cells = new Map();
    }

    show(frame, scene, asked) {
        const { rows, level, verdict: words } = judge(frame, scene, asked);
        $("certificate").dataset.level = level;
        const verdict = `${SIGNS[level]} ${words}`;
        if ($("verdict").textContent !== verdict) {
            $("verdict").textContent = verdict; // it is read aloud
        }
        const names = rows.map((r) => r.name).join();
        if (names !== this.names) {
            this.names = names;
            $("certificate-rows").replaceChildren();
            this.cells = rows.map(({ name }) => {
                const tr = $("certificate-rows").insertRow();
                const cells = [element("td"), element("td")];
                tr.append(element("th", name, { scope: "row" }), ...cells);
                return { tr, cells };
            });
        }
        rows.forEach((r, i) => {
            const { tr, cells } = this.cells[i];
            tr.dataset.level = r.level;
            cells[0].textContent = r.value;
            cells[1].textContent = cells[1].title = r.words;
        });
    }
}
