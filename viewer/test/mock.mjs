// A server that speaks as `dashpot view` does and simulates nothing, to be interrupted and to say what the
// real one never would. What a page sends is in `received`.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { root } from "../browser.mjs";

const TOKEN = "0123456789abcdef";

// The data of a replay, to be the scene.
export function dataOf(replay) {
    return JSON.parse(/<script id="run"[^>]*>(.*?)<\/script>/s.exec(readFileSync(replay, "utf8"))[1]);
}

// A message in one piece, as servers send them: without a mask.
function pack(data) {
    const body = typeof data === "string" ? Buffer.from(data) : data;
    const small = body.length < 126 ? body.length : body.length < 65536 ? 126 : 127;
    const head = Buffer.alloc(small < 126 ? 2 : small === 126 ? 4 : 10);
    head[0] = typeof data === "string" ? 0x81 : 0x82;
    head[1] = small;
    if (small === 126) {
        head.writeUInt16BE(body.length, 2);
    } else if (small === 127) {
        head.writeBigUInt64BE(BigInt(body.length), 2);
    }
    return Buffer.concat([head, body]);
}

// Texts of a client, from the bytes that came; what is left of them.
function unpack(bytes, take) {
    for (;;) {
        if (bytes.length < 6) {
            return bytes;
        }
        const small = bytes[1] & 127;
        const [length, at] = small === 126 ? [bytes.readUInt16BE(2), 4] : small === 127 ? [Number(bytes.readBigUInt64BE(2)), 10] : [small, 2];
        if (bytes.length < at + 4 + length) {
            return bytes;
        }
        const mask = bytes.subarray(at, at + 4);
        const text = Buffer.from(bytes.subarray(at + 4, at + 4 + length).map((x, i) => x ^ mask[i % 4]));
        take(bytes[0] & 15, text.toString());
        bytes = bytes.subarray(at + 4 + length);
    }
}

// A frame of bodies at their places: x y z, w x y z of each.
export function frame({ version = 1, time = 0, running = true, solved = true, bodies, contacts = [], numbers = [1, 200, 1e-9, 1e-6, 1e-6, 5, 1, 0.01], controls = [] }) {
    const slips = 4 * Math.ceil(contacts.length / 4);
    const out = Buffer.alloc(64 + 28 * bodies.length + 48 * contacts.length + slips + 4 * controls.length);
    [0x46504431, version, (running ? 1 : 0) + (solved ? 2 : 0), bodies.length, contacts.length, controls.length].forEach((x, i) => out.writeUInt32LE(x, 4 * i));
    out.writeDoubleLE(time, 24);
    let at = 32;
    const put = (x) => (at = out.writeFloatLE(x, at));
    [...numbers, ...bodies.flat(), ...contacts.flat()].forEach(put);
    at += slips;
    controls.forEach(put);
    return out;
}

export class Mock {
    constructor(run, offer = {}) {
        this.run = run;
        this.offer = { laws: [{ name: "ncp", words: "rigid" }, { name: "compliant", words: "springs" }], actuators: [], keys: [], step: [1e-4, 0.02], ...offer };
        this.state = { kind: "state", running: true, speed: 1, law: "ncp", step: 0.002, stiffness: 1, friction: 1, recording: false, clients: 1 };
        this.sockets = new Set();
        this.received = [];
        this.refuses = false;
    }

    async start(port = 0) {
        this.server = createServer((_, answer) => {
            const page = readFileSync(`${root}/viewer/dist/page.html`, "utf8");
            answer.setHeader("Content-Type", "text/html; charset=utf-8");
            answer.end(page.replace("@DASHPOT_DATA@", JSON.stringify({ live: true, token: TOKEN })));
        });
        this.server.on("connection", (socket) => this.refuses && socket.destroy());
        this.server.on("upgrade", (request, socket) => this.welcome(request, socket));
        await new Promise((done) => this.server.listen(port, "127.0.0.1", done));
        this.port = this.server.address().port;
        this.address = `http://127.0.0.1:${this.port}/`;
        return this;
    }

    welcome(request, socket) {
        if (new URL(request.url, this.address).searchParams.get("token") !== TOKEN) {
            socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
            return;
        }
        const accept = createHash("sha1").update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
        socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
        this.sockets.add(socket);
        let rest = Buffer.alloc(0);
        socket.on("data", (bytes) => {
            rest = unpack(Buffer.concat([rest, bytes]), (kind, text) => (kind === 1 ? this.received.push(JSON.parse(text)) : kind === 8 && socket.end()));
        });
        socket.on("close", () => this.sockets.delete(socket));
        socket.on("error", () => {});
        this.tell({ kind: "scene", version: 1, run: this.run, control: {}, offer: this.offer });
        this.tell(this.state);
    }

    tell(message) {
        const bytes = pack(Buffer.isBuffer(message) ? message : JSON.stringify(message));
        this.sockets.forEach((s) => s.write(bytes));
    }

    // End every connection, and take no other until `back()`.
    drop() {
        this.refuses = true;
        this.sockets.forEach((s) => s.destroy());
        this.server.closeAllConnections();
    }

    back() {
        this.refuses = false;
    }

    stop() {
        this.drop();
        this.server.close();
    }
}
