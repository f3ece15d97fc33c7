import Journal
import Reactor
import TestSupport
import Testing
import Web

@testable import HTTPServer

@Suite("A router", .timeLimit(.minutes(2)))
struct RouterTests {
    private static func makeRouter() -> Router {
        var router = Router()
        router.on(.get, "/") { exchange, _ in exchange.respond(.text(.ok, "root")) }
        router.on(.get, "/rooms/:room/members") { exchange, parameters in
            exchange.respond(.text(.ok, "members of \(parameters["room"] ?? "-") \(parameters["nobody"] ?? "-")"))
        }
        router.on(.get, "/rooms/lobby/:any") { exchange, _ in exchange.respond(.text(.ok, "never")) }
        router.on(.post, "/rooms/:room/members") { exchange, _ in exchange.respond(HTTPResponse(.created)) }
        router.on(.get, "/files/*") { exchange, parameters in
            exchange.respond(.text(.ok, "file [\(parameters["*"] ?? "-")]"))
        }
        // Those that begin with a name stand among those that do not, as they came.
        router.on(.get, "/early/last") { exchange, _ in exchange.respond(.text(.ok, "early")) }
        router.on(.get, "/:any/last") { exchange, parameters in
            exchange.respond(.text(.ok, "any \(parameters["any"] ?? "-")"))
        }
        router.on(.get, "/late/last") { exchange, _ in exchange.respond(.text(.ok, "never")) }
        return router
    }

    private static func answer(_ method: HTTPMethod, _ path: String) async throws -> Answer {
        let answer = Box<Answer?>(nil)
        try await withBench { bench in
            let router = Self.makeRouter()
            bench.respond = { router.respond(to: $0) }
            let line = try await bench.dial()
            line.send("\(method.text) \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
            answer.value = try await line.answer(to: method)
        }
        return try #require(answer.value)
    }

    @Test(
        "finds the first route that fits",
        arguments: [
            ("/", "root"), ("/rooms/a%20b/members", "members of a b -"), ("/rooms/lobby/members", "members of lobby -"),
            ("/files/a/b.txt", "file [a/b.txt]"), ("/files", "file []"), ("/files/", "file []"),
            // What would combine with a slash does not hide it.
            ("/files/%CC%81a", "file [\u{301}a]"),
            ("/files/docs/", "file [docs/]"), ("/files/a//b", "file [a/b]"), ("/files/x/../y", "file [y]"),
            ("/early/last", "early"), ("/late/last", "any late"), ("/rooms/last", "any rooms"),
            ("/new/last", "any new"),
        ])
    func finds(path: String, text: String) async throws {
        let answer = try await Self.answer(.get, path)
        #expect(answer.status == 200 && answer.text == text)
    }

    @Test("knows nothing of other paths", arguments: ["/rooms", "/rooms/a", "/rooms/a/members/b", "/Files", "/file"])
    func notFound(path: String) async throws {
        #expect(try await Self.answer(.get, path).status == 404)
        #expect(try await Self.answer(.options, path).status == 404)
    }

    @Test("says what is allowed", arguments: [(HTTPMethod.delete, 405), (.options, 204)])
    func allow(method: HTTPMethod, status: Int) async throws {
        let answer = try await Self.answer(method, "/rooms/a/members")
        #expect(answer.status == status && answer[.allow] == "GET, HEAD, POST, OPTIONS")
    }

    @Test("answers HEAD as GET")
    func head() async throws {
        let answer = try await Self.answer(.head, "/")
        #expect(answer.status == 200 && answer[.contentLength] == "4" && answer.body.isEmpty)
    }
}

@Suite("Web pages from elsewhere")
struct CrossOriginTests {
    private static func request(_ host: String, _ origin: String?, _ more: String = "", method: String = "GET") throws
        -> HTTPRequestHead
    {
        let origin = origin.map { "Origin: \($0)\r\n" } ?? ""
        let text = Array("\(method) / HTTP/1.1\r\nHost: \(host)\r\n\(origin)\(more)\r\n".utf8)
        var parser = HTTPRequestParser()
        var offset = 0
        guard case .head(let head) = try parser.next(in: text.span, from: &offset) else {
            throw NeverCame(what: "a head")
        }
        return head
    }

    @Test(
        "are told apart from our own",
        arguments: [
            // host, origin, the server is encrypted, may
            ("chat.example", nil, false, true),
            ("chat.example", "http://chat.example", false, true),
            ("chat.example:80", "http://chat.example", false, true),
            ("chat.example:8080", "http://chat.example:8080", false, true),
            ("chat.example", "ws://chat.example", false, true),
            ("Chat.Example", "http://chat.example", false, true),
            // A proxy took the TLS off.
            ("chat.example", "https://chat.example", false, true),
            ("chat.example:443", "https://chat.example", true, true),
            ("chat.example", "wss://chat.example", true, true),
            ("chat.example", "http://chat.example", true, false),
            ("chat.example", "http://chat.example:8080", false, false),
            ("chat.example", "http://evil.example", false, false),
            ("chat.example", "http://chat.example.evil", false, false),
            ("chat.example", "null", false, false),
            ("chat.example", "file://", false, false),
            ("chat.example", "ftp://chat.example", false, false),
            ("chat.example", "https://friend.example", true, true),
            ("chat.example", "https://friend.example:8443", true, false),
        ] as [(String, String?, Bool, Bool)])
    func allows(host: String, origin: String?, isEncrypted: Bool, may: Bool) throws {
        let rules = CrossOrigin(allowed: ["https://friend.example"])
        let request = try Self.request(host, origin)
        #expect(rules.allows(request, isEncrypted: isEncrypted) == may)
        let names = rules.fields(for: request, isEncrypted: isEncrypted).map { "\($0.0)" }
        #expect(names.contains("Access-Control-Allow-Origin") == (may && origin != nil))
        #expect(names.contains("Vary") == (origin != nil))
    }

    @Test("may send what the browser keeps only when they are named", arguments: [true, false])
    func credentials(isNamed: Bool) throws {
        let rules = CrossOrigin(allowed: isNamed ? ["https://a.example"] : ["*"])
        let fields = rules.fields(for: try Self.request("b.example", "https://a.example"), isEncrypted: true)
        #expect(fields.contains { $0.0 == .accessControlAllowOrigin && $0.1 == "https://a.example" })
        #expect(fields.contains { $0.0 == .accessControlAllowCredentials } == isNamed)
    }

    @Test("ask before they send something unusual", arguments: ["https://a.example", "https://evil.example"])
    func preflight(origin: String) throws {
        let rules = CrossOrigin(allowed: ["https://a.example"])
        let asked = "Access-Control-Request-Method: PUT\r\nAccess-Control-Request-Headers: x-token\r\n"
        let request = try Self.request("b.example", origin, asked, method: "OPTIONS")
        let answer = try #require(rules.preflight(request, isEncrypted: false))
        let fields = answer.head.fields
        if origin == "https://a.example" {
            #expect(answer.head.status == .noContent && fields[.accessControlAllowOrigin] == origin)
            #expect(fields[.accessControlAllowMethods] == "PUT" && fields[.accessControlAllowHeaders] == "x-token")
        } else {
            #expect(answer.head.status == .forbidden && fields[.accessControlAllowOrigin] == nil)
        }
        let plain = try Self.request("b.example", origin, method: "OPTIONS")
        let isAsked = rules.preflight(plain, isEncrypted: false) != nil
        #expect(!isAsked)
    }
}

@Suite("An answer's size", .timeLimit(.minutes(2)))
struct AnswerCompressionTests {
    @Test(
        "shrinks when the client takes gzip and nothing speaks against it",
        arguments: [
            // type, cache control, length, accepts, is compressed, varies
            ("text/html", nil, 2000, "gzip", true, true),
            ("application/json", nil, 2000, "deflate, gzip;q=0.5", true, true),
            ("text/html", nil, 2000, nil, false, true),
            ("text/html", nil, 2000, "gzip;q=0, *", false, true),
            ("text/html", "no-store", 2000, "gzip", false, false),
            ("text/html", "private, no-store", 2000, "gzip", false, false),
            ("image/png", nil, 2000, "gzip", false, false),
            ("text/html", nil, 1023, "gzip", false, false),
        ] as [(String, String?, Int, String?, Bool, Bool)])
    func gzip(
        type: String, cache: String?, length: Int, accepts: String?, isCompressed: Bool, varies: Bool
    ) async throws {
        let text = String(repeating: "parley ", count: length / 7) + String(repeating: "!", count: length % 7)
        try await withBench { bench in
            bench.respond = { exchange in
                var response = HTTPResponse(.ok, fields: [.contentType: type], body: .bytes(Array(text.utf8)))
                response.head.fields[.cacheControl] = cache
                exchange.respond(response)
            }
            let line = try await bench.dial()
            if let accepts { line.get("/", "Accept-Encoding: \(accepts)") } else { line.get("/") }
            let answer = try await line.answer()
            #expect((answer[.contentEncoding] == "gzip") == isCompressed)
            #expect((answer[.vary] == "Accept-Encoding") == varies)
            let body = isCompressed ? try GzipDecoder.decompress(answer.body.span, limit: 1 << 20) : answer.body
            #expect(String(decoding: body, as: UTF8.self) == text)
            #expect(!isCompressed || answer.body.count < 200)
        }
    }
}
