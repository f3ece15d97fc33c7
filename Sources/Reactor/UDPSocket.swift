internal import CSockets
package import Vocabulary

/// Who is told what arrives on a UDP socket, always on the socket's loop.
package protocol DatagramHandler: AnyObject {
    /// The bytes are lent for the time of the call.
    func received(_ datagram: Span<UInt8>, from peer: SocketAddress, on socket: UDPSocket)
}

/// A UDP socket that reads and writes its datagrams in batches of up to 64.
///
/// What is sent within a turn leaves at its end. A datagram that finds the kernel's buffer full is dropped, as
/// the network itself would do.
@safe package final class UDPSocket: SocketWatch, EndOfTurn {
    package let address: SocketAddress

    /// What leaves at the end of this turn.
    private var outgoing: DatagramBatch?
    private var handler: (any DatagramHandler)?
    private var isGathered = false

    package convenience init(on address: SocketAddress, reactor: Reactor) throws(ReactorError) {
        let fd = try SystemSocket.bound(to: address, type: SystemSocket.datagram, for: .bind)
        try self.init(fd, address: SystemSocket.localAddress(of: fd) ?? address, reactor: reactor)
    }

    /// Takes over `fd`, also when it throws.
    init(_ fd: Int32, address: SocketAddress, reactor: Reactor) throws(ReactorError) {
        self.address = address
        // Room for a burst while the loop is busy elsewhere; the system gives as much of it as it allows.
        SystemSocket.set(fd, SOL_SOCKET, SO_RCVBUF, 4 << 20)
        SystemSocket.set(fd, SOL_SOCKET, SO_SNDBUF, 4 << 20)
        try super.init(fd, on: reactor)
    }

    /// The address of ours from which something for `peer` would leave. Nothing is sent; nil where no way leads there.
    package static func source(towards peer: SocketAddress) -> IPAddress? {
        guard let fd = try? SystemSocket.open(peer, type: SystemSocket.datagram, for: .connect) else { return nil }
        defer { SystemSocket.close(fd) }
        var system = SystemAddress(peer)
        guard unsafe system.withSockaddr({ unsafe CSockets.connect(fd, $0, $1) }) == 0 else { return nil }
        return SystemSocket.localAddress(of: fd)?.ip
    }

    package func start(_ handler: any DatagramHandler) {
        self.handler = handler
        self.watch(readable: true, writable: false)
    }

    /// What was sent before still leaves: most of all a goodbye.
    package func close() {
        self.handler = nil
        self.flush()
        self.closeSocket()
    }

    /// False when the datagram is larger than any path would carry.
    @discardableResult
    package func send(_ datagram: Span<UInt8>, to peer: SocketAddress) -> Bool {
        guard datagram.count <= DatagramBatch.datagramSize, !self.isClosed else { return false }
        let outgoing = self.outgoing ?? self.reactor.datagrams.take()
        self.outgoing = outgoing
        if outgoing.isFull { outgoing.sendAll(on: self.fd) }
        outgoing.append(datagram, to: peer)
        if !self.isGathered {
            self.isGathered = true
            self.reactor.atEndOfTurn(self)
        }
        return true
    }

    package func turnEnded() {
        self.isGathered = false
        self.flush()
    }

    override func readable() {
        // What came while the first were looked at is answered together with them: a look that finds nothing costs less than
        // a turn. A few batches, then the others' turn.
        let incoming = self.reactor.datagrams.incoming
        for _ in 0..<4 {
            let count = incoming.receive(on: self.fd)
            guard count > 0 else { break }
            for index in 0..<count { self.deliver(index, of: incoming) }
            guard !self.isClosed else { return }
        }
        self.watchAgain()
    }

    /// An error on a UDP socket is news about one peer (an ICMP answer), not about the socket: keep listening.
    private func watchAgain() {
        if self.handler != nil { self.watch(readable: true, writable: false) }
    }

    private func deliver(_ index: Int, of incoming: DatagramBatch) {
        guard let handler = self.handler, let peer = incoming.peer(of: index) else { return }
        incoming.withDatagram(index) { handler.received($0, from: peer, on: self) }
    }

    private func flush() {
        guard let outgoing = self.outgoing.take() else { return }
        if self.isClosed { outgoing.removeAll() } else { outgoing.sendAll(on: self.fd) }
        self.reactor.datagrams.giveBack(outgoing)
    }
}
