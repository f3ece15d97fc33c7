internal import ICE
internal import Reactor
internal import Vocabulary

/// A TCP connection to a peer, or to a client that has not authenticated yet, with framed packets (RFC 4571).
final class StreamTransport: PeerTransport, StreamHandler {
    let id: PathID
    private let connection: TCPConnection
    private var owner: (any PeerTransportOwner)?
    private let isOurs: Bool
    private var frames = PacketFrames()
    private var timer: TimerToken?
    private var isProven = false
    private var isAlive = false

    /// Who has said nothing of worth until the first is a stranger. Silence for as long as the later one settings that
    /// consent has ended (RFC 7675 §5.1) and the connection is unused.
    private static let idleTimeout = (first: Duration.seconds(10), later: Duration.seconds(30))
    /// What waits longer than this is too late for a conversation, so what comes after it is lost, as it would be in a
    /// router.
    private static let maximumQueuedBytes = 64 << 10

    /// - Parameter isOurs: whether we dialled.
    init(_ id: PathID, over connection: TCPConnection, isOurs: Bool, of owner: any PeerTransportOwner) {
        self.id = id
        self.connection = connection
        self.isOurs = isOurs
        self.owner = owner
        self.wait(Self.idleTimeout.first)
    }

    /// It dialled us, and has not shown yet that it knows the password.
    var isUnverified: Bool { !self.isOurs && !self.isProven }

    private func wait(_ timeout: Duration) {
        self.timer = self.connection.reactor.schedule(after: timeout) { [unowned self] in
            self.timer = nil
            guard self.isAlive else { return self.reject() }
            self.isAlive = false
            self.wait(Self.idleTimeout.later)
        }
    }

    func reject() { self.connection.abort() }

    var kind: PeerTransportKind { .tcp }

    func send(_ packet: Span<UInt8>, to peer: SocketAddress) {
        guard self.connection.queuedBytes < Self.maximumQueuedBytes, let head = PacketFrames.head(of: packet.count)
        else {
            return
        }
        self.connection.write(head.span, packet)
    }

    func received(_ bytes: inout MutableSpan<UInt8>) {
        // Moved out while packets are handed over: a packet may close the connection.
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
        guard receipt == .handled || receipt == .data else { return }
        (self.isProven, self.isAlive) = (true, true)
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
        if let timer = self.timer.take() { self.connection.reactor.cancel(timer) }
        self.connection.close()
    }
}
