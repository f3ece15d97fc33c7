// A peer on Node with rooms, a relay and a broadcast. sio-node.cjs PORT [FOLDER]
//
// With FOLDER, the socket.io module there. Without it what Debian has of socket.io: its parser, over `ws`, and rooms that are
// sets. That does less than socket.io (no adapters, no middleware, no polling), and nothing of the wire is another.
const [port, folder] = [Number(process.argv[2]), process.argv[3]];
if (folder) serveSocketIO(require(folder).Server);
else serveParser(require("ws").WebSocketServer, require("socket.io-parser"));

function serveSocketIO(Server) {
    const io = new Server(port, { transports: ["websocket"], perMessageDeflate: false });
    io.on("connection", (socket) => {
        socket.on("join", (data, ack) => {
            socket.join(data.room);
            ack({});
        });
        socket.on("offer", (data, ack) => {
            io.to(data.to).emit("signal", { from: socket.id, description: data.description });
            ack({});
        });
        socket.on("say", (data, ack) => {
            socket.to(data.room).emit("signal", { from: socket.id, data: data.data });
            ack({});
        });
    });
}

function serveParser(WebSocketServer, { Decoder, Encoder, PacketType }) {
    const encoder = new Encoder();
    const sessions = new Map();
    const rooms = new Map();
    const encode = (packet) => encoder.encode({ nsp: "/", ...packet }).map((part) => `4${part}`);
    const tell = (socket, packet) => { for (const part of encode(packet)) socket.send(part); };
    const handlers = {
        join(session, data) {
            if (!rooms.has(data.room)) rooms.set(data.room, new Set());
            rooms.get(data.room).add(session);
        },
        offer(session, data) {
            const peer = sessions.get(data.to);
            if (peer) tell(peer.socket, { type: PacketType.EVENT, data: ["signal", { from: session.id, description: data.description }] });
        },
        // Encoded once for all, as socket.io's adapter does.
        say(session, data) {
            const parts = encode({ type: PacketType.EVENT, data: ["signal", { from: session.id, data: data.data }] });
            for (const other of rooms.get(data.room) ?? []) {
                if (other !== session) for (const part of parts) other.socket.send(part);
            }
        },
    };
    new WebSocketServer({ port, host: "127.0.0.1", perMessageDeflate: false }).on("connection", (socket) => {
        const session = { id: Math.random().toString(36).slice(2).padEnd(20, "x").slice(0, 20), socket };
        const decoder = new Decoder();
        sessions.set(session.id, session);
        decoder.on("decoded", ({ type, data, id }) => {
            if (type === PacketType.CONNECT) return tell(socket, { type, data: { sid: session.id } });
            handlers[data[0]]?.(session, data[1]);
            if (id !== undefined) tell(socket, { type: PacketType.ACK, id, data: [{}] });
        });
        socket.on("message", (data) => {
            const text = data.toString();
            if (text[0] === "4") decoder.add(text.slice(1));
        });
        socket.on("close", () => {
            sessions.delete(session.id);
            for (const members of rooms.values()) members.delete(session);
        });
        socket.send(`0${JSON.stringify({ sid: session.id, upgrades: [], pingInterval: 25000, pingTimeout: 20000, maxPayload: 1000000 })}`);
    });
}
