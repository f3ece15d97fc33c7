internal import STUN
internal import Vocabulary

/// A connection between a relayed address and a peer, and the client's connection that takes it (RFC 6062 §4).
final class PeerConnection {
    let id: UInt32
    let peer: SocketAddress
    unowned let allocation: Allocation
    /// Until when it waits to be taken; while the peer has not answered that is the relay's to decide.
    private(set) var end: Instant?
    private var stream: (any PeerStream)?
    private(set) var isTaken = false

    init(_ id: UInt32, with peer: SocketAddress, of allocation: Allocation) {
        self.id = id
        self.peer = peer
        self.allocation = allocation
    }

    func opened(_ stream: any PeerStream, at now: Instant) {
        self.stream = stream
        self.end = now + TURNServerSettings.connectionTimeout
    }

    /// Once, and only when it is there.
    func take() -> (any PeerStream)? {
        guard !self.isTaken, let stream = self.stream else { return nil }
        self.isTaken = true
        self.end = nil
        return stream
    }

    func close() { self.stream?.close() }
}
