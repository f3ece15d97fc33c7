package import Vocabulary

/// Which other nodes there are, and whether all was heard of what they said.
package struct PeerBook {
    package enum Heard: Hashable, Sendable {
        /// A node that was not there before: what it said until now was not heard, and it may not know of us.
        case first
        case next
        /// Something between this and the last was lost.
        case gap
        /// It was heard before.
        case old
    }

    private struct Peer {
        var number: UInt64
        var heard: Instant
        var address: String?
    }

    /// A node says something every second.
    package static let beat = Duration.seconds(1)
    package static let silence = Duration.seconds(4)
    /// More are no cluster of ours.
    private static let maximum = 256

    private var peers: [RandomToken: Peer] = [:]

    package init() {}

    package var isEmpty: Bool { self.peers.isEmpty }
    package var count: Int { self.peers.count }

    package mutating func heard(_ frame: NodeFrame, at now: Instant) -> Heard {
        guard let peer = self.peers[frame.node] else {
            if !frame.isLast, self.peers.count < Self.maximum {
                self.peers[frame.node] = Peer(number: frame.number, heard: now, address: frame.address)
            }
            return .first
        }
        guard frame.number > peer.number else { return .old }
        let address = frame.address ?? peer.address
        self.peers[frame.node] = frame.isLast ? nil : Peer(number: frame.number, heard: now, address: address)
        return frame.number == peer.number + 1 ? .next : .gap
    }

    /// Those of whom nothing was heard for too long are forgotten. What they said last may be lost.
    package mutating func clockAdvanced(to now: Instant) -> [RandomToken] {
        let gone = self.peers.filter { $0.value.heard + Self.silence <= now }.map(\.key)
        for node in gone { self.peers[node] = nil }
        return gone
    }

    /// Where each other node is, as far as it has said so.
    package var addresses: [RandomToken: String?] { self.peers.mapValues(\.address) }

    package func knows(_ node: RandomToken) -> Bool { self.peers[node] != nil }

    /// This node stood still itself: what others said meanwhile is still on its way.
    package mutating func excuse(at now: Instant) {
        for node in self.peers.keys { self.peers[node]?.heard = now }
    }

    /// Nothing was heard for a while: whoever is there is met anew.
    package mutating func forget() { self.peers = [:] }
}
