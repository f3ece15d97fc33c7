import TestSupport
import Testing
import Web

/// What an answer said, as text.
private struct ResponseTranscript: Equatable {
    var parts: [String] = []
    var fault: HTTPFault?
    var offset: Int?

    init(
        of bytes: [UInt8], cutInto sizes: [Int] = [], answering method: HTTPMethod = .get,
        limits: HTTPLimits = HTTPLimits()
    ) {
        var parser = HTTPResponseParser(limits: limits)
        parser.expect(answerTo: method)
        var body: [UInt8] = []
        do throws(HTTPResponseError) {
            for piece in RequestTranscript.pieces(of: bytes, sizes) {
                var offset = 0
                while let part = try parser.next(in: piece.span, from: &offset) { self.take(part, piece, &body) }
            }
            if let part = try parser.connectionClosed() { self.take(part, [], &body) }
        } catch {
            self.fault = error.fault
            self.offset = error.offset
        }
    }

    private mutating func take(_ part: HTTPResponsePart, _ piece: [UInt8], _ body: inout [UInt8]) {
        switch part {
        case .informational(let head): self.parts.append("(\(head.status.code))")
        case .head(let head): self.parts.append("\(head.status) \(head.fields.map { "\($0.name)=\($0.value)" })")
        case .body(let range): body += piece[range]
        case .end(let trailers):
            self.parts.append("<\(String(decoding: body, as: UTF8.self))>")
            body = []
            if let trailers { self.parts.append(trailers.map { "\($0.name)=\($0.value)" }.joined()) }
        }
    }
}

@Suite("An HTTP response parser")
struct HTTPResponseParserTests {
    private static let good: [(text: String, parts: [String])] = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", ["200 OK [\"Content-Length=2\"]", "<hi>"]),
        ("HTTP/1.1 204 \r\n\r\n", ["204  []", "<>"]),
        ("HTTP/1.1 304\r\nContent-Length: 9\r\n\r\n", ["304  [\"Content-Length=9\"]", "<>"]),
        (
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\n\r\nHTTP/1.0 200 OK\r\n\r\nto the end",
            ["(100)", "(103)", "200 OK []", "<to the end>"]
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nX: y\r\n\r\nHTTP/1.1 201 C\r\n\r\n",
            ["200 OK [\"Transfer-Encoding=chunked\"]", "<ab>", "X=y", "201 C []", "<>"]
        ),
    ]

    @Test("reads answers however they are cut", arguments: good.indices)
    func cuts(index: Int) {
        let (text, parts) = Self.good[index]
        let bytes = Array(text.utf8)
        let whole = ResponseTranscript(of: bytes)
        #expect(whole.parts == parts && whole.fault == nil)
        for cut in 1..<bytes.count { #expect(ResponseTranscript(of: bytes, cutInto: [cut, bytes.count]) == whole) }
        #expect(ResponseTranscript(of: bytes, cutInto: [1]) == whole)
    }

    @Test("reads no body in an answer to HEAD")
    func head() {
        let bytes = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n".utf8)
        #expect(ResponseTranscript(of: bytes, answering: .head).parts.last == "<>")
        #expect(ResponseTranscript(of: bytes).fault == .truncatedBody)
    }

    @Test(
        "An HTTP response that breaks the rules is refused",
        arguments: [
            ("HTTP/1.1 20 OK\r\n\r\n", HTTPFault.malformedStartLine), ("HTTP/1.1 2000 OK\r\n\r\n", .malformedStartLine),
            ("HTTP/1.1 600 OK\r\n\r\n", .malformedStartLine), ("HTTP/1.1200 OK\r\n\r\n", .malformedStartLine),
            ("ICY 200 OK\r\n\r\n", .malformedStartLine), ("HTTP/2.0 200 OK\r\n\r\n", .unsupportedVersion),
            ("\r\nHTTP/1.1 200 OK\r\n\r\n", .tooManyEmptyLines), ("HTTP/1.1 200 OK\n\n", .bareLineFeed),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
                .contentLengthWithTransferEncoding
            ),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\n", .invalidContentLength),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", .unsupportedTransferEncoding),
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi", .truncatedBody), ("HTTP/1.1 200", .truncatedBody),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n", .truncatedBody),
        ])
    func refuses(text: String, fault: HTTPFault) {
        let whole = ResponseTranscript(of: Array(text.utf8))
        #expect(whole.fault == fault)
        #expect(ResponseTranscript(of: Array(text.utf8), cutInto: [1]) == whole)
    }

    @Test("maximumBodyBytes holds for a body without a length")
    func maximumBodyBytes() {
        var limits = HTTPLimits()
        limits.maximumBodyBytes = 3
        let head = "HTTP/1.1 200 OK\r\n\r\n"
        #expect(ResponseTranscript(of: Array("\(head)abc".utf8), limits: limits).fault == nil)
        let whole = ResponseTranscript(of: Array("\(head)abcd".utf8), limits: limits)
        #expect(whole.fault == .bodyTooLarge && whole.offset == 22)
        #expect(ResponseTranscript(of: Array("\(head)abcd".utf8), cutInto: [1], limits: limits) == whole)
    }
}

@Suite("An HTTP response encoder")
struct HTTPResponseEncoderTests {
    private static func write(
        _ request: String, _ head: HTTPResponseHead, bodyLength: Int?, keepAlive: Bool = true
    ) throws -> (text: String, plan: HTTPResponseEncoder.Plan) {
        var out: [UInt8] = []
        let encoder = HTTPResponseEncoder(answering: try Samples.head(request), keepAlive: keepAlive)
        let plan = encoder.write(head, bodyLength: bodyLength, into: &out)
        return (String(decoding: out, as: UTF8.self), plan)
    }

    private static let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    private static let old = "GET / HTTP/1.0\r\n\r\n"

    @Test("announces a length that is known")
    func knownLength() throws {
        let (text, plan) = try Self.write(Self.get, HTTPResponseHead(.ok, fields: ["A": "b"]), bodyLength: 12)
        #expect(text == "HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 12\r\n\r\n")
        #expect(plan.framing == .length(12) && plan.keepAlive)
    }

    @Test("sends chunks when the length is not known, and closes for those who cannot read them")
    func unknownLength() throws {
        let (text, plan) = try Self.write(Self.get, HTTPResponseHead(.ok), bodyLength: nil)
        #expect(text.contains("Transfer-Encoding: chunked\r\n") && plan.framing == .chunked && plan.keepAlive)
        let (oldText, oldPlan) = try Self.write(Self.old, HTTPResponseHead(.ok), bodyLength: nil)
        #expect(oldText == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        #expect(oldPlan.framing == .untilClose && !oldPlan.keepAlive)
    }

    @Test("answers HEAD as GET, without the body")
    func head() throws {
        let request = "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n"
        let (text, plan) = try Self.write(request, HTTPResponseHead(.ok), bodyLength: 12)
        #expect(text == "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n" && plan.framing == .none && plan.keepAlive)
    }

    @Test(
        "says nothing of a body where there can be none",
        arguments: [HTTPStatus.noContent, .notModified, .switchingProtocols])
    func withoutBody(status: HTTPStatus) throws {
        let (text, plan) = try Self.write(Self.get, HTTPResponseHead(status), bodyLength: 5)
        #expect(text == "HTTP/1.1 \(status)\r\n\r\n" && plan.framing == .none)
    }

    @Test("announces an empty body")
    func emptyBody() throws {
        let (text, plan) = try Self.write(Self.get, HTTPResponseHead(.notFound), bodyLength: 0)
        #expect(text == "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n" && plan.framing == .none)
    }

    @Test("says when the connection ends, and when an old one does not")
    func connection() throws {
        let closing = try Self.write(Self.get, HTTPResponseHead(.ok), bodyLength: 0, keepAlive: false)
        #expect(closing.text.contains("Connection: close\r\n") && !closing.plan.keepAlive)
        let asked = try Self.write(
            "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", HTTPResponseHead(.ok), bodyLength: 0)
        #expect(asked.text.contains("Connection: close\r\n") && !asked.plan.keepAlive)
        let own = try Self.write(Self.get, HTTPResponseHead(.ok, fields: [.connection: "close"]), bodyLength: 0)
        #expect(!own.plan.keepAlive)
        let old = try Self.write(
            "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", HTTPResponseHead(.ok), bodyLength: 0)
        #expect(old.text.contains("Connection: keep-alive\r\n") && old.plan.keepAlive)
    }

    @Test("decides the framing alone")
    func ownFraming() throws {
        let fields: HTTPFields = ["Content-Length": "99", "Transfer-Encoding": "gzip", "A": "b"]
        let (text, _) = try Self.write(Self.get, HTTPResponseHead(.ok, fields: fields), bodyLength: 3)
        #expect(text == "HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 3\r\n\r\n")
    }

    @Test("writes what our own parser reads back, in chunks of every size")
    func roundTrip() throws {
        var random = SeededRandom(seed: 1)
        var out: [UInt8] = []
        let encoder = HTTPResponseEncoder(answering: try Samples.head(Self.get))
        _ = encoder.write(HTTPResponseHead(.ok), bodyLength: nil, into: &out)
        var body: [UInt8] = []
        for size in [1, 15, 16, 255, 256, 4096, 70_000] {
            let piece = (0..<size).map { _ in UInt8.random(in: 97...122, using: &random) }
            HTTPChunk.writeHead(of: size, into: &out)
            out += piece
            HTTPChunk.writeEnd(into: &out)
            body += piece
        }
        HTTPChunk.writeLast(trailers: ["X-Sum": "1"], into: &out)
        let expected = [
            "200 OK [\"Transfer-Encoding=chunked\"]", "<\(String(decoding: body, as: UTF8.self))>", "X-Sum=1",
        ]
        #expect(ResponseTranscript(of: out).parts == expected)
        #expect(ResponseTranscript(of: out, cutInto: [1, 100, 3]).parts == expected)
    }

    @Test("answers a request that could not be read, and closes")
    func afterError() {
        var out: [UInt8] = []
        let plan = HTTPResponseEncoder.afterError.write(HTTPResponseHead(.badRequest), bodyLength: 0, into: &out)
        #expect(!plan.keepAlive && String(decoding: out, as: UTF8.self).contains("Connection: close\r\n"))
    }

    @Test("a request is written as our own parser reads it")
    func requests() {
        var out: [UInt8] = []
        HTTPRequestEncoder.write(.post, target: "/a?b", host: "x:1", fields: ["A": "b"], bodyLength: 2, into: &out)
        out += Array("hi".utf8)
        HTTPRequestEncoder.write(.get, target: "/", host: "[::1]", into: &out)
        #expect(
            RequestTranscript(of: out).parts == [
                "POST /a b x:1 [Host=x:1,A=b,Content-Length=2]", "body hi", "end", "GET / - [::1] [Host=[::1]]", "end",
            ])
    }
}
