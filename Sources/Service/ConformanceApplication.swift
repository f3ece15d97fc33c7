internal import Bytes
internal import HTTPServer
internal import JSON
internal import SocketIO
internal import SocketServer
internal import Vocabulary

/// What the official suites of Socket.IO expect behind the server: every client is let in, told what they said at the
/// door, and gets back what they send.
final class ConformanceApplication: SocketApplication {
    private let toOtherNode: (HTTPExchange, SessionID) -> Bool

    init(forwardingBy toOtherNode: @escaping (HTTPExchange, SessionID) -> Bool) { self.toOtherNode = toOtherNode }

    func forward(_ exchange: HTTPExchange, of session: SessionID) -> Bool { self.toOtherNode(exchange, session) }

    func arrived(_ arrival: SocketArrival) {
        let auth = arrival.auth
        guard let socket = arrival.accept(), arrival.version == .v4 else { return }
        socket.emit("auth") { arguments in
            if auth.isEmpty { arguments.object { _ in } } else { arguments.raw(auth) }
        }
    }

    func received(_ event: SocketEvent, _ bytes: Span<UInt8>, from socket: Socket) {
        let arguments = [UInt8](copying: bytes.extracting(event.arguments))
        let name = JSONReader(bytes).text(at: event.name)
        if name == "message" {
            socket.emit("message-back", attachments: event.attachments) { $0.raw(arguments) }
        } else if name == "message-with-ack", let ackID = event.ackID {
            socket.answer(ackID, attachments: event.attachments) { $0.raw(arguments) }
        }
    }

    func left(_ socket: Socket, _ end: SocketEnd) {}
}
