// The page of a comparison: one scene under several laws, laid over each other.
import uPlot from "uplot";
import { $, element, short } from "./dom.js";
import { Contacts } from "./marks.js";
import { COLOURS, powers } from "./plots.js";
import { Poses } from "./pose.js";
import { Replay } from "./replay.js";
import { Shapes } from "./shapes.js";

const GHOST = 0.32; // opacity of all but the run in front

// Curves of one channel, a curve for each run, in the colours of the runs. Runs that ended early end early.
function together(title, unit, runs, valuesOf, log = false) {
    const frames = Math.max(...runs.map((r) => r.run.motion.times.length));
    const channels = runs.flatMap((r) => {
        const values = valuesOf(r);
        const whole = Array.from({ length: frames }, (_, f) => values?.[f] ?? null);
        return values?.length > 0 ? [{ name: r.name, unit, values: whole, colour: r.colour, at: (f) => whole[f] }] : [];
    });
    return channels.some((c) => c.values.some((x) => x !== null && x !== c.values[0])) ? [{ title, unit, channels, log }] : [];
}

const channel = (name) => (r) => r.run.channels.find((c) => c.name === name)?.values;

function forces(r) {
    const contacts = new Contacts(r.run.contacts, 1);
    return r.run.contacts.gap.length > 0 ? Array.from(r.run.motion.times, (_, f) => contacts.totalAt(f).force) : [];
}

export class Compare extends Replay {
    // `data`: that of cli/compare/compare_page.c, its runs loaded.
    constructor(data) {
        const runs = data.runs.filter((r) => r.run);
        const laws = [...new Set(runs.map((r) => r.law))];
        runs.forEach((r) => (r.colour = laws.indexOf(r.law)));
        const frames = (r) => r.run.motion.times.length;
        const longest = Math.max(...runs.map(frames));
        const whole = runs.filter((r) => frames(r) === longest); // others gave up
        const front = whole.find((r) => !r.reference) ?? whole[0];
        front.run.comparison = { ...data, runs, front };
        front.run.title = data.title;
        super(front.run);
        this.fillSummary();
        this.fillRuns();
        this.fillMeasures();
        this.drawCurves();
    }

    get comparison() {
        return this.run.comparison;
    }

    makePanels() {
        const { runs } = this.comparison;
        return [
            ...together("difference from the reference", "m", runs, (r) => r.difference, true),
            ...together("total energy", "J", runs, channel("energy.total")),
            ...together("energy of the method", "J", runs, channel("energy.remainder")),
            ...together("contact force", "N", runs, forces),
            ...together("penetration", "m", runs, channel("cert.penetration")),
            ...together("lift-off", "m", runs, channel("cert.lift_off")),
            ...together("creep", "m/s", runs, channel("cert.creep"), true),
            ...together("drift of loops", "m", runs, channel("cert.drift")),
            ...together("iterations", "1", runs, channel("cert.iterations")),
        ];
    }

    open(run) {
        super.open(run);
        const { runs, front } = this.comparison;
        this.ghosts = runs.map((r, i) => {
            const colour = COLOURS.light[r.colour % 8];
            const shapes = new Shapes(r.run, { colour, opacity: r === front ? 1 : GHOST, behind: i + 1 });
            this.view.scene.add(shapes);
            return { shapes, poses: new Poses(r.run) };
        });
        this.view.shapes.showMoving(false); // the ghosts do
        this.view.onShow = () => this.showGhosts();
    }

    showGhosts() {
        for (const { shapes, poses } of this.ghosts) {
            if (shapes.visible) {
                poses.at(this.t);
                shapes.update(poses);
            }
        }
    }

    // The summary, and what is worth knowing of each run.
    fillSummary() {
        for (const note of this.comparison.notes) {
            const line = element("p");
            if (note.of) {
                line.append(element("b", `${note.of}: `));
            }
            line.append(note.text);
            $("compare-notes").append(line);
        }
    }

    // Which runs are seen, and which of them is solid.
    fillRuns() {
        this.comparison.runs.forEach((r, i) => {
            const box = element("input", "", { type: "checkbox", "aria-label": `show ${r.name}` });
            box.checked = true;
            box.addEventListener("change", () => {
                this.ghosts[i].shapes.visible = box.checked;
                this.dirty = true;
            });
            const name = element("button", r.name, { type: "button", class: "small", title: "Draw this one solid" });
            name.addEventListener("click", () => this.bringToFront(i));
            const label = element("label");
            label.style.setProperty("--curve", `var(--curve-${(r.colour % 8) + 1})`);
            label.append(box, element("i"), name, element("span", r.reference ? "reference" : ""));
            $("compare-runs").append(label);
        });
    }

    bringToFront(index) {
        this.ghosts.forEach(({ shapes }, i) => shapes.setOpacity(i === index ? 1 : GHOST, i + 1));
        this.dirty = true;
    }

    fillMeasures() {
        const { measures, runs } = this.comparison;
        const head = $("compare-measures").createTHead().insertRow();
        head.append(element("th"), ...runs.map((r) => element("th", r.name, { scope: "col" })));
        const body = $("compare-measures").createTBody();
        for (const { label, values } of measures) {
            const row = body.insertRow();
            row.append(element("th", label, { scope: "row" }), ...runs.map((r) => element("td", short(values[r.index] ?? NaN))));
        }
    }

    setTheme(name) {
        super.setTheme(name);
        COLOURS[name].forEach((colour, i) => document.documentElement.style.setProperty(`--curve-${i + 1}`, colour));
        if (this.curves) {
            this.drawCurves();
        }
    }

    // With several steps: how the difference falls with the step, and what it costs.
    drawCurves() {
        const { runs, measures } = this.comparison;
        const apart = measures.find((m) => m.key === "apart")?.values ?? [];
        const laws = new Map();
        for (const r of runs.filter((run) => apart[run.index] > 0 && run.cost > 0)) {
            laws.set(r.law, [...(laws.get(r.law) ?? []), { step: r.step, apart: apart[r.index], cost: r.cost, colour: r.colour }]);
        }
        const several = [...laws.values()].some((points) => points.length > 1);
        $("compare-curves").hidden = !several;
        this.curves?.forEach((plot) => plot.destroy());
        this.curves = several
            ? [
                  this.logarithmic($("compare-steps"), laws, "step", "apart", "step [s]", "off at the end [m]"),
                  this.logarithmic($("compare-work"), laws, "apart", "cost", "off at the end [m]", "CPU [s/s]"),
              ]
            : [];
    }

    logarithmic(place, laws, x, y, across, up) {
        const dark = this.theme === "dark";
        const lines = dark ? "#2e3743" : "#e1e6ec";
        const at = [...new Set([...laws.values()].flatMap((points) => points.map((p) => p[x])))].sort((a, b) => a - b);
        const curve = (points) => at.map((value) => points.find((p) => p[x] === value)?.[y] ?? null);
        const axis = { stroke: dark ? "#c9d3df" : "#39424e", grid: { stroke: lines, width: 1 }, ticks: { stroke: lines }, font: "11px system-ui", labelFont: "11px system-ui", labelSize: 16 };
        return new uPlot(
            {
                width: Math.max(place.clientWidth, 200),
                height: 190,
                scales: { x: { time: false, distr: 3 }, y: { distr: 3 } },
                axes: [{ ...axis, label: across, values: powers }, { ...axis, label: up, values: powers, size: 44 }],
                series: [{}, ...[...laws].map(([name, points]) => ({ label: name, stroke: COLOURS[this.theme][points[0].colour % 8], width: 1.5, spanGaps: true, points: { show: true, size: 6 } }))],
                legend: { show: false },
                cursor: { show: false },
            },
            [at, ...[...laws.values()].map(curve)],
            place,
        );
    }
}
