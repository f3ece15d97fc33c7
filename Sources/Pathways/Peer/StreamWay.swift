internal import ICE
internal import Reactor
internal import Vocabulary

/// A TCP connection to a peer, or to somebody who may turn out to be one, with packets in frames (RFC 4571).
final class StreamWay: PeerWay, StreamHandler {
    let id: PathID
    private let connection: TCPConnection
    private var owner: (any PathOwner)?
    private var frames = PacketFrames()
    private var deadline: TimerToken?
    /// Somebody at its other end knows the password.
    private(set) var isProven = false

    /// Who has not said anything of worth until then is a stranger.
    private static let patience = Duration.seconds(10)
    /// What waits longer than this is too late for a conversation, so what comes after it is lost, as it would be in a
    /// router.
    private static let longestQueue = 64 << 10

    init(_ id: PathID, over connection: TCPConnection, of owner: any PathOwner) {
        self.id = id
        self.connection = connection
        self.owner = owner
        self.deadline = owner.reactor.schedule(after: Self.patience) { [unowned self] in
            self.turnAway()
        }
    }

    func turnAway() { self.connection.abort() }

    var kind: PeerWayKind { .tcp }

    func send(_ packet: Span<UInt8>, to peer: SocketAddress) {
        guard self.connection.queuedBytes < Self.longestQueue, let head = PacketFrames.head(of: packet.count) else {
            return
        }
        self.connection.write(head.span, packet)
    }

    func received(_ bytes: inout MutableSpan<UInt8>) {
        // Out of the house while packets are handed over: what they say may close it.
        var frames = PacketFrames()
        swap(&frames, &self.frames)
        frames.take(bytes.span) { packet in
            self.heard(packet)
            return self.owner != nil
        }
        self.frames = frames
    }

    private func heard(_ packet: Span<UInt8>) {
        let receipt = self.owner?.received(packet, on: self.id, from: self.connection.peer)
        guard !self.isProven, receipt == .handled || receipt == .data else { return }
        self.isProven = true
        if let deadline = self.deadline.take() { self.connection.reactor.cancel(deadline) }
    }

    func peerFinished() { self.connection.close() }
    func drained() {}

    func ended(_ end: StreamEnd) {
        let owner = self.owner.take()
        self.close()
        owner?.ended(self)
    }

    func close() {
        self.owner = nil
        if let deadline = self.deadline.take() { self.connection.reactor.cancel(deadline) }
        self.connection.close()
    }
}
