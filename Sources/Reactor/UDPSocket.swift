internal import CSockets
internal import CUV
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
    /// Equal datagrams pass the kernel as one (UDP_GRO and UDP_SEGMENT).
    private var joins = false
    private let receivesJoined: Bool
    private let use: Use

    /// Who sends to it.
    package enum Use: Sendable {
        case fewPeers
        /// At a moderate rate the loop lets a few datagrams come before it looks.
        case manyPeers
        /// The same, and bursts of equal datagrams are handled as one.
        case relayedPeers
    }

    package convenience init(
        on address: SocketAddress, for use: Use = .fewPeers, reactor: Reactor
    ) throws(ReactorError) {
        let fd = try SystemSocket.bound(to: address, type: SystemSocket.datagram, for: .bind)
        try self.init(fd, address: SystemSocket.localAddress(of: fd) ?? address, for: use, reactor: reactor)
    }

    /// Takes over `fd`, also when it throws.
    init(_ fd: Int32, address: SocketAddress, for use: Use = .fewPeers, reactor: Reactor) throws(ReactorError) {
        self.address = address
        self.use = use
        self.receivesJoined = use == .relayedPeers && parley_join_segments(fd) != 0
        self.joins = self.receivesJoined
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
        let outgoing = self.outgoing ?? self.reactor.datagrams.take(for: self)
        self.outgoing = outgoing
        if outgoing.isFull { self.sendAll(of: outgoing) }
        outgoing.append(datagram, to: peer, joins: self.joins)
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
        // What came while many were looked at is answered together with them: a look that finds nothing costs less than
        // a turn. A few batches, then the others' turn.
        let incoming = self.receivesJoined ? self.reactor.datagrams.joined : self.reactor.datagrams.incoming
        for _ in 0..<4 {
            let count = incoming.receive(on: self.fd)
            guard count > 0 else { break }
            for index in 0..<count { self.deliver(index, of: incoming) }
            guard !self.isClosed else { return }
            guard count >= Self.burst else {
                if self.use != .fewPeers { self.reactor.gather() }
                break
            }
        }
        self.watchAgain()
    }

    /// So many at once have gathered by themselves.
    private static let burst = 4

    /// An error on a UDP socket is news about one peer (an ICMP answer), not about the socket: keep listening.
    private func watchAgain() {
        if self.handler != nil { self.watch(readable: true, writable: false) }
    }

    private func deliver(_ index: Int, of incoming: DatagramBatch) {
        guard let peer = incoming.peer(of: index) else { return }
        incoming.withDatagrams(index) { self.handler?.received($0, from: peer, on: self) }
    }

    func flush() {
        guard let outgoing = self.outgoing.take() else { return }
        if self.isClosed { outgoing.removeAll() } else { self.sendAll(of: outgoing) }
        self.reactor.datagrams.giveBack(outgoing)
    }

    private func sendAll(of batch: DatagramBatch) {
        if !batch.sendAll(on: self.fd) { self.joins = false }
    }
}

extension UDPSocket {
    /// Hears what is sent to a group on one interface, and sends there by way of it. Others on this machine may have
    /// joined as well.
    ///
    /// It is bound to the group, so nothing reaches it that was sent to this machine alone.
    package convenience init(joining group: SocketAddress, on interface: UInt32, reactor: Reactor) throws(ReactorError)
    {
        let fd = try SystemSocket.bound(
            to: group, scope: interface, type: SystemSocket.datagram, isShared: true, for: .bind)
        let code = SystemSocket.join(fd, group.ip, on: interface)
        guard code == 0 else {
            let error = ReactorError(.bind, code: SystemSocket.lastError, "\(group)")
            SystemSocket.close(fd)
            throw error
        }
        try self.init(fd, address: group, reactor: reactor)
    }
}

extension SystemSocket {
    /// Not beyond this link, which every receiver may check (RFC 6762 §11).
    private static let reach: Int32 = 255

    fileprivate static func join(_ fd: Int32, _ group: IPAddress, on interface: UInt32) -> Int32 {
        switch group {
        case .v4(let ip): self.join4(fd, ip, on: interface)
        case .v6: self.join6(fd, SystemAddress(SocketAddress(group, port: 0)).in6, on: interface)
        }
    }

    private static func join4(_ fd: Int32, _ group: UInt32, on interface: UInt32) -> Int32 {
        let (level, size) = (Int32(IPPROTO_IP), socklen_t(MemoryLayout<ip_mreqn>.size))
        self.set(fd, level, IP_MULTICAST_TTL, self.reach)
        self.set(fd, level, IP_MULTICAST_LOOP, 1)
        #if canImport(Glibc)
        // Or it would hear what any other socket of this machine has joined.
        self.set(fd, level, IP_MULTICAST_ALL, 0)
        #endif
        var place = ip_mreqn()
        place.imr_multiaddr.s_addr = group.bigEndian
        place.imr_ifindex = Int32(bitPattern: interface)
        let code = unsafe setsockopt(fd, level, IP_MULTICAST_IF, &place, size)
        return unsafe code == 0 ? setsockopt(fd, level, IP_ADD_MEMBERSHIP, &place, size) : code
    }

    private static func join6(_ fd: Int32, _ group: in6_addr, on interface: UInt32) -> Int32 {
        let level = Int32(IPPROTO_IPV6)
        self.set(fd, level, IPV6_MULTICAST_HOPS, self.reach)
        self.set(fd, level, IPV6_MULTICAST_LOOP, 1)
        self.set(fd, level, IPV6_MULTICAST_IF, Int32(bitPattern: interface))
        var place = ipv6_mreq()
        place.ipv6mr_multiaddr = group
        place.ipv6mr_interface = numericCast(interface)
        return unsafe setsockopt(fd, level, IPV6_JOIN_GROUP, &place, socklen_t(MemoryLayout<ipv6_mreq>.size))
    }
}
