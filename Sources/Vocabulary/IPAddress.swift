/// An IPv4 or IPv6 address.
package enum IPAddress: Hashable, Sendable {
    case v4(UInt32)
    case v6(UInt64, UInt64)

    package static let loopback = IPAddress.v4(0x7F00_0001)
    package static let loopback6 = IPAddress.v6(0, 1)
    package static let any = IPAddress.v4(0)
    package static let any6 = IPAddress.v6(0, 0)

    /// Dotted decimal, or any spelling of RFC 4291 §2.2 without a zone.
    package init?(_ text: some StringProtocol) {
        if let address = IPv4Text.parse(text.utf8) {
            self = .v4(address)
        } else if let groups = IPv6Text.parse(text) {
            self.init(groups: groups)
        } else {
            return nil
        }
    }

    private init(groups: [UInt16]) {
        let halves = groups.reduce(into: (UInt64(0), UInt64(0))) { halves, group in
            halves.0 = halves.0 << 16 | halves.1 >> 48
            halves.1 = halves.1 << 16 | UInt64(group)
        }
        self = .v6(halves.0, halves.1)
    }

    /// The eight groups of an IPv6 address, or nil for IPv4.
    package var groups: [UInt16]? {
        guard case .v6(let high, let low) = self else { return nil }
        return [high, low].flatMap { half in
            stride(from: 48, through: 0, by: -16).map { UInt16(truncatingIfNeeded: half >> UInt64($0)) }
        }
    }

    package var isLoopback: Bool {
        switch self.unmapped {
        case .v4(let address): address >> 24 == 127
        case .v6(let high, let low): high == 0 && low == 1
        }
    }

    /// An IPv4 address that came dressed as IPv6 (`::ffff:a.b.c.d`) without the dress.
    package var unmapped: IPAddress {
        guard case .v6(0, let low) = self, low >> 32 == 0xFFFF else { return self }
        return .v4(UInt32(truncatingIfNeeded: low))
    }

    /// The network that one site holds: the address itself in IPv4, the /48 in IPv6.
    package var sitePrefix: IPAddress {
        guard case .v6(let high, _) = self.unmapped else { return self.unmapped }
        return .v6(high & ~0xFFFF, 0)
    }

    /// The prefix that one client holds: the address itself in IPv4, the /64 in IPv6. Limits count by it.
    package var clientPrefix: IPAddress {
        guard case .v6(let high, _) = self.unmapped else { return self.unmapped }
        return .v6(high, 0)
    }
}

extension IPAddress: CustomStringConvertible {
    /// As RFC 5952 wants it: lower case, the longest run of zeros shortened.
    package var description: String {
        switch self {
        case .v4(let address): IPv4Text.write(address)
        case .v6: IPv6Text.write(self.groups ?? [])
        }
    }
}
