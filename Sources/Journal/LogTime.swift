import System
internal import Vocabulary

/// A moment of the calendar, as a log line shows it.
package struct LogTime: Hashable, Sendable {
    package let secondsSince1970: Int64
    package let milliseconds: Int64

    package init(secondsSince1970: Int64, milliseconds: Int64 = 0) {
        self.secondsSince1970 = secondsSince1970
        self.milliseconds = milliseconds
    }

    @Sendable package static func now() -> LogTime {
        let time = KernelClock.realTime
        return LogTime(secondsSince1970: time / 1_000_000_000, milliseconds: time / 1_000_000 % 1000)
    }
}

extension LogTime: CustomStringConvertible {
    /// RFC 3339 in UTC: `2026-11-20T07:03:01.123Z`.
    package var description: String {
        let (days, second) = self.secondsSince1970.floored(by: 86_400)
        let day = CalendarDay(Int(days))
        let date = "\(day.year.padded(to: 4))-\(day.month.padded(to: 2))-\(day.day.padded(to: 2))"
        let clock = [second / 3600, second / 60 % 60, second % 60].map { $0.padded(to: 2) }.joined(separator: ":")
        return "\(date)T\(clock).\(self.milliseconds.padded(to: 3))Z"
    }
}

extension Int64 {
    /// Quotient and remainder, the remainder never negative.
    fileprivate func floored(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = self.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension BinaryInteger {
    fileprivate func padded(to width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
    }
}
