import Journal
import Reactor
import TestSupport
import Testing
import Web

@testable import HTTPServer

/// Keeps a body that comes in pieces.
private final class Pieces: HTTPBodySink {
    private(set) var bytes: [UInt8] = []
    private(set) var hasEnded = false
    private(set) var hasFailed = false
    var onBytes: () -> Void = {}
    var onEnd: () -> Void = {}

    func bodyReceived(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { self.bytes.append(contentsOf: $0) }
        self.onBytes()
    }

    func bodyEnded() {
        self.hasEnded = true
        self.onEnd()
    }

    func bodyFailed() { self.hasFailed = true }
}

@Suite("A request's body", .timeLimit(.minutes(2)))
struct BodyTests {
    private static func echo(_ exchange: HTTPExchange) {
        exchange.collectBody(limit: 1 << 20) { exchange.respond(HTTPResponse(.ok, body: .bytes($0))) }
    }

    private static func post(_ length: Int, _ fields: String = "") -> String {
        "POST / HTTP/1.1\r\nHost: here\r\nContent-Length: \(length)\r\n\(fields)\r\n"
    }

    @Test("of a known length comes back, and the next request is understood", arguments: [0, 1, 1000, 300_000])
    func fixed(size: Int) async throws {
        try await withBench { bench in
            bench.respond = Self.echo
            let line = try await bench.dial()
            var random = SeededRandom(seed: UInt64(size))
            let body = random.bytes(size)
            for _ in 0..<2 {
                line.send(Self.post(size))
                line.send(body)
                #expect(try await line.answer(to: .post).body == body)
            }
        }
    }

    @Test("in chunks comes back, however it is cut")
    func chunked() async throws {
        try await withBench { bench in
            bench.respond = Self.echo
            let line = try await bench.dial()
            let request =
                "POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nWiki\r\n"
                + "5;a=b\r\npedia\r\n0\r\nX-Note: x\r\n\r\n"
            for size in [1, 2, 3, 7, 1000] {
                for piece in stride(from: 0, to: request.utf8.count, by: size) {
                    line.send(Array(request.utf8.dropFirst(piece).prefix(size)))
                    if size < 4 { await bench.turn() }
                }
                #expect(try await line.answer(to: .post).text == "Wikipedia")
            }
        }
    }

    @Test("claimed late is kept until then, and may be larger than what is kept")
    func claimedLate() async throws {
        try await withBench { bench in
            var waiting: HTTPExchange?
            bench.respond = { waiting = $0 }
            let line = try await bench.dial()
            line.send(Self.post(500_000))
            line.send([UInt8](repeating: 7, count: 500_000))
            try await bench.until("the request") { waiting != nil }
            for _ in 0..<5 { await bench.turn() }
            if let waiting { Self.echo(waiting) }
            #expect(try await line.answer(to: .post).body.count == 500_000)
        }
    }

    @Test("is asked for when the client waits to be asked, and only when it is wanted")
    func expectContinue() async throws {
        try await withBench { bench in
            var waiting: HTTPExchange?
            bench.respond = { waiting = $0 }
            let line = try await bench.dial()
            line.send(Self.post(5, "Expect: 100-continue\r\n"))
            try await bench.until("the request") { waiting != nil }
            for _ in 0..<5 { await bench.turn() }
            #expect(line.input.isEmpty)
            if let waiting { Self.echo(waiting) }
            #expect(try await line.answer(to: .post).status == 100)
            line.send("hello")
            #expect(try await line.answer(to: .post).text == "hello")
            #expect(!line.isClosed)
        }
    }

    @Test(
        "is not asked for when the answer is known before, and the connection says goodbye",
        arguments: [HTTPStatus.unauthorized, .contentTooLarge])
    func earlyRefusal(status: HTTPStatus) async throws {
        try await withBench { bench in
            bench.respond = { exchange in
                if status == .contentTooLarge { return exchange.collectBody(limit: 4) { _ in } }
                exchange.respond(.error(status, "no"))
            }
            let line = try await bench.dial()
            line.send(Self.post(5, "Expect: 100-continue\r\n"))
            let answer = try await line.answer(to: .post)
            #expect(answer.status == Int(status.code) && answer[.connection] == "close")
            try await line.closed()
        }
    }

    @Test("nobody wants is read and forgotten, to keep the connection")
    func discarded() async throws {
        try await withBench { bench in
            bench.respond = { $0.respond(.text($0.request.method == .post ? .forbidden : .ok, "x")) }
            let line = try await bench.dial()
            line.send(Self.post(100_000))
            #expect(try await line.answer(to: .post).status == 403)
            line.send([UInt8](repeating: 0x41, count: 100_000))
            line.get("/")
            #expect(try await line.answer().status == 200)
        }
    }

    @Test("nobody wants costs the connection when it is too long: maximumDiscardedBytes", arguments: [true, false])
    func maximumDiscardedBytes(isChunked: Bool) async throws {
        var settings = HTTPServerSettings()
        settings.maximumDiscardedBytes = 10_000
        try await withBench(settings) { bench in
            let line = try await bench.dial()
            let chunked = "POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n"
            line.send(isChunked ? chunked + "fffffff\r\n" : Self.post(10_001))
            let answer = try await line.answer(to: .post)
            #expect(answer.status == 200 && answer[.connection] == (isChunked ? nil : "close"))
            line.send([UInt8](repeating: 0x41, count: 11_000))
            try await line.closed()
        }
    }

    @Test("longer than its taker's limit is refused, announced or not", arguments: [true, false])
    func limit(isChunked: Bool) async throws {
        try await withBench { bench in
            let pieces = Pieces()
            bench.respond = { $0.streamBody(to: pieces, limit: 10) }
            let line = try await bench.dial()
            let chunked = "POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n"
            line.send(isChunked ? chunked : Self.post(11))
            line.send("world!")
            #expect(try await line.answer(to: .post).status == 413)
            #expect(pieces.hasFailed && !pieces.hasEnded && pieces.bytes.count <= 10)
        }
    }

    @Test("answered before its end is not given on any further")
    func answeredEarly() async throws {
        try await withBench { bench in
            let pieces = Pieces()
            bench.respond = { exchange in
                guard exchange.request.method == .post else { return exchange.respond(.text(.ok, "next")) }
                exchange.streamBody(to: pieces, limit: 1 << 20)
                pieces.onBytes = { exchange.respond(.text(.ok, "enough")) }
            }
            let line = try await bench.dial()
            line.send(Self.post(10) + "abc")
            #expect(try await line.answer(to: .post).text == "enough")
            line.send("defghij")
            line.get("/")
            #expect(try await line.answer().text == "next")
            #expect(pieces.bytes == Array("abc".utf8) && !pieces.hasEnded && !pieces.hasFailed)
        }
    }

    @Test("waits while its taker is busy, and no clock runs against the client then")
    func paused() async throws {
        var settings = HTTPServerSettings()
        settings.bodyTimeout = .seconds(1)
        try await withBench(settings) { bench in
            let pieces = Pieces()
            var exchange: HTTPExchange?
            bench.respond = {
                exchange = $0
                $0.streamBody(to: pieces, limit: 1 << 30)
                pieces.onBytes = { if pieces.bytes.count < 100_000 { exchange?.pauseBody() } }
                pieces.onEnd = { exchange?.respond(.text(.ok, "\(pieces.bytes.count)")) }
            }
            let line = try await bench.dial()
            line.send(Self.post(20 << 20))
            line.send([UInt8](repeating: 1, count: 20 << 20))
            try await bench.until("the first piece") { !pieces.bytes.isEmpty }
            let kept = pieces.bytes.count
            let later = bench.reactor.now + 2000
            try await bench.until("twice the timeout") { bench.reactor.now > later }
            #expect(pieces.bytes.count == kept && !line.isClosed && line.stream.queuedBytes > 1 << 20)
            pieces.onBytes = {}
            exchange?.resumeBody()
            #expect(try await line.answer(to: .post).text == "\(20 << 20)")
        }
    }

    @Test("that is paused after its last bytes ends when it is resumed, or was answered", arguments: [false, true])
    func pausedAtEnd(isAnswered: Bool) async throws {
        try await withBench { bench in
            let pieces = Pieces()
            var exchange: HTTPExchange?
            bench.respond = {
                exchange = $0
                $0.streamBody(to: pieces, limit: 5)
                pieces.onBytes = { exchange?.pauseBody() }
                pieces.onEnd = { exchange?.respond(.text(.ok, "all of it")) }
            }
            let line = try await bench.dial()
            line.send(Self.post(5, "Connection: close\r\n") + "hello")
            try await bench.until("the bytes") { pieces.bytes.count == 5 }
            if isAnswered { exchange?.respond(.text(.ok, "enough")) } else { exchange?.resumeBody() }
            #expect(try await line.answer(to: .post).text == (isAnswered ? "enough" : "all of it"))
            try await line.closed()
        }
    }

    @Test("cut off by its client fails, and is not taken for whole")
    func cutOff() async throws {
        try await withBench { bench in
            let pieces = Pieces()
            bench.respond = { $0.streamBody(to: pieces, limit: 100) }
            let line = try await bench.dial()
            line.send(Self.post(10) + "12345")
            try await bench.until("the beginning") { pieces.bytes.count == 5 }
            line.stream.close()
            try await bench.until("the news") { pieces.hasFailed }
            #expect(!pieces.hasEnded)
        }
    }
}

@Suite("A streamed answer", .timeLimit(.minutes(2)))
struct StreamedAnswerTests {
    @Test("goes out in chunks, or until the end for a client that knows no chunks", arguments: ["1.1", "1.0"])
    func chunked(version: String) async throws {
        try await withBench { bench in
            bench.respond = { exchange in
                exchange.start(HTTPResponseHead(.ok), length: nil)
                for piece in ["one", "", " two", " three"] { exchange.write(Array(piece.utf8).span) }
                exchange.finish()
            }
            let line = try await bench.dial()
            line.send("GET / HTTP/\(version)\r\nHost: here\r\n\r\n")
            if version == "1.0" {
                try await line.closed()
                #expect(String(decoding: line.input, as: UTF8.self).hasSuffix("\r\n\r\none two three"))
            } else {
                let answer = try await line.answer()
                #expect(answer.text == "one two three" && answer[.transferEncoding] == "chunked")
            }
        }
    }

    @Test("that fails is cut, so that nobody takes it for whole")
    func fails() async throws {
        try await withBench { bench in
            bench.respond = { exchange in
                exchange.start(HTTPResponseHead(.ok), length: 100)
                exchange.write([1, 2, 3].span)
                exchange.fail()
            }
            let line = try await bench.dial()
            line.get("/")
            try await line.closed()
            #expect(line.input.count < 300)
        }
    }

    @Test("waits for a slow reader and goes on when it reads")
    func backPressure() async throws {
        var settings = HTTPServerSettings()
        settings.writePolicy.highWater = 100_000
        settings.writePolicy.lowWater = 50_000
        try await withBench(settings) { bench in
            var (written, waits) = (0, 0)
            let piece = [UInt8](repeating: 9, count: 50_000)
            bench.respond = { exchange in
                exchange.start(HTTPResponseHead(.ok), length: nil)
                func goOn() {
                    while written < 40_000_000 {
                        written += piece.count
                        guard exchange.write(piece.span) else { return waits += 1 }
                    }
                    exchange.finish()
                }
                exchange.onDrained = goOn
                goOn()
            }
            let line = try await bench.dial()
            line.stream.pauseReading()
            line.get("/")
            try await bench.until("the writer to wait") { waits > 0 }
            line.stream.resumeReading()
            try await bench.until("everything") { line.input.count > 40_000_000 }
            #expect(waits > 1)
        }
    }
}
