/// A block of addresses that begin alike: `10.0.0.0/8`, `2001:db8::/32`, or a single one without the slash.
package struct IPNetwork: Hashable, Sendable, CustomStringConvertible {
    package let address: IPAddress
    /// How many bits are the same for all of them.
    package let length: Int

    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(parts[0])?.unmapped else { return nil }
        self.address = address
        guard parts.count == 2 else {
            self.length = address.width
            return
        }
        guard !parts[1].isEmpty, parts[1].utf8.allSatisfy({ (48...57).contains($0) }), let length = Int(parts[1]),
            length <= address.width
        else { return nil }
        self.length = length
    }

    package func contains(_ other: IPAddress) -> Bool {
        switch (self.address, other.unmapped) {
        case (.v4(let mine), .v4(let theirs)): (mine ^ theirs) & ~(UInt32.max >> self.length) == 0
        case (.v6(let high, let low), .v6(let otherHigh, let otherLow)):
            (high ^ otherHigh) & ~(UInt64.max >> min(self.length, 64)) == 0
                && (low ^ otherLow) & ~(UInt64.max >> max(self.length - 64, 0)) == 0
        case (.v4, .v6), (.v6, .v4): false
        }
    }

    package var description: String {
        self.length == self.address.width ? "\(self.address)" : "\(self.address)/\(self.length)"
    }
}

extension IPAddress {
    /// How many bits it has.
    fileprivate var width: Int {
        switch self {
        case .v4: 32
        case .v6: 128
        }
    }
}
