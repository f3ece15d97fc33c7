import ICE
import Negotiating
import Peer
import Secure
import Vocabulary

/// A call that stands, or is about to, and a peer who has passed every check and then says whatever comes to mind: the call
/// goes on, and its deadlines pass.
enum CallFuzz {
    private static let path = PathID(rawValue: 0)
    private static let addresses = [
        SocketAddress(.v4(0x0A00_0001), port: 5000), SocketAddress(.v4(0x0A00_0002), port: 6000),
    ]
    private static let context: DTLSContext? = (try? SelfSignedIdentity(names: ["fuzz"])).flatMap {
        try? DTLSContext(peerWith: $0)
    }

    @Sendable static func run(_ bytes: [UInt8]) {
        let input = FuzzInput(bytes)
        guard let context = self.context, var pair = Pair(context) else { return demand(false, "there is no call") }
        // How far the two get before it begins.
        pair.pass(rounds: Int(input.control & 15))
        for packet in Self.packets(input.bytes) {
            pair.deliver(packet, to: 1)
            pair.pass(rounds: 1)
        }
        pair.advance(by: .seconds(1))
    }

    /// Each begins with its length.
    private static func packets(_ bytes: [UInt8]) -> [[UInt8]] {
        var packets: [[UInt8]] = []
        var rest = bytes[...]
        while let length = rest.popFirst() {
            packets.append(Array(rest.prefix(Int(length) * 4)))
            rest = rest.dropFirst(Int(length) * 4)
        }
        return packets
    }

    /// Two sessions with a wire between them.
    private struct Pair {
        var sessions: [CallSession]
        var outboxes = [Outbox<ICEEvent>(), Outbox<ICEEvent>()]
        var now = Instant(nanoseconds: 0)

        init?(_ context: DTLSContext) {
            self.sessions = (0..<2).map { CallSession(PeerSettings(), context, random: Dice(state: UInt64($0) + 1)) }
            self.sessions[0].addTransceiver()
            self.sessions[1].addTransceiver(isForTrack: true)
            for index in 0..<2 {
                let path = ICEPath(CallFuzz.path, address: CallFuzz.addresses[index])
                self.sessions[index].pathAdded(path, at: self.now, into: &self.outboxes[index])
                self.sessions[index].pathsEnded(at: self.now, into: &self.outboxes[index])
            }
            do {
                let offer = try self.sessions[0].createOffer()
                try self.sessions[0].setLocalDescription(.offer, at: self.now, into: &self.outboxes[0])
                try self.sessions[1].setRemoteDescription(.offer, offer, at: self.now, into: &self.outboxes[1])
                let answer = try self.sessions[1].createAnswer()
                try self.sessions[1].setLocalDescription(.answer, at: self.now, into: &self.outboxes[1])
                try self.sessions[0].setRemoteDescription(.answer, answer, at: self.now, into: &self.outboxes[0])
            } catch {
                return nil
            }
        }

        mutating func pass(rounds: Int) {
            for _ in 0..<rounds {
                self.now = self.now + .milliseconds(10)
                for index in 0..<2 {
                    self.sessions[index].clockAdvanced(to: self.now, into: &self.outboxes[index])
                    let packets = self.outboxes[index].packets
                    self.outboxes[index].removeAll()
                    for packet in packets.packets { self.deliver(packets.bytes(of: packet), to: 1 - index) }
                }
            }
        }

        mutating func deliver(_ packet: [UInt8], to index: Int) {
            self.sessions[index].received(
                packet.span, on: CallFuzz.path, from: CallFuzz.addresses[1 - index], at: self.now,
                into: &self.outboxes[index])
            _ = self.sessions[index].takeEvents()
        }

        mutating func advance(by duration: Duration) {
            let end = self.now + duration
            var steps = 0
            while let deadline = self.sessions[1].findDeadline(), deadline <= end {
                self.now = max(self.now, deadline)
                self.sessions[1].clockAdvanced(to: self.now, into: &self.outboxes[1])
                self.outboxes[1].removeAll()
                steps += 1
                demand(steps < 2000, "the deadline does not pass")
            }
        }
    }
}
