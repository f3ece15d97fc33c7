import Journal
import Reactor
import Secure
import TestSupport
import Testing
import Web

@testable import HTTPServer

@Suite("TLS", .timeLimit(.minutes(2)))
struct TLSTests {
    private static func withTLS(
        _ settings: HTTPServerSettings = HTTPServerSettings(),
        _ body: @escaping @Sendable (Bench, TLSContext) async throws -> Void
    ) async throws {
        let server = try TLSContext(SelfSignedIdentity(names: ["localhost"]))
        let client = try TLSContext(clientVerifying: false)
        try await withBench(settings, tls: server) { try await body($0, client) }
    }

    @Test("carries one request after another, and says that it does")
    func requests() async throws {
        try await Self.withTLS { bench, client in
            bench.respond = { $0.respond(.text(.ok, "\($0.request.path) \($0.isEncrypted)")) }
            let line = try await bench.dialTLS(client)
            for path in ["/a", "/b"] {
                line.get(path)
                #expect(try await line.answer().text == "\(path) true")
            }
            line.get("/c", "Connection: close")
            #expect(try await line.answer().text == "/c true")
            try await line.closed()
        }
    }

    @Test("carries ten megabytes there and back, over HTTP and over a WebSocket")
    func large() async throws {
        let settings = settings {
            $0.webSocketLimits.maximumMessageBytes = 16 << 20
            $0.webSocketLimits.maximumFrameBytes = 16 << 20
            $0.writePolicy.limit = 32 << 20
        }
        try await Self.withTLS(settings) { bench, client in
            var random = SeededRandom(seed: 10)
            let block = random.bytes(1 << 20)
            let payload = (0..<10).flatMap { _ in block }
            bench.respond = { exchange in
                if exchange.request.path == "/ws" { return exchange.upgradeToWebSocket { _ in Echo() } }
                exchange.collectBody(limit: 16 << 20) { exchange.respond(HTTPResponse(.ok, body: .bytes($0))) }
            }
            let line = try await bench.dialTLS(client)
            line.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(payload.count)\r\n\r\n")
            line.send(payload)
            try await bench.until("all of it") { line.input.count > payload.count }
            #expect(try await line.answer().body == payload)
            let socket = try await bench.dialWebSocket(over: line)
            socket.send(.binary, payload)
            try await bench.until("all of it") { line.input.count > payload.count }
            #expect(try await socket.next() == .assembled(.binary, payload))
        }
    }

    @Test("lets who writes much wait, and tells when to go on")
    func backPressure() async throws {
        let settings = settings {
            $0.writePolicy.highWater = 100_000
            $0.writePolicy.lowWater = 50_000
        }
        try await Self.withTLS(settings) { bench, client in
            var (written, waits, most) = (0, 0, 0)
            let piece = [UInt8](repeating: 9, count: 30_000)
            bench.respond = { exchange in
                exchange.start(HTTPResponseHead(.ok), length: nil)
                func goOn() {
                    while written < 20_000_000 {
                        written += piece.count
                        let keepsUp = exchange.write(piece.span)
                        most = max(most, bench.loopServer.connections.all[0].stream.queuedBytes)
                        guard keepsUp else { return waits += 1 }
                    }
                    exchange.finish()
                }
                exchange.onDrained = goOn
                goOn()
            }
            let line = try await bench.dialTLS(client)
            line.get("/")
            try await bench.until("everything") { line.input.count > 20_000_000 }
            #expect(waits > 10 && most < 150_000)
        }
    }

    @Test("ends when the client says goodbye")
    func closeNotify() async throws {
        try await Self.withTLS { bench, client in
            let line = try await bench.dialTLS(client)
            line.get("/")
            #expect(try await line.answer().status == 200)
            line.stream.close()
            try await bench.until("the end") { bench.metrics.connections.value == 0 }
        }
    }

    @Test("gives the answer to a client that has said goodbye already")
    func halfClosed() async throws {
        try await Self.withTLS { bench, client in
            var waiting: HTTPExchange?
            bench.respond = { waiting = $0 }
            let session = try TLSSession(client, role: .client(name: "localhost"))
            let line = try await bench.handshake(session)
            try session.write(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8).span)
            session.close()
            session.takeCiphertext { line.stream.write($0) }
            try await bench.until("the request") { waiting != nil }
            for _ in 0..<5 { await bench.turn() }
            waiting?.respond(.text(.ok, "late"))
            var text = ""
            try await bench.until("the answer") {
                session.receive(line.take(line.input.count).span)
                text += session.readText()
                return text.hasSuffix("\r\n\r\nlate")
            }
            line.stream.close()
            try await bench.until("the end") { bench.metrics.connections.value == 0 }
        }
    }

    @Test(
        "turns away what is not TLS, and lives on",
        arguments: [
            Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8), [UInt8](repeating: 0, count: 100),
            [0x16, 3, 1, 0xFF, 0xFF], [0x16, 3, 1, 0, 5, 1, 0, 0, 1, 0], [0x80, 0x2E, 1, 0, 2],
        ])
    func plaintext(bytes: [UInt8]) async throws {
        try await Self.withTLS(settings { $0.headerTimeout = .seconds(1) }) { bench, client in
            let line = try await bench.dial()
            line.send(bytes)
            try await line.closed()
            #expect(!String(decoding: line.input, as: UTF8.self).contains("HTTP/1.1"))
            line.stream.close()
            try await bench.until("the end") { bench.metrics.connections.value == 0 }
            let next = try await bench.dialTLS(client)
            next.get("/")
            #expect(try await next.answer().status == 200)
        }
    }

    @Test("survives noise in the place of a greeting and after it")
    func noise() async throws {
        try await Self.withTLS { bench, client in
            var random = SeededRandom(seed: 7)
            for index in 0..<60 {
                let line: Line
                if index % 2 == 0 {
                    line = try await bench.dial()
                    line.send([0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3])
                } else {
                    line = try await bench.handshake(TLSSession(client, role: .client(name: "localhost")))
                }
                line.send(random.bytes(Int.random(in: 1..<2000, using: &random)))
                line.stream.close()
            }
            try await bench.until("quiet") { bench.metrics.connections.value == 0 }
        }
    }

    @Test("understands a handshake and a request that come byte by byte")
    func byteByByte() async throws {
        try await Self.withTLS { bench, client in
            let session = try TLSSession(client, role: .client(name: "localhost"))
            let line = try await bench.handshake(session, pieces: 1)
            try session.write(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8).span)
            try await bench.send(session, over: line, pieces: 1)
            var text = ""
            try await bench.until("the answer") {
                session.receive(line.take(line.input.count).span)
                text += session.readText()
                return text.hasSuffix("hello\n")
            }
        }
    }

    @Test("may be cut at any byte of the handshake without a trace")
    func cutHandshake() async throws {
        try await Self.withTLS { bench, client in
            let session = try TLSSession(client, role: .client(name: "localhost"))
            try session.start()
            var hello: [UInt8] = []
            session.takeCiphertext { bytes in bytes.withUnsafeBufferPointer { hello += $0 } }
            for cut in stride(from: 0, to: hello.count, by: 7) {
                let line = try await bench.dial()
                line.send(Array(hello[..<cut]))
                line.stream.close()
            }
            try await bench.until("quiet") { bench.metrics.connections.value == 0 }
        }
    }

    @Test("uses a new certificate for new connections, and the old one for those that are open")
    func reload() async throws {
        try await Self.withTLS { bench, client in
            let old = try await bench.dialTLS(client)
            old.get("/")
            #expect(try await old.answer().status == 200)
            bench.server.use(try TLSContext(SelfSignedIdentity(names: ["new.example"])))
            let new = try await bench.dialTLS(client)
            for line in [new, old] {
                line.get("/")
                #expect(try await line.answer().status == 200)
            }
        }
    }

    @Test("turns those beyond the limit away without a handshake: maximumConnectionsPerLoop")
    func maximumConnectionsPerLoop() async throws {
        try await Self.withTLS(settings { $0.maximumConnectionsPerLoop = 1 }) { bench, client in
            let first = try await bench.dialTLS(client)
            first.get("/")
            #expect(try await first.answer().status == 200)
            let second = try await bench.dialTLS(client)
            try await second.closed()
            #expect(second.input.isEmpty && bench.metrics.refusals.value == 1)
        }
    }

    @Test("has to be agreed on in time: headerTimeout")
    func headerTimeout() async throws {
        try await Self.withTLS(settings { $0.headerTimeout = .milliseconds(30) }) { bench, _ in
            let line = try await bench.dial()
            line.send([0x16])
            try await line.closed()
        }
    }
}

extension TLSSession {
    /// What can be read now, as text.
    func readText() -> String {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            var span = buffer.mutableSpan
            guard case .bytes(let count) = try? self.read(into: &span) else { return text }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
    }
}

extension Bench {
    /// Sends what the session has to say in pieces, each in a packet of its own if need be.
    func send(_ session: TLSSession, over line: Line, pieces: Int) async throws {
        var bytes: [UInt8] = []
        session.takeCiphertext { ciphertext in ciphertext.withUnsafeBufferPointer { bytes += $0 } }
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            line.send(Array(bytes[start..<min(start + pieces, bytes.count)]))
            if pieces == 1 { await self.turn() }
        }
    }

    /// A line on which `session` has shaken hands; it carries ciphertext.
    func handshake(_ session: TLSSession, pieces: Int = 1 << 20) async throws -> Line {
        let line = try await self.dial()
        try session.start()
        try await self.send(session, over: line, pieces: pieces)
        while !session.isEstablished {
            try await self.until("the server's part") { !line.input.isEmpty || line.isClosed }
            session.receive(line.take(line.input.count).span)
            try session.start()
            try await self.send(session, over: line, pieces: pieces)
        }
        return line
    }
}
