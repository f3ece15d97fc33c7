package import Vocabulary

/// Counts the requests of each client prefix and limits the answers per second.
///
/// It has one size for ever, however many addresses send: prefixes are hashed to slots with a secret
/// number, and those that meet in one place share its limit.
package struct SourceLimiter: Sendable {
    private struct Place {
        var second: UInt32 = 0
        var count: UInt32 = 0
    }

    private static let places = 8192

    package let limit: Int
    private var counts = [Place](repeating: Place(), count: places)
    private let secret: (UInt64, UInt64)

    /// - Parameter limit: answers per second and client prefix.
    package init(limit: Int, using random: inout some RandomNumberGenerator) {
        self.limit = limit
        self.secret = (random.next() | 1, random.next() | 1)
    }

    /// Counts one question, and says whether it is within the limit.
    package mutating func allows(_ source: IPAddress, at now: Instant) -> Bool {
        let second = UInt32(truncatingIfNeeded: now.nanoseconds / 1_000_000_000)
        let place = self.place(of: source)
        if self.counts[place].second != second { self.counts[place] = Place(second: second, count: 0) }
        self.counts[place].count &+= 1
        return Int(self.counts[place].count) <= self.limit
    }

    /// A product with a secret odd number is as good as random in its upper bits to who does not know it.
    private func place(of source: IPAddress) -> Int {
        let key: UInt64 =
            switch source.clientPrefix {
            case .v4(let address): UInt64(address) &* self.secret.0
            case .v6(let high, _): (high ^ high >> 29) &* self.secret.1
            }
        return Int(((key ^ key >> 32) &* self.secret.1) >> 51)
    }
}
