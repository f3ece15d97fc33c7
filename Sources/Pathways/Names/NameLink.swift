internal import ICE
internal import Reactor
internal import Vocabulary

/// One group on one interface.
final class NameLink: DatagramHandler {
    let id: PathID
    private let socket: UDPSocket
    private var owner: LocalNames?

    init(
        _ id: PathID, _ group: SocketAddress, _ interface: UInt32, _ reactor: Reactor, for owner: LocalNames
    ) throws(ReactorError) {
        self.id = id
        self.socket = try UDPSocket(joining: group, on: interface, reactor: reactor)
        self.owner = owner
        self.socket.start(self)
    }

    func send(_ bytes: Span<UInt8>, to peer: SocketAddress) { self.socket.send(bytes, to: peer) }

    func received(_ datagram: Span<UInt8>, from peer: SocketAddress, on socket: UDPSocket) {
        self.owner?.received(datagram, on: self.id, from: peer)
    }

    func close() {
        self.owner = nil
        self.socket.close()
    }
}
