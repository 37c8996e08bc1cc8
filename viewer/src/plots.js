// Plots over time, with a cursor that goes with the picture.
import uPlot from "uplot";
import { short } from "./dom.js";

export const COLOURS = {
    light: ["#0969c8", "#d4690a", "#15803d", "#c2185b", "#6d3fc4", "#0e8a93", "#8b5a2b", "#5b6472"],
    dark: ["#5eb0ff", "#ffa657", "#56c98a", "#ff7aa8", "#b697ff", "#45cbd2", "#d8a676", "#a9b3c0"],
};

// Labels of a logarithmic axis: powers of ten.
export function powers(_, ticks) {
    return ticks.map((t) => {
        const exponent = Math.log10(t);
        return t > 0 && Math.abs(exponent - Math.round(exponent)) < 1e-6 ? `1e${Math.round(exponent)}` : "";
    });
}

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
    constructor(element, legend, seek) {
        this.element = element;
        this.legend = legend;
        this.seek = seek;
        this.t = 0;
        this.plot = null;
    }

    draw(panel, times, theme) {
        this.plot?.destroy();
        const dark = theme === "dark";
        const ink = dark ? "#c9d3df" : "#39424e";
        const lines = dark ? "#2e3743" : "#e1e6ec";
        this.panel = panel;
        this.fillLegend(theme);
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
                axes: [
                    { ...axis, size: 28, values: (_, ticks) => ticks.map((t, i) => (i === ticks.length - 1 ? `${t} s` : t)) },
                    { ...axis, label: panel.unit === "1" ? "" : panel.unit, labelSize: 18, size: 48, labelFont: "11px system-ui", ...(panel.log ? { values: powers } : {}) },
                ],
                series: [
                    {},
                    ...panel.channels.map((c, i) => ({
                        label: c.name,
                        stroke: COLOURS[theme][(c.colour ?? i) % 8],
                        width: 1.5,
                        points: { show: false },
                    })),
                ],
                legend: { show: false },
                cursor: { drag: { x: false, y: false } },
                hooks: { draw: [cursor] },
            },
            this.columns(times),
            this.element,
        );
        this.fit();
        this.plot.over.addEventListener("pointerdown", (event) => {
            const box = this.plot.over.getBoundingClientRect();
            this.seek(this.plot.posToVal(event.clientX - box.left, "x"));
        });
    }

    // More of the same curves.
    feed(times) {
        this.plot?.setData(this.columns(times));
    }

    columns(times) {
        const { log, channels } = this.panel;
        const positive = (values) => Array.from(values, (x) => (x > 0 ? x : null));
        return [times, ...channels.map((c) => (log ? positive(c.values) : Array.from(c.values)))];
    }

    // What each curve is, and its value at the time that is shown.
    fillLegend(theme) {
        this.legend.replaceChildren();
        this.values = this.panel.channels.map((channel, i) => {
            const row = this.legend.insertRow();
            const name = document.createElement("th");
            name.scope = "row";
            name.textContent = channel.name;
            name.title = channel.name;
            name.style.setProperty("--curve", COLOURS[theme][(channel.colour ?? i) % 8]);
            const value = document.createElement("td");
            row.append(name, value);
            return value;
        });
    }

    fit() {
        const rect = this.element.getBoundingClientRect();
        this.plot?.setSize({ width: Math.max(rect.width, 120), height: Math.max(rect.height, 80) });
    }

    show(t, frame) {
        this.t = t;
        if (!this.plot) {
            return;
        }
        this.plot.redraw(false, false);
        this.panel.channels.forEach((channel, i) => {
            const unit = this.panel.unit === "1" ? "" : ` ${this.panel.unit}`;
            this.values[i].textContent = `${short(channel.at?.(frame) ?? channel.values[frame])}${unit}`;
        });
    }
}
