@testable import HTTPServer
import Journal
import Reactor
import Testing
import Web

@Suite("A connection", .timeLimit(.minutes(2)))
struct KeepAliveTests {
    @Test("carries one request after another")
    func keepAlive() async throws {
        try await withBench { bench in
            bench.respond = { $0.respond(.text(.ok, $0.request.path)) }
            let line = try await bench.dial()
            for path in ["/a", "/b", "/c"] {
                line.get(path)
                let answer = try await line.answer()
                #expect(answer.text == path && answer[.connection] == nil && answer[.date] != nil)
            }
            #expect(!line.isClosed && bench.metrics.requests.value == 3)
        }
    }

    @Test("says what every answer says once, whatever the route says of it")
    func commonFields() async throws {
        try await withBench { bench in
            bench.respond = { exchange in
                exchange.respond(HTTPResponse(.ok, fields: ["date": "never", "A": "1", .contentTypeOptions: "sniff"]))
            }
            let line = try await bench.dial()
            line.get("/")
            let fields = try await line.answer().head.fields
            #expect(fields.values(of: .contentTypeOptions) == ["nosniff"] && fields["A"] == "1")
            let dates = fields.values(of: .date)
            #expect(dates.count == 1 && dates.allSatisfy { HTTPDate.parse($0) != nil })
        }
    }

    @Test(
        "closes when the client asks for it, and stays open for an old client only when that asks",
        arguments: [
            ("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "close", true),
            ("GET / HTTP/1.0\r\n\r\n", "close", true),
            ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "keep-alive", false),
        ])
    func closing(request: String, connection: String, closes: Bool) async throws {
        try await withBench { bench in
            let line = try await bench.dial()
            line.send(request)
            let answer = try await line.answer()
            #expect(answer[.connection] == connection && answer.text == "hello\n")
            if closes { try await line.closed() } else { #expect(!line.isClosed) }
        }
    }

    @Test("answers pipelined requests in their order, also when handlers answer late")
    func pipelining() async throws {
        try await withBench { bench in
            var waiting: [HTTPExchange] = []
            bench.respond = { waiting.append($0) }
            let line = try await bench.dial()
            line.send((0..<5).map { "GET /\($0) HTTP/1.1\r\nHost: here\r\n\r\n" }.joined())
            for index in 0..<5 {
                try await bench.until("request \(index)") { waiting.count == index + 1 }
                #expect(waiting.last?.request.path == "/\(index)")
                waiting.last?.respond(.text(.ok, "late \(index)"))
                #expect(try await line.answer().text == "late \(index)")
            }
        }
    }

    @Test("answers thousands of pipelined requests, cut anywhere")
    func manyPipelined() async throws {
        try await withBench { bench in
            bench.respond = { $0.respond(.text(.ok, $0.request.path)) }
            let line = try await bench.dial()
            line.send((0..<3000).map { "GET /\($0) HTTP/1.1\r\nHost: here\r\n\r\n" }.joined())
            try await bench.until("all answers") { bench.metrics.requests.value == 3000 }
            let texts = try await [line.answer().text, line.answer().text]
            #expect(texts == ["/0", "/1"])
        }
    }

    @Test("is read no further while a request that is not answered has enough behind it: maximumPipelinedBytes")
    func maximumPipelinedBytes() async throws {
        var settings = HTTPServerSettings()
        settings.maximumPipelinedBytes = 1000
        try await withBench(settings) { bench in
            var waiting: [HTTPExchange] = []
            bench.respond = { waiting.append($0) }
            let line = try await bench.dial()
            let request = "GET /x HTTP/1.1\r\nHost: here\r\nX-Filling: \(String(repeating: "x", count: 8000))\r\n\r\n"
            let count = 2000
            line.send(String(repeating: request, count: count))
            try await bench.until("the first request") { waiting.count == 1 }
            for _ in 0..<20 { await bench.turn() }
            // Sixteen megabytes fit neither into the bound nor into the system's buffers.
            #expect(line.stream.queuedBytes > 1 << 20)
            bench.respond = { $0.respond(HTTPResponse(.noContent)) }
            waiting[0].respond(HTTPResponse(.noContent))
            try await bench.until("the others") { bench.metrics.requests.value == count }
        }
    }

    @Test("whose client has finished still gets its answers, then ends")
    func halfClosed() async throws {
        try await withBench { bench in
            var waiting: [HTTPExchange] = []
            bench.respond = { waiting.append($0) }
            let line = try await bench.dial()
            line.send("GET /1 HTTP/1.1\r\nHost: here\r\n\r\nGET /2 HTTP/1.1\r\nHost: here\r\n\r\n")
            line.stream.close()
            for index in 1...2 {
                try await bench.until("request \(index)") { waiting.count == index }
                #expect(waiting.last?.isAlive == true)
                waiting.last?.respond(.text(.ok, "\(index)"))
            }
            try await bench.until("the end") { bench.metrics.connections.value == 0 }
        }
    }

    @Test("that is cut in the middle of an answer tells the handler once")
    func abandoned() async throws {
        try await withBench { bench in
            var (waiting, abandoned): (HTTPExchange?, Int) = (nil, 0)
            bench.respond = { exchange in
                exchange.onAbandoned = { abandoned += 1 }
                exchange.start(HTTPResponseHead(.ok), length: nil)
                waiting = exchange
            }
            let line = try await bench.dial()
            line.stream.pauseReading()
            line.get("/")
            try await bench.until("the request") { waiting != nil }
            for _ in 0..<5 { await bench.turn() }
            // What was not read makes the system say "reset" instead of "the end".
            line.stream.abort()
            try await bench.until("the news") { abandoned == 1 }
            waiting?.finish()
            #expect(waiting?.isAlive == false && abandoned == 1)
        }
    }

    @Test("that is reset right behind its last bytes is let go at once")
    func reset() async throws {
        let settings = settings { $0.headerTimeout = .seconds(3600) }
        try await withBench(settings) { bench in
            let line = try await bench.dial()
            line.stream.pauseReading()
            line.get("/")
            try await bench.until("the request") { bench.metrics.requests.value == 1 }
            for _ in 0..<5 { await bench.turn() }
            // The server finds the bytes and the reset together.
            line.send("GET / HT")
            bench.reactor.atEndOfTurn(Aborter(line.stream))
            try await bench.until("the end") { bench.metrics.connections.value == 0 }
        }
    }

    private final class Aborter: EndOfTurn {
        private let stream: any ByteStream

        init(_ stream: any ByteStream) { self.stream = stream }

        func turnEnded() { self.stream.abort() }
    }

    @Test("whose client sends no more tells the handler that waits")
    func peerFinished() async throws {
        try await withBench { bench in
            var (waiting, finished, abandoned): (HTTPExchange?, Int, Int) = (nil, 0, 0)
            bench.respond = { exchange in
                exchange.onPeerFinished = { finished += 1 }
                exchange.onAbandoned = { abandoned += 1 }
                waiting = exchange
            }
            let line = try await bench.dial()
            line.get("/")
            try await bench.until("the request") { waiting != nil }
            line.stream.close()
            try await bench.until("the news") { finished == 1 }
            #expect(waiting?.isAlive == true && abandoned == 0)
            waiting?.respond(.text(.ok, "still"))
            try await bench.until("the end") { bench.metrics.connections.value == 0 }
            #expect(finished == 1 && abandoned == 0)
        }
    }

    @Test("answers HEAD as GET, without the body")
    func head() async throws {
        try await withBench { bench in
            let line = try await bench.dial()
            line.send("HEAD / HTTP/1.1\r\nHost: here\r\n\r\nGET / HTTP/1.1\r\nHost: here\r\n\r\n")
            let answers = try await [line.answer(to: .head), line.answer()]
            #expect(answers.map { $0[.contentLength] } == ["6", "6"])
            #expect(answers.map(\.text) == ["", "hello\n"])
        }
    }

    @Test(
        "says what is wrong with a request and closes",
        arguments: [
            ("GET / HTTP/1.1\r\n\r\n", 400), ("G(T / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505), ("GET /../x HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
            ("GET / HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\n\r\n", 417), ("\u{16}\u{3}\u{1}\r\n\r\n", 400),
        ])
    func refusals(request: String, status: Int) async throws {
        try await withBench { bench in
            let line = try await bench.dial()
            line.send(request)
            let answer = try await line.answer()
            #expect(answer.status == status && answer[.connection] == "close" && answer[.cacheControl] == "no-store")
            try await line.closed()
            #expect(bench.metrics.refusals.value == 1)
            #expect(bench.journal.events(named: .httpRefused).count == 1)
        }
    }
}
