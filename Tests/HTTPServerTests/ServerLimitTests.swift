import Journal
import Pacing
import Reactor
import TestSupport
import Testing
import Web

@testable import HTTPServer

/// Settings with one thing changed.
func settings(_ change: (inout HTTPServerSettings) -> Void) -> HTTPServerSettings {
    var settings = HTTPServerSettings()
    change(&settings)
    return settings
}

@Suite("What a client may send", .timeLimit(.minutes(2)))
struct HTTPLimitsOnTheWireTests {
    private static let head = "GET / HTTP/1.1\r\nHost: a\r\n"
    private static let chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

    private static func expect(
        _ status: Int, for request: String, _ change: (inout HTTPServerSettings) -> Void
    ) async throws {
        try await withBench(settings(change)) { bench in
            bench.respond = { exchange in exchange.collectBody(limit: .max) { _ in exchange.respond(.text(.ok, "")) } }
            let line = try await bench.dial()
            line.send(request)
            #expect(try await line.answer().status == status)
            #expect(bench.metrics.refusals.value == (status == 200 ? 0 : 1))
            if status != 200 { try await line.closed() }
        }
    }

    @Test("has a target of so many bytes: maximumURIBytes", arguments: [(100, 200), (101, 414)])
    func maximumURIBytes(length: Int, status: Int) async throws {
        let path = "/" + String(repeating: "x", count: length - 1)
        try await Self.expect(status, for: "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n") {
            $0.limits.maximumURIBytes = 100
        }
    }

    @Test("has header lines of so many bytes: maximumHeaderBytes", arguments: [(50, 200), (500, 431), (70_000, 431)])
    func maximumHeaderBytes(length: Int, status: Int) async throws {
        let request = Self.head + "X-Long: \(String(repeating: "x", count: length))\r\n\r\n"
        try await Self.expect(status, for: request) { $0.limits.maximumHeaderBytes = 200 }
    }

    @Test("has so many header lines: maximumHeaderCount", arguments: [(9, 200), (10, 431)])
    func maximumHeaderCount(count: Int, status: Int) async throws {
        let request = Self.head + (0..<count).map { "X-\($0): y\r\n" }.joined() + "\r\n"
        try await Self.expect(status, for: request) { $0.limits.maximumHeaderCount = 10 }
    }

    @Test("has a body of so many bytes: maximumBodyBytes", arguments: [(8, 200), (9, 413)])
    func maximumBodyBytes(length: Int, status: Int) async throws {
        let body = String(repeating: "x", count: length)
        let fixed = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n\(body)"
        let chunks = Self.chunked + "\(length)\r\n\(body)\r\n0\r\n\r\n"
        for request in [fixed, chunks] {
            try await Self.expect(status, for: request) { $0.limits.maximumBodyBytes = 8 }
        }
    }

    @Test(
        "has chunks whose size is a number that fits",
        arguments: [
            ("ffffffffffffffff", 400), ("7fffffffffffffff", 400), ("7fffffff", 413), ("g", 400), ("-1", 400), ("", 400),
        ])
    func chunkSizes(size: String, status: Int) async throws {
        try await Self.expect(status, for: Self.chunked + "\(size)\r\n") { $0.limits.maximumBodyBytes = 1 << 20 }
    }

    @Test("has chunk extensions of so many bytes: maximumChunkExtensionBytes", arguments: [(8, 200), (40, 400)])
    func maximumChunkExtensionBytes(length: Int, status: Int) async throws {
        let request = Self.chunked + "1;\(String(repeating: "x", count: length))\r\ny\r\n0\r\n\r\n"
        try await Self.expect(status, for: request) { $0.limits.maximumChunkExtensionBytes = 20 }
    }

    @Test("has trailers of so many bytes: maximumTrailerBytes", arguments: [(8, 200), (80, 431)])
    func maximumTrailerBytes(length: Int, status: Int) async throws {
        let request = Self.chunked + "0\r\nX-A: \(String(repeating: "x", count: length))\r\n\r\n"
        try await Self.expect(status, for: request) { $0.limits.maximumTrailerBytes = 40 }
    }

    @Test("has so many trailers: maximumTrailerCount", arguments: [(2, 200), (3, 431)])
    func maximumTrailerCount(count: Int, status: Int) async throws {
        let request = Self.chunked + "0\r\n" + (0..<count).map { "X-\($0): y\r\n" }.joined() + "\r\n"
        try await Self.expect(status, for: request) { $0.limits.maximumTrailerCount = 2 }
    }

    @Test("has so many empty lines before it: maximumLeadingEmptyLines", arguments: [(1, 200), (2, 400)])
    func maximumLeadingEmptyLines(count: Int, status: Int) async throws {
        let request = String(repeating: "\r\n", count: count) + Self.head + "\r\n"
        try await Self.expect(status, for: request) { $0.limits.maximumLeadingEmptyLines = 1 }
    }
}

@Suite("The time a client has", .timeLimit(.minutes(2)))
struct HTTPTimeoutTests {
    /// Sends a byte each turn until the connection ends.
    private static func drip(_ text: String, into line: Line, _ bench: Bench) async throws {
        for byte in text.utf8 where !line.isClosed {
            line.send([byte])
            await bench.turn()
        }
    }

    @Test("for its first head: headerTimeout", arguments: ["", "GET / HT"])
    func headerTimeout(beginning: String) async throws {
        try await withBench(settings { $0.headerTimeout = .milliseconds(250) }) { bench in
            let line = try await bench.dial()
            line.send(beginning)
            if !beginning.isEmpty { #expect(try await line.answer().status == 408) }
            try await line.closed()
            #expect(line.input.isEmpty)
        }
    }

    @Test("for its head is not made longer by a byte now and then: headerTimeout", arguments: [0, 1])
    func slowLoris(before: Int) async throws {
        let settings = settings {
            $0.headerTimeout = .milliseconds(250)
            $0.idleTimeout = .seconds(3600)
        }
        try await withBench(settings) { bench in
            let line = try await bench.dial()
            for _ in 0..<before {
                line.get("/")
                #expect(try await line.answer().status == 200)
            }
            try await Self.drip("GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 20_000), into: line, bench)
            #expect(try await line.answer().status == 408)
        }
    }

    @Test("for a head that began in the same packet as the request before it: headerTimeout")
    func pipelinedHead() async throws {
        let settings = settings {
            $0.headerTimeout = .milliseconds(250)
            $0.idleTimeout = .seconds(3600)
        }
        try await withBench(settings) { bench in
            let line = try await bench.dial()
            line.send("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HT")
            let statuses = try await [line.answer().status, line.answer().status]
            #expect(statuses == [200, 408])
        }
    }

    @Test("until its next request: idleTimeout", arguments: [true, false])
    func idleTimeout(isLate: Bool) async throws {
        try await withBench(settings { $0.idleTimeout = .milliseconds(30) }) { bench in
            var waiting: [HTTPExchange] = []
            if isLate { bench.respond = { waiting.append($0) } }
            let line = try await bench.dial()
            line.get("/")
            if isLate { try await bench.until("the request") { waiting.count == 1 } }
            waiting.first?.respond(.text(.ok, "x"))
            #expect(try await line.answer().status == 200)
            try await line.closed()
            #expect(line.input.isEmpty)
            line.stream.close()
            try await bench.until("the end on both sides") { bench.metrics.connections.value == 0 }
        }
    }

    @Test("for the next piece of a body that is wanted, or that nobody wants: bodyTimeout", arguments: [true, false])
    func bodyTimeout(isWanted: Bool) async throws {
        try await withBench(settings { $0.bodyTimeout = .milliseconds(250) }) { bench in
            bench.respond = { exchange in
                guard isWanted else { return exchange.respond(.text(.forbidden, "no")) }
                exchange.collectBody(limit: 100) { _ in }
            }
            let line = try await bench.dial()
            line.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\nabc")
            #expect(try await line.answer().status == (isWanted ? 408 : 403))
            try await line.closed()
        }
    }

    @Test("H4 for a body that is gathered is not made longer by a byte now and then: minimumBodyRate")
    func minimumBodyRate() async throws {
        let settings = settings {
            $0.bodyTimeout = .milliseconds(250)
            $0.minimumBodyRate = 1000
        }
        try await withBench(settings) { bench in
            bench.respond = { $0.collectBody(limit: 10_000) { _ in } }
            let line = try await bench.dial()
            line.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999\r\n\r\n")
            try await Self.drip(String(repeating: "x", count: 5000), into: line, bench)
            #expect(try await line.answer().status == 408)
            try await line.closed()
        }
    }

    @Test("does not run while the answer is ours to give")
    func oursToGive() async throws {
        let settings = settings {
            $0.headerTimeout = .milliseconds(250)
            $0.idleTimeout = .milliseconds(250)
            $0.bodyTimeout = .milliseconds(250)
        }
        try await withBench(settings) { bench in
            var waiting: [HTTPExchange] = []
            bench.respond = { waiting.append($0) }
            let lines = try await [bench.dial(), bench.dial()]
            lines[0].get("/")
            lines[1].send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n")
            try await bench.until("the requests") { waiting.count == 2 }
            let later = bench.reactor.now + 600
            try await bench.until("much later") { bench.reactor.now > later }
            for exchange in waiting { exchange.respond(.text(.ok, "late")) }
            for line in lines { #expect(try await line.answer().text == "late") }
        }
    }
}

@Suite("Bytes that are held for clients", .timeLimit(.minutes(2)))
struct HeldBytesTests {
    @Test("H4 as half bodies and half messages have one budget: unfinishedBytes")
    func unfinished() async throws {
        try await withBench(settings { $0.unfinishedBytes = .init(ofPrefix: 100_000, total: 1_000_000) }) { bench in
            bench.respond = { exchange in
                guard !exchange.request.isUpgrade(to: "websocket") else {
                    return exchange.upgradeToWebSocket { _ in Echo() }
                }
                exchange.collectBody(limit: 90_000) { exchange.respond(.text(.ok, "\($0.count)")) }
            }
            let half = [UInt8](repeating: 0x78, count: 80_000)
            let first = try await bench.dial()
            first.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 80001\r\n\r\n")
            first.send(half)
            let second = try await bench.dial()
            second.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 80001\r\n\r\n")
            second.send(half)
            #expect(try await second.answer().status == 503)
            let third = try await bench.dialWebSocket()
            third.send(.text, half, isFinal: false)
            guard case .close(.policyViolation, _) = try await third.next() else { throw NeverCame(what: "1008") }
            first.send("x")
            #expect(try await first.answer().text == "80001")
            // What is done is given back.
            let fourth = try await bench.dial()
            fourth.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 80000\r\n\r\n")
            fourth.send(half)
            #expect(try await fourth.answer().text == "80000")
        }
    }

    @Test("M9 as answers that nobody reads have a budget of their own: unreadBytes")
    func unread() async throws {
        try await withBench(settings { $0.unreadBytes = .init(ofPrefix: 100_000, total: 1_000_000) }) { bench in
            var claims: [HeldBytes] = []
            bench.respond = { exchange in
                if let budget = exchange.unreadBudget { claims.append(HeldBytes(budget, for: exchange.client)) }
                exchange.respond(.text(.ok, ""))
            }
            for _ in 0..<2 {
                let line = try await bench.dial()
                line.get("/")
                _ = try await line.answer()
            }
            #expect(claims[0].hold(80_000) && !claims[1].hold(30_000))
            #expect(claims[0].hold(10_000) && claims[1].hold(30_000))
            claims.removeFirst()
            #expect(claims[0].hold(100_000) && !claims[0].hold(100_001))
        }
    }

    @Test("H2 unfold only as fast as a client prefix may, and those of the others wait for nothing: inflation")
    func inflation() async throws {
        try await withBench(settings { $0.inflation = .init(perSecond: 1_000_000, burst: 100_000) }) { bench in
            bench.respond = { $0.upgradeToWebSocket { _ in Echo() } }
            let greedy = try await bench.dialWebSocket(isCompressed: true)
            let modest = try await bench.dialWebSocket()
            var packed: [UInt8] = []
            WebSocketDeflater(windowBits: 15).deflate([UInt8](repeating: 0, count: 100_000).span, into: &packed)
            let start = bench.reactor.now
            for _ in 0..<6 { greedy.send(.binary, packed, isCompressed: true) }
            modest.send("hello")
            guard case .assembled(.text, Array("hello".utf8)) = try await modest.next() else {
                throw NeverCame(what: "an echo")
            }
            for _ in 0..<6 {
                guard case .assembled(.binary, let bytes) = try await greedy.next(), bytes.count == 100_000 else {
                    throw NeverCame(what: "an echo")
                }
            }
            #expect(bench.reactor.now - start >= 400)
        }
    }
}

@Suite("A full server", .timeLimit(.minutes(2)))
struct FullServerTests {
    @Test("answers 503 to those beyond: maximumConnectionsPerLoop")
    func maximumConnectionsPerLoop() async throws {
        try await withBench(settings { $0.maximumConnectionsPerLoop = 2 }) { bench in
            let lines = try await [bench.dial(), bench.dial(), bench.dial()]
            lines[0].get("/")
            #expect(try await lines[0].answer().status == 200)
            let answer = try await lines[2].answer()
            #expect(answer.status == 503 && answer[.connection] == "close")
            try await lines[2].closed()
            lines[1].stream.close()
            try await bench.until("room") { bench.metrics.connections.value == 1 }
            let next = try await bench.dial()
            next.get("/")
            #expect(try await next.answer().status == 200)
        }
    }

    @Test("cuts who lets too much wait for it, and counts that: WritePolicy.limit")
    func writeLimit() async throws {
        try await withBench(settings { $0.writePolicy.limit = 100_000 }) { bench in
            bench.respond = { $0.respond(HTTPResponse(.ok, body: .bytes([UInt8](repeating: 1, count: 20_000_000)))) }
            let line = try await bench.dial()
            line.get("/")
            try await line.closed()
            #expect(bench.metrics.slowReaders.value == 1 && bench.metrics.connections.value == 0)
        }
    }

    @Test(
        "cuts who takes nothing for too long, also once it has said goodbye: WritePolicy.stall",
        arguments: ["keep-alive", "close"])
    func writeStall(connection: String) async throws {
        let settings = settings {
            $0.writePolicy.stall = .milliseconds(50)
            $0.writePolicy.highWater = 30 << 20
            $0.writePolicy.limit = 60 << 20
            $0.idleTimeout = .milliseconds(50)
        }
        try await withBench(settings) { bench in
            bench.respond = { $0.respond(HTTPResponse(.ok, body: .bytes([UInt8](repeating: 1, count: 20_000_000)))) }
            let line = try await bench.dial()
            line.stream.pauseReading()
            line.get("/", "Connection: \(connection)")
            try await bench.until("the request") { bench.metrics.requests.value == 1 }
            try await bench.until("the end") { bench.metrics.connections.value == 0 }
            #expect(bench.metrics.slowReaders.value == 1)
        }
    }

    @Test("survives noise, and gives every connection back")
    func noise() async throws {
        try await withBench { bench in
            var random = SeededRandom(seed: 2)
            let beginnings = [
                "", "GET / HTTP/1.1\r\nHost: a\r\n", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
            ]
            for index in 0..<200 {
                let line = try await bench.dial()
                line.send(beginnings[index % 3])
                line.send(random.bytes(Int.random(in: 0..<2000, using: &random)))
                if index % 2 == 0 { line.stream.abort() } else { line.stream.close() }
            }
            try await bench.until("quiet") { bench.metrics.connections.value == 0 }
            let line = try await bench.dial()
            line.get("/")
            #expect(try await line.answer().status == 200)
        }
    }

    @Test("understands a request cut at any byte, and lets go of one that ends there")
    func cutAtEveryByte() async throws {
        try await withBench { bench in
            bench.respond = { exchange in
                exchange.collectBody(limit: 100) { exchange.respond(HTTPResponse(.ok, body: .bytes($0))) }
            }
            let request = Array("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello".utf8)
            for cut in 1..<request.count {
                let (whole, broken) = try await (bench.dial(), bench.dial())
                whole.send(Array(request[..<cut]))
                broken.send(Array(request[..<cut]))
                broken.stream.close()
                await bench.turn()
                whole.send(Array(request[cut...]))
                #expect(try await whole.answer().text == "hello")
                whole.stream.close()
            }
            try await bench.until("quiet") { bench.metrics.connections.value == 0 }
        }
    }
}

@Suite("Draining", .timeLimit(.minutes(2)))
struct DrainTests {
    @Test("closes idle connections at once, also after a late answer", arguments: [true, false])
    func idle(isLate: Bool) async throws {
        try await withBench { bench in
            var waiting: [HTTPExchange] = []
            if isLate { bench.respond = { waiting.append($0) } }
            let lines = try await [bench.dial(), bench.dial()]
            lines[1].get("/")
            if isLate { try await bench.until("the request") { waiting.count == 1 } }
            waiting.first?.respond(.text(.ok, "late"))
            _ = try await lines[1].answer()
            bench.loopServer.drain()
            for line in lines { try await line.closed() }
        }
    }

    @Test("lets what is under way finish, and nothing new begin")
    func underWay() async throws {
        try await withBench { bench in
            var waiting: [HTTPExchange] = []
            bench.respond = { waiting.append($0) }
            let line = try await bench.dial()
            line.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
            try await bench.until("the request") { waiting.count == 1 }
            bench.loopServer.drain()
            waiting[0].respond(.text(.ok, "finished"))
            let answer = try await line.answer()
            #expect(answer.text == "finished" && answer[.connection] == "close")
            try await line.closed()
            #expect(waiting.count == 1)
            // One that was accepted while the door closed is still answered.
            bench.respond = { $0.respond(.text(.ok, "late")) }
            let late = try await bench.dial()
            late.get("/3")
            #expect(try await late.answer()[.connection] == "close")
            try await late.closed()
        }
    }
}
