import Journal
import Reactor
import Testing
import Vocabulary
import Web

@testable import HTTPServer

@Suite("A trusted proxy")
struct TrustedProxyTests {
    private static let proxies = TrustedProxies(["127.0.0.1", "10.0.0.0/8", "fd00::/8"].compactMap { IPNetwork($0) })

    @Test(
        "is believed about whom it speaks for, and nobody else is",
        arguments: [
            // peer, what it says, who it is
            ("127.0.0.1", ["203.0.113.7"], "203.0.113.7"),
            ("203.0.113.9", ["203.0.113.7"], "203.0.113.9"),
            ("127.0.0.1", [], "127.0.0.1"),
            // What the client made up itself stands in front.
            ("127.0.0.1", ["1.2.3.4, 203.0.113.7"], "203.0.113.7"),
            ("127.0.0.1", ["1.2.3.4", "203.0.113.7, 10.0.0.2"], "203.0.113.7"),
            ("10.9.9.9", ["203.0.113.7,10.0.0.2 ,\t10.0.0.3"], "203.0.113.7"),
            ("10.9.9.9", ["10.0.0.2, 10.0.0.3"], "10.0.0.2"),
            // What is no address ends the list.
            ("127.0.0.1", ["unknown"], "127.0.0.1"), ("127.0.0.1", ["203.0.113.7, nonsense, 10.0.0.3"], "10.0.0.3"),
            ("127.0.0.1", [","], "127.0.0.1"),
            ("127.0.0.1", ["203.0.113.7:4711"], "203.0.113.7"), ("127.0.0.1", ["[2001:db8::1]:80"], "2001:db8::1"),
            ("fd00::1", ["2001:db8::1"], "2001:db8::1"), ("::ffff:127.0.0.1", ["203.0.113.7"], "203.0.113.7"),
        ])
    func client(peer: String, says: [String], client: String) throws {
        let lines = says.map { "X-Forwarded-For: \($0)\r\n" }.joined()
        let text = Array("GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n".utf8)
        var parser = HTTPRequestParser()
        var offset = 0
        guard case .head(let head) = try parser.next(in: text.span, from: &offset) else {
            throw NeverCame(what: "a head")
        }
        let address = Self.proxies.client(of: head, from: try #require(IPAddress(peer)))
        #expect(address == IPAddress(client))
    }
}

@Suite("Connections of one address", .timeLimit(.minutes(2)))
struct ConnectionsPerAddressTests {
    private static func settings(_ change: (inout HTTPServerSettings) -> Void = { _ in }) -> HTTPServerSettings {
        var settings = HTTPServerSettings()
        settings.maximumConnectionsPerAddress = 2
        settings.countsThisMachine = true
        change(&settings)
        return settings
    }

    @Test("are so many, and one more when one has gone: maximumConnectionsPerAddress")
    func limit() async throws {
        try await withBench(Self.settings()) { bench in
            let lines = [try await bench.dial(), try await bench.dial()]
            let third = try await bench.dial()
            let refusal = try await third.answer()
            #expect(refusal.status == 429 && refusal.text.contains("your address"))
            try await third.closed()
            lines[0].stream.close()
            try await bench.until("one has gone") { bench.metrics.connections.value == 1 }
            let fourth = try await bench.dial()
            fourth.get("/")
            #expect(try await fourth.answer().status == 200)
        }
    }

    @Test("are not counted for a proxy, or for this machine itself", arguments: [true, false])
    func uncounted(isProxy: Bool) async throws {
        let settings = Self.settings { settings in
            settings.countsThisMachine = isProxy
            if isProxy { settings.trustedProxies.networks = ["127.0.0.0/8"].compactMap { IPNetwork($0) } }
        }
        try await withBench(settings) { bench in
            var lines: [Line] = []
            for _ in 0..<5 { lines.append(try await bench.dial()) }
            for line in lines {
                line.get("/")
                #expect(try await line.answer().status == 200)
            }
        }
    }
}
