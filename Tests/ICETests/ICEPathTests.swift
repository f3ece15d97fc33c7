import Bytes
import ICE
import STUN
import TestSupport
import Testing
import Vocabulary

@Suite("The paths of an ICE agent")
struct ICEPathTests {
    private static let start = Instant(nanoseconds: 0)
    private static let theirs = "candidate:1 1 udp 2113929471 10.1.0.1 6000 typ host"

    private static func agent(_ change: (inout ICESettings) -> Void = { _ in }) -> ICEAgent {
        var random = SeededRandom(seed: 1)
        var settings = ICESettings()
        change(&settings)
        return ICEAgent(.controlling, ICECredentials(using: &random), settings: settings, random: random)
    }

    private static func describe(_ agent: inout ICEAgent, into outbox: inout Outbox<ICEEvent>) {
        var random = SeededRandom(seed: 2)
        agent.remoteDescribed(ICECredentials(using: &random), at: self.start, into: &outbox)
    }

    private static func candidates(_ outbox: Outbox<ICEEvent>) -> [ICECandidate] {
        outbox.events.compactMap { if case .candidate(let candidate) = $0 { candidate } else { nil } }
    }

    @Test("J09 IPv6 and IPv4 take turns in the order of priorities")
    func interleaved() throws {
        var agent = Self.agent()
        var outbox = Outbox<ICEEvent>()
        for index in 0..<4 {
            let ip: IPAddress = index < 2 ? .v4(0x0A00_0001 + UInt32(index)) : .v6(0x2001_0DB8 << 32, UInt64(index))
            agent.pathAdded(
                ICEPath(PathID(rawValue: index), address: SocketAddress(ip, port: 5000)), at: Self.start, into: &outbox)
        }
        let sorted = Self.candidates(outbox).sorted { $0.priority > $1.priority }
        #expect(sorted.count == 4)
        #expect(Set(sorted.map(\.foundation)).count == 4)
        #expect(Set(sorted.map(\.priority)).count == 4)
    }

    @Test("J09 an address in IPv6 dress is the address without it")
    func unmappingIPv4() {
        var agent = Self.agent()
        var outbox = Outbox<ICEEvent>()
        let dressed = SocketAddress(.v6(0, 0xFFFF_0A00_0001), port: 5000)
        agent.pathAdded(ICEPath(PathID(rawValue: 0), address: dressed), at: Self.start, into: &outbox)
        #expect(Self.candidates(outbox).first?.address == SocketAddress("10.0.0.1:5000"))
        Self.describe(&agent, into: &outbox)
        for line in [Self.theirs, "candidate:2 1 udp 2113929470 ::ffff:10.1.0.1 6000 typ host"] {
            guard let candidate = ICECandidate(line) else { continue }
            agent.candidateReceived(candidate, at: Self.start, into: &outbox)
        }
        #expect(agent.snapshot.candidatePairs.count == 1)
    }

    @Test("J09 an interface that comes up later is told and tried")
    func added() throws {
        var agent = Self.agent()
        var outbox = Outbox<ICEEvent>()
        Self.describe(&agent, into: &outbox)
        agent.candidateReceived(try #require(ICECandidate(Self.theirs)), at: Self.start, into: &outbox)
        #expect(outbox.packets.isEmpty)
        agent.pathAdded(
            ICEPath(PathID(rawValue: 7), address: SocketAddress(.v4(0x0A00_0009), port: 1)), at: Self.start,
            into: &outbox)
        #expect(outbox.packets.packets.map(\.path) == [PathID(rawValue: 7)])
        #expect(Self.candidates(outbox).count == 1)
    }

    @Test("J09 a path with a name is told by its name, and its address nowhere")
    func named() {
        var agent = Self.agent()
        var outbox = Outbox<ICEEvent>()
        let path = ICEPath(
            PathID(rawValue: 0), address: SocketAddress(.v4(0x0A00_0001), port: 5000), name: "b1b2.local")
        agent.pathAdded(path, at: Self.start, into: &outbox)
        #expect(Self.candidates(outbox).map(\.host) == [.name("b1b2.local")])
    }

    @Test("J09 over TCP the active side dials, and checks leave on the connection")
    func dials() throws {
        var agent = Self.agent()
        var outbox = Outbox<ICEEvent>()
        let dialer = PathID(rawValue: 3)
        agent.pathAdded(
            ICEPath(dialer, transport: .tcpActive, address: SocketAddress(.v4(0x0A00_0001), port: 9)),
            at: Self.start, into: &outbox)
        #expect(Self.candidates(outbox).first?.port == 9)
        Self.describe(&agent, into: &outbox)
        let line = "candidate:1 1 tcp 1518280447 10.1.0.1 7000 typ host tcptype passive"
        agent.candidateReceived(try #require(ICECandidate(line)), at: Self.start, into: &outbox)
        let place = SocketAddress(.v4(0x0A01_0001), port: 7000)
        #expect(outbox.events.contains(.dial(path: dialer, place)))
        #expect(outbox.packets.isEmpty)
        let connection = PathID(rawValue: 4)
        let soon = Self.start + .milliseconds(30)
        agent.dialed(from: dialer, to: place, connection, at: soon, into: &outbox)
        #expect(outbox.packets.packets.map(\.path) == [connection])
    }

    @Test("J09 over TCP the passive side answers on the connection it accepted")
    func accepts() throws {
        var agent = Self.agent()
        var outbox = Outbox<ICEEvent>()
        let listener = PathID(rawValue: 3)
        let connection = PathID(rawValue: 4)
        agent.pathAdded(
            ICEPath(listener, transport: .tcpPassive, address: SocketAddress(.v4(0x0A00_0001), port: 7000)),
            at: Self.start, into: &outbox)
        agent.accepted(connection, on: listener, at: Self.start, into: &outbox)
        var writer = STUNWriter(.request, STUNMethod.binding, TransactionID(high: 1, low: 2))
        writer.append(.username, text: "\(agent.credentials.usernameFragment):abcd")
        writer.append(.priority, UInt32(7))
        writer.append(.iceControlled, UInt64(1))
        writer.appendIntegrity(STUNKey(shortTerm: agent.credentials.password))
        writer.appendFingerprint()
        let peer = SocketAddress(.v4(0x0A01_0001), port: 41_000)
        let receipt = agent.received(
            writer.finish().bytes.span, on: connection, from: peer, at: Self.start, into: &outbox)
        #expect(receipt == .handled)
        #expect(outbox.packets.packets.map(\.path) == [connection])
    }

    @Test("J09 keeps to its limits, however many candidates come")
    func limits() {
        var agent = Self.agent()
        var outbox = Outbox<ICEEvent>()
        for index in 0..<5 {
            let address = SocketAddress(.v4(0x0A00_0001 + UInt32(index)), port: 5000)
            agent.pathAdded(ICEPath(PathID(rawValue: index), address: address), at: Self.start, into: &outbox)
        }
        Self.describe(&agent, into: &outbox)
        for port in 1...500 {
            guard let candidate = ICECandidate("candidate:1 1 udp 1 10.1.0.1 \(port) typ host") else { continue }
            agent.candidateReceived(candidate, at: Self.start, into: &outbox)
            guard let name = ICECandidate("candidate:1 1 udp 1 n\(port).local 5 typ host") else { continue }
            agent.candidateReceived(name, at: Self.start, into: &outbox)
        }
        #expect(agent.snapshot.remoteCandidates.count <= 40)
        #expect(agent.snapshot.candidatePairs.count <= 100)
        #expect(outbox.events.count < 400)
    }
}
