internal import Vocabulary

/// Dates as HTTP writes them: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7), as seconds since 1970.
package enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    /// The last second of the year 9999: later years have no four digits.
    private static let latest = 253_402_300_799
    private static let secondsPerDay = 86_400

    /// Times before 1970 and after 9999 become the nearest that can be written.
    package static func format(_ secondsSince1970: Int) -> String {
        let seconds = min(max(0, secondsSince1970), self.latest)
        let (day, second) = seconds.quotientAndRemainder(dividingBy: self.secondsPerDay)
        let date = CalendarDay(day)
        let time = [second / 3600, second / 60 % 60, second % 60].map(self.twoDigits).joined(separator: ":")
        let year = self.twoDigits(date.year / 100) + self.twoDigits(date.year % 100)
        let month = self.months[date.month - 1]
        return "\(self.days[day % 7]), \(self.twoDigits(date.day)) \(month) \(year) \(time) GMT"
    }

    /// Nil for everything but this one form; the two older ones have not been written for decades, and a
    /// condition that cannot be read is one that was not made.
    package static func parse(_ text: String) -> Int? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard text.utf8.count == 29, parts.count == 6, parts[5] == "GMT", parts[1].utf8.count == 2,
            let day = self.number(parts[1]), let month = self.months.firstIndex(where: { $0 == parts[2] }),
            parts[3].utf8.count == 4, let year = self.number(parts[3]), let second = self.time(parts[4]),
            let count = CalendarDay(year: year, month: month + 1, day: day)?.number,
            // A wrong weekday is a sign of a wrong date.
            parts[0] == "\(self.days[count % 7]),"
        else { return nil }
        return count * self.secondsPerDay + second
    }

    private static func time(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ $0.utf8.count == 2 }), let hour = self.number(parts[0]),
            let minute = self.number(parts[1]), let second = self.number(parts[2]), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + min(second, 59)
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy(\.isDigit) ? Int(text) : nil
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
