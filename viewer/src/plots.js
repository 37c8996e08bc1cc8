// Plots over time, with a cursor that goes with the picture.
import uPlot from "uplot";

const COLOURS = {
    light: ["#0969c8", "#d4690a", "#15803d", "#c2185b", "#6d3fc4", "#0e8a93", "#8b5a2b", "#5b6472"],
    dark: ["#5eb0ff", "#ffa657", "#56c98a", "#ff7aa8", "#b697ff", "#45cbd2", "#d8a676", "#a9b3c0"],
};

// Channels that say something: not the same number throughout.
const varies = (values) => values.some((x) => x !== values[0]);

function group(title, unit, channels, log = false) {
    const list = channels.filter((c) => c && varies(c.values));
    return list.length > 0 ? [{ title, unit, channels: list, log }] : [];
}

// What there is to plot, in the order of the list.
export function panels(run, contacts) {
    const by = new Map(run.channels.map((c) => [c.name, c]));
    const pick = (...names) => names.map((n) => by.get(n));
    const frames = run.motion.times.length;
    const totals = Array.from({ length: frames }, (_, f) => contacts.totalAt(f));
    const made = (name, unit, values) => ({ name, unit, values });
    const out = [
        ...group("energy", "J", pick("energy.total", "energy.kinetic", "energy.gravity", "energy.spring", "energy.elastic")),
        ...group("where energy went", "J", pick("energy.applied", "energy.drives", "energy.moved", "energy.damped", "energy.friction", "energy.impacts", "energy.remainder")),
        ...group("contact forces", "N", [made("sum of normal forces", "N", totals.map((t) => t.force))]),
        ...group("contact points", "1", [made("that push", "1", totals.map((t) => t.count))]),
        ...group("residuals", "m/s", pick("cert.normal_law", "cert.creep"), true),
        ...group("penetration and gaps", "m", pick("cert.penetration", "cert.gap_error", "cert.drift", "cert.lift_off")),
        ...group("work of the law", "1", pick("cert.iterations", "cert.factorizations", "cert.passes")),
    ];
    const usual = /^(time$|energy\.|cert\.|step\.)/;
    const units = new Map();
    for (const c of run.channels.filter((channel) => !usual.test(channel.name))) {
        units.set(c.unit, [...(units.get(c.unit) ?? []), c]);
    }
    for (const [unit, list] of units) {
        out.unshift(...group(`chosen [${unit}]`, unit, list.slice(0, 24)));
    }
    return out;
}

export class Plot {
    constructor(element, times, seek) {
        this.element = element;
        this.times = Array.from(times, (t) => t - times[0]);
        this.seek = seek;
        this.t = 0;
        this.plot = null;
    }

    draw(panel, theme) {
        this.plot?.destroy();
        const dark = theme === "dark";
        const ink = dark ? "#c9d3df" : "#39424e";
        const lines = dark ? "#2e3743" : "#e1e6ec";
        const positive = (values) => Array.from(values, (x) => (x > 0 ? x : null));
        const axis = { stroke: ink, grid: { stroke: lines, width: 1 }, ticks: { stroke: lines }, font: "11px system-ui" };
        const cursor = (u) => {
            const x = u.valToPos(this.t, "x", true);
            u.ctx.save();
            u.ctx.strokeStyle = dark ? "#ff7a70" : "#d02f2f";
            u.ctx.lineWidth = 1.5 * devicePixelRatio;
            u.ctx.beginPath();
            u.ctx.moveTo(x, u.bbox.top);
            u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
            u.ctx.stroke();
            u.ctx.restore();
        };
        this.plot = new uPlot(
            {
                width: 200,
                height: 100,
                scales: { x: { time: false }, y: panel.log ? { distr: 3 } : {} },
                axes: [axis, { ...axis, label: panel.unit === "1" ? "" : panel.unit, labelSize: 18, size: 62, labelFont: "11px system-ui" }],
                series: [
                    { label: "s" },
                    ...panel.channels.map((c, i) => ({
                        label: c.name,
                        stroke: COLOURS[theme][i % 8],
                        width: 1.5,
                        points: { show: false },
                        value: (_, v) => (v == null ? "–" : v.toPrecision(4)),
                    })),
                ],
                legend: { live: true },
                cursor: { drag: { x: false, y: false } },
                hooks: { draw: [cursor] },
            },
            [this.times, ...panel.channels.map((c) => (panel.log ? positive(c.values) : Array.from(c.values)))],
            this.element,
        );
        this.fit();
        this.plot.over.addEventListener("pointerdown", (event) => {
            const box = this.plot.over.getBoundingClientRect();
            this.seek(this.plot.posToVal(event.clientX - box.left, "x"));
        });
    }

    // The legend takes what it needs, the curves the rest.
    fit() {
        if (!this.plot) {
            return;
        }
        const rect = this.element.getBoundingClientRect();
        const width = Math.max(rect.width, 120);
        this.plot.setSize({ width, height: 80 }); // the legend breaks its lines by the width
        const legend = this.element.querySelector(".u-legend")?.getBoundingClientRect().height ?? 0;
        this.plot.setSize({ width, height: Math.max(rect.height - legend, 80) });
    }

    show(t) {
        this.t = t;
        this.plot?.redraw(false, false);
    }
}
