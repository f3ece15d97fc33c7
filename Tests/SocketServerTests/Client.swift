import Vocabulary

/// What a client of either version does, by hand: requests on pipes, frames in pipes.
struct Client {
    let scene: Scene
    var version = "EIO=4"
    var address = IPAddress.loopback

    struct Answer: Equatable {
        let status: Int
        let head: String
        let body: String
    }

    /// A request on a connection of its own, which may be answered later.
    func ask(_ method: String, _ query: String, _ body: String = "", _ fields: String = "") -> Pipe {
        let pipe = self.scene.connect(from: self.address)
        let length = method == "POST" ? "Content-Length: \(body.utf8.count)\r\n" : ""
        let head = "\(method) /socket.io/?\(self.version)&\(query) HTTP/1.1\r\nHost: here\r\n\(length)\(fields)\r\n"
        pipe.send(Array((head + body).utf8))
        return pipe
    }

    func poll(_ sid: String) -> Pipe { self.ask("GET", "transport=polling&sid=\(sid)") }

    func post(_ sid: String, _ body: String) -> Answer? {
        self.ask("POST", "transport=polling&sid=\(sid)", body).answer
    }

    /// The answer to a handshake by polling.
    func handshake() -> Answer? { self.ask("GET", "transport=polling").answer }

    /// A session by polling, up to its name.
    func open() -> String? { self.handshake()?.body.sid }

    func webSocket(_ query: String = "") -> WebSocketEnd {
        let fields =
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        let end = WebSocketEnd(self.ask("GET", "transport=websocket\(query)", "", fields))
        self.scene.settle()
        return end
    }

    /// A WebSocket that has connected to the main namespace. `auth` is JSON.
    func connected(_ auth: String = "") -> WebSocketEnd {
        let end = self.webSocket()
        end.say("40\(auth)")
        return end
    }
}

extension Pipe {
    /// What came, if it is a whole answer.
    var answer: Client.Answer? {
        let text = String(decoding: self.output, as: UTF8.self)
        guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
        let head = String(text[..<end.lowerBound])
        let words = head.split(separator: " ", maxSplits: 2)
        guard words.count == 3, let status = Int(words[1]) else { return nil }
        return Client.Answer(status: status, head: head, body: String(text[end.upperBound...]))
    }
}

/// A client's end of a WebSocket.
final class WebSocketEnd {
    let pipe: Pipe
    let status: Int

    init(_ pipe: Pipe) {
        self.pipe = pipe
        self.status = pipe.answer?.status ?? 0
        // The head is read; what follows are frames.
        let head = pipe.answer.map { $0.head.utf8.count + 4 } ?? 0
        if self.status == 101 { pipe.output.removeFirst(head) }
    }

    /// Short texts only. A mask of zeros changes nothing.
    func say(_ text: String) {
        self.pipe.send([0x81, 0x80 | UInt8(text.utf8.count), 0, 0, 0, 0] + Array(text.utf8))
    }

    /// The texts that came since the last look, and how it was closed.
    func heard() -> [String] {
        var heard: [String] = []
        while self.pipe.output.count >= 2 {
            let (opcode, length, start) = (self.pipe.output[0] & 15, self.length, self.start)
            let payload = self.pipe.output[start..<(start + length)]
            let text = String(decoding: payload, as: UTF8.self)
            heard.append(opcode == 8 ? "closed \(payload.prefix(2).reduce(0) { $0 << 8 | Int($1) })" : text)
            self.pipe.output.removeFirst(start + length)
        }
        return heard
    }

    private var start: Int { self.pipe.output[1] == 126 ? 4 : 2 }

    private var length: Int {
        let output = self.pipe.output
        return output[1] == 126 ? Int(output[2]) << 8 | Int(output[3]) : Int(output[1])
    }
}

extension String {
    /// The text value of a member, wherever it stands.
    func member(_ name: String) -> String? {
        guard let start = self.firstRange(of: "\"\(name)\":\"")?.upperBound else { return nil }
        return String(self[start...].prefix { $0 != "\"" })
    }

    var sid: String? { self.member("sid") }
}
