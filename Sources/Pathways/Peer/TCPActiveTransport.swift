internal import Vocabulary

/// A path that carries nothing itself and only dials.
final class TCPActiveTransport: PeerTransport {
    var kind: PeerTransportKind { .tcp }
    func send(_ packet: Span<UInt8>, to peer: SocketAddress) {}
    func close() {}
}
