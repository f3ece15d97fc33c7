extension FixedWidthInteger where Self: UnsignedInteger {
    /// How far ahead of another number this one is on their circle: less than zero when it is behind.
    // Each room would run the generic code without this, for every packet (docs/decisions/0003).
    @specialized(where Self == UInt16)
    package func wrappedDistance(from other: Self) -> Int64 {
        let ahead = self &- other
        return ahead <= Self.max >> 1 ? Int64(ahead) : -Int64(other &- self)
    }

    package func isAhead(of other: Self) -> Bool { self.wrappedDistance(from: other) > 0 }
}

/// Numbers that begin anew at zero, counted on: each is taken for the one nearest to the last.
package struct Unwrapper<Number: FixedWidthInteger & UnsignedInteger & Sendable>: Hashable, Sendable {
    package private(set) var last: Int64?

    package init() {}

    /// The number without its turns around the circle. What lies before the first one of all is below zero.
    @specialized(where Number == UInt16)
    package mutating func unwrap(_ number: Number) -> Int64 {
        let unwrapped = self.peek(number)
        self.last = unwrapped
        return unwrapped
    }

    /// The same without going on from it.
    @specialized(where Number == UInt16)
    package func peek(_ number: Number) -> Int64 {
        guard let last = self.last else { return Int64(number) }
        return last &+ number.wrappedDistance(from: Number(truncatingIfNeeded: last))
    }
}

/// A moment as NTP has it (RFC 3550 §4): seconds since 1900 and their fractions, 32 bits each.
package struct NTPTime: Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Seconds between 1900 and 1970.
    private static let epoch: UInt64 = 2_208_988_800

    package init(unixNanoseconds: UInt64) {
        let (seconds, rest) = unixNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        self.rawValue = (seconds &+ Self.epoch) << 32 | (rest << 32) / 1_000_000_000
    }

    /// The 32 bits in the middle, which reports send back.
    package var middle: UInt32 { UInt32(truncatingIfNeeded: self.rawValue >> 16) }
}

/// Time in units of 1/65536 s, in which reports count.
package struct NTPInterval: Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Ends at 18 hours, and begins at zero.
    package init(nanoseconds: Int64) {
        let (high, low) = UInt64(max(0, nanoseconds)).multipliedFullWidth(by: 65_536)
        self.rawValue =
            high >= 1_000_000_000
            ? .max : UInt32(clamping: UInt64(1_000_000_000).dividingFullWidth((high, low)).quotient)
    }

    package var nanoseconds: Int64 { Int64((UInt64(self.rawValue) * 1_000_000_000) >> 16) }

    /// How long a report and its answer were on the way (RFC 3550 §6.4.1), nil when clocks make nonsense of it: `sent` is
    /// the middle of the moment when ours left, `held` how long the other side kept it.
    package static func roundTrip(now: NTPTime, sent: UInt32, held: NTPInterval) -> NTPInterval? {
        let (trip, overflow) = (now.middle &- sent).subtractingReportingOverflow(held.rawValue)
        guard sent != 0, !overflow, trip < 1 << 31 else { return nil }
        return NTPInterval(rawValue: trip)
    }
}
