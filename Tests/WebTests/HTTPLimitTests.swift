import TestSupport
import Testing
import Web

@Suite("The limits of an HTTP parser")
struct HTTPLimitTests {
    private static func request(
        target: String = "/", fields: String = "", body: String = "", changing change: (inout HTTPLimits) -> Void
    ) -> HTTPFault? {
        var limits = HTTPLimits()
        change(&limits)
        let text = "POST \(target) HTTP/1.1\r\nHost: x\r\n\(fields)\r\n\(body)"
        let whole = RequestTranscript(of: text, limits: limits)
        #expect(RequestTranscript(of: text, cutInto: [1], limits: limits) == whole)
        #expect(RequestTranscript(of: text, cutInto: [13, 5], limits: limits) == whole)
        return whole.error?.fault
    }

    @Test("maximumURIBytes refuses a longer target with 414", arguments: [(10, nil), (11, HTTPFault.uriTooLong)])
    func maximumURIBytes(length: Int, fault: HTTPFault?) {
        let target = "/" + String(repeating: "a", count: length - 1)
        #expect(Self.request(target: target) { $0.maximumURIBytes = 10 } == fault)
        #expect(HTTPFault.uriTooLong.status.code == 414)
    }

    @Test("maximumURIBytes stops a request line that never ends")
    func endlessLine() {
        let text = "GET /" + String(repeating: "a", count: 100_000)
        let error = RequestTranscript(of: text).error
        #expect(error?.fault == .uriTooLong && (error?.offset ?? 0) < 8300)
    }

    // "Host: x", one field, and their line ends.
    @Test("maximumHeaderBytes refuses larger headers with 431", arguments: [(21, nil), (22, HTTPFault.headerTooLarge)])
    func maximumHeaderBytes(length: Int, fault: HTTPFault?) {
        let field = "A: " + String(repeating: "b", count: length - 14) + "\r\n"
        #expect(Self.request(fields: field) { $0.maximumHeaderBytes = 21 } == fault)
        #expect(HTTPFault.headerTooLarge.status.code == 431)
    }

    @Test("maximumHeaderBytes stops a header line that never ends")
    func endlessHeader() {
        let text = "GET / HTTP/1.1\r\nA: " + String(repeating: "a", count: 100_000)
        let error = RequestTranscript(of: text).error
        #expect(error?.fault == .headerTooLarge && (error?.offset ?? 0) < 33_000)
    }

    @Test("maximumHeaderBytes refuses 64 KiB of headers")
    func manyKilobytes() {
        let fields = (0..<64).map { "X-\($0): \(String(repeating: "a", count: 1000))\r\n" }.joined()
        #expect(Self.request(fields: fields) { _ in } == .headerTooLarge)
    }

    @Test("maximumHeaderCount refuses more headers with 431", arguments: [(2, nil), (3, HTTPFault.tooManyFields)])
    func maximumHeaderCount(count: Int, fault: HTTPFault?) {
        let fields = String(repeating: "A: b\r\n", count: count)
        #expect(Self.request(fields: fields) { $0.maximumHeaderCount = 3 } == fault)
        #expect(HTTPFault.tooManyFields.status.code == 431)
    }

    @Test("maximumBodyBytes refuses an announced body with 413", arguments: [(5, nil), (6, HTTPFault.bodyTooLarge)])
    func maximumBodyBytes(length: Int, fault: HTTPFault?) {
        let body = String(repeating: "a", count: length)
        #expect(Self.request(fields: "Content-Length: \(length)\r\n", body: body) { $0.maximumBodyBytes = 5 } == fault)
        #expect(HTTPFault.bodyTooLarge.status.code == 413)
    }

    @Test(
        "maximumBodyBytes refuses chunks that add up to more", arguments: [("2", nil), ("3", HTTPFault.bodyTooLarge)])
    func maxChunkedBodyBytes(size: String, fault: HTTPFault?) {
        let body = "3\r\nabc\r\n\(size)\r\n" + (size == "2" ? "de\r\n0\r\n\r\n" : "")
        #expect(Self.request(fields: "Transfer-Encoding: chunked\r\n", body: body) { $0.maximumBodyBytes = 5 } == fault)
    }

    @Test(
        "maximumChunkExtensionBytes adds up over the whole body",
        arguments: [(3, nil), (4, HTTPFault.chunkExtensionTooLarge)])
    func maximumChunkExtensionBytes(length: Int, fault: HTTPFault?) {
        let more = String(repeating: "e", count: length)
        let body = "1;eee\r\na\r\n1;\(more)\r\nb\r\n0\r\n\r\n"
        let found = Self.request(fields: "Transfer-Encoding: chunked\r\n", body: body) {
            $0.maximumChunkExtensionBytes = 6
        }
        #expect(found == fault)
    }

    @Test("maximumTrailerBytes refuses larger trailers", arguments: [(10, nil), (11, HTTPFault.headerTooLarge)])
    func maximumTrailerBytes(length: Int, fault: HTTPFault?) {
        let trailer = "A: " + String(repeating: "b", count: length - 5) + "\r\n"
        let body = "0\r\n\(trailer)\r\n"
        #expect(
            Self.request(fields: "Transfer-Encoding: chunked\r\n", body: body) { $0.maximumTrailerBytes = 10 } == fault)
    }

    @Test("maximumTrailerCount refuses more trailers", arguments: [(2, nil), (3, HTTPFault.tooManyFields)])
    func maximumTrailerCount(count: Int, fault: HTTPFault?) {
        let body = "0\r\n" + String(repeating: "A: b\r\n", count: count) + "\r\n"
        #expect(
            Self.request(fields: "Transfer-Encoding: chunked\r\n", body: body) { $0.maximumTrailerCount = 2 } == fault)
    }

    @Test("maximumLeadingEmptyLines refuses more empty lines", arguments: [(1, nil), (2, HTTPFault.tooManyEmptyLines)])
    func maximumLeadingEmptyLines(count: Int, fault: HTTPFault?) {
        var limits = HTTPLimits()
        limits.maximumLeadingEmptyLines = 1
        let text = String(repeating: "\r\n", count: count) + "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
        #expect(RequestTranscript(of: text, limits: limits).error?.fault == fault)
    }

    @Test("limitBody lowers the limit for one request", arguments: ["Content-Length: 4", "Transfer-Encoding: chunked"])
    func limitBody(field: String) throws {
        var parser = HTTPRequestParser()
        let body = field.hasPrefix("C") ? "abcd" : "4\r\nabcd\r\n0\r\n\r\n"
        let bytes = Array("POST / HTTP/1.1\r\nHost: x\r\n\(field)\r\n\r\n\(body)".utf8)
        var offset = 0
        _ = try parser.next(in: bytes.span, from: &offset)
        parser.limitBody(to: 3)
        do {
            _ = try parser.next(in: bytes.span, from: &offset)
            Issue.record("the body came through")
        } catch {
            #expect(error.fault == .bodyTooLarge)
        }
    }

    @Test("lives through noise, and says the same however it is cut")
    func noise() {
        var random = SeededRandom(seed: 9112)
        let texts = Samples.good + Samples.refused.map(\.text)
        for _ in 0..<3000 {
            var bytes = Array((texts.randomElement(using: &random) ?? "").utf8)
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = .random(in: 0...255, using: &random)
                case 1: bytes.insert([13, 10, 32, 0, 58, 59, 48, 255].randomElement(using: &random) ?? 0, at: index)
                default: if bytes.count > 1 { bytes.remove(at: index) }
                }
            }
            let sizes = (0..<3).map { _ in Int.random(in: 1...40, using: &random) }
            #expect(RequestTranscript(of: bytes, cutInto: sizes) == RequestTranscript(of: bytes))
        }
    }
}
