import ICE
import Pathways
import Reactor
import Testing
import Vocabulary

@Suite("A path between peers", .timeLimit(.minutes(1)))
struct PeerPathTests {
    @Test("is found on one machine over either family", arguments: [IPAddress.loopback, .loopback6])
    func loopback(address: IPAddress) async throws {
        let outcome = try await PeerMeeting.play(PeerMeeting.Wishes(addresses: [address]))
        #expect(outcome.sentences == ["hello yourself"])
        #expect(outcome.kind == .udp)
    }

    @Test("J09 is found over TCP where UDP is forbidden, whoever can be dialled", arguments: [nil, 0, 1])
    func streams(mute: Int?) async throws {
        for address in [IPAddress.loopback, .loopback6] {
            let wishes = PeerMeeting.Wishes(addresses: [address], speaksUDP: false, mute: mute)
            let outcome = try await PeerMeeting.play(wishes)
            #expect(outcome.sentences == ["hello yourself"])
            #expect(outcome.kind == .tcp)
            for candidates in outcome.candidates {
                #expect(candidates.map(\.transport) == [.tcpActive, .tcpPassive])
                #expect(candidates.first?.port == 9)
            }
            // The first one dials the second, unless that cannot be dialled.
            let isDialled = outcome.candidates[1].contains { $0.address == outcome.remote }
            if let mute { #expect(isDialled == (mute == 0)) }
        }
    }

    @Test("J09 goes over TCP by nobody's wish while UDP gets through")
    func preference() async throws {
        let outcome = try await PeerMeeting.play(PeerMeeting.Wishes())
        #expect(outcome.candidates[0].map(\.transport) == [.udp, .tcpActive, .tcpPassive])
        #expect(outcome.kind == .udp)
    }

    @Test("J09 is found by names, and nobody is told an address", arguments: [true, false])
    func names(speaksUDP: Bool) async throws {
        let outcome = try await PeerMeeting.play(PeerMeeting.Wishes(speaksUDP: speaksUDP, hidesAddresses: true))
        #expect(outcome.sentences == ["hello yourself"])
        #expect(outcome.kind == (speaksUDP ? .udp : .tcp))
        for candidate in outcome.candidates.joined() {
            #expect(candidate.address == nil)
            #expect(!candidate.text.contains("127.0.0.1"))
        }
    }

    @Test("J09 is the same TCP connection for both, of all there could be")
    func agreement() async throws {
        let wishes = PeerMeeting.Wishes(addresses: [.loopback, .v4(0x7F00_0002)], speaksUDP: false)
        let outcome = try await PeerMeeting.play(wishes) { meeting in
            meeting.heard = { _ in
                let snapshots = meeting.paths.map(\.snapshot)
                guard snapshots.allSatisfy({ $0.transport.iceState == .completed }) else { return }
                meeting.end(Self.isOneConnection(snapshots) ? "the same" : "\(snapshots)")
            }
        }
        #expect(outcome.sentences == ["the same"])
    }

    /// What one dials is where the other listens.
    private static func isOneConnection(_ snapshots: [ICESnapshot]) -> Bool {
        let ends = snapshots.compactMap { snapshot -> SocketAddress? in
            let id = snapshot.selectedPair?.remoteCandidateId
            return snapshot.remoteCandidates.first { $0.id == id }.map { SocketAddress($0.address, port: $0.port) }
        }
        let listening = snapshots.map { snapshot in
            Set(snapshot.localCandidates.map { SocketAddress($0.address, port: $0.port) })
        }
        guard ends.count == 2 else { return false }
        return listening[1].contains(ends[0]) && listening[0].contains(ends[1])
    }

    @Test("J09 moves to another address of this machine when its own goes away")
    func interfaces() async throws {
        let second = IPAddress.v4(0x7F00_0002)
        let wishes = PeerMeeting.Wishes(follows: true)
        let outcome = try await PeerMeeting.play(wishes) { meeting in
            meeting.heard = { _ in
                let used = meeting.paths[0].snapshot.candidatePairs.filter { $0.state == .succeeded }
                let places = used.filter { $0.localCandidateId.contains("\(second)") }
                switch meeting.addresses {
                case [.loopback]: meeting.addresses = [.loopback, second]
                case [.loopback, second]: if !places.isEmpty { meeting.addresses = [second] }
                default: if places.count == used.count { meeting.end("on the second") }
                }
            }
        }
        #expect(outcome.sentences == ["on the second"])
        let told = outcome.candidates[0].map(\.host)
        #expect(told.contains(.ip(second)))
    }

    @Test("J09 is found although strangers hold connections and say nothing of worth")
    func strangers() async throws {
        let outcome = try await PeerMeeting.play(PeerMeeting.Wishes(speaksUDP: false, mute: 0)) { meeting in
            let crowd = Crowd()
            meeting.deliver = { candidate, peer in
                guard let door = candidate.address, candidate.transport == .tcpPassive else { return }
                crowd.knock(at: door, 20, on: meeting.reactor) { peer.candidateReceived(candidate) }
            }
        }
        #expect(outcome.sentences == ["hello yourself"])
    }
}

/// Strangers who connect, say something, and stay.
private final class Crowd: StreamHandler {
    private var connections: [TCPConnection] = []
    private var cut = 0
    private var then: (() -> Void)?

    /// Goes on when all but the last eight have been cut off.
    func knock(at door: SocketAddress, _ count: Int, on reactor: Reactor, then: @escaping () -> Void) {
        self.then = then
        for _ in 0..<count {
            reactor.connect(to: door) { result in
                guard let connection = try? result.get() else { return }
                self.connections.append(connection)
                connection.start(self)
                connection.write([0, 4, 0x80, 1, 2, 3, 0xFF, 0xFF, 1].span)
            }
        }
    }

    func ended(_ end: StreamEnd) {
        self.cut += 1
        if self.cut == 12 { self.then.take()?() }
    }

    func received(_ bytes: inout MutableSpan<UInt8>) {}
    func peerFinished() {}
    func drained() {}
}
