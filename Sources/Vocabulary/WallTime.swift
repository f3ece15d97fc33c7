/// What people call the time: milliseconds since 1970, as clients print it. It may jump; never measure with it.
package struct WallTime: Hashable, Comparable, Sendable {
    package let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    package init(seconds: Int64) {
        let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        self.milliseconds = overflow ? (seconds < 0 ? .min : .max) : milliseconds
    }

    /// As other protocols count: whole seconds since 1970, rounded down.
    package var seconds: Int64 {
        let (quotient, remainder) = self.milliseconds.quotientAndRemainder(dividingBy: 1000)
        return remainder < 0 ? quotient - 1 : quotient
    }

    package static func + (start: WallTime, duration: Duration) -> WallTime {
        let (sum, overflow) = start.milliseconds.addingReportingOverflow(duration.clampedMilliseconds)
        return WallTime(milliseconds: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    package static func < (left: WallTime, right: WallTime) -> Bool { left.milliseconds < right.milliseconds }
}
