// The peer: Debian's `ws` for Node, echo and broadcast. ws-node.cjs PORT
const { WebSocketServer, WebSocket } = require("ws");

const server = new WebSocketServer({ port: Number(process.argv[2]), host: "127.0.0.1", perMessageDeflate: false });
const members = new Set();

server.on("connection", (socket, request) => {
    if (request.url.endsWith("/echo")) {
        socket.on("message", (data, isBinary) => socket.send(data, { binary: isBinary }));
        return;
    }
    members.add(socket);
    socket.on("close", () => members.delete(socket));
    socket.on("message", (data, isBinary) => {
        for (const member of members) {
            if (member.readyState === WebSocket.OPEN) member.send(data, { binary: isBinary });
        }
    });
});
