// What the page of a replay and the live page share: the picture, what it shows, plots, keys.
import { $, element } from "./dom.js";
import { Plot } from "./plots.js";
import { View, makeRenderer } from "./view.js";

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];

export class Page {
    constructor() {
        this.t = 0; // [s] what is shown
        this.speed = 1;
        this.speeds = SPEEDS;
        this.dirty = true;
        this.renderer = makeRenderer($("picture"));
        this.plot = new Plot($("plot"), $("legend"), (t) => this.seek(t));
        this.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
        document.documentElement.dataset.theme = this.theme;
    }

    // Once there is a scene.
    begin() {
        this.fillSpeeds();
        this.fillKeys();
        this.listen();
        requestAnimationFrame((now) => this.tick(now, now));
    }

    // Show this scene, in place of the one before.
    open(run, view = new View(this.renderer, run)) {
        this.view?.dispose();
        this.run = run;
        this.view = view;
        view.onChange = () => (this.dirty = true);
        document.title = `${run.title} – Dashpot`;
        $("title").textContent = run.title;
        $("title").title = run.title;
        this.panels = this.makePanels();
        this.fillFacts();
        this.fillToggles();
        this.fillFollow();
        this.fillPanels();
        this.setTheme(this.theme);
        this.resize();
    }

    get duration() {
        return this.view.poses.duration;
    }

    // How many seconds there are between two frames, about.
    get frameTime() {
        return this.duration / Math.max(this.view.poses.frames - 1, 1);
    }

    fillFacts() {
        const facts = [...this.run.facts];
        const every = this.run.contacts.every;
        if (every > 1) {
            facts.push(["contacts shown", `of every ${every}th frame: there are too many for one page`]);
        }
        $("facts").replaceChildren();
        for (const [name, value] of facts) {
            const row = $("facts").insertRow();
            row.append(element("th", name, { scope: "row" }), element("td", value));
        }
        $("facts-head").hidden = facts.length === 0;
    }

    // What can be shown and hidden; `any`: whether this scene has it.
    listToggles() {
        const { contacts, joints, masses, pressures, shapes, sites } = this.view;
        const see = (object) => (on) => (object.visible = on);
        return [
            { name: "Contact points", key: "1", set: see(contacts.points), any: contacts.any },
            { name: "Normals", key: "2", set: see(contacts.normals), any: contacts.any },
            { name: "Forces", key: "3", set: see(contacts.forces), any: contacts.any },
            { name: "Stick or slip by colour", key: "4", set: (on) => (contacts.coloured = on), on: true, any: contacts.any },
            { name: "Penetration", key: "5", set: see(contacts.depths), any: contacts.any && contacts.deepest > 0 },
            { name: "Joint axes", key: "6", set: see(joints), any: joints.list.length > 0 },
            { name: "Inertia boxes", key: "7", set: see(masses.boxes), any: masses.list.length > 0 },
            { name: "Centres of mass", key: "8", set: see(masses.centres), any: masses.list.length > 0 },
            { name: "Collision shapes as wires", key: "9", set: (on) => shapes.setWires(on), any: true },
            { name: "Sites", key: "i", set: see(sites.dots), any: this.run.sites.length > 0 },
            { name: "Pressure", key: "0", set: see(pressures), any: this.run.foundations.length > 0, on: this.run.foundations.length > 0 },
        ].filter((t) => t.any);
    }

    // A scene that replaces another shows what that did.
    fillToggles() {
        const chosen = new Map((this.toggles ?? []).map((t) => [t.name, t.box.checked]));
        this.toggles = this.listToggles();
        $("toggles").replaceChildren();
        for (const toggle of this.toggles) {
            const box = element("input", "", { type: "checkbox", "aria-keyshortcuts": toggle.key });
            box.checked = chosen.get(toggle.name) ?? Boolean(toggle.on);
            toggle.set(box.checked);
            box.addEventListener("change", () => {
                toggle.set(box.checked);
                this.dirty = true;
            });
            toggle.box = box;
            const label = element("label");
            label.append(box, element("span", toggle.name), element("kbd", toggle.key));
            $("toggles").append(label);
        }
    }

    fillFollow() {
        $("follow").replaceChildren(element("option", "no body", { value: -1 }));
        this.run.bodies.forEach((b, i) => {
            if (i > 0 && b.tree >= 0) {
                $("follow").append(element("option", b.name || `body ${i}`, { value: i }));
            }
        });
    }

    fillPanels() {
        const title = $("panel").selectedOptions[0]?.textContent;
        $("panel").replaceChildren(...this.panels.map((p, i) => element("option", p.title, { value: i })));
        $("panel").value = Math.max(this.panels.findIndex((p) => p.title === title), 0);
        $("plots").hidden = this.panels.length === 0;
    }

    fillSpeeds() {
        for (const speed of this.speeds) {
            $("speed").append(element("option", speed === 0 ? "fastest" : `${speed}×`, { value: speed }));
        }
        $("speed").value = this.speed;
    }

    listen() {
        $("play").addEventListener("click", () => this.playPause());
        $("scrub").addEventListener("input", () => this.seek(Number($("scrub").value)));
        $("speed").addEventListener("change", () => this.setSpeed(Number($("speed").value)));
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
        this.leaveAfterPointer();
    }

    // What the pointer has pressed or changed does not keep the keys, so that the space bar means what it
    // says. Who goes from one thing to the next by keys stays there.
    leaveAfterPointer() {
        let pointer = false;
        const note = (on) => () => (pointer = on);
        addEventListener("pointerdown", note(true), true);
        addEventListener("keydown", note(false), true);
        addEventListener("change", (event) => pointer && event.target.blur?.());
        addEventListener("click", (event) => event.detail > 0 && event.target.closest?.("button, summary")?.blur());
    }

    // What the keys do. An entry: the keys as they are shown, what they do in words, and by the
    // names that events give to keys what is to be done.
    keyList() {
        return [
            [["drag"], "turn the picture", {}],
            [["Shift", "drag"], "move it; so does the right button", {}],
            [["wheel"], "nearer, farther", {}],
            [["0", "…", "9", "i"], "show and hide, as in the panel", {}],
            [["f"], "choose a body to follow", { f: () => $("follow").focus() }],
            [["h"], "the whole scene", { h: () => this.goHome() }],
            [["p"], "choose a plot", { p: () => $("panel").focus() }],
            [["t"], "light or dark", { t: () => $("theme").click() }],
            [["s"], "save a picture", { s: () => this.savePicture() }],
            [["v"], "save a video, or stop it", { v: () => this.saveVideo() }],
            [["m"], "show or hide the panel", { m: () => this.toggleSide() }],
            [["?"], "this list", { "?": () => $("keys").showModal() }],
        ];
    }

    fillKeys() {
        this.actions = {};
        for (const [keys, words, actions] of this.keyList()) {
            const name = element("dt");
            name.append(...keys.flatMap((k) => [k === "…" ? k : element("kbd", k), " "]));
            $("key-list").append(name, element("dd", words));
            Object.assign(this.actions, actions);
        }
    }

    key(event) {
        const inside = (what) => event.target.closest?.(what);
        if (event.ctrlKey || event.metaKey || event.altKey || inside("select, dialog")) {
            return;
        }
        if (event.key === " " ? inside("button, input[type=checkbox], summary") : inside("input[type=range]") && /^(Arrow|Home|End|Page)/.test(event.key)) {
            return; // it presses or moves that
        }
        const toggle = this.toggles.find((x) => x.key === event.key);
        const action = (event.shiftKey && this.actions[`Shift ${event.key}`]) || this.actions[event.key];
        if (toggle) {
            toggle.box.click();
        } else if (action) {
            action();
        } else {
            return;
        }
        event.preventDefault();
    }

    setSpeed(speed) {
        this.speed = speed;
        $("speed").value = speed;
    }

    changeSpeed(by) {
        const i = this.speeds.indexOf(this.speed) + by;
        this.setSpeed(this.speeds[Math.min(Math.max(i, 0), this.speeds.length - 1)]);
    }

    toggleSide() {
        const hidden = $("side").toggleAttribute("hidden");
        $("side-toggle").setAttribute("aria-expanded", String(!hidden));
        this.resize();
    }

    showPlaying(on) {
        $("play").textContent = on ? "❚❚" : "▶";
        $("play").setAttribute("aria-label", on ? "Pause" : "Play");
        $("play").title = on ? "Pause (space)" : "Play (space)";
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
            this.plot.draw(this.panels[Number($("panel").value) || 0], this.plotTimes(), this.theme);
            this.plot.show(this.plotTime(), this.view.nearest(this.t));
        }
    }

    resize() {
        const rect = $("stage").getBoundingClientRect();
        this.view.resize(Math.max(rect.width, 1), Math.max(rect.height, 1));
        this.plot.fit();
        this.dirty = true;
    }

    // Where an event is in the picture: in pixels, and −1 … 1 each way.
    place(event) {
        const box = $("picture").getBoundingClientRect();
        const x = event.clientX - box.left;
        const y = event.clientY - box.top;
        return { x, y, box, right: (2 * x) / box.width - 1, up: 1 - (2 * y) / box.height };
    }

    hover(event) {
        if (event.buttons !== 0) {
            return;
        }
        const { x, y, box, right, up } = this.place(event);
        const thing = this.view.pick(right, up);
        this.hovered(thing);
        $("tip").hidden = !thing;
        $("tip").textContent = thing ? this.view.nameOf(thing) : "";
        const width = $("tip").offsetWidth;
        $("tip").style.left = `${Math.max(Math.min(x + 14, box.width - width - 4), 4)}px`;
        $("tip").style.top = `${Math.min(y + 14, box.height - 30)}px`;
    }

    hovered() {}

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

    // For up to 20 s.
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
        this.beginVideo();
        setTimeout(() => this.recording?.state === "recording" && this.recording.stop(), 20000);
    }

    beginVideo() {}

    tick(now, last) {
        this.advance((now - last) / 1000, now);
        if (this.dirty) {
            this.dirty = false;
            this.draw();
        }
        requestAnimationFrame((next) => this.tick(next, now));
    }

    draw() {
        this.view.show(this.t);
        this.plot.show(this.plotTime(), this.view.nearest(this.t));
        this.showTime();
    }
}
