internal import CSockets
internal import CUV
internal import Vocabulary

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The system calls on sockets, with their errors as values.
enum SystemSocket {
    static var lastError: Int32 { -errno }

    static func isTemporary(_ code: Int32) -> Bool {
        code == UV_EAGAIN.rawValue || code == UV_EINTR.rawValue
    }

    static func open(_ address: SocketAddress, type: Int32, for operation: ReactorError.Operation) throws(ReactorError)
        -> Int32
    {
        let system = SystemAddress(address)
        let fd = parley_socket(system.family, type)
        guard fd >= 0 else { throw ReactorError(operation, code: self.lastError, "\(address)") }
        return fd
    }

    /// A socket that is bound to `address`; closed again when that fails.
    ///
    /// - Parameter scope: the interface, for addresses that mean nothing without one.
    /// - Parameter isShared: whether others may be bound to the same.
    /// - Parameter takesBoth: whether an address of IPv6 stands for those of IPv4 as well (RFC 3493 §3.7).
    static func bound(
        to address: SocketAddress, scope: UInt32 = 0, type: Int32, isShared: Bool = false, takesBoth: Bool = false,
        for operation: ReactorError.Operation
    ) throws(ReactorError) -> Int32 {
        let fd = try self.open(address, type: type, for: operation)
        if type == self.stream || isShared { self.set(fd, SOL_SOCKET, SO_REUSEADDR, 1) }
        #if canImport(Glibc)
        // For datagrams that would spread them over those who share.
        let sharesPort = isShared && type == self.stream
        #else
        let sharesPort = isShared
        #endif
        if sharesPort { self.set(fd, SOL_SOCKET, SO_REUSEPORT, 1) }
        if address.ip.groups != nil { self.set(fd, Int32(IPPROTO_IPV6), IPV6_V6ONLY, takesBoth ? 0 : 1) }
        var system = SystemAddress(address, scope: scope)
        let code = unsafe system.withSockaddr { unsafe bind(fd, $0, $1) }
        guard code == 0 else {
            let error = ReactorError(operation, code: self.lastError, "\(address)")
            self.close(fd)
            throw error
        }
        return fd
    }

    static func localAddress(of fd: Int32) -> SocketAddress? {
        var system = SystemAddress()
        let code = unsafe system.withSockaddr { unsafe getsockname(fd, $0, &$1) }
        return code == 0 ? system.socketAddress : nil
    }

    static func set(_ fd: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
        var value = value
        unsafe setsockopt(fd, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// What went wrong on a socket since the last look, 0 when nothing did.
    static func pendingError(_ fd: Int32) -> Int32 {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        unsafe getsockopt(fd, SOL_SOCKET, SO_ERROR, &value, &length)
        return -value
    }

    static func close(_ fd: Int32) {
        #if canImport(Glibc)
        Glibc.close(fd)
        #else
        Darwin.close(fd)
        #endif
    }

    #if canImport(Glibc)
    static let stream = Int32(SOCK_STREAM.rawValue)
    static let datagram = Int32(SOCK_DGRAM.rawValue)
    static let noSignal = Int32(MSG_NOSIGNAL)
    static let finishWriting = Int32(SHUT_WR)
    #else
    static let stream = SOCK_STREAM
    static let datagram = SOCK_DGRAM
    static let noSignal: Int32 = 0
    static let finishWriting = SHUT_WR
    #endif
}
