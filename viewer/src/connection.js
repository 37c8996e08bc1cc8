// The way to the server: a WebSocket that is made again when it is lost.

const FIRST = 500; // [ms] before trying again
const LAST = 8000; // the same, after many times

export class Connection {
    // `on`: text(object), frame(buffer), open(), lost(seconds until the next attempt).
    constructor(token, on) {
        this.token = token;
        this.on = on;
        this.wait = FIRST;
        this.connect();
    }

    get isOpen() {
        return this.socket?.readyState === WebSocket.OPEN;
    }

    connect() {
        clearTimeout(this.timer);
        const socket = new WebSocket(`ws://${location.host}/live?token=${encodeURIComponent(this.token)}`);
        socket.binaryType = "arraybuffer";
        socket.onopen = () => this.on.open();
        socket.onmessage = ({ data }) => {
            this.wait = FIRST;
            if (typeof data === "string") {
                this.on.text(JSON.parse(data));
            } else {
                this.on.frame(data);
            }
        };
        socket.onclose = () => socket === this.socket && this.again();
        this.socket = socket;
    }

    again() {
        this.on.lost(this.wait / 1000);
        this.timer = setTimeout(() => this.retry(), this.wait);
        this.wait = Math.min(2 * this.wait, LAST);
    }

    // A server that was started again has another token, which its page tells.
    async retry() {
        clearTimeout(this.timer);
        try {
            const page = await (await fetch("/", { cache: "no-store", signal: AbortSignal.timeout(3000) })).text();
            this.token = /"token":\s*"(\w+)"/.exec(page)?.[1] ?? this.token;
        } catch {
            this.again();
            return;
        }
        this.connect();
    }

    // False: it is not connected.
    send(message) {
        if (this.isOpen) {
            this.socket.send(JSON.stringify(message));
        }
        return this.isOpen;
    }
}
