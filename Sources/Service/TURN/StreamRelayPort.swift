internal import Reactor
internal import TURN
internal import Vocabulary

/// A relayed transport address by TCP (RFC 6062): peers connect to it, and it to peers, from one port.
final class StreamRelayPort: StreamRelay {
    let relayedAddress: SocketAddress
    weak var allocation: Allocation?
    private let place: SocketAddress
    private let reactor: Reactor
    private var listener: LoopListener?
    private weak var service: TURNService?

    /// A client waits for its answer meanwhile.
    private static let connectTimeout = Duration.seconds(30)

    init(
        on place: SocketAddress, as relayedAddress: SocketAddress, _ reactor: Reactor, _ service: TURNService?
    ) throws(ReactorError) {
        self.place = place
        self.relayedAddress = relayedAddress
        self.reactor = reactor
        self.service = service
        self.listener = try LoopListener(on: place, isShared: true, reactor: reactor) { [weak self] in self?.accept($0)
        }
    }

    func connect(to peer: SocketAddress, _ completion: @escaping ((any PeerStream)?, Instant) -> Void) {
        let reactor = self.reactor
        reactor.connect(to: peer, from: self.place, timeout: Self.connectTimeout) { result in
            let stream = (try? result.get()).map { connection in
                let stream = WaitingPeer(connection)
                connection.pauseReading()
                connection.start(stream)
                return stream
            }
            completion(stream, reactor.instant)
        }
    }

    func close() { self.listener.take()?.close() }

    private func accept(_ connection: TCPConnection) -> (any StreamHandler)? {
        guard let allocation = self.allocation, let service = self.service else { return nil }
        let stream = WaitingPeer(connection)
        connection.pauseReading()
        service.accepted(stream, for: allocation)
        return connection.isOpen ? stream : nil
    }
}

/// A connection with a peer that no client has taken yet.
final class WaitingPeer: PeerStream, StreamHandler {
    let connection: TCPConnection

    init(_ connection: TCPConnection) { self.connection = connection }

    var peer: SocketAddress { self.connection.peer }

    func close() { self.connection.close() }

    // Nothing is read before it is taken, and then another handler is there.
    func received(_ bytes: inout MutableSpan<UInt8>) {}
    func peerFinished() { self.connection.close() }
    func drained() {}
    func ended(_ end: StreamEnd) {}
}
