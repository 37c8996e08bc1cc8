// The page: time, toggles, panels, keys. Texts of the run only ever become text, never markup.
import uplotStyle from "uplot/dist/uPlot.min.css";
import style from "./style.css";
import { load } from "./data.js";
import { Plot, panels } from "./plots.js";
import { View } from "./view.js";

const $ = (id) => document.getElementById(id);

function element(tag, text, attributes = {}) {
    const e = document.createElement(tag);
    e.textContent = text;
    for (const [name, value] of Object.entries(attributes)) {
        e.setAttribute(name, value);
    }
    return e;
}

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];

class Page {
    constructor(run) {
        this.run = run;
        this.t = 0;
        this.playing = false;
        this.speed = 1;
        this.dirty = true;
        this.view = new View($("picture"), run);
        this.view.onChange = () => (this.dirty = true);
        this.plot = new Plot($("plot"), $("legend"), run.motion.times, (t) => this.seek(t));
        this.panels = panels(run, this.view.contacts);
        this.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
        document.title = `${run.title} – Dashpot`;
        $("title").textContent = run.title;
        this.fillFacts();
        this.fillToggles();
        this.fillLists();
        this.listen();
        this.setTheme(this.theme);
        this.resize();
        requestAnimationFrame((now) => this.tick(now, now));
    }

    get duration() {
        return this.view.poses.duration;
    }

    fillFacts() {
        for (const [name, value] of this.run.facts) {
            const row = document.createElement("tr");
            row.append(element("th", name, { scope: "row" }), element("td", value));
            $("facts").append(row);
        }
        const every = this.run.contacts.every;
        if (every > 1) {
            const row = document.createElement("tr");
            row.append(element("th", "contacts shown", { scope: "row" }), element("td", `of every ${every}th frame: there are too many for one page`));
            $("facts").append(row);
        }
    }

    fillToggles() {
        const { contacts, joints, masses, pressures, shapes, sites } = this.view;
        const has = this.run.contacts.gap.length > 0;
        const see = (object) => (on) => (object.visible = on);
        this.toggles = [
            { name: "Contact points", key: "1", set: see(contacts.points), any: has },
            { name: "Normals", key: "2", set: see(contacts.normals), any: has },
            { name: "Forces", key: "3", set: see(contacts.forces), any: has },
            { name: "Stick or slip by colour", key: "4", set: (on) => (contacts.coloured = on), on: true, any: has },
            { name: "Penetration", key: "5", set: see(contacts.depths), any: contacts.deepest > 0 },
            { name: "Joint axes", key: "6", set: see(joints), any: joints.list.length > 0 },
            { name: "Inertia boxes", key: "7", set: see(masses.boxes), any: masses.list.length > 0 },
            { name: "Centres of mass", key: "8", set: see(masses.centres), any: masses.list.length > 0 },
            { name: "Collision shapes as wires", key: "9", set: (on) => shapes.setWires(on), any: true },
            { name: "Sites", key: "i", set: see(sites.dots), any: this.run.sites.length > 0 },
            { name: "Pressure", key: "0", set: see(pressures), any: this.run.foundations.length > 0, on: this.run.foundations.length > 0 },
        ].filter((t) => t.any);
        for (const toggle of this.toggles) {
            const box = element("input", "", { type: "checkbox", "aria-keyshortcuts": toggle.key });
            box.checked = Boolean(toggle.on);
            toggle.set(box.checked);
            box.addEventListener("change", () => {
                toggle.set(box.checked);
                this.dirty = true;
            });
            toggle.box = box;
            const label = element("label", "");
            label.append(box, element("span", toggle.name), element("kbd", toggle.key));
            $("toggles").append(label);
        }
    }

    fillLists() {
        this.run.bodies.forEach((b, i) => {
            if (i > 0 && b.tree >= 0) {
                $("follow").append(element("option", b.name || `body ${i}`, { value: i }));
            }
        });
        for (const speed of SPEEDS) {
            $("speed").append(element("option", `${speed}×`, { value: speed }));
        }
        $("speed").value = 1;
        this.panels.forEach((p, i) => $("panel").append(element("option", p.title, { value: i })));
        $("plots").hidden = this.panels.length === 0;
        $("scrub").max = this.duration;
        $("scrub").step = this.duration / 10000 || 1;
    }

    listen() {
        $("play").addEventListener("click", () => this.play(!this.playing));
        $("scrub").addEventListener("input", () => this.seek(Number($("scrub").value)));
        $("speed").addEventListener("change", () => (this.speed = Number($("speed").value)));
        $("follow").addEventListener("change", () => this.view.follow(Number($("follow").value)));
        $("panel").addEventListener("change", () => this.drawPlot());
        $("theme").addEventListener("click", () => this.setTheme(this.theme === "dark" ? "light" : "dark"));
        $("home").addEventListener("click", () => this.goHome());
        $("png").addEventListener("click", () => this.savePicture());
        $("video").addEventListener("click", () => this.saveVideo());
        $("help").addEventListener("click", () => $("keys").showModal());
        $("side-toggle").addEventListener("click", () => this.toggleSide());
        new ResizeObserver(() => this.resize()).observe($("stage"));
        new ResizeObserver(() => this.plot.fit()).observe($("plot"));
        $("picture").addEventListener("pointermove", (event) => this.hover(event));
        $("picture").addEventListener("pointerleave", () => ($("tip").hidden = true));
        addEventListener("keydown", (event) => this.key(event));
    }

    key(event) {
        if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("select, dialog, input[type=range]")) {
            return;
        }
        const frame = this.duration / Math.max(this.run.motion.times.length - 1, 1);
        const actions = {
            " ": () => this.play(!this.playing),
            ArrowLeft: () => this.seek(this.t - frame),
            ArrowRight: () => this.seek(this.t + frame),
            Home: () => this.seek(0),
            End: () => this.seek(this.duration),
            "+": () => this.changeSpeed(1),
            "-": () => this.changeSpeed(-1),
            f: () => $("follow").focus(),
            h: () => this.goHome(),
            t: () => $("theme").click(),
            p: () => $("panel").focus(),
            s: () => this.savePicture(),
            v: () => this.saveVideo(),
            m: () => this.toggleSide(),
            "?": () => $("keys").showModal(),
        };
        const toggle = this.toggles.find((x) => x.key === event.key);
        if (event.key === " " && event.target.closest?.("button, input")) {
            return; // it presses that
        }
        if (toggle) {
            toggle.box.click();
        } else if (actions[event.key]) {
            actions[event.key]();
        } else {
            return;
        }
        event.preventDefault();
    }

    changeSpeed(by) {
        const i = Math.min(Math.max(SPEEDS.indexOf(this.speed) + by, 0), SPEEDS.length - 1);
        this.speed = SPEEDS[i];
        $("speed").value = this.speed;
    }

    toggleSide() {
        const hidden = $("side").toggleAttribute("hidden");
        $("side-toggle").setAttribute("aria-expanded", String(!hidden));
        this.resize();
    }

    play(on) {
        if (on && this.t >= this.duration) {
            this.t = 0;
        }
        this.playing = on;
        $("play").textContent = on ? "❚❚" : "▶";
        $("play").setAttribute("aria-label", on ? "Pause" : "Play");
        this.dirty = true;
    }

    seek(t) {
        this.t = Math.min(Math.max(t, 0), this.duration);
        this.dirty = true;
    }

    goHome() {
        this.view.home();
        this.dirty = true;
    }

    setTheme(name) {
        this.theme = name;
        document.documentElement.dataset.theme = name;
        this.view.setTheme(name);
        this.drawPlot();
        this.dirty = true;
    }

    drawPlot() {
        if (this.panels.length > 0) {
            this.plot.draw(this.panels[Number($("panel").value) || 0], this.theme);
            this.plot.show(this.t, this.view.nearest(this.t));
        }
    }

    resize() {
        const rect = $("stage").getBoundingClientRect();
        this.view.resize(Math.max(rect.width, 1), Math.max(rect.height, 1));
        this.plot.fit();
        this.dirty = true;
    }

    hover(event) {
        if (event.buttons !== 0) {
            return;
        }
        const box = $("picture").getBoundingClientRect();
        const x = event.clientX - box.left;
        const y = event.clientY - box.top;
        const name = this.view.nameAt((2 * x) / box.width - 1, 1 - (2 * y) / box.height);
        $("tip").hidden = name === "";
        $("tip").textContent = name;
        const width = $("tip").offsetWidth;
        $("tip").style.left = `${Math.max(Math.min(x + 14, box.width - width - 4), 4)}px`;
        $("tip").style.top = `${Math.min(y + 14, box.height - 30)}px`;
    }

    save(blob, ending) {
        const link = document.createElement("a");
        link.href = URL.createObjectURL(blob);
        link.download = `${this.run.title.replace(/[^\w-]+/g, "_") || "dashpot"}.${ending}`;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    }

    savePicture() {
        this.view.show(this.t);
        $("picture").toBlob((blob) => this.save(blob, "png"));
    }

    // The run from the start at the present speed, for up to 20 s.
    saveVideo() {
        if (this.recording) {
            this.recording.stop();
            return;
        }
        if (!$("picture").captureStream || !window.MediaRecorder) {
            $("say").textContent = "This browser records no video.";
            return;
        }
        const parts = [];
        this.recording = new MediaRecorder($("picture").captureStream(30), { videoBitsPerSecond: 8e6 });
        this.recording.ondataavailable = (event) => parts.push(event.data);
        this.recording.onstop = () => {
            this.save(new Blob(parts, { type: "video/webm" }), "webm");
            this.recording = null;
            $("video").textContent = "● Video";
        };
        $("video").textContent = "■ Stop";
        this.recording.start();
        this.seek(0);
        this.play(true);
        setTimeout(() => this.recording?.state === "recording" && this.recording.stop(), 20000);
    }

    tick(now, last) {
        if (this.playing) {
            this.t += (this.speed * Math.min(now - last, 100)) / 1000;
            if (this.t >= this.duration) {
                this.t = this.duration;
                this.play(false);
                this.recording?.stop();
            }
            this.dirty = true;
        }
        if (this.dirty) {
            this.dirty = false;
            this.view.show(this.t);
            this.plot.show(this.t, this.view.nearest(this.t));
            $("scrub").value = this.t;
            $("time").textContent = `${(this.run.motion.times[0] + this.t).toFixed(3)} s`;
            $("scrub").setAttribute("aria-valuetext", $("time").textContent);
        }
        requestAnimationFrame((next) => this.tick(next, now));
    }
}

document.head.append(element("style", uplotStyle + style));
load($("run").textContent).then(
    (run) => {
        window.dashpot = new Page(run); // for tests and the curious
        $("say").textContent = "";
    },
    (error) => {
        $("say").textContent = `This page cannot be shown: ${error.message}`;
        throw error;
    },
);
