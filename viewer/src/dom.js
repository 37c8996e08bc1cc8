// Elements and numbers as texts. Texts of a scene only ever become text, never markup.
export const $ = (id) => document.getElementById(id);

export function element(tag, text = "", attributes = {}) {
    const e = document.createElement(tag);
    e.textContent = text;
    for (const [name, value] of Object.entries(attributes)) {
        e.setAttribute(name, value);
    }
    return e;
}

// Four digits.
export function short(x) {
    if (!Number.isFinite(x)) {
        return "–";
    }
    const large = Math.abs(x);
    return large === 0 || (large >= 1e-3 && large < 1e6) ? String(Number(x.toPrecision(4))) : x.toExponential(2);
}

const PREFIXES = [
    [1e3, "k"],
    [1, ""],
    [1e-3, "m"],
    [1e-6, "µ"],
    [1e-9, "n"],
];

// Three digits and a prefix: 0.0012 m is 1.2 mm. Below a nano it is 0.
export function metric(x, unit) {
    if (!Number.isFinite(x)) {
        return "–";
    }
    const large = Math.abs(x);
    if (large >= 1e6) {
        return `${x.toExponential(1)} ${unit}`;
    }
    const [scale, prefix] = PREFIXES.find(([s]) => large >= s) ?? [1, ""];
    return `${large < 1e-9 ? 0 : Number((x / scale).toPrecision(3))} ${prefix}${unit}`;
}
