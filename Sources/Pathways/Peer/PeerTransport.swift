internal import ICE
internal import Reactor
internal import Vocabulary

/// What carries the packets of a path.
protocol PeerTransport: AnyObject {
    var kind: PeerTransportKind { get }
    func send(_ packet: Span<UInt8>, to peer: SocketAddress)
    /// Nothing is told to anybody any more.
    func close()
}

package enum PeerTransportKind: String, Hashable, Sendable {
    case udp, tcp, relay
}
