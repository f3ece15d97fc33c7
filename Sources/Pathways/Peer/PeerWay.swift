package import ICE
internal import Reactor
internal import Vocabulary

/// What carries the packets of a path.
protocol PeerWay: AnyObject {
    var kind: PeerWayKind { get }
    func send(_ packet: Span<UInt8>, to peer: SocketAddress)
    /// Nothing is told to anybody any more.
    func close()
}

package enum PeerWayKind: String, Hashable, Sendable {
    case udp, tcp, relay
}

extension PeerPath {
    /// Over what the packets of a path travel; nil when it is gone.
    package func kind(of path: PathID) -> PeerWayKind? { self.ways[path]?.kind }
}
