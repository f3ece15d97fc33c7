internal import CSockets
internal import CUV
internal import Vocabulary

/// What the kernel calls an address.
struct SystemAddress {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

    init() {}

    init(_ address: SocketAddress, scope: UInt32 = 0) {
        switch address.ip {
        case .v4(let ip): self.set(v4: ip, port: address.port)
        case .v6(let high, let low): self.set(v6: high, low, port: address.port, scope: scope)
        }
    }

    /// The address alone, of a socket of IPv6.
    var in6: in6_addr {
        unsafe withUnsafeBytes(of: self.storage) { unsafe $0.load(as: sockaddr_in6.self).sin6_addr }
    }

    var family: Int32 { Int32(self.storage.ss_family) }

    private mutating func set(v4 ip: UInt32, port: UInt16) {
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_port = port.bigEndian
        target.sin_addr.s_addr = ip.bigEndian
        self.length = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutableBytes(of: &self.storage) { unsafe $0.storeBytes(of: target, as: sockaddr_in.self) }
    }

    private mutating func set(v6 high: UInt64, _ low: UInt64, port: UInt16, scope: UInt32) {
        var target = sockaddr_in6()
        target.sin6_family = sa_family_t(AF_INET6)
        target.sin6_scope_id = scope
        target.sin6_port = port.bigEndian
        unsafe withUnsafeMutableBytes(of: &target.sin6_addr) {
            unsafe $0.storeBytes(of: high.bigEndian, as: UInt64.self)
            unsafe $0.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        self.length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        unsafe withUnsafeMutableBytes(of: &self.storage) { unsafe $0.storeBytes(of: target, as: sockaddr_in6.self) }
    }

    /// Nil for families we do not speak, such as Unix sockets.
    var socketAddress: SocketAddress? {
        unsafe withUnsafeBytes(of: self.storage) { bytes -> SocketAddress? in
            switch self.family {
            case AF_INET:
                let source = unsafe bytes.load(as: sockaddr_in.self)
                return SocketAddress(.v4(source.sin_addr.s_addr.bigEndian), port: source.sin_port.bigEndian)
            case AF_INET6:
                var source = unsafe bytes.load(as: sockaddr_in6.self)
                let halves = unsafe withUnsafeBytes(of: &source.sin6_addr) { bytes in
                    let high = unsafe bytes.loadUnaligned(as: UInt64.self)
                    let low = unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
                    return (high.bigEndian, low.bigEndian)
                }
                return SocketAddress(.v6(halves.0, halves.1), port: source.sin6_port.bigEndian)
            default:
                return nil
            }
        }
    }

    /// Lends the address to a system call.
    mutating func withSockaddr<Result>(
        _ body: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Result
    ) -> Result {
        var length = self.length
        defer { self.length = length }
        return unsafe withUnsafeMutablePointer(to: &self.storage) { storage in
            unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, &length) }
        }
    }
}
