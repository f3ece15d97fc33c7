import Bytes
import Client
import Reactor
import System
import Testing
import Vocabulary
import Web

@Suite("One HTTP call", .timeLimit(.minutes(1)))
struct HTTPCallTests {
    @Test(
        "takes an answer only whole, and no longer than it should be",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "200 hello"),
            ("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello", "200 hello"),
            ("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "404 "),
            ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello", "the server's answer is no HTTP: "),
            ("HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n", "the server's answer is no HTTP: "),
            ("SSH-2.0-OpenSSH_9.2\r\n", "the server's answer is no HTTP: "),
            ("", "the server closed the connection"),
        ])
    func answers(raw: String, said: String) async throws {
        let loops = try EventLoopGroup(count: 1)
        defer { loops.shutDown() }
        let loop = loops.loops[0]
        let address = try await Scene.serve(raw, on: loops) { Parrot($0, raw) }
        let outcome = await withCheckedContinuation { continuation in
            loop.execute { reactor in
                HTTPCall(ServerURL(address), on: reactor, rules: HTTPCallRules(maximumBodyBytes: 100)) {
                    continuation.resume(returning: $0)
                }
                .send(.get, "/", timeout: .seconds(20))
            }
        }
        switch outcome {
        case .success(let answer):
            #expect("\(answer.status.code) \(String(decoding: answer.body, as: UTF8.self))" == said)
        case .failure(let failure):
            #expect("\(failure)".hasPrefix(said))
        }
    }

    @Test(
        "for a stranger reaches nothing of this machine, however it is written",
        arguments: [
            "127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "0.0.0.0",
        ])
    func strangers(host: String) async throws {
        let scene = try Scene()
        defer { scene.end() }
        let port = try await scene.serve("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").port
        for scheme in ["http", "https"] {
            let url = try #require(HTTPURL("\(scheme)://\(host):\(port)/"))
            let said = await scene.get(url, HTTPCallRules(.stranger))
            #expect(said.hasSuffix("nobody has allowed its network"), "\(url): \(said)")
        }
        #expect(scene.connections == 0)
    }

    @Test("for a stranger reaches a network that the operator has named, without TLS and on any port")
    func named() async throws {
        let scene = try Scene()
        defer { scene.end() }
        let address = try await scene.serve("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
        let rules = HTTPCallRules(.stranger, addresses: try Self.loopback)
        #expect(await scene.get(HTTPURL(ServerURL(address), "/"), rules) == "200 hi")
    }

    @Test("goes where its own server sends it, so often as the rules say", arguments: [(0, 1), (3, 4)])
    func redirects(maximum: Int, asked: Int) async throws {
        let scene = try Scene()
        defer { scene.end() }
        let address = try await scene.serve("HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n")
        var rules = HTTPCallRules()
        rules.maximumRedirects = maximum
        #expect(await scene.get(HTTPURL(ServerURL(address), "/"), rules) == "302 ")
        #expect(scene.connections == asked)
    }

    @Test("is a stranger's as soon as another server decides where it goes")
    func rebound() async throws {
        let scene = try Scene()
        defer { scene.end() }
        let inner = try await scene.serve("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret")
        let outer = try await scene.serve(
            "HTTP/1.1 307 Temporary Redirect\r\nLocation: \(ServerURL(inner))/metadata\r\nContent-Length: 0\r\n\r\n")
        var rules = HTTPCallRules()
        rules.maximumRedirects = 5
        let url = HTTPURL(ServerURL(outer), "/")
        #expect(await scene.get(url, rules).hasSuffix("nobody has allowed its network"))
        #expect(scene.connections == 1)
        rules.addresses = try Self.loopback
        #expect(await scene.get(url, rules) == "200 secret")
        #expect(scene.requests.last?.contains("Authorization") == false)
        #expect(scene.requests.first?.contains("Authorization: Bearer mine") == true)
    }

    @Test("that carries something is never sent on")
    func posted() async throws {
        let scene = try Scene()
        defer { scene.end() }
        let address = try await scene.serve("HTTP/1.1 307 There\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n")
        var rules = HTTPCallRules()
        rules.maximumRedirects = 5
        #expect(await scene.send(.post, HTTPURL(ServerURL(address), "/"), rules) == "307 ")
        #expect(scene.connections == 1)
    }

    @Test("is over in time, although its server goes on talking")
    func slow() async throws {
        let scene = try Scene()
        defer { scene.end() }
        let address = try await scene.serve("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", hangsUp: false)
        let said = await scene.get(HTTPURL(ServerURL(address), "/"), HTTPCallRules(), timeout: .milliseconds(50))
        #expect(said.hasPrefix("the server did not let us in within"))
    }

    private static var loopback: AddressPolicy {
        get throws { AddressPolicy(allowed: [try #require(IPNetwork("127.0.0.0/8"))]) }
    }
}

/// Servers that say the same to everybody, and calls to them.
private final class Scene: Sendable {
    private let loops: EventLoopGroup
    private let heard = Locked<[String]>([])

    init() throws { self.loops = try EventLoopGroup(count: 1) }

    func end() { self.loops.shutDown() }

    var requests: [String] { self.heard.withLock { $0 } }
    var connections: Int { self.requests.count }

    func serve(_ raw: String, hangsUp: Bool = true) async throws -> SocketAddress {
        let heard = self.heard
        return try await Self.serve(raw, on: self.loops) { stream in
            Parrot(stream, raw, hangsUp: hangsUp) { request in heard.withLock { $0.append(request) } }
        }
    }

    func get(_ url: HTTPURL, _ rules: HTTPCallRules, timeout: Duration = .seconds(20)) async -> String {
        await self.send(.get, url, rules, timeout: timeout)
    }

    func send(
        _ method: HTTPMethod, _ url: HTTPURL, _ rules: HTTPCallRules, timeout: Duration = .seconds(20)
    ) async -> String {
        let outcome = await withCheckedContinuation { continuation in
            self.loops.loops[0].execute { reactor in
                HTTPCall(url.server, on: reactor, rules: rules) { continuation.resume(returning: $0) }
                    .send(method, url.target, fields: ["Authorization": "Bearer mine"], timeout: timeout)
            }
        }
        switch outcome {
        case .success(let answer): return "\(answer.status.code) \(String(decoding: answer.body, as: UTF8.self))"
        case .failure(let failure): return "\(failure)"
        }
    }

    static func serve(
        _ raw: String, on loops: EventLoopGroup, _ handler: @escaping @Sendable (any ByteStream) -> any StreamHandler
    ) async throws -> SocketAddress {
        try await withCheckedThrowingContinuation { continuation in
            loops.loops[0].execute { reactor in
                continuation.resume(
                    with: Result {
                        try TCPListener(on: SocketAddress(.loopback, port: 0), reactor: reactor, group: loops) {
                            handler($0)
                        }.address
                    })
            }
        }
    }
}

private final class Parrot: StreamHandler {
    private let stream: any ByteStream
    private let words: [UInt8]
    private let hangsUp: Bool
    private let heard: (String) -> Void

    init(
        _ stream: any ByteStream, _ words: String, hangsUp: Bool = true, heard: @escaping (String) -> Void = { _ in }
    ) {
        self.stream = stream
        self.words = Array(words.utf8)
        self.hangsUp = hangsUp
        self.heard = heard
    }

    func received(_ bytes: inout MutableSpan<UInt8>) {
        self.heard(String(decoding: [UInt8](copying: bytes.span), as: UTF8.self))
        let words = self.words
        self.stream.write(words.span)
        if self.hangsUp { self.stream.close() }
    }

    func peerFinished() {}
    func drained() {}
    func ended(_ end: StreamEnd) {}
}
