internal import CSockets
internal import CUV
package import Vocabulary

/// An address of this machine, on an interface that is up.
package struct InterfaceAddress: Hashable, Sendable {
    package let interface: String
    /// How the system numbers the interface.
    package let index: UInt32
    package let ip: IPAddress
    /// It leads to this machine only.
    package let isInternal: Bool

    package init(_ ip: IPAddress, on interface: String, index: UInt32, isInternal: Bool = false) {
        self.ip = ip
        self.interface = interface
        self.index = index
        self.isInternal = isInternal
    }

    /// Whether other hosts can be reached from it. Addresses of one link need to say of which, and peers
    /// do not know how to.
    package var reachesOthers: Bool {
        if case .v6(let high, _) = self.ip, high >> 54 == 0x3FA { return false }
        return !self.isInternal
    }

    /// What there is now.
    package static func all() -> [InterfaceAddress] {
        var list: UnsafeMutablePointer<uv_interface_address_t>?
        var count: Int32 = 0
        guard unsafe uv_interface_addresses(&list, &count) == 0, let first = unsafe list else { return [] }
        defer { unsafe uv_free_interface_addresses(first, count) }
        return (0..<Int(count)).compactMap { index in unsafe InterfaceAddress(first[index]) }
    }

    private init?(_ entry: uv_interface_address_t) {
        guard let name = unsafe entry.name else { return nil }
        var system = SystemAddress()
        unsafe withUnsafeBytes(of: entry.address) { source in
            unsafe withUnsafeMutableBytes(of: &system.storage) { unsafe $0.copyMemory(from: source) }
        }
        guard let address = system.socketAddress else { return nil }
        self.init(
            address.ip, on: unsafe String(cString: name), index: unsafe if_nametoindex(name),
            isInternal: unsafe entry.is_internal != 0)
    }
}
