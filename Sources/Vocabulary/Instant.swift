/// A moment on the monotonic clock that the owner of a machine passes in.
///
/// Only differences mean something: the zero is wherever that clock began.
package struct Instant: Hashable, Comparable, Sendable {
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    package init(milliseconds: Int64) {
        self.nanoseconds = milliseconds.multipliedClamping(by: 1_000_000)
    }

    package static func + (start: Instant, duration: Duration) -> Instant { start.advanced(by: duration) }

    package static func - (end: Instant, duration: Duration) -> Instant { end.advanced(by: .zero - duration) }

    package static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Stops at the ends of time instead of running over them.
    package func advanced(by duration: Duration) -> Instant {
        let (sum, overflow) = self.nanoseconds.addingReportingOverflow(duration.clampedNanoseconds)
        guard overflow else { return Instant(nanoseconds: sum) }
        return Instant(nanoseconds: duration < .zero ? .min : .max)
    }

    /// Of two moments that may be unknown.
    package static func earlier(_ first: Instant?, _ second: Instant?) -> Instant? {
        guard let first, let second else { return first ?? second }
        return min(first, second)
    }

    package func duration(to other: Instant) -> Duration {
        .nanoseconds(other.nanoseconds) - .nanoseconds(self.nanoseconds)
    }
}

extension Duration {
    /// Whole nanoseconds, held inside of 64 bits (292 years).
    package var clampedNanoseconds: Int64 {
        // Those of less than nine seconds, which are nearly all, need no division of 128 bits.
        let all = self.attoseconds
        let low = Int64(truncatingIfNeeded: all)
        if Int128(low) == all { return low / 1_000_000_000 }
        let (seconds, attoseconds) = self.components
        return seconds.multipliedClamping(by: 1_000_000_000).addingClamping(attoseconds / 1_000_000_000)
    }

    /// Whole milliseconds, as the wire counts them.
    package var clampedMilliseconds: Int64 {
        let (seconds, attoseconds) = self.components
        return seconds.multipliedClamping(by: 1_000).addingClamping(attoseconds / 1_000_000_000_000_000)
    }
}

extension Int64 {
    fileprivate func multipliedClamping(by factor: Int64) -> Int64 {
        let (product, overflow) = self.multipliedReportingOverflow(by: factor)
        guard overflow else { return product }
        return (self < 0) == (factor < 0) ? .max : .min
    }

    fileprivate func addingClamping(_ other: Int64) -> Int64 {
        let (sum, overflow) = self.addingReportingOverflow(other)
        guard overflow else { return sum }
        return other < 0 ? .min : .max
    }
}
