import Journal
import Reactor
import TestSupport
import Testing
import Web

@testable import HTTPServer

@Suite("Static files", .timeLimit(.minutes(2)))
struct StaticFileTests {
    private static let page = Array(String(repeating: "<p>parley</p>\n", count: 100).utf8)
    private static let digits = Array("0123456789".utf8)

    /// A site with its secret next door.
    private static func withSite(
        _ settings: HTTPServerSettings = HTTPServerSettings(),
        _ body: @escaping @Sendable (Bench, TemporaryFolder) async throws -> Void
    ) async throws {
        try await withBench(settings) { bench in
            let folder = try TemporaryFolder()
            for name in ["site", "site/docs", "site-next-door"] { try folder.folder(name) }
            try folder.write("site/index.html", Self.page)
            try folder.write("site/docs/index.html", "docs")
            try folder.write("site/digits.bin", Self.digits)
            try folder.write("site/empty.txt", "")
            for secret in ["secret", "site-next-door/secret"] { try folder.write(secret, "secret") }
            try folder.link("site/out", to: "..")
            try folder.link("site/out.txt", to: "../secret")
            try folder.link("site/in.bin", to: "digits.bin")
            let files = StaticFiles(root: "\(folder.path)/site", on: bench.reactor)
            var router = Router()
            router.on(.get, "/*") { exchange, parameters in files.respond(to: exchange, path: parameters["*"] ?? "") }
            bench.respond = { router.respond(to: $0) }
            try await body(bench, folder)
        }
    }

    @Test(
        "are found by their path, with their type",
        arguments: [
            ("/", "text/html; charset=utf-8", 1400), ("/index.html", "text/html; charset=utf-8", 1400),
            ("/docs/", "text/html; charset=utf-8", 4), ("/digits.bin", "application/octet-stream", 10),
            ("/in.bin", "application/octet-stream", 10), ("/empty.txt", "text/plain; charset=utf-8", 0),
        ])
    func found(path: String, type: String, size: Int) async throws {
        try await Self.withSite { bench, _ in
            let line = try await bench.dial()
            // The second comes from memory.
            for _ in 0..<2 {
                line.get(path)
                let answer = try await line.answer()
                #expect(answer.status == 200 && answer[.contentType] == type && answer.body.count == size)
                #expect(answer[.eTag] != nil && answer[.lastModified] != nil && answer[.acceptRanges] == "bytes")
                #expect(answer[.contentTypeOptions] == "nosniff")
            }
        }
    }

    @Test(
        "never lead out of their folder",
        arguments: [
            "/../secret", "/%2e%2e/secret", "/..%2fsecret", "/%2E%2E%2Fsecret", "/docs/../../secret",
            "/docs/%2e%2e/%2e%2e/secret", "/out/secret", "/out.txt", "/..%2fsite-next-door/secret", "/%00",
            "/index.html%00.png", "/..%5csecret", "/....//secret", "/%252e%252e/secret", "//secret", "/docs",
            "/index.html/", "/out/site/../../secret", "/%c0%ae%c0%ae/secret",
        ])
    func noEscape(path: String) async throws {
        try await Self.withSite { bench, _ in
            let line = try await bench.dial()
            line.get(path)
            let answer = try await line.answer()
            #expect(answer.status == 404 || answer.status == 400)
            #expect(!answer.text.contains("secret"))
        }
    }

    @Test(
        "are given in part",
        arguments: [
            ("bytes=2-4", 206, "234", "bytes 2-4/10"), ("bytes=7-", 206, "789", "bytes 7-9/10"),
            ("bytes=-2", 206, "89", "bytes 8-9/10"), ("bytes=5-100", 206, "56789", "bytes 5-9/10"),
            ("bytes=-100", 206, "0123456789", "bytes 0-9/10"), ("bytes=10-", 416, "", "bytes */10"),
            ("bytes=-0", 416, "", "bytes */10"), ("bytes=4-2", 200, "0123456789", nil),
            ("lines=1-2", 200, "0123456789", nil), ("bytes=a-b", 200, "0123456789", nil),
            ("bytes=99999999999999999999-", 416, "", "bytes */10"),
        ] as [(String, Int, String, String?)])
    func range(range: String, status: Int, text: String, contentRange: String?) async throws {
        try await Self.withSite { bench, _ in
            let line = try await bench.dial()
            line.get("/digits.bin", "Range: \(range)")
            let answer = try await line.answer()
            #expect(answer.status == status && answer.text == text && answer[.contentRange] == contentRange)
        }
    }

    @Test("are given in part only of the state that the client has seen")
    func ifRange() async throws {
        try await Self.withSite { bench, _ in
            let line = try await bench.dial()
            line.get("/digits.bin")
            let first = try await line.answer()
            let (tag, date) = (first[.eTag] ?? "", first[.lastModified] ?? "")
            for (condition, status) in [(tag, 206), (date, 206), ("\"other\"", 200), ("W/\(tag)", 200)] {
                line.get("/digits.bin", "Range: bytes=0-1", "If-Range: \(condition)")
                #expect(try await line.answer().status == status)
            }
        }
    }

    @Test("are not sent again to who has them, and are when they change")
    func conditional() async throws {
        try await Self.withSite { bench, folder in
            let line = try await bench.dial()
            line.get("/digits.bin")
            let first = try await line.answer()
            let (tag, date) = (first[.eTag] ?? "", first[.lastModified] ?? "")
            for (condition, status) in [
                ("If-None-Match: \(tag)", 304), ("If-None-Match: \"x\", W/\(tag)", 304), ("If-None-Match: *", 304),
                ("If-None-Match: \"x\"", 200), ("If-Modified-Since: \(date)", 304), ("If-Match: \"x\"", 412),
                ("If-Match: \(tag)", 200), ("If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT", 200),
            ] {
                line.get("/digits.bin", condition)
                let answer = try await line.answer()
                #expect(answer.status == status, "\(condition)")
                #expect(status != 304 || (answer.body.isEmpty && answer[.eTag] == tag))
            }
            try folder.write("site/digits.bin", "changed")
            var text = ""
            while text != "changed" {
                line.get("/digits.bin", "If-None-Match: \(tag)")
                text = try await line.answer().text
                await bench.turn()
            }
        }
    }

    @Test("are compressed for who takes that, under a tag of their own")
    func compressed() async throws {
        try await Self.withSite { bench, _ in
            let line = try await bench.dial()
            line.get("/", "Accept-Encoding: gzip, br")
            let packed = try await line.answer()
            line.get("/")
            let plain = try await line.answer()
            #expect(packed[.contentEncoding] == "gzip" && plain[.contentEncoding] == nil)
            #expect(packed[.vary] == "Accept-Encoding" && plain[.vary] == "Accept-Encoding")
            #expect(packed[.eTag] != plain[.eTag] && packed.body.count < plain.body.count / 4)
            let unpacked = try GzipDecoder.decompress(packed.body.span, limit: 1 << 20)
            #expect(unpacked == Self.page && plain.body == Self.page)
            line.get("/", "Accept-Encoding: gzip", "If-None-Match: \(packed[.eTag] ?? "")")
            #expect(try await line.answer().status == 304)
            line.send("HEAD / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n")
            let head = try await line.answer(to: .head)
            #expect(head[.contentLength] == "\(packed.body.count)" && head.body.isEmpty)
        }
    }

    @Test("that are large go out piece by piece, also to a slow reader, and in part", arguments: [false, true])
    func large(isSlow: Bool) async throws {
        try await Self.withSite { bench, folder in
            var random = SeededRandom(seed: 9)
            let block = random.bytes(1 << 16)
            let contents = (0..<320).flatMap { _ in block }
            try folder.write("site/large.bin", contents)
            let line = try await bench.dial()
            if isSlow { line.stream.pauseReading() }
            line.get("/large.bin")
            if isSlow {
                let large = 256 << 10
                try await bench.until("the sender to wait") {
                    bench.loopServer.connections.all.contains { $0.stream.queuedBytes > large / 2 }
                }
                for _ in 0..<20 { await bench.turn() }
                // However large the file is, no more waits than a piece above the mark.
                #expect(bench.loopServer.connections.all.allSatisfy { $0.stream.queuedBytes < 4 * large })
                line.stream.resumeReading()
            }
            try await bench.until("all of it") { line.input.count > contents.count }
            #expect(try await line.answer().body == contents)
            line.get("/large.bin", "Range: bytes=1000000-1300000")
            #expect(try await line.answer().body == Array(contents[1_000_000...1_300_000]))
        }
    }

    @Test("that shrink while they are sent are cut, not padded")
    func shrinking() async throws {
        try await Self.withSite { bench, folder in
            try folder.write("site/large.bin", [UInt8](repeating: 1, count: 20 << 20))
            let line = try await bench.dial()
            line.stream.pauseReading()
            line.get("/large.bin")
            try await bench.until("the sender to wait") {
                bench.loopServer.connections.all.contains { $0.stream.queuedBytes > 128 << 10 }
            }
            try folder.write("site/large.bin", "")
            line.stream.resumeReading()
            try await line.closed()
            #expect(line.input.count < 20 << 20)
        }
    }
}
