import JSON
import SocketIO
import SocketServer
import Vocabulary

/// An application that lets everybody in and writes down what happens.
final class Company: SocketApplication {
    private(set) var diary: [String] = []
    private(set) var sockets: [Socket] = []
    /// Nobody comes in, or back, as long as there is a reason.
    var refusal: String?
    /// Sockets send nothing before they are uncorked.
    var isCorking = false

    func arrived(_ arrival: SocketArrival) {
        self.diary.append("arrived")
        if let refusal = self.refusal { return arrival.refuse(refusal) }
        if let socket = arrival.accept(isCorked: self.isCorking) { self.sockets.append(socket) }
    }

    func mayReturn(_ socket: Socket, _ arrival: SocketArrival) -> String? { self.refusal }

    func received(_ event: SocketEvent, _ bytes: Span<UInt8>, from socket: Socket) {
        let name = JSONReader(bytes).text(at: event.name) ?? "?"
        self.diary.append("heard \(name)")
        if let ackID = event.ackID { socket.answer(ackID) { $0.string("yes") } }
    }

    func lost(_ socket: Socket, fellSilent: Bool) { self.diary.append("lost") }
    func returned(_ socket: Socket) { self.diary.append("returned") }
    func left(_ socket: Socket, _ end: SocketEnd) { self.diary.append("left \(end)") }

    /// Tells whoever came last.
    func tell(_ text: String) {
        self.sockets.last?.emit("news") { $0.string(text) }
    }

    /// What was written down since the last look.
    func read() -> [String] {
        defer { self.diary = [] }
        return self.diary
    }
}
