import Journal
import Reactor
import TestSupport
import Testing
import Web

@testable import HTTPServer

/// A client's WebSocket over a line.
final class SocketLine {
    let line: Line
    private var parser = WebSocketParser(role: .client, limits: SocketLine.limits)
    private let inflater: WebSocketInflater?
    private(set) var events: [WebSocketEvent] = []

    private static var limits: WebSocketLimits {
        var limits = WebSocketLimits()
        limits.maximumMessageBytes = 64 << 20
        limits.maximumFrameBytes = 64 << 20
        return limits
    }

    init(_ line: Line, isCompressed: Bool) {
        self.line = line
        self.inflater = isCompressed ? WebSocketInflater() : nil
    }

    func send(
        _ opcode: WebSocketOpcode, _ payload: [UInt8], isFinal: Bool = true, isCompressed: Bool = false
    ) {
        self.line.send(Self.frame(opcode, payload, isFinal: isFinal, isCompressed: isCompressed))
    }

    func send(_ text: String) { self.send(.text, Array(text.utf8)) }

    func close(_ code: UInt16, _ reason: String = "") {
        self.send(.close, [UInt8(code >> 8), UInt8(code & 255)] + Array(reason.utf8))
    }

    static func frame(
        _ opcode: WebSocketOpcode, _ payload: [UInt8], isFinal: Bool = true, isCompressed: Bool = false
    ) -> [UInt8] {
        var out: [UInt8] = []
        let key: UInt32 = 0x1234_5678
        WebSocketFrameHeader(opcode, length: payload.count, isFinal: isFinal, isCompressed: isCompressed, mask: key)
            .append(to: &out)
        var (payload, mask) = (payload, WebSocketMask(key))
        var span = payload.mutableSpan
        mask.apply(to: &span, in: 0..<span.count)
        return out + payload
    }

    /// The next thing the server says, messages as `.assembled`.
    func next() async throws -> WebSocketEvent {
        try await self.line.bench.until("a frame") {
            self.readAll()
            return !self.events.isEmpty || (self.line.isClosed && self.line.input.isEmpty)
        }
        guard !self.events.isEmpty else { throw NeverCame(what: "a frame before the end") }
        return self.events.removeFirst()
    }

    func text() async throws -> String {
        guard case .assembled(.text, let bytes) = try await self.next() else { throw NeverCame(what: "a text") }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func readAll() {
        var bytes = self.line.take(self.line.input.count)
        var offset = 0
        var span = bytes.mutableSpan
        while let event = try? self.parser.next(in: &span, from: &offset, inflater: self.inflater) {
            if case .message(let kind, let range) = event {
                self.events.append(.assembled(kind, range.map { span[$0] }))
            } else {
                self.events.append(event)
            }
        }
    }
}

extension Bench {
    static let upgrade =
        "GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

    /// Opens a WebSocket; `more` are frames in the same packet as the request.
    func dialWebSocket(
        isCompressed: Bool = false, offer: String? = nil, more: [UInt8] = [], over line: Line? = nil
    ) async throws -> SocketLine {
        let line = if let line { line } else { try await self.dial() }
        let offer = isCompressed ? "Sec-WebSocket-Extensions: \(offer ?? "permessage-deflate")\r\n" : ""
        line.send(Array((Self.upgrade + offer + "\r\n").utf8) + more)
        let answer = try await line.answer()
        guard answer.status == 101, answer[.webSocketAccept] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" else {
            throw NeverCame(what: "an upgrade, but \(answer)")
        }
        return SocketLine(line, isCompressed: answer[.webSocketExtensions] != nil)
    }
}

/// Sends back what it gets and remembers how it ended.
final class Echo: WebSocketHandler {
    private(set) var ends: [(code: WebSocketCloseCode?, reason: String)] = []
    private(set) var drains = 0
    var onMessage: (WebSocketConnection) -> Void = { _ in }

    func received(_ kind: WebSocketMessageKind, _ payload: Span<UInt8>, on webSocket: WebSocketConnection) {
        webSocket.send(kind, payload)
        self.onMessage(webSocket)
    }

    func drained(_ webSocket: WebSocketConnection) { self.drains += 1 }
    func closed(_ webSocket: WebSocketConnection, _ code: WebSocketCloseCode?, reason: String) {
        self.ends.append((code, reason))
    }
}

@Suite("A WebSocket", .timeLimit(.minutes(2)))
struct WebSocketTests {
    private static func withEcho(
        _ settings: HTTPServerSettings = HTTPServerSettings(),
        _ body: @escaping @Sendable (Bench, Echo) async throws -> Void
    ) async throws {
        try await withBench(settings) { bench in
            let echo = Echo()
            bench.respond = { $0.upgradeToWebSocket { _ in echo } }
            try await body(bench, echo)
        }
    }

    @Test(
        "sends back what it gets", arguments: [0, 1, 125, 126, 65_535, 65_536, 1_000_000], [true, false])
    func echo(size: Int, isCompressed: Bool) async throws {
        try await Self.withEcho { bench, _ in
            let socket = try await bench.dialWebSocket(isCompressed: isCompressed)
            var random = SeededRandom(seed: UInt64(size))
            let payload = random.bytes(size)
            socket.send(.binary, payload)
            #expect(try await socket.next() == .assembled(.binary, payload))
            socket.send("héllo 你好 👋🏽")
            #expect(try await socket.text() == "héllo 你好 👋🏽")
            #expect(bench.metrics.webSocketMessages.value == 2)
        }
    }

    @Test("puts fragments together, and answers a ping between them")
    func fragments() async throws {
        try await Self.withEcho { bench, _ in
            let socket = try await bench.dialWebSocket()
            socket.send(.text, Array("one ".utf8), isFinal: false)
            socket.send(.ping, Array("are you there".utf8))
            socket.send(.continuation, Array("two ".utf8), isFinal: false)
            socket.send(.pong, [])
            socket.send(.continuation, Array("three".utf8))
            #expect(try await socket.next() == .pong(Array("are you there".utf8)))
            #expect(try await socket.text() == "one two three")
        }
    }

    @Test("is understood however its bytes are cut")
    func cut() async throws {
        try await Self.withEcho { bench, _ in
            let socket = try await bench.dialWebSocket()
            let frame = SocketLine.frame(.text, Array("hello".utf8))
            for cut in 1..<frame.count {
                socket.line.send(Array(frame[..<cut]))
                await bench.turn()
                socket.line.send(Array(frame[cut...]))
                #expect(try await socket.text() == "hello")
            }
        }
    }

    @Test("may send frames in the packet of its request", arguments: [1, 2000])
    func eager(count: Int) async throws {
        try await Self.withEcho { bench, _ in
            let frames = (0..<count).flatMap { SocketLine.frame(.text, Array("\($0)".utf8)) }
            let socket = try await bench.dialWebSocket(more: frames)
            for index in 0..<count { #expect(try await socket.text() == "\(index)") }
        }
    }

    @Test("may be opened late, and finds what came in between")
    func lateUpgrade() async throws {
        try await withBench { bench in
            var waiting: HTTPExchange?
            bench.respond = { waiting = $0 }
            let line = try await bench.dial()
            line.send(Array((Bench.upgrade + "\r\n").utf8) + SocketLine.frame(.text, Array("early".utf8)))
            try await bench.until("the request") { waiting != nil }
            for _ in 0..<5 { await bench.turn() }
            waiting?.upgradeToWebSocket { _ in Echo() }
            #expect(try await line.answer().status == 101)
            #expect(try await SocketLine(line, isCompressed: false).text() == "early")
        }
    }

    @Test(
        "is refused with a reason",
        arguments: [
            ("GET /ws HTTP/1.1\r\nHost: a\r\n\r\n", 426),
            (Bench.upgrade.replacing("Version: 13", with: "Version: 8") + "\r\n", 426),
            (Bench.upgrade.replacing("dGhlIHNhbXBsZSBub25jZQ==", with: "short") + "\r\n", 400),
            (Bench.upgrade.replacing("Sec-WebSocket-Key", with: "X-Key") + "\r\n", 400),
            (Bench.upgrade + "Content-Length: 1\r\n\r\nx", 400),
            (Bench.upgrade.replacing("GET", with: "PUT") + "\r\n", 405),
        ])
    func refused(request: String, status: Int) async throws {
        try await Self.withEcho { bench, _ in
            let line = try await bench.dial()
            line.send(request)
            let answer = try await line.answer()
            #expect(answer.status == status && answer.text.hasPrefix("\(status) "))
            #expect(status != 426 || answer[.upgrade] == "websocket" || answer[.webSocketVersion] == "13")
        }
    }

    @Test("speaks the first subprotocol of ours that the client knows")
    func subprotocol() async throws {
        try await withBench { bench in
            bench.respond = { $0.upgradeToWebSocket(subprotocols: ["v2", "v1"]) { _ in Echo() } }
            let line = try await bench.dial()
            line.send(Bench.upgrade + "Sec-WebSocket-Protocol: v0, v1, v2\r\n\r\n")
            #expect(try await line.answer()[.webSocketProtocol] == "v2")
        }
    }
}

@Suite("A WebSocket's goodbye", .timeLimit(.minutes(2)))
struct WebSocketCloseTests {
    private static func withEcho(
        _ settings: HTTPServerSettings = HTTPServerSettings(),
        _ body: @escaping @Sendable (Bench, Echo) async throws -> Void
    ) async throws {
        try await withBench(settings) { bench in
            let echo = Echo()
            bench.respond = { $0.upgradeToWebSocket { _ in echo } }
            try await body(bench, echo)
        }
    }

    @Test("from the client comes back with its code", arguments: [1000, 1001, 3000, 4999] as [UInt16])
    func fromClient(code: UInt16) async throws {
        try await Self.withEcho { bench, echo in
            let socket = try await bench.dialWebSocket()
            socket.close(code, "bye")
            #expect(try await socket.next() == .close(WebSocketCloseCode(code), reason: ""))
            try await socket.line.closed()
            #expect(echo.ends.count == 1 && echo.ends.first?.code?.number == code && echo.ends.first?.reason == "bye")
            #expect(bench.metrics.webSockets.value == 0 || !socket.line.stream.isOpen || echo.ends.count == 1)
        }
    }

    @Test("without a code comes back without one")
    func withoutCode() async throws {
        try await Self.withEcho { bench, echo in
            let socket = try await bench.dialWebSocket()
            socket.send(.close, [])
            #expect(try await socket.next() == .close(nil, reason: ""))
            try await socket.line.closed()
            #expect(echo.ends.count == 1 && echo.ends.first?.code == nil)
        }
    }

    @Test("from us is answered by the client, and nothing is delivered after it")
    func fromUs() async throws {
        try await Self.withEcho { bench, echo in
            echo.onMessage = { $0.close(.policyViolation, reason: "enough") }
            let socket = try await bench.dialWebSocket()
            socket.send("one")
            socket.send("two")
            #expect(try await socket.text() == "one")
            #expect(try await socket.next() == .close(.policyViolation, reason: "enough"))
            socket.close(1008)
            try await socket.line.closed()
            #expect(bench.metrics.webSocketMessages.value == 1 && echo.ends.first?.code == .policyViolation)
        }
    }

    @Test("has a reason that fits, cut between characters")
    func longReason() async throws {
        try await Self.withEcho { bench, echo in
            echo.onMessage = { $0.close(.normal, reason: String(repeating: "再见", count: 100)) }
            let socket = try await bench.dialWebSocket()
            socket.send("x")
            _ = try await socket.text()
            #expect(try await socket.next() == .close(.normal, reason: String(repeating: "再见", count: 20) + "再"))
        }
    }

    @Test("that the client never answers is not waited for: closeTimeout")
    func closeTimeout() async throws {
        try await Self.withEcho(settings { $0.closeTimeout = .milliseconds(30) }) { bench, echo in
            echo.onMessage = { $0.close(.normal) }
            let socket = try await bench.dialWebSocket()
            socket.send("x")
            try await socket.line.closed()
            #expect(echo.ends.count == 1 && echo.ends.first?.code == nil)
        }
    }

    @Test(
        "names what the client did wrong",
        arguments: [
            ([0x81, 0x01, 0x78], 1002),  // not masked
            ([0xF1, 0x80, 0, 0, 0, 0], 1002),  // reserved bits
            ([0x83, 0x80, 0, 0, 0, 0], 1002),  // reserved opcode
            ([0x80, 0x80, 0, 0, 0, 0], 1002),  // a continuation of nothing
            ([0x09, 0x80, 0, 0, 0, 0], 1002),  // a fragmented ping
            ([0x81, 0xFE, 0, 5, 0, 0, 0, 0], 1002),  // a length that is too long for itself
            ([0x81, 0x82, 0, 0, 0, 0, 0xC0, 0xAF], 1007),  // not UTF-8
            ([0x88, 0x81, 0, 0, 0, 0, 3], 1002),  // half a code
            ([0x88, 0x82, 0, 0, 0, 0, 3, 0xED], 1002),  // 1005
        ] as [([UInt8], UInt16)])
    func mistakes(frame: [UInt8], code: UInt16) async throws {
        try await Self.withEcho { bench, echo in
            let socket = try await bench.dialWebSocket()
            socket.line.send(frame)
            guard case .close(let seen, let reason) = try await socket.next() else { throw NeverCame(what: "a close") }
            #expect(seen?.number == code && !reason.isEmpty)
            try await socket.line.closed()
            #expect(echo.ends.count == 1 && bench.metrics.refusals.value == 1)
        }
    }

    @Test("is 1001 when the server drains, also for one that is opened late")
    func drain() async throws {
        try await Self.withEcho { bench, echo in
            let socket = try await bench.dialWebSocket()
            var waiting: HTTPExchange?
            bench.respond = { waiting = $0 }
            let late = try await bench.dial()
            late.send(Bench.upgrade + "\r\n")
            try await bench.until("the request") { waiting != nil }
            bench.loopServer.drain()
            waiting?.upgradeToWebSocket { _ in echo }
            #expect(try await late.answer().status == 101)
            for socket in [socket, SocketLine(late, isCompressed: false)] {
                let event = try await socket.next()
                #expect(event == .close(.goingAway, reason: "the server is shutting down"))
                socket.close(1001)
                try await socket.line.closed()
            }
        }
    }

    @Test("is missed when the connection breaks, and the handler is told so")
    func broken() async throws {
        try await Self.withEcho { bench, echo in
            let socket = try await bench.dialWebSocket()
            socket.line.stream.abort()
            try await bench.until("the news") { echo.ends.count == 1 }
            try await bench.until("the end") { bench.metrics.connections.value == 0 }
            #expect(echo.ends.first?.code == nil && bench.metrics.webSockets.value == 0)
        }
    }
}

@Suite("What a WebSocket may carry", .timeLimit(.minutes(2)))
struct WebSocketLimitTests {
    /// So much of something, and how the server closes then, if it does.
    typealias Case = (size: Int, code: WebSocketCloseCode?)

    private static func expect(
        _ code: WebSocketCloseCode?, _ change: (inout HTTPServerSettings) -> Void, isCompressed: Bool = false,
        _ send: @escaping @Sendable (SocketLine) -> Void
    ) async throws {
        try await withBench(settings(change)) { bench in
            bench.respond = { $0.upgradeToWebSocket { _ in Echo() } }
            let socket = try await bench.dialWebSocket(isCompressed: isCompressed)
            send(socket)
            let event = try await socket.next()
            if let code {
                guard case .close(code, _) = event else { throw NeverCame(what: "\(code), but \(event)") }
            } else {
                guard case .assembled = event else { throw NeverCame(what: "an echo, but \(event)") }
            }
        }
    }

    @Test("has frames of so many bytes: maximumFrameBytes", arguments: [(100, nil), (101, .messageTooBig)] as [Case])
    func maximumFrameBytes(size: Int, code: WebSocketCloseCode?) async throws {
        try await Self.expect(code, { $0.webSocketLimits.maximumFrameBytes = 100 }) {
            $0.send(.binary, [UInt8](repeating: 1, count: size))
        }
    }

    @Test("is refused by what a frame announces, before it comes: maximumFrameBytes")
    func announced() async throws {
        try await Self.expect(.messageTooBig, { $0.webSocketLimits.maximumFrameBytes = 100 }) {
            $0.line.send([0x82, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0])
        }
    }

    @Test("has messages of so many bytes: maximumMessageBytes", arguments: [(50, nil), (51, .messageTooBig)] as [Case])
    func maximumMessageBytes(size: Int, code: WebSocketCloseCode?) async throws {
        try await Self.expect(code, { $0.webSocketLimits.maximumMessageBytes = 100 }) {
            $0.send(.binary, [UInt8](repeating: 1, count: 50), isFinal: false)
            $0.send(.continuation, [UInt8](repeating: 1, count: size))
        }
    }

    @Test("has messages of so many frames: maximumFragments", arguments: [(10, nil), (11, .policyViolation)] as [Case])
    func maximumFragments(count: Int, code: WebSocketCloseCode?) async throws {
        try await Self.expect(code, { $0.webSocketLimits.maximumFragments = 10 }) {
            for index in 0..<count { $0.send(index == 0 ? .text : .continuation, [0x78], isFinal: index == count - 1) }
        }
    }

    @Test(
        "unpacks to so many bytes: maximumMessageBytes",
        arguments: [(100_000, nil), (100_001, .messageTooBig)] as [Case])
    func bomb(size: Int, code: WebSocketCloseCode?) async throws {
        try await Self.expect(code, { $0.webSocketLimits.maximumMessageBytes = 100_000 }, isCompressed: true) {
            var packed: [UInt8] = []
            WebSocketDeflater(windowBits: 15).deflate([UInt8](repeating: 0, count: size).span, into: &packed)
            $0.send(.binary, packed, isCompressed: true)
        }
    }

    @Test("is closed when what is compressed makes no sense")
    func corrupt() async throws {
        try await Self.expect(.invalidData, { _ in }, isCompressed: true) {
            $0.send(.binary, [0xFF, 0xFF, 0xFF, 0xFF], isCompressed: true)
        }
    }

    @Test("is cut when its reader is too slow, and counted: WritePolicy.limit")
    func slowReader() async throws {
        try await withBench(settings { $0.writePolicy.limit = 1 << 20 }) { bench in
            let echo = Echo()
            var open: WebSocketConnection?
            bench.respond = { exchange in
                exchange.upgradeToWebSocket { webSocket in
                    open = webSocket
                    return echo
                }
            }
            let socket = try await bench.dialWebSocket()
            socket.line.stream.pauseReading()
            let message = WebSocketMessage(EncodedMessage(.binary, [UInt8](repeating: 1, count: 100_000)))
            for _ in 0..<1000 where echo.ends.isEmpty {
                open?.send(message)
                await bench.turn()
            }
            #expect(echo.ends.count == 1 && bench.metrics.slowReaders.value == 1)
            #expect(bench.metrics.webSockets.value == 0 && bench.metrics.connections.value == 0)
        }
    }

    @Test("tells its handler when a slow reader has caught up")
    func drained() async throws {
        try await withBench { bench in
            let echo = Echo()
            echo.onMessage = { $0.send(.binary, [UInt8](repeating: 1, count: 3 << 20).span) }
            bench.respond = { $0.upgradeToWebSocket { _ in echo } }
            let socket = try await bench.dialWebSocket()
            socket.send("x")
            _ = try await socket.text()
            try await bench.until("the news") { echo.drains == 1 }
        }
    }
}

@Suite("A broadcast", .timeLimit(.minutes(2)))
struct BroadcastTests {
    @Test(
        "is encoded once for each way to receive it",
        arguments: [(10, false), (5000, true)])
    func encodedOnce(size: Int, isCompressed: Bool) async throws {
        try await withBench { bench in
            var members: [WebSocketConnection] = []
            bench.respond = { exchange in
                exchange.upgradeToWebSocket { webSocket in
                    members.append(webSocket)
                    return Echo()
                }
            }
            let offers = [nil, "permessage-deflate", "permessage-deflate; server_max_window_bits=9"]
            var sockets: [SocketLine] = []
            for offer in offers + offers {
                sockets.append(try await bench.dialWebSocket(isCompressed: offer != nil, offer: offer))
            }
            let text = String(repeating: "p", count: size)
            let message = WebSocketMessage(EncodedMessage(.text, Array(text.utf8)))
            for member in members { member.send(message) }
            for (index, socket) in sockets.enumerated() {
                try await bench.until("the frame") { socket.line.input.count > 10 }
                // The first reserved bit tells a compressed frame.
                #expect((socket.line.input[0] & 0x40 != 0) == (isCompressed && index % 3 != 0))
                #expect(try await socket.text() == text)
            }
            let codec = bench.loopServer.codec
            #expect(message.compressed(windowBits: 15, codec) === message.compressed(windowBits: 15, codec))
        }
    }
}
