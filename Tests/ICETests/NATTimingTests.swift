import ICE
import STUN
import TestSupport
import Testing
import Vocabulary

@Suite("Setting up a path")
struct NATTimingTests {
    private static let open = NATBehaviour(mapping: .endpointIndependent, filtering: .endpointIndependent)
    private static let roundTrip = Duration.milliseconds(100)

    /// From when both know all of each other until the first, and until both have a pair. Who they are they hear after
    /// 500 ms; where the NATs let them out they learn after 50 ms, and hear of each other after 550.
    private static func timesToPair(
        _ left: NATBehaviour, _ right: NATBehaviour, seed: UInt64
    ) throws -> (first: Duration, both: Duration) {
        let scene = try NATScene(
            left, right, seed: seed, delay: self.roundTrip / 2, signalling: .milliseconds(500))
        try scene.start(turn: nil)
        let isDone = scene.network.run(until: Instant(milliseconds: 5000)) { scene.bothSelected }
        #expect(isDone)
        let known = Instant(milliseconds: 550)
        let times = scene.peers.compactMap(\.selectedAt).map { known.duration(to: $0) }.sorted()
        return (try #require(times.first), try #require(times.last))
    }

    /// Two checks are never closer together than this (RFC 8445 §14.2).
    private static let pacing = Duration.milliseconds(5)

    @Test("J09 takes at most two round trips through holes that have to be punched", arguments: 0..<5)
    func holes(seed: UInt64) throws {
        var longest = (Duration.zero, Duration.zero)
        for left in NATBehaviour.kinds {
            for right in NATBehaviour.kinds where NATScene.fewestRelays(left, right) == 0 {
                let times = try Self.timesToPair(left, right, seed: seed)
                #expect(times.first <= Self.roundTrip * 2 + Self.pacing, "\(left) to \(right): \(times)")
                #expect(times.both <= Self.limit(left, right) + Self.pacing, "\(left) to \(right): \(times)")
                longest = (max(longest.0, times.first), max(longest.1, times.both))
            }
        }
        print("through holes the first after \(longest.0) at most, both after \(longest.1), of \(Self.roundTrip) each")
    }

    /// Where each has a port that the other learns only from a packet, and one of them another port for each port it
    /// sends to, five packets have to follow on each other: a check that tells of one port, a check back that tells of
    /// the other, a third that comes from a new port for that, and a question and its answer there.
    private static func limit(_ left: NATBehaviour, _ right: NATBehaviour) -> Duration {
        let mappings = [left.mapping, right.mapping]
        let isDouble = !mappings.contains(.endpointIndependent) && mappings.contains(.addressAndPortDependent)
        return self.roundTrip / 2 * (isDouble ? 5 : 4)
    }

    /// Its NAT lets in only what comes from where something was sent to, so the checks of the new socket are not enough: its
    /// candidate has to come by the signalling.
    @Test("J09 finds the socket of its own of a peer whose shared one is taken, through a strict NAT", arguments: 0..<5)
    func crowdedOut(seed: UInt64) throws {
        for strict in NATBehaviour.Dependence.allCases {
            let caller = NATBehaviour(mapping: strict, filtering: .addressAndPortDependent)
            let scene = try NATScene(caller, Self.open, seed: seed)
            scene.peers[1].isCrowdedOut = true
            try scene.start(turn: nil)
            let isDone = scene.network.run(until: Instant(milliseconds: 5000)) { scene.bothSelected }
            #expect(isDone, "\(strict)")
            #expect(scene.carriesPackets(), "\(strict)")
        }
    }

    @Test("J09 takes one round trip where nothing is in the way", arguments: 0..<5)
    func openPath(seed: UInt64) throws {
        let times = try Self.timesToPair(Self.open, Self.open, seed: seed)
        #expect(times.both <= Self.roundTrip + Self.pacing)
        print("on an open path after \(times.both), of \(Self.roundTrip) each")
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
            print("beside dead servers the first candidate after \(first), a pair after \(selected)")
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
