internal import Bytes
internal import Reactor
internal import STUN
internal import TURN
internal import Vocabulary

/// A client of the TURN server that came by TCP.
final class TURNStream: StreamHandler, TURNLine {
    let client: SocketAddress
    private let stream: any ByteStream
    private unowned let service: TURNService
    private var messages = STUNStream()
    private var silence: TimerToken?
    private var isJoined = false

    /// A connection on which nothing was allocated is not kept for long.
    private static let silenceTimeout = Duration.seconds(660)
    /// What may wait for a slow client; media that is late is worth nothing.
    private static let maximumQueuedBytes = 256 << 10

    init(_ stream: any ByteStream, _ service: TURNService) {
        self.client = stream.peer
        self.stream = stream
        self.service = service
        self.awaitSomething()
    }

    var isStream: Bool { true }

    func send(_ bytes: Span<UInt8>, to client: SocketAddress) {
        if self.stream.queuedBytes <= Self.maximumQueuedBytes { self.stream.write(bytes) }
    }

    func join(_ peer: any PeerStream, of user: TURNUser) {
        guard let peer = peer as? WaitingPeer else { return self.stream.abort() }
        if let timer = self.silence.take() { self.stream.reactor.cancel(timer) }
        self.isJoined = true
        let service = self.service
        PipeEnd.join(
            PipeEnd(self.stream, user, carried: { service.carried($0, toPeer: true) }, ended: { service.ended(self) }),
            PipeEnd(peer.connection, user, carried: { service.carried($0, toPeer: false) }))
    }

    func received(_ bytes: inout MutableSpan<UInt8>) {
        self.awaitSomething()
        do throws(ByteError) {
            // Whoever takes a connection waits for the answer before it says more: what came with the request is no part of it.
            try self.messages.take(bytes.span) { message in
                self.service.received(message, on: self)
                return !self.isJoined
            }
        } catch {
            self.stream.abort()
        }
    }

    func peerFinished() { self.stream.close() }
    func drained() {}

    func ended(_ end: StreamEnd) {
        if let timer = self.silence.take() { self.stream.reactor.cancel(timer) }
        self.service.ended(self)
    }

    func close() { self.stream.close() }

    private func awaitSomething() {
        if let timer = self.silence { self.stream.reactor.cancel(timer) }
        self.silence = self.stream.reactor.schedule(after: Self.silenceTimeout) { [weak self] in self?.stream.abort() }
    }
}
