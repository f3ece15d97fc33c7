import Bytes
import TestSupport
import Testing
import Web

@Suite("An HTTP request parser")
struct HTTPRequestParserTests {
    @Test("reads a head, its fields and the end")
    func simple() {
        let transcript = RequestTranscript(
            of: "GET /a%20b?c=d%20e HTTP/1.1\r\nHost: x:8080\r\nEmpty:\r\nA: \t b c \t\r\n\r\n")
        #expect(transcript.parts == ["GET /a b c=d%20e x:8080 [Host=x:8080,Empty=,A=b c]", "end"])
        #expect(transcript.error == nil)
    }

    @Test("reads a body of known length where it lies")
    func fixedBody() {
        let transcript = RequestTranscript(of: "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello")
        #expect(transcript.parts == ["POST / - x [Host=x,Content-Length=5]", "body hello", "end"])
    }

    @Test("reads chunks, extensions and trailers")
    func chunked() {
        let transcript = RequestTranscript(
            of: "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n"
                + "5;a=\"b;c\"\r\nhello\r\n00A\r\n, wide wor\r\n2\r\nld\r\n0;last\r\nX-Sum: 7\r\n\r\n")
        #expect(
            transcript.parts == [
                "POST / - x [Host=x,Transfer-Encoding=Chunked]", "body hello, wide world", "end X-Sum=7",
            ])
    }

    @Test("reads requests that come one after another in one go")
    func pipelined() {
        let transcript = RequestTranscript(
            of: "GET /1 HTTP/1.1\r\nHost: x\r\n\r\n\r\nPOST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi"
                + "POST /3 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /4 HTTP/1.0\r\n\r\n")
        #expect(transcript.error == nil)
        #expect(transcript.parts.filter { $0 == "end" }.count == 4)
        #expect(transcript.parts.last == "end")
        #expect(transcript.parts.contains("GET /4 - - []"))
    }

    @Test("takes the authority of a whole URI and not that of Host")
    func absolute() {
        let transcript = RequestTranscript(of: "GET HTTP://a.example:81?q HTTP/1.1\r\nHost: b\r\n\r\n")
        #expect(transcript.parts.first == "GET / q a.example:81 [Host=b]")
    }

    @Test("asks about the server as a whole with a star")
    func star() {
        #expect(RequestTranscript(of: "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n").parts.first == "OPTIONS * - x [Host=x]")
    }

    @Test("says the same however the bytes are cut", arguments: Samples.good + Samples.refused.map(\.text))
    func cuts(text: String) {
        let bytes = Array(text.utf8)
        let whole = RequestTranscript(of: bytes)
        for cut in 1..<max(2, bytes.count) {
            #expect(RequestTranscript(of: bytes, cutInto: [cut, bytes.count]) == whole)
        }
        #expect(RequestTranscript(of: bytes, cutInto: [1]) == whole)
    }

    @Test("waits at every byte and refuses nothing that is only incomplete", arguments: Samples.good)
    func prefixes(text: String) {
        let bytes = Array(text.utf8)
        for count in 0..<bytes.count {
            #expect(RequestTranscript(of: Array(bytes[..<count])).error == nil)
        }
    }

    @Test("An HTTP request that breaks the rules is refused", arguments: Samples.refused)
    func refuses(sample: Samples.Refused) {
        let transcript = RequestTranscript(of: sample.text)
        #expect(transcript.error?.fault == sample.fault, "\(sample): \(transcript)")
        #expect(transcript.error?.status.code == sample.status)
    }

    @Test("counts the place of an error from the connection's first byte")
    func errorOffset() {
        let good = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
        let bad = "GET / HTTP/1.1\r\nHost : x\r\n\r\n"
        for sizes in [[], [1], [7], [40]] {
            let error = RequestTranscript(of: good + bad, cutInto: sizes).error
            #expect(error?.offset == good.utf8.count + 20)
        }
    }

    @Test("stays refused after an error")
    func staysRefused() {
        var parser = HTTPRequestParser()
        let bad = Array("nonsense\r\n\r\n".utf8)
        let good = Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
        for bytes in [bad, good, good] {
            var offset = 0
            do {
                _ = try parser.next(in: bytes.span, from: &offset)
                Issue.record("went on")
            } catch {
                #expect(error.fault == .malformedStartLine)
            }
        }
    }

    @Test("leaves the bytes after an upgrade to the new protocol")
    func handOver() throws {
        var parser = HTTPRequestParser()
        let head = "GET / HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\n"
        let bytes = Array(head.utf8) + [0x81, 0x80]
        var offset = 0
        let part = try parser.next(in: bytes.span, from: &offset)
        guard case .head(let request) = part else {
            Issue.record("no head")
            return
        }
        #expect(request.isUpgrade(to: "WebSocket") && !request.isUpgrade(to: "h2c"))
        parser.handOver()
        let more = try parser.next(in: bytes.span, from: &offset)
        #expect(more == nil && offset == head.utf8.count)
    }

    @Test("knows when it is between requests")
    func idle() throws {
        var parser = HTTPRequestParser()
        #expect(parser.isIdle)
        let bytes = Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
        var offset = 0
        let beginning = Array(bytes[..<4])
        _ = try parser.next(in: beginning.span, from: &offset)
        #expect(!parser.isIdle)
        offset = 4
        _ = try parser.next(in: bytes.span, from: &offset)
        #expect(!parser.isIdle)
        _ = try parser.next(in: bytes.span, from: &offset)
        #expect(parser.isIdle)
    }

    @Test(
        "knows whether the connection is to be kept",
        arguments: [
            ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: close\r\n", false),
            ("HTTP/1.1", "Connection: foo, Close\r\n", false), ("HTTP/1.1", "Connection: closed\r\n", true),
            ("HTTP/1.0", "", false), ("HTTP/1.0", "Connection: Keep-Alive\r\n", true),
            ("HTTP/1.0", "Connection: keep-alive\r\nConnection: close\r\n", false),
        ])
    func keepAlive(version: String, field: String, expected: Bool) throws {
        #expect(try Samples.head("GET / \(version)\r\nHost: x\r\n\(field)\r\n").keepAlive == expected)
    }

    @Test("knows who waits for a go-ahead before the body")
    func expectation() throws {
        let waits = "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-Continue\r\nContent-Length: 3\r\n\r\n"
        let hasNoBody = "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n"
        let isOld = "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
        #expect(try Samples.head(waits).expectsContinue)
        #expect(try !Samples.head(hasNoBody).expectsContinue)
        #expect(try !Samples.head(isOld).expectsContinue)
    }

    @Test(
        "resolves paths so that none can escape",
        arguments: [
            ("/", "/"), ("/a/b", "/a/b"), ("/a/", "/a/"), ("/a/./b", "/a/b"), ("/a/../b", "/b"), ("/a/b/..", "/a/"),
            ("/a/b/../", "/a/"), ("/a/.", "/a/"), ("//a//b", "/a/b"), ("/%61", "/a"), ("/a%2Fb", "/a/b"),
            ("/a%2f%2e%2e%2fb", "/b"), ("/%2525", "/%25"), ("/...", "/..."), ("/%E4%BD%A0", "/你"), ("/a/..//b", "/b"),
            ("/+", "/+"),
        ])
    func paths(target: String, path: String) throws {
        #expect(try Samples.head("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n").path == path)
    }
}
