#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A moment as the clocks here show it: in the time zone of the environment (`TZ`), or the machine's.
package struct LocalTime: Hashable, Sendable {
    package let year: Int
    package let month: Int
    package let day: Int
    package let hour: Int
    package let minute: Int

    package init(secondsSince1970 seconds: Int64) {
        tzset()
        var time = time_t(seconds)
        var parts = unsafe tm()
        _ = unsafe localtime_r(&time, &parts)
        self.year = unsafe Int(parts.tm_year) + 1900
        self.month = unsafe Int(parts.tm_mon) + 1
        self.day = unsafe Int(parts.tm_mday)
        self.hour = unsafe Int(parts.tm_hour)
        self.minute = unsafe Int(parts.tm_min)
    }

    package func isSameDay(as other: LocalTime) -> Bool {
        (self.year, self.month, self.day) == (other.year, other.month, other.day)
    }

    /// `2026-11-22`
    package var date: String { "\(self.year)-\(Self.two(self.month))-\(Self.two(self.day))" }
    /// `13:45`
    package var clock: String { "\(Self.two(self.hour)):\(Self.two(self.minute))" }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
