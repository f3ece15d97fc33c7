internal import Vocabulary

/// A moment by the clock and the calendar of Beijing, eight hours ahead of UTC: some doors' programs know no other.
struct BeijingTime: Hashable, Comparable {
    /// Since 1970-01-01 there.
    let day: Int
    let secondOfDay: Int

    private static let offset = Duration.seconds(8 * 3600)
    private static let secondsOfDay = 86_400

    init(day: Int, secondOfDay: Int) {
        self.day = day
        self.secondOfDay = secondOfDay
    }

    init(_ time: WallTime) {
        let seconds = Int((time + Self.offset).seconds)
        self.day = seconds / Self.secondsOfDay
        self.secondOfDay = seconds % Self.secondsOfDay
    }

    /// `2026-11-23 16:25:00`, always with two digits.
    init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, let second = Self.secondOfDay(String(parts[1])) else { return nil }
        let numbers = Self.numbers(parts[0], "-", lengths: [4, 2, 2])
        guard let numbers, let day = CalendarDay(year: numbers[0], month: numbers[1], day: numbers[2]) else {
            return nil
        }
        self.init(day: day.number, secondOfDay: second)
    }

    /// `16:25:00`
    static func secondOfDay(_ text: String) -> Int? {
        guard let numbers = self.numbers(text[...], ":", lengths: [2, 2, 2]), numbers[0] < 24, numbers[1] < 60,
            numbers[2] < 60
        else { return nil }
        return numbers[0] * 3600 + numbers[1] * 60 + numbers[2]
    }

    private static func numbers(_ text: Substring, _ sign: Character, lengths: [Int]) -> [Int]? {
        let parts = text.split(separator: sign, omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == lengths, parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } })
        else {
            return nil
        }
        return parts.compactMap { Int($0) }
    }

    var wall: WallTime {
        WallTime(seconds: Int64(self.day * Self.secondsOfDay + self.secondOfDay)) + (.zero - Self.offset)
    }

    /// As `init` reads it.
    var text: String {
        let day = CalendarDay(self.day)
        let (date, second) = ([day.year, day.month, day.day], self.secondOfDay)
        let clock = [second / 3600, second / 60 % 60, second % 60]
        return "\(Self.text(date, "-")) \(Self.text(clock, ":"))"
    }

    private static func text(_ numbers: [Int], _ sign: String) -> String {
        numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: sign)
    }

    static func < (one: BeijingTime, other: BeijingTime) -> Bool {
        (one.day, one.secondOfDay) < (other.day, other.secondOfDay)
    }
}
