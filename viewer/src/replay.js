// The page of a run that is over: its time goes to and fro.
import { $ } from "./dom.js";
import { Page } from "./page.js";
import { panels } from "./plots.js";

export class Replay extends Page {
    constructor(run) {
        super();
        this.playing = false;
        this.open(run);
        $("scrub").max = this.duration;
        $("scrub").step = this.duration / 10000 || 1;
        $("begin").hidden = this.duration === 0;
        $("begin").addEventListener("click", () => this.play(true));
        this.begin();
    }

    makePanels() {
        return panels(this.run, this.view.contacts);
    }

    plotTimes() {
        const { times } = this.run.motion;
        return Array.from(times, (t) => t - times[0]);
    }

    plotTime() {
        return this.t;
    }

    keyList() {
        return [
            [["Space"], "play, pause", { " ": () => this.playPause() }],
            [["←", "→"], "frame by frame", { ArrowLeft: () => this.seek(this.t - this.frameTime), ArrowRight: () => this.seek(this.t + this.frameTime) }],
            [["Home", "End"], "first, last", { Home: () => this.seek(0), End: () => this.seek(this.duration) }],
            [["+", "−"], "faster, slower", { "+": () => this.changeSpeed(1), "-": () => this.changeSpeed(-1) }],
            ...super.keyList(),
        ];
    }

    playPause() {
        this.play(!this.playing);
    }

    play(on) {
        if (on && this.t >= this.duration) {
            this.t = 0;
        }
        this.playing = on;
        this.showPlaying(on);
        $("begin").hidden = true;
        this.dirty = true;
    }

    seek(t) {
        this.t = Math.min(Math.max(t, 0), this.duration);
        $("begin").hidden = true;
        this.dirty = true;
    }

    // From the start, at the present speed.
    beginVideo() {
        this.seek(0);
        this.play(true);
    }

    advance(seconds) {
        if (!this.playing) {
            return;
        }
        this.t += this.speed * Math.min(seconds, 0.1);
        if (this.t >= this.duration) {
            this.t = this.duration;
            this.play(false);
            this.recording?.stop();
        }
        this.dirty = true;
    }

    showTime() {
        $("scrub").value = this.t;
        $("time").textContent = `${(this.run.motion.times[0] + this.t).toFixed(3)} s`;
        $("scrub").setAttribute("aria-valuetext", $("time").textContent);
    }
}
