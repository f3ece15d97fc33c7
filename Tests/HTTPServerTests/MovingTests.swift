import Journal
import Secure
import Testing
import Web

@testable import HTTPServer
@testable import Reactor

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite("A connection from another loop", .timeLimit(.minutes(2)))
struct MovingTests {
    /// A bench with two loops, whose first connection comes from afar.
    private static func withTwoLoops(
        _ settings: HTTPServerSettings = HTTPServerSettings(), isEncrypted: Bool = false,
        _ body: @escaping @Sendable (Bench, () async throws -> Line) async throws -> Void
    ) async throws {
        let server = isEncrypted ? try TLSContext(SelfSignedIdentity(names: ["localhost"])) : nil
        let client = try TLSContext(clientVerifying: false)
        try await withBench(settings, tls: server, loops: 2) { bench in
            try await body(bench) { try await isEncrypted ? bench.dialTLS(client) : bench.dial() }
        }
    }

    @Test("is answered where its request belongs, and stays there", arguments: [false, true])
    func moves(isEncrypted: Bool) async throws {
        try await Self.withTwoLoops(isEncrypted: isEncrypted) { bench, dial in
            bench.respond = { $0.respond(.text(.ok, "\($0.request.path) \($0.isEncrypted)")) }
            let line = try await dial()
            for path in ["/first", "/second"] {
                line.get(path)
                #expect(try await line.answer().text == "\(path) \(isEncrypted)")
                #expect(bench.loopServer.connections.count == 1)
            }
            line.stream.close()
            try await bench.until("the end") { bench.metrics.connections.value == 0 }
        }
    }

    @Test("brings along what was sent behind its request", arguments: [false, true])
    func pipelined(isEncrypted: Bool) async throws {
        try await Self.withTwoLoops(isEncrypted: isEncrypted) { bench, dial in
            bench.respond = { exchange in
                exchange.collectBody(limit: 100) { exchange.respond(HTTPResponse(.ok, body: .bytes($0))) }
            }
            let line = try await dial()
            for body in ["one", "two"] {
                line.send("POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 3\r\n\r\n\(body)")
            }
            let texts = try await [line.answer().text, line.answer().text]
            #expect(texts == ["one", "two"])
        }
    }

    @Test("becomes a WebSocket that reads on", arguments: [false, true])
    func webSocket(isEncrypted: Bool) async throws {
        try await Self.withTwoLoops(isEncrypted: isEncrypted) { bench, dial in
            bench.respond = { $0.upgradeToWebSocket { _ in Echo() } }
            let socket = try await bench.dialWebSocket(over: dial())
            socket.send(.text, Array("hello".utf8))
            #expect(try await socket.next() == .assembled(.text, Array("hello".utf8)))
        }
    }

    @Test("reads the records of TLS that came together with its request")
    func recordsBehindTheHead() async throws {
        let client = try TLSContext(clientVerifying: false)
        try await Self.withTwoLoops(isEncrypted: true) { bench, _ in
            bench.respond = { exchange in
                exchange.collectBody(limit: 100) { exchange.respond(HTTPResponse(.ok, body: .bytes($0))) }
            }
            let session = try TLSSession(client, role: .client(name: "localhost"))
            let line = try await bench.handshake(session)
            for record in ["POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 6\r\n\r\n", "one", "two"] {
                try session.write(Array(record.utf8).span)
            }
            session.takeCiphertext { line.stream.write($0) }
            var text = ""
            try await bench.until("the body, and the answer") {
                session.receive(line.take(line.input.count).span)
                text += session.readText()
                return text.hasSuffix("\r\n\r\nonetwo")
            }
        }
    }

    @Test("is idle after its answer, also a late one", arguments: [false, true])
    func idle(isLate: Bool) async throws {
        try await Self.withTwoLoops { bench, dial in
            var waiting: [HTTPExchange] = []
            if isLate { bench.respond = { waiting.append($0) } }
            let line = try await dial()
            line.get("/")
            if isLate { try await bench.until("the request") { waiting.count == 1 } }
            waiting.first?.respond(.text(.ok, "late"))
            #expect(try await line.answer().status == 200)
            #expect(bench.loopServer.connections.all.map(\.isIdle) == [true])
            bench.loopServer.drain()
            try await line.closed()
        }
    }

    @Test("whose client has finished still gets its answer, then ends")
    func halfClosed() async throws {
        try await Self.withTwoLoops { bench, dial in
            var waiting: [HTTPExchange] = []
            bench.respond = { waiting.append($0) }
            let line = try await dial()
            line.get("/")
            line.stream.close()
            try await bench.until("the request") { waiting.count == 1 }
            for _ in 0..<5 { await bench.turn() }
            #expect(waiting[0].isAlive)
            waiting[0].respond(.text(.ok, "late"))
            try await bench.until("the end") { bench.metrics.connections.value == 0 }
        }
    }

    @Test("is turned away where it is one too many, and is no longer counted: maximumConnectionsPerLoop")
    func maximumConnectionsPerLoop() async throws {
        try await Self.withTwoLoops(settings { $0.maximumConnectionsPerLoop = 1 }) { bench, dial in
            let home = try await Self.fill(bench, dial)
            let line = try await dial()
            line.get("/")
            let answer = try await line.answer()
            #expect(answer.status == 503 && answer[.connection] == "close")
            try await line.closed()
            try await bench.until("one connection") { bench.metrics.connections.value == 1 }
            home.get("/")
            #expect(try await home.answer().status == 200)
        }
    }

    @Test("is cut without a word behind TLS where it is one too many: maximumConnectionsPerLoop")
    func maxConnectionsPerLoopBehindTLS() async throws {
        try await Self.withTwoLoops(settings { $0.maximumConnectionsPerLoop = 1 }, isEncrypted: true) { bench, dial in
            let home = try await Self.fill(bench, dial)
            let line = try await dial()
            line.get("/")
            try await line.closed()
            #expect(line.input.isEmpty && bench.metrics.refusals.value == 2)
            #expect(bench.metrics.connections.value == 1)
            home.get("/")
            #expect(try await home.answer().status == 200)
        }
    }

    /// The first connection moves to the bench's loop and the second is turned away there. The third is from afar.
    private static func fill(_ bench: Bench, _ dial: () async throws -> Line) async throws -> Line {
        let line = try await dial()
        line.get("/")
        #expect(try await line.answer().status == 200)
        try await dial().closed()
        return line
    }

    @Test("is told to close when the loop it comes to drains")
    func draining() async throws {
        try await Self.withTwoLoops { bench, dial in
            let line = try await dial()
            bench.loopServer.drain()
            line.get("/")
            let answer = try await line.answer()
            #expect(answer.status == 200 && answer[.connection] == "close")
            try await line.closed()
        }
    }

    @Test("that breaks as it leaves tells its handler, and cannot leave again")
    func breaks() async throws {
        let server = try TLSContext(SelfSignedIdentity(names: ["localhost"]))
        try await withBench(tls: server) { bench in
            let below = try await bench.connect()
            let line = try await bench.dialTLS(TLSContext(clientVerifying: false), over: below)
            line.get("/")
            #expect(try await line.answer().status == 200)
            let stream = try #require(line.stream as? TLSStream)
            #expect(shutdown(below.fd, Int32(SHUT_WR)) == 0)
            line.get("/")
            #expect(throws: ReactorError.self) { try stream.detach() }
            #expect(line.end != nil)
            #expect(throws: ReactorError.self) { try stream.detach() }
        }
    }
}
