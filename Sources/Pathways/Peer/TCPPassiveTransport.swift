internal import Reactor
internal import Vocabulary

/// A path that carries nothing itself and is dialled.
final class TCPPassiveTransport: PeerTransport {
    private let listener: LoopListener

    init(_ listener: LoopListener) {
        self.listener = listener
    }

    var kind: PeerTransportKind { .tcp }
    func send(_ packet: Span<UInt8>, to peer: SocketAddress) {}
    func close() { self.listener.close() }
}
