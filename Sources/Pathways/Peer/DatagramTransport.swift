internal import ICE
internal import Reactor
internal import Vocabulary

/// A UDP socket on an address of ours.
final class DatagramTransport: PeerTransport, DatagramHandler {
    private let id: PathID
    private let socket: UDPSocket
    private var owner: (any PeerTransportOwner)?

    init(_ id: PathID, on ip: IPAddress, of owner: any PeerTransportOwner) throws(ReactorError) {
        self.id = id
        self.socket = try UDPSocket(on: SocketAddress(ip, port: 0), reactor: owner.reactor)
        self.owner = owner
        self.socket.start(self)
    }

    var kind: PeerTransportKind { .udp }
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
