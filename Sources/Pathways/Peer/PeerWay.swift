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

/// A UDP socket on an address of ours.
final class DatagramWay: PeerWay, DatagramHandler {
    private let id: PathID
    private let socket: UDPSocket
    private var owner: (any PathOwner)?

    init(_ id: PathID, on ip: IPAddress, of owner: any PathOwner) throws(ReactorError) {
        self.id = id
        self.socket = try UDPSocket(on: SocketAddress(ip, port: 0), reactor: owner.reactor)
        self.owner = owner
        self.socket.start(self)
    }

    var kind: PeerWayKind { .udp }
    var address: SocketAddress { self.socket.address }

    func send(_ packet: Span<UInt8>, to peer: SocketAddress) { self.socket.send(packet, to: peer) }

    func received(_ datagram: Span<UInt8>, from peer: SocketAddress, on socket: UDPSocket) {
        _ = self.owner?.received(datagram, on: self.id, from: peer)
    }

    func close() {
        self.owner = nil
        self.socket.close()
    }
}
