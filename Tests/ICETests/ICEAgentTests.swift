import Bytes
import ICE
import STUN
import TestSupport
import Testing
import Vocabulary

@Suite("An ICE agent")
struct ICEAgentTests {
    private static func pair(seed: UInt64 = 1, _ change: (inout TwoPeers) -> Void = { _ in }) -> TwoPeers {
        var peers = TwoPeers(seed: seed)
        change(&peers)
        peers.open(0)
        peers.open(1)
        return peers
    }

    @Test("J09 has a nominated pair on both sides one round trip after both know of each other")
    func oneRoundTrip() throws {
        var peers = Self.pair()
        peers.meet()
        peers.run(.seconds(1))
        for peer in 0..<2 {
            let selectedAt = try #require(peers.peers[peer].selectedAt)
            #expect(selectedAt <= Instant(milliseconds: 105))
            #expect(peers.selection(peer)?.remote == TwoPeers.address(1 - peer))
            #expect(peers.peers[peer].agent.state == .completed)
        }
    }

    @Test("J09 carries packets both ways, and only from where somebody proved who they are")
    func data() {
        var peers = Self.pair()
        let isEarly = peers.send(0)
        #expect(!isEarly)
        peers.meet()
        peers.run(.seconds(1))
        let haveSent = [peers.send(0, [0x80, 7]), peers.send(1, [0x80, 8])]
        #expect(haveSent == [true, true])
        peers.launch([0x80, 9], from: TwoPeers.address(7), to: TwoPeers.address(1))
        peers.run(.seconds(1))
        #expect(peers.peers[0].received == [[0x80, 8]])
        #expect(peers.peers[1].received == [[0x80, 7]])
    }

    @Test("J09 settles who controls when both, or nobody, want to", arguments: 0..<20)
    func roleConflict(seed: UInt64) {
        for role in [ICERole.controlling, .controlled] {
            var peers = TwoPeers(seed: seed, roles: [role, role])
            peers.open(0)
            peers.open(1)
            peers.meet()
            peers.run(.seconds(2))
            #expect(peers.bothSelected)
            #expect(Set(peers.peers.map(\.agent.role)).count == 2)
            #expect(peers.peers.allSatisfy { $0.agent.state == .completed })
        }
    }

    @Test("J09 finds the way with many packets lost", arguments: 0..<20)
    func lossy(seed: UInt64) {
        var peers = Self.pair(seed: seed) { $0.loss = 0.3 }
        peers.meet()
        peers.run(.seconds(5)) { $0.bothSelected }
        #expect(peers.bothSelected)
    }

    @Test("J09 takes the first pair that works and changes to a better one later")
    func upgrade() throws {
        var peers = Self.pair()
        // The better way opens only after a while.
        peers.mayPass = { from, to in from.ip == TwoPeers.address(0).ip || to.ip == TwoPeers.address(0).ip }
        peers.open(0, 1, preference: 9)
        peers.meet()
        peers.run(.milliseconds(400))
        #expect(peers.selection(0)?.path == PathID(rawValue: 0))
        #expect(peers.selection(1)?.remote == TwoPeers.address(0))
        peers.mayPass = { _, _ in true }
        peers.run(.seconds(3))
        #expect(peers.selection(0)?.path == PathID(rawValue: 1))
        #expect(peers.selection(1)?.remote == TwoPeers.address(0, 1))
    }

    @Test("J09 gives up when nothing works, and says so")
    func failed() {
        var peers = Self.pair()
        peers.mayPass = { _, _ in false }
        peers.meet()
        peers.run(.seconds(60))
        #expect(peers.peers.allSatisfy { $0.agent.state == .failed })
        #expect(peers.peers.allSatisfy { $0.agent.deadline == nil })
    }

    @Test("J09 a lite agent only answers, and is found")
    func lite() {
        var lite = ICESettings()
        lite.isLite = true
        var peers = TwoPeers(settings: [ICESettings(), lite], roles: [.controlled, .controlling])
        peers.open(0)
        peers.open(1)
        peers.meet(isLite: [false, true])
        peers.run(.seconds(40))
        #expect(peers.bothSelected)
        #expect(peers.peers[0].agent.role == .controlling)
        let haveSent = [peers.send(0), peers.send(1)]
        #expect(haveSent == [true, true])
        let asked = peers.sent.contains { $0.peer == 1 && $0.bytes[0] == 0 && $0.bytes[1] == 1 }
        #expect(!asked)
    }

    @Test("J09 stays connected for an hour of consent, and stops sending when it ends")
    func consent() {
        var peers = Self.pair()
        peers.meet()
        peers.run(.seconds(3600))
        let haveSent = [peers.send(0), peers.send(1)]
        #expect(haveSent == [true, true])
        peers.mayPass = { _, _ in false }
        let start = peers.now
        while peers.now < start + .seconds(20) {
            peers.run(.seconds(1))
        }
        #expect(peers.peers[0].agent.state == .disconnected)
        while peers.send(0), peers.now < start + .seconds(60) { peers.run(.milliseconds(20)) }
        #expect(peers.now <= start + .seconds(31))
        peers.run(.seconds(40))
        #expect(peers.peers.allSatisfy { $0.agent.state == .failed })
    }

    @Test("J09 goes on within a moment when an interface goes away and another pair works", arguments: [0, 1])
    func failover(loser: Int) throws {
        var peers = Self.pair()
        peers.open(loser, 1, preference: 9)
        peers.meet()
        peers.run(.seconds(5))
        #expect(peers.selection(loser)?.path == PathID(rawValue: 1))
        peers.close(loser, 1)
        let lostAt = peers.now
        let hasSent = peers.send(loser)
        #expect(hasSent)
        peers.run(.seconds(1)) { $0.selection(1 - loser)?.remote == TwoPeers.address(loser, 0) }
        #expect(peers.now <= lostAt + .milliseconds(300))
        #expect(peers.selection(loser)?.path == PathID(rawValue: 0))
    }

    @Test("J09 restarts without a gap")
    func restart() throws {
        var peers = Self.pair()
        peers.meet()
        peers.run(.seconds(5))
        var random = SeededRandom(seed: 99)
        for peer in 0..<2 {
            let credentials = ICECredentials(using: &random)
            let now = peers.now
            peers.tell(peer) { agent, outbox in agent.restart(credentials, at: now, into: &outbox) }
            #expect(peers.peers[peer].agent.state == .completed || peers.peers[peer].agent.state == .connected)
            let hasSent = peers.send(peer)
            #expect(hasSent)
        }
        let before = peers.peers.map { $0.events.count }
        peers.meet()
        for _ in 0..<10 {
            peers.run(.milliseconds(20))
            let haveSent = [peers.send(0), peers.send(1)]
            #expect(haveSent == [true, true])
        }
        peers.run(.seconds(1))
        for peer in 0..<2 {
            #expect(peers.peers[peer].received.count == 11)
            let isSelected = peers.peers[peer].events.dropFirst(before[peer]).contains {
                if case .selected = $0 { true } else { false }
            }
            #expect(isSelected)
            #expect(peers.peers[peer].agent.state == .completed)
        }
    }

    @Test("J09 waits for names to be resolved, and asks for them")
    func names() throws {
        var peers = Self.pair()
        peers.meet()
        let candidate = try #require(ICECandidate("candidate:1 1 udp 2122260223 ab-cd.local 5000 typ host"))
        let now = peers.now
        peers.tell(0) { agent, outbox in agent.candidateReceived(candidate, at: now, into: &outbox) }
        #expect(peers.peers[0].events.contains(.resolve(name: "ab-cd.local")))
        let ip = TwoPeers.address(1).ip
        peers.tell(0) { agent, outbox in agent.nameResolved("ab-cd.local", ip, at: now, into: &outbox) }
        peers.run(.seconds(1))
        #expect(peers.bothSelected)
    }

    @Test("J09 is not moved by strangers, however many packets they send", arguments: 0..<10)
    func strangers(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var peers = Self.pair(seed: seed)
        peers.meet()
        let credentials = peers.peers[1].agent.credentials
        for count in 0..<500 {
            let key = STUNKey(shortTerm: "wrong password wrong password")
            let type: STUNMessageType.Class = count.isMultiple(of: 2) ? .request : .success
            var writer = STUNWriter(type, STUNMethod.binding, TransactionID(using: &random))
            writer.append(.username, text: "\(credentials.usernameFragment):abcd")
            writer.append(.useCandidate)
            writer.append(.iceControlling, UInt64.max)
            writer.appendIntegrity(key)
            writer.appendFingerprint()
            let bytes = writer.finish().bytes
            peers.launch(bytes, from: TwoPeers.address(7), to: TwoPeers.address(1))
            if count.isMultiple(of: 50) { peers.run(.milliseconds(5)) }
        }
        peers.run(.seconds(1))
        #expect(peers.selection(1)?.remote == TwoPeers.address(0))
        #expect(peers.peers[1].agent.role == .controlled)
        #expect(peers.sent.count { $0.peer == 1 } < 200)
    }
}
