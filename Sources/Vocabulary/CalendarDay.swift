/// A day of the Gregorian calendar.
package struct CalendarDay: Hashable, Sendable {
    package let year: Int
    package let month: Int
    package let day: Int

    private static let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

    /// Nil for one that there is not, and for years that are not written today.
    package init?(year: Int, month: Int, day: Int) {
        guard (1970...9999).contains(year), (1...12).contains(month) else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let length = month == 2 && isLeap ? 29 : Self.lengths[month - 1]
        guard (1...length).contains(day) else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day that lies so many after 1970-01-01.
    ///
    /// By eras of 400 years that begin with March, so that a leap day is the last of its year:
    /// https://howardhinnant.github.io/date_algorithms.html
    package init(_ number: Int) {
        let shifted = number + 719_468
        let era = (shifted < 0 ? shifted - 146_096 : shifted) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        self.day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        self.month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        self.year = yearOfEra + era * 400 + (self.month <= 2 ? 1 : 0)
    }

    /// Days since 1970-01-01.
    package var number: Int {
        let shifted = self.month <= 2 ? self.year - 1 : self.year
        let era = (shifted < 0 ? shifted - 399 : shifted) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (self.month + (self.month > 2 ? -3 : 9)) + 2) / 5 + self.day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
