import AudioStreams
import MediaStreams
import ICE
import Negotiating
import Peer
import TestSupport
import Testing
import VirtualPeers
import Vocabulary

@Suite("A call among strangers")
struct HostileTests {
    private static let stranger = SocketAddress(.v4(0xC633_640A), port: 4000)

    /// Two who talk, and everything the callee was sent.
    private static func talking() throws -> (scene: CallScene, sent: [(bytes: [UInt8], from: SocketAddress)]) {
        let scene = CallScene()
        scene.callee.keepsDatagrams = true
        try scene.connect()
        #expect(scene.run(until: 5000) { scene.callers.allSatisfy { $0.audibleAt != nil } })
        scene.network.run(for: .seconds(1))
        return (scene, scene.callee.datagrams)
    }

    private static func received(_ caller: VirtualCaller) -> UInt64 {
        caller.session.statistics.lines[0].inbound?.packetsReceived ?? 0
    }

    /// The call goes on as if nothing had been.
    private static func expectUnharmed(_ scene: CallScene) {
        for caller in scene.callers { caller.audibleShare = (0, 0) }
        scene.network.run(for: .seconds(2))
        for caller in scene.callers {
            #expect(caller.session.state == .connected)
            #expect(caller.audibleShare.audible == caller.audibleShare.all)
            #expect(!caller.events.contains(.goodbye))
        }
    }

    @Test("J01 takes nothing from an address that has not passed a check, not even the real packets")
    func strangers() throws {
        let (scene, sent) = try Self.talking()
        let before = Self.received(scene.callee)
        #expect(sent.contains { (20...63).contains($0.bytes[0]) } && sent.contains { $0.bytes[0] >= 128 })
        for datagram in sent where datagram.bytes[0] >= 20 {
            scene.callee.deliver(datagram.bytes, from: Self.stranger)
        }
        #expect(Self.received(scene.callee) == before)
        Self.expectUnharmed(scene)
    }

    @Test("J01 A call drops packets that are replayed")
    func replays() throws {
        let (scene, sent) = try Self.talking()
        let before = Self.received(scene.callee)
        for datagram in sent { scene.callee.deliver(datagram.bytes, from: datagram.from) }
        #expect(Self.received(scene.callee) == before)
        Self.expectUnharmed(scene)
    }

    @Test("J01 believes no goodbye, no alert and no report that anybody could have written")
    func forgeries() throws {
        let (scene, sent) = try Self.talking()
        let peer = try #require(sent.last { $0.bytes[0] >= 128 }).from
        let source = scene.caller.session.negotiation.transceivers[0].ssrc
        let sourceBytes = (0..<4).map { UInt8(truncatingIfNeeded: source >> (24 - 8 * $0)) }
        let goodbye: [UInt8] = [0x81, 203, 0, 1] + sourceBytes
        let report: [UInt8] = [0x80, 201, 0, 1] + sourceBytes
        let alert: [UInt8] = [21, 0xFE, 0xFD] + [UInt8](repeating: 0, count: 8) + [0, 2, 2, 40]
        for packet in [goodbye, report + goodbye, alert] {
            for address in [peer, Self.stranger] { scene.callee.deliver(packet, from: address) }
        }
        Self.expectUnharmed(scene)
    }

    @Test("J01 goes on under ten thousand packets of nonsense in a second", arguments: 0..<3)
    func nonsense(seed: UInt64) throws {
        let (scene, sent) = try Self.talking()
        let peer = try #require(sent.last { $0.bytes[0] >= 128 }).from
        var random = SeededRandom(seed: seed)
        for index in 0..<10_000 {
            var packet = random.bytes(Int.random(in: 1...1400, using: &random))
            if index.isMultiple(of: 2) { packet[0] = [0x80, 0x90, 22, 20, 0][index / 2 % 5] }
            scene.callee.deliver(packet, from: index.isMultiple(of: 3) ? peer : Self.stranger)
            if index.isMultiple(of: 200) { scene.network.run(for: .milliseconds(20)) }
        }
        Self.expectUnharmed(scene)
    }
}
