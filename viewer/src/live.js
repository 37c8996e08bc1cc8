// The page of a simulation that runs: `dashpot view`. What is between page and server is told in docs/live.md.
import { Certificate } from "./certificate.js";
import { Connection } from "./connection.js";
import { Controls } from "./controls.js";
import { load } from "./data.js";
import { $, element } from "./dom.js";
import { Drag } from "./drag.js";
import { Drop } from "./drop.js";
import { decode, firstFrame, History } from "./history.js";
import { Page } from "./page.js";
import { Playback } from "./playback.js";
import { View } from "./view.js";

const EVERY = 200; // [ms] that numbers and plots stay, so that they can be read
const ROUNDED = 1e-9; // [s] that sliders may lose of a time
const STAY = 6000; // [ms] that a note stays

// What makes two scenes look the same.
const looks = (run) => JSON.stringify([run.title, run.bodies, run.geoms, run.joints, run.sites, run.tendons, run.meshes, run.hfields]);

// [N] of all contacts, along their normals.
function sumOfForces({ normal: n, force: f, slips }) {
    return slips.reduce((sum, _, i) => sum + f[0][i] * n[0][i] + f[1][i] * n[1][i] + f[2][i] * n[2][i], 0);
}

export class Live extends Page {
    constructor(token) {
        super();
        this.history = new History();
        this.playback = new Playback();
        this.state = { running: false, speed: 1, clients: 1 };
        this.present = 0; // the time that the picture has come to
        this.past = null; // the one that is looked back to
        this.waiting = null; // messages that came while a scene is unpacked
        this.speeds = [...this.speeds, 0];
        this.certificate = new Certificate();
        const send = (message) => this.send(message);
        const say = (level, text) => this.say(level, text);
        this.controls = new Controls(send, say);
        this.drag = new Drag(this, send);
        this.drop = new Drop(send, say);
        $("loading-words").textContent = "Connecting to dashpot view";
        $("loading-bar").removeAttribute("value");
        $("now").addEventListener("click", () => this.goNow());
        $("retry").addEventListener("click", () => this.connection.retry());
        this.connection = new Connection(token, {
            open: () => this.connected(),
            lost: (seconds) => this.lost(seconds),
            text: (message) => this.receive(message),
            frame: (buffer) => this.receive(buffer),
        });
    }

    send(message) {
        if (!this.connection.send(message)) {
            this.say("error", "Not connected: dashpot view does not answer.");
        }
    }

    connected() {
        $("lost").hidden = true;
        document.body.dataset.connected = "true";
        $("loading-words").textContent = "Waiting for the scene";
    }

    lost(seconds) {
        this.drag.release();
        document.body.dataset.connected = "false";
        $("lost").hidden = false;
        $("lost-words").textContent = `Connection lost: is dashpot view still running? Trying again in ${seconds} s.`;
        this.showClients();
    }

    // In order: what comes while a scene is unpacked waits for it.
    async receive(message) {
        if (this.waiting) {
            this.waiting.push(message);
            return;
        }
        if (message instanceof ArrayBuffer) {
            this.take(decode(message));
        } else if (message.kind !== "scene") {
            this.hear(message);
        } else {
            this.waiting = [];
            try {
                await this.openScene(message);
            } catch (error) {
                this.say("error", `The scene cannot be shown: ${error.message}`);
            } finally {
                const late = this.waiting;
                this.waiting = null;
                late.forEach((m) => this.receive(m));
            }
        }
    }

    hear(message) {
        if (message.kind === "state") {
            this.setState(message);
        } else if (message.kind === "say") {
            this.say(message.level, message.text);
        } else if (message.kind === "saved") {
            this.say("note", `Saved: ${message.file}`);
        }
    }

    // A scene that looks the same was only compiled anew: the picture stays.
    async openScene({ version, run, offer }) {
        const look = looks(run);
        const first = !this.view;
        this.version = version;
        if (first || look !== this.appearance) {
            run.foundations = []; // frames tell no pressures
            await load(run);
            this.appearance = look;
            this.drag.release();
            this.history.clear();
            this.history.push(firstFrame(run));
            this.present = this.history.newest.time;
            this.playback.jump(this.present);
            this.past = null;
            this.offered = offer;
            this.open(run, new View(this.renderer, run, this.history));
            this.view.onShow = () => this.drag.draw();
        }
        this.offered = offer;
        this.controls.offer(offer);
        if (first) {
            this.begin();
            $("loading").hidden = true;
            $("hint").hidden = false;
            const enough = () => ($("hint").hidden = true);
            $("picture").addEventListener("pointerdown", enough, { once: true });
            setTimeout(enough, 20000);
        }
    }

    take(frames) {
        const good = frames.filter((f) => f.version === this.version && f.poses.length === 7 * this.run.bodies.length);
        if (good.length === 0) {
            return;
        }
        const now = performance.now();
        this.playback.hear(good, now);
        const shown = this.playback.at(now);
        good.forEach((frame) => this.history.push(frame, shown));
        if (this.past !== null) {
            this.lookAt(this.past, shown); // it may be gone
        }
        this.fresh = true;
        this.dirty = true;
    }

    setState(state) {
        const went = state.running && !this.state.running;
        this.state = state;
        this.speed = state.speed;
        $("speed").value = state.speed;
        this.showPlaying(state.running);
        this.controls.show(state);
        this.showClients();
        if (went) {
            this.goNow();
        }
        this.fresh = true;
    }

    showClients() {
        const { clients } = this.state;
        const on = document.body.dataset.connected === "true";
        $("link").textContent = on ? (clients > 1 ? `live · ${clients} pages` : "live") : "not connected";
        $("link").title = clients > 1 ? "All these pages show and control the same simulation" : "Connected to dashpot view";
    }

    // --- what is shown

    makePanels() {
        const channel = (name, unit, at) => ({ name, unit, values: [], at: (i) => (this.history.frames[i] ? at(this.history.frames[i]) : NaN) });
        const force = (frame) => (frame.force ??= sumOfForces(frame.contacts));
        const motors = (this.offered.actuators ?? []).slice(0, 24).map((a, i) => channel(a.name || `motor ${i}`, "1", (f) => f.controls[i]));
        return [
            { title: "energy", unit: "J", channels: [channel("total", "J", (f) => f.energy)] },
            { title: "overlap", unit: "m", channels: [channel("deepest", "m", (f) => f.overlap)] },
            { title: "residual and creep", unit: "m/s", log: true, channels: [channel("residual", "m/s", (f) => f.residual), channel("creep", "m/s", (f) => f.creep)] },
            { title: "contact forces", unit: "N", channels: [channel("sum of normal forces", "N", force)] },
            { title: "contact points", unit: "1", channels: [channel("that push", "1", (f) => f.contacts.slips.length)] },
            { title: "work of the law", unit: "1", channels: [channel("iterations", "1", (f) => f.iterations)] },
            { title: "cost of a step", unit: "µs", channels: [channel("cost", "µs", (f) => f.cost)] },
            { title: "real time", unit: "1", channels: [channel("seconds in a second", "1", (f) => f.rate)] },
            ...(motors.length > 0 ? [{ title: "motors", unit: "1", channels: motors }] : []),
        ];
    }

    // What is still to be played is not plotted.
    plotTimes() {
        const times = this.history.times.slice(0, this.view.nearest(this.present) + 1);
        for (const channel of this.panels[Number($("panel").value) || 0].channels) {
            channel.values = times.map((_, i) => channel.at(i));
        }
        return times;
    }

    plotTime() {
        return this.t;
    }

    advance(_, now) {
        if (this.drag.grabbed) {
            this.drag.pull();
            this.dirty = true;
        }
        const present = this.playback.at(now);
        const t = this.past ?? present;
        if (t !== this.t || present !== this.present) {
            this.t = t;
            this.present = present;
            this.fresh = this.dirty = true;
        }
        if (this.fresh && now > (this.shown ?? 0) + EVERY) {
            this.fresh = false;
            this.shown = now;
            this.showNumbers();
        }
    }

    // What must be read, not seen.
    showNumbers() {
        const frame = this.history.frames[this.view.nearest(this.t)];
        if (!frame) {
            return;
        }
        const { thickness } = this.view;
        this.certificate.show(frame, { thickness, step: this.state.step }, this.state);
        if (this.past === null) {
            this.controls.showMotors(frame.controls);
        }
        this.plot.feed(this.plotTimes());
    }

    showTime() {
        const back = this.past === null ? 0 : this.present - this.past;
        $("scrub").min = this.history.times[0] ?? 0;
        $("scrub").max = this.present; // frames that are still to be played are no past
        $("scrub").step = "any"; // so that the right end is that
        $("scrub").value = this.t;
        $("time").textContent = `${this.t.toFixed(3)} s`;
        $("scrub").setAttribute("aria-valuetext", $("time").textContent);
        $("now").hidden = back <= 0;
        document.body.toggleAttribute("data-past", back > 0);
    }

    // --- what is asked for

    playPause() {
        this.send({ do: this.state.running ? "pause" : "run" });
    }

    step() {
        this.goNow();
        this.send({ do: this.state.running ? "pause" : "step" }); // there is no step while it runs
    }

    setSpeed(value) {
        this.send({ do: "speed", value });
        $("speed").value = this.speed; // until the server agrees
    }

    // Look back: the simulation waits meanwhile.
    seek(t) {
        if (this.state.running) {
            this.send({ do: "pause" });
        }
        this.lookAt(t, this.present);
        this.fresh = this.dirty = true;
    }

    // What is shown already is past, and all behind it is now.
    lookAt(t, present) {
        this.past = t >= present - ROUNDED ? null : Math.max(t, this.history.times[0]);
    }

    // One frame to or fro.
    look(by) {
        const { times } = this.history;
        const i = this.view.nearest(this.past ?? this.t) + by;
        this.seek(times[Math.min(Math.max(i, 0), times.length - 1)]);
    }

    goNow() {
        this.past = null;
        this.fresh = this.dirty = true;
    }

    // What is past cannot be changed.
    mayGrab() {
        return this.connection.isOpen && this.past === null;
    }

    grabbing(body) {
        const name = this.run.bodies[body].name || `body ${body}`;
        if (!this.state.running) {
            this.say("note", `Paused: ${name} moves when you press ▶ or the space bar.`);
        }
    }

    hovered(thing) {
        const moves = thing && this.mayGrab() && this.run.bodies[thing.geom.body].tree >= 0;
        $("picture").dataset.hand = moves ? "open" : "";
    }

    keyList() {
        const c = this.controls;
        return [
            [["Space"], "run, pause", { " ": () => this.playPause() }],
            [["."], "one step", { ".": () => this.step() }],
            [["r"], "back to the start", { r: () => c.reset() }],
            [["+", "−"], "faster, slower", { "+": () => this.changeSpeed(1), "-": () => this.changeSpeed(-1) }],
            [["l", "L"], "next law, the one before", { l: () => c.nextLaw(1), L: () => c.nextLaw(-1) }],
            [["k", "K"], "softer, stiffer", { k: () => c.scale(c.stiffness, false), K: () => c.scale(c.stiffness, true) }],
            [["u", "U"], "less, more friction", { u: () => c.scale(c.friction, false), U: () => c.scale(c.friction, true) }],
            [["←", "→"], "look back, frame by frame", { ArrowLeft: () => this.look(-1), ArrowRight: () => this.look(1) }],
            [["Shift", "← → ↑ ↓"], "pull the body that is followed", this.nudges()],
            [["Home", "End"], "as far back as it goes, now", { Home: () => this.seek(-Infinity), End: () => this.goNow() }],
            [["c"], "record, save the recording", { c: () => c.record() }],
            [["o"], "open another scene", { o: () => $("file").click() }],
            [["drag"], "of a body that moves: pull it on a spring", {}],
            [["Esc"], "let go, dismiss messages", { Escape: () => this.dismiss() }],
            ...super.keyList(),
        ];
    }

    nudges() {
        const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
        return Object.fromEntries(Object.entries(way).map(([key, by]) => [`Shift ${key}`, () => this.drag.nudge(...by)]));
    }

    // --- messages

    say(level, text) {
        const error = level === "error";
        const box = element("div", "", { class: "message", role: error ? "alert" : "status" });
        box.dataset.level = error ? "error" : "note";
        const close = element("button", "✕", { type: "button", class: "small", "aria-label": "Dismiss", title: "Dismiss (Esc)" });
        close.addEventListener("click", () => box.remove());
        box.append(element("span", String(text)), close);
        for (const old of [...$("messages").children]) {
            if (old.firstChild.textContent === String(text)) {
                old.remove(); // it is said anew
            }
        }
        $("messages").append(box);
        while ($("messages").children.length > 3) {
            $("messages").firstChild.remove();
        }
        if (!error) {
            setTimeout(() => box.remove(), STAY);
        }
    }

    dismiss() {
        this.drag.release();
        $("messages").replaceChildren();
        $("hint").hidden = true;
    }
}
