import ICE
import TestSupport
import Testing
import Vocabulary

@Suite("A candidate line")
struct ICECandidateTests {
    private static let samples = [
        "candidate:1 1 udp 2122260223 192.0.2.1 54321 typ host",
        "candidate:842163049 1 udp 1677729535 203.0.113.7 46154 typ srflx raddr 10.0.0.2 rport 46154 ufrag Ab3/",
        "candidate:3 1 tcp 1518280447 192.0.2.1 9 typ host tcptype active",
        "candidate:4 1 tcp 1518149375 2001:db8::1 4711 typ host tcptype passive",
        "candidate:5 1 udp 41885695 198.51.100.3 50000 typ relay raddr 203.0.113.7 rport 46154",
        "candidate:6 1 udp 2113937151 4b6d6d0c-6d5c-4a3b-a9a5-3d6c1e6b0b6f.local 60000 typ host",
        "candidate:7 2 udp 1 ::1 1 typ prflx raddr 0.0.0.0 rport 0",
    ]

    @Test("J09 comes back as it was", arguments: samples)
    func roundTrip(line: String) throws {
        let candidate = try #require(ICECandidate(line))
        #expect(candidate.text == line)
        #expect(ICECandidate(candidate.text) == candidate)
        #expect(ICECandidate(String(line.dropFirst("candidate:".count))) == candidate)
    }

    @Test("J09 says everything that browsers say")
    func browser() throws {
        let line =
            "candidate:842163049 1 UDP 1677729535 203.0.113.7 46154 typ srflx raddr 10.0.0.2 rport 46154 "
            + "generation 0 ufrag EsAw network-id 1 network-cost 10"
        let candidate = try #require(ICECandidate(line))
        #expect(candidate.kind == .serverReflexive)
        #expect(candidate.address == SocketAddress("203.0.113.7:46154"))
        #expect(candidate.related == SocketAddress("10.0.0.2:46154"))
        #expect(candidate.usernameFragment == "EsAw")
    }

    @Test(
        "J09 is refused when it makes no sense",
        arguments: [
            "", "candidate:", "candidate:1 1 udp 1 192.0.2.1 5 typ", "candidate:1 1 udp 1 192.0.2.1 5 type host",
            "candidate:1 0 udp 1 192.0.2.1 5 typ host", "candidate:1 257 udp 1 192.0.2.1 5 typ host",
            "candidate:1 1 sctp 1 192.0.2.1 5 typ host", "candidate:1 1 tcp 1 192.0.2.1 5 typ host",
            "candidate:1 1 udp 4294967296 192.0.2.1 5 typ host", "candidate:1 1 udp +1 192.0.2.1 5 typ host",
            "candidate:1 1 udp 1 192.0.2.1 65536 typ host", "candidate:1 1 udp 1 example.org 5 typ host",
            "candidate:1 1 udp 1 192.0.2.1 5 typ nat", "candidate:ä 1 udp 1 192.0.2.1 5 typ host",
            "candidate:1 1 udp 1 192.0.2.1 5 typ host " + String(repeating: "x", count: 512),
        ])
    func refused(line: String) {
        #expect(ICECandidate(line) == nil)
    }

    @Test("never stops the program, whatever it says", arguments: 0..<20)
    func mutated(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<500 {
            var bytes = Array((Self.samples.randomElement(using: &random) ?? "").utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0x20...0x7E, using: &random)
            }
            guard let candidate = ICECandidate(String(decoding: bytes, as: UTF8.self)) else { continue }
            #expect(ICECandidate(candidate.text) == candidate)
        }
    }
}
