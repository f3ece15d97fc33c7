// The official JavaScript client, told what to do by lines of JSON; what it hears it says in lines of JSON.
"use strict";
const readline = require("node:readline");
const { WebSocket } = require("ws");

globalThis.WebSocket = WebSocket;

// What a browser's client asks over, in the little that it uses of it.
globalThis.XMLHttpRequest = class {
    withCredentials = false;
    readyState = 0;
    status = 0;
    responseText = "";
    #headers = {};
    #abort = new AbortController();

    open(method, url) {
        this.method = method;
        this.url = url;
    }

    setRequestHeader(name, value) {
        this.#headers[name] = value;
    }

    getResponseHeader() {
        return null;
    }

    abort() {
        this.#abort.abort();
    }

    async send(body) {
        const settle = (status) => {
            this.status = status;
            this.readyState = 4;
            this.onreadystatechange?.();
        };
        try {
            const init = { method: this.method, headers: this.#headers, body: body ?? undefined, signal: this.#abort.signal };
            const answer = await fetch(this.url, init);
            this.responseText = await answer.text();
            settle(answer.status);
        } catch (error) {
            if (error.name !== "AbortError") settle(0);
        }
    }
};

globalThis.FileReader = class {
    async readAsDataURL(blob) {
        this.result = `data:;base64,${Buffer.from(await blob.arrayBuffer()).toString("base64")}`;
        this.onload();
    }
};

const { io } = require(process.argv[2]);
const say = (...line) => process.stdout.write(JSON.stringify(line, wrap) + "\n");
const wrap = (key, value) => (value instanceof ArrayBuffer ? { base64: Buffer.from(value).toString("base64") } : value);
const unwrap = (key, value) => (value?.base64 !== undefined ? Buffer.from(value.base64, "base64") : value);

let socket;
const commands = {
    connect(url, options) {
        socket = io(url, { reconnectionDelay: 50, reconnectionDelayMax: 200, forceNew: true, ...options });
        socket.on("connect", () => say("connect", { id: socket.id, recovered: socket.recovered }));
        socket.on("connect_error", (error) => say("connect_error", { message: error.message, final: !socket.active }));
        socket.on("disconnect", (reason) => say("disconnect", { reason }));
        socket.onAny((...event) => say("event", ...event));
        socket.on("asked", (...all) => all.pop()("answer", ...all));
        socket.io.on("open", () => {
            say("open", { transport: socket.io.engine.transport.name });
            socket.io.engine.on("upgrade", () => say("upgrade", { transport: socket.io.engine.transport.name }));
        });
    },
    emit: (...event) => socket.emit(...event),
    ask: (...event) => socket.timeout(15000).emit(...event, (error, ...answer) => say("answer", error ? String(error) : null, ...answer)),
    auth: (auth) => (socket.auth = auth),
    // As when a cable is pulled.
    cut: () => socket.io.engine.transport.ws?.terminate() ?? socket.io.engine.close(),
    close: () => socket.disconnect(),
};

readline.createInterface({ input: process.stdin }).on("line", (line) => {
    const [command, ...rest] = JSON.parse(line, unwrap);
    commands[command](...rest);
}).on("close", () => process.exit());
