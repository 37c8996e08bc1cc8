// Pulling bodies, with the pointer or by keys: a body follows on a spring. Where the pointer hits no body that
// moves, and with the shift key, the picture turns.
import { MOUSE, Vector3 } from "three";
import { $ } from "./dom.js";

export class Drag {
    constructor(page, send) {
        this.page = page;
        this.send = send;
        // body; at: the point in its frame; point: where it was; to: where it should be; and of a pointer
        // which one it is, and its place in the picture.
        this.grabbed = null;
        const stage = $("stage");
        // Before the camera sees it.
        stage.addEventListener("pointerdown", (event) => this.down(event), true);
        stage.addEventListener("pointermove", (event) => this.move(event), true);
        for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
            stage.addEventListener(name, (event) => this.up(event), true);
        }
        addEventListener("keyup", (event) => event.key === "Shift" && this.grabbed?.pointer === null && this.release());
    }

    // Take hold of a body at a point of the world.
    grab(body, point, pointer, place) {
        const { position, rotation } = this.page.view.poses;
        const at = point.clone().sub(position[body]).applyQuaternion(rotation[body].clone().invert());
        this.grabbed = { body, at, point, to: point.clone(), pointer, place };
        this.send({ do: "grab", body, at: at.toArray() });
        this.page.grabbing(body);
    }

    down(event) {
        const { view, run } = this.page;
        if (!view || event.target !== $("picture") || this.grabbed) {
            return;
        }
        // The camera moves the picture with the shift key; turning it is the more useful.
        view.controls.mouseButtons.LEFT = event.shiftKey ? MOUSE.PAN : MOUSE.ROTATE;
        if (event.button !== 0 || event.shiftKey || event.ctrlKey || event.metaKey || !this.page.mayGrab()) {
            return;
        }
        const place = this.page.place(event);
        const hit = view.pick(place.right, place.up);
        if (!hit || run.bodies[hit.geom.body].tree < 0) {
            return;
        }
        view.controls.enabled = false;
        $("picture").setPointerCapture(event.pointerId);
        $("picture").dataset.hand = "closed";
        $("tip").hidden = true;
        this.grab(hit.geom.body, hit.point, event.pointerId, place);
    }

    // By keys: to the right and up, as the picture is. The body is the one that is followed; letting go of
    // the shift key lets go of it.
    nudge(right, up) {
        const { view, run } = this.page;
        const body = view.followed;
        if (body < 0 || run.bodies[body].tree < 0) {
            this.page.say("note", "Choose a body to follow (f); then the arrows with the shift key pull it.");
            return;
        }
        if (!this.grabbed) {
            this.grab(body, view.centreOf(body), null, null);
        }
        const { to } = this.grabbed;
        to.add(new Vector3(right, up, 0).applyQuaternion(view.camera.quaternion).multiplyScalar(0.04 * view.size));
        this.send({ do: "pull", to: to.toArray() });
    }

    move(event) {
        if (this.grabbed?.pointer === event.pointerId) {
            this.grabbed.place = this.page.place(event);
        }
    }

    // Where the pointer is, once for each picture: the camera may have moved, too.
    pull() {
        const { view } = this.page;
        const { place, point, to } = this.grabbed;
        const now = place && view.across(place.right, place.up, point);
        if (now && !now.equals(to)) {
            to.copy(now);
            this.send({ do: "pull", to: to.toArray() });
        }
    }

    // The spring, in the picture.
    draw() {
        const { view } = this.page;
        if (!this.grabbed) {
            view.showPull();
            return;
        }
        const { body, at, to } = this.grabbed;
        view.showPull(at.clone().applyQuaternion(view.poses.rotation[body]).add(view.poses.position[body]), to);
    }

    up(event) {
        if (this.grabbed?.pointer === event.pointerId) {
            this.release();
        }
    }

    release() {
        if (!this.grabbed) {
            return;
        }
        const { pointer } = this.grabbed;
        this.grabbed = null;
        this.send({ do: "release" });
        this.page.view.controls.enabled = true;
        delete $("picture").dataset.hand;
        if (pointer !== null && $("picture").hasPointerCapture(pointer)) {
            $("picture").releasePointerCapture(pointer);
        }
        this.page.dirty = true;
    }
}
