// What can be changed while it runs. Everything is asked of the server; what is shown is what it answers.
import { $, element, metric, short } from "./dom.js";

const MARKS = 1000; // of a slider

// A slider with a name, a value in words and a button back to what the file says.
class Slider {
    // `place(value)` and `value(place)`: between values and 0 … 1; `show(value)`: in words.
    constructor(name, { place, value, show, send, own, title }) {
        Object.assign(this, { place, value, show, send, own });
        this.input = element("input", "", { type: "range", min: 0, max: MARKS, step: 1, "aria-label": name });
        this.output = element("output");
        this.back = element("button", "↺", { type: "button", class: "small", title: "Back to what the file says", "aria-label": `${name}: back to what the file says` });
        this.element = element("div", "", { class: "slider", title });
        const label = element("span", name, { class: "name", title: name });
        this.element.append(label, this.output, this.back, this.input);
        this.busy = 0; // until when [ms] what the server says must not move it
        this.sent = 0;
        this.input.addEventListener("input", () => this.moved());
        this.input.addEventListener("change", () => this.deliver());
        this.back.addEventListener("click", () => this.ask(this.own));
    }

    moved() {
        const chosen = this.value(Number(this.input.value) / MARKS);
        this.describe(chosen);
        this.next = chosen;
        this.busy = performance.now() + 600;
        if (!this.timer) {
            this.timer = setTimeout(() => this.deliver(), Math.max(this.sent + 80 - performance.now(), 0));
        }
    }

    deliver() {
        clearTimeout(this.timer);
        this.timer = 0;
        if (this.next !== undefined) {
            this.sent = performance.now();
            this.send(this.next);
            this.next = undefined;
        }
    }

    // By other means than the slider itself.
    ask(value) {
        this.busy = 0;
        this.send(value);
    }

    describe(value) {
        this.output.textContent = this.show(value);
        this.input.setAttribute("aria-valuetext", this.output.textContent);
        this.back.disabled = this.own === undefined || Math.abs(value - this.own) <= 1e-9 * Math.abs(this.own);
    }

    set(value) {
        this.now = value;
        if (performance.now() > this.busy) {
            this.input.value = Math.round(MARKS * this.place(value));
            this.describe(value);
        }
    }
}

const clamp = (x, lo, hi) => Math.min(Math.max(x, lo), hi);

// From `lo` to `hi` by equal factors. Near what the file says it is just that.
function logarithmic(lo, hi, own) {
    const span = Math.log(hi / lo);
    const place = (value) => clamp(Math.log(value / lo) / span, 0, 1);
    return {
        place,
        value: (x) => {
            if (own !== undefined && Math.abs(x - place(own)) < 0.015) {
                return own;
            }
            return clamp(Number((lo * Math.exp(span * x)).toPrecision(3)), lo, hi); // rounded, it may lie outside
        },
        own,
    };
}

const factor = (value) => (value === 1 ? "as in the file" : `× ${short(Number(value.toPrecision(3)))}`);

export class Controls {
    // `send(object)`: to the server; `say(level, text)`: on the page.
    constructor(send, say) {
        this.send = send;
        this.say = say;
        const set = (name) => (value) => send({ do: "set", name, value });
        this.stiffness = new Slider("Stiffness", {
            ...logarithmic(1e-3, 1e3, 1),
            show: factor,
            send: set("stiffness"),
            title: "How hard contacts are, as a factor on what the file says",
        });
        this.friction = new Slider("Friction", {
            ...logarithmic(0.01, 100, 1),
            show: factor,
            send: set("friction"),
            title: "How rough surfaces are, as a factor on what the file says",
        });
        this.motors = [];
        $("law").addEventListener("change", () => this.askLaw($("law").value));
        $("reset").addEventListener("click", () => this.reset());
        $("step").addEventListener("click", () => send({ do: "step" }));
        $("record").addEventListener("click", () => this.record());
        $("motors-zero").addEventListener("click", () => this.motors.forEach((m) => m.ask(m.own)));
    }

    // What a scene has to offer.
    offer({ laws = [], actuators = [], keys = [], step = [1e-4, 0.05] }) {
        this.laws = laws;
        $("law").replaceChildren(...laws.map((l) => element("option", l.name, { value: l.name, title: l.words ?? "" })));
        const [lo, hi] = step;
        const own = Number(Math.sqrt(lo * hi).toPrecision(9)); // the range is as wide on both sides
        this.step = new Slider("Time step", {
            ...logarithmic(lo, hi, own),
            show: (value) => metric(value, "s"),
            send: (value) => this.send({ do: "set", name: "step", value }),
            title: "How much time one step covers: short ones are exact, long ones cheap",
        });
        $("sliders").replaceChildren(this.step.element, this.stiffness.element, this.friction.element);
        const old = $("key").value;
        $("key").replaceChildren(element("option", "start", { value: "" }), ...keys.map((k) => element("option", k, { value: k })));
        $("key").value = keys.includes(old) ? old : "";
        $("key").hidden = keys.length === 0;
        this.motors = actuators.map((a, i) => this.motor(a, i));
        $("motor-list").replaceChildren(...this.motors.map((m) => m.element));
        if (actuators.length !== this.count) {
            this.count = actuators.length;
            $("motors").open = actuators.length <= 6 || innerWidth > 760; // many would fill a phone
        }
        $("motors").hidden = actuators.length === 0;
        $("motor-count").textContent = actuators.length > 1 ? ` (${actuators.length})` : "";
        $("motors-zero").hidden = actuators.length < 2;
        if (this.state) {
            this.show(this.state);
        }
    }

    motor({ name, lo, hi, value, own }, i) {
        const [from, to] = Number.isFinite(lo) && Number.isFinite(hi) && lo < hi ? [lo, hi] : [-1, 1];
        const slider = new Slider(name || `motor ${i}`, {
            place: (x) => clamp((x - from) / (to - from), 0, 1),
            value: (x) => clamp(Number((from + (to - from) * x).toPrecision(4)), from, to),
            show: short,
            send: (x) => this.send({ do: "control", actuator: i, value: x }),
            own: own ?? value,
            title: `${name || `motor ${i}`}: from ${short(from)} to ${short(to)}`,
        });
        slider.set(value ?? 0);
        return slider;
    }

    // What is in force.
    show(state) {
        this.state = state;
        $("law").value = state.law;
        $("law-words").textContent = this.laws?.find((l) => l.name === state.law)?.words ?? "";
        this.step?.set(state.step);
        this.stiffness.set(state.stiffness);
        this.friction.set(state.friction);
        $("record").textContent = state.recording ? "■ Save" : "● Record";
        $("record").dataset.on = Boolean(state.recording);
        $("record").title = state.recording ? "Write what was recorded as a page (c)" : "Record from now on, to a page that anyone can open (c)";
        $("step").disabled = state.running;
    }

    showMotors(values) {
        this.motors.forEach((m, i) => i < values.length && m.set(values[i]));
    }

    askLaw(name) {
        this.send({ do: "law", value: name });
        $("law").value = this.state?.law ?? name; // until the server agrees
    }

    nextLaw(by) {
        const n = this.laws.length;
        const now = this.laws.findIndex((l) => l.name === this.state.law);
        if (n > 0) {
            this.askLaw(this.laws[(now + by + n) % n].name);
        }
    }

    // A notch, on a slider of factors.
    scale(slider, up) {
        const now = slider.now ?? 1;
        const notches = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
        const next = up ? notches.find((x) => x > 1.001 * now) : notches.findLast((x) => x < 0.999 * now);
        if (next !== undefined) {
            slider.ask(next);
        }
    }

    reset() {
        const key = $("key").value;
        this.send(key ? { do: "reset", key } : { do: "reset" });
    }

    record() {
        this.send({ do: "record", on: !this.state?.recording });
    }
}
