// A peer: socket.io for Node, from a folder that is given, with rooms, a relay and a broadcast.
// sio-node.cjs PORT FOLDER
const { Server } = require(process.argv[3]);

const io = new Server(Number(process.argv[2]), { transports: ["websocket"], perMessageDeflate: false });

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
