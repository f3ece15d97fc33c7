internal import ICE
internal import Vocabulary

/// One connection's seat at a socket that others use, too.
final class SharedWay: PeerWay {
    private let id: PathID
    private let socket: SharedSocket
    private var owner: (any PathOwner)?
    private var seat: Int?
    private var left: ((SharedSocket) -> Void)?
    private var name: String
    private var isCrowdedOut = false

    init(_ id: PathID, at socket: SharedSocket, of owner: any PathOwner) {
        self.id = id
        self.socket = socket
        self.owner = owner
        self.name = owner.usernameFragment
    }

    /// - Parameter left: called at the end.
    func sit(on seat: Int, left: @escaping (SharedSocket) -> Void) {
        self.seat = seat
        self.left = left
    }

    var kind: PeerWayKind { .udp }
    var address: SocketAddress { self.socket.address }

    func send(_ packet: Span<UInt8>, to peer: SocketAddress) { self.socket.send(packet, to: peer) }

    func received(_ datagram: Span<UInt8>, from peer: SocketAddress) -> ICEReceipt {
        self.owner?.received(datagram, on: self.id, from: peer) ?? .ignored
    }

    /// After a restart.
    func rename(to name: String) {
        guard name != self.name, let seat = self.seat else { return }
        self.name = name
        if !self.socket.rename(seat, to: name) { self.crowdedOut() }
    }

    /// Somebody else's peer is where ours is.
    func crowdedOut() {
        guard !self.isCrowdedOut else { return }
        self.isCrowdedOut = true
        self.owner?.needsOwnSocket(on: self.address.ip)
    }

    func close() {
        self.owner = nil
        guard let seat = self.seat.take() else { return }
        self.socket.remove(seat)
        self.left.take()?(self.socket)
    }
}
