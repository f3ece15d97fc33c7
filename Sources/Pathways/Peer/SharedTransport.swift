internal import ICE
internal import Vocabulary

/// One connection's registration at a socket that others use, too.
final class SharedTransport: PeerTransport {
    private let id: PathID
    private let socket: SharedSocket
    private var owner: (any PeerTransportOwner)?
    private var registration: Int?
    private var left: ((SharedSocket) -> Void)?
    private var name: String
    private var isCrowdedOut = false

    init(_ id: PathID, at socket: SharedSocket, of owner: any PeerTransportOwner) {
        self.id = id
        self.socket = socket
        self.owner = owner
        self.name = owner.usernameFragment
    }

    /// - Parameter left: called at the end.
    func register(on registration: Int, left: @escaping (SharedSocket) -> Void) {
        self.registration = registration
        self.left = left
    }

    var kind: PeerTransportKind { .udp }
    var address: SocketAddress { self.socket.address }

    func send(_ packet: Span<UInt8>, to peer: SocketAddress) { self.socket.send(packet, to: peer) }

    func received(_ datagram: Span<UInt8>, from peer: SocketAddress) -> ICEReceipt {
        self.owner?.received(datagram, on: self.id, from: peer) ?? .ignored
    }

    /// After a restart.
    func rename(to name: String) {
        guard name != self.name, let registration = self.registration else { return }
        self.name = name
        if !self.socket.rename(registration, to: name) { self.crowdedOut() }
    }

    /// Another connection's peer has this address.
    func crowdedOut() {
        guard !self.isCrowdedOut else { return }
        self.isCrowdedOut = true
        self.owner?.needsOwnSocket(on: self.address.ip)
    }

    func close() {
        self.owner = nil
        guard let registration = self.registration.take() else { return }
        self.socket.remove(registration)
        self.left.take()?(self.socket)
    }
}
