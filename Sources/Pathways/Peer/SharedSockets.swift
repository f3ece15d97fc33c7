package import Reactor
internal import ICE
internal import Vocabulary

/// UDP sockets that many connections of one loop have together, a few on each address: what arrives for several of them at
/// once is read at once, and a connection more costs no descriptor.
///
/// For called peers only. Two peers at one address cannot be told apart on one socket, so a caller gets
/// sockets of its own; see `SharedSocket`.
package final class SharedSockets {
    private let reactor: Reactor
    private var sockets: [IPAddress: [SharedSocket]] = [:]

    package init(on reactor: Reactor) {
        self.reactor = reactor
    }

    /// A registration on an address of ours; nil where the name is taken.
    func transport(_ id: PathID, on ip: IPAddress, of owner: any PeerTransportOwner) throws(ReactorError)
        -> SharedTransport?
    {
        let socket = try self.socket(on: ip)
        let transport = SharedTransport(id, at: socket, of: owner)
        guard
            let registration = socket.add(
                transport, usernameFragment: owner.usernameFragment, tag: owner.transactionTag)
        else {
            self.noticeEnd(of: socket)
            return nil
        }
        transport.register(on: registration) { [weak self] in self?.noticeEnd(of: $0) }
        return transport
    }

    private func socket(on ip: IPAddress) throws(ReactorError) -> SharedSocket {
        if let open = self.sockets[ip]?.first(where: \.hasRoom) { return open }
        let new = try SharedSocket(on: ip, reactor: self.reactor)
        self.sockets[ip, default: []].append(new)
        return new
    }

    /// The last one to leave closes the door.
    private func noticeEnd(of socket: SharedSocket) {
        guard socket.isEmpty else { return }
        socket.close()
        self.sockets[socket.address.ip]?.removeAll { $0 === socket }
    }
}
