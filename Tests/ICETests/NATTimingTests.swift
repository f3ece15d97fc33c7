import ICE
import STUN
import TestSupport
import Testing
import Vocabulary

@Suite("Setting up a path")
struct NATTimingTests {
    private static let open = NATBehaviour(mapping: .endpointIndependent, filtering: .endpointIndependent)
    private static let roundTrip = Duration.milliseconds(100)

    /// Both have told each other everything at 500 ms, and hear of it then.
    private static func timeToPair(_ left: NATBehaviour, _ right: NATBehaviour, seed: UInt64) throws -> Duration {
        let scene = try NATScene(
            left, right, seed: seed, delay: self.roundTrip / 2, signalling: .milliseconds(500))
        try scene.start(turn: nil)
        let isDone = scene.network.run(until: Instant(milliseconds: 5000)) { scene.bothSelected }
        #expect(isDone)
        let last = scene.peers.compactMap(\.selectedAt).max() ?? Instant(milliseconds: 5000)
        // The server-reflexive candidates need one round trip before they can be told.
        return Instant(milliseconds: 600).duration(to: last)
    }

    @Test("J09 takes at most two round trips through holes that have to be punched", arguments: 0..<5)
    func holes(seed: UInt64) throws {
        for left in NATBehaviour.kinds {
            for right in NATBehaviour.kinds where NATScene.fewestRelays(left, right) == 0 {
                let time = try Self.timeToPair(left, right, seed: seed)
                // Two checks are never closer together than 5 ms (RFC 8445 §14.2).
                #expect(time <= Self.roundTrip * 2 + .milliseconds(5), "\(left) to \(right) took \(time)")
            }
        }
    }

    @Test("J09 takes one round trip where nothing is in the way", arguments: 0..<5)
    func openPath(seed: UInt64) throws {
        let time = try Self.timeToPair(Self.open, Self.open, seed: seed)
        #expect(time <= Self.roundTrip + .milliseconds(5))
    }

    @Test("J09 is not delayed by a STUN and a TURN server that are dead")
    func deadServers() throws {
        let dead = SocketAddress(.v4(0xC633_6463), port: 3478)
        let scene = try NATScene(Self.open, Self.open, servers: [NATScene.stunServer, dead])
        try scene.start(turn: dead)
        let isDone = scene.network.run(until: Instant(milliseconds: 5000)) { scene.bothSelected }
        #expect(isDone)
        for peer in scene.peers {
            let first = try #require(peer.firstCandidateAt)
            #expect(first <= Instant(milliseconds: 5))
            let selected = try #require(peer.selectedAt)
            #expect(selected <= Instant(milliseconds: 150))
        }
        scene.network.run(for: .seconds(6))
        #expect(scene.peers[0].events.contains(.serverSilent(dead)))
    }

    @Test("J09 tells nobody our addresses when only relays are allowed")
    func relayOnly() throws {
        var settings = ICESettings()
        settings.policy = .relay
        let scene = try NATScene(Self.open, Self.open, settings: settings)
        try scene.start()
        let isDone = scene.network.run(until: Instant(milliseconds: 5000)) { scene.bothSelected }
        #expect(isDone && scene.relays(0) == 2 && scene.relays(1) == 2)
        for peer in scene.peers {
            for case .candidate(let candidate) in peer.events {
                #expect(candidate.kind == .relayed)
                #expect(candidate.related == SocketAddress(.any, port: 0))
            }
        }
    }

    @Test("J09 counts what goes over the pair in use, under the names browsers use")
    func snapshot() throws {
        let scene = try NATScene(Self.open, Self.open)
        try scene.start()
        scene.settle()
        for _ in 0..<10 { #expect(scene.peers[0].send([0x80, 1, 2, 3])) }
        scene.network.run(for: .seconds(20))
        let snapshot = scene.peers[0].agent.snapshot
        let pair = try #require(snapshot.selectedPair)
        #expect(pair.state == .succeeded && pair.nominated)
        #expect(pair.counters.packetsSent == 10 && pair.counters.bytesSent == 40)
        #expect(pair.counters.currentRoundTripTime == .milliseconds(50))
        #expect(pair.counters.consentRequestsSent >= 3)
        #expect(snapshot.transport.packetsSent == 10)
        #expect(snapshot.localCandidates.contains { $0.id == pair.localCandidateId })
        #expect(snapshot.remoteCandidates.contains { $0.id == pair.remoteCandidateId })
        let other = scene.peers[1].agent.snapshot
        #expect(other.transport.packetsReceived == 10 && other.transport.bytesReceived == 40)
    }
}
