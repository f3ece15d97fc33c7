import Reactor
import Secure
import TestSupport
import Web

@testable import HTTPServer

/// A client's end of a connection: it keeps what comes, and takes answers out of that one by one.
final class Line: StreamHandler {
    let stream: any ByteStream
    let bench: Bench
    private(set) var input: [UInt8] = []
    private(set) var peerHasFinished = false
    private(set) var end: StreamEnd?

    init(_ stream: any ByteStream, _ bench: Bench) {
        self.stream = stream
        self.bench = bench
    }

    func received(_ bytes: inout MutableSpan<UInt8>) {
        bytes.span.withUnsafeBufferPointer { self.input.append(contentsOf: $0) }
    }

    func peerFinished() { self.peerHasFinished = true }
    func drained() {}
    func ended(_ end: StreamEnd) { self.end = end }

    func send(_ text: String) { self.send(Array(text.utf8)) }
    func send(_ bytes: [UInt8]) { self.stream.write(bytes.span) }

    /// A request without anything unusual.
    func get(_ path: String, _ fields: String...) {
        self.send("GET \(path) HTTP/1.1\r\nHost: here\r\n" + fields.map { "\($0)\r\n" }.joined() + "\r\n")
    }

    var isClosed: Bool { self.peerHasFinished || self.end != nil }

    func closed() async throws { try await self.bench.until("the end of the connection") { self.isClosed } }

    func take(_ count: Int) -> [UInt8] {
        defer { self.input.removeFirst(count) }
        return Array(self.input.prefix(count))
    }
}

/// An answer, all of it.
struct Answer: Equatable {
    let head: HTTPResponseHead
    var body: [UInt8] = []

    var status: Int { Int(self.head.status.code) }
    var text: String { String(decoding: self.body, as: UTF8.self) }
    subscript(name: HTTPFieldName) -> String? { self.head.fields[name] }
}

extension Line {
    /// The next answer, once it is all there.
    func answer(to method: HTTPMethod = .get) async throws -> Answer {
        var answer: Answer?
        try await self.bench.until("an answer after \(self.input.count) bytes") {
            answer = self.nextAnswer(method)
            return answer != nil || (self.isClosed && self.input.isEmpty)
        }
        guard let answer else { throw NeverCame(what: "an answer before the connection's end") }
        return answer
    }

    /// Reads from the beginning each time: what a test gets is small.
    private func nextAnswer(_ method: HTTPMethod) -> Answer? {
        var limits = HTTPLimits()
        limits.maximumBodyBytes = .max
        var parser = HTTPResponseParser(limits: limits)
        parser.expect(answerTo: method)
        var (answer, offset): (Answer?, Int) = (nil, 0)
        while let part = try? parser.next(in: self.input.span, from: &offset) {
            switch part {
            case .informational(let head): answer = Answer(head: head)
            case .head(let head): answer = Answer(head: head)
            case .body(let range): answer?.body += self.input[range]
            case .end: return self.finish(answer, offset)
            }
            if answer?.head.status.isInformational == true { return self.finish(answer, offset) }
        }
        return nil
    }

    private func finish(_ answer: Answer?, _ offset: Int) -> Answer? {
        _ = self.take(offset)
        return answer
    }
}

extension Bench {
    func dial() async throws -> Line {
        let line = Line(try await self.connect(), self)
        (line.stream as? TCPConnection)?.start(line)
        return line
    }

    func connect() async throws -> TCPConnection {
        var result: Result<TCPConnection, ReactorError>?
        self.reactor.connect(to: self.address) { result = $0 }
        try await self.until("a connection") { result != nil }
        guard let connection = try result?.get() else { throw NeverCame(what: "a connection") }
        connection.policy = .with { $0.limit = 64 << 20 }
        return connection
    }

    /// A client of the server's TLS.
    func dialTLS(_ context: TLSContext, over connection: TCPConnection? = nil) async throws -> Line {
        let below = if let connection { connection } else { try await self.connect() }
        let stream = TLSStream(over: below, try TLSSession(context, role: .client(name: "localhost")))
        let line = Line(stream, self)
        stream.start(line)
        below.start(stream)
        // Nothing has come yet, but being asked to read makes the client say hello.
        var nothing: [UInt8] = []
        var span = nothing.mutableSpan
        stream.received(&span)
        return line
    }
}
