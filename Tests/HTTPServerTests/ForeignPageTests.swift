import System
import Testing
import Web

@testable import HTTPServer

/// What every route has for nothing.
@Suite("A route and pages from elsewhere", .timeLimit(.minutes(2)))
struct ForeignPageTests {
    private static let friend = "Origin: https://friend.example"
    private static let stranger = "Origin: https://stranger.example"

    private static func answer(_ request: String, _ fields: String...) async throws -> Answer {
        let text = "\(request) HTTP/1.1\r\nHost: here\r\n" + fields.map { "\($0)\r\n" }.joined() + "\r\n"
        let method: HTTPMethod = request.hasPrefix("OPTIONS") ? .options : .get
        let result = Locked<Answer?>(nil)
        try await withBench { bench in
            var router = Router(CrossOrigin(allowed: ["https://friend.example"]))
            router.on(.get, "/door") { exchange, _ in exchange.respond(.text(.ok, "door")) }
            router.on(.get, "/file", foreignPages: .answered) { exchange, _ in
                exchange.respond(HTTPResponse(.ok, fields: [.vary: "Accept-Encoding"]))
            }
            router.on(.get, "/own", foreignPages: .refusedBy { $0.respond(.text(.forbidden, "mine")) }) { exchange, _ in
                exchange.respond(.text(.ok, "own"))
            }
            bench.respond = { router.respond(to: $0) }
            let line = try await bench.dial()
            line.send(text)
            let answer = try await line.answer(to: method)
            result.withLock { $0 = answer }
        }
        return try #require(result.withLock { $0 })
    }

    @Test("lets those on the list read every answer, also a refusal", arguments: [("/door", 200), ("/nowhere", 404)])
    func friends(path: String, status: Int) async throws {
        let answer = try await Self.answer("GET \(path)", Self.friend)
        #expect(answer.status == status && answer[.vary] == "Origin")
        #expect(answer[.accessControlAllowOrigin] == "https://friend.example")
    }

    @Test("refuses those that are not", arguments: [("/door", 403), ("/own", 403), ("/file", 200)])
    func strangers(path: String, status: Int) async throws {
        let answer = try await Self.answer("GET \(path)", Self.stranger)
        #expect(answer.status == status && answer[.accessControlAllowOrigin] == nil)
        #expect((answer.text == "mine") == (path == "/own"))
    }

    @Test("asks nobody for an origin")
    func programs() async throws {
        let answer = try await Self.answer("GET /door")
        #expect(answer.status == 200 && answer[.vary] == nil)
    }

    @Test("adds to what an answer varies with")
    func vary() async throws {
        let answer = try await Self.answer("GET /file", Self.friend)
        #expect(answer.head.fields.values(of: .vary) == ["Accept-Encoding", "Origin"])
    }

    @Test("is not reached by a browser that asks first")
    func preflight() async throws {
        let asked = "Access-Control-Request-Method: GET"
        #expect(try await Self.answer("OPTIONS /door", Self.friend, asked).status == 204)
        #expect(try await Self.answer("OPTIONS /door", Self.stranger, asked).status == 403)
    }
}
