internal import CSockets
internal import CUV
package import Vocabulary

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
