import TestSupport
import Testing
import Web

@Suite("HTTP negotiation")
struct HTTPNegotiationTests {
    @Test(
        "writes dates and reads them back",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ])
    func dates(seconds: Int, text: String) {
        #expect(HTTPDate.format(seconds) == text)
        #expect(HTTPDate.parse(text) == seconds)
    }

    @Test("writes a date for any number")
    func extremeDates() {
        #expect(HTTPDate.format(.min) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(HTTPDate.format(.max) == "Fri, 31 Dec 9999 23:59:59 GMT")
    }

    @Test("dates come back, whatever the second")
    func dateRoundTrip() {
        var random = SeededRandom(seed: 1994)
        for _ in 0..<500 {
            let seconds = Int.random(in: 0...253_402_300_799, using: &random)
            #expect(HTTPDate.parse(HTTPDate.format(seconds)) == seconds)
        }
    }

    @Test(
        "reads no other dates",
        arguments: [
            "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Mon, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Wed, 30 Feb 2000 00:00:00 GMT",
            "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 nov 1994 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
            "Wed, 31 Dec 1969 23:59:59 GMT",
        ])
    func otherDates(text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }

    @Test(
        "finds the part that was asked for",
        arguments: [
            (nil, ByteRangeRequest.whole), ("bytes=0-0", .part(0..<1)), ("bytes=0-", .part(0..<100)),
            ("Bytes=10-19", .part(10..<20)), ("bytes=90-1000", .part(90..<100)), ("bytes=-5", .part(95..<100)),
            ("bytes=-1000", .part(0..<100)), ("bytes=99-", .part(99..<100)), ("bytes=100-", .unsatisfiable),
            ("bytes=-0", .unsatisfiable), ("bytes=5-4", .whole), ("bytes=a-b", .whole), ("bytes=-", .whole),
            ("bytes=0-1,3-4", .whole), ("bytes=0--1", .whole), ("items=0-1", .whole), ("bytes 0-1", .whole),
            ("bytes=99999999999999999999-", .unsatisfiable), ("bytes=0-99999999999999999999", .part(0..<100)),
            ("bytes=-99999999999999999999", .part(0..<100)), ("bytes=+1-2", .whole), ("", .whole),
        ] as [(String?, ByteRangeRequest)])
    func ranges(field: String?, expected: ByteRangeRequest) {
        #expect(ByteRangeRequest(field, length: 100) == expected)
    }

    @Test("names the part in the answer")
    func contentRange() {
        #expect(ByteRangeRequest("bytes=1-2", length: 9).contentRange(length: 9) == "bytes 1-2/9")
        #expect(ByteRangeRequest("bytes=9-", length: 9).contentRange(length: 9) == "bytes */9")
        #expect(ByteRangeRequest(nil, length: 9).contentRange(length: 9) == nil)
        #expect(ByteRangeRequest("bytes=-1", length: 0) == .unsatisfiable)
    }

    @Test("compares tags strongly and weakly, as in RFC 9110 §8.8.3.2")
    func tags() throws {
        let strong = try #require(EntityTag("1"))
        let weak = try #require(EntityTag("1", isWeak: true))
        #expect(!weak.matchesStrongly(weak) && weak.matchesWeakly(weak))
        #expect(!weak.matchesStrongly(strong) && weak.matchesWeakly(strong) && strong.matchesStrongly(strong))
        #expect(strong.description == "\"1\"" && weak.description == "W/\"1\"")
        #expect(EntityTag("a\"b") == nil && EntityTag("a b") == nil && EntityTag("a\r\n") == nil)
    }

    @Test("reads lists of tags")
    func tagLists() throws {
        let list = try #require(EntityTagList("\"a,b\" , W/\"c\",,\"\""))
        let (first, second) = (try #require(EntityTag("a,b")), try #require(EntityTag("c")))
        #expect(list.containsStrongly(first) && !list.containsStrongly(second) && list.containsWeakly(second))
        #expect(EntityTagList("*") == .any)
        for text in ["", "a", "\"a", "\"a\" \"b\"", "w/\"a\"", "W/", "\"a\"b", "*, \"a\""] {
            #expect(EntityTagList(text) == nil)
        }
        #expect(EntityTagList(String(repeating: "\"a\",", count: 65)) == nil)
    }

    @Test(
        "weighs the conditions of a request",
        arguments: [
            ("GET", "If-None-Match: \"1\"", HTTPPreconditions.Verdict.notModified),
            ("GET", "If-None-Match: W/\"1\"", .notModified), ("GET", "If-None-Match: \"2\"", .proceed),
            ("PUT", "If-None-Match: *", .failed), ("GET", "If-Match: \"1\"", .proceed),
            ("PUT", "If-Match: \"2\"", .failed), ("PUT", "If-Match: *", .proceed),
            ("GET", "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT", .notModified),
            ("GET", "If-Modified-Since: Sun, 06 Nov 1994 08:49:36 GMT", .proceed),
            ("POST", "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT", .proceed),
            ("GET", "If-None-Match: \"2\"\r\nIf-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT", .proceed),
            ("GET", "If-Modified-Since: yesterday", .proceed), ("GET", "If-None-Match: nonsense", .proceed),
        ])
    func conditions(method: String, field: String, verdict: HTTPPreconditions.Verdict) throws {
        let head = try Samples.head("\(method) / HTTP/1.1\r\nHost: x\r\n\(field)\r\n\r\n")
        #expect(HTTPPreconditions(head).verdict(tag: EntityTag("1"), modified: 784_111_777) == verdict)
    }

    @Test(
        "sends a part only of the state that is known",
        arguments: [
            ("A: b", true), ("If-Range: \"1\"", true), ("If-Range: \"2\"", false), ("If-Range: W/\"1\"", false),
            ("If-Range: Sun, 06 Nov 1994 08:49:37 GMT", true), ("If-Range: Sun, 06 Nov 1994 08:49:36 GMT", false),
            ("If-Range: *", false),
        ])
    func ifRange(field: String, allowed: Bool) throws {
        let head = try Samples.head("GET / HTTP/1.1\r\nHost: x\r\n\(field)\r\n\r\n")
        #expect(HTTPPreconditions(head).allowsPart(tag: EntityTag("1"), modified: 784_111_777) == allowed)
    }

    @Test(
        "packs for those who take gzip",
        arguments: [
            ("gzip", true), ("deflate, GZIP;q=0.5", true), ("gzip;q=0", false), ("gzip;q=0.000", false), ("*", true),
            ("*;q=0", false), ("gzip;q=0, *", false), ("br", false), ("", false), ("gzip;q=2", false),
            ("gzip;q=0.001", true), ("gzip;q=x", false), ("gzip;q=1.0000", false), ("gzip;;", false),
        ])
    func acceptEncoding(field: String, accepts: Bool) {
        #expect(ContentCoding.acceptsGzip([.acceptEncoding: field]) == accepts)
        #expect(!ContentCoding.acceptsGzip([:]))
    }

    @Test(
        "knows files by their names",
        arguments: [
            ("index.HTML", "text/html; charset=utf-8"), ("a.b.js", "text/javascript; charset=utf-8"),
            ("voice.opus", "audio/ogg; codecs=opus"), ("a.png", "image/png"), ("README", "application/octet-stream"),
            ("a.", "application/octet-stream"), (".htaccess", "application/octet-stream"),
            ("x.世", "application/octet-stream"),
        ])
    func mediaTypes(name: String, type: String) {
        #expect(MediaType(fileName: name).text == type)
    }

    @Test("reads queries and forms")
    func queries() {
        let query = QueryItems("a=1&b=%E4%BD%A0+%2B&&c&a=2&=x&d==")
        #expect(query?["a"] == "1" && query?.values(of: "a") == ["1", "2"] && query?["b"] == "你 +")
        #expect(query?["c"] == "" && query?[""] == "x" && query?["d"] == "=" && query?["e"] == nil)
        #expect(QueryItems("")?.items.isEmpty == true)
        for text in ["a=%", "a=%1", "a=%zz", "%ff=1", "a=%c0%80"] { #expect(QueryItems(text) == nil) }
        #expect(QueryItems(Array("a=b".utf8).span)?["a"] == "b" && QueryItems([0x61, 0x3D, 0xFF].span) == nil)
    }

    @Test("the limit of a query refuses more pairs")
    func queryLimit() {
        #expect(QueryItems("a&b&c", limit: 3)?.items.count == 3)
        #expect(QueryItems("a&b&c&d", limit: 3) == nil)
    }

    @Test("escapes come back, whatever the text", arguments: ["", "a b", "你好/?#%", "~-._", "\0\r\n", "🌍"])
    func percent(text: String) {
        let encoded = PercentCoding.encode(text)
        #expect(PercentCoding.decode(encoded) == text)
        #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }

    @Test("every refusal has an answer and a reason", arguments: HTTPFault.allCases)
    func faults(fault: HTTPFault) {
        #expect(fault.status.code >= 400 && !fault.status.reason.isEmpty && !fault.reason.isEmpty)
    }

    @Test("statuses have three digits and one line")
    func statuses() {
        #expect(HTTPStatus(code: 418)?.code == 418 && HTTPStatus(code: 404) == .notFound)
        #expect(HTTPStatus(code: 404)?.reason == "Not Found")
        #expect(HTTPStatus(code: 99) == nil && HTTPStatus(code: 600) == nil && HTTPStatus(code: 70_000) == nil)
        #expect(HTTPStatus(code: 200, reason: "a\r\nb") == nil)
    }

    @Test("gzip comes back, piece by piece")
    func gzip() throws {
        let encoder = GzipEncoder(level: 9)
        let text = Array(String(repeating: "hello ", count: 10_000).utf8)
        for _ in 0..<2 {
            var out: [UInt8] = []
            encoder.compress(text.span, into: &out)
            encoder.compress(text.span, into: &out)
            encoder.finish(into: &out)
            #expect(out.count < 1000)
            let back = try GzipDecoder.decompress(out.span, limit: 200_000)
            #expect(back == text + text)
        }
        let empty = try GzipDecoder.decompress(GzipEncoder.compress([]).span, limit: 0)
        #expect(empty.isEmpty)
    }

    @Test("gzip is refused when it is too large, cut or wrong")
    func wrongGzip() {
        let packed = GzipEncoder.compress([UInt8](repeating: 0, count: 1_000_000))
        var wrong = packed
        wrong[wrong.count - 5] ^= 1
        for (bytes, limit, failure) in [
            (packed, 999_999, GzipDecoder.Failure.tooLarge), (Array(packed.dropLast()), 1_000_000, .truncated),
            (wrong, 1_000_000, .corrupt), (packed + [0], 1_000_000, .corrupt), ([], 10, .truncated),
        ] {
            #expect(throws: failure) { try GzipDecoder.decompress(bytes.span, limit: limit) }
        }
    }
}
